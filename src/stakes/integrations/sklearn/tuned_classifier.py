"""TunedDecisionClassifier: a decision rule learnt together with how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stakes._columns import as_weights
from stakes.application import Application, CostMatrix
from stakes.integrations.sklearn.alignment import decision_array, in_class_order, resolve
from stakes.integrations.sklearn.case_costs import as_case_costs, cost_per_case
from stakes.integrations.sklearn.fitting import (
    checked_labels,
    fit_clone,
    fit_metadata,
)
from stakes.integrations.sklearn.folds import held_out, posteriors_by, refuse_ensemble
from stakes.integrations.sklearn.group_folds import fold_count, read_groups
from stakes.integrations.sklearn.meta import AroundClassifier
from stakes.integrations.sklearn.tuned_rule import TunedRule

__all__ = ["TunedDecisionClassifier"]


class TunedDecisionClassifier(AroundClassifier):
    """Decide by a rule chosen between the Bayes rule and the one of least cost on the data.

    Out-of-fold scores are calibrated; the Bayes rule, the empirical optimum (for two classes the
    exact threshold of least cost) and steps between are compared by cross-fitting; the Bayes rule
    stays unless the data clearly ask for another. Any number of classes and decisions.

    Parameters
    ----------
    estimator : classifier
        With `predict_proba` or `decision_function`.
    application : Application or CostMatrix, optional
        Costs and priors; its classes are the labels in `y`. Default: every error costs 1. If it
        has priors, posteriors are moved to them from the class shares of the training data.
    calibrator : Calibrator or "auto", optional
        Default, and "auto": chosen by `stakes.calibration.Automatic`.
    cv : int, splitter or iterable
        Folds for the scores, also repeated ones, as in `BayesDecisionClassifier`.
    strengths : sequence of float from 0 to 1
        0 is the Bayes rule, 1 the empirical optimum.
    rng : int
        Seed of the folds of the rule.
    ensemble : bool
        Keep the classifiers of the folds, as in `BayesDecisionClassifier`.

    Attributes
    ----------
    classes_, decisions_, application_, estimator_, estimators_
        As in `BayesDecisionClassifier`.
    rule_ : TunedRule
        What was chosen; `rule_.frame()` shows the cross-fitted costs.

    Notes
    -----
    `score` is minus the expected cost, so greater is better. Costs of single cases may be given
    at `predict`; the class weights then stay those learnt for the application.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = TunedDecisionClassifier(GaussianNB(), Application([[0, 10], [1, 0]])).fit(X, y)
    >>> model.rule_.frame().columns
    ('strength', 'cost', 'standard_error', 'chosen')
    """

    decides_by_cost = True
    __metadata_request__fit: ClassVar = {"groups": True}

    def __init__(
        self,
        estimator: Any,
        application: Any = None,
        *,
        calibrator: Any = None,
        cv: Any = 5,
        strengths: Sequence[float] = (0.0, 0.5, 1.0),
        rng: int = 0,
        ensemble: bool = False,
    ) -> None:
        self.estimator = estimator
        self.application = application
        self.calibrator = calibrator
        self.cv = cv
        self.strengths = strengths
        self.rng = rng
        self.ensemble = ensemble

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, **fit_params: Any
    ) -> Self:
        """Fit the estimator, and the rule on scores of cases that were held out.

        Parameters
        ----------
        X, y, sample_weight, groups, **fit_params
            As in `BayesDecisionClassifier.fit`. Nor are cases of one group on both sides where
            rules are compared, and standard errors are from the variation between groups.
        """
        refuse_ensemble(self.ensemble)
        labels, self.classes_, codes = checked_labels(X, y)
        weights = as_weights(sample_weight, len(labels))
        metadata, splitting = fit_metadata(self, weights, fit_params, groups)
        together = read_groups(groups, len(labels))
        self.application_, self._rows = resolve(self.application, self.classes_)
        self.decisions_ = decision_array(self.application_.decisions, self.classes_)
        scores, kept, self._panels = held_out(self, X, labels, metadata, splitting, together)
        rule = TunedRule(
            self._seen_part(),
            calibrator=in_class_order(self.calibrator, self.classes_),
            strengths=self.strengths,
            folds=fold_count(codes, together, weights),
            rng=self.rng,
        )
        self.rule_ = rule.fit(scores, codes, weights, groups=together)
        if kept:
            self._keep_fitted(of_folds=kept)
        else:
            self._keep_fitted(fit_clone(self.estimator, X, labels, metadata))
        return self

    def predict(self, X: Any, costs: Any = None) -> NDArray[Any]:
        """The decision for each case, by name; `costs` (n, K, M) are those of these very cases."""
        posteriors, table = self.predict_proba(X), None
        if costs is not None:
            table = as_case_costs(costs, self.application_).values[:, self._rows]
        return np.asarray(self.decisions_[self.rule_.decisions_by(posteriors, table)])

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Calibrated posteriors of `classes_`, under the priors of the application if any.

        With `ensemble` their mean over the classifiers of the folds.
        """
        check_is_fitted(self)
        return self.rule_.placed(posteriors_by(self, self.rule_.posterior_map.posteriors, X))

    def score(self, X: Any, y: Any, sample_weight: Any = None, costs: Any = None) -> float:
        """Minus the expected cost per case of the decisions; greater is better."""
        decisions = self.predict(X, costs)
        return -cost_per_case(
            self.application_, y, decisions, sample_weight=sample_weight, costs=costs
        )

    def _seen_part(self) -> Application:
        """The application restricted to the classes that occur, in the order of `classes_`."""
        app: Application = self.application_
        values, priors = app.costs.values[self._rows], app.priors
        costs = CostMatrix(values, range(len(values)), range(values.shape[1]))
        if priors is None:
            return Application(costs)
        return Application(costs, priors[self._rows] / priors[self._rows].sum())
