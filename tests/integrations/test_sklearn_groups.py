"""Cases that belong together, behind estimators of scikit-learn: on one side of every fold."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")

from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import stakes
from stakes.calibration import Affine, Automatic, Average, Constant, Isotonic, Temperature
from stakes.exceptions import DataError
from stakes.integrations.sklearn import (
    BayesDecisionClassifier,
    CalibratorTransformer,
    CostWeightedClassifier,
)

COSTS = stakes.CostMatrix([[0, 1], [5, 0]])
SIZE, MEMBERS = 120, 4


class FirstColumn(ClassifierMixin, BaseEstimator):
    """Scores cases by their first column, and notes whom it learnt from and whom it scored."""

    seen: ClassVar[list[tuple[frozenset, frozenset]]] = []

    def fit(self, X, y):
        self.classes_, self.learnt_ = np.unique(y), frozenset(X[:, 0].tolist())
        return self

    def decision_function(self, X):
        self.seen.append((self.learnt_, frozenset(X[:, 0].tolist())))
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


class Noting(Affine):
    """Notes the scores it learnt from and those it was applied to."""

    kind = ""
    seen: ClassVar[list[tuple[frozenset, frozenset]]] = []

    def _fit(self, cases):
        self.learnt_ = _told(cases.scores)
        super()._fit(cases)

    def _log_posteriors(self, scores):
        self.seen.append((self.learnt_, _told(scores)))
        return super()._log_posteriors(scores)


def _told(scores) -> frozenset:
    return frozenset(scores.log_odds().round(9).tolist())


@pytest.fixture
def told_apart() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cases whose first column is different for each; their classes and groups."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, SIZE)
    X = np.column_stack([(2 * y - 1 + 2 * rng.normal(size=SIZE)).round(9), rng.normal(size=SIZE)])
    FirstColumn.seen.clear()
    Noting.seen.clear()
    return X, y, rng.permutation(np.arange(SIZE) // MEMBERS)


@pytest.fixture(scope="module")
def in_groups() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = make_classification(160, 5, n_informative=3, class_sep=0.6, random_state=3)
    return X, y, np.array([f"customer {i // 2}" for i in range(len(y))])


def assert_apart(pairs, X, groups, *, parts: int) -> None:
    """Whoever is scored was not learnt from, nor anybody of the group; but for whole fits."""
    group = dict(zip(X[:, 0].tolist(), groups.tolist(), strict=True))
    held_out = [(learnt, scored) for learnt, scored in pairs if learnt != scored]
    assert len(held_out) == parts
    for learnt, scored in held_out:
        assert not {group[one] for one in learnt} & {group[one] for one in scored}


# ----------------------------------------------------------------- nobody on both sides


@pytest.mark.parametrize("cv", [4, GroupKFold(4), StratifiedGroupKFold(4)])
@pytest.mark.parametrize("routing", [False, True])
def test_no_group_is_on_both_sides(told_apart, cv, routing) -> None:
    X, y, groups = told_apart
    chosen = Automatic([Noting(), Constant()], folds=3)
    with config_context(enable_metadata_routing=routing):
        BayesDecisionClassifier(FirstColumn(), COSTS, calibrator=chosen, cv=cv).fit(
            X, y, groups=groups
        )
    assert_apart(FirstColumn.seen, X, groups, parts=4)
    assert_apart(Noting.seen, X, groups, parts=3)


def test_without_groups_they_are_on_both_sides(told_apart) -> None:
    X, y, groups = told_apart
    BayesDecisionClassifier(FirstColumn(), COSTS, calibrator=Automatic([Noting(), Constant()])).fit(
        X, y
    )
    for seen, parts in ((FirstColumn.seen, 5), (Noting.seen, len(Noting.seen))):
        with pytest.raises(AssertionError):
            assert_apart(seen, X, groups, parts=parts)


@pytest.mark.parametrize("ensemble", [False, True])
def test_groups_are_coarser_than_the_repetitions(told_apart, ensemble) -> None:
    X, y, groups = told_apart
    folds = [
        part
        for seed in range(2)
        for part in StratifiedGroupKFold(3, shuffle=True, random_state=seed).split(X, y, groups)
    ]
    chosen = Automatic([Noting(), Constant()], folds=4)
    BayesDecisionClassifier(
        FirstColumn(), COSTS, calibrator=chosen, cv=folds, ensemble=ensemble
    ).fit(X, y, groups=groups)
    assert_apart(FirstColumn.seen, X, groups, parts=6)
    assert_apart(Noting.seen, X, groups, parts=4)


def test_members_of_an_average_are_told_too(told_apart) -> None:
    X, y, groups = told_apart
    mean = Average([Automatic([Noting(), Constant()], folds=3), Temperature()])
    BayesDecisionClassifier(FirstColumn(), calibrator=mean).fit(X, y, groups=groups)
    assert_apart(Noting.seen, X, groups, parts=3)


def test_a_step_of_a_pipeline_is_told_too(told_apart) -> None:
    X, y, groups = told_apart
    step = CalibratorTransformer(Automatic([Noting(), Constant()]), kind="log_odds")
    step.fit(X[:, :1], y, groups=groups)
    assert_apart(Noting.seen, X, groups, parts=5)
    Noting.seen.clear()
    with config_context(enable_metadata_routing=True):
        make_pipeline(step, GaussianNB()).fit(X[:, :1], y, groups=groups)
    assert_apart([pair for pair in Noting.seen if len(pair[0]) < SIZE], X, groups, parts=5)


# ----------------------------------------------------------------- laws


@pytest.mark.parametrize(
    ("calibrator", "cv"),
    [("auto", 4), (Affine(), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))],
)
def test_a_group_for_every_case_changes_nothing(in_groups, calibrator, cv) -> None:
    X, y, _ = in_groups
    names = [f"case {i}" for i in range(len(y))]
    plain, single = (
        BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=calibrator, cv=cv).fit(
            X, y, groups=groups
        )
        for groups in (None, names)
    )
    assert (plain.predict_proba(X) == single.predict_proba(X)).all()
    assert (plain.predict(X) == single.predict(X)).all()


@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
def test_copies_within_groups_change_nothing(in_groups, priors) -> None:
    X, y, groups = in_groups
    app = stakes.Application(COSTS, priors=priors)
    three = np.tile(np.arange(len(y)), 3)
    once, thrice = (
        BayesDecisionClassifier(GaussianNB(), app, calibrator=Affine()).fit(
            X[rows], y[rows], groups=groups[rows]
        )
        for rows in (np.arange(len(y)), three)
    )
    np.testing.assert_allclose(once.predict_proba(X), thrice.predict_proba(X), atol=1e-7)
    assert (once.predict(X) == thrice.predict(X)).all()


def test_weights_are_copies_within_groups(in_groups) -> None:
    X, y, groups = in_groups
    weights = 1 + np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weights)
    folds = list(GroupKFold(4).split(X, y, groups))
    number = np.empty(len(y), int)
    for k, (_, test) in enumerate(folds):
        number[test] = k
    repeated = [
        (np.flatnonzero(number[rows] != k), np.flatnonzero(number[rows] == k)) for k in range(4)
    ]
    first = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=Affine(), cv=folds)
    first.fit(X, y, sample_weight=weights, groups=groups)
    second = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=Affine(), cv=repeated)
    second.fit(X[rows], y[rows], groups=groups[rows])
    np.testing.assert_allclose(first.predict_proba(X), second.predict_proba(X), atol=1e-6)


def test_copies_do_not_make_learning_by_heart_look_good() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    y = (rng.random(200) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    rows = np.tile(np.arange(200), 6)
    chosen = {}
    for name, taken, groups in (
        ("as they are", np.arange(200), None),
        ("copies", rows, None),
        ("copies in groups", rows, rows),
    ):
        model = BayesDecisionClassifier(
            LogisticRegression(C=1e6), calibrator=Automatic([Affine(), Isotonic()]), cv=4
        ).fit(X[taken], y[taken], groups=groups)
        chosen[name] = model.calibrator_.chosen.kind
    assert chosen == {"as they are": "affine", "copies": "isotonic", "copies in groups": "affine"}


# ----------------------------------------------------------------- as people of scikit-learn do it


def test_groups_of_cross_validation_reach_the_folds_within(told_apart) -> None:
    X, y, groups = told_apart
    model = BayesDecisionClassifier(
        FirstColumn(), COSTS, calibrator=Automatic([Noting(), Constant()], folds=3), cv=3
    )
    with config_context(enable_metadata_routing=True):
        cross_validate(model, X, y, params={"groups": groups}, cv=GroupKFold(2))
    inside = [pair for pair in FirstColumn.seen if len(pair[0]) < SIZE / 2]
    assert_apart(inside, X, groups, parts=2 * 3)


def test_groups_reach_a_step_of_a_searched_pipeline(in_groups) -> None:
    X, y, groups = in_groups
    model = make_pipeline(
        StandardScaler(), BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=Affine(), cv=4)
    )
    name = "bayesdecisionclassifier__estimator__var_smoothing"
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(model, {name: [1e-9]}, cv=GroupKFold(3)).fit(X, y, groups=groups)
    direct = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=Affine(), cv=4)
    scaled = StandardScaler().fit_transform(X)
    direct.fit(scaled, y, groups=groups)
    np.testing.assert_allclose(search.predict_proba(X), direct.predict_proba(scaled), atol=1e-9)
    plain = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=Affine(), cv=4).fit(scaled, y)
    assert abs(plain.predict_proba(scaled) - direct.predict_proba(scaled)).max() > 1e-4


def test_groups_may_have_another_name_or_be_left_out(in_groups) -> None:
    X, y, groups = in_groups
    with config_context(enable_metadata_routing=True):
        model = BayesDecisionClassifier(GaussianNB(), calibrator=Affine())
        named = make_pipeline(model.set_fit_request(groups="customer")).fit(X, y, customer=groups)
        direct = BayesDecisionClassifier(GaussianNB(), calibrator=Affine()).fit(X, y, groups=groups)
        assert (named.predict_proba(X) == direct.predict_proba(X)).all()
        without = BayesDecisionClassifier(GaussianNB(), calibrator=Affine())
        without.set_fit_request(groups=False)
        search = GridSearchCV(without, {"ensemble": [False]}, cv=GroupKFold(3))
        search.fit(X, y, groups=groups)
    plain = BayesDecisionClassifier(GaussianNB(), calibrator=Affine()).fit(X, y)
    assert (search.predict_proba(X) == plain.predict_proba(X)).all()


def test_one_within_another_is_told(told_apart) -> None:
    X, y, groups = told_apart
    for routing in (False, True):
        FirstColumn.seen.clear()
        inner = BayesDecisionClassifier(FirstColumn(), COSTS, calibrator=Affine(), cv=2)
        with config_context(enable_metadata_routing=routing):
            model = BayesDecisionClassifier(inner, calibrator=Affine(), cv=3)
            model.fit(X, y, groups=groups)
        # Within each of three folds two more, and the fold itself; then two on all cases.
        assert_apart(FirstColumn.seen, X, groups, parts=3 * (2 + 1) + 2)


@pytest.mark.parametrize("form", ["list", "pandas", "polars", "numbers"])
def test_forms_of_groups(in_groups, form) -> None:
    X, y, groups = in_groups
    given = {
        "list": groups.tolist,
        "pandas": lambda: pytest.importorskip("pandas").Series(groups, index=range(7, 167)),
        "polars": lambda: pytest.importorskip("polars").Series(groups),
        "numbers": lambda: np.unique(groups, return_inverse=True)[1] * 1000,
    }[form]()
    first = BayesDecisionClassifier(GaussianNB(), calibrator=Affine()).fit(X, y, groups=given)
    second = BayesDecisionClassifier(GaussianNB(), calibrator=Affine()).fit(X, y, groups=groups)
    assert (first.predict_proba(X) == second.predict_proba(X)).all()


# ----------------------------------------------------------------- what cannot be done


@pytest.mark.parametrize(
    "cv", [StratifiedKFold(4), KFold(4), RepeatedStratifiedKFold(n_splits=3, random_state=0)]
)
@pytest.mark.parametrize("routing", [False, True])
def test_folds_that_tear_groups_apart_are_refused(in_groups, cv, routing) -> None:
    X, y, groups = in_groups
    order = np.random.default_rng(0).permutation(len(y))
    with (
        config_context(enable_metadata_routing=routing),
        pytest.raises(
            DataError, match=r"group 'customer .*' is on both sides of split 0"
        ) as caught,
    ):
        BayesDecisionClassifier(GaussianNB(), calibrator=Affine(), cv=cv).fit(
            X[order], y[order], groups=groups[order]
        )
    assert "cv=GroupKFold(5)" in str(caught.value)
    assert caught.value.rows


def test_fewer_groups_than_folds() -> None:
    X, y = make_classification(90, 5, random_state=0)
    groups = np.arange(90) % 3
    with pytest.raises(DataError, match=r"`cv` must be from 2 to 3, .*; got 5") as caught:
        BayesDecisionClassifier(GaussianNB(), calibrator="auto").fit(X, y, groups=groups)
    assert caught.value.hint == "cv=3"
    model = BayesDecisionClassifier(GaussianNB(), calibrator="auto", cv=3).fit(X, y, groups=groups)
    assert model.predict_proba(X).shape == (90, 2)
    by_group = BayesDecisionClassifier(GaussianNB(), calibrator="auto", cv=LeaveOneGroupOut())
    by_group.fit(X, y, groups=groups)
    with pytest.raises(DataError, match="at least as many as the 5 folds; got 3") as caught:
        BayesDecisionClassifier(GaussianNB(), calibrator=Automatic(), cv=3).fit(X, y, groups=groups)
    assert caught.value.hint == "folds=3"


def test_groups_of_one_class_each() -> None:
    X, y = make_classification(80, 5, class_sep=0.3, random_state=0)
    groups = np.where(y == 1, np.arange(80) % 4, 4 + np.arange(80) % 3)  # patients ill or not
    with pytest.raises(DataError, match="`cv` must be from 2 to 4"):
        BayesDecisionClassifier(GaussianNB(), calibrator="auto").fit(X, y, groups=groups)
    model = BayesDecisionClassifier(GaussianNB(), calibrator="auto", cv=4).fit(X, y, groups=groups)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("cv", [5, GroupKFold(5), StratifiedKFold(2)])
def test_a_class_of_one_group_is_named(in_groups, cv) -> None:
    X, y, _ = in_groups
    groups = np.where(y == 1, "clinic", np.array([f"home {i % 9}" for i in range(len(y))]))
    with pytest.raises(DataError, match="cases of 1 are in group 'clinic'") as caught:
        BayesDecisionClassifier(GaussianNB(), calibrator=Affine(), cv=cv).fit(X, y, groups=groups)
    assert "from another group" in str(caught.value)


def test_groups_must_fit_the_cases(in_groups) -> None:
    X, y, groups = in_groups
    with pytest.raises(DataError, match="`groups` has 10 rows but `y` has 160"):
        BayesDecisionClassifier(GaussianNB(), calibrator=Affine()).fit(X, y, groups=groups[:10])
    missing = groups.astype(object)
    missing[3] = None
    with pytest.raises(DataError, match="`groups`"):
        BayesDecisionClassifier(GaussianNB(), calibrator=Affine()).fit(X, y, groups=missing)


def test_without_a_calibrator_there_are_no_folds(in_groups) -> None:
    X, y, groups = in_groups
    first, second = BayesDecisionClassifier(GaussianNB()), BayesDecisionClassifier(GaussianNB())
    first.fit(X, y, groups=groups)
    assert (first.predict_proba(X) == second.fit(X, y).predict_proba(X)).all()


def test_an_estimator_without_folds_wants_none(in_groups) -> None:
    X, y, groups = in_groups
    with pytest.raises(DataError, match="GaussianNB takes no groups in fit") as caught:
        CostWeightedClassifier(GaussianNB(), COSTS).fit(X, y, groups=groups)
    assert caught.value.hint == "leave out `groups`"


class OddAndEven:
    """A splitter that knows nothing of scikit-learn but how to split."""

    def split(self, X, y=None, groups=None):
        odd = np.asarray(groups) % 2 == 1
        return [(np.flatnonzero(odd == side), np.flatnonzero(odd != side)) for side in (0, 1)]

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2


@pytest.mark.parametrize("routing", [False, True])
def test_a_splitter_of_ones_own_is_told(told_apart, routing) -> None:
    X, y, groups = told_apart
    with config_context(enable_metadata_routing=routing):
        model = BayesDecisionClassifier(FirstColumn(), calibrator=Affine(), cv=OddAndEven())
        model.fit(X, y, groups=groups)
    assert_apart(FirstColumn.seen, X, groups, parts=2)


def test_a_splitter_without_the_groups_it_wants(in_groups) -> None:
    X, y, _ = in_groups
    model = BayesDecisionClassifier(GaussianNB(), calibrator=Affine(), cv=GroupKFold(3))
    with pytest.raises(DataError, match="`cv` is a GroupKFold, and no groups were given") as caught:
        model.fit(X, y)
    assert "enable_metadata_routing=True" in str(caught.value)
    model.fit(X, y, groups=np.arange(len(y)))  # each a group of its own are groups too


def test_uneven_parts_of_groups_are_told_what_to_take(in_groups) -> None:
    X, y, groups = in_groups
    model = BayesDecisionClassifier(
        GaussianNB(), calibrator=Affine(), cv=GroupShuffleSplit(4, random_state=0)
    )
    with pytest.raises(DataError, match="as many test parts as any other") as caught:
        model.fit(X, y, groups=groups)
    assert caught.value.hint == "cv=5, or cv=GroupKFold(5)"
