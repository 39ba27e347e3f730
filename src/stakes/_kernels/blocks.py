"""Rows in pieces that stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["BLOCK_ROWS", "blocks"]

#: Rows per block for single-column work: 32 Ki int64 take 256 KiB, a core's private cache.
BLOCK_ROWS = 1 << 15


def blocks(n_rows: int, size: int = BLOCK_ROWS) -> Iterator[slice]:
    """Slices that cover `n_rows` rows in order."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
