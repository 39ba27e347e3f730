"""CostWeightedClassifier: an estimator that learns the costs through its sample weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from stakes.application import sample_weights
from stakes.integrations.sklearn.alignment import resolve
from stakes.integrations.sklearn.fitting import checked_labels, fit_clone, fit_metadata
from stakes.integrations.sklearn.meta import AroundClassifier

__all__ = ["CostWeightedClassifier"]


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

    def __init__(self, estimator: Any, application: Any = None) -> None:
        self.estimator = estimator
        self.application = application

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit with cost-weighted cases; `sample_weight` are weights they already have."""
        labels, self.classes_, codes = checked_labels(X, y)
        app, rows = resolve(self.application, self.classes_)
        costs = app.costs.values[np.ix_(rows, rows)] if self.application is not None else None
        given = None
        if costs is not None:
            from stakes.application import CostMatrix

            target = None if app.priors is None else app.priors[rows] / app.priors[rows].sum()
            given = sample_weights(
                codes, CostMatrix(costs), target=target, sample_weight=sample_weight
            )
        weights = sample_weight if given is None else given
        metadata = fit_metadata(self, weights, fit_params)
        self.estimator_ = fit_clone(self.estimator, X, labels, metadata)
        self._keep_features()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """What the estimator decides, having learnt the costs."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))
