"""Our own warnings are errors in tests; those that another library causes itself are not."""

from __future__ import annotations

import types
import warnings

import numpy as np
import pytest


def test_a_warning_of_ours_is_an_error() -> None:
    with pytest.raises(DeprecationWarning, match="old"):
        warnings.warn("old", DeprecationWarning, stacklevel=1)


def test_so_is_one_of_numpy_about_our_line() -> None:
    with pytest.raises(RuntimeWarning, match="overflow"):
        np.array([1e308]) * 10


def test_one_inside_another_library_is_not() -> None:
    library = types.ModuleType("library.inside")
    exec("import warnings\ndef call():\n    warnings.warn('theirs')\n    return 1", vars(library))
    with warnings.catch_warnings():  # as they stand, kept out of what pytest prints
        warnings.showwarning = lambda *_: None
        assert library.call() == 1
