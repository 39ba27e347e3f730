"""Periods against a reference: what each cost, and where there was an alarm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stakes.application import Application
from stakes.monitoring.period_change import PeriodChange
from stakes.results import Frame
from stakes.typing import FloatArray, Name
from stakes.uncertainty import Interval

__all__ = ["Watch"]


@dataclass(frozen=True, eq=False, repr=False)
class Watch:
    """Periods against a reference, with alarms; what `watch` returns.

    Parameters
    ----------
    application : Application
        Costs, and priors if costs are judged at given ones.
    reference : name
        The period that the others are compared with.
    periods : tuple of names
        All periods in order, the reference first.
    costs : tuple of Interval
        Cost per case of each period.
    changes : tuple of PeriodChange
        Each later period against the reference, judged at what the run could still spend.
    so_far : tuple of PeriodChange
        The same for all periods since the reference together, which finds slow changes.
    p_values : array
        Of each later period: the least of its probabilities, corrected by Holm for the
        questions asked about it.
    alphas : array
        What each of these must not exceed.
    level : float
        No alarm at all happens in at least this share of endless runs without change.
    """

    application: Application
    reference: Name
    periods: tuple[Name, ...]
    costs: tuple[Interval, ...]
    changes: tuple[PeriodChange, ...]
    so_far: tuple[PeriodChange, ...]
    p_values: FloatArray
    alphas: FloatArray
    level: float

    @property
    def alarms(self) -> tuple[Name, ...]:
        """The periods at which there was an alarm."""
        rung = self.p_values <= self.alphas
        return tuple(n for n, bad in zip(self.periods[1:], rung, strict=True) if bad)

    @property
    def alarm(self) -> bool:
        """Whether there was any."""
        return bool(self.alarms)

    @property
    def last(self) -> PeriodChange:
        """The last period against the reference."""
        return self.changes[-1]

    @property
    def first_alarm(self) -> PeriodChange | None:
        """What moved when the first alarm rang: in that period, or in all up to it."""
        if not self.alarm:
            return None
        k = self.periods.index(self.alarms[0]) - 1
        return self.changes[k] if self.changes[k].alarm else self.so_far[k]

    @property
    def advice(self) -> str:
        """What to do, in a sentence or two."""
        found = self.first_alarm
        if found is None:
            return "Nothing moved more than chance: keep deciding as you do."
        return f"Since {self.alarms[0]!s}: {found.advice}"

    def frame(self) -> Frame:
        """One row per period: cases, cost with its interval, change, probability, alarm."""
        nothing = [np.nan]
        return Frame(
            {
                "period": list(self.periods),
                "cases": [self.changes[0].cases[0], *(c.cases[1] for c in self.changes)],
                "cost": [each.value for each in self.costs],
                "low": [each.low for each in self.costs],
                "high": [each.high for each in self.costs],
                "change": [*nothing, *(c.change for c in self.changes)],
                "from_shares": [*nothing, *(c.prior_part.value for c in self.changes)],
                "from_errors": [*nothing, *(c.rate_part.value for c in self.changes)],
                "p_value": [*nothing, *self.p_values.tolist()],
                "alpha": [*nothing, *self.alphas.tolist()],
                "alarm": [False, *(self.p_values <= self.alphas).tolist()],
            }
        )

    def __str__(self) -> str:
        return f"{self.frame()}\n\n{self.advice}"

    def __repr__(self) -> str:
        rung = f"alarm at {', '.join(map(str, self.alarms[:4]))}" if self.alarm else "no alarm"
        return f"<Watch over {len(self.periods)} periods since {self.reference!s}: {rung}>"
