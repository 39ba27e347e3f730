"""When Numba is used, and how it is reached.

The array code of the neighbouring modules is always right and always there. The same work
as compiled loops is used when Numba is installed (the extra `fast`) and pays for its import
and compilation: from `_LARGE` cases on, or from `MEDIUM` when the program has imported Numba
itself. The variable STAKES_FAST set to 0 forbids it, to 1 demands it whatever the size.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

_LARGE = 2_000_000
MEDIUM = 100_000


def pays(n_cases: int) -> bool:
    """Whether the compiled loops are used for this many cases."""
    wish = os.environ.get("STAKES_FAST", "")
    if wish == "0":
        return False
    if wish == "1":
        return _installed()
    return n_cases >= (MEDIUM if "numba" in sys.modules else _LARGE) and _installed()


@functools.lru_cache(maxsize=1)
def _installed() -> bool:
    """Whether Numba can be imported."""
    return importlib.util.find_spec("numba") is not None


@functools.cache
def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
    """A plain loop compiled on its first call and kept on disk afterwards."""
    numba = importlib.import_module("numba")
    made: Callable[..., Any] = numba.njit(cache=True, nogil=True)(loop)
    return made
