import numpy as np
import pytest
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

    def test_same_scores_raise(self):
        with pytest.raises(DataError, match="no density"):
            Gaussian(variances="unequal").fit([1.0, 1.0, 2.0, 3.0], [0, 0, 1, 1])

    @pytest.mark.parametrize("option", [{"variances": "same"}, {"tails": "heavy"}])
    def test_unknown_options_raise(self, option):
        with pytest.raises(DataError, match="must be"):
            Gaussian(**option)


def test_infinite_scores_are_refused():
    with pytest.raises(DataError, match="finite for densities; row 3 is inf"):
        Gaussian().fit([-1.0, 0.0, 1.0, np.inf], [0, 0, 1, 1])
    with pytest.raises(DataError, match="finite for densities; row 0 is -inf"):
        Gaussian().fit([-1.0, 0.0, 1.0, 2.0], [0, 0, 1, 1]).posteriors([-np.inf])
