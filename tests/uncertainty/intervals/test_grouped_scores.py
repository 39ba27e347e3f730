from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ScoreCounts
from stakes.exceptions import DataError
from stakes.metrics import auc
from stakes.uncertainty import grouped_score_interval, interval

APP = Application([[0, 1], [5, 0]], priors=[0.8, 0.2])


def cases(n: int = 900, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y, rng.normal(1.5 * y).round(2)


@pytest.mark.parametrize("metric", ["auc", "eer"])
def test_groups_of_one_are_the_plain_interval(metric: str) -> None:
    y, s = cases()
    plain = interval(ScoreCounts.from_scores(y, s, kind="rank"), metric)
    found = grouped_score_interval(y, s, groups=np.arange(900), metric=metric, rng=0)
    assert found.value == pytest.approx(plain.value)
    assert found.high - found.low == pytest.approx(plain.high - plain.low, rel=0.1)


def test_repeated_cases_are_no_new_evidence() -> None:
    y, s = cases(300)
    names = [f"g{k}" for k in range(300)]
    once = grouped_score_interval(y, s, groups=names, rng=0)
    again = grouped_score_interval(
        np.repeat(y, 6), np.repeat(s, 6), groups=np.repeat(names, 6), rng=0
    )
    assert again.limits == pytest.approx(once.limits)


def test_both_sides_of_a_trial_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    left, right = np.repeat(np.arange(30), 30), np.tile(np.arange(30), 30)
    y = rng.random(900) < 0.4
    s = rng.normal(1.5 * y) + rng.normal(size=30)[left] + rng.normal(size=30)[right]
    widths = [
        np.ptp(
            grouped_score_interval(y, s, groups=g, metric="min_cost", application=APP, rng=0).limits
        )
        for g in (np.arange(900), left, (left, right))
    ]
    assert widths[0] < widths[2]
    assert widths[1] < widths[2]


def test_few_groups_are_refused() -> None:
    y, s = cases(90)
    found = grouped_score_interval(y, s, groups=np.arange(90) % 3, rng=0)
    assert found.too_few
    assert "3 cases of 'groups'" in found.notes[0]


def test_lengths_and_metrics_are_checked() -> None:
    y, s = cases(90)
    with pytest.raises(DataError, match="groups"):
        grouped_score_interval(y, s, groups=[1, 2])
    with pytest.raises(DataError, match="metric"):
        grouped_score_interval(y, s, groups=np.arange(90), metric="f1")


def test_weights_stay_with_their_groups() -> None:
    y, s = cases()
    w = np.random.default_rng(1).choice([0.5, 3.0], 900)
    groups = np.arange(900) // 3
    found = grouped_score_interval(y, s, groups=groups, sample_weight=w, rng=0)
    assert found.value == pytest.approx(
        auc(ScoreCounts.from_scores(y, s, kind="rank", sample_weight=w))
    )
    rng, drawn = np.random.default_rng(2), []
    for _ in range(400):
        rows = (3 * rng.integers(0, 300, 300)[:, None] + np.arange(3)).ravel()
        sc = ScoreCounts.from_scores(y[rows], s[rows], kind="rank", sample_weight=w[rows])
        drawn.append(auc(sc))
    assert np.ptp(found.limits) / (2 * 1.97) == pytest.approx(np.std(drawn), rel=0.12)
