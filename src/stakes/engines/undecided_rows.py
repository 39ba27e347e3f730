"""Refuse tables without the columns of a rule, and rows that it cannot decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw

from stakes.exceptions import DataError
from stakes.messages.audience import either
from stakes.messages.quantities import grouped
from stakes.rules import DecisionRule
from stakes.rules.decided_rows import ADDED, REASON, REASONS
from stakes.rules.rule_sql import read_columns


def refuse_names(
    rule: DecisionRule,
    known: Sequence[str],
    names: Sequence[str],
    *,
    marked: bool,
    folded: bool = False,
) -> None:
    """Raise if a column that is read is absent, or one that would be added is there already.

    `folded` says that capitals make no difference.
    """
    refuse_absent(rule, known, names)
    refuse_taken(known, marked=marked, folded=folded)


def refuse_taken(known: Sequence[str], *, marked: bool, folded: bool = False) -> None:
    """Raise if one of these names is that of a column that would be added."""
    added = (*ADDED, *((REASON,) if marked else ()))
    if taken := [name for name in known if (name.lower() if folded else name) in added]:
        raise DataError(
            f"the table already has a column {taken[0]!r}, which would be added.",
            hint="rename it first",
        )


def ignores_case(rows: Any) -> bool:
    """Whether the engine takes columns for the same if only their capitals differ."""
    return isinstance(rows, nw.LazyFrame) and not rows.implementation.is_polars()


def refuse_absent(rule: DecisionRule, known: Sequence[str], names: Sequence[str]) -> None:
    """Raise if a column of scores, or one that costs are computed from, is absent."""
    for name in read_columns(rule, names):
        if name not in known:
            there = f"there are {', '.join(map(repr, known[:12]))}"
            if name not in names:
                raise DataError(
                    f"no column {name!r}, which the costs are computed from; {there}.",
                    hint=f"add the column {name!r}, or rename the one that holds it",
                )
            typed = "say which columns hold the scores: --columns A,B"
            hint = either(f"rename the column that holds it to {name!r}", typed)
            raise DataError(f"no column {name!r}; {there}.", hint=hint)


def refuse_undecided(undecided: dict[str, int], rows: int, first: int | None = None) -> None:
    """Raise if rows cannot be decided, saying why, how many, and what to type instead."""
    if not undecided:
        return
    total = sum(undecided.values())
    parts = ", ".join(f"{why} in {grouped(count)}" for why, count in undecided.items())
    where = "" if first is None else f"; the first is row {first}"
    raise DataError(
        f"{grouped(total)} of {grouped(rows)} rows cannot be decided ({parts}){where}.",
        hint="to leave their decision empty and say why in a column: "
        + either('on_error="column"', "--on-error column"),
    )


def counted_faults(found: Any) -> dict[str, int]:
    """How many rows have each fault; faults that do not occur are left out."""
    counts = {why: int((found == k).sum()) for k, why in enumerate(REASONS)}
    return {why: count for why, count in counts.items() if count}
