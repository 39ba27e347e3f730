"""The few type names that signatures share."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "FloatArray", "IntArray", "Name", "Priors", "RandomSource"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
#: A class or decision name: a string, an integer, a boolean or a finite float.
Name: TypeAlias = Hashable
#: One share per class: a sequence in the order of the classes, or a mapping by name. Of two
#: classes the share of the second is enough.
Priors: TypeAlias = "float | Sequence[float] | NDArray[Any] | Mapping[Any, float]"
#: A seed, or a generator for fresh draws; `None` is the seed 0.
RandomSource: TypeAlias = "int | np.random.Generator | None"
