"""Comparison: what several systems cost, which is best, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from stakes._names import listed
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import FloatArray, Name
from stakes.uncertainty.cost_draws import shares_best
from stakes.uncertainty.differences import Difference
from stakes.uncertainty.replicates import Replicates

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What several systems cost, which is best, and how sure that is.

    What `compare`, `compare_across` and `compare_scores` return.

    Parameters
    ----------
    systems : tuple of names
        In the order given.
    costs : array of float
        The cost of each.
    probability_best : array of float
        Probability that each is the cheapest, over sampling and over uncertain costs; ties
        are shared.
    differences : tuple of Difference
        Every pair, the cheaper system first.
    notes : tuple of str
        What a reader should know.
    too_few : bool
        Whether a verdict was refused for want of cases.
    replicates : Replicates
        The draws of all costs, (n_replicates, n_systems).
    rule : callable, optional
        Makes the same comparison at another level.
    best_is : str
        What the best system is called: "cheapest", or "best by" a metric.
    """

    systems: tuple[Name, ...]
    costs: FloatArray
    probability_best: FloatArray
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    too_few: bool
    replicates: Replicates
    rule: Callable[[float], Comparison] | None = None
    best_is: str = "cheapest"

    @property
    def best(self) -> Name:
        """The system of least cost on these data."""
        return self.systems[int(np.argmin(self.costs))]

    @property
    def verdict(self) -> str:
        """The conclusion in a sentence."""
        if self.too_few:
            return f"cannot say: {self.notes[0]}"
        rivals = [d for d in self.differences if self.best in (d.first, d.second) and not d.decided]
        if not rivals:
            return f"{self.best} is {self.best_is}"
        if any(d.equivalent for d in rivals):
            names = [d.second if d.first == self.best else d.first for d in rivals]
            return f"{self.best} or {names[0]}: equivalent within the margin"
        return str(min(rivals, key=lambda d: abs(d.value)))

    def difference(self, first: Name, second: Name) -> Difference:
        """Cost of `first` minus cost of `second`."""
        for found in self.differences:
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                return found.turned()
        raise DataError(f"no pair {first!r}, {second!r}; there are {listed(self.systems)}.")

    def at(self, level: float) -> Comparison:
        """The same comparison with intervals of another level, from the same draws."""
        if self.rule is None:
            raise DataError("this comparison keeps no rule to change its level.")
        return replace(
            self.rule(level), replicates=self.replicates, probability_best=self.probability_best
        )

    def more(self, replicates: int) -> Comparison:
        """The same with this many more draws behind the probabilities."""
        grown = self.replicates.more(replicates)
        return replace(self, replicates=grown, probability_best=shares_best(grown.values))

    def frame(self) -> Frame:
        """One row per pair: systems, difference, interval, p-values."""
        rows = self.differences
        return Frame(
            {
                "first": [str(d.first) for d in rows],
                "second": [str(d.second) for d in rows],
                "difference": [d.value for d in rows],
                "low": [d.low for d in rows],
                "high": [d.high for d in rows],
                "p_value": [d.p_value for d in rows],
                "adjusted": [d.adjusted for d in rows],
            }
        )

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems: {self.verdict}>"
