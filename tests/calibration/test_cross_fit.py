import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Beta,
    Gaussian,
    Isotonic,
    Logistic,
    Rank,
    Smooth,
    Temperature,
    Vector,
    VennAbers,
    cross_fit,
    fit_on_test,
    stratified_folds,
)
from stakes.exceptions import DataError


def made_up(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return 2 * rng.normal(size=n) + np.where(y == 1, 2.0, -2.0), y


class TestStratifiedFolds:
    @pytest.mark.parametrize("folds", [1, 2.5, 5])
    def test_numbers_that_cannot_be_meant(self, folds):
        with pytest.raises(DataError, match="whole number from 2 to the 4 cases"):
            stratified_folds([0, 0, 1, 1], folds)

    @pytest.mark.parametrize("seed", [0, 7])
    def test_against_sklearn(self, seed):
        selection = pytest.importorskip(
            "sklearn.model_selection", reason="the peer is not installed"
        )
        y = np.random.default_rng(1).integers(0, 4, 103)
        expected = np.empty(103, dtype=int)
        splitter = selection.StratifiedKFold(5, shuffle=True, random_state=seed)
        for k, (_, test) in enumerate(splitter.split(np.zeros(103), y)):
            expected[test] = k
        found = stratified_folds(y, 5, rng=np.random.RandomState(seed))
        np.testing.assert_array_equal(found, expected)

    @given(st.lists(st.integers(0, 3), min_size=5, max_size=60), st.integers(2, 5))
    def test_every_class_is_spread_evenly(self, labels, folds):
        number = stratified_folds(labels, folds)
        for label in set(labels):
            counts = np.bincount(number[np.array(labels) == label], minlength=folds)
            assert counts.max() - counts.min() <= 2

    def test_groups_stay_together(self):
        rng = np.random.default_rng(0)
        groups = rng.integers(0, 30, 400)
        y = rng.integers(0, 2, 400)
        number = stratified_folds(y, 5, groups=groups)
        assert all(len(set(number[groups == g].tolist())) == 1 for g in set(groups.tolist()))
        sizes = np.bincount(number)
        assert sizes.max() < 1.4 * sizes.min()

    def test_same_seed_same_folds(self):
        y = np.arange(50) % 3
        np.testing.assert_array_equal(stratified_folds(y, rng=3), stratified_folds(y, rng=3))

    @pytest.mark.parametrize("folds", [1, 0, 9])
    def test_impossible_number_raises(self, folds):
        with pytest.raises(DataError, match="folds"):
            stratified_folds([0, 1, 0], folds)

    def test_too_few_groups_raise(self):
        with pytest.raises(DataError, match="groups"):
            stratified_folds([0, 1, 0, 1], 3, groups=["a", "a", "b", "b"])


class TestCrossFit:
    def test_each_case_is_calibrated_without_its_fold(self):
        scores, y = made_up()
        folds = np.arange(200) % 4
        found = cross_fit(y, scores, calibrator=Affine(), folds=folds)
        train = folds != 2
        expected = Affine().fit(scores[train], y[train]).posteriors(scores[~train])
        np.testing.assert_allclose(found[~train], expected)

    def test_folds_may_have_any_names(self):
        scores, y = made_up()
        number = np.arange(200) % 4
        names = np.array(["a", "b", "c", "d"])[number]
        np.testing.assert_allclose(
            cross_fit(y, scores, calibrator=Affine(), folds=number),
            cross_fit(y, scores, calibrator=Affine(), folds=names),
        )

    def test_integer_names_are_names_not_positions(self):
        scores, y = made_up()
        np.testing.assert_allclose(
            cross_fit(y, -scores, calibrator=Affine(classes=[1, 0]), folds=3),
            cross_fit(y, scores, calibrator=Affine(), folds=3)[:, ::-1],
            atol=1e-8,
        )

    def test_priors_by_name(self):
        scores, y = made_up()
        named = np.where(y == 1, "yes", "no")
        found = cross_fit(named, scores, calibrator=Affine(priors={"yes": 0.2, "no": 0.8}), folds=4)
        expected = cross_fit(y, scores, calibrator=Affine(priors=[0.8, 0.2]), folds=4)
        np.testing.assert_allclose(found, expected)

    def test_calibrator_given_is_not_changed(self):
        cal = Affine()
        cross_fit(*reversed(made_up()), calibrator=cal)
        assert cal.classes is None

    def test_less_optimistic_than_fitting_on_test(self):
        scores, y = made_up()

        def value(posteriors):
            return -np.log(posteriors[np.arange(200), y]).mean()

        cal = Isotonic()
        assert value(cross_fit(y, scores, calibrator=cal)) > value(
            fit_on_test(y, scores, calibrator=cal)
        )

    def test_class_missing_from_a_fold_names_the_fold(self):
        with pytest.raises(DataError, match="fold"):
            cross_fit([0, 0, 0, 1], [-1.0, 0.5, -2.0, 1.0], calibrator=Affine(), folds=2)

    def test_one_fold_raises(self):
        with pytest.raises(DataError, match="two folds"):
            cross_fit(*reversed(made_up()), calibrator=Affine(), folds=np.zeros(200))

    def test_folds_of_other_length_raise(self):
        with pytest.raises(DataError, match="`folds` has 3 rows"):
            cross_fit(*reversed(made_up()), calibrator=Affine(), folds=[0, 1, 0])


def test_cross_fitting_changes_no_calibrator():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=200)
    y = np.array(["n", "y"])[(rng.normal(size=200) < scores).astype(int)]
    member = Affine(priors=[0.3, 0.7], classes=["n", "y"])
    for cal in (
        member,
        Average([member], classes=["n", "y"]),
        Automatic([member], classes=["n", "y"], priors={"n": 0.6, "y": 0.4}),
    ):
        before = dict(cal.options)
        cross_fit(y, scores, calibrator=cal)
        assert cal.options == before
        assert cal.classes is None
    assert member.options["priors"] == [0.3, 0.7]
    assert member.options["classes"] == ["n", "y"]


def test_groups_of_mixed_kinds_stay_together():
    y = np.tile([0, 1], 60)
    names = [k // 6 if (k // 6) % 2 else f"patient {k // 6}" for k in range(120)]
    found = stratified_folds(y, 4, groups=names)
    for group in range(20):
        assert len(set(found[6 * group : 6 * group + 6])) == 1
    assert sorted(set(found)) == [0, 1, 2, 3]


def test_groups_of_mixed_kinds_do_for_automatic():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    names = [k // 6 if (k // 6) % 2 else f"patient {k // 6}" for k in range(120)]
    cal = Automatic([Affine(), Temperature()]).fit(rng.normal(size=120) + y, y, groups=names)
    assert cal.chosen.kind in ("affine", "temperature")


def test_groups_that_cannot_be_told_apart_are_refused():
    groups = np.empty(4, dtype=object)
    groups[:] = [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]
    with pytest.raises(DataError, match="groups"):
        stratified_folds([0, 1, 0, 1], 2, groups=groups)


@pytest.mark.parametrize("function", [cross_fit, fit_on_test])
@pytest.mark.parametrize("cal", ["affine", Affine, None])
def test_what_is_no_calibrator_is_refused(function, cal):
    with pytest.raises(DataError, match=r"a calibrator is needed, such as Affine\(\)"):
        function(*reversed(made_up()), calibrator=cal)


@pytest.mark.parametrize("folds", ["5", None, True, np.nan, np.inf])
def test_folds_that_are_no_number(folds):
    with pytest.raises(DataError, match="whole number from 2 to the 200 cases"):
        cross_fit(*reversed(made_up()), calibrator=Affine(), folds=folds)


@pytest.mark.parametrize("rng", ["a", 1.5, -1])
def test_a_seed_that_is_none(rng):
    with pytest.raises(DataError, match="`rng` must be None, a whole number from 0 on"):
        stratified_folds([0, 1, 0, 1], 2, rng=rng)


def test_a_whole_number_of_folds_may_be_a_float():
    np.testing.assert_array_equal(
        stratified_folds([0, 1, 0, 1], 2.0), stratified_folds([0, 1, 0, 1], 2)
    )


def test_fit_on_test_says_that_it_is_optimistic():
    assert fit_on_test.__doc__.startswith("Optimistic")


@pytest.mark.parametrize("grouped", [False, True])
def test_cases_of_weight_0_do_not_move_others_to_other_folds(grouped):
    scores, y = made_up()
    groups = np.arange(200) // 3 if grouped else None
    weights = np.where(np.arange(200) % 4 == 0, 0.0, 1.0)
    kept = weights > 0
    found = cross_fit(y, scores, calibrator=Affine(), sample_weight=weights, groups=groups)
    fewer = cross_fit(
        y[kept], scores[kept], calibrator=Affine(), groups=groups[kept] if grouped else None
    )
    np.testing.assert_array_equal(found[kept], fewer)
    assert np.isfinite(found).all()


def test_a_case_of_weight_0_is_held_out_with_its_group():
    scores, y = made_up()
    groups = np.arange(200) // 4
    weights = np.where(np.arange(200) % 4 == 0, 0.0, 1.0)
    found = cross_fit(y, scores, calibrator=Affine(), sample_weight=weights, groups=groups)
    alike = np.where(weights == 0, np.roll(scores, -1), scores)  # as the next of its group
    again = cross_fit(y, alike, calibrator=Affine(), sample_weight=weights, groups=groups)
    np.testing.assert_array_equal(again[weights == 0], found[np.flatnonzero(weights == 0) + 1])


def test_classes_are_spread_over_folds_by_the_cases_that_count():
    """Four cases of class 1 count, among forty that do not."""
    y = np.r_[np.zeros(40, dtype=int), np.ones(44, dtype=int)]
    weights = np.r_[np.ones(40), np.zeros(40), np.ones(4)]
    scores = np.random.default_rng(0).normal(size=84) + y
    for seed in range(10):
        found = cross_fit(y, scores, calibrator=Affine(), sample_weight=weights, folds=4, rng=seed)
        assert np.isfinite(found).all()


class TestInfiniteScoresOfOneFold:
    """All infinite scores are right and in fold 0, so its calibrator saw none of them.

    The finite scores order well, not at all, or the wrong way round.
    """

    Y = np.arange(60) % 2
    FOLDS = np.arange(60) // 2 % 5

    def scores(self, side, strength):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=60) + strength * (2 * self.Y - 1)
        rows = np.flatnonzero((self.FOLDS == 0) & ((side > 0) == self.Y))[:3]
        scores[rows] = side * np.inf
        return scores, rows

    @pytest.mark.parametrize("strength", [1.0, 0.0, -0.7])
    @pytest.mark.parametrize("side", [1, -1])
    @pytest.mark.parametrize("kind", [Affine, Logistic, Temperature, Vector, Beta])
    def test_scales_are_as_positive_as_those_that_saw_them(self, kind, side, strength):
        scores, rows = self.scores(side, strength)
        found = cross_fit(self.Y, scores, calibrator=kind(), folds=self.FOLDS)
        assert (found[rows, self.Y[rows]] == 1.0).all()
        assert (found[np.arange(60), self.Y] > 0.0).all()

    @pytest.mark.parametrize("kind", [Affine, Logistic])
    def test_a_line_that_would_fall_is_flat(self, kind):
        scores, rows = self.scores(1, -0.7)
        found = cross_fit(self.Y, scores, calibrator=kind(), folds=self.FOLDS)
        finite = np.setdiff1d(np.flatnonzero(self.FOLDS == 0), rows)
        np.testing.assert_allclose(found[finite], 0.5)  # the share of either class in the others

    @pytest.mark.parametrize("strength", [1.0, 0.0, -0.7])
    @pytest.mark.parametrize("side", [1, -1])
    @pytest.mark.parametrize("kind", [Smooth, Isotonic, Rank, VennAbers, Automatic, Average])
    def test_increasing_maps_give_them_as_much_as_any(self, kind, side, strength):
        scores, rows = self.scores(side, strength)
        found = cross_fit(self.Y, scores, calibrator=kind(), folds=self.FOLDS)
        own = found[self.FOLDS == 0, int(side > 0)]
        assert (found[rows, self.Y[rows]] >= own.max() - 1e-12).all()
        assert (own > 0.0).all()

    def test_a_density_says_what_it_needs(self):
        scores, _ = self.scores(1, 1.0)
        with pytest.raises(DataError, match="must be finite; they are not in row"):
            cross_fit(self.Y, scores, calibrator=Gaussian(), folds=self.FOLDS)
        assert (
            cross_fit(self.Y, scores, calibrator=Gaussian(bound="data"), folds=self.FOLDS) > 0.0
        ).all()

    @pytest.mark.parametrize("strength", [1.5, 0.0, -0.8])
    @pytest.mark.parametrize("kind", [Affine, Temperature, Vector])
    def test_of_three_classes_one_is_called_impossible(self, kind, strength):
        rng, y = np.random.default_rng(3), np.arange(90) % 3
        logits, folds = rng.normal(size=(90, 3)) + strength * np.eye(3)[y], np.arange(90) // 3 % 5
        rows = np.flatnonzero((folds == 0) & (y == 1))[:3]
        logits[rows, 2] = -np.inf
        found = cross_fit(y, logits, calibrator=kind(), folds=folds)
        assert (found[rows, 2] == 0.0).all()
        assert (found[rows, :2] > 0.0).all()

    def test_cases_of_weight_0_hold_nothing(self):
        scores, rows = self.scores(-1, 1.0)
        weights = np.ones(60)
        weights[rows] = 0.0
        kept = weights > 0.0
        found = cross_fit(
            self.Y, scores, calibrator=Affine(), folds=self.FOLDS, sample_weight=weights
        )
        alone = cross_fit(self.Y[kept], scores[kept], calibrator=Affine(), folds=self.FOLDS[kept])
        np.testing.assert_array_equal(found[kept], alone)

    def test_a_single_fold_with_equal_finite_scores(self):
        scores = np.where(np.arange(30) < 2, np.inf, 2.0)
        y, folds = (np.arange(30) % 2 == 0) | (np.arange(30) < 2), np.arange(30) // 6
        for kind in (Affine, Temperature, Vector):
            found = cross_fit(y, scores, calibrator=kind(), folds=folds)
            assert (found[:2, 1] == 1.0).all()


@pytest.mark.parametrize(("cases", "advised"), [(4, 4), (12, 5)])
def test_the_number_of_folds_that_is_advised_is_taken(cases, advised):
    scores, y = np.linspace(-2, 2, cases), np.arange(cases) % 2
    with pytest.raises(DataError, match="whole number from 2 to") as caught:
        cross_fit(y, scores, calibrator=Affine(), folds=13)
    assert caught.value.hint == f"folds={advised}, or the fold of each case"
    assert cross_fit(y, scores, calibrator=Affine(), folds=advised).shape == (cases, 2)
