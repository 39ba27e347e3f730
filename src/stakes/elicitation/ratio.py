"""RatioInterval: what is known of how many false alarms one miss is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stakes.application import Application, Between, CostMatrix, UncertainApplication
from stakes.application.naming import shown
from stakes.application.sentences import spoken
from stakes.exceptions import CostError, PriorError
from stakes.typing import Name

__all__ = ["RatioInterval", "ratio_words"]


@dataclass(frozen=True, slots=True)
class RatioInterval:
    """One miss costs as much as `low` to `high` false alarms.

    For two classes and two decisions it is all that decisions need to know of the costs.
    Written out in false alarms per miss, because "cost ratio" means either direction.

    Parameters
    ----------
    low, high : float
        Both positive, the lower first; equal when the ratio is known.

    Examples
    --------
    >>> ratio = RatioInterval(5, 20)
    >>> ratio.middle, [round(end, 3) for end in ratio.weights]
    (10.0, [0.833, 0.952])
    >>> print(ratio.describe("churn"))
    one missed 'churn' costs as much as 5 to 20 false alarms
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (0 < self.low <= self.high < math.inf):
            raise CostError(
                f"a ratio lies between two positive ends, the lower first; got {self.low!r} and "
                f"{self.high!r}."
            )

    @property
    def middle(self) -> float:
        """The geometric middle: as many times above the low end as below the high one."""
        return math.sqrt(self.low * self.high)

    @property
    def factor(self) -> float:
        """How many times the high end is the low one."""
        return self.high / self.low

    @property
    def weights(self) -> tuple[float, float]:
        """The ends as cost weights C_FN / (C_FN + C_FP) (`wa2025` eq 4 and A.1)."""
        return self.low / (1 + self.low), self.high / (1 + self.high)

    def effective_priors(self, prior: float) -> tuple[float, float]:
        """The ends as effective priors, where the share of positives is `prior`."""
        if not 0 < prior < 1:
            raise PriorError(f"`prior` must lie between 0 and 1; got {prior!r}.")
        low, high = (prior * end / (prior * end + 1 - prior) for end in (self.low, self.high))
        return low, high

    def application(
        self,
        *,
        false_alarm: float = 1.0,
        priors: Any = None,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
        unit: str | None = None,
        volume: float | None = None,
        period: str | None = None,
    ) -> UncertainApplication:
        """What is at stake, with a false alarm costing `false_alarm` and a miss in a range."""
        return UncertainApplication.binary(
            false_positive=false_alarm,
            false_negative=Between(self.low * false_alarm, self.high * false_alarm),
            priors=priors,
            classes=classes,
            decisions=decisions,
            unit=unit,
            volume=volume,
            period=period,
        )

    def middle_application(
        self, *, classes: Sequence[Any] | None = None, priors: Any = None, **settings: Any
    ) -> Application:
        """The application to decide with: the geometric middle, a false alarm costing 1."""
        costs = CostMatrix.binary(false_positive=1.0, false_negative=self.middle, classes=classes)
        return Application(costs, priors, **settings)

    def describe(self, positive: Name = "positive") -> str:
        """The interval in words, in the user's own names."""
        return ratio_words(self.low, self.high, positive)


def ratio_words(low: float, high: float, positive: Name) -> str:
    """A ratio, or a range of it, in words; the larger side is counted in the smaller one."""
    missed = f"missed '{shown(positive)}'"
    if low >= 1 or (low < 1 < high and low * high >= 1):
        return f"one {missed} costs as much as {_range(low, high)} false alarms"
    return f"one false alarm costs as much as {_range(1 / high, 1 / low)} {missed}"


def _range(low: float, high: float) -> str:
    """From one number to another, with three digits."""
    first, second = (spoken(float(f"{end:.3g}")) for end in (low, high))
    if high == math.inf:
        return f"{first} or more"
    if low == 0:
        return f"at most {second}"
    return first if first == second else f"{first} to {second}"
