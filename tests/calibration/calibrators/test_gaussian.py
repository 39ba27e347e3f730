import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm, t

from stakes.calibration import Gaussian
from stakes.exceptions import DataError


class TestGaussian:
    scores = np.array([-3.0, -1.0, 0.0, 4.0])  # means -2 and 2, variances 1 and 4
    y = np.array([0, 0, 1, 1])

    def test_equal_variances_by_hand(self):
        cal = Gaussian(priors=[0.5, 0.5]).fit(self.scores, self.y)
        variance = (1 + 4) / 2
        np.testing.assert_allclose(cal.llrs([0.0, 1.0]), [0.0, (2 - -2) / variance])

    def test_common_variance_is_weighted_by_the_priors(self):
        cal = Gaussian(priors=[0.9, 0.1]).fit(self.scores, self.y)
        np.testing.assert_allclose(cal.llrs([1.0]), [4 / (0.9 * 1 + 0.1 * 4)])

    def test_unequal_variances_against_scipy(self):
        cal = Gaussian(variances="unequal").fit(self.scores, self.y)
        x = np.array([-4.0, 0.3, 7.0])
        np.testing.assert_allclose(cal.llrs(x), norm(2, 2).logpdf(x) - norm(-2, 1).logpdf(x))

    def test_t_recovers_location_and_scale(self):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], 20_000)
        scores = t(3).rvs(40_000, random_state=rng) * 0.7 + np.where(y == 1, 1.0, -1.0)
        cal = Gaussian(tails="t").fit(scores, y)
        np.testing.assert_allclose(cal.means, [-1, 1], atol=0.03)
        np.testing.assert_allclose(cal.spreads, 0.7, atol=0.03)
        assert cal.degrees == 3.0
        x = np.linspace(-5, 5, 7)
        expected = t(3, 1, 0.7).logpdf(x) - t(3, -1, 0.7).logpdf(x)
        np.testing.assert_allclose(cal.llrs(x), expected, atol=0.15)

    def test_t_withstands_an_outlier(self):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], 200)
        scores = rng.normal(size=400) + np.where(y == 1, 1.5, -1.5)
        scores[0] = 300.0
        normal = Gaussian().fit(scores, y).llrs([1.0])[0]
        robust = Gaussian(tails="t").fit(scores, y).llrs([1.0])[0]
        assert robust > 1.5 > normal

    @pytest.mark.parametrize("variances", ["equal", "unequal"])
    @pytest.mark.parametrize("jitter", [0.0, 1e-12])
    def test_t_does_not_collapse_on_tied_scores(self, variances, jitter):
        rng = np.random.default_rng(0)
        n = np.arange(200)
        y = n % 2
        tied = np.where(n % 10 < 7, 3.0, 3.0 + rng.normal(size=200) + y)  # 80 and 60 % at 3
        tied *= 1 + jitter * rng.normal(size=200)
        cal = Gaussian(tails="t", variances=variances).fit(tied, y)
        found = cal.posteriors([3.0, 3.5, 4.0])[:, 1]
        assert 0.3 < found[0] < 0.6  # 60 of 140
        assert (found[1:] < 0.95).all()
        losses = -cal.log_posteriors(tied)[n, y]
        assert losses.mean() < 1.05 * np.log(2)
        assert losses.max() < 3.5

    def test_t_on_clipped_scores_is_useful(self):
        rng = np.random.default_rng(0)
        y = np.arange(2000) % 2
        clipped = np.clip(2 * rng.normal(size=2000) + 3 * (2 * y - 1), -1, 1)
        cal = Gaussian(tails="t", variances="unequal").fit(clipped, y)
        ends = np.array([(y[clipped == end] == 1).mean() for end in (-1, 1)])
        np.testing.assert_allclose(cal.posteriors([-1.0, 1.0])[:, 1], ends, atol=0.1)

    @pytest.mark.parametrize("degrees", [1, 3])
    @pytest.mark.parametrize("decimals", [9, 1])
    def test_t_is_as_before_without_heavy_ties(self, degrees, decimals):
        """Rounded heavy tails have many scores that occur once; they must not count."""
        scores = t(degrees).rvs(20_000, random_state=np.random.default_rng(0)).round(decimals)
        y = np.arange(20_000) % 2
        cal = Gaussian(tails="t").fit(scores, y)
        np.testing.assert_allclose(cal.spreads, 1.0, atol=0.05)
        assert cal.degrees == degrees

    @pytest.mark.parametrize("variances", ["equal", "unequal"])
    @pytest.mark.parametrize("priors", [(0.05, 0.95), (0.95, 0.05)])
    def test_t_degrees_are_of_the_target_priors(self, variances, priors):
        """Heavy tails in one class, light ones in the other: the priors say whose count."""
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], [150, 100])
        scores = np.where(y == 1, 3.0 + rng.normal(size=250), t(1.5).rvs(250, random_state=rng))
        weights = np.array(priors)[y] / np.bincount(y)[y]

        def worst(theta, degrees):  # minus the log-likelihood at the target priors
            spreads = np.exp(theta[[2, 2 if variances == "equal" else 3]])
            return -(weights @ t.logpdf(scores, degrees, theta[y], spreads[y]))

        tried = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 50.0, 200.0)
        fits = [minimize(worst, [0.0, 3.0, 0.0, 0.0], args=(d,), method="BFGS") for d in tried]
        place = int(np.argmin([fit.fun for fit in fits]))
        cal = Gaussian(priors=priors, variances=variances, tails="t").fit(scores, y)
        assert cal.degrees == tried[place]
        np.testing.assert_allclose(cal.means, fits[place].x[:2], atol=1e-3)
        np.testing.assert_allclose(cal.spreads[0], np.exp(fits[place].x[2]), rtol=1e-3)
        same = Gaussian(variances=variances, tails="t").fit(scores, y, sample_weight=weights)
        np.testing.assert_allclose(cal.posteriors(scores), same.posteriors(scores), atol=1e-9)

    def test_t_withstands_an_outlier_among_few(self):
        scores = np.array([-1.2, -0.9, -1.1, -1.0, 1e6, 1.0, 1.1, 0.9, 1.2, 0.8])
        cal = Gaussian(tails="t").fit(scores, np.repeat([0, 1], 5))
        np.testing.assert_allclose(cal.means, [-1, 1], atol=0.2)
        assert (cal.spreads < 1).all()

    def test_t_unit_of_scores_does_not_matter(self):
        scores = np.round(np.random.default_rng(0).normal(size=60))
        y = np.arange(60) % 2
        one = Gaussian(tails="t").fit(scores, y).llrs(scores)
        np.testing.assert_allclose(Gaussian(tails="t").fit(1e6 * scores, y).llrs(1e6 * scores), one)

    @pytest.mark.parametrize("share", [0.97, 1.0])
    def test_t_of_a_class_that_is_all_but_one_score_raises(self, share):
        scores = np.where(np.arange(200) < 200 * share, 0.0, 1.0 * np.arange(200))
        with pytest.raises(DataError, match="no t density") as caught:
            Gaussian(tails="t", variances="unequal").fit(
                np.append(scores, np.arange(10.0)), np.repeat([0, 1], [200, 10])
            )
        assert "Isotonic" in caught.value.hint

    def test_same_scores_raise(self):
        with pytest.raises(DataError, match="no density"):
            Gaussian(variances="unequal").fit([1.0, 1.0, 2.0, 3.0], [0, 0, 1, 1])

    @pytest.mark.parametrize("option", [{"variances": "same"}, {"tails": "heavy"}])
    def test_unknown_options_raise(self, option):
        with pytest.raises(DataError, match="must be"):
            Gaussian(**option)


def test_infinite_scores_are_refused():
    with pytest.raises(DataError, match="must be finite; they are not in row 3 and"):
        Gaussian().fit([-1.0, 0.0, 1.0, np.inf], [0, 0, 1, 1])
    with pytest.raises(DataError, match="must be finite; they are not in row 0 and"):
        Gaussian().fit([-1.0, 0.0, 1.0, 2.0], [0, 0, 1, 1]).posteriors([-np.inf])
