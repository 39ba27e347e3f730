"""Arrays in sizes that computers like: rows in pieces that fit the cache, numbers whose squares
fit a float.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

#: Rows per block for single-column work: 32 Ki int64 take 256 KiB, a core's private cache.
_BLOCK_ROWS = 1 << 15


def blocks(n_rows: int, size: int = _BLOCK_ROWS) -> Iterator[slice]:
    """Slices that cover `n_rows` rows in order."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


#: Numbers between 2 to the power of minus this and of this are ordinary: their squares, and sums
#: of many of these, neither overflow nor vanish.
_ORDINARY = 300


def ordinary_scale(*arrays: NDArray[np.float64]) -> float:
    """What to divide by, and multiply by afterwards; 1 where the largest number is ordinary.

    Powers of two change the exponents alone, so that nothing is rounded.
    """
    largest = max((float(np.abs(each).max()) for each in arrays if each.size), default=0.0)
    if largest == 0 or not math.isfinite(largest):
        return 1.0
    exponent = math.frexp(largest)[1]
    return 1.0 if -_ORDINARY < exponent <= _ORDINARY else math.ldexp(1.0, exponent - 1)
