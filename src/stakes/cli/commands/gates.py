"""Conditions for continuous integration: `--fail-if 'nec>0.5'`, `--fail-if alarm`, `--require
MODEL`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from stakes.evaluation import Evaluation, ModelEvaluation
from stakes.evaluation.model_table import saving
from stakes.exceptions import DataError
from stakes.monitoring import Watch

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


class Condition(NamedTuple):
    """One figure, of what is named or of what is usual, compared with a limit."""

    about: str | None
    figure: str
    sign: str
    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value of the figure is on the side that is meant; one that is undefined is."""
        return math.isnan(value) or _COMPARISONS[self.sign](value, self.limit)


def read_condition(text: str, *figures: str) -> Condition | None:
    """The condition that a text says about one of the figures; None if it says none."""
    known = "|".join(figures)
    match = re.fullmatch(rf"\s*(?:(.+):)?\s*({known})\s*(>=|<=|>|<)\s*([-+.a-zA-Z0-9]+)\s*", text)
    try:
        limit = float(match[4]) if match else math.nan
    except ValueError:
        limit = math.nan
    if match is not None and math.isinf(limit):
        raise DataError(
            f"the limit of '{text}' is not finite, so that the condition could never change.",
            hint=f"give a number:  '{match[2]}{match[3]}0.5'",
        )
    if match is None or math.isnan(limit):  # nothing is above or below nan
        return None
    return Condition(match[1], match[2], match[3], limit)


class Gate:
    """One condition that must not hold."""

    def __init__(self, text: str) -> None:
        condition = read_condition(text, "nec", "cost", "saving")
        if condition is None:
            raise DataError(
                f"I cannot read the condition '{text}'.",
                hint="Say:  --fail-if 'nec>0.5'   (nec, cost or saving; > >= < <=; for a model "
                "that is not the best:  'gbm:nec>0.5')",
            )
        self.text, self.condition = text, condition

    def holds(self, ev: Evaluation) -> bool:
        """Whether the condition, which should not, holds; an undefined NEC counts as holding."""
        return self.condition.holds(_figure(ev, self._chosen(ev), self.condition.figure))

    def _chosen(self, ev: Evaluation) -> ModelEvaluation:
        """The model that is meant: the one named, or else the best."""
        named = self.condition.about or ev.best
        if named not in set(ev):
            raise DataError(f"--fail-if speaks of '{named}'; the models are {', '.join(ev)}.")
        return ev[named]

    def said(self, ev: Evaluation) -> str:
        """What to print when it holds."""
        model, figure = self._chosen(ev), self.condition.figure
        value = _figure(ev, model, figure)
        got = "undefined" if math.isnan(value) else f"{value:.4g}"
        return f"failed: {self.text} ({figure} of {model.name} is {got})"


def failures(gates: Sequence[Gate], required: str | None, ev: Evaluation) -> list[str]:
    """What to print for each condition that was not met."""
    said = [each.said(ev) for each in gates if each.holds(ev)]
    if required is not None:
        if required not in set(ev):
            raise DataError(f"--require speaks of '{required}'; the models are {', '.join(ev)}.")
        if ev.best != required:
            said.append(f"failed: --require {required} (the best is {ev.best})")
        elif ev.to_deploy is None:
            said.append(f"failed: --require {required} ({ev.verdict})")
    return said


def _figure(ev: Evaluation, model: ModelEvaluation, figure: str) -> float:
    """One figure of a model."""
    if figure == "nec":
        return model.nec
    return model.cost if figure == "cost" else saving(model, ev)


class PeriodGate:
    """One condition that must not hold: `alarm`, or a figure of the last period."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.condition = read_condition(text, "cost", "change")
        alone = self.condition is not None and self.condition.about is None
        if not alone and self.text != "alarm":
            raise DataError(
                f"I cannot read the condition '{text}'.",
                hint="Say:  --fail-if alarm   or about the last period:  --fail-if 'cost>0.5'   "
                "--fail-if 'change>0.1'",
            )

    def holds(self, found: Watch) -> bool:
        """Whether the condition, which should not, holds."""
        if self.condition is None:
            return found.alarm
        return self.condition.holds(_period_figure(found, self.condition.figure))

    def said(self, found: Watch) -> str:
        """What to print when it holds."""
        if self.condition is None:
            return f"failed: alarm at {', '.join(map(str, found.alarms))}"
        figure = self.condition.figure
        got = f"{_period_figure(found, figure):.4g}"
        return f"failed: {self.text} ({figure} of {found.periods[-1]} is {got})"


def _period_figure(found: Watch, figure: str) -> float:
    """One figure of the last period."""
    return found.last.after if figure == "cost" else found.last.change
