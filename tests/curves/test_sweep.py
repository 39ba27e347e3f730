"""Metrics against the threshold: one confusion matrix at a time, and two published figures."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force_scores import finite_samples
from hypothesis import given
from scipy.stats import multivariate_normal

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts, curves, metrics
from stakes.exceptions import DataError


def ferrer_scores(variance):
    """ferrer2025 appendix B: two Gaussian classes, means 0 and 1, P_1 = 0.8, N = 100 000."""
    np.random.seed(0)  # noqa: NPY002 - the published figures were drawn from this source
    x = [multivariate_normal(k, variance).rvs(n) for k, n in ((0, 80_000), (1, 20_000))]
    log_odds = (np.concatenate(x) - 0.5) / variance + np.log(0.2 / 0.8)
    return ScoreCounts.from_scores(np.repeat([0, 1], [80_000, 20_000]), log_odds, kind="log_odds")


class TestFerrer2025:
    grid = np.round(np.arange(-60, 41) * 0.1, 10)

    def test_figure_1(self):
        sc = ferrer_scores(0.20)
        costs = [CostMatrix([[0, 1], [c, 0]]) for c in (1, 4, 16)]
        sweep = curves.threshold_sweep(sc, self.grid, metrics=["f1", "mcc", *costs])
        assert sweep.best("f1").threshold == pytest.approx(-0.60)
        assert round(sweep.best("f1").implied_cost, 2) == 1.82
        assert sweep.best("mcc").threshold == pytest.approx(-0.30)
        assert round(sweep.best("mcc").implied_cost, 2) == 1.35
        # Fourth plot: the Bayes threshold log(1 / c) is where each cost is least.
        for c in (1, 4, 16):
            assert sweep.best(f"NEC({c})").threshold == pytest.approx(-np.log(c), abs=0.15)

    def test_figure_2_easier_data(self):
        # The text says variance 0.06, appendix B says 0.05; 0.06 gives the printed cost.
        sweep = curves.threshold_sweep(ferrer_scores(0.06), self.grid, metrics=["f1"])
        assert round(sweep.best("f1").implied_cost, 2) == 1.00

    def test_balanced_cost_is_the_sum_of_both_rates(self):
        # Figure 1: with P_1 = 0.8 the cost with c = 4 is R_12 + R_21 (eq 4).
        sc = ferrer_scores(0.20)
        sweep = curves.threshold_sweep(sc, [-1.0, 0.5], metrics=[CostMatrix([[0, 1], [4, 0]])])
        for t, value in zip(sweep.threshold, sweep.values["NEC(4)"], strict=True):
            point = metrics.at_threshold(sc, t)
            both = point.false_positive_rate + point.false_negative_rate
            assert value == pytest.approx(both)


class TestThresholdSweep:
    @given(finite_samples)
    def test_against_one_matrix_at_a_time(self, sample):
        y, s, w = sample
        sc = ScoreCounts.from_scores(y, s, kind="llr", sample_weight=w)
        app = Application([[0, 1], [3, 0]], priors=[0.6, 0.4])
        sweep = curves.threshold_sweep(sc, metrics=["mcc", "f_beta:beta=2", app])
        for k, t in enumerate(sweep.threshold):
            acted = np.ones_like(y) if np.isneginf(t) else (s > t).astype(int)
            cm = ConfusionMatrix.from_decisions(
                y, acted, classes=[0, 1], decision_names=[0, 1], sample_weight=w
            )
            for name, value in (
                ("mcc", metrics.mcc(cm)),
                ("f_beta:beta=2", metrics.catalogue["f_beta"](cm, beta=2)),
                ("NEC(3)", metrics.normalized_expected_cost(cm, application=app)),
            ):
                assert sweep.values[name][k] == pytest.approx(value, nan_ok=True)
            assert sweep.acted_on[k] == pytest.approx(w[acted == 1].sum() / w.sum())

    def test_best_of_a_cost_is_the_minimum_cost(self):
        sc = ScoreCounts.from_scores([0, 0, 1, 1, 0], [0.1, 0.6, 0.4, 0.9, 0.5], kind="posterior")
        app = Application([[0, 1], [3, 0]])
        best = curves.threshold_sweep(sc, metrics=[app]).best("NEC(3)")
        assert best.value == pytest.approx(metrics.min_cost(sc, app, normalized=True))

    def test_metrics_that_need_costs_get_them(self):
        sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], kind="posterior")
        app = Application([[0, 1], [3, 0]])
        sweep = curves.threshold_sweep(sc, [0.25], metrics=["expected_cost"], application=app)
        assert sweep.values["expected_cost"][0] == pytest.approx(metrics.actual_cost(sc, app))

    def test_ranks_imply_no_cost(self):
        sc = ScoreCounts.from_scores([0, 0, 1, 1], [1, 3, 2, 4], kind="rank")
        assert np.isnan(curves.threshold_sweep(sc, metrics=["f1"]).best("f1").implied_cost)

    def test_unknown_metrics_are_refused(self):
        sc = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="rank")
        with pytest.raises(DataError, match="no metric 'ff1'"):
            curves.threshold_sweep(sc, metrics=["ff1"])
        with pytest.raises(DataError, match="no metric 'mcc' here"):
            curves.threshold_sweep(sc, metrics=["f1"]).best("mcc")
