"""Powers of two that bring huge or tiny numbers to an ordinary size, where squares still fit."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["ordinary_scale"]

#: Numbers between 2 to the power of minus this and of this are ordinary: their squares, and sums
#: of many of these, neither overflow nor vanish.
ORDINARY = 300


def ordinary_scale(*arrays: NDArray[np.float64]) -> float:
    """What to divide by, and multiply by afterwards; 1 where the largest number is ordinary.

    Powers of two change the exponents alone, so that nothing is rounded.
    """
    largest = max((float(np.abs(each).max()) for each in arrays if each.size), default=0.0)
    if largest == 0 or not math.isfinite(largest):
        return 1.0
    exponent = math.frexp(largest)[1]
    return 1.0 if -ORDINARY < exponent <= ORDINARY else math.ldexp(1.0, exponent - 1)
