"""Amounts so unequal that a few unseen ones could carry the mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: The spread of logarithms from which intervals are short: that of one case, and more for each
#: e-fold of cases. Found by simulation: benchmarks/case_coverage.py measures what it flags.
FIRST, MORE = 0.45, 0.145
#: Fewer amounts than this tell nothing about their spread.
_FEWEST = 20
#: A class with less than this share of the variance may have amounts as unequal as it likes.
MATTERS = 0.1


def _spread_of_logs(count: Floats, sums: Floats, squares: Floats) -> Floats:
    """Standard deviation of the logarithms of lognormal amounts with these moments.

    From the coefficient of variation, so that amounts near zero, which carry nothing, do not count
    as they would in the logarithms themselves; and sums and squares are enough.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(squares > 0, count * (squares / sums**2), 1.0)
    return np.asarray(np.sqrt(np.log(np.maximum(ratio, 1.0))))


def too_unequal(count: Floats, sums: Floats, squares: Floats) -> NDArray[np.bool_]:
    """Whether a mean of amounts like these, positive ones, has an interval that is too short.

    The more amounts there are, the more unequal they may be.
    """
    bound = FIRST + MORE * np.log(np.maximum(count, 1.0))
    return np.asarray((count >= _FEWEST) & (_spread_of_logs(count, sums, squares) > bound))
