"""Costs at several operating points: the averages of evaluation plans."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ScoreCounts, metrics
from stakes.exceptions import DataError


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("sre08", [(0.01, 10, 1)]),
        ("sre10", [(0.001, 1, 1)]),
        ("sre12", [(0.01, 1, 1), (0.001, 1, 1)]),
        ("sre16", [(0.01, 1, 1), (0.005, 1, 1)]),
        ("sre18-vast", [(0.05, 1, 1)]),
    ],
)
def test_presets_average_their_points(name, points):
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.1
    s = rng.normal(size=3000) * 2 + 4 * y - 2
    sc = ScoreCounts.from_scores(y, s, kind="llr")
    found = metrics.detection_costs(sc, name)
    rows = [Application([[0, fa], [miss, 0]], priors=[1 - p, p]) for p, miss, fa in points]
    actual = [metrics.actual_cost(sc, app, normalized=True) for app in rows]
    minimum = [metrics.min_cost(sc, app, normalized=True) for app in rows]
    assert found.primary_actual == pytest.approx(np.mean(actual))
    assert found.primary_minimum == pytest.approx(np.mean(minimum))
    assert found.frame()["bayes_threshold"] == pytest.approx([a.llr_threshold for a in rows])


def test_unknown_preset_is_refused():
    with pytest.raises(DataError, match="one of sre08"):
        metrics.nist_applications("sre99")
