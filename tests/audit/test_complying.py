"""Which metrics rank as an expected cost does, and proof where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import Application, metrics
from stakes.audit import compliance
from stakes.metrics import catalogue

APP = Application([[0, 1], [5, 0]])


def tp(c):
    return c[1, 1]


def shares(c):
    """tn, fp, fn, tp as shares of all cases."""
    return c[0, 0] / c.sum(), c[0, 1] / c.sum(), c[1, 0] / c.sum(), c[1, 1] / c.sum()


# Functions of one's own that rank as a cost matrix does, with the price of a miss.
def weighted_hits(c):
    return c[0, 0] + 3 * c[1, 1]


def money(c):
    return -(2 * c[0, 1] + 7 * c[1, 0]) / c.sum()


def exponential_of_a_cost(c):
    return math.exp(-5 * (c[0, 1] + 4 * c[1, 0]) / c.sum())


def high_power_of_accuracy(c):
    return ((c[0, 0] + c[1, 1]) / c.sum()) ** 50


def cube_with_a_flat_point(c):
    return ((c[0, 0] + 2 * c[1, 1]) / c.sum() - 0.7) ** 3


def logarithm_of_recall(c):
    return math.log(c[1, 1] / c[1].sum())


def scale_and_shift_by_prevalence(c):
    p = c[1].sum() / c.sum()
    return p**2 * (c[0, 0] + 2 * c[1, 1]) / c.sum() + math.sin(9 * p)


def kinked_accuracy(c):
    a = (c[0, 0] + c[1, 1]) / c.sum()
    return a if a < 0.7 else 0.7 + 10 * (a - 0.7)


def single_precision(c):
    return np.float32((c[0, 0] + c[1, 1]) / c.sum())


def noisy_accuracy(c):
    return ((c[0, 0] + c[1, 1]) / c.sum() + 1e6) - 1e6


def smoothed_recall(c):
    return (c[1, 1] + 1) / (c[1].sum() + 2)


def whole_cases(c):
    return int(c[0, 0]) + int(c[1, 1])


def undefined_below_a_half(c):
    a = (c[0, 0] + c[1, 1]) / c.sum()
    return a if a > 0.5 else math.nan


COMPLIANT = [
    (weighted_hits, 3.0), (money, 3.5), (exponential_of_a_cost, 4.0),
    (high_power_of_accuracy, 1.0), (cube_with_a_flat_point, 2.0),
    (logarithm_of_recall, math.inf), (scale_and_shift_by_prevalence, 2.0),
    (kinked_accuracy, 1.0), (single_precision, 1.0), (noisy_accuracy, 1.0),
    (smoothed_recall, math.inf), (whole_cases, 1.0), (undefined_below_a_half, 1.0),
]  # fmt: skip


# Functions of one's own that do not.
def nearly_linear(c):
    return (c[0, 0] + c[1, 1]) / c.sum() + 1e-3 * (c[1, 1] / c[1].sum()) ** 2


def smaller_rate(c):
    return min(c[0, 0] / c[0].sum(), c[1, 1] / c[1].sum())


def larger_rate(c):
    return max(c[0, 0] / c[0].sum(), c[1, 1] / c[1].sum())


def two_prices(c):
    tn, _, _, hit = shares(c)
    return min(tn + 2 * hit, 0.3 + tn + hit)


def product(c):
    tn, _, _, hit = shares(c)
    return tn * hit


def distance_from_chance(c):
    return abs((c[0, 0] + c[1, 1]) / c.sum() - 0.5)


def smoothed_precision(c):
    return (c[1, 1] + 1) / (c[:, 1].sum() + 2)


def hits_per_alarm(c):
    return c[1, 1] / (c[0, 1] + c[1, 0])


def price_by_prevalence(c):
    return c[0, 0] + (1 + c[1].sum() / c.sum()) * c[1, 1]


def price_barely_by_prevalence(c):
    return c[0, 0] + (1 + 1e-3 * c[1].sum() / c.sum()) * c[1, 1]


def mean_of_rates(c):
    return c[0, 0] / c[0].sum() + c[1, 1] / c[1].sum()


def rounded_f1(c):
    return round(2 * c[1, 1] / (2 * c[1, 1] + c[0, 1] + c[1, 0]), 2)


def constant(c):
    return 0.5


def never_defined(c):
    return math.nan


def always_dividing_by_zero(c):
    return 1 / 0


def rounded_accuracy(c):
    return round((c[0, 0] + c[1, 1]) / c.sum(), 1)


def passed(c):
    return (c[0, 0] + c[1, 1]) / c.sum() > 0.8


FAILING = [
    (nearly_linear, "curved"), (smaller_rate, "curved"), (larger_rate, "curved"),
(product, "curved"), (rounded_f1, "curved"),
    (distance_from_chance, "not parallel"), (smoothed_precision, "not parallel"),
    (hits_per_alarm, "not parallel"),
    (price_by_prevalence, "prevalence"), (price_barely_by_prevalence, "prevalence"),
    (mean_of_rates, "prevalence"),
    (constant, "constant"), (never_defined, "undefined"),
    (always_dividing_by_zero, "undefined"), (rounded_accuracy, "ties"), (passed, "ties"),
]  # fmt: skip


class TestDyrland2022Section33:
    @pytest.mark.parametrize(
        ("name", "price"), [("accuracy", 1.0), ("recall", math.inf), ("specificity", 0.0)]
    )
    def test_compliant(self, name: str, price: float) -> None:
        found = compliance(name)
        assert found.compliant
        assert found.failure is None
        assert found.miss_cost == price

    @pytest.mark.parametrize(
        ("name", "failure"),
        [
            ("precision", "not parallel"),
            ("f1", "not parallel"),
            ("f_beta:beta=2", "not parallel"),
            ("f_beta:beta=0.5", "not parallel"),
            ("mcc", "curved"),
            ("fowlkes_mallows", "curved"),
            ("balanced_accuracy", "prevalence"),
        ],
    )
    def test_not_compliant(self, name: str, failure: str) -> None:
        found = compliance(name)
        assert not found.compliant
        assert found.failure == failure

    def test_balanced_accuracy_has_the_price_of_the_inverse_prevalence(self) -> None:
        table = compliance("balanced_accuracy").frame()
        prior = table["prevalence"]
        np.testing.assert_allclose(table["miss_cost_low"], (1 - prior) / prior, rtol=1e-4)
        np.testing.assert_allclose(table["miss_cost_high"], (1 - prior) / prior, rtol=1e-4)


@pytest.mark.parametrize(("metric", "price"), COMPLIANT, ids=lambda v: getattr(v, "__name__", None))
def test_unseen_functions_that_comply(metric, price: float) -> None:
    found = compliance(metric)
    assert found.failure is None
    assert found.miss_cost == pytest.approx(price)


@pytest.mark.parametrize(("metric", "failure"), FAILING, ids=lambda v: getattr(v, "__name__", None))
def test_unseen_functions_that_fail(metric, failure: str) -> None:
    found = compliance(metric)
    assert not found.compliant
    assert found.failure == failure
    assert failure == "ties" or found.costs is None


def test_straight_pieces_with_a_kink_fail_either_way() -> None:
    assert compliance(two_prices).failure in ("curved", "not parallel")


@pytest.mark.parametrize("name", [metric.name for metric in catalogue.tables()])
def test_every_catalogued_metric_gets_the_verdict_that_algebra_gives(name: str) -> None:
    metric = catalogue[name].with_application(APP)
    if metric.missing:
        chosen = {"priors": 0.3, "beta": 2.0, "alpha": 3.0, "shares": [0.2, 0.4]}
        metric = metric.fixed(**{key: chosen[key] for key in metric.missing})
    linear_in_the_cells = {
        "accuracy", "error_rate", "micro_f1", "recall", "specificity", "false_positive_rate",
        "false_negative_rate", "net_benefit", "expected_cost", "normalized_expected_cost",
        "savings", "utility_yield", "total_classification_cost", "weighted_accuracy", "msu",
        "c_score", "beta_averaged_accuracy", "matched_beta_accuracy",
    }  # fmt: skip
    linear_in_the_rates = {
        "balanced_accuracy", "balanced_error_rate", "macro_recall", "informedness",
        "weighted_class_accuracy", "weighted_relative_accuracy", "detection_cost", "alpha_cost",
        "expected_weighted_accuracy",  # a mean over w of linear functions, its slope by P and N
    }  # fmt: skip
    failure = compliance(metric, application=APP).failure
    if name in linear_in_the_cells:
        assert failure is None
    elif name in linear_in_the_rates:
        assert failure == "prevalence"
    else:
        assert failure in ("curved", "not parallel")


class TestWitness:
    NAMES = (
        "precision", "f1", "mcc", "fowlkes_mallows", "balanced_accuracy", "kappa", "p4",
        "geometric_mean", "class_balance_accuracy", "diagnostic_odds_ratio",
        "accuracy_cost_distance", "weighted_class_accuracy",
    )  # fmt: skip

    def check(self, found, value) -> None:
        """Recompute: ranked strictly, same data within a pair, and the steps cancel."""
        witness = found.witness
        assert witness is not None
        assert 2 <= len(witness.pairs) <= 3
        assert (witness.weights >= 0).all()
        assert witness.weights.sum() == pytest.approx(1)
        for pair in witness.pairs:
            better, worse = pair.better.counts, pair.worse.counts
            np.testing.assert_allclose(better.sum(axis=1), worse.sum(axis=1), rtol=1e-12)
            assert value(better.astype(float)) > value(worse.astype(float))
        total = sum(w * pair.step for w, pair in zip(witness.weights, witness.pairs, strict=True))
        np.testing.assert_allclose(total, 0, atol=1e-9)
        rng = np.random.default_rng(0)
        for costs in rng.normal(size=(100, 2, 2)):  # no costs at all rank every pair so
            lowered = [-(costs * pair.step).sum() > 1e-12 for pair in witness.pairs]
            assert not all(lowered)

    @pytest.mark.parametrize("name", NAMES)
    def test_is_a_counterexample(self, name: str) -> None:
        metric = catalogue[name].with_application(APP)
        found = compliance(metric, application=APP)
        sign = 1 if metric.higher_is_better else -1
        self.check(found, lambda counts: sign * float(metric.values(counts)))

    @pytest.mark.parametrize("metric", [f for f, kind in FAILING
                                        if kind in ("curved", "not parallel", "prevalence")],
                             ids=lambda f: f.__name__)  # fmt: skip
    def test_of_unseen_functions_is_a_counterexample(self, metric) -> None:
        self.check(compliance(metric), metric)

    @pytest.mark.parametrize("name", NAMES[:8])
    def test_of_well_known_metrics_is_in_whole_cases(self, name: str) -> None:
        for pair in compliance(name).witness.pairs:
            assert pair.better.counts.dtype.kind == "i"
            assert pair.better.total == 1000

    def test_frame_has_one_row_per_pair(self) -> None:
        witness = compliance("f1").witness
        assert len(witness.frame()["weight"]) == len(witness.pairs)

    def test_tie_is_a_tie_that_the_costs_tell_apart(self) -> None:
        found = compliance(rounded_accuracy)
        better, worse = found.tie.better.counts, found.tie.worse.counts
        assert rounded_accuracy(better) == rounded_accuracy(worse)
        assert (found.costs.values * (better - worse)).sum() < 0


class TestManyClasses:
    COSTS = np.array([[0, 1, 2.0], [4, 0, 3], [7, 5, 0]])

    @pytest.mark.parametrize(
        ("name", "failure"),
        [("accuracy", None), ("balanced_accuracy", "prevalence"), ("mcc", "curved"),
         ("kappa", "not parallel"), ("macro_f1", "curved"), ("geometric_mean", "curved")],
    )  # fmt: skip
    def test_catalogued(self, name: str, failure: str | None) -> None:
        assert compliance(name, n_classes=3).failure == failure

    def test_costs_are_found_again(self) -> None:
        found = compliance(lambda c: -(self.COSTS * c).sum(), n_classes=3)
        assert found.compliant
        values = found.costs.values
        np.testing.assert_allclose(values / values.max(), self.COSTS / 7, atol=1e-4)

    def test_costs_of_a_metric_that_rewards_errors_are_negative(self) -> None:
        values = np.arange(9.0).reshape(3, 3)
        found = compliance(lambda c: -(c * values).sum(), n_classes=3)
        relative = values - np.diag(values)[:, None]  # 1 and 2 above the diagonal, below -1, -2
        np.testing.assert_array_equal(found.costs.values, relative / 2)
        wrong_way = compliance(lambda c: c.sum() - np.trace(c), n_classes=3)
        np.testing.assert_array_equal(wrong_way.costs.values, np.eye(3) - 1)

    def test_monotone_function_of_a_cost(self) -> None:
        found = compliance(lambda c: math.exp(-(self.COSTS * c).sum() / c.sum()), n_classes=3)
        assert found.compliant

    def test_one_price_that_hangs_on_the_class_shares(self) -> None:
        def metric(c):
            extra = np.zeros((3, 3))
            extra[2, 0] = c[1].sum() / c.sum()
            return -((self.COSTS + extra) * c).sum() / c.sum()

        assert compliance(metric, n_classes=3).failure == "prevalence"

    def test_interaction_of_two_cells(self) -> None:
        found = compliance(lambda c: -(self.COSTS * c).sum() / c.sum()
                           + (c[0, 0] * c[1, 1] / c.sum() ** 2), n_classes=3)  # fmt: skip
        assert found.failure in ("curved", "not parallel")

    def test_constant_and_undefined(self) -> None:
        assert compliance(lambda c: 1.0, n_classes=3).failure == "constant"
        assert compliance(lambda c: math.nan, n_classes=3).failure == "undefined"

    def test_witness_is_a_counterexample(self) -> None:
        witness = compliance("mcc", n_classes=3).witness
        for pair in witness.pairs:
            assert metrics.mcc(pair.better.counts) > metrics.mcc(pair.worse.counts)
            np.testing.assert_allclose(pair.better.class_totals, pair.worse.class_totals)
        assert witness.residual < 1e-12


class TestVerdict:
    def test_direction_of_a_function_of_ones_own(self) -> None:
        lower = compliance(lambda c: c[0, 1] + 4 * c[1, 0], higher_is_better=False)
        assert lower.miss_cost == pytest.approx(4)
        wrong_way = compliance(lambda c: c[0, 1] + 4 * c[1, 0])
        assert wrong_way.compliant
        assert "rewarded" in wrong_way.sentence

    def test_partly_undefined_metrics_say_so(self) -> None:
        found = compliance(undefined_below_a_half)
        assert 0 < found.undefined_share < 1
        assert "nan at" in found.sentence

    def test_functions_of_the_library_are_recognised(self) -> None:
        assert compliance(metrics.mcc).metric == "mcc"

    def test_the_answer_does_not_depend_on_the_tables_drawn(self) -> None:
        assert {compliance("f1", rng=seed).failure for seed in range(3)} == {"not parallel"}
        assert {compliance("accuracy", rng=seed).miss_cost for seed in range(3)} == {1.0}


def test_whole_cells_over_a_fractional_total() -> None:
    found = compliance(lambda c: (int(c[0, 0]) + int(c[1, 1])) / c.sum())
    assert found.compliant
    assert found.miss_cost == 1


def test_large_prices_are_written_without_powers_of_ten() -> None:
    assert (
        "a miss counts as 20000 false alarms"
        in compliance(lambda c: c[0, 0] + 20000 * c[1, 1]).sentence
    )
