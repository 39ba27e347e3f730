from __future__ import annotations

import numpy as np
import pytest

from stakes import PairedCounts, ScoreCounts
from stakes.exceptions import DataError
from stakes.uncertainty import band, best_by_log_odds

GRID = np.linspace(-4, 4, 9)


class TestBestByLogOdds:
    def test_costs_are_those_of_each_system(self) -> None:
        rng = np.random.default_rng(0)
        y = np.arange(900) % 3 == 0
        llrs = {
            "sharp": rng.normal(np.where(y, 2.0, -2.0), 2.0),
            "blunt": rng.normal(np.where(y, 0.5, -0.5), 1.0),
        }
        pc = PairedCounts.from_scores(y.astype(int), llrs, thresholds=-GRID[::-1])
        frame = best_by_log_odds(pc, GRID, draws=400, rng=0)
        sc = ScoreCounts.from_scores(y, llrs["sharp"], kind="llr")
        ours = frame["cost"][np.array(frame["system"]) == "sharp"]
        assert ours == pytest.approx(band(sc, at=GRID, draws=500, rng=0).y)
        best = frame["probability_best"].reshape(-1, 2)
        assert best.sum(axis=1) == pytest.approx(np.ones(9))
        assert best[4, 0] > 0.99

    def test_stretches_must_fit_the_log_odds(self) -> None:
        pc = PairedCounts.from_scores([0, 1], {"a": [0.0, 1.0]}, thresholds=[0.5])
        with pytest.raises(DataError, match="stretches"):
            best_by_log_odds(pc, GRID)
