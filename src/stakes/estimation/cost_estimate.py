"""CostEstimate: what decisions are estimated to cost, how sure that is, and what it assumes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stakes._guesses import AnswersGuesses
from stakes.posteriors.prior_estimation import PriorEstimate
from stakes.results import Frame

#: What each way to estimate takes for granted, in words for people.
ASSUMED = {
    "none": "that nothing has changed since the reference",
    "shares": "that the shares of the classes have changed, but not the scores within each class",
    "inputs": "that the mix of inputs has changed, but not what each input leads to",
}


#: What every estimate without labels is blind to.
UNSEEN = (
    "Without labels, an estimate cannot see whether the same inputs now lead to other outcomes. "
    "Label some of these cases at random to check."
)


@dataclass(frozen=True, eq=False, repr=False)
class CostEstimate(AnswersGuesses):
    """Estimated cost per case of decisions whose labels are not known; from `estimate_cost`.

    Parameters
    ----------
    value, low, high : float
        Cost per case and the ends of its interval. The interval is for the cost that the labels of
        these very cases will give. It holds the doubt of the reference, of the class shares, and of
        the labels of the new cases.
    level : float
        Share of such intervals that contain the cost.
    spread : float
        Standard error of the estimate, for the same cost.
    change : {"none", "shares", "inputs"}
        What the estimate assumes to have changed since the reference.
    cases, reference_cases : int
        How many new cases there are, and how many labelled ones.
    naive : float
        Estimated cost per case of the best decision that ignores the scores; nan where costs
        differ from case to case.
    priors : PriorEstimate or None
        The estimated class shares of the new cases.
    tests : mapping of str to float
        Probability of scores that differ at least so much by chance: "shares", if only chance had
        moved the class shares; "inputs", the same for given inputs; "mixture", if the new scores
        are a mixture of what each class scored in the reference; "weighted", after weighting the
        reference by its inputs.
    effective_cases : float
        Number of reference cases that carry as much information, after weighting.
    unit : str or None
        Of the costs.
    notes : tuple of str
        What a reader should know.
    slices : mapping
        The same for the new cases of each slice, where slices were given.
    """

    value: float
    low: float
    high: float
    level: float
    spread: float
    change: str
    cases: int
    reference_cases: int
    naive: float
    priors: PriorEstimate | None = None
    tests: Mapping[str, float] = field(default_factory=dict)
    effective_cases: float = float("nan")
    unit: str | None = None
    notes: tuple[str, ...] = ()
    slices: Mapping[Any, CostEstimate] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The estimate, and what it assumes, in a sentence or two."""
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"Estimated cost per case: {self.value:.4g}{unit} ({self.low:.4g} to {self.high:.4g}, "
            f"level {self.level:g}), assuming {ASSUMED[self.change]}."
        )

    def frame(self) -> Frame:
        """One row; and one for each slice, if there are any."""
        named = {"all cases": self, **self.slices}
        names = ("value", "low", "high", "level", "change", "cases")
        columns: dict[str, list[Any]] = {"slice": [str(name) for name in named]}
        columns |= {name: [getattr(each, name) for each in named.values()] for name in names}
        return Frame(columns)

    def record(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        names = ("value", "low", "high", "level", "spread", "change", "cases", "reference_cases")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        shares = None if self.priors is None else self.priors.frame().rows()
        return {
            **found,
            "naive": None if math.isnan(self.naive) else self.naive,
            "assumed": ASSUMED[self.change],
            "shares": shares,
            "tests": dict(self.tests),
            "effective_cases": self.effective_cases,
            "unit": self.unit,
            "notes": list(self.notes),
            "slices": {str(name): each.record() for name, each in self.slices.items()},
        }

    def __contains__(self, cost: float) -> bool:
        return self.low <= cost <= self.high

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        ends = f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"
        return f"<CostEstimate of {self.cases} cases: {ends}, change: {self.change}>"


@dataclass(frozen=True, slots=True, repr=False)
class LabelCheck:
    """Whether labels agree with an estimate; what `check_labels` returns.

    Parameters
    ----------
    cost : float
        Cost per labelled case, by the labels.
    expected, low, high : float
        The estimate for the same cases, and what chance allows around it.
    level : float
        Of the interval.
    chance : float
        Probability of labels at least so far from the estimate, in their cost or in how likely
        the posteriors called them, if its assumption holds.
    cases : int
        How many cases were labelled.
    """

    cost: float
    expected: float
    low: float
    high: float
    level: float
    chance: float
    cases: int

    @property
    def agrees(self) -> bool:
        """Whether chance allows labels such as these."""
        return self.chance >= 1 - self.level

    @property
    def text(self) -> str:
        """The check in a sentence or two."""
        said = (
            f"{self.cases} labels give {self.cost:.4g} per case; estimated for the same cases: "
            f"{self.expected:.4g} ({self.low:.4g} to {self.high:.4g})."
        )
        if self.agrees:
            return f"{said} They agree."
        return (
            f"{said} They disagree (chance {self.chance:.1g}): the relation of inputs and truth "
            "has changed, and estimates without labels are wrong."
        )

    def __repr__(self) -> str:
        return f"<LabelCheck: {self.text}>"
