from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix
from stakes.exceptions import DataError
from stakes.uncertainty import compare_across

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])


class TestCompareAcross:
    def test_common_priors_undo_different_class_shares(self) -> None:
        few = ConfusionMatrix([[900, 100], [10, 90]])
        many = ConfusionMatrix([[90, 10], [100, 900]])
        found = compare_across({"few": few, "many": many}, APP, rng=0)
        assert found.differences[0].value == pytest.approx(0.0, abs=1e-12)
        assert found.differences[0].p_value == pytest.approx(1.0)

    def test_two_rates_are_miettinen_and_nurminens_score_test(self) -> None:
        # cost 1 for false positives alone and all prior on class 0: a difference of two rates
        app = Application([[0, 1], [0, 0]], priors=[1.0, 0.0])
        a, b = ConfusionMatrix([[7, 3], [20, 20]]), ConfusionMatrix([[2, 8], [20, 20]])
        found = compare_across({"a": a, "b": b}, app, rng=0).difference("a", "b")
        pooled = 11 / 20  # under no difference the likeliest common rate
        z = (0.3 - 0.8) / np.sqrt(pooled * (1 - pooled) * 2 / 10)
        from scipy.special import ndtr

        assert found.p_value == pytest.approx(2 * ndtr(-abs(z)), rel=1e-5)

    def test_priors_are_needed(self) -> None:
        with pytest.raises(DataError, match="priors"):
            compare_across({"a": ConfusionMatrix([[5, 5], [5, 5]])}, Application([[0, 1], [1, 0]]))
