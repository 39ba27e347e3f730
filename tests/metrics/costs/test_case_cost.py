"""Total cost when each case has its own costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import CaseCosts, CostMatrix
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics import case_cost, expected_cost, normalized_expected_cost, top_share

SEED = st.integers(0, 2**31)


def drawn(seed, n=30):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    costs = CaseCosts(rng.normal(size=(n, 2, 2)) * 3)
    return y, rng.integers(0, 2, n), costs


@given(SEED)
def test_eq_20_total_is_average_plus_fluctuation(seed):
    """TCC = C_FN FN + C_FP FP + fluctuations + TCC_min, by hand."""
    y, d, costs = drawn(seed)
    found = case_cost(y, d, costs=costs)
    paid = sum(costs.values[a, y[a], d[a]] for a in range(y.size))
    by_average = sum(
        np.sum((y == i) & (d == j)) * costs.values[y == i, i, j].mean()
        for i in (0, 1)
        for j in (0, 1)
    )
    assert found.total == pytest.approx(paid)
    assert found.by_average == pytest.approx(by_average)
    assert found.fluctuation == pytest.approx(paid - by_average)


@given(SEED)
def test_constant_costs_agree_with_the_confusion_matrix(seed):
    y, d, _ = drawn(seed)
    matrix = CostMatrix([[0, 2], [7, 1]])
    found = case_cost(y, d, costs=np.repeat(matrix.values[None], y.size, axis=0))
    assert found.per_case == pytest.approx(expected_cost(y, d, application=matrix))
    assert found.normalized == pytest.approx(normalized_expected_cost(y, d, application=matrix))
    assert found.fluctuation == pytest.approx(0, abs=1e-9)


@given(SEED)
def test_priors_count_classes_by_their_share(seed):
    y, d, costs = drawn(seed)
    found = case_cost(y, d, costs=costs, priors=[0.9, 0.1])
    paid = costs.values[np.arange(y.size), y, d]
    assert found.per_case == pytest.approx(0.9 * paid[y == 0].mean() + 0.1 * paid[y == 1].mean())


def test_the_best_naive_decision_is_the_cheapest_constant():
    costs = CaseCosts.binary(false_positive=[3.0, 5.0, 1.0], false_negative=[9.0, 9.0, 2.0])
    found = case_cost([0, 0, 1], [0, 1, 0], costs=costs)
    assert found.constant.tolist() == [2, 8]  # never acting misses the 2; always acting pays 3 + 5
    assert found.naive_decision == 0
    assert found.normalized == (5 + 2) / 2


def test_nothing_to_normalise_by():
    costs = CaseCosts.binary(false_positive=[1.0, 1.0], false_negative=[0.0, 0.0])
    with pytest.raises(UndefinedError, match="already perfect"):
        case_cost([0, 1], [0, 0], costs=costs).normalized  # noqa: B018


def test_absent_class_under_new_priors():
    costs = CaseCosts.binary(false_positive=[1.0, 1.0], false_negative=1.0)
    with pytest.raises(DataError, match="no case of 1"):
        case_cost([0, 0], [0, 1], costs=costs, priors=[0.5, 0.5])


class TestHeavyTail:
    def test_even_costs_carry_their_share(self):
        assert top_share(np.ones(1000)) == pytest.approx(0.01)

    def test_one_case_is_everything(self):
        assert top_share([0.0, 0.0, -7.0]) == 1.0

    def test_rounded_up_to_whole_cases(self):
        assert top_share(np.arange(1, 11.0), 0.11) == (10 + 9) / 55
        assert top_share(np.arange(1, 11.0), 0.2) == (10 + 9) / 55

    def test_no_cost_at_all(self):
        assert top_share([0.0, 0.0]) == 0

    def test_the_warning_speaks_only_when_it_matters(self):
        even = case_cost(
            [1] * 200, [0] * 200, costs=CaseCosts.binary(false_positive=1.0,
                                                         false_negative=np.ones(200))
        )  # fmt: skip
        amounts = np.ones(200)
        amounts[7] = 500
        heavy = case_cost(
            [1] * 200, [0] * 200, costs=CaseCosts.binary(false_positive=1.0,
                                                         false_negative=amounts)
        )  # fmt: skip
        assert even.warning is None
        assert heavy.warning is not None
        assert "1 % of the cases carry 72%" in heavy.warning  # 501 of 699
        assert heavy.costliest(1).rows() == [{"row": 7, "cost": 500, "share": 500 / 699}]

    def test_share_out_of_range(self):
        with pytest.raises(DataError, match="above 0"):
            top_share([1.0], 0)


def test_the_tally_has_an_interval_over_cases():
    """Welch's t on the mean of all costs, by hand."""
    from scipy.stats import t

    from stakes.uncertainty import interval

    rng = np.random.default_rng(0)
    y, d = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    costs = CaseCosts.binary(false_positive=rng.random(300), false_negative=5 * rng.random(300))
    found = case_cost(y, d, costs=costs)
    low, high = interval(found.tally).limits
    half = t.ppf(0.975, 299) * found.parts.std(ddof=1) / np.sqrt(300)
    assert (low, high) == pytest.approx((found.per_case - half, found.per_case + half))
