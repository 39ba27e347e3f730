import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, log_softmax

from stakes.calibration import Affine, Isotonic
from stakes.exceptions import DataError


class TestBinary:
    def test_by_hand(self):
        """Labels 0 1 0 1 1 pool to 0, 1/2, 1/2, 1, 1."""
        scores = [1.0, 2.0, 3.0, 4.0, 5.0]
        cal = Isotonic(misleading=0).fit(scores, [0, 1, 0, 1, 1])
        assert cal.posteriors(scores)[:, 1].tolist() == [0.0, 0.5, 0.5, 1.0, 1.0]

    def test_misleading_cases_by_hand(self):
        """One positive joins the lowest block, one negative the highest: 1/2 0 | 0 | 1 1/2."""
        cal = Isotonic().fit([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
        np.testing.assert_allclose(
            cal.posteriors([1.0, 2.0, 3.0, 9.0])[:, 1], [1 / 3, 1 / 3, 2 / 3, 2 / 3]
        )

    def test_between_blocks_the_log_odds_are_linear(self):
        cal = Isotonic().fit([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
        low, high = np.log(1 / 2), np.log(2)
        assert cal.llrs([2.25])[0] == pytest.approx(low + 0.25 * (high - low))

    def test_against_sklearn(self):
        isotonic = pytest.importorskip("sklearn.isotonic", reason="the peer is not installed")
        rng = np.random.default_rng(0)
        scores = rng.normal(size=500).round(1)
        y = (rng.random(500) < expit(scores)).astype(int)
        peer = isotonic.IsotonicRegression().fit(scores, y)
        np.testing.assert_allclose(
            Isotonic(misleading=0).fit(scores, y).posteriors(scores)[:, 1], peer.predict(scores)
        )

    def test_held_out_log_loss_is_finite(self):
        rng = np.random.default_rng(0)
        y = (rng.random(20_000) < 0.5).astype(int)
        scores = rng.normal(size=20_000) + np.where(y == 1, 1.5, -1.5)
        few, rest = slice(0, 500), slice(500, None)
        plain = Isotonic(misleading=0).fit(scores[few], y[few]).log_posteriors(scores[rest])
        ours = Isotonic().fit(scores[few], y[few]).log_posteriors(scores[rest])
        index = np.arange(len(y[rest]))
        assert np.isneginf(plain[index, y[rest]]).any()
        assert np.isfinite(ours[index, y[rest]]).all()

    @given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=30))
    def test_target_priors_only_shift_the_log_odds(self, rows):
        scores = np.array([float(s) for s, _ in rows])
        y = np.array([int(label) for _, label in rows])
        if len(set(y.tolist())) < 2:
            return
        a = Isotonic().fit(scores, y).llrs(scores)
        b = Isotonic(priors=[0.9, 0.1]).fit(scores, y).llrs(scores)
        np.testing.assert_allclose(a, b, atol=1e-9)

    @given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=30))
    def test_posteriors_never_decrease(self, rows):
        scores = np.array([float(s) for s, _ in rows])
        y = np.array([int(label) for _, label in rows])
        if len(set(y.tolist())) < 2:
            return
        found = Isotonic().fit(scores, y).posteriors(np.linspace(-7, 7, 57))[:, 1]
        assert (np.diff(found) >= -1e-12).all()

    def test_negative_misleading_raises(self):
        with pytest.raises(DataError, match="misleading"):
            Isotonic(misleading=-1)

    def test_perfectly_separated_plain_fit(self):
        cal = Isotonic(misleading=0).fit([-1.0, 1.0], [0, 1])
        assert cal.posteriors([-2.0, 0.9, 1.0])[:, 1].tolist() == [0.0, 0.0, 1.0]


class TestManyClasses:
    def test_improves_over_confident_scores(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 4, 20_000)
        logits = 4 * (rng.normal(size=(20_000, 4)) + 1.5 * np.eye(4)[y])
        logs = log_softmax(logits, axis=1)
        fit, test = slice(0, 10_000), slice(10_000, None)

        def value(posteriors):
            return -posteriors[np.arange(10_000), y[test]].mean()

        found = value(Isotonic().fit(logs[fit], y[fit]).log_posteriors(logs[test]))
        best = value(Affine().fit(logs[fit], y[fit]).log_posteriors(logs[test]))
        assert found < value(logs[test]) - 0.3
        assert found < best + 0.05

    def test_impossible_everywhere_says_nothing(self):
        scores = np.log([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
        cal = Isotonic(misleading=0).fit(scores, [0, 1, 2])
        np.testing.assert_allclose(cal.posteriors(np.zeros((1, 3))).sum(), 1.0)


@pytest.mark.parametrize("misleading", ["a", None, -1, np.nan, np.inf, True])
def test_misleading_cases_that_are_no_number(misleading):
    with pytest.raises(DataError, match="`misleading` must be a number, 0 or more"):
        Isotonic(misleading=misleading)
