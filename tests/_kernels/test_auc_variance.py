from __future__ import annotations

import numpy as np
import pytest

from stakes import ScoreCounts
from stakes._kernels.interval_ends import auc_moments, auc_score_limits, placements


def data(seed: int, n0: int = 40, n1: int = 15) -> tuple[np.ndarray, np.ndarray, ScoreCounts]:
    rng = np.random.default_rng(seed)
    negatives, positives = rng.normal(0, 1, n0).round(1), rng.normal(1, 1, n1).round(1)
    sc = ScoreCounts.from_scores(
        np.arange(n0 + n1) >= n0, np.concatenate([negatives, positives]), kind="rank"
    )
    return negatives, positives, sc


def test_moments_against_the_pairwise_definition_of_delong_1988() -> None:
    negatives, positives, sc = data(0)
    wins = (positives[:, None] > negatives) + (positives[:, None] == negatives) / 2
    found = auc_moments(sc.runs.negatives, sc.runs.positives)
    assert found.value == pytest.approx(wins.mean())
    assert found.by_positives == pytest.approx(wins.mean(axis=1).var(ddof=1) / 15)
    assert found.by_negatives == pytest.approx(wins.mean(axis=0).var(ddof=1) / 40)


def test_leaving_one_case_out_is_closed_form() -> None:
    negatives, positives, sc = data(1)
    of_positive, _ = placements(sc.runs.negatives, sc.runs.positives)
    value = auc_moments(sc.runs.negatives, sc.runs.positives).value
    for k in range(3):
        left = np.delete(positives, k)
        wins = (left[:, None] > negatives) + (left[:, None] == negatives) / 2
        run = int(np.flatnonzero(sc.runs.highest >= positives[k])[0])
        assert (15 * value - of_positive[run]) / 14 == pytest.approx(wins.mean())


def test_score_limits_hold_the_value_and_stay_inside() -> None:
    for seed in range(5):
        _, _, sc = data(seed)
        found = auc_moments(sc.runs.negatives, sc.runs.positives)
        low, high = auc_score_limits(found, 40, 15, 1.96)
        assert 0 <= low < found.value < high <= 1


def test_perfect_order_still_leaves_room_below() -> None:
    found = auc_moments(np.array([20, 0]), np.array([0, 10]))
    low, high = auc_score_limits(found, 20, 10, 1.96)
    assert found.value == 1.0
    assert high == pytest.approx(1.0)
    assert 0.7 < low < 0.99
