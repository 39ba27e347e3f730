from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, PairedCounts, ScoreCounts
from stakes.exceptions import DataError
from stakes.uncertainty import (
    band,
    best_by_log_odds,
    best_ranges,
    cases_needed,
    interval,
    min_cost_optimism,
    power_curve,
)

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
Y = np.arange(60) % 2
W = np.linspace(0.5, 1.7, 60)
SCORES = ScoreCounts.from_scores(Y, 1.0 * Y + W, kind="llr", sample_weight=W)
MATRIX = ConfusionMatrix.from_decisions(Y, np.roll(Y, 3), sample_weight=W)
PAIR = PairedCounts.from_decisions(Y, {"a": Y, "b": np.roll(Y, 3)}, sample_weight=W)


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        (lambda: interval(MATRIX, application=APP), "weighted_interval"),
        (lambda: interval(SCORES, "auc"), "weighted_score_interval"),
        (lambda: min_cost_optimism(SCORES, APP), "weighted_score_interval"),
        (lambda: band(SCORES, at=[0.0]), "weighted_score_interval"),
        (lambda: best_by_log_odds(PAIR, [0.0]), "weighted_score_interval"),
        (lambda: best_ranges(PAIR, APP), "level=None"),
        (lambda: cases_needed(PAIR, APP), "weighted_interval"),
        (lambda: power_curve(PAIR, APP), "weighted_interval"),
    ],
)
def test_summaries_of_weights_are_refused_with_what_to_give(asked: Any, instead: str) -> None:
    with pytest.raises(DataError, match="holds weights, not numbers of cases") as caught:
        asked()
    assert instead in str(caught.value.hint)


def test_borders_of_weighted_cases_without_intervals() -> None:
    found = best_ranges({"a": MATRIX}, APP, level=None)
    assert np.isnan(found.low).all()


def test_whole_weights_are_frequencies() -> None:
    often = ConfusionMatrix.from_decisions(Y, np.roll(Y, 3), sample_weight=np.full(60, 2.0))
    rows = np.repeat(np.arange(60), 2)
    repeated = ConfusionMatrix.from_decisions(Y[rows], np.roll(Y, 3)[rows])
    one, other = (interval(m, application=APP) for m in (often, repeated))
    assert one.limits == other.limits
