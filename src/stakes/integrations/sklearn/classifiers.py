"""Classifiers that decide by costs: Bayes decisions on posteriors, or weights while fitting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from stakes._checks import as_priors, same_length
from stakes._columns import as_weights, refuse_masked
from stakes._guesses import answers_guesses
from stakes._names import encode
from stakes.application import Application, CostMatrix, sample_weights
from stakes.exceptions import CostError, DataError
from stakes.integrations.sklearn.estimator_costs import (
    as_case_costs,
    cost_per_case,
    decision_array,
    in_application_order,
    resolve,
    shifted,
    unfitted,
)
from stakes.integrations.sklearn.held_out_folds import (
    fold_count,
    held_out,
    learnt,
    posteriors_by,
    read_groups,
    refuse_ensemble,
)
from stakes.integrations.sklearn.sklearn_protocol import (
    AroundClassifier,
    checked_labels,
    fit_metadata,
    refuse_without_weights,
    weights_learnt,
)
from stakes.metrics import expected_cost
from stakes.results import Frame
from stakes.rules import DecisionRule
from stakes.typing import IntArray, Priors


# Learnt from held-out scores: docs/design/scikit-learn.md.
class BayesDecisionClassifier(AroundClassifier):
    """Decide by least expected cost from the posteriors of any classifier.

    `predict` returns decisions, which need not be classes: "abstain" is one if the costs have it.
    Any number of classes and decisions; costs and priors may be given anew at `predict`.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba`; or with `decision_function`, if there is a calibrator.
    application : Application or CostMatrix, optional
        Costs and priors. Its classes are the labels in `y` (or `y` holds their positions).
        Default: every error costs 1. If it has priors, posteriors are moved to them from the
        class shares of the training data.
    calibrator : Calibrator or "auto", optional
        Fitted to out-of-fold scores. "auto": `stakes.calibration.Automatic`. Default: the
        posteriors are taken as they are. Where some of these are exactly 0, as of naive Bayes and
        forests, and the calibrator fits a scale without a `bound`, it gets ``bound="data"``.
    cv : int, splitter or iterable
        Folds for the calibrator; they must put every case into as many test parts as any other. A
        number stands for stratified folds, which keep the groups given to `fit` together.
        With few cases many folds, repeated, make decisions cheaper:
        `RepeatedStratifiedKFold(n_splits=20, n_repeats=3)`, which takes 60 fits.
    ensemble : bool
        Keep the classifiers of the folds and take the mean of their calibrated posteriors, instead
        of fitting one classifier on all cases. With few cases its decisions cost less, above all
        with `cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=5)`, which takes 25 fits.

    Attributes
    ----------
    classes_ : array
        The labels seen in `fit`, sorted.
    decisions_ : array
        The decisions, in the order of the costs.
    application_ : Application
        What decides.
    estimator_, calibrator_
        The fitted parts.
    estimators_ : list
        With `ensemble`, instead of `estimator_`: the classifiers, in the order of the folds.
    class_priors_ : array
        Shares of the application's classes under which the posteriors were learnt.
    rule_ : DecisionRule
        What is decided on posteriors under these shares; prints as "p > 0.0909" or the like.

    Notes
    -----
    `score` is minus the expected cost, so greater is better and `GridSearchCV` without
    `scoring=` minimises the cost.

    If folds are repeated R times, the calibrator learns from R scores of each case, each with 1 / R
    of its weight, and the estimator is fitted on all cases.

    With `ensemble` and R repetitions of folds a held-out case is scored by R classifiers together,
    one of each repetition. New cases are scored by panels of R classifiers, so that the calibrator
    meets scores like those it learnt from; the posteriors of the panels are averaged, then moved
    to the priors.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes import CostMatrix
    >>> X, y = load_iris(return_X_y=True)
    >>> costs = CostMatrix.zero_one(3).with_abstention(0.1)
    >>> model = BayesDecisionClassifier(LogisticRegression(max_iter=1000), costs).fit(X, y)
    >>> sorted(set(model.predict(X).tolist()), key=str)
    [0, 1, 2, 'abstain']
    """

    decides_by_cost = True
    #: Requested by default in metadata routing, so that groups are never split.
    __metadata_request__fit: ClassVar = {"groups": True}

    @answers_guesses
    def __init__(
        self,
        estimator: Any,
        application: Any = None,
        *,
        calibrator: Any = None,
        cv: Any = 5,
        ensemble: bool = False,
    ) -> None:
        self.estimator = estimator
        self.application = application
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble

    # ------------------------------------------------------------- learning

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Fit the estimator, and the calibrator on scores of cases that were held out.

        Parameters
        ----------
        X, y
            What the estimator takes; labels are the classes of the application.
        sample_weight : array-like of shape (n_cases,), optional
            Passed to the estimator and to the calibrator.
        groups : array-like of shape (n_cases,), optional
            What cases have in common, such as a customer or a patient. Cases of one group are never
            on both sides of a fold: of `cv`, which may be a number, nor where the automatic choice
            compares. Passed to the estimator too, if it takes groups.
        **fit_params
            Passed to the estimator's `fit`.
        """
        refuse_ensemble(self.ensemble, self.calibrator)
        labels, self.classes_, codes = checked_labels(X, y)
        weights = as_weights(sample_weight, len(labels))
        metadata, splitting = fit_metadata(self, weights, fit_params, groups)
        together = read_groups(groups, len(labels))
        self.application_, self._rows = resolve(self.application, self.classes_)
        self.decisions_ = decision_array(self.application_.decisions, self.classes_)
        self.calibrator_ = None
        shares = np.bincount(codes, weights_learnt(metadata), minlength=len(self.classes_))
        kept: list[Any] = []
        if self.calibrator is not None:
            folds = fold_count(codes, together, weights)
            fresh = unfitted(self.calibrator, self.classes_, folds)
            scores, kept, self._panels = held_out(self, X, labels, metadata, splitting, together)
            self.calibrator_ = learnt(fresh, scores, codes, weights, together)
            shares = np.asarray(self.calibrator_.priors)
        self.class_priors_ = np.zeros(len(self.application_.classes))
        self.class_priors_[self._rows] = shares / shares.sum()
        if kept:
            self._keep_fitted(of_folds=kept)
        else:
            self._keep_fitted(clone(self.estimator).fit(X, labels, **metadata))
        return self

    # ------------------------------------------------------------- deciding

    @property
    def rule_(self) -> DecisionRule:
        """How posteriors, calibrated where there is a calibrator, become decisions."""
        check_is_fitted(self)
        name = type(self.estimator).__name__
        return DecisionRule(self.application_, from_priors=self.class_priors_, model=name)

    def predict(self, X: Any, costs: Any = None, priors: Priors | None = None) -> NDArray[Any]:
        """The decision of least expected cost for each case.

        Parameters
        ----------
        X
            What the estimator takes.
        costs : CaseCosts or array of shape (n_cases, n_classes, n_decisions), optional
            Costs of these very cases, instead of those of the application.
        priors : sequence or mapping, optional
            Class shares of the place these cases come from, instead of the application's.

        Returns
        -------
        ndarray of shape (n_cases,)
            Names of the decisions.
        """
        taken = self._decided(self._given(X), costs, priors)
        return np.asarray(self.decisions_[taken])

    def predict_proba(self, X: Any, priors: Priors | None = None) -> NDArray[Any]:
        """Posteriors of `classes_` under the priors of the application, or those given."""
        return np.asarray(self._moved(self._given(X), priors)[:, self._rows])

    def expected_costs(
        self, X: Any, costs: Any = None, priors: Priors | None = None
    ) -> NDArray[np.float64]:
        """What each decision is expected to cost in each case, (n_cases, n_decisions)."""
        return self._expected(self._moved(self._given(X), priors), costs)

    def inspect(self, X: Any, costs: Any = None, priors: Priors | None = None) -> Frame:
        """Case by case: the decision, what it is expected to cost, and every alternative.

        Returns
        -------
        Frame
            Columns `decision`, `expected_cost`, `next_best` and `margin` (what the next best
            decision would cost more), then one column of expected costs per decision.
        """
        given = self._given(X)
        expected = self._expected(self._moved(given, priors), costs)
        taken = self._decided(given, costs, priors).astype(np.intp)[:, None]
        others = expected.copy()
        if expected.shape[1] > 1:
            np.put_along_axis(others, taken, np.inf, axis=1)
        second = others.argmin(axis=1)[:, None]
        paid, behind = (np.take_along_axis(expected, j, axis=1)[:, 0] for j in (taken, second))
        columns: dict[str, Any] = {
            "decision": self.decisions_[taken[:, 0]],
            "expected_cost": paid,
            "next_best": self.decisions_[second[:, 0]],
            "margin": np.maximum(behind - paid, 0.0),  # ties are kept against rounding
        }
        names = self.application_.decisions
        return Frame(columns | {f"cost of {n!r}": expected[:, j] for j, n in enumerate(names)})

    def score(self, X: Any, y: Any, sample_weight: Any = None, costs: Any = None) -> float:
        """Minus the expected cost per case of the decisions; greater is better."""
        decisions = self.predict(X, costs)
        return -cost_per_case(
            self.application_, y, decisions, sample_weight=sample_weight, costs=costs
        )

    # ------------------------------------------------------------- privates

    def _decided(self, given: NDArray[Any], costs: Any, priors: Priors | None) -> NDArray[Any]:
        """Positions of the decisions, on posteriors that still hold for the training data."""
        app: Application = self.application_
        rule = self.rule_
        if priors is not None:
            rule = replace(rule, application=app.with_priors(priors))
        if costs is None:
            return rule.positions(given)
        return replace(rule, per_case=True).positions(given, costs=as_case_costs(costs, app))

    def _expected(self, posteriors: NDArray[Any], costs: Any) -> NDArray[np.float64]:
        """What each decision is expected to cost in each case."""
        wide = posteriors.astype(np.float64)
        if costs is None:
            return np.asarray(wide @ self.application_.costs.values)
        values = as_case_costs(costs, self.application_).values
        same_length("X", len(wide), "costs", len(values))
        return np.asarray(np.einsum("nk,nkm->nm", wide, values))

    def _given(self, X: Any) -> NDArray[Any]:
        """Posteriors in the order of the application, under the shares of the training data."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        app: Application = self.application_
        if self.calibrator_ is not None:
            given = posteriors_by(self, self.calibrator_.posteriors, X)
        elif hasattr(self.estimator_, "predict_proba"):
            given = np.asarray(self.estimator_.predict_proba(X))
        else:
            raise DataError(
                f"{type(self.estimator_).__name__} gives no probabilities to decide by.",
                hint="give a calibrator: BayesDecisionClassifier(..., calibrator='auto')",
            )
        return in_application_order(given, self._rows, app)

    def _moved(self, posteriors: NDArray[Any], priors: Priors | None) -> NDArray[Any]:
        """The same under the priors that count."""
        app: Application = self.application_
        target = app.priors if priors is None else as_priors(priors, app.classes)
        if target is None:
            return posteriors
        return shifted(posteriors, target, self.class_priors_, app.classes)


def _has(name: str) -> Any:
    """Whether the (fitted) estimator has a method, for `available_if`."""
    return lambda owner: hasattr(getattr(owner, "estimator_", owner.estimator), name)


class CostWeightedClassifier(AroundClassifier):
    r"""Train with weights that make every error count by its cost, then decide as usual.

    For estimators without posteriors worth the name, whose own decision should learn the costs.
    Otherwise prefer `BayesDecisionClassifier`, which changes no training and serves any costs.

    .. math:: v_a \to \frac{P_{y_a}}{P^{data}_{y_a}}\, c_{y_a}\, v_a

    Parameters
    ----------
    estimator : classifier
        Whose `fit` takes `sample_weight`.
    application : Application or CostMatrix, optional
        Square; every error of a class must cost the same. Its priors, if any, are the class
        shares to weigh to. Default: every error costs 1, which changes nothing.

    Notes
    -----
    `predict` returns classes, and `score` is minus what deciding so costs, so greater is better.
    `predict_proba` is what the estimator says of the reweighted population: decide by argmax,
    not by the Bayes rule with the same costs again.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 8-17.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from stakes import Application
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 0, 1]
    >>> plain = LogisticRegression().fit(X, y)
    >>> dear = CostWeightedClassifier(LogisticRegression(), Application([[0, 1], [9, 0]])).fit(X, y)
    >>> int(plain.predict([[2.0]])[0]), int(dear.predict([[2.0]])[0])
    (0, 1)
    """

    decides_by_cost = True

    @answers_guesses
    def __init__(self, estimator: Any, application: Any = None) -> None:
        self.estimator = estimator
        self.application = application

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit with cost-weighted cases; `sample_weight` are weights they already have."""
        labels, self.classes_, codes = checked_labels(X, y)
        given = as_weights(sample_weight, len(labels))
        self.application_, self._rows = resolve(self.application, self.classes_)
        self._columns = _own_columns(self.application_)
        if self.application is None:
            metadata, _ = fit_metadata(self, given, fit_params)
        else:
            metadata, _ = fit_metadata(self, None, fit_params)
            refuse_without_weights(self.estimator)
            metadata["sample_weight"] = self._cost_weights(codes, given)
        self._keep_fitted(clone(self.estimator).fit(X, labels, **metadata))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """What the estimator decides, having learnt the costs: a class for each case."""
        return self._said("predict", X)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Posteriors of `classes_` in the reweighted population."""
        return self._said("predict_proba", X)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Scores of the estimator, having learnt the costs."""
        return self._said("decision_function", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the expected cost per case of the classes that are predicted."""
        app: Application = self.application_
        codes = np.asarray(encode(self.predict(X), app.classes, "decisions"), dtype=np.intp)
        taken = decision_array(app.decisions)[self._columns[codes]]
        return -expected_cost(y, taken, application=app, sample_weight=sample_weight)

    def _said(self, method: str, X: Any) -> NDArray[Any]:
        """What a method of the fitted estimator says of these cases."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        return np.asarray(getattr(self.estimator_, method)(X))

    def _cost_weights(self, codes: IntArray, given: Any) -> NDArray[np.float64]:
        """What each case counts: its own weight, times what its errors cost."""
        app: Application = self.application_
        costs = app.costs.values[np.ix_(self._rows, self._columns[self._rows])]
        priors = None if app.priors is None else app.priors[self._rows]
        priors = None if priors is None else priors / priors.sum()
        found = sample_weights(codes, CostMatrix(costs), priors=priors, sample_weight=given)
        return np.asarray(found)


def _own_columns(app: Application) -> IntArray:
    """The decision that is right for each class: of the same name, or else at the same place."""
    if len(app.classes) != len(app.decisions):
        raise CostError(
            f"cost weights need one decision per class; got {len(app.classes)} classes and "
            f"{len(app.decisions)} decisions.",
            hint="decide with BayesDecisionClassifier, which takes any decisions",
        )
    if set(app.classes) == set(app.decisions):
        return np.array([app.decisions.index(name) for name in app.classes], dtype=np.intp)
    return np.arange(len(app.classes), dtype=np.intp)
