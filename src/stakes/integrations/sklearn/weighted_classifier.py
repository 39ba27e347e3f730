"""CostWeightedClassifier: an estimator that learns the costs through its sample weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from stakes._columns import as_weights, refuse_masked
from stakes._names import encode
from stakes.application import Application, CostMatrix, sample_weights
from stakes.exceptions import CostError
from stakes.integrations.sklearn.estimator_costs import resolve
from stakes.integrations.sklearn.estimator_fit import (
    AroundClassifier,
    checked_labels,
    fit_clone,
    fit_metadata,
    refuse_without_weights,
)
from stakes.metrics import expected_cost
from stakes.typing import IntArray


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
        self._keep_fitted(fit_clone(self.estimator, X, labels, metadata))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """What the estimator decides, having learnt the costs: a class for each case."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        return np.asarray(self.estimator_.predict(X))

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Posteriors of `classes_` in the reweighted population."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Scores of the estimator, having learnt the costs."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        return np.asarray(self.estimator_.decision_function(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the expected cost per case of the classes that are predicted."""
        app: Application = self.application_
        codes = np.asarray(encode(self.predict(X), app.classes, "decisions"), dtype=np.intp)
        names = np.empty(len(app.decisions), dtype=object)
        names[:] = app.decisions
        taken = names[self._columns[codes]]
        return -expected_cost(y, taken, application=app, sample_weight=sample_weight)

    def _cost_weights(self, codes: IntArray, given: Any) -> NDArray[np.float64]:
        """What each case counts: its own weight, times what its errors cost."""
        app: Application = self.application_
        costs = app.costs.values[np.ix_(self._rows, self._columns[self._rows])]
        target = None if app.priors is None else app.priors[self._rows]
        target = None if target is None else target / target.sum()
        return np.asarray(
            sample_weights(codes, CostMatrix(costs), target=target, sample_weight=given)
        )


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
