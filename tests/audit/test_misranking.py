"""Misranking rates: the published percentages, and the mechanics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes._kernels import rankings as kernels
from stakes.application import Between, UncertainApplication
from stakes.audit import misranking_by_error, misranking_rate, misranking_rates
from stakes.exceptions import CostError, DataError

# Percent misranked in figures 6 and 7 of Dyrland, Lundervold, Porta Mana 2022, as drawn in the
# authors' files (github.com/pglpm/binclassfound): uniform, gaussian.
PUBLISHED = {
    "recall": (25.0, 25.0),
    "precision": (21.3, 20.9),
    "balanced_accuracy": (15.9, 14.6),
    "mcc": (11.1, 8.4),
    "fowlkes_mallows": (10.4, 7.4),
    "f1": (9.7, 6.6),
    "accuracy": (8.7, 4.9),
}
PUBLISHED_ERROR = (4.0, 2.5)  # utilities with an error of standard deviation 0.11
PUBLISHED_CROSSING = (0.26, 0.19)  # realised error at which accuracy does as well


@pytest.mark.parametrize(("column", "utilities"), [(0, "uniform"), (1, "gaussian")])
class TestDyrland2022Figures6And7:
    def test_metrics(self, column: int, utilities: str) -> None:
        table = misranking_rates(PUBLISHED, utilities=utilities, draws=10**6, rng=0)
        for name, percents in PUBLISHED.items():
            assert 100 * table[name] == pytest.approx(percents[column], abs=0.2)

    def test_erroneous_utilities(self, column: int, utilities: str) -> None:
        curve = misranking_by_error([0.11], utilities=utilities, draws=10**6, rng=0)
        assert 100 * curve.rates[0] == pytest.approx(PUBLISHED_ERROR[column], abs=0.2)
        assert curve.realised[0] == pytest.approx(0.105, abs=0.001)

    def test_error_that_is_as_bad_as_accuracy(self, column: int, utilities: str) -> None:
        curve = misranking_by_error(
            [0.0, 0.1, 0.2, 0.3, 0.4], utilities=utilities, draws=10**5, rng=1
        )
        accuracy = PUBLISHED["accuracy"][column] / 100
        assert curve.crossing(accuracy) == pytest.approx(PUBLISHED_CROSSING[column], abs=0.01)
        assert (np.diff(curve.rates) > 0).all()


class TestRate:
    def test_is_a_number_with_a_standard_error(self) -> None:
        rate = misranking_rate("accuracy", utilities="uniform", draws=4000, rng=0)
        assert isinstance(rate, float)
        assert rate.standard_error == pytest.approx(math.sqrt(rate * (1 - rate) / 4000))
        assert rate.metric == "accuracy"

    def test_same_seed_same_rate(self) -> None:
        first, second = (misranking_rate("f1", draws=5000, rng=7) for _ in range(2))
        assert first == second

    def test_function_of_ones_own_is_the_metric_it_computes(self) -> None:
        ours = misranking_rate("precision", draws=3000, rng=2)
        assert misranking_rate(lambda c: c[1, 1] / (c[1, 1] + c[0, 1]), draws=3000, rng=2) == ours
        assert misranking_rate(lambda c: c[1, 1] / c[:, 1].sum(), draws=3000, rng=2) == ours

    def test_ties_and_undefined_values_count_as_misranked(self) -> None:
        assert misranking_rate(lambda c: 1.0, draws=100, rng=0) == 1
        assert misranking_rate(lambda c: math.nan, draws=100, rng=0) == 1

    def test_direction(self) -> None:
        right = misranking_rate("accuracy", draws=5000, rng=0)
        assert misranking_rate("error_rate", draws=5000, rng=0) == right
        wrong_way = misranking_rate(lambda c: c[0, 0] + c[1, 1], draws=5000, rng=0,
                                    higher_is_better=False)  # fmt: skip
        assert wrong_way == pytest.approx(1 - right)

    def test_unknown_population(self) -> None:
        with pytest.raises(CostError, match="'uniform', 'gaussian'"):
            misranking_rate("f1", utilities="cauchy", draws=10)
        with pytest.raises(DataError, match="at least 1"):
            misranking_rate("f1", draws=0)


class TestPopulations:
    APP = Application(CostMatrix.binary(false_positive=1, false_negative=5), priors=[0.7, 0.3])

    def test_the_costs_themselves_never_misrank(self) -> None:
        for name in ("expected_cost", "net_benefit", "weighted_accuracy", "msu"):
            assert misranking_rate(name, utilities=self.APP, draws=5000, rng=0) < 0.001

    def test_fixed_costs(self) -> None:
        assert misranking_rate("recall", utilities=self.APP.costs, draws=5000, rng=0) > 0.1

    def test_samples_and_functions_of_costs(self) -> None:
        fixed = misranking_rate("f1", utilities=self.APP.costs, draws=20_000, rng=0)
        same = [self.APP.costs, self.APP.costs.values]
        sampled = misranking_rate("f1", utilities=same, draws=20_000, rng=0)
        drawn = misranking_rate(
            "f1", utilities=lambda rng, n: np.broadcast_to(self.APP.costs.values, (n, 2, 2)),
            draws=20_000, rng=0,
        )  # fmt: skip
        assert sampled == pytest.approx(fixed, abs=5 * fixed.standard_error)
        assert drawn == pytest.approx(fixed, abs=5 * fixed.standard_error)
        with pytest.raises(CostError, match=r"\(m, K, M\)"):
            misranking_rate("f1", utilities=[[1, 2]], draws=10)

    def test_uncertain_application(self) -> None:
        wide = UncertainApplication.binary(false_positive=1, false_negative=Between(0.2, 5),
                                           priors=[0.5, 0.5])  # fmt: skip
        narrow = UncertainApplication.binary(false_positive=1, false_negative=Between(0.99, 1.01),
                                             priors=[0.5, 0.5])  # fmt: skip
        rates = [misranking_rate("accuracy", utilities=app, draws=20_000, rng=0)
                 for app in (narrow, wide)]  # fmt: skip
        assert rates[0] < 0.01 < rates[1]

    def test_three_classes(self) -> None:
        costs = CostMatrix(1.0 - np.eye(3))
        assert misranking_rate("accuracy", utilities=costs, draws=3000, rng=0) < 0.001
        assert misranking_rate("mcc", utilities=costs, draws=3000, rng=0) > 0.02

    def test_own_tables_and_candidates(self) -> None:
        candidates = [ConfusionMatrix([[90, 10], [2, 8]]), ConfusionMatrix([[99, 1], [6, 4]])]
        # Costs 10 + 5 * 2 = 20 against 1 + 5 * 6 = 31 per 110 cases, accuracy 98 against 103.
        found = misranking_rate("accuracy", utilities=self.APP.costs, confusions=candidates,
                                draws=500, rng=0)  # fmt: skip
        assert found == 1
        assert misranking_rate("recall", utilities=self.APP.costs, confusions=candidates,
                               draws=500, rng=0) == 0  # fmt: skip
        others = [candidates[0], ConfusionMatrix([[1, 1], [1, 1]])]
        with pytest.raises(DataError, match="same data"):
            misranking_rate("f1", utilities=self.APP.costs, confusions=others, draws=10)
        with pytest.raises(DataError, match="at least two"):
            misranking_rate("f1", utilities=self.APP.costs, draws=10, confusions=candidates[:1])

        def drawn(rng, n):
            return kernels.random_tables(n, 2, 2, rng, None)

        own = misranking_rate("accuracy", confusions=drawn, draws=20_000, rng=0)
        assert 100 * own == pytest.approx(PUBLISHED["accuracy"][0], abs=1)


class TestKernels:
    def test_utilities_span_zero_to_one_and_reward_no_error(self) -> None:
        rng = np.random.default_rng(0)
        for draw in (kernels.uniform_utilities, kernels.truncated_normal_utilities):
            table = draw(2000, rng)
            assert (table.min(axis=(1, 2)) == 0).all()
            assert (table.max(axis=(1, 2)) == 1).all()
            assert (table[:, 0, 0] >= table[:, 0, 1]).all()
            assert (table[:, 1, 1] >= table[:, 1, 0]).all()

    def test_disturbed_utilities_are_normal_given_the_bounds(self) -> None:
        # The same law by plain rejection of whole matrices.
        rng = np.random.default_rng(0)
        true = np.broadcast_to([[0.9, 0.2], [0.4, 1.0]], (40_000, 2, 2)).copy()
        found = kernels.disturbed(true, 0.3, rng)
        trial = true[0] + rng.normal(0, 0.3, size=(400_000, 2, 2))
        fine = ((trial >= 0) & (trial <= 1)).all(axis=(1, 2))
        fine &= (trial[:, 0, 0] >= trial[:, 0, 1]) & (trial[:, 1, 1] >= trial[:, 1, 0])
        expected = trial[fine]
        np.testing.assert_allclose(found.mean(axis=0), expected.mean(axis=0), atol=0.01)
        np.testing.assert_allclose(found.std(axis=0), expected.std(axis=0), atol=0.01)

    def test_tables_have_the_rates_of_the_paper(self) -> None:
        first, second = kernels.random_tables(50_000, 2, 2, np.random.default_rng(0), None)
        rates = first / first.sum(axis=2, keepdims=True)
        # Median 0.85, quartiles 0.75 and 0.93: 0.5 + 0.5 sqrt(q).
        for q in (0.25, 0.5, 0.75):
            assert np.quantile(rates[:, 1, 1], q) == pytest.approx(0.5 + 0.5 * q**0.5, abs=0.005)
        np.testing.assert_allclose(first.sum(axis=2), second.sum(axis=2))
        assert np.mean(first[:, 1].sum(axis=1)) == pytest.approx(0.5, abs=0.01)

    def test_misranked_needs_the_same_strict_sign(self) -> None:
        true = np.array([1.0, 1.0, -1.0, 0.0, 0.0, 1.0])
        other = np.array([2.0, -1.0, -3.0, 0.0, 1.0, np.nan])
        assert kernels.misranked(true, other).tolist() == [False, True, False, True, True, True]


def test_candidates_as_people_hold_them() -> None:
    tables = [[[8, 2], [1, 9]], [[9, 1], [3, 7]]]
    expected = misranking_rate(
        "f1", confusions=[ConfusionMatrix(table) for table in tables], draws=1000, rng=0
    )
    assert misranking_rate("f1", confusions=tables, draws=1000, rng=0) == expected
    named = dict(zip("ab", tables, strict=True))
    assert misranking_rate("f1", confusions=named, draws=1000, rng=0) == expected
    with pytest.raises(DataError, match="same classes"):
        misranking_rate("f1", confusions=[tables[0], np.eye(3)], draws=1000, rng=0)


@pytest.mark.parametrize("n", [1e3, "10", 0])
def test_numbers_of_pairs_that_are_none(n) -> None:
    with pytest.raises(DataError, match="whole number, at least 1"):
        misranking_rate("f1", draws=n, rng=0)
