"""Numbers that are none: nan, infinite and complex ones are refused, not lost."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import (
    Application,
    CaseCosts,
    ConfusionMatrix,
    CostMatrix,
    PairedCounts,
    Posteriors,
    ScoreBins,
    ScoreCounts,
    audit,
    curves,
    elicitation,
    metrics,
    posteriors,
    uncertainty,
)
from stakes.application import Alternatives, DirichletShares, Samples, UncertainApplication
from stakes.exceptions import DataError, StakesError
from stakes.summaries import score_edges

NAN, INF = float("nan"), float("inf")
SCORES = ScoreCounts.from_scores([0, 0, 1, 1], [-2.0, 0.5, 0.1, 3.0], kind="llr")
TABLE = ConfusionMatrix([[90, 10], [4, 16]])
CELLS = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
PAIR = PairedCounts(CELLS, [82, 6, 4, 2, 2, 4], ("a", "b"), (0, 1), (0, 1))
COSTS = [[0, 1], [10, 0]]
APP = Application(COSTS)

#: What is called with a number that is none.
WITH_NUMBERS = {
    "choice_regret, costs": lambda x: audit.choice_regret([0.5, 0.6], [1.0, x]),
    "misranking_by_error": lambda x: audit.misranking_by_error([x], draws=100, rng=0),
    "metric_cloud": lambda x: audit.metric_cloud(["f1"], class_totals=(10, x)),
    "Beta weight, alpha": lambda x: metrics.BetaWeight(x, 1.0),
    "Beta weight, beta": lambda x: metrics.BetaWeight.from_cost_ratios(1, 2, beta=x),
    "h_measure": lambda x: metrics.h_measure(SCORES, alpha=x, beta=2.0),
    "top_share": lambda x: metrics.top_share([1.0, x]),
    "a fixed parameter": lambda x: metrics.catalogue["f_beta"].fixed(beta=x),
    "f_beta_from_nec": lambda x: metrics.f_beta_from_nec(x, priors=0.1, decided=0.2),
    "mcc_from_nec": lambda x: metrics.mcc_from_nec(x, priors=0.1, decided=0.2),
    "nec_from_net_benefit": lambda x: metrics.nec_from_net_benefit(0.1, priors=x, threshold=0.2),
    "nec_from_likelihood_ratio": lambda x: metrics.nec_from_likelihood_ratio(
        2.0, false_positive_rate=x
    ),
    "power_curve": lambda x: uncertainty.power_curve(PAIR, APP, cases=[100, x]),
    "compare, margin": lambda x: uncertainty.compare(PAIR, APP, margin=x, rng=0),
    "compare_across, margin": lambda x: uncertainty.compare_across(
        {"a": TABLE, "b": TABLE}, APP, margin=x, rng=0
    ),
    "rate_interval": lambda x: uncertainty.rate_interval(3, x),
    "cases_needed": lambda x: uncertainty.cases_needed(TABLE, APP, width=x),
    "best_by_log_odds": lambda x: uncertainty.best_by_log_odds(PAIR, [x], rng=0),
    "steps of estimate_priors": lambda x: posteriors.estimate_priors(
        [0.9, 0.2], [0.5, 0.5], tolerance=x
    ),
    "MatrixElicitation": lambda x: elicitation.MatrixElicitation(["a", "b", "c"], limit=x),
    "switch_points": lambda x: curves.switch_points({"a": SCORES}, tolerance=x),
}

#: Where infinity is an answer, or an end; nan is not.
WITH_NAN = {
    "choice_regret, values": lambda x: audit.choice_regret([0.5, x], [1.0, 2.0]),
    "at_threshold": lambda x: metrics.at_threshold(SCORES, x),
    "at_threshold of bins": lambda x: metrics.at_threshold(SCORES.binned([0.0]), x),
    "counts_above": SCORES.counts_above,
    "Beta weight, low": lambda x: metrics.BetaWeight(1, 1, x),
    "thresholds of scores": lambda x: PairedCounts.from_scores(
        [0, 1], {"a": [0.1, 0.2]}, thresholds=[x]
    ),
    "band": lambda x: uncertainty.band(SCORES, "bayes_error", at=[x], rng=0),
    "min_cases": lambda x: uncertainty.interval(
        TABLE, "expected_cost", application=APP, min_cases=x
    ),
    "a statement": lambda x: elicitation.Statement(x, 3.0, "said", "route"),
}

HALF = np.array([0.5 + 1j, 0.5 + 0j])
#: Where an array enters; the imaginary part was dropped.
WITH_COMPLEX = {
    "priors of an application": lambda: Application(COSTS, priors=HALF),
    "priors as a mapping": lambda: Application(COSTS, priors=dict(enumerate(HALF))),
    "inverse priors": lambda: CostMatrix.inverse_prior(HALF),
    "with_priors": lambda: TABLE.with_priors(HALF),
    "from_llrs": lambda: Posteriors.from_llrs([0.1], priors=HALF),
    "estimate_priors": lambda: posteriors.estimate_priors([0.2, 0.9], HALF),
    "costs": lambda: CostMatrix(np.array(COSTS) + 1j),
    "counts": lambda: ConfusionMatrix(np.array([[1, 2], [3, 4]]) + 1j),
    "joint counts": lambda: PairedCounts([[0, 0]], np.array([1 + 1j]), ("a",), (0, 1), (0, 1)),
    "joint cells": lambda: PairedCounts(np.array([[0, 1j]]), [1], ("a",), (0, 1), (0, 1)),
    "counts of scores": lambda: ScoreCounts(np.zeros(1), np.ones(1), np.array([1j])),
    "scores": lambda: ScoreCounts.from_scores([0, 1], np.array([1j, 2]), kind="llr"),
    "weights": lambda: ScoreCounts.from_scores(
        [0, 1], [1.0, 2.0], kind="llr", sample_weight=np.array([1j, 1])
    ),
    "posteriors": lambda: Posteriors(np.array([0.2 + 1j])),
    "edges": lambda: ScoreBins.from_scores([0, 1], [0.0, 1.0], edges=HALF[:1], kind="llr"),
    "thresholds of edges": lambda: score_edges(thresholds=HALF),
    "costs per case": lambda: CaseCosts(np.zeros((1, 2, 2)) + 1j),
    "binary costs per case": lambda: CaseCosts.binary(false_positive=HALF, false_negative=1.0),
    "sampled costs": lambda: UncertainApplication.from_samples(np.zeros((2, 2, 2)) + 1j),
    "samples": lambda: Samples(HALF),
    "alternatives": lambda: Alternatives(HALF),
    "concentration": lambda: DirichletShares(HALF),
    "values": lambda: audit.choice_regret(HALF, [1.0, 2.0]),
    "ranks": lambda: audit.rank_correlations(np.arange(3) * 1j, np.arange(3)),
    "grid": lambda: curves.bayes_error(SCORES, HALF),
    "shares": lambda: metrics.matched_beta(HALF),
    "tables": lambda: metrics.catalogue["accuracy"].values(np.ones((2, 2)) * 1j),
}


@pytest.mark.parametrize("value", [NAN, INF, -INF])
@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_not_finite(name: str, value: float) -> None:
    with pytest.raises(StakesError):
        WITH_NUMBERS[name](value)


@pytest.mark.parametrize("value", [None, 1j, "high", [0.1, 0.2]])
def test_a_threshold_is_one_number(value: object) -> None:
    with pytest.raises(DataError, match="`threshold` must be a number; got"):
        metrics.at_threshold(SCORES, value)


@pytest.mark.parametrize("name", WITH_NAN)
def test_not_a_number(name: str) -> None:
    with pytest.raises(StakesError):
        WITH_NAN[name](NAN)


@pytest.mark.parametrize("name", WITH_COMPLEX)
def test_complex(name: str) -> None:
    with pytest.raises(StakesError):
        WITH_COMPLEX[name]()


def test_a_large_error_makes_utilities_uniform() -> None:
    """Utilities that say nothing misrank as often as those drawn anew, whatever they were."""
    one, other = (
        audit.misranking_by_error([sd], draws=40_000, rng=0).rates[0] for sd in (50, 1e300)
    )
    assert one == pytest.approx(other, abs=0.02)
