"""Repeated folds behind an estimator that is fitted on all cases: many scores of each case."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'stakes[sklearn]'")

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import stakes
from stakes.calibration import Affine, Temperature
from stakes.exceptions import DataError
from stakes.integrations.sklearn import BayesDecisionClassifier

COSTS = stakes.CostMatrix([[0, 1, 2], [2, 0, 1], [9, 4, 0]])
TWICE = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


@pytest.fixture(scope="module")
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        300, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, class_sep=0.7, random_state=1
    )


def by_fold(X, y, folds, weights=None) -> list[tuple[np.ndarray, np.ndarray]]:
    """The test part of each fold, and its log-posteriors by naive Bayes."""
    weights = np.ones(len(y)) if weights is None else weights
    return [
        (test, GaussianNB().fit(X[train], y[train], weights[train]).predict_log_proba(X[test]))
        for train, test in folds
    ]


@pytest.mark.parametrize("calibrator", [Affine(), Temperature()])
def test_rows_repeated_with_every_score_give_the_same(three_classes, calibrator) -> None:
    X, y = three_classes
    parts = by_fold(X, y, TWICE.split(X, y))
    rows = np.concatenate([test for test, _ in parts])
    learnt = calibrator.unfitted().fit(np.concatenate([raw for _, raw in parts]), y[rows])
    expected = learnt.posteriors(GaussianNB().fit(X, y).predict_log_proba(X))
    model = BayesDecisionClassifier(GaussianNB(), COSTS, calibrator=calibrator, cv=TWICE).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-7)
    assert not hasattr(model, "estimators_")


def test_weights_of_the_cases_are_kept(three_classes) -> None:
    X, y = three_classes
    weights = 1.0 + np.arange(len(y)) % 3
    parts = by_fold(X, y, TWICE.split(X, y), weights)
    rows = np.repeat(*np.array([(t, weights[t]) for part, _ in parts for t in part], int).T)
    scores = np.repeat(
        np.concatenate([raw for _, raw in parts]),
        np.concatenate([weights[test] for test, _ in parts]).astype(int),
        axis=0,
    )
    expected = Affine().fit(scores, y[rows])
    model = BayesDecisionClassifier(GaussianNB(), calibrator=Affine(), cv=TWICE)
    model.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.calibrator_.scales, expected.scales, atol=1e-6)
    assert model.calibrator_.priors == pytest.approx(
        np.bincount(y, weights) / weights.sum(), abs=1e-12
    )


@pytest.mark.parametrize("priors", [None, [0.5, 0.3, 0.2]])
def test_the_same_folds_twice_change_nothing(three_classes, priors) -> None:
    X, y = three_classes
    once = list(StratifiedKFold(3).split(X, y))
    app = stakes.Application(COSTS, priors=priors)
    first, second = (
        BayesDecisionClassifier(GaussianNB(), app, calibrator=Affine(), cv=cv).fit(X, y)
        for cv in (once, once * 2)
    )
    np.testing.assert_allclose(first.predict_proba(X), second.predict_proba(X), atol=1e-7)
    assert (first.predict(X) == second.predict(X)).all()


def test_numbers_of_folds_may_differ(three_classes) -> None:
    X, y = three_classes
    folds = [*StratifiedKFold(3).split(X, y), *StratifiedKFold(4).split(X, y)]
    parts = by_fold(X, y, folds)
    rows = np.concatenate([test for test, _ in parts])
    expected = Affine().fit(np.concatenate([raw for _, raw in parts]), y[rows])
    model = BayesDecisionClassifier(GaussianNB(), calibrator=Affine(), cv=folds).fit(X, y)
    np.testing.assert_allclose(model.calibrator_.scales, expected.scales, atol=1e-6)


def test_the_automatic_choice_holds_all_scores_of_a_case_out() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    y = (rng.random(200) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    folds = list(StratifiedKFold(4).split(X, y)) * 8
    model = BayesDecisionClassifier(LogisticRegression(), calibrator="auto", cv=folds).fit(X, y)
    table = model.calibrator_.frame()
    loss = dict(zip(table["candidate"], table["loss"], strict=True))
    # On copies of what it has seen isotonic regression seems the best of all.
    assert loss["isotonic"] > loss["affine"]


def test_uneven_folds_are_refused(three_classes) -> None:
    X, y = three_classes
    with pytest.raises(
        DataError, match="as many test parts as any other; here they are in 0 to"
    ) as error:
        BayesDecisionClassifier(
            GaussianNB(), calibrator=Affine(), cv=ShuffleSplit(4, random_state=0)
        ).fit(X, y)
    assert "StratifiedKFold(5)" in str(error.value)


class Marked(ClassifierMixin, BaseEstimator):
    """Marks some cases of what it takes for the first class by a vast score."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.where(X[:, 0] < 0, -1e9, X[:, 0] - 1.5)


@pytest.mark.parametrize("ensemble", [False, True])
def test_cases_that_are_called_impossible_are_named(ensemble) -> None:
    X = np.repeat(np.arange(4.0), 10)[:, None]
    y = np.repeat([0, 0, 1, 1], 10)
    odd = 37
    X[odd] = -1.0
    X[[5, 31]] = X[[31, 5]]  # so that labels are not told apart
    folds = [*StratifiedKFold(5).split(X, y)] * 2
    model = BayesDecisionClassifier(Marked(), calibrator=Affine(), cv=folds, ensemble=ensemble)
    with pytest.raises(DataError, match="as if it were impossible") as caught:
        model.fit(X, y)
    assert caught.value.rows == (odd,)
    assert ("once for each repetition" in str(caught.value)) is not ensemble


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("calibrator", [Affine(), Temperature()])
def test_posteriors_of_zero_are_trusted_a_little_more_than_others(ensemble, calibrator) -> None:
    """Naive Bayes rounds to 0 what it calls unlikely, and is wrong where a label is."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 8)) + 40 * y[:, None] * (np.arange(200) % 3 > 0)[:, None]
    y[[17, 43]] = 0
    folds = StratifiedKFold(4)
    model = BayesDecisionClassifier(
        GaussianNB(), calibrator=calibrator, cv=folds, ensemble=ensemble
    )
    scores = np.empty((200, 2))
    with np.errstate(divide="ignore"):
        for train, test in folds.split(X, y):
            scores[test] = np.log(GaussianNB().fit(X[train], y[train]).predict_proba(X[test]))
    assert np.isneginf(scores[[17, 43], 0]).all()
    with pytest.raises(DataError, match="posterior of 0"):
        calibrator.unfitted().fit(scores, y)
    expected = type(calibrator)(bound="data").fit(scores, y)
    found = model.fit(X, y).calibrator_
    np.testing.assert_array_equal(found.posteriors(scores), expected.posteriors(scores))
    assert calibrator.options["bound"] is None
    assert (model.predict_proba(X) > 0).all()
