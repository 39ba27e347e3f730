"""An assertion for test suites that models do not cost too much."""

from __future__ import annotations

import math
from typing import Any

from stakes._checks import as_number, as_switch
from stakes.evaluation import Evaluation, evaluate
from stakes.evaluation.model_evaluation import ModelEvaluation
from stakes.evaluation.verdict import KEEP
from stakes.exceptions import DataError
from stakes.messages.quantities import percent, plain

#: Sums within this share of the bar count as equal to it.
_ROUNDING = 1e-12


def assert_cost(
    y_true: Any,
    models: Any = None,
    *,
    max_cost: float | None = None,
    max_nec: float | None = None,
    surely: bool = False,
    **options: Any,
) -> Evaluation:
    """Fail if models cost too much, and say by how much; for a test suite.

    Parameters
    ----------
    y_true : column or Evaluation
        True classes, as in `evaluate`; or an evaluation that was made already.
    models : mapping of str to array, estimator or ConfusionMatrix
        As in `evaluate`. Every model must stay below the bars, except the `baseline`.
    max_cost, max_nec : float, optional
        The most that a model may cost per case, and its largest normalised cost.
    surely : bool
        Whether the upper limit of the interval must stay below the bar too, not only the estimate.
    **options
        Options of `evaluate`: `costs`, `volume`, ... With `baseline` (and `switching_cost`), the
        cheapest other model must surely save more than switching costs.

    Returns
    -------
    Evaluation
        For further assertions.

    Raises
    ------
    AssertionError
        When a bar is not met.

    Examples
    --------
    >>> y = [0] * 90 + [1] * 30
    >>> p = [0.02] * 80 + [0.3] * 10 + [0.9] * 27 + [0.02] * 3
    >>> _ = assert_cost(y, {"gbm": p}, costs={"fn": 10, "fp": 1}, max_nec=0.5)
    >>> assert_cost(y, {"gbm": p}, costs={"fn": 10, "fp": 1}, max_cost=0.2)
    Traceback (most recent call last):
    AssertionError: gbm costs 0.333 per case, more than 0.2.
    """
    as_switch(surely, "surely")
    ev = _evaluation(y_true, models, options)
    given = {"cost": max_cost, "nec": max_nec}
    bars = {name: as_number(bar, f"max_{name}") for name, bar in given.items() if bar is not None}
    for name, bar in bars.items():
        if math.isnan(bar):  # every cost would pass
            raise DataError(f"`max_{name}` must be a number; got nan.")
    if not bars and ev.challenge is None:
        raise DataError(
            "there is nothing to assert.", hint='max_nec=0.5, max_cost=1.2, or baseline="current"'
        )
    held = None if ev.challenge is None else ev.challenge.baseline
    said = [
        words
        for model in ev.models
        if model.name != held
        for name, bar in bars.items()
        if (words := _beyond(ev, model, name, bar, surely))
    ]
    if ev.challenge is not None and not ev.challenge.switches:
        said.append(ev.verdict if ev.verdict_kind == KEEP else f"{ev.verdict} (baseline: {held})")
    if said:
        raise AssertionError("\n".join(said))
    return ev


def _evaluation(y_true: Any, models: Any, options: dict[str, Any]) -> Evaluation:
    """The evaluation that was given, or that of labels and models."""
    if not isinstance(y_true, Evaluation):
        return evaluate(y_true, models, **options)
    if models is not None or options:
        given = ", ".join(["models"] * (models is not None) + list(options))
        raise DataError(f"an evaluation is judged already; leave out {given}.")
    return y_true


def _beyond(ev: Evaluation, model: ModelEvaluation, name: str, bar: float, surely: bool) -> str:
    """A sentence if a model is, or may be, above a bar; otherwise empty."""
    naive, unit = ev.best_naive, f" {ev.application.unit}" if ev.application.unit else ""
    lowest, scale = naive.cost - naive.avoidable, naive.avoidable

    def said(value: float) -> str:
        apart = (k for k in range(3, 17) if float(f"{value:.{k}g}") != bar)
        shown = plain(value, next(apart, 3))  # "1.13, more than 1.13" says nothing
        return shown if name == "nec" else f"{shown}{unit} per case"

    verb = "costs" if name == "cost" else "has a NEC of"
    value = getattr(model, name)
    if not value - bar <= _ROUNDING * abs(bar):
        return f"{model.name} {verb} {said(value)}, more than {bar:g}."
    if not surely:
        return ""
    if model.interval is None:
        return f"{model.name} {verb} {said(value)}, but nothing is sure: no interval was computed."
    low, high = model.interval if name == "nec" else (lowest + scale * x for x in model.interval)
    if high - bar <= _ROUNDING * abs(bar):
        return ""
    ends = f"{percent(ev.level)} interval {said(low)} to {said(high)}"
    return f"{model.name} {verb} {said(value)}, but more than {bar:g} is possible ({ends})."
