from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import CaseCosts, CostTally
from stakes.exceptions import DataError, MergeError


def loans(n: int = 50, seed: int = 0) -> tuple[np.ndarray, np.ndarray, CaseCosts]:
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(5, 1, n)
    costs = CaseCosts.binary(false_positive=0.05 * amount, false_negative=0.75 * amount)
    return rng.integers(0, 2, n), rng.integers(0, 2, n), costs


class TestCostTally:
    def test_average_is_what_was_paid_per_case(self) -> None:
        y, d, costs = loans()
        paid = [costs.values[k, y[k], d[k]] for k in range(50)]
        tally = CostTally.from_decisions(y, d, costs=costs)
        assert tally.cost() == pytest.approx(np.mean(paid))
        assert tally.squares.sum() == pytest.approx(np.square(paid).sum())

    def test_priors_weight_the_classes(self) -> None:
        tally = CostTally.from_costs(["a", "a", "b"], [1.0, 3.0, 10.0])
        assert tally.cost({"a": 0.5, "b": 0.5}) == pytest.approx(0.5 * 2 + 0.5 * 10)

    @given(st.integers(1, 49), st.integers(0, 10**6))
    def test_merging_batches_is_one_batch(self, cut: int, seed: int) -> None:
        y, d, costs = loans(seed=seed)
        parts = [
            CostTally.from_decisions(y[s], d[s], costs=CaseCosts(costs.values[s]))
            for s in (slice(0, cut), slice(cut, 50))
        ]
        whole = CostTally.from_decisions(y, d, costs=costs)
        merged = sum(parts)
        for name in ("counts", "sums", "squares"):
            assert getattr(merged, name) == pytest.approx(getattr(whole, name))

    def test_effective_cases_of_equal_and_of_unequal_costs(self) -> None:
        assert CostTally.from_costs([0] * 8, [2.0] * 8).effective_cases == pytest.approx(8)
        assert CostTally.from_costs([0] * 8, [1e6] + [1.0] * 7).effective_cases < 1.001

    def test_absent_class_with_a_prior_is_refused(self) -> None:
        tally = CostTally.from_costs([0, 0], [1.0, 2.0], classes=[0, 1])
        with pytest.raises(DataError, match="no case of 1"):
            tally.cost([0.5, 0.5])

    def test_infinite_costs_are_refused(self) -> None:
        with pytest.raises(DataError, match="finite"):
            CostTally.from_costs([0], [np.inf])

    def test_other_names_do_not_add(self) -> None:
        with pytest.raises(MergeError):
            CostTally.from_costs([0], [1.0]) + CostTally.from_costs([1], [1.0])
