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

    def test_weighted_cases_as_groups_are_as_sure_as_each_alone(self) -> None:
        from stakes import GroupedCounts
        from stakes.uncertainty import weighted_interval

        rng = np.random.default_rng(0)
        grouped, errors = {}, []
        for name, rate in (("a", 0.1), ("b", 0.3)):
            y = (np.arange(800) % 2 == 0).astype(int)
            d = np.where(rng.random(800) < rate, 1 - y, y)
            w = rng.choice([0.5, 1.7, 4.0], 800)
            grouped[name] = GroupedCounts.from_decisions(y, d, groups=range(800), sample_weight=w)
            alone = weighted_interval(y, d, sample_weight=w, application=APP)
            errors.append((alone.high - alone.low) / (2 * 1.96))
        found = compare_across(grouped, APP, rng=0)
        gap = found.difference("a", "b")
        assert (gap.high - gap.low) / (2 * 1.96) == pytest.approx(np.hypot(*errors), rel=0.1)
        assert found.verdict == "a is cheapest"
        inner = found.at(0.5).difference("a", "b")
        assert gap.low < inner.low < inner.high < gap.high

    def test_weighted_matrices_are_refused_with_a_way_out(self) -> None:
        weighted = ConfusionMatrix([[90.5, 10.0], [3.0, 40.0]])
        with pytest.raises(DataError, match="holds weights") as caught:
            compare_across({"a": weighted, "b": weighted}, APP)
        assert "GroupedCounts" in str(caught.value.hint)

    def test_one_system_in_each_entry(self) -> None:
        from stakes import GroupedCounts

        y = [0, 1] * 20
        two = GroupedCounts.from_decisions(y, {"x": y, "y": y}, groups=range(40))
        with pytest.raises(DataError, match="one system"):
            compare_across({"a": two, "b": two}, APP)
