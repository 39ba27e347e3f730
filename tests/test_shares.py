"""How class shares are read wherever `priors=` is a parameter: one number, a pair, or by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import ConfusionMatrix, ScoreCounts, audit, curves, elicitation, metrics
from stakes._checks import as_priors, positive_share
from stakes.application import target_weight
from stakes.exceptions import StakesError

SCORES = ScoreCounts.from_scores([0, 0, 1, 1, 1], [0.1, 0.6, 0.3, 0.8, 0.8], kind="posterior")
TABLE = ConfusionMatrix([[80, 10], [3, 7]])
RANKING = ["always", "never"]

#: One number out of each function that takes shares of two classes.
READERS = {
    "average_precision": lambda p: metrics.average_precision(SCORES, priors=p),
    "pr_auc": lambda p: metrics.pr_auc(SCORES, priors=p),
    "h_measure": lambda p: metrics.h_measure(SCORES, priors=p),
    "binary_cross_entropy": lambda p: metrics.binary_cross_entropy(SCORES, priors=p),
    "binary_brier_score": lambda p: metrics.binary_brier_score(SCORES, priors=p),
    "cost_over_applications": lambda p: metrics.cost_over_applications(SCORES, priors=p),
    "score_decomposition": lambda p: metrics.score_decomposition(SCORES, priors=p).total,
    "churn": lambda p: metrics.expected_max_profit_churn(SCORES, priors=p).value,
    "credit": lambda p: metrics.expected_max_profit_credit(SCORES, priors=p).value,
    "detection_cost": lambda p: metrics.detection_cost(TABLE, priors=p),
    "detection_cost in bulk": lambda p: (
        metrics.catalogue["detection_cost"].fixed(priors=p).values(TABLE.counts)
    ),
    "f_beta_from_nec": lambda p: metrics.f_beta_from_nec(0.5, priors=p, decided=0.2),
    "naive_f_beta": metrics.naive_f_beta,
    "mcc_from_nec": lambda p: metrics.mcc_from_nec(0.5, priors=p, decided=0.2),
    "net_benefit_from_nec": lambda p: metrics.net_benefit_from_nec(0.5, priors=p, threshold=0.2),
    "hull_points": lambda p: metrics.hull_points(SCORES).ratios(p),
    "precision_recall": lambda p: curves.precision_recall(SCORES, priors=p).precision,
    "decision": lambda p: curves.decision(SCORES, priors=p).net_benefit,
    "brier_curve": lambda p: curves.brier_curve(SCORES, priors=p).actual,
    "level_sets": lambda p: audit.level_sets("f1", priors=p, resolution=5).values,
    "Elicitation": lambda p: elicitation.Elicitation(priors=p).prior,
    "ranking": lambda p: elicitation.ratio_from_ranking(RANKING, error_share=0.6, priors=p)[0].high,
    "sensitivity": lambda p: elicitation.ratio_from_sensitivity(SCORES, 0.9, priors=p).low,
    "effective_priors": lambda p: elicitation.RatioInterval(2, 5).effective_priors(p),
    "target_weight": lambda p: target_weight(0.9, p, priors=0.3),
    "from_priors of scores": lambda p: ScoreCounts.from_scores(
        [0, 1], [0.1, 0.7], kind="posterior", from_priors=p
    ).log_prior_odds(),
}


@pytest.mark.parametrize("name", READERS)
def test_a_number_is_the_share_of_the_second_class(name):
    read = READERS[name]
    np.testing.assert_array_equal(read(0.25), read([0.75, 0.25]))
    assert not np.array_equal(read(0.25), read(0.5))


@pytest.mark.parametrize("bad", [-0.1, 1.2, np.nan, [0.5, 0.6], [0.2, 0.3, 0.5], "half"])
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_share_is_refused(name, bad):
    with pytest.raises(StakesError, match="priors`"):
        READERS[name](bad)


@given(share=st.floats(0, 1))
def test_number_pair_and_names_say_the_same(share):
    pair = as_priors(share, ("no", "yes"))
    assert pair.tolist() == [1 - share, share]
    assert positive_share(share) == positive_share(pair) == share
    assert positive_share({"yes": share, "no": 1 - share}, classes=("no", "yes")) == share


def test_the_positive_class_may_be_the_first():
    """A number is its share; a pair stays in the order of the classes."""
    assert positive_share(0.2, at=0) == 0.2
    assert positive_share([0.8, 0.2], at=0) == 0.8
    cm = ConfusionMatrix([[80, 10], [3, 7]], classes=["rain", "dry"], decisions=["rain", "dry"])
    costs = {
        metrics.detection_cost(cm, priors=said, positive="rain", miss=5)
        for said in (0.25, [0.25, 0.75], {"dry": 0.75, "rain": 0.25})
    }
    assert len(costs) == 1
    assert costs.pop() == pytest.approx(0.25 * 5 * 10 / 90 + 0.75 * 3 / 10)
