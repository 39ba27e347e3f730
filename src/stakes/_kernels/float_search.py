"""Search the numbers of a floating type for the last one that meets a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Numbers that are tried at once; a search takes seven rounds.
_AT_ONCE = 1024


def last_number(
    holds: Callable[[NDArray[Any]], NDArray[np.bool_]], low: float, high: float, kind: str
) -> float | None:
    """The greatest number of a type in [low, high] up to which `holds` holds; None for none.

    `holds` takes ascending numbers of the type; it must be true up to some number, and false above.
    """
    number = np.dtype(kind).type
    first, last = (int(_rank(np.array([number(end)]))[0]) for end in (low, high))
    if not holds(np.array([low], dtype=kind))[0]:
        return None
    while first < last:
        step = max(1, (last - first) // _AT_ONCE)
        ranks = np.array([*range(first + step, last, step), last])
        passed = int(np.argmin(np.append(holds(_number(ranks, kind)), False)))
        first, last = (
            int(ranks[passed - 1]) if passed else first,
            int(ranks[passed]) - 1 if passed < len(ranks) else last,
        )
    return float(_number(np.array([first]), kind)[0])


def _rank(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers in the order of the floats, without gaps; both zeros are 0."""
    bits = (numbers + numbers.dtype.type(0)).view(f"i{numbers.dtype.itemsize}").astype(np.int64)
    least = -(2 ** (8 * numbers.dtype.itemsize - 1))
    return np.asarray(np.where(bits < 0, least - bits, bits), dtype=np.int64)


def _number(ranks: NDArray[Any], kind: str) -> NDArray[Any]:
    """The floats of such whole numbers."""
    width = np.dtype(kind).itemsize
    least = -(2 ** (8 * width - 1))
    bits = np.where(ranks < 0, least - ranks, ranks)
    return bits.astype(f"i{width}").view(kind)
