"""Displays as scikit-learn has them: curves drawn from an estimator or from predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stakes import curves, plots
from stakes._checks import of_kind
from stakes.exceptions import DataError
from stakes.summaries import ScoreCounts

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
        self.name = None if name is None else of_kind(name, "name", str)
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


#: What the docstring of every display goes on with.
