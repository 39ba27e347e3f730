"""Ferrer, TMLR 2025, Table 2: its folds; the table itself is in tests/experiments."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.calibration import stratified_folds


def test_folds_are_those_of_sklearn():
    selection = pytest.importorskip("sklearn.model_selection", reason="the folds' own library")
    y = np.random.default_rng(0).integers(0, 3, 97)
    splits = selection.StratifiedKFold(5, shuffle=True, random_state=0).split(y, y)
    number = stratified_folds(y, 5, rng=np.random.RandomState(0))
    for k, (_, test) in enumerate(splits):
        np.testing.assert_array_equal(np.flatnonzero(number == k), test)
