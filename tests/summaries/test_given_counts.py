"""What is given where a table of decisions is needed."""

import numpy as np
import pytest

from stakes import (
    Application,
    ConfusionMatrix,
    PairedCounts,
    Posteriors,
    ScoreCounts,
    expected_cost,
)
from stakes.exceptions import DataError
from stakes.metrics import at_bayes_threshold, catalogue, f1, mcc

Y = [0, 1, 1, 0]
SCORES = ScoreCounts.from_scores(Y, [0.1, 0.8, 0.4, 0.3], kind="posterior")


@pytest.mark.parametrize("metric", [mcc, f1, catalogue["mcc"], ConfusionMatrix])
@pytest.mark.parametrize("scores", [SCORES, SCORES.binned([0.2, 0.5])])
def test_scores_must_be_decided_first(metric, scores):
    with pytest.raises(DataError, match="needs a table of decisions; got scores") as caught:
        metric(scores)
    assert repr(scores) in caught.value.message
    assert "at_bayes_threshold(scores, application).confusion" in caught.value.hint


def test_costs_of_decisions_say_so_too():
    with pytest.raises(DataError, match="needs a table of decisions; got scores"):
        expected_cost(SCORES, application=Application([[0, 1], [1, 0]]))


def test_what_the_hint_says_works():
    table = at_bayes_threshold(SCORES, Application([[0, 1], [1, 0]])).confusion
    assert table.counts.tolist() == [[2, 0], [1, 1]]
    assert mcc(table) == pytest.approx((1 * 2 - 0 * 1) / np.sqrt(1 * 2 * 2 * 3))


def test_posteriors_must_be_decided_first():
    with pytest.raises(DataError, match="got posteriors, before any decision") as caught:
        mcc(Posteriors([[0.9, 0.1], [0.2, 0.8]]))
    assert "bayes_decisions(posteriors, costs)" in caught.value.hint


def test_of_several_systems_one_must_be_named():
    pairs = PairedCounts.from_decisions(Y, {"a": Y, "b": [0, 0, 1, 1]})
    with pytest.raises(DataError, match="the table of one system; got PairedCounts") as caught:
        mcc(pairs)
    assert "counts.confusion(name)" in caught.value.hint
    assert mcc(pairs.confusion("a")) == pytest.approx(1)


@pytest.mark.parametrize("given", [np.array([0.1, 0.8]), object(), [["a", "b"]]])
def test_other_things_are_told_how_to_be_counted(given):
    with pytest.raises(DataError, match="`counts` must") as caught:
        mcc(given)
    assert "ConfusionMatrix.from_decisions(y_true, decisions)" in caught.value.hint
