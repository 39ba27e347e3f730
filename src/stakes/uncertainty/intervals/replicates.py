"""Replicates: draws of a statistic that can be extended, and a bar while they are made."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from stakes._checks import frozen
from stakes._random import as_generator
from stakes.exceptions import DataError
from stakes.typing import FloatArray, RandomSource

#: Replicates are drawn in blocks of this size, each from a seed of its own, so that 3,000
#: replicates begin with the same 2,000, and blocks may be drawn anywhere.
BLOCK = 500


def seed_of(rng: RandomSource) -> int:
    """One whole number that stands for `rng`."""
    return int(as_generator(rng).integers(2**63))


def _as_size(size: Any) -> int:
    """A number of replicates, at least one."""
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
        raise DataError(f"`replicates` must be a positive whole number; got {size!r}.")
    return int(size)


@dataclass(frozen=True, eq=False, repr=False)
class Replicates:
    """Draws of a statistic, reproducible from a seed and never drawn twice.

    Held by the results of `interval`, `band` and `compare`.

    Parameters
    ----------
    values : array of shape (n_replicates, ...)
        The statistic in each replicate.
    seed : int
        What they were drawn from.
    draw : callable
        ``draw(size, generator)`` makes `size` more.
    """

    values: FloatArray
    seed: int
    draw: Callable[[int, np.random.Generator], FloatArray]

    @classmethod
    def drawn(
        cls,
        draw: Callable[[int, np.random.Generator], FloatArray],
        size: int,
        rng: RandomSource,
    ) -> Replicates:
        """Draw `size` replicates."""
        return cls(np.empty(0), seed_of(rng), draw).grown(_as_size(size))

    def grown(self, size: int) -> Replicates:
        """The same replicates and more, `size` in all (fewer when fewer are asked for)."""
        have = self.values.shape[0]
        if size <= have:
            return Replicates(frozen(self.values[:size]), self.seed, self.draw)
        parts = [self.values[: have - have % BLOCK]] if have >= BLOCK else []
        bar = _Bar(size)
        for block in range(have // BLOCK, -(-size // BLOCK)):
            generator = np.random.default_rng([self.seed, block])
            parts.append(self.draw(BLOCK, generator))
            bar.show(min((block + 1) * BLOCK, size))
        bar.close()
        return Replicates(frozen(np.concatenate(parts)[:size]), self.seed, self.draw)

    def more(self, size: int) -> Replicates:
        """The same replicates and `size` more."""
        return self.grown(len(self) + _as_size(size))

    @property
    def defined(self) -> FloatArray:
        """Those with a finite value."""
        return self.values[np.isfinite(self.values)]

    def noted(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        """The notes, and how many replicates have no value, if any."""
        undefined = len(self) - self.defined.shape[0]
        if not undefined:
            return notes
        return (*notes, f"undefined in {undefined} of {len(self)} replicates, left out")

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __repr__(self) -> str:
        return f"<{len(self)} replicates from seed {self.seed}>"


class _Bar:
    """A line on the terminal, shown only when drawing takes more than a second."""

    def __init__(self, total: int, stream: TextIO | None = None, patience: float = 1.0) -> None:
        self._total, self._stream = total, sys.stderr if stream is None else stream
        self._start, self._patience, self._shown = time.monotonic(), patience, False

    def show(self, done: int) -> None:
        """Redraw the line, if it is time and someone is looking."""
        if time.monotonic() - self._start < self._patience or not self._stream.isatty():
            return
        self._shown = True
        part = done / self._total
        line = f"\r{'#' * int(30 * part):<30} {done} of {self._total} replicates"
        self._stream.write(line)
        self._stream.flush()

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            self._stream.write("\r" + " " * 70 + "\r")
            self._stream.flush()
