"""What moved between two periods: the parts of the change, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from stakes.application import Application
from stakes.monitoring.advice import advice_on, percent
from stakes.results import Frame
from stakes.typing import FloatArray, Name

__all__ = ["Part", "PeriodChange"]


class Part(NamedTuple):
    """A part of a change in cost with its interval; see `PeriodChange`."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.4g} ({self.low:+.4g} to {self.high:+.4g})"


@dataclass(frozen=True, eq=False, repr=False)
class PeriodChange:
    """What moved between two periods; what `compare_periods` returns.

    Parameters
    ----------
    application : Application
        Costs, and priors if the cost is judged at given ones.
    before, after : float
        Cost per case of each period.
    cost : Part
        The change in cost with its interval.
    prior_part, rate_part : Part
        What of it came from the class shares and from the errors within classes; their values
        add to the change exactly.
    p_values, adjusted : dict
        For "cost", "priors" and "rates": probability of so much change if nothing had changed,
        and the same after Holm's correction for three questions.
    alpha : float
        What an adjusted probability must fall below for an alarm.
    priors_before, priors_after : array
        Class shares.
    class_costs_before, class_costs_after : array
        Mean cost of a case of each class.
    prior_parts, rate_parts : array
        The two parts by class.
    cases : pair of float
        Number of cases of each period.
    ranking : float or None
        Probability of so much change in the AUC by chance, if scores were given.
    """

    application: Application
    before: float
    after: float
    cost: Part
    prior_part: Part
    rate_part: Part
    p_values: dict[str, float]
    adjusted: dict[str, float]
    alpha: float
    priors_before: FloatArray
    priors_after: FloatArray
    class_costs_before: FloatArray
    class_costs_after: FloatArray
    prior_parts: FloatArray
    rate_parts: FloatArray
    cases: tuple[float, float]
    ranking: float | None = None

    @property
    def change(self) -> float:
        """Cost per case of the second period minus that of the first."""
        return self.cost.value

    @property
    def classes(self) -> tuple[Name, ...]:
        """The true classes."""
        return self.application.classes

    @property
    def moved(self) -> tuple[str, ...]:
        """Which of "cost", "priors" and "rates" moved more than chance."""
        return tuple(name for name, p in self.adjusted.items() if p <= self.alpha)

    @property
    def alarm(self) -> bool:
        """Whether anything moved more than chance."""
        return bool(self.moved)

    @property
    def advice(self) -> str:
        """What to do, in a sentence or two."""
        return advice_on(self)

    def frame(self) -> Frame:
        """One row per class: shares, costs and parts of the change."""
        return Frame(
            {
                "truth": list(self.classes),
                "share_before": self.priors_before,
                "share_after": self.priors_after,
                "cost_before": self.class_costs_before,
                "cost_after": self.class_costs_after,
                "from_shares": self.prior_parts,
                "from_errors": self.rate_parts,
            }
        )

    def __str__(self) -> str:
        said = {
            name: f"p = {self.p_values[name]:.2g}{', moved' * (name in self.moved)}"
            for name in self.p_values
        }
        shares = ", ".join(
            f"{name} {percent(p)} -> {percent(q)}"
            for name, p, q in zip(
                self.classes[-3:], self.priors_before[-3:], self.priors_after[-3:], strict=True
            )
        )
        return "\n".join(
            [
                f"cost per case {self.before:.4g} -> {self.after:.4g}: {self.cost}; {said['cost']}",
                f"  from the shares of the outcomes: {self.prior_part}",
                f"  from the errors within them:     {self.rate_part}",
                f"shares: {shares}; {said['priors']}",
                f"errors within each outcome: {said['rates']}",
                self.advice,
            ]
        )

    def __repr__(self) -> str:
        what = ", ".join(self.moved) if self.alarm else "nothing"
        return f"<PeriodChange: cost {self.cost}; moved: {what}>"
