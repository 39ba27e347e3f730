"""The best threshold of a metric, as in Ferrer 2025 section 4.1.1."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import ConfusionMatrix, ScoreCounts
from stakes.audit import best_threshold, implied_costs
from stakes.exceptions import UndefinedError


def two_gaussians(variance: float) -> ScoreCounts:
    """The data of Ferrer 2025, appendix B: 80,000 and 20,000 cases, class means 0 and 1."""
    from scipy.stats import multivariate_normal

    state = np.random.RandomState(0)  # the stream that the authors drew from
    sizes = 80_000, 20_000
    x = np.concatenate(
        [multivariate_normal(k, variance).rvs(size, random_state=state)
         for k, size in enumerate(sizes)]
    )  # fmt: skip
    log_odds = (x - 0.5) / variance + math.log(0.2 / 0.8)
    return ScoreCounts.from_scores(np.repeat([0, 1], sizes), log_odds, kind="log_odds")


class TestFerrer2025Section411:
    GRID = np.round(np.arange(-6, 6.05, 0.1), 10)

    @pytest.mark.parametrize(
        ("metric", "variance", "threshold", "published"),
        [("f1", 0.20, -0.60, 1.8), ("f1", 0.06, 0.0, 1.0), ("mcc", 0.20, -0.30, 1.35)],
    )
    def test_equivalent_cost(self, metric, variance, threshold, published) -> None:
        best = best_threshold(metric, two_gaussians(variance), thresholds=self.GRID)
        assert best.log_odds == pytest.approx(threshold)
        assert best.miss_cost == pytest.approx(published, abs=0.03)
        assert f"treats a miss as {best.miss_cost:.2g} false alarm" in best.sentence

    def test_exact_optimum_has_the_price_that_f1_implies_there(self) -> None:
        # At the maximum over thresholds of calibrated scores, the Bayes threshold is F1 / 2,
        # that is, a price of 2 / F1 - 1. The sampled maximum is flat, so only roughly.
        best = best_threshold("f1", two_gaussians(0.20))
        implied = implied_costs("f1", best.matrix)
        assert implied.miss_cost == pytest.approx(2 / best.value - 1, rel=1e-6)
        assert best.miss_cost == pytest.approx(implied.miss_cost, rel=0.2)


class TestBestThreshold:
    def test_is_the_best_of_all_cuts(self) -> None:
        rng = np.random.default_rng(0)
        y, s = rng.integers(0, 2, 80), rng.normal(size=80).round(1)
        best = best_threshold("mcc", ScoreCounts.from_scores(y, s, kind="rank"))
        from stakes.metrics import mcc

        values = [
            mcc(ConfusionMatrix.from_decisions(y, (s > t).astype(int), classes=[0, 1]))
            for t in np.unique(s)[:-1]
        ]
        assert best.value == pytest.approx(np.nanmax(values))
        assert math.isnan(best.log_odds)
        assert "best above the score" in best.sentence

    def test_kinds_of_scores_agree(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 400)
        llr = rng.normal(2 * y - 1, 1.2)
        prior = y.mean()
        odds = llr + math.log(prior / (1 - prior))
        found = [
            best_threshold("f1", ScoreCounts.from_scores(y, scores, kind=kind)).log_odds
            for scores, kind in ((llr, "llr"), (odds, "log_odds"), (1 / (1 + np.exp(-odds)),
                                                                    "posterior"))
        ]  # fmt: skip
        assert found[0] == pytest.approx(found[1])
        assert found[0] == pytest.approx(found[2], abs=1e-3)  # halfway in another scale

    def test_undefined_everywhere(self) -> None:
        scores = ScoreCounts.from_scores([0, 1], [0.1, 0.9], kind="posterior")
        with pytest.raises(UndefinedError, match="at every threshold"):
            best_threshold(lambda c: math.nan, scores)


def test_thresholds_beyond_every_price() -> None:
    low = ScoreCounts.from_scores([0, 0, 1, 1], [-900.0, -850.0, -800.0, -790.0], kind="log_odds")
    best = best_threshold("f1", low)
    assert best.miss_cost == math.inf
    assert best.sentence.endswith("counts only misses, if the probabilities are right.")
