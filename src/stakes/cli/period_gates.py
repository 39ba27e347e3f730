"""Conditions about periods, for continuous integration: `--fail-if alarm`, `'cost>0.5'`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from stakes.exceptions import DataError
from stakes.monitoring import Watch

__all__ = ["PeriodGate"]

_CONDITION = re.compile(r"\s*(cost|change)\s*(>=|<=|>|<)\s*([-+.\w]+)\s*")
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


class PeriodGate:
    """One condition that must not hold: `alarm`, or a figure of the last period."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        match = _CONDITION.fullmatch(text)
        try:
            self.limit = float(match[3]) if match else 0.0
        except ValueError:
            match = None
        if match is None and self.text != "alarm":
            raise DataError(
                f"I cannot read the condition '{text}'.",
                hint="Say:  --fail-if alarm   or about the last period:  --fail-if 'cost>0.5'   "
                "--fail-if 'change>0.1'",
            )
        self.figure, self.sign = (match[1], match[2]) if match else ("alarm", "")

    def holds(self, found: Watch) -> bool:
        """Whether the condition, which should not, holds."""
        if self.figure == "alarm":
            return found.alarm
        return _COMPARISONS[self.sign](self._value(found), self.limit)

    def _value(self, found: Watch) -> float:
        """The figure of the last period."""
        return found.last.after if self.figure == "cost" else found.last.change

    def said(self, found: Watch) -> str:
        """What to print when it holds."""
        if self.figure == "alarm":
            return f"failed: alarm at {', '.join(map(str, found.alarms))}"
        got = f"{self._value(found):.4g}"
        return f"failed: {self.text} ({self.figure} of {found.periods[-1]} is {got})"
