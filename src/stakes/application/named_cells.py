"""What the TOML and the CSV form share: numbers as text, cells that must be there, one error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from stakes.application.application import Application
from stakes.application.naming import name_text
from stakes.application.uncertain import UncertainApplication
from stakes.exceptions import FormatError, StakesError
from stakes.typing import Name

__all__ = ["complete", "located", "number_text", "required_text"]

#: Whole costs below this are written without a decimal point; above, floats skip whole numbers.
WHOLE = 1e15


def number_text(value: float) -> str:
    """A number that reads back as the same float, without a needless decimal point."""
    whole = value == math.floor(value) and abs(value) < WHOLE if math.isfinite(value) else False
    if whole and not (value == 0 and math.copysign(1.0, value) < 0):
        return str(int(value))
    return repr(float(value))


def required_text(application: Application | UncertainApplication) -> dict[str, str]:
    """`unit` and `period` where they are given; an error if they are not text."""
    found = {}
    for key, value in (("unit", application.unit), ("period", application.period)):
        if value is not None:
            if not isinstance(value, str):
                raise FormatError(f"`{key}` must be text to be written; got {value!r}.")
            found[key] = value
    return found


def complete(
    cells: Mapping[tuple[int, int], Any], classes: Sequence[Name], decisions: Sequence[Name]
) -> list[list[Any]]:
    """The full table: an absent cell is 0 for the decision named like the truth, else an error."""
    values: list[list[Any]] = [[0.0] * len(decisions) for _ in classes]
    missing: list[tuple[Name, Name]] = []
    for i, truth in enumerate(classes):
        for j, decision in enumerate(decisions):
            if (i, j) in cells:
                values[i][j] = cells[i, j]
            elif truth != decision:
                missing.append((truth, decision))
    if missing:
        truth, decision = missing[0]
        count = f"{len(missing)} cell{'s' if len(missing) > 1 else ''} missing"
        shown = ", ".join(f"{name_text(t)}->{name_text(d)}" for t, d in missing[:10])
        rest = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        raise FormatError(
            f"cost of deciding {decision!r} when the truth is {truth!r} is missing ({count}).",
            hint=f"Missing: {shown}{rest}.  Write 0 if it is really free.",
        )
    return values


@contextmanager
def located(source: str) -> Iterator[None]:
    """Every error inside becomes a FormatError that starts with the name of the file."""
    try:
        yield
    except StakesError as error:
        raise FormatError(
            f"{source}: {error.message}", hint=error.hint, rows=error.rows or None
        ) from error
