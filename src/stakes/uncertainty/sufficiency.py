"""How few cases are too few: when an interval is refused, and when it comes with a warning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes.exceptions import DataError
from stakes.typing import FloatArray, Name

__all__ = ["FEW_CASES", "MIN_CASES", "refuse_weights", "shortage"]

#: Below this many cases of a class that matters no interval and no verdict is given.
MIN_CASES = 10
#: Below this many the result says that it rests on few cases.
FEW_CASES = 100


def shortage(
    totals: FloatArray, classes: Sequence[Name], min_cases: int, matters: Any = None
) -> tuple[bool, tuple[str, ...]]:
    """Whether to refuse, and what to say; classes with `matters` False are left out."""
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


def refuse_weights(counts: FloatArray, what: str = "summary") -> None:
    """Raise when counts are not whole numbers, since then they are no numbers of cases."""
    rounded = np.rint(counts)
    if not (np.abs(counts - rounded) <= 1e-9 * np.maximum(1.0, rounded)).all():
        raise DataError(
            f"the {what} holds weights, not numbers of cases, so it cannot tell how many cases "
            "there were.",
            hint="count by group (GroupedCounts.from_decisions(..., groups=..., "
            "sample_weight=...)) and give that; each case may be its own group",
        )
