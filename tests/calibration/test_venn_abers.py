import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.special import expit

from stakes.calibration import Histogram, VennAbers
from stakes.exceptions import DataError


def made_up(n, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n).round(1)
    return scores, (rng.random(n) < expit(2 * scores)).astype(int)


def direct(scores, y, new, label):
    """The isotonic fit with the new case added under a label, at that case."""
    scores, y = np.append(scores, new), np.append(y, label)
    places, inverse = np.unique(scores, return_inverse=True)
    totals = np.bincount(inverse).astype(float)
    fit = isotonic_regression(np.bincount(inverse, weights=y) / totals, weights=totals).x
    return fit[np.searchsorted(places, new)]


class TestVennAbers:
    @pytest.mark.parametrize("seed", range(5))
    def test_bounds_against_their_definition(self, seed):
        scores, y = made_up(40, seed)
        new = np.array([-9.0, -0.55, 0.0, 0.25, scores[3], 9.0])
        low, high = VennAbers().fit(scores, y).bounds(new)
        np.testing.assert_allclose(low, [direct(scores, y, x, 0) for x in new], atol=1e-12)
        np.testing.assert_allclose(high, [direct(scores, y, x, 1) for x in new], atol=1e-12)

    def test_merged_value_by_hand(self):
        """One case of each class: p0 = 1/2, p1 = 1 above, so p = 1/(1/2 + 1)."""
        cal = VennAbers().fit([-1.0, 1.0], [0, 1])
        assert cal.posteriors([2.0])[0, 1] == pytest.approx(1 / (1 - 1 / 2 + 1))

    def test_one_of_the_pair_is_calibrated(self):
        """The mean of the probability that turns out right is the share of the class."""
        total, right = 0, 0.0
        for seed in range(400):
            scores, y = made_up(21, seed)
            if len(set(y[:20].tolist())) < 2:
                continue
            low, high = VennAbers().fit(scores[:20], y[:20]).bounds(scores[20:])
            right += float(high[0] if y[20] else low[0]) - y[20]
            total += 1
        assert abs(right / total) < 0.03


class TestHistogram:
    def test_frequencies_by_hand(self):
        scores, y = np.arange(10.0), [0, 0, 0, 1, 0, 1, 0, 1, 1, 1]
        cal = Histogram(bins=2).fit(scores, y)
        np.testing.assert_allclose(cal.posteriors([2.0, 7.0])[:, 1], [1.5 / 6, 4.5 / 6])

    def test_bounds_hold_for_all_bins_at_once(self):
        rng = np.random.default_rng(0)
        held, total = 0, 200
        for _ in range(total):
            scores = rng.random(200)
            y = (rng.random(200) < scores).astype(int)
            cal = Histogram(bins=5).fit(scores, y)
            edges = np.concatenate([[0.0], cal.edges, [1.0]])
            truth = (edges[1:] + edges[:-1]) / 2  # frequency in a bin of uniform scores
            low, high = cal.bounds(truth, level=0.9)
            held += bool(((low <= truth) & (truth <= high)).all())
        assert held / total >= 0.9

    def test_extreme_bins_reach_the_ends(self):
        low, high = Histogram(bins=2).fit(np.arange(8.0), [0] * 4 + [1] * 4).bounds([0.0, 7.0])
        assert low[0] == 0.0
        assert high[1] == 1.0

    def test_no_bins_raise(self):
        with pytest.raises(DataError, match="bins"):
            Histogram(bins=0)
