import numpy as np
import pytest
from scipy.special import expit

from stakes.calibration import Affine, Average, Isotonic, Rank, Temperature
from stakes.exceptions import DataError


def made_up(n=500, seed=0):
    rng = np.random.default_rng(seed)
    scores = 2 * rng.normal(size=n)
    return scores, (rng.random(n) < expit(scores)).astype(int)


class TestRank:
    def test_any_increasing_transform_gives_the_same(self):
        scores, y = made_up()
        a = Rank().fit(scores, y).posteriors(scores)
        b = Rank().fit(np.sinh(scores), y).posteriors(np.sinh(scores))
        np.testing.assert_allclose(a, b, atol=1e-9)

    def test_never_decreases(self):
        scores, y = made_up()
        found = Rank().fit(scores, y).posteriors(np.linspace(-9, 9, 99))[:, 1]
        assert (np.diff(found) >= -1e-12).all()

    def test_many_cases_are_thinned_without_harm(self):
        scores, y = made_up(20_000)
        cal = Rank().fit(scores, y)
        assert len(cal.places) <= 2049
        assert np.abs(cal.posteriors(scores)[:, 1] - expit(scores)).mean() < 0.02


class TestAverage:
    def test_is_the_weighted_mean_of_its_members(self):
        scores, y = made_up()
        members = [Affine(), Isotonic()]
        cal = Average(members, weights=[3, 1]).fit(scores, y)
        parts = [kind().fit(scores, y).posteriors(scores) for kind in (Affine, Isotonic)]
        np.testing.assert_allclose(cal.posteriors(scores), 0.75 * parts[0] + 0.25 * parts[1])

    def test_many_classes(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 100)
        logits = rng.normal(size=(100, 3)) + np.eye(3)[y]
        found = Average([Temperature(), Affine()]).fit(logits, y).posteriors(logits)
        np.testing.assert_allclose(found.sum(axis=1), 1)

    def test_no_members_raise(self):
        with pytest.raises(DataError, match="members"):
            Average([])

    def test_weights_must_match(self):
        with pytest.raises(DataError, match="weights"):
            Average([Affine()], weights=[1, 2])
