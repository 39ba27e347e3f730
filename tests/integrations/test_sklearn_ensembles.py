"""Keeping the classifiers of the folds instead of fitting one anew."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")

from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import stakes
from stakes.calibration import Affine
from stakes.exceptions import DataError
from stakes.integrations.sklearn import BayesDecisionClassifier

COSTS = stakes.CostMatrix([[0, 1, 2], [2, 0, 1], [9, 4, 0]]).with_abstention(0.5)
TWICE = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


@pytest.fixture(scope="module")
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        300, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, class_sep=0.7, random_state=1
    )


def test_passes_the_checks_of_scikit_learn() -> None:
    cal = Affine(smoothing=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(0)  # noqa: NPY002 - some of the checks draw from it
        check_estimator(
            BayesDecisionClassifier(LogisticRegression(), calibrator=cal, cv=2, ensemble=True)
        )


def test_once_held_out_is_the_mean_over_calibrated_classifiers(three_classes) -> None:
    X, y = three_classes
    new, raw, fitted = X[:40] + 0.1, np.empty((len(y), 3)), []
    for train, test in StratifiedKFold(4).split(X, y):
        fitted.append(GaussianNB().fit(X[train], y[train]))
        raw[test] = fitted[-1].predict_log_proba(X[test])
    cal = Affine().fit(raw, y)
    expected = sum(cal.posteriors(one.predict_log_proba(new)) for one in fitted) / 4
    model = BayesDecisionClassifier(
        GaussianNB(), COSTS, calibrator=Affine(), cv=4, ensemble=True
    ).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-9)
    assert not hasattr(model, "estimator_")
    for one, same in zip(model.estimators_, fitted, strict=True):  # in the order of the folds
        np.testing.assert_allclose(one.theta_, same.theta_)


def test_repeated_folds_score_new_cases_as_held_out_ones(three_classes) -> None:
    X, y = three_classes
    new, mean, fitted = X[:40] + 0.1, np.zeros((len(y), 3)), []
    for train, test in TWICE.split(X, y):
        fitted.append(GaussianNB().fit(X[train], y[train]))
        mean[test] += fitted[-1].predict_proba(X[test]) / 2
    cal = Affine().fit(np.log(mean), y)
    pairs = [
        (fitted[k].predict_proba(new) + fitted[k + 3].predict_proba(new)) / 2 for k in (0, 1, 2)
    ]
    expected = sum(cal.posteriors(np.log(pair)) for pair in pairs) / 3
    model = BayesDecisionClassifier(
        GaussianNB(), COSTS, calibrator=Affine(), cv=TWICE, ensemble=True
    ).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-9)
    for one, same in zip(model.estimators_, fitted, strict=True):
        np.testing.assert_allclose(one.theta_, same.theta_)
    decided = stakes.bayes_decisions(expected, stakes.Application(COSTS))
    assert model.predict(new).tolist() == [COSTS.decisions[j] for j in decided]


def test_decision_functions_are_averaged_as_they_are() -> None:
    X, y = make_classification(300, 5, class_sep=0.6, random_state=2)
    mean, fitted = np.zeros(len(y)), []
    for train, test in TWICE.split(X, y):
        fitted.append(LinearSVC(dual=False, random_state=0).fit(X[train], y[train]))
        mean[test] += fitted[-1].decision_function(X[test]) / 2
    cal = Affine().fit(mean, y)
    pairs = [fitted[k].decision_function(X) + fitted[k + 3].decision_function(X) for k in (0, 1, 2)]
    expected = sum(cal.posteriors(pair / 2) for pair in pairs) / 3
    svc = LinearSVC(dual=False, random_state=0)
    model = BayesDecisionClassifier(svc, calibrator=Affine(), cv=TWICE, ensemble=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-6)


def test_fitted_anew_without_it_leaves_one_estimator(three_classes) -> None:
    X, y = three_classes
    model = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=Affine(), cv=3, ensemble=True)
    model.fit(X, y).set_params(ensemble=False).fit(X, y)
    assert isinstance(model.estimator_, GaussianNB)
    assert not hasattr(model, "estimators_")


def test_a_refused_fit_leaves_the_model_as_it_was(three_classes) -> None:
    X, y = three_classes
    model = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=Affine(), cv=3, ensemble=True)
    before = model.fit(X, y).predict(X)
    with pytest.raises(DataError, match="there is none"):
        model.set_params(calibrator=None).fit(X, y)
    assert (model.predict(X) == before).all()


@pytest.mark.parametrize("ensemble", [False, True])
def test_what_predicts_is_what_is_shown(three_classes, ensemble) -> None:
    X, y = three_classes
    model = BayesDecisionClassifier(
        GaussianNB(), COSTS, calibrator=Affine(), cv=2, ensemble=ensemble
    ).fit(X, y)
    before, other = model.predict_proba(X), GaussianNB(var_smoothing=1.0).fit(X, y)
    if ensemble:
        model.estimators_ = [other, other]
    else:
        model.estimator_ = other
    after = model.predict_proba(X)
    assert not np.allclose(after, before)
    expected = model.calibrator_.posteriors(other.predict_log_proba(X))
    np.testing.assert_allclose(after, expected)


def test_costs_and_priors_of_the_cases_at_hand(three_classes) -> None:
    X, y = three_classes
    model = BayesDecisionClassifier(
        GaussianNB(), COSTS, calibrator=Affine(), cv=TWICE, ensemble=True
    )
    model.fit(X, y)
    plain, there = model.predict_proba(X), np.array([0.1, 0.2, 0.7])
    moved = plain * there / model.class_priors_
    moved /= moved.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X, priors=there), moved)
    values = np.repeat(COSTS.values[None], len(y), axis=0) * (1 + np.arange(len(y)))[:, None, None]
    assert (model.predict(X, costs=values) == model.predict(X)).all()
    assert (model.inspect(X[:9])["decision"] == model.predict(X[:9])).all()


def test_frames_and_sparse_tables(three_classes) -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    sparse = pytest.importorskip("scipy.sparse")
    X, y = three_classes
    lr = LogisticRegression(max_iter=500)
    made = BayesDecisionClassifier(lr, COSTS, calibrator=Affine(), cv=TWICE, ensemble=True)
    expected = clone(made).fit(X, y).predict_proba(X)
    frame = pandas.DataFrame(X, columns=list("abcdef"), index=np.arange(len(y))[::-1])
    model = clone(made).fit(frame, y)
    np.testing.assert_allclose(model.predict_proba(frame), expected)
    assert model.feature_names_in_.tolist() == list("abcdef")
    table = sparse.csr_matrix(X)
    np.testing.assert_allclose(clone(made).fit(table, y).predict_proba(table), expected, atol=1e-4)


def test_copies_decide_alike(three_classes) -> None:
    X, y = three_classes
    model = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator="auto", cv=3, ensemble=True)
    model.fit(X, y)
    assert clone(model).ensemble is True
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()


def test_groups_and_weights_reach_the_folds(three_classes) -> None:
    X, y = three_classes
    groups, weights = np.arange(len(y)) // 4, 1.0 + np.arange(len(y)) % 3
    options = {"calibrator": Affine(), "ensemble": True}
    with config_context(enable_metadata_routing=True):
        inner = GaussianNB().set_fit_request(sample_weight=True)
        model = BayesDecisionClassifier(inner, cv=GroupKFold(3), **options)
        model.set_fit_request(sample_weight=True)
        model.fit(X, y, groups=groups, sample_weight=weights)
    folds = list(GroupKFold(3).split(X, y, groups))
    same = BayesDecisionClassifier(GaussianNB(), cv=folds, **options).fit(X, y, weights)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))
    first = GaussianNB().fit(X[folds[0][0]], y[folds[0][0]], weights[folds[0][0]])
    np.testing.assert_allclose(model.estimators_[0].theta_, first.theta_)


def test_masks_serve_as_folds(three_classes) -> None:
    X, y = three_classes
    number = np.arange(len(y)) % 3
    masks = [(number != k, number == k) for k in range(3)]
    rows = [(np.flatnonzero(train), np.flatnonzero(test)) for train, test in masks]
    options = {"calibrator": Affine(), "ensemble": True}
    found = [
        BayesDecisionClassifier(GaussianNB(), cv=cv, **options).fit(X, y).predict_proba(X)
        for cv in (masks, rows)
    ]
    np.testing.assert_allclose(*found)


class Wrapped(ClassifierMixin, BaseEstimator):
    """Names its classes in ways of its own."""

    def __init__(self, how: str = "list") -> None:
        self.how = how

    def fit(self, X, y):
        self.inner_ = GaussianNB().fit(X, y)
        names = self.inner_.classes_
        self.classes_ = list(names) if self.how == "list" else np.arange(len(names))
        return self

    def predict_proba(self, X):
        found = self.inner_.predict_proba(X)
        return np.column_stack([found, np.zeros(len(X))]) if self.how == "wide" else found


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("how", ["list", "codes"])
def test_classes_may_be_named_in_any_way(three_classes, how, ensemble) -> None:
    X, y = three_classes
    names = np.array(["a", "b", "c"])[y]
    options = {"calibrator": Affine(), "cv": 3, "ensemble": ensemble}
    model = BayesDecisionClassifier(Wrapped(how), **options).fit(X, names)
    same = BayesDecisionClassifier(GaussianNB(), **options).fit(X, names)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))


def test_a_column_too_many_is_refused(three_classes) -> None:
    X, y = three_classes
    with pytest.raises(DataError, match=r"shape \(100, 4\) for 3 classes"):
        BayesDecisionClassifier(Wrapped("wide"), calibrator=Affine(), cv=3).fit(X, y)


def test_without_a_calibrator_there_is_nothing_to_keep(three_classes) -> None:
    X, y = three_classes
    with pytest.raises(DataError, match="there is none") as error:
        BayesDecisionClassifier(GaussianNB(), ensemble=True).fit(X, y)
    assert "calibrator='auto'" in str(error.value)


@pytest.mark.parametrize("ensemble", [False, True])
def test_a_single_class_is_named(three_classes, ensemble) -> None:
    X, _ = three_classes
    model = BayesDecisionClassifier(GaussianNB(), calibrator=Affine(), ensemble=ensemble)
    with pytest.raises(DataError, match=r"a single class, 'no' \(300 cases\)"):
        model.fit(X, np.full(300, "no"))


def test_ensemble_is_yes_or_no(three_classes) -> None:
    X, y = three_classes
    with pytest.raises(DataError, match="True or False; got 'auto'"):
        BayesDecisionClassifier(GaussianNB(), ensemble="auto").fit(X, y)


@pytest.mark.parametrize(
    ("folds", "told"),
    [
        (ShuffleSplit(4, random_state=0), "as many test parts as any other; here they are in 0 to"),
        ("3 and 4", "equally many splits; there are 2 repetitions, of 7 splits together"),
    ],
)
def test_uneven_folds_are_refused(three_classes, folds, told) -> None:
    X, y = three_classes
    if folds == "3 and 4":
        folds = [*StratifiedKFold(3).split(X, y), *StratifiedKFold(4).split(X, y)]
    with pytest.raises(DataError, match=told) as error:
        BayesDecisionClassifier(GaussianNB(), calibrator=Affine(), cv=folds, ensemble=True).fit(
            X, y
        )
    assert "RepeatedStratifiedKFold" in str(error.value)


@pytest.mark.parametrize("ensemble", [False, True])
def test_a_generator_that_is_used_up_is_named(three_classes, ensemble) -> None:
    X, y = three_classes
    with pytest.raises(DataError, match="no case into any test part") as error:
        BayesDecisionClassifier(
            GaussianNB(), calibrator=Affine(), cv=iter([]), ensemble=ensemble
        ).fit(X, y)
    assert "generator" in str(error.value)
