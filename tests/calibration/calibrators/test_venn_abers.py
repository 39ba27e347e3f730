import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.special import expit

from stakes.calibration import Calibrator, Histogram, VennAbers, load
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

    def test_priors_move_both_bounds_and_what_lies_between(self):
        """Log odds of all three move by those of the priors: from 1/2 to 4/5 by log 4."""
        scores, y = np.arange(8.0), [0, 0, 1, 0, 1, 0, 1, 1]
        plain = VennAbers().fit(scores, y)
        moved = VennAbers(priors=[0.2, 0.8]).fit(scores, y)
        for before, after in zip(plain.bounds(scores), moved.bounds(scores), strict=True):
            np.testing.assert_allclose(after, 4 * before / (4 * before + 1 - before))
        low, high = moved.bounds(scores)
        between = moved.posteriors(scores)[:, 1]
        assert (low <= between).all()
        assert (between <= high).all()

    @pytest.mark.parametrize("weights", [[1.0, 2.0, 1.0, 1.0], [100.0] * 4])
    def test_weights_have_no_bounds(self, weights):
        cal = VennAbers().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1], sample_weight=weights)
        for each in (cal, Calibrator.from_dict(cal.to_dict())):
            with pytest.raises(DataError, match="rows of weight 1"):
                each.bounds([0.0])
        left_out = VennAbers().fit([-2.0, 9.0, 1.0], [0, 0, 1], sample_weight=[1, 0, 1])
        plain = VennAbers().fit([-2.0, 1.0], [0, 1])
        np.testing.assert_allclose(left_out.bounds([0.0, 3.0]), plain.bounds([0.0, 3.0]))


def mirrored(scores, y, bins, weights=None):
    """Whether swapping the classes and the sign of the scores swaps the posteriors."""
    one = Histogram(bins=bins).fit(scores, y, sample_weight=weights)
    two = Histogram(bins=bins).fit(-scores, 1 - y, sample_weight=weights)
    new = np.append(scores, [-7.123, 0.123, 7.123])
    return np.allclose(one.posteriors(new)[:, 1], two.posteriors(-new)[:, 0], atol=1e-12)


class TestHistogram:
    def test_ties_at_the_lowest_score_leave_no_empty_bin(self):
        rng = np.random.default_rng(0)
        scores = np.maximum(rng.normal(size=2000), 0.0)
        y = (rng.random(2000) < expit(2 * scores - 3)).astype(int)
        cal = Histogram().fit(scores, y)
        tied = scores == 0.0
        share = (y[tied].sum() + 0.5) / (tied.sum() + 1)
        np.testing.assert_allclose(cal.posteriors([0.0, -1e-9, -5.0])[:, 1], share)
        assert cal.totals.min() > 0
        for end in cal.bounds([0.0, -5.0]):
            assert end[0] == end[1]

    @pytest.mark.parametrize("bins", [None, 2, 3, 50, 1000])
    @pytest.mark.parametrize(
        "scores",
        [
            np.zeros(200),
            np.repeat([0.0, 1.0, 2.0], [50, 90, 60]),
            np.repeat([0.0, 1.0, 2.0], [2, 190, 8]),
            np.linspace(-1, 1, 200),
            np.repeat([-np.inf, 0.0, 1.0, np.inf], 50),
        ],
    )
    def test_no_bin_is_empty(self, scores, bins):
        cal = Histogram(bins=bins).fit(scores, np.arange(200) % 2)
        assert cal.totals.min() > 0
        assert cal.totals.sum() == 200
        assert len(cal.totals) <= (bins or 6)  # 6**3 = 216
        assert len(cal.totals) >= min(len(np.unique(scores)), bins or 6, 2)

    def test_few_scores_have_a_bin_each(self):
        scores = np.repeat([-np.inf, 0.0, 1.0, 5.0, np.inf], [1, 1, 90, 5, 3])
        cal = Histogram(bins=5).fit(scores, np.arange(100) % 2)
        assert cal.totals.tolist() == [1, 1, 90, 5, 3]
        places = np.searchsorted(cal.edges, [-1e100, 0.4, 0.6, 1e100, np.inf], side="right")
        assert places.tolist() == [1, 1, 2, 3, 4]  # the nearest; finite ones are far from infinity

    def test_a_heavy_tie_is_a_bin_of_its_own(self):
        """Shares of 20: the cut at 60 would leave 3 cases next to the tie of 57."""
        scores = np.append(np.zeros(57), np.arange(1.0, 44.0))
        cal = Histogram(bins=5).fit(scores, np.arange(100) % 2)
        assert cal.totals.tolist() == [57, 23, 20]

    def test_neighbouring_numbers_are_told_apart(self):
        low, high = 1.0, np.nextafter(1.0, 2.0)
        cal = Histogram(bins=2).fit([low, low, high, high], [0, 0, 1, 1])
        np.testing.assert_allclose(cal.posteriors([low, high])[:, 1], [0.5 / 3, 2.5 / 3])

    @given(st.integers(0, 10**6), st.integers(0, 5))
    def test_swapping_the_classes_swaps_the_posteriors(self, seed, half):
        """With an odd number of bins no share lies in the middle."""
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 60))
        scores = np.maximum(rng.integers(-6, 7, n), rng.integers(-7, 3)).astype(float)
        y = np.append([0, 1], rng.integers(0, 2, n - 2))
        weights = rng.integers(1, 4, n) if seed % 2 else None
        assert mirrored(scores, y, 2 * half + 1, weights)

    def test_in_the_middle_the_lower_cut_is_taken(self):
        y = np.array([0, 1, 1])
        assert Histogram(bins=2).fit([0.0, 1.0, 2.0], y).totals.tolist() == [1, 2]
        assert mirrored(np.arange(4.0), np.array([0, 0, 1, 1]), 2)

    @pytest.mark.parametrize("level", [95, 0, 1, -0.1, np.nan, "0.95", None])
    def test_levels_are_shares(self, level):
        cal = Histogram().fit(np.arange(20.0), np.arange(20) % 2)
        with pytest.raises(DataError, match="`level` must lie between 0 and 1"):
            cal.bounds([0.0], level=level)

    def test_a_row_is_one_case_whatever_it_weighs(self):
        scores, y = made_up(500)
        plain = Histogram(bins=5).fit(scores, y)
        heavy = Histogram(bins=5).fit(scores, y, sample_weight=np.full(500, 0.1))
        np.testing.assert_allclose(plain.bounds(scores), heavy.bounds(scores))
        again = Calibrator.from_dict(heavy.to_dict())
        np.testing.assert_allclose(again.bounds(scores), plain.bounds(scores))

    def test_unequal_weights_have_no_bounds(self):
        scores, y = made_up(100)
        cal = Histogram(bins=5).fit(scores, y, sample_weight=1 + np.arange(100) % 2)
        for each in (cal, Calibrator.from_dict(cal.to_dict())):
            with pytest.raises(DataError, match="rows of equal weight"):
                each.bounds(scores)
        left_out = Histogram(bins=5).fit(scores, y, sample_weight=np.arange(100) % 2)
        plain = Histogram(bins=5).fit(scores[1::2], y[1::2])
        np.testing.assert_allclose(left_out.bounds(scores), plain.bounds(scores))

    @pytest.mark.parametrize("priors", [None, [0.9, 0.1], [0.01, 0.99]])
    @pytest.mark.parametrize("level", [0.01, 0.5, 0.95])
    def test_posteriors_lie_in_their_bounds(self, priors, level):
        scores, y = made_up(60, 3)
        cal = Histogram(priors=priors, bins=9).fit(scores, y)
        low, high = cal.bounds(scores, level=level)
        said = cal.posteriors(scores)[:, 1]
        assert (low <= said).all()
        assert (said <= high).all()

    def test_priors_move_the_bounds(self):
        """Half of the cases are of each class, so odds are 9 times as high at 9 to 1."""
        scores, y = np.arange(10.0), [0, 0, 0, 1, 0, 1, 0, 1, 1, 1]
        plain, moved = Histogram(bins=2), Histogram(bins=2, priors=[0.1, 0.9])
        pairs = [cal.fit(scores, y).bounds([1.0]) for cal in (plain, moved)]
        for before, after in zip(*pairs, strict=True):
            np.testing.assert_allclose(after, 9 * before / (9 * before + 1 - before))

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

    @pytest.mark.parametrize("bins", [0, -3, 2.5, "3", True, np.nan, [3]])
    def test_bins_are_a_whole_number(self, bins):
        with pytest.raises(DataError, match="`bins` must be a whole number"):
            Histogram(bins=bins)

    @pytest.mark.parametrize("kind", [Histogram, VennAbers])
    @pytest.mark.parametrize("bound", [True, "all", -1.0, np.nan])
    def test_bound_is_a_positive_number(self, kind, bound):
        with pytest.raises(DataError, match="`bound` must be"):
            kind(bound=bound)


def test_weighted_fits_can_be_saved(tmp_path):
    # weighted sums rounded to a little more than one, and their complement below zero was refused
    rng = np.random.default_rng(0)
    for k in range(20):
        y = rng.integers(0, 2, 200)
        scores, weights = rng.normal(3.0 * y), rng.uniform(0.1, 3.0, 200)
        fitted = VennAbers().fit(scores, y, sample_weight=weights)
        fitted.save(tmp_path / f"{k}.json")
        again = load(tmp_path / f"{k}.json")
        assert np.array_equal(again.posteriors(scores), fitted.posteriors(scores))
