"""Scorers and displays for scikit-learn that know the costs."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import check_is_fitted

from stakes import curves, plots
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
from stakes.summaries import ScoreCounts

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


#: What the docstring of every display goes on with.
_DOCSTRING = """

    Parameters
    ----------
    curve
        The data, as `stakes.curves.{curve}` returns them.
    name : str, optional
        For the legend.

    Examples
    --------
    >>> display = {display}.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.ax_.get_xlabel() != ""
    True
    >>> display
    <{display}>
    """


class _CurveDisplay:
    """A curve with its drawing: `from_estimator`, `from_predictions`, `plot`.

    Subclasses name the function of `stakes.curves` and that of `stakes.plots`; the first line of
    their docstring says what is drawn, the rest is the same for all.
    """

    _curve: ClassVar[Callable[..., Any]]
    _drawing: ClassVar[Callable[..., Any]]

    def __init_subclass__(cls, curve: Any, drawing: Any) -> None:
        super().__init_subclass__()
        cls._curve, cls._drawing = staticmethod(curve), staticmethod(drawing)
        if cls.__doc__ is not None:  # python -OO drops docstrings
            cls.__doc__ += _DOCSTRING.format(display=cls.__name__, curve=curve.__name__)

    def __init__(self, curve: Any, *, name: str | None = None) -> None:
        self.curve = curve
        self.name = name
        self.ax_: Any = None
        self.figure_: Any = None

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        scores: Any,
        *,
        kind: str = "posterior",
        classes: Any = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw from labels and scores of the second class.

        Parameters
        ----------
        y_true : column
            True classes, two of them.
        scores : column
            Higher speaks for the second class.
        kind : {"posterior", "log_odds", "llr", "rank"}
            What a score means.
        classes : pair of names, optional
            The classes, the one that high scores speak for second.
        sample_weight : column, optional
            Weights.
        name : str, optional
            For the legend.
        ax : matplotlib Axes, optional
            Where to draw.
        **options
            Passed to the function of `stakes.curves`.
        """
        summary = ScoreCounts.from_scores(
            y_true,
            scores,
            kind=kind,  # type: ignore[arg-type]
            classes=classes,
            sample_weight=sample_weight,
        )
        return cls(cls._curve(summary, **options), name=name).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw for a fitted classifier of two classes.

        Parameters
        ----------
        estimator : classifier
            Fitted; its `predict_proba` is used, or else the order of `decision_function`.
        X, y
            Test cases.
        sample_weight, name, ax, **options
            As in `from_predictions`; the default name is that of the estimator.
        """
        check_is_fitted(estimator)
        classes = np.asarray(estimator.classes_)
        if len(classes) != 2:
            raise DataError(f"this curve is for two classes; the estimator has {len(classes)}.")
        if hasattr(estimator, "predict_proba"):
            scores, kind = np.asarray(estimator.predict_proba(X))[:, 1], "posterior"
        else:
            scores, kind = np.asarray(estimator.decision_function(X)), "rank"
        options |= {"kind": kind, "classes": classes.tolist(), "sample_weight": sample_weight}
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, scores, name=name, ax=ax, **options)

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw the curve; `ax_` and `figure_` are then set.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        **options
            Passed to the function of `stakes.plots`.
        """
        drawn = self.curve if self.name is None else {self.name: self.curve}
        self.ax_ = type(self)._drawing(drawn, ax=ax, **options)
        self.figure_ = self.ax_.figure
        return self

    def frame(self) -> Any:
        """The data behind the drawing."""
        return self.curve.frame()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{'' if self.name is None else f': {self.name}'}>"


class RocDisplay(_CurveDisplay, curve=curves.roc, drawing=plots.roc):
    """Hits against false alarms; see `stakes.curves.roc`."""


class DetDisplay(_CurveDisplay, curve=curves.det, drawing=plots.det):
    """Misses against false alarms on normal scales; see `stakes.curves.det`."""


class PrecisionRecallDisplay(
    _CurveDisplay, curve=curves.precision_recall, drawing=plots.precision_recall
):
    """Precision against recall; see `stakes.curves.precision_recall`."""


class BayesErrorDisplay(_CurveDisplay, curve=curves.bayes_error, drawing=plots.bayes_error):
    """Actual and minimum cost over all applications; see `stakes.curves.bayes_error`."""


class CostCurveDisplay(_CurveDisplay, curve=curves.cost, drawing=plots.cost):
    """Cost against the probability cost; see `stakes.curves.cost`."""


class DecisionCurveDisplay(_CurveDisplay, curve=curves.decision, drawing=plots.decision):
    """Net benefit against the threshold; see `stakes.curves.decision`."""


class ReliabilityDisplay(_CurveDisplay, curve=curves.reliability, drawing=plots.reliability):
    """What the posteriors say against what happens; see `stakes.curves.reliability`."""
