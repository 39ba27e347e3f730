from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from stakes import Application, ScoreCounts
from stakes.exceptions import DataError
from stakes.metrics import actual_cost
from stakes.uncertainty import band

GRID = np.linspace(-4, 4, 9)


def scores(seed: int = 0, n: int = 600, kind: str = "llr") -> ScoreCounts:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    llrs = rng.normal(np.where(y, 2.0, -2.0), 2.0)
    if kind == "posterior":
        return ScoreCounts.from_scores(y, 1 / (1 + np.exp(-llrs + np.log(2))), kind=kind)
    return ScoreCounts.from_scores(y, llrs, kind=kind)


class TestBand:
    def test_curve_is_the_normalised_actual_cost(self) -> None:
        sc = scores()
        found = band(sc, at=GRID, draws=500, rng=0)
        for x, y in zip(GRID, found.y, strict=True):
            u = 1 / (1 + np.exp(-x))
            app = Application([[0, 1], [1, 0]], priors=[1 - u, u])
            assert y == pytest.approx(actual_cost(sc, app, normalized=True))

    def test_simultaneous_band_covers_the_whole_true_curve(self) -> None:
        u = 1 / (1 + np.exp(-GRID))
        rates = norm.cdf((-GRID - 2) / 2), norm.sf((-GRID + 2) / 2)
        truth = (u * rates[0] + (1 - u) * rates[1]) / np.minimum(u, 1 - u)
        inside = {True: 0, False: 0}
        for seed in range(150):
            found = band(scores(seed), at=GRID, draws=500, rng=seed)
            for joint in inside:
                each = found.at(0.9, simultaneous=joint)
                inside[joint] += bool(((each.low <= truth) & (truth <= each.high)).all())
        assert inside[True] / 150 > 0.83
        assert inside[False] < inside[True] - 15

    def test_decision_curve_needs_posteriors(self) -> None:
        found = band(scores(kind="posterior"), "decision", at=[0.1, 0.3, 0.5], draws=500, rng=0)
        assert (found.low <= found.y).all()
        with pytest.raises(DataError, match="posterior"):
            band(scores(), "decision", at=[0.1], rng=0)

    def test_roc_and_given_curves(self) -> None:
        sc = scores(n=200)
        x = np.array([0.05, 0.2, 0.5])
        roc = band(sc, "roc", at=x, draws=500, rng=0)
        assert (np.diff(roc.y) > 0).all()
        assert ((roc.low >= 0) & (roc.high <= 1)).all()

        def above(s: ScoreCounts) -> np.ndarray:
            return np.array([s.counts_above(t)[1] / s.class_totals[1] for t in (0.0, 1.0)])

        mine = band(sc, above, at=[0.0, 1.0], draws=500, rng=0)
        assert mine.y == pytest.approx(above(sc))
        assert (mine.low < mine.high).all()

    def test_more_and_other_levels(self) -> None:
        first = band(scores(), at=GRID, draws=500, rng=0)
        assert len(first.more(500).replicates) == 1000
        narrow = first.at(0.5)
        assert (narrow.high - narrow.low < first.high - first.low).all()
        assert first.frame().columns == ("x", "y", "low", "high")

    def test_few_cases_get_no_band(self) -> None:
        sc = ScoreCounts.from_scores([0] * 30 + [1] * 5, np.arange(35.0), kind="llr")
        assert np.isnan(band(sc, at=[0.0], draws=500, rng=0).low).all()

    def test_unknown_curve_is_refused(self) -> None:
        with pytest.raises(DataError, match="bayes_error"):
            band(scores(), "nonsense", at=[0.0])
