"""Several models within the same limits: what each decides, what limits cost it, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import one_of, place_of
from stakes.application import Application, CaseCosts
from stakes.exceptions import DataError
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped, money
from stakes.resources.capacity import CapacityOptimum, LimitPrice, optimum
from stakes.resources.capacity_curve import CapacityCurve, curve_of
from stakes.resources.limit import Limit, read_limits
from stakes.typing import FloatArray, Name

#: Shares of cases this close are equal.
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelCapacity:
    """What limits mean for each model; `evaluate` gives it as `capacity` of an evaluation.

    Parameters
    ----------
    limits : tuple of Limit
        As they were given.
    optima : mapping of str to CapacityOptimum
        By the name of a model; those that gave decisions are absent.
    paid : array of shape (n_cases, n_decisions)
        What each decision costs in each case by the truth.
    weights : array or None
        What each case counts for; None where all count for one.
    unit, period : str, optional
        Of the costs, and of the limits.
    """

    limits: tuple[Limit, ...]
    optima: Mapping[str, CapacityOptimum]
    paid: FloatArray
    weights: FloatArray | None
    unit: str | None = None
    period: str | None = None

    def __getitem__(self, model: str) -> CapacityOptimum:
        return self.optima[model]

    def curve(
        self, model: str, decision: Name | None = None, *, stops: Any = None
    ) -> CapacityCurve:
        """Cost against capacity of one model, other limits as they are.

        Parameters
        ----------
        model : str
            Whose decisions.
        decision : name, optional
            Whose upper limit moves; the first that was limited if absent.
        stops : sequence of numbers, optional
            The capacities, in cases of the batch, as in `capacity_curve`.

        Returns
        -------
        CapacityCurve
            Also with what the decisions cost by the truth.
        """
        found = self.optima[one_of(model, "model", self.optima)]
        first = self.limits[0].decision
        moving = first if decision is None else one_of(decision, "decision", found.names)
        held = {each.limit.decision: each for each in found.limits}
        low = held[moving].low if moving in held else 0.0
        others = tuple(
            Limit(name, each.high, each.low) for name, each in held.items() if name != moving
        )
        return curve_of(found.expected, found.names, moving, others, self.weights, self.paid,
                        stops=stops, low=low)  # fmt: skip

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which decisions could be taken in every case within the limits."""
        return possible_always(*self._ends())

    def naive_shares(
        self, constant: FloatArray, at_most: Mapping[Name, float] | None = None
    ) -> FloatArray:
        """How often each decision is taken by the best naive rule; see `naive_shares`.

        `constant` is what each decision costs if it is taken in every case, `at_most` another
        upper limit on some decisions, in cases of the batch.
        """
        return naive_shares(constant, *self._ends(at_most))

    def _ends(self, at_most: Mapping[Name, float] | None = None) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest share of the cases that may get each decision."""
        first = next(iter(self.optima.values()))
        low, high = np.zeros(len(first.names)), np.ones(len(first.names))
        for each in first.limits:
            at = first.names.index(each.limit.decision)
            most = (at_most or {}).get(each.limit.decision, each.high)
            low[at], high[at] = each.low / first.n_cases, min(most / first.n_cases, 1.0)
        return low, high

    def record(self) -> list[dict[str, Any]]:
        """A row for each model and limit, as JSON types."""
        return [
            {"model": model, **limit_record(each)}
            for model, found in self.optima.items()
            for each in found.limits
        ]

    def notes(self, model: str) -> list[Note]:
        """What the limits cost one model, as sentences."""
        if place_of(model, self.optima) is None:
            return []
        found = self.optima[model]
        said = [
            Note("capacity-price", sentence=limit_in_words(each, found.n_cases, self.unit, model))
            for each in found.limits
        ]
        if found.price > 0:
            amount = _amount(found.price, self.unit)
            said.append(Note("capacity-cost", model=model, amount=amount))
        return said


def refuse_beyond(limited: ModelCapacity, model: str, decisions: NDArray[Any]) -> None:
    """Raise where decisions that were given break a limit."""
    found = next(iter(limited.optima.values()))
    each = np.ones(decisions.size) if limited.weights is None else limited.weights
    taken = np.bincount(decisions, each, len(found.names)) / each.sum()
    for one in found.limits:
        used = float(taken[found.names.index(one.limit.decision)]) * found.n_cases
        close = _CLOSE * found.n_cases
        if not one.low - close <= used <= one.high + close:
            raise DataError(
                f"{model!r} decides '{one.limit.decision}' in {grouped(used)} of "
                f"{grouped(found.n_cases)} cases; the limit is {one.limit.ends_words}.",
                hint="give its probabilities, so that it can keep the limit, or leave it out",
            )


def possible_always(low: FloatArray, high: FloatArray) -> NDArray[np.bool_]:
    """Which decisions can be taken in every case, if shares must lie between `low` and `high`."""
    required = low > _CLOSE
    others = required.sum() - required
    return np.asarray((high > 1 - _CLOSE) & (others == 0))


def naive_shares(constant: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """In what share of the cases each decision is taken by the best rule that ignores the cases.

    The cheapest decision that can be taken in every case. Where none can, or a decision must be
    taken, cases are drawn at random: each decision as often as it must be taken, and then the
    cheapest as often as they may.
    """
    possible = possible_always(low, high)
    if possible.any() and not (low > _CLOSE).any():
        return np.asarray(
            np.arange(len(low)) == np.where(possible, constant, np.inf).argmin(), float
        )
    shares = low.copy()
    for at in np.argsort(constant, kind="stable"):
        shares[at] += min(high[at] - low[at], max(0.0, 1.0 - shares.sum()))
    return shares if shares.max() < 1 - _CLOSE else shares.round()


def limit_record(each: LimitPrice) -> dict[str, Any]:
    """A limit and what it costs, as JSON types."""
    return {
        "decision": str(each.limit.decision),
        "limit": str(each.limit),
        "at_least": each.low,
        "at_most": each.high if np.isfinite(each.high) else None,
        "used": each.used,
        "binds": ("at_least" if each.lower else "at_most") if each.binds else None,
        "price": each.price,
        "interval": [end if np.isfinite(end) else None for end in each.interval],
        "tighter": None if np.isnan(each.tighter) else each.tighter,
    }


def limit_in_words(each: LimitPrice, cases: float, unit: str | None, model: str | None) -> str:
    """How far a limit was used, and what one more is worth, as a sentence."""
    used = f"{grouped(round(each.used, 2))} of these {grouped(round(cases, 2))} cases"
    limit = f"Limit on '{each.limit.decision}', {each.limit.ends_words}"
    per = f" per {each.limit.period}" if each.limit.period else ""
    if not each.binds:
        close = _CLOSE * cases
        at_most = cases > each.high <= each.used + close
        if at_most or 0 < each.low >= each.used - close:
            alone = f"one {'more' if at_most else 'fewer'}{per} by itself would save nothing"
            return f"{limit}: reached ({used}); {alone}."
        return f"{limit}: costs nothing ({used})."
    low, high = each.interval
    more = "one fewer" if each.lower else "one more"
    ends = f"to {_amount(high, None)}" if np.isfinite(high) else "or more"
    worth = f"{_amount(each.price, unit)} ({_amount(low, None)} {ends})"
    whose = "the probabilities"
    if model is not None:
        plain = re.fullmatch(r"[\w.-]+", model)  # a comma or a word would be part of the sentence
        whose += f" of {model}" if plain else f" of '{model}'"
    return f"{limit}: reached ({used}); {more}{per} would save {worth}, if {whose} are right."


def _amount(number: float, unit: str | None) -> str:
    """Three digits of an amount, with its unit."""
    return money(float(f"{number:.3g}"), unit)


def model_capacity(
    posteriors: Mapping[str, NDArray[Any]],
    truth: NDArray[Any],
    capacity: Any,
    *,
    costs: Application,
    case_costs: CaseCosts | None,
    weights: FloatArray | None,
    level: float,
) -> ModelCapacity:
    """The cheapest decisions of each model within the limits, from checked posteriors."""
    names = costs.decisions
    limits = read_limits(capacity, names)
    rows = np.arange(truth.shape[0])
    paid = costs.costs.values[truth] if case_costs is None else case_costs.values[rows, truth]
    optima = {}
    for name, array in posteriors.items():
        if case_costs is None:
            expected = array.astype(np.float64, copy=False) @ costs.costs.values
        else:
            expected = np.einsum("nk,nkm->nm", array, case_costs.values)
        found = optimum(expected, names, limits, weights, app=costs, level=level)
        optima[name] = found
    return ModelCapacity(limits, optima, paid, weights, costs.unit, costs.period)
