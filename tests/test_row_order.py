"""Columns of pandas with the row labels of the truth in another order are refused everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import stakes
from stakes import metrics
from stakes.application import CaseCosts
from stakes.calibration import Affine, cross_fit, reliability_table
from stakes.estimation import DecidedCases, cost_from_judge, cost_from_labels
from stakes.exceptions import DataError
from stakes.resources import constrained_slices
from stakes.summaries import ConfusionMatrix, PairedCounts, ScoreCounts, one_vs_rest

pd = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")

RNG = np.random.default_rng(0)
Y = pd.Series(RNG.integers(0, 2, 200))
P = (Y * 0.4 + 0.3 + RNG.uniform(-0.25, 0.25, 200)).round(3)
D = (P > 0.5).astype(int)
AMOUNT = pd.Series(RNG.uniform(1, 20, 200))
KNOWN = Y.astype(float).where(RNG.random(200) < 0.5)
BY = pd.Series(np.arange(200) % 2)
APP = stakes.Application([[0, 1], [10, 0]])
COSTS = {"fn": 10, "fp": 1}

#: What a column does, with the column as it should be.
DOORS = {
    "expected_cost": (lambda d: stakes.expected_cost(Y, d, application=APP), D),
    "weights": (lambda w: stakes.expected_cost(Y, D, application=APP, sample_weight=w), AMOUNT),
    "f1": (lambda d: metrics.f1(Y, d), D),
    "auc": (lambda p: metrics.auc(Y, p), P),
    "case_cost": (lambda d: metrics.case_cost(Y, d, costs=CaseCosts.binary(fn=AMOUNT, fp=3.0)), D),
    "confusion": (lambda d: ConfusionMatrix.from_decisions(Y, d), D),
    "scores": (lambda p: ScoreCounts.from_scores(Y, p), P),
    "rest": (lambda p: one_vs_rest(Y, stakes.Posteriors(p)), P),
    "paired": (lambda d: PairedCounts.from_decisions(Y, {"a": D, "b": d}), D),
    "fit": (lambda p: Affine().fit(stakes.Posteriors(p), Y), P),
    "fit log odds": (lambda p: Affine().fit(np.log(p / (1 - p)), Y), P),
    "groups": (lambda g: Affine().fit(stakes.Posteriors(P), Y, groups=g), BY),
    "reliability": (lambda p: reliability_table(Y, p), P),
    "cross_fit": (lambda p: cross_fit(Y, stakes.Posteriors(p), calibrator=Affine()), P),
    "decided": (lambda p: DecidedCases.from_scores(Y, p, costs=COSTS), P),
    "labels": (
        lambda p: cost_from_labels(KNOWN, DecidedCases.from_scores(None, p, costs=COSTS)),
        P,
    ),
    "judge": (lambda d: cost_from_judge(KNOWN, D, decisions=d, costs=COSTS), D),
    "posteriors": (lambda p: stakes.evaluate(Y, stakes.Posteriors(p), application=APP), P),
    "amounts": (
        lambda fn: stakes.evaluate(Y, {"m": P}, application=CaseCosts.binary(fn=fn, fp=3.0)),
        AMOUNT,
    ),
    "slices": (lambda by: constrained_slices(Y, P, by=by, costs=APP, ratio=0.8), BY),
}


@pytest.mark.parametrize("door", DOORS)
def test_labels_in_another_order_are_refused(door):
    call, column = DOORS[door]
    with pytest.raises(DataError, match="the row labels of `y_true` in another order") as caught:
        call(column.sample(frac=1, random_state=1))
    assert "reindex(y_true.index)" in str(caught.value)


@pytest.mark.parametrize("door", DOORS)
def test_labels_in_the_same_order_or_with_no_meaning_are_taken(door):
    call, column = DOORS[door]
    call(column)
    call(column.to_numpy())
    call(column.set_axis(np.arange(200) + 1000))


def test_a_shuffled_truth_with_its_columns_is_the_same():
    at = Y.sample(frac=1, random_state=2).index
    both = [stakes.expected_cost(Y[i], D[i], application=APP) for i in (Y.index, at)]
    assert both[0] == both[1]
