"""Conditions about periods, for continuous integration: `--fail-if alarm`, `'cost>0.5'`."""

from __future__ import annotations

from stakes.cli.conditions import read_condition
from stakes.exceptions import DataError
from stakes.monitoring import Watch

__all__ = ["PeriodGate"]


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
        return self.condition.holds(_figure(found, self.condition.figure))

    def said(self, found: Watch) -> str:
        """What to print when it holds."""
        if self.condition is None:
            return f"failed: alarm at {', '.join(map(str, found.alarms))}"
        figure = self.condition.figure
        got = f"{_figure(found, figure):.4g}"
        return f"failed: {self.text} ({figure} of {found.periods[-1]} is {got})"


def _figure(found: Watch, figure: str) -> float:
    """One figure of the last period."""
    return found.last.after if figure == "cost" else found.last.change
