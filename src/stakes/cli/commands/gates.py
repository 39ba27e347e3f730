"""Conditions for continuous integration: `--fail-if 'nec>0.5'`, `--fail-if alarm`, `--require
MODEL`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from stakes.evaluation import Evaluation
from stakes.evaluation.model_table import saving
from stakes.exceptions import DataError
from stakes.monitoring import Watch

_COMPARISONS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_SAY = (
    "Say:  --fail-if 'nec>0.5'   (nec, cost or saving; > >= < <=; for a model that is not the "
    "best:  'gbm:nec>0.5')"
)
_SAY_OF_PERIODS = (
    "Say:  --fail-if alarm   or about the last period:  --fail-if 'cost>0.5'   "
    "--fail-if 'change>0.1'"
)


class Condition(NamedTuple):
    """One figure, of what is named or of what is usual, that should not be beyond a limit."""

    text: str
    about: str | None
    figure: str
    sign: str
    limit: float

    def failed(self, value: float, of: Any) -> list[str]:
        """What to print where it holds of a value, as it should not; an undefined one fails."""
        if not math.isnan(value) and not _COMPARISONS[self.sign](value, self.limit):
            return []
        got = "undefined" if math.isnan(value) else f"{value:.4g}"
        return [f"failed: {self.text} ({self.figure} of {of} is {got})"]


def _read(text: str, hint: str, about: str, figures: str) -> Condition:
    """The condition that a text says about one of the figures."""
    pattern = rf"\s*{about}\s*({figures})\s*(>=|<=|>|<)\s*([-+.a-zA-Z0-9]+)\s*"
    match = re.fullmatch(pattern, text)
    try:
        limit = float(match[4]) if match else math.nan
    except ValueError:
        limit = math.nan
    if match is None or math.isnan(limit):  # nothing is above or below nan
        raise DataError(f"I cannot read the condition '{text}'.", hint=hint)
    if math.isinf(limit):
        raise DataError(
            f"the limit of '{text}' is not finite, so that the condition could never change.",
            hint=f"give a number:  '{match[2]}{match[3]}0.5'",
        )
    return Condition(text.strip(), match[1], match[2], match[3], limit)


def condition(text: str) -> Condition:
    """A condition about the best model, or a named one."""
    return _read(text, _SAY, "(?:(.+):)?", "nec|cost|saving")


def period_condition(text: str) -> Condition | None:
    """A condition about the last period; None for `alarm`."""
    return None if text.strip() == "alarm" else _read(text, _SAY_OF_PERIODS, "()", "cost|change")


def failures(conditions: Sequence[Condition], required: str | None, ev: Evaluation) -> list[str]:
    """What to print for each condition that was not met."""
    said = []
    named = [("--fail-if", each.about or ev.best) for each in conditions]
    for option, name in [*named, *([("--require", required)] if required is not None else [])]:
        if name not in set(ev):
            known = f"the only model is {next(iter(ev))}"
            known = known if len(ev) == 1 else f"the models are {', '.join(ev)}"
            raise DataError(f"{option} names '{name}', but {known}.")
    for each, (_, name) in zip(conditions, named, strict=True):
        value = saving(ev[name], ev) if each.figure == "saving" else getattr(ev[name], each.figure)
        said += each.failed(value, name)
    if required is not None and ev.to_deploy != required:
        other = ev.challenge is None and ev.best != required
        why = f"the best is {ev.best}" if other else ev.verdict
        said.append(f"failed: --require {required} ({why})")
    return said


def period_failures(
    conditions: Sequence[Condition | None], found: Watch, estimated: Sequence[Any] = ()
) -> list[str]:
    """The same of periods; `estimated` are those without labels whose estimates rang."""
    said = []
    for each in conditions:
        if each is not None:
            value = found.last.after if each.figure == "cost" else found.last.change
            said += each.failed(value, found.periods[-1])
            continue
        if found.alarm:
            said.append(f"failed: alarm at {', '.join(map(str, found.alarms))}")
        if estimated:
            said.append(f"failed: alarm of the estimate at {', '.join(map(str, estimated))}")
    return said
