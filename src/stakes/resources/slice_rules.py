"""The rule of each slice, and what rules do to slices: rates and costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from stakes._columns import as_floats, in_brief
from stakes._guesses import AnswersGuesses
from stakes._names import listed, place_of
from stakes.application import Application
from stakes.exceptions import DataError
from stakes.messages.audience import either, named, setting
from stakes.messages.quantities import cut_text, percent
from stakes.resources.slice_cases import SlicedCases
from stakes.results import Frame
from stakes.typing import FloatArray, Name

Constraint = Literal["selection", "true_positive", "false_positive", "cost"]
#: What is limited, in words.
WORDS = {
    "selection": "selection rate",
    "true_positive": "true-positive rate",
    "false_positive": "false-positive rate",
    "cost": "cost per case",
}


#: Usual words for a constraint.
_USUAL = {
    "equal_opportunity": "true_positive",
    "equalized_odds": "true_positive,false_positive",
    "equalised_odds": "true_positive,false_positive",
    "demographic_parity": "selection",
    "predictive_equality": "false_positive",
}


def as_constraints(given: Any) -> tuple[Constraint, ...]:
    """What is limited, as a tuple without repetition."""
    words = (given,) if isinstance(given, str) else given
    known = get_args(Constraint)
    several = words if isinstance(words, (tuple, list)) else ()
    wrong = [word for word in several if place_of(word, known) is None]
    if wrong or not several:
        first = str(wrong[0] if wrong else "").strip().lower().replace("-", "_")
        usual = _USUAL.get(first.replace(" ", "_"), "selection")
        parts = ", ".join(f'"{word}"' for word in usual.split(","))
        both = either(f"constraint=[{parts}]", f"--constraint {usual}")
        raise DataError(
            f"{named('constraint')} must be among {listed(known)}; got "
            f"{in_brief(wrong[0] if wrong else given)}.",
            hint=both if "," in usual else setting("constraint", usual),
        )
    return tuple(dict.fromkeys(several))


@dataclass(frozen=True, slots=True)
class SliceRule:
    """When to act in one slice; made by `constrained_slices`.

    Parameters
    ----------
    name : name
        The slice.
    thresholds : tuple of float
        Act above it; two or three of them where they are mixed at random, descending.
    mixture : tuple of float
        In what share of the cases each threshold is used.
    """

    name: Name
    thresholds: tuple[float, ...]
    mixture: tuple[float, ...]

    @property
    def text(self) -> str:
        """The rule in words."""
        said = [_said_cut(cut) for cut in self.thresholds]
        if len(said) == 1:
            return said[0]
        shares = [percent(share) for share in self.mixture]
        parts = [f"{cut} in {each}" for each, cut in zip(shares, said, strict=True)]
        return f"{', '.join(parts[:-1])} and {parts[-1]} of cases, chosen at random"

    def chances(self, scores: Any) -> FloatArray:
        """How likely it is that each case is acted on."""
        scores = as_floats(scores, "scores").astype(np.float64, copy=False)
        found = np.zeros(scores.size)
        for cut, share in zip(self.thresholds, self.mixture, strict=True):
            found[(scores > cut) | (cut == -math.inf)] += share
        highest = self.thresholds[0]  # cases above it are acted on, whatever shares add up to
        return np.where((scores > highest) | (highest == -math.inf), 1.0, found)


def _said_cut(cut: float) -> str:
    """When one threshold acts."""
    if math.isinf(cut):
        return "always act" if cut < 0 else "never act"
    return f"act above {cut_text(cut)}"


@dataclass(frozen=True, slots=True, eq=False)
class SliceRates(AnswersGuesses):
    """How often each slice is acted on, and what it costs; see `constrained_slices`.

    Parameters
    ----------
    names : tuple of names
        The slices.
    cases : array
        How many cases each slice has, or what they weigh.
    selection, true_positive, false_positive : array
        Share of the cases, of the second class and of the first class that are acted on; nan
        where a slice has no case of the class.
    cost : array
        Expected cost per case.
    """

    names: tuple[Name, ...]
    cases: FloatArray
    selection: FloatArray
    true_positive: FloatArray
    false_positive: FloatArray
    cost: FloatArray

    @property
    def average_cost(self) -> float:
        """Expected cost per case over all slices."""
        return float(self.cases @ self.cost / self.cases.sum())

    def ratio(self, constraint: Constraint) -> float:
        """The lowest rate as a share of the highest; 1 where both are 0."""
        rates = getattr(self, as_constraints(constraint)[0])
        low, high = float(rates.min()), float(rates.max())
        return 1.0 if low == high else low / high

    def difference(self, constraint: Constraint) -> float:
        """By how much the highest rate is above the lowest."""
        return float(np.ptp(getattr(self, as_constraints(constraint)[0])))

    def frame(self) -> Frame:
        """One row per slice: slice, cases, selection, true_positive, false_positive, cost."""
        return Frame(
            {
                "slice": list(self.names),
                "cases": self.cases,
                **{name: getattr(self, name) for name in WORDS},
            }
        )


def act_chances(rules: tuple[SliceRule, ...], cases: SlicedCases) -> FloatArray:
    """How likely it is that each case is acted on."""
    found = np.empty(cases.scores.size)
    for g, rule in enumerate(rules):
        at = cases.codes == g
        found[at] = rule.chances(cases.scores[at])
    return found


def slice_rates(cases: SlicedCases, rules: tuple[SliceRule, ...], app: Application) -> SliceRates:
    """What rules do in each slice that occurs, on average over the draws."""
    chances = act_chances(rules, cases)
    each = np.ones(cases.truth.size) if cases.weights is None else cases.weights
    places, size = 2 * cases.codes + cases.truth, 2 * len(cases.names)
    totals = np.bincount(places, each, size).reshape(-1, 2)
    acted = np.bincount(places, each * chances, size).reshape(-1, 2)
    there = totals.sum(axis=1) > 0
    totals, acted = totals[there], acted[there]
    (c11, c12), (c21, c22) = app.costs.values
    paid = totals @ np.array([c11, c21]) + acted @ np.array([c12 - c11, c22 - c21])
    with np.errstate(invalid="ignore"):
        false, true = (acted / totals).T
    cases_of = totals.sum(axis=1)
    kept = tuple(name for name, held in zip(cases.names, there, strict=True) if held)
    return SliceRates(kept, cases_of, acted.sum(axis=1) / cases_of, true, false, paid / cases_of)
