"""Scorers for scikit-learn that know the costs."""

from __future__ import annotations

from inspect import signature
from typing import Any, Literal

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from stakes._columns import in_brief
from stakes._guesses import answers_guesses
from stakes.application import Application, as_application
from stakes.decisions import bayes_decisions
from stakes.evaluation.model_rows import decides_by_cost, inside
from stakes.exceptions import CostError, DataError
from stakes.integrations.sklearn.estimator_costs import (
    as_case_costs,
    cost_per_case,
    in_application_order,
    resolve,
)

Response = Literal["auto", "predict_proba", "predict"]


class CostScorer:
    """Minus the expected cost of an estimator's decisions; made by `make_cost_scorer`.

    Parameters
    ----------
    application : Application
        Costs and priors.
    response : {"auto", "predict_proba", "predict"}
        Where decisions come from.
    normalized : bool
        Divide by the cost of the best naive decision.
    """

    def __init__(self, application: Application, *, response: Response, normalized: bool) -> None:
        self.application = application
        self.response = response
        self.normalized = normalized
        self._requests: dict[str, Any] = {}

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, costs: Any = None
    ) -> float:
        """Minus the cost of the decisions on these cases; greater is better."""
        decisions = self.decisions(estimator, X, costs=costs)
        return -cost_per_case(
            self.application,
            y,
            decisions,
            sample_weight=sample_weight,
            costs=costs,
            normalized=self.normalized,
        )

    def decisions(self, estimator: Any, X: Any, *, costs: Any = None) -> Any:
        """The decisions that are scored: positions by the Bayes rule, or what `predict` says."""
        decides = decides_by_cost(estimator) or not hasattr(estimator, "predict_proba")
        if self.response == "predict" or (self.response == "auto" and decides):
            return _predicted(estimator, X, costs)
        app, codes = resolve(self.application, np.asarray(estimator.classes_))
        posteriors = in_application_order(estimator.predict_proba(X), codes, app)
        table = app.costs if costs is None else as_case_costs(costs, app)
        taken = bayes_decisions(posteriors, table, classes=table.classes)
        return np.array(app.decisions, dtype=object)[taken]

    def set_score_request(self, **requests: Any) -> CostScorer:
        """Ask for metadata by name: `sample_weight`, and `costs`, an array of (n, K, M).

        Needs ``sklearn.set_config(enable_metadata_routing=True)``.
        """
        unknown = set(requests) - {"sample_weight", "costs"}
        if unknown:
            raise TypeError(f"a cost scorer takes `sample_weight` and `costs`, not {unknown}")
        self._requests.update(requests)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """What scikit-learn's routing reads."""
        found = MetadataRequest(owner=type(self).__name__)
        for name in ("sample_weight", "costs"):
            found.score.add_request(param=name, alias=self._requests.get(name))
        return found

    def __repr__(self) -> str:
        name = "normalised cost" if self.normalized else "cost"
        return f"CostScorer(minus the {name}, response={self.response!r}, {self.application!r})"


@answers_guesses
def make_cost_scorer(
    application: Any, *, response: Response = "auto", normalized: bool = False
) -> CostScorer:
    """A scikit-learn scorer from an Application: minus the expected cost of the decisions.

    Works wherever `scoring=` is asked for: `cross_validate`, `GridSearchCV`,
    `permutation_test_score`.
    Greater is better, as scikit-learn wants it; the printed score is minus the cost.

    Parameters
    ----------
    application : Application or CostMatrix
        Costs, of any number of classes and decisions, and priors. Priors weigh the classes of
        the test cases; posteriors are taken as the estimator gives them.
    response : {"auto", "predict_proba", "predict"}
        "predict_proba": Bayes decisions from the posteriors. "predict": what the estimator
        decides. "auto": "predict" for estimators of this package, which decide by cost
        themselves; otherwise "predict_proba" where there is one.
    normalized : bool
        Divide by the cost of the best naive decision, which depends on the fold only through
        its class shares.

    Returns
    -------
    CostScorer
        ``scorer(estimator, X, y, sample_weight=None, costs=None)``. With metadata routing call
        ``set_score_request(costs=True)`` on it.

    Notes
    -----
    A fold without a case of a class that has a prior raises, so `cross_validate` reports `nan`
    for it: use stratified folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from stakes import CostMatrix
    >>> X, y = load_iris(return_X_y=True)
    >>> scorer = make_cost_scorer(CostMatrix.zero_one(3).with_abstention(0.1))
    >>> scores = cross_val_score(LogisticRegression(max_iter=1000), X, y, scoring=scorer)
    >>> bool((-0.1 <= scores).all() and (scores <= 0).all())
    True
    """
    if response not in ("auto", "predict_proba", "predict"):
        raise CostError(
            f"`response` must be 'auto', 'predict_proba' or 'predict'; got {response!r}."
        )
    return CostScorer(as_application(application), response=response, normalized=normalized)


def _predicted(estimator: Any, X: Any, costs: Any) -> Any:
    """What is decided; one that decides by cost is given those of these cases if it takes them.

    Searches and pipelines are opened for that, so that no request for `predict` is needed.
    """
    if not hasattr(estimator, "predict"):
        raise DataError(f"`estimator` must have `predict`; got {in_brief(estimator)}.")
    if costs is None or not decides_by_cost(estimator):
        return estimator.predict(X)
    while not hasattr(estimator, "decides_by_cost"):
        if not hasattr(estimator, "best_estimator_"):
            for _, step in estimator.steps[:-1]:
                # "passthrough" and samplers, which work in `fit` alone, do not transform
                X = step.transform(X) if hasattr(step, "transform") else X
        estimator = inside(estimator)
    takes = "costs" in signature(estimator.predict).parameters
    return estimator.predict(X, costs=costs) if takes else estimator.predict(X)
