"""How few cases are too few: when an interval is refused, and when it comes with a warning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes._names import listed
from stakes.exceptions import DataError
from stakes.typing import FloatArray, Name

__all__ = [
    "FEW_CASES",
    "MIN_CASES",
    "OF_CURVES",
    "OF_PLANS",
    "OF_SCORES",
    "OF_SYSTEMS",
    "few_carry",
    "refuse_weights",
    "shortage",
    "whole",
]

#: Below this many cases of a class that matters no interval and no verdict is given.
MIN_CASES = 10
#: Below this many the result says that it rests on few cases.
FEW_CASES = 100

#: What to give instead of summaries of weighted cases.
OF_DECISIONS = (
    "give the rows: weighted_interval(y_true, decisions, sample_weight=...); or, for cases that "
    "belong together, GroupedCounts.from_decisions(..., groups=..., sample_weight=...)"
)
OF_SCORES = "give the rows: weighted_score_interval(y_true, scores, sample_weight=..., metric=...)"
OF_SYSTEMS = (
    "give GroupedCounts.from_decisions(y_true, decisions, groups=range(len(y_true)), "
    "sample_weight=...), in which each case is a group of its own, or the groups there are"
)
OF_CURVES = (
    "give the rows, one point of the curve at a time: weighted_score_interval(y_true, scores, "
    "sample_weight=..., metric=lambda scores: ...)"
)
OF_PLANS = (
    "plan from numbers of cases; for weighted cases, the width of weighted_interval(...) shrinks "
    "with the square root of the number of rows"
)


def few_carry(places: Sequence[Any]) -> str:
    """What to say when amounts are so unequal that intervals are too short; see `too_unequal`."""
    return (
        f"a few cases could carry most of the cost: the amounts at stake in cases of "
        f"{listed(places)} are so unequal that intervals are probably too short; the cases that "
        "would make them longer may not be among these"
    )


def shortage(
    totals: FloatArray, classes: Sequence[Name], min_cases: int, matters: Any = None
) -> tuple[bool, tuple[str, ...]]:
    """Whether to refuse, and what to say; classes with `matters` False are left out."""
    if not min_cases >= 0:
        raise DataError(f"`min_cases` must be a number of cases, 0 or more; got {min_cases!r}.")
    kept = np.ones(len(classes), dtype=bool) if matters is None else np.asarray(matters, bool)
    counted = [(float(t), n) for t, n, k in zip(totals, classes, kept, strict=True) if k]
    if not counted:
        return False, ()
    least, name = min(counted, key=lambda pair: pair[0])
    if least < min_cases:
        return True, (
            f"too few: {least:g} cases of {name!r}, below the {min_cases} that an interval "
            f"needs (min_cases={int(least)} overrides)",
        )
    if least < FEW_CASES:
        return False, (f"few: only {least:g} cases of {name!r}",)
    return False, ()


def refuse_weights(
    counts: FloatArray, what: str = "summary", *, instead: str = OF_DECISIONS
) -> None:
    """Raise when counts are not whole numbers, since then they are no numbers of cases.

    Whole numbers are taken for frequencies: that many cases were seen.
    """
    if not whole(counts):
        raise DataError(
            f"the {what} holds weights, not numbers of cases, so it cannot tell how many cases "
            "there were, nor how much their weights differ.",
            hint=instead,
        )


def whole(counts: FloatArray) -> bool:
    """Whether these may be numbers of cases."""
    rounded = np.rint(counts)
    return bool((np.abs(counts - rounded) <= 1e-9 * np.maximum(1.0, rounded)).all())
