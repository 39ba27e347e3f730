"""A target sensitivity as costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stakes import Application, CostMatrix, ScoreCounts, metrics
from stakes.exceptions import DataError


def calibrated(n: int = 20_000, prior: float = 0.2) -> ScoreCounts:
    """Two Gaussians a unit apart with variance 1/2: the LLR of x is 2 x - 1."""
    rng = np.random.default_rng(5)
    y = (rng.random(n) < prior).astype(int)
    x = rng.normal(y, math.sqrt(0.5))
    return ScoreCounts.from_scores(y, 2 * x - 1, kind="llr")


@pytest.mark.parametrize("target", [0.5, 0.8, 0.95])
def test_costs_within_the_interval_bring_about_the_sensitivity(target: float) -> None:
    scores = calibrated()
    implied = metrics.costs_of_sensitivity(scores, target)
    low, high = implied.miss_cost
    costs = CostMatrix.binary(false_positive=1, false_negative=math.sqrt(low * high))
    best = metrics.at_min_cost(scores, Application(costs, priors=scores.priors))
    assert 1 - best.false_negative_rate == pytest.approx(1 - implied.point.false_negative_rate)
    assert 1 - best.false_negative_rate >= target - 1e-9


@pytest.mark.parametrize("target", [0.5, 0.8, 0.95])
def test_hull_and_bayes_agree_on_calibrated_scores(target: float) -> None:
    scores = calibrated(200_000)
    by_hull = metrics.costs_of_sensitivity(scores, target)
    by_bayes = metrics.costs_of_sensitivity(scores, target, method="bayes")
    assert math.log(math.sqrt(by_hull.alpha[0] * by_hull.alpha[1])) == pytest.approx(
        math.log(by_bayes.alpha[0]), abs=0.15
    )
    threshold = by_bayes.point.threshold
    assert by_bayes.alpha[0] == pytest.approx(math.exp(threshold))
    odds = scores.priors[1] / scores.priors[0]
    assert by_bayes.false_alarm_cost[0] == pytest.approx(math.exp(threshold) * odds)


def test_bayes_alpha_does_not_depend_on_how_the_scores_are_written() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 500)
    log_odds = rng.normal(2 * y - 1, 1.0) + math.log(0.3 / 0.7)
    as_odds = ScoreCounts.from_scores(y, log_odds, kind="log_odds", from_priors=0.3)
    as_llr = ScoreCounts.from_scores(y, log_odds - math.log(0.3 / 0.7), kind="llr")
    alphas = [
        metrics.costs_of_sensitivity(scores, 0.9, method="bayes").alpha[0]
        for scores in (as_odds, as_llr)
    ]
    assert alphas[0] == pytest.approx(alphas[1])


def test_full_sensitivity_puts_no_lower_bound_on_a_false_alarm() -> None:
    implied = metrics.costs_of_sensitivity(
        ScoreCounts.from_scores([0, 1, 0, 1], [0.0, 1.0, 2.0, 3.0], kind="rank"), 1.0
    )
    assert implied.point.false_negative_rate == 0
    assert implied.miss_cost[1] == math.inf


def test_unknown_method() -> None:
    with pytest.raises(DataError, match="`method` must be one of 'hull', 'bayes'"):
        metrics.costs_of_sensitivity(calibrated(100), 0.5, method="guess")
