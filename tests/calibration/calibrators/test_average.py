import numpy as np
import pytest
from scipy.special import expit

from stakes.calibration import Affine, Average, Isotonic, Rank, Temperature, load
from stakes.calibration.calibrators.average import emphasised, mixed
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

    def test_emphasis_takes_the_mean_of_moved_posteriors(self):
        scores, y = made_up()
        cal = Average([Affine(), Isotonic()], emphasis=[1, 9]).fit(scores, y)
        parts = [kind().fit(scores, y).posteriors(scores)[:, 1] for kind in (Affine, Isotonic)]
        mean = np.mean([9 * q / (9 * q + 1 - q) for q in parts], axis=0)
        np.testing.assert_allclose(cal.posteriors(scores)[:, 1], mean / (mean + 9 * (1 - mean)))

    def test_emphasis_survives_copies(self, tmp_path):
        scores, y = made_up()
        cal = Average([Affine(), Isotonic()], emphasis=[1, 9]).fit(scores, y)
        cal.save(tmp_path / "a.json")
        for again in (load(tmp_path / "a.json"), cal.unfitted().fit(scores, y)):
            np.testing.assert_allclose(again.posteriors(scores), cal.posteriors(scores))

    @pytest.mark.parametrize("emphasis", [[1, 0], [1, 2, 3]])
    def test_emphasis_must_match(self, emphasis):
        with pytest.raises(DataError, match="emphasis"):
            Average([Affine()], emphasis=emphasis).fit(*made_up())


def test_mixed_is_the_weighted_mean_posterior():
    tables = [np.log([[1 - q, q]]) for q in (0.2, 0.6)]
    found = np.exp(mixed(tables, np.array([0.25, 0.75])))
    np.testing.assert_allclose(found, [[1 - 0.5, 0.25 * 0.2 + 0.75 * 0.6]])


def test_emphasised_is_bayes_rule():
    found = np.exp(emphasised(np.log([[0.9, 0.1]]), [1.0, 9.0]))
    np.testing.assert_allclose(found, [[0.5, 0.5]])


def test_members_are_copied():
    scores, y = made_up()
    named = [Affine(priors=[0.3, 0.7], classes=["n", "y"]), Isotonic()]
    cal = Average(named, priors=[0.5, 0.5]).fit(scores, y)
    assert named[0].options["priors"] == [0.3, 0.7]
    assert named[0].options["classes"] == ["n", "y"]
    assert [member.classes for member in named] == [None, None]
    assert [member.classes for member in cal.members] == [(0, 1), (0, 1)]


def test_members_that_are_fitted_stay_as_they_are():
    scores, y = made_up()
    member = Affine().fit(scores, y)
    before = member.to_dict()
    Average([member]).fit(-scores, y)
    assert member.to_dict() == before
