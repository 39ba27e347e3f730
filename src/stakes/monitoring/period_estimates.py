"""Estimate the cost of periods without labels, and raise alarms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from stakes._checks import as_level, of_kind
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes.estimation.cost_estimate import UNSEEN, CostEstimate
from stakes.estimation.decided_cases import DecidedCases
from stakes.estimation.no_labels import estimate_cost
from stakes.exceptions import DataError, UndefinedError
from stakes.messages.quantities import percent
from stakes.monitoring.change_advice import in_per_cent
from stakes.monitoring.watch import Watch
from stakes.results import Frame
from stakes.typing import FloatArray, Name

#: What an estimate assumes, in a cell of a table.
BRIEFLY = {
    "none": "nothing changed",
    "shares": "other shares",
    "inputs": "other inputs",
    "refused": "scores changed",
}
#: More periods with an alarm are counted, not named.
_NAMED = 4
#: What an alarm without labels may mean, and what to do if labels confirm it.
_REMEDIES = {
    "none": ("The estimated cost changed", "find out why"),
    "shares": (
        "The scores point to other shares of the outcomes",
        "estimate the priors again and decide with them; the model can stay",
    ),
    "inputs": ("The mix of the inputs changed", "re-calibrate on recent cases"),
    "refused": (
        "The scores changed in a way that other shares do not explain, so there is no estimate",
        "re-calibrate or retrain on recent cases",
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class PeriodEstimates(AnswersGuesses):
    """Estimated costs of periods, with alarms; what `estimate_periods` returns.

    Parameters
    ----------
    reference_cost : float
        Cost per case of the labelled reference.
    periods : tuple of names
        In order of time.
    estimates : tuple of CostEstimate or str
        The estimate of each period, or the reason why there is none.
    costs : array
        Cost per case by the labels, if they have arrived; else nan.
    cases : tuple of int
        How many cases each period has.
    chances : array
        Least p-value, corrected for three questions: did the estimated cost, the class shares, or
        the scores within classes change?
    alphas : array
        The largest p-value that raises an alarm.
    level : float
        Confidence level of the intervals. At least this share of endless runs without change has no
        alarm.
    """

    reference_cost: float
    periods: tuple[Name, ...]
    estimates: tuple[CostEstimate | str, ...]
    costs: FloatArray
    cases: tuple[int, ...]
    chances: FloatArray
    alphas: FloatArray
    level: float

    @property
    def alarms(self) -> tuple[Name, ...]:
        """The periods with an alarm: other costs, other shares, or unexplained scores."""
        rung = self.chances <= self.alphas
        return tuple(n for n, bad in zip(self.periods, rung, strict=True) if bad)

    @property
    def alarms_without_labels(self) -> tuple[Name, ...]:
        """The alarms of periods without labels; where labels have arrived, they decide."""
        rung = np.isnan(self.costs) & (self.chances <= self.alphas)
        return tuple(n for n, bad in zip(self.periods, rung, strict=True) if bad)

    @property
    def advice(self) -> str:
        """What to do about alarms of periods without labels; empty if there is none."""
        rung = self.alarms_without_labels
        if not rung:
            return ""
        first = self.estimates[self.periods.index(rung[0])]
        seen, remedy = _REMEDIES["refused" if isinstance(first, str) else first.change]
        priors = None if isinstance(first, str) or first.change != "shares" else first.priors
        if priors is not None and len(priors.classes) == 2:
            seen += f" (about {in_per_cent(float(priors.priors[1]))} {priors.classes[1]!r})"
        named = ", ".join(map(str, rung[:_NAMED]))
        named += f" and {len(rung) - _NAMED} more" * (len(rung) > _NAMED)
        return (
            f"Alarm of the estimate at {named}, without labels. {seen}. Label some of these cases "
            f"at random; if the labels confirm it, {remedy}."
        )

    @property
    def held(self) -> tuple[int, int]:
        """How often the interval contained the cost, and for how many periods with labels."""
        known = [
            (cost, each)
            for cost, each in zip(self.costs.tolist(), self.estimates, strict=True)
            if not np.isnan(cost) and isinstance(each, CostEstimate)
        ]
        return sum(cost in each for cost, each in known), len(known)

    @property
    def text(self) -> str:
        """How good the estimates were for labelled periods, and what they cannot detect."""
        held, known = self.held
        good = f"Where labels have arrived, {held} of {known} estimates contained the cost. "
        return f"{good if known else ''}{UNSEEN}"

    def frame(self) -> Frame:
        """One row per period: cases, estimate with its interval, cost by labels, alarm."""
        some = [each if isinstance(each, CostEstimate) else None for each in self.estimates]
        ends = {
            name: [np.nan if each is None else float(getattr(each, name)) for each in some]
            for name in ("value", "low", "high")
        }
        return Frame(
            {
                "period": list(self.periods),
                "cases": list(self.cases),
                "estimate": ends["value"],
                "low": ends["low"],
                "high": ends["high"],
                "cost": self.costs,
                "change": ["refused" if each is None else each.change for each in some],
                "chance": self.chances,
                "alpha": self.alphas,
                "alarm": self.chances <= self.alphas,
            }
        )

    def __str__(self) -> str:
        return f"{self.frame()}\n\n{self.text}"

    def __repr__(self) -> str:
        rung = f"alarm at {', '.join(map(str, self.alarms[:4]))}" if self.alarms else "no alarm"
        return f"<PeriodEstimates of {len(self.periods)} periods: {rung}>"


# Estimates have a budget of alarms of their own: docs/design/monitoring.md.
@answers_guesses
def estimate_periods(
    periods: Mapping[Any, DecidedCases], *, reference: DecidedCases, level: float = 0.95
) -> PeriodEstimates:
    """Estimate the cost of periods whose labels have not arrived, and raise alarms.

    Parameters
    ----------
    periods : mapping from names to DecidedCases
        In order of time. Labels that have arrived are compared with the estimates, but never used
        for an estimate.
    reference : DecidedCases
        Labelled cases from an earlier time.
    level : float
        Confidence level of the intervals, and chance of never having a false alarm.

    Returns
    -------
    PeriodEstimates
        With `.alarms`, `.held` and `.frame()`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> def month(share):
    ...     y = rng.random(2000) < share
    ...     return y, 1 / (1 + 9 * np.exp(-rng.normal(4 * y - 2, 2)))
    >>> y, p = month(0.1)
    >>> old = DecidedCases.from_scores(y, p, costs={"fn": 10, "fp": 1})
    >>> later = {"May": month(0.1), "June": month(0.3)}
    >>> new = {name: old.alike(p, y_true=y) for name, (y, p) in later.items()}
    >>> found = estimate_periods(new, reference=old)
    >>> found.alarms, found.held
    (('June',), (2, 2))
    """
    level = as_level(level)
    of_kind(periods, "periods", Mapping)
    of_kind(reference, "reference", DecidedCases, hint="DecidedCases.from_scores(y_true, ...)")
    if not periods:
        raise DataError("`periods` must hold at least one period; got none.")
    base, doubt = reference.cost, _cost_variance(reference)
    found: list[CostEstimate | str] = []
    chances, costs, numbers = [], [], []
    for cases in periods.values():
        of_kind(cases, "periods", DecidedCases, hint="reference.alike(posteriors)")
        costs.append(np.nan if cases.truth is None else cases.cost)
        numbers.append(cases.number)
        try:
            one = estimate_cost(reference, cases, level=level)
            found.append(one)
        except UndefinedError as error:
            one = estimate_cost(reference, cases, level=level, change="shares")
            found.append(error.message)
        apart = abs(one.value - base) / max(float(np.sqrt(one.spread**2 + doubt)), 1e-300)
        least = min(2 * float(ndtr(-apart)), one.tests["shares"], one.tests["mixture"])
        chances.append(min(1.0, 3 * least))
    looks = np.arange(1, len(found) + 1)
    alphas = (1 - level) / (looks * (looks + 1.0))
    known = np.array(costs), tuple(numbers), np.array(chances)
    return PeriodEstimates(base, tuple(periods), tuple(found), *known, alphas, level)


def _cost_variance(cases: DecidedCases) -> float:
    """Variance of the mean cost by labels."""
    paid = cases.paid[np.arange(len(cases)), cases.labels]
    return float(cases.squares @ (paid - cases.cost) ** 2 / cases.mass.sum() ** 2)


def combined_advice(watched: Watch, said: str, estimates: PeriodEstimates | None) -> str:
    """What is said of the labels, and of alarms without labels; these alone if labels are quiet."""
    more = "" if estimates is None else estimates.advice
    return " ".join(filter(None, ["" if more and not watched.alarm else said, more]))


def needless_alarms(watched: Watch, estimates: PeriodEstimates | None) -> str:
    """The chance of a needless alarm; estimates have a budget of their own."""
    said = f"The chance of a needless alarm is {percent(1 - watched.level)} over the whole run"
    if estimates is None:
        return f"{said}."
    more = percent(1 - estimates.level)
    return f"{said} for alarms by labels, and another {more} for alarms of estimates."


def timeline(watched: Watch, estimates: PeriodEstimates | None) -> Frame:
    """The table of a watch with the periods without labels, in order of time.

    `basis` says whether the cost is by labels or an estimate.
    """
    rows = {row["period"]: {**row, "basis": "labels"} for row in watched.frame().rows()}
    order, nothing = list(rows), dict.fromkeys(("change", "from_shares", "from_errors"), math.nan)
    table = () if estimates is None else estimates.frame().rows()
    last = order[0] if any(row["period"] in rows for row in table) else order[-1]
    for row in table:
        name = row["period"]
        if math.isnan(row["cost"]) and name not in rows:
            told = {key: row[key] for key in ("period", "cases", "low", "high", "alpha", "alarm")}
            rows[name] = {**told, **nothing, "cost": row["estimate"], "p_value": row["chance"],
                          "basis": "estimate"}  # fmt: skip
            order.insert(order.index(last) + 1, name)
        last = name if name in rows else last
    return Frame({key: [rows[name][key] for name in order] for key in rows[order[0]]})
