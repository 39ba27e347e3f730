from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, ks_2samp

from stakes import Application, ConfusionMatrix, CostTally, GroupedCounts, ScoreCounts
from stakes.application import CaseCosts
from stakes.exceptions import DataError
from stakes.metrics import catalogue, expected_cost, normalized_expected_cost
from stakes.uncertainty import interval

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
CM = ConfusionMatrix([[900, 60], [12, 108]])
METHODS = ["score", "normal", "percentile", "bca", "studentized", "posterior"]


class TestCosts:
    @pytest.mark.parametrize("metric", ["expected_cost", "normalized_expected_cost"])
    @pytest.mark.parametrize("app", [APP, Application([[0, 1], [10, 0]])], ids=["given", "data"])
    @pytest.mark.parametrize("method", METHODS)
    def test_methods_agree_on_many_cases(self, metric: str, app: Application, method: str) -> None:
        many = ConfusionMatrix(CM.counts * 200)
        found = interval(many, metric, application=app, method=method, rng=0)
        value = catalogue[metric](many, application=app)
        reference = interval(many, metric, application=app, method="normal")
        assert found.value == pytest.approx(value)
        width = reference.high - reference.low
        assert found.limits == pytest.approx(reference.limits, abs=0.12 * width)

    def test_normal_interval_against_the_closed_form(self) -> None:
        r0, r1 = 60 / 960, 12 / 120
        variance = 0.9**2 * r0 * (1 - r0) / 960 + (0.1 * 10) ** 2 * r1 * (1 - r1) / 120
        value = 0.9 * r0 + 0.1 * 10 * r1
        found = interval(CM, application=APP, method="normal")
        reach = 1.959964 * np.sqrt(variance)
        assert found.limits == pytest.approx((value - reach, value + reach), rel=1e-6)

    @pytest.mark.parametrize("scipy_method", ["percentile", "BCa"])
    def test_against_scipy_bootstrap_of_rows(self, scipy_method: str) -> None:
        cm = ConfusionMatrix([[180, 20], [9, 41]])
        costs = np.repeat([0.0, 1.0, 10.0, 0.0], cm.counts.ravel())
        theirs = bootstrap((costs,), np.mean, n_resamples=6000, method=scipy_method, random_state=0)
        ours = interval(
            cm,
            application=Application([[0, 1], [10, 0]]),
            method=scipy_method.lower(),
            draws=6000,
            rng=0,
        )
        ends = theirs.confidence_interval
        assert ours.limits == pytest.approx((ends.low, ends.high), rel=0.03)
        assert ours.replicates is not None
        drawn = ours.replicates.values
        assert ks_2samp(drawn.round(9), theirs.bootstrap_distribution.round(9)).pvalue > 0.01

    def test_normalised_cost_redraws_its_divisor_when_priors_come_from_the_data(self) -> None:
        app, rng = Application([[0, 1], [10, 0]]), np.random.default_rng(0)
        cm = ConfusionMatrix([[180, 20], [9, 41]])
        rows = np.repeat(np.arange(4), cm.counts.ravel())
        theirs = []
        for _ in range(1500):
            counts = np.bincount(rng.choice(rows, rows.size), minlength=4).reshape(2, 2)
            theirs.append(normalized_expected_cost(ConfusionMatrix(counts), application=app))
        ours = interval(cm, "nec", application=app, method="percentile", rng=0)
        assert ours.replicates is not None
        assert ks_2samp(ours.replicates.values.round(9), np.round(theirs, 9)).pvalue > 0.01

    @given(st.floats(0.01, 1000.0))
    def test_scaling_the_costs_scales_the_interval(self, factor: float) -> None:
        scaled = APP.with_costs(APP.costs.scaled(factor))
        found, plain = interval(CM, application=scaled), interval(CM, application=APP)
        assert found.limits == pytest.approx((factor * plain.low, factor * plain.high), rel=1e-6)

    def test_several_applications_are_averaged(self) -> None:
        cheap, dear = (Application([[0, 1], [c, 0]], priors=[0.9, 0.1]) for c in (5, 15))
        found = interval(CM, application=[cheap, dear], weights=[0.5, 0.5])
        assert found.limits == pytest.approx(interval(CM, application=APP).limits)

    def test_class_that_costs_nothing_need_not_occur(self) -> None:
        cm = ConfusionMatrix([[80, 20], [0, 0]])
        app = Application([[0, 1], [3, 3]], priors=[0.5, 0.5])
        found = interval(cm, application=app)
        assert found.value == pytest.approx(expected_cost(cm, application=app))
        assert found.low < found.value < found.high

    def test_three_classes_and_an_extra_decision(self) -> None:
        counts = [[50, 2, 1, 7], [3, 60, 2, 5], [1, 1, 30, 8]]
        costs = [[0, 1, 5, 0.5], [1, 0, 5, 0.5], [9, 9, 0, 0.5]]
        app = Application(costs)
        cm = ConfusionMatrix(counts, decisions=[0, 1, 2, 3], classes=[0, 1, 2])
        ends = [
            interval(cm, application=app, method=m, rng=0).limits for m in ("score", "posterior")
        ]
        assert ends[0] == pytest.approx(ends[1], rel=0.25)


class TestFewCases:
    def test_below_ten_cases_there_is_no_interval(self) -> None:
        found = interval(ConfusionMatrix([[90, 5], [2, 5]]), application=APP)
        assert found.too_few
        assert np.isnan(found.limits).all()
        assert "7 cases of 1" in found.notes[0]
        assert "too few" in str(found)

    def test_the_bound_can_be_overridden(self) -> None:
        found = interval(ConfusionMatrix([[90, 5], [2, 5]]), application=APP, min_cases=5)
        assert found.low < found.value < found.high
        assert found.notes == ("few: only 7 cases of 1",)

    def test_a_class_without_prior_does_not_matter(self) -> None:
        app = Application([[0, 1], [10, 0]], priors=[1.0, 0.0])
        assert not interval(ConfusionMatrix([[90, 15], [2, 1]]), application=app).too_few

    def test_a_hundred_of_each_need_no_note(self) -> None:
        assert interval(CM, application=APP).notes == ()


class TestReuse:
    def test_more_replicates_begin_with_the_same(self) -> None:
        first = interval(CM, "mcc", draws=700, rng=3)
        grown, whole = first.more(900), interval(CM, "mcc", draws=1600, rng=3)
        assert first.replicates is not None
        assert grown.replicates is not None
        assert whole.replicates is not None
        assert np.array_equal(grown.replicates.values, whole.replicates.values)
        assert np.array_equal(grown.replicates.values[:700], first.replicates.values)
        assert grown.limits == whole.limits

    def test_another_level_uses_the_same_replicates(self) -> None:
        wide = interval(CM, "f1", rng=0)
        narrow = wide.at(0.5)
        assert wide.low < narrow.low < narrow.high < wide.high
        assert narrow.replicates is wide.replicates

    def test_same_seed_same_interval(self) -> None:
        assert interval(CM, "mcc", rng=1).limits == interval(CM, "mcc", rng=1).limits
        assert interval(CM, "mcc", rng=1).limits != interval(CM, "mcc", rng=2).limits

    def test_analytic_interval_has_nothing_to_add_to(self) -> None:
        with pytest.raises(DataError, match="no replicates"):
            interval(CM, application=APP).more(10)


class TestOtherMetrics:
    @pytest.mark.parametrize("metric", ["mcc", "f1", "accuracy", "balanced_accuracy"])
    def test_catalogue_metrics(self, metric: str) -> None:
        found = interval(CM, metric, rng=0)
        assert found.value == pytest.approx(catalogue[metric](CM))
        assert found.low < found.value < found.high

    def test_no_error_at_all_still_leaves_room(self) -> None:
        found = interval(ConfusionMatrix([[80, 0], [0, 40]]), "accuracy", rng=0)
        assert found.method == "posterior"
        assert 0.9 < found.low < found.high <= 1.0

    def test_any_function_of_the_summary(self) -> None:
        found = interval(CM, lambda cm: float(cm.rates[1, 1]), draws=500, rng=0)
        assert found.low < 0.9 < found.high

    def test_accuracy_against_wilson_on_many_cases(self) -> None:
        from stakes.uncertainty import rate_interval

        many = ConfusionMatrix(CM.counts * 50)
        right = float(np.trace(many.counts))
        expected = rate_interval(right, many.total).limits
        assert interval(many, "accuracy", rng=0).limits == pytest.approx(expected, abs=3e-4)


class TestGroups:
    def test_groups_of_one_are_the_plain_interval(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 400)
        d = np.where(rng.random(400) < 0.2, 1 - y, y)
        plain = interval(ConfusionMatrix.from_decisions(y, d), application=APP, method="normal")
        found = interval(
            GroupedCounts.from_decisions(y, d, groups=np.arange(400)), application=APP, rng=0
        )
        assert found.limits == pytest.approx(plain.limits, rel=0.08)

    def test_repeating_every_case_does_not_make_it_surer(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 200)
        d = np.where(rng.random(200) < 0.2, 1 - y, y)
        groups = np.arange(200)
        once = GroupedCounts.from_decisions(y, d, groups=groups)
        tenfold = GroupedCounts.from_decisions(
            *(np.repeat(x, 10) for x in (y, d)), groups=np.repeat(groups, 10)
        )
        widths = [np.ptp(interval(g, application=APP, rng=0).limits) for g in (once, tenfold)]
        assert widths[1] == pytest.approx(widths[0], rel=0.05)

    def test_crossed_groups_are_wider_than_one_side(self) -> None:
        rng = np.random.default_rng(0)
        left, right = np.repeat(np.arange(30), 30), np.tile(np.arange(30), 30)
        effect = rng.normal(size=30)[left] + rng.normal(size=30)[right]
        y = rng.integers(0, 2, 900)
        d = np.where(effect + rng.normal(size=900) > 1.0, 1 - y, y)
        one = GroupedCounts.from_decisions(y, d, groups=left)
        both = GroupedCounts.from_decisions(y, d, groups=(left, right))
        widths = [np.ptp(interval(g, application=APP, rng=0).limits) for g in (one, both)]
        assert widths[1] > 1.15 * widths[0]

    def test_few_groups_are_refused(self) -> None:
        gc = GroupedCounts.from_decisions([0, 1] * 20, [0, 1] * 20, groups=["a", "b"] * 20)
        assert interval(gc, application=APP, rng=0).too_few


class TestTally:
    def test_against_the_one_sample_t_interval(self) -> None:
        from scipy.stats import t

        rng = np.random.default_rng(0)
        costs = rng.exponential(size=40)
        found = interval(CostTally.from_costs(np.zeros(40, int), costs))
        reach = t.ppf(0.975, 39) * costs.std(ddof=1) / np.sqrt(40)
        assert found.limits == pytest.approx((costs.mean() - reach, costs.mean() + reach))

    def test_priors_weight_the_classes(self) -> None:
        rng = np.random.default_rng(0)
        y, costs = np.arange(100) % 2, rng.normal(size=100)
        app = Application([[0, 1], [1, 0]], priors=[0.9, 0.1])
        found = interval(CostTally.from_costs(y, costs), application=app)
        assert found.value == pytest.approx(0.9 * costs[::2].mean() + 0.1 * costs[1::2].mean())

    def test_few_large_costs_are_pointed_out(self) -> None:
        costs = np.concatenate([np.ones(99), [1e6]])
        found = interval(CostTally.from_costs(np.zeros(100, int), costs))
        assert any("a few cases carry most of the cost" in note for note in found.notes)

    def test_unequal_amounts_of_a_decision_are_pointed_out(self) -> None:
        rng = np.random.default_rng(0)
        y, d = np.repeat([0, 1], 500), rng.integers(0, 2, 1000)
        for amount, flagged in (
            (rng.lognormal(0, 2, 1000), True),
            (rng.exponential(size=1000), False),
        ):
            costs = CaseCosts.binary(false_negative=amount, false_positive=1.0)
            found = interval(CostTally.from_decisions(y, d, costs=costs))
            assert any("in cases of 1 are so unequal" in note for note in found.notes) == flagged


def test_weights_are_refused_with_a_way_out() -> None:
    cm = ConfusionMatrix([[90.5, 10.0], [3.0, 40.0]])
    with pytest.raises(DataError, match="weights") as caught:
        interval(cm, application=APP)
    assert "GroupedCounts" in str(caught.value.hint)
    assert "weighted_interval(y_true, decisions, sample_weight=...)" in str(caught.value.hint)


def test_groups_with_few_cases_of_a_class_are_refused() -> None:
    y = [0] * 50 + [1] * 7
    gc = GroupedCounts.from_decisions(y, y, groups=range(57))
    found = interval(gc, application=APP, rng=0)
    assert found.too_few
    assert "7 cases of 1" in found.notes[0]


def test_wrong_method_lists_the_right_ones() -> None:
    with pytest.raises(DataError, match="score, normal"):
        interval(CM, application=APP, method="magic")


def test_cost_without_application_says_so() -> None:
    with pytest.raises(DataError, match="needs costs"):
        interval(CM, "expected_cost")


def test_rows_are_not_a_summary() -> None:
    with pytest.raises(DataError, match="ConfusionMatrix"):
        interval([0, 1, 1], "accuracy")


def test_level_must_be_a_share() -> None:
    with pytest.raises(DataError, match="level"):
        interval(CM, application=APP, level=95)


def test_scores_and_their_cut_give_the_same_cost_interval() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(500) % 4 == 0
    llrs = rng.normal(np.where(y, 2.0, -2.0), 2.0)
    sc = ScoreCounts.from_scores(y, llrs, kind="llr")
    cm = ConfusionMatrix.from_decisions(y.astype(int), (llrs > APP.llr_threshold).astype(int))
    found = interval(sc, "actual_cost", application=APP)
    assert found.limits == pytest.approx(interval(cm, application=APP).limits)
