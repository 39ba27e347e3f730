"""Where random numbers come from: the same ones at every call, unless a generator is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._columns import in_brief
from stakes.exceptions import DataError

#: What `rng=None` stands for.
_SEED = 0


# Why no generator means seed 0: docs/design/intervals.md.
def as_generator(rng: Any) -> np.random.Generator:
    """The generator given, or a new one from a seed; None is the seed `_SEED`."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(_checked(rng))


def as_seed(rng: Any) -> int:
    """A seed that can be stored; a generator draws one, so that each call gets another."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    return _checked(rng)


def _checked(rng: Any) -> int:
    """A seed as given, or `_SEED`."""
    if rng is None:
        return _SEED
    whole = isinstance(rng, (int, np.integer)) and not isinstance(rng, bool)
    if not whole or rng < 0:
        raise DataError(
            f"`rng` must be None, a whole number from 0 on or a Generator; got {in_brief(rng)}.",
            hint="rng=0",
        )
    return int(rng)
