"""Whether two sets of cases have the same classes and costs."""

from __future__ import annotations

import numpy as np

from stakes._names import listed
from stakes.estimation.decided_cases import DecidedCases
from stakes.exceptions import CostError, DataError


def refuse_other_costs(
    one: DecidedCases, other: DecidedCases, names: tuple[str, str], *, hint: str
) -> None:
    """Raise where a decision that both can take costs something else in the other cases."""
    first, second = f"`{names[0]}`", f"`{names[1]}`"
    if other.classes != one.classes:
        raise DataError(
            f"{second} has the classes {listed(other.classes)}, and {first} has "
            f"{listed(one.classes)}.",
            hint=hint,
        )
    if one.rule.per_case != other.rule.per_case:
        differing, same = (first, second) if one.rule.per_case else (second, first)
        raise CostError(
            f"costs differ from case to case in {differing}, and not in {same}.", hint=hint
        )
    if one.rule.per_case:
        return
    units = one.application.unit, other.application.unit
    if None not in units and units[0] != units[1]:
        raise CostError(
            f"costs of {first} are in {units[0]}, and those of {second} in {units[1]}.", hint=hint
        )
    tables = [
        dict(zip(each.rule.decisions, each.application.costs.values.T, strict=True))
        for each in (one, other)
    ]
    for name, column in tables[0].items():
        again = tables[1].get(name, column)
        if not np.allclose(column, again, rtol=1e-9, atol=0.0):
            k = int(np.argmax(column != again))
            raise CostError(
                f"deciding {name!r} for a case of class {one.classes[k]!r} costs {column[k]:g} in "
                f"{first} and {again[k]:g} in {second}.",
                hint=hint,
            )
