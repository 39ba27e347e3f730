"""Pairs that a metric ranks against the costs: recomputed."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, expected_cost
from stakes.audit import opposite_pair
from stakes.audit.count_metric import as_count_metric
from stakes.exceptions import PriorError
from stakes.metrics import catalogue

COSTS = CostMatrix.binary(false_positive=1, false_negative=10)


def check(pair, metric, app: Application) -> None:
    """Both tables are of the same data; the metric prefers one, the costs the other."""
    counted = as_count_metric(metric, application=app.with_priors(None))
    scores = counted.scores(np.stack([pair.preferred.counts, pair.cheaper.counts]))
    assert scores[0] > scores[1]
    np.testing.assert_allclose(pair.preferred.class_totals, pair.cheaper.class_totals)
    costs = [
        expected_cost(ConfusionMatrix(t.counts, app.classes, app.decisions),
                      application=app.with_priors(None))
        for t in (pair.preferred, pair.cheaper)
    ]  # fmt: skip
    assert costs[0] > costs[1]
    assert pair.costs == pytest.approx(costs)


OTHERS = ("f1", "mcc", "precision", "recall", "accuracy", "kappa", "p4", "balanced_accuracy",
          "geometric_mean", "specificity")  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_is_really_opposite(name: str) -> None:
    check(opposite_pair(name, application=COSTS), name, Application(COSTS))
    app = Application(COSTS, priors=[0.98, 0.02])
    pair = opposite_pair(name, application=app)
    check(pair, name, app)
    assert pair.preferred.priors[1] == pytest.approx(0.02)


@pytest.mark.parametrize("name", ["net_benefit", "weighted_accuracy", "expected_cost", "msu",
                                  "c_score", "normalized_expected_cost", "savings"])  # fmt: skip
def test_costs_themselves_have_none(name: str) -> None:
    assert opposite_pair(name, application=COSTS) is None


def test_costs_that_differ_by_little_are_told_apart() -> None:
    nearly = lambda c: -(c[0, 1] + 10.01 * c[1, 0])  # noqa: E731
    check(opposite_pair(nearly, application=COSTS), nearly, Application(COSTS))


def test_functions_that_are_the_cost_have_none() -> None:
    assert opposite_pair(lambda c: -(c[0, 1] + 10 * c[1, 0]), application=COSTS) is None
    assert opposite_pair(lambda c: 0.0, application=COSTS) is None


def test_balanced_accuracy_is_right_at_one_prevalence_only() -> None:
    # A miss counts as N / P false alarms, which is 10 when 1 case in 11 is positive.
    there = Application(COSTS, priors=[10 / 11, 1 / 11])
    assert opposite_pair("balanced_accuracy", application=there.with_priors([0.5, 0.5])) is not None
    close = opposite_pair("balanced_accuracy", application=there)
    assert close is None or abs(close.values[0] - close.values[1]) < 0.01


def test_three_classes() -> None:
    costs = CostMatrix([[0, 1, 2], [4, 0, 3], [7, 5, 0]])
    pair = opposite_pair("accuracy", application=costs)
    check(pair, "accuracy", Application(costs))
    assert opposite_pair("expected_cost", application=costs) is None


def test_sentence_has_both_numbers_and_the_unit() -> None:
    pair = opposite_pair("f1", application=Application(COSTS, unit="EUR"))
    assert f"({pair.costs[0]:.4g} vs {pair.costs[1]:.4g} EUR per case)" in pair.sentence
    missed, alarms = pair.preferred.counts[1, 0], pair.preferred.counts[0, 1]
    assert f"{pair.preferred.counts[1].sum()} positive, F1 prefers {missed} miss" in pair.sentence
    assert f"{alarms or 'no'} false alarm" in pair.sentence


def test_direction_of_catalogued_metrics_is_known() -> None:
    pair = opposite_pair(catalogue["error_rate"], application=COSTS)
    assert pair.values[0] < pair.values[1]


def test_class_shares_must_add_to_one() -> None:
    with pytest.raises(PriorError):
        opposite_pair("f1", application=CostMatrix([[0, 1], [10, 0]]), priors=[0.5, 0.2])
