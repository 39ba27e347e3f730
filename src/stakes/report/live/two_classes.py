"""The numbers behind the sliders of two classes: every model at every stop, what it costs and
which verdict.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.interval_ends import normal_quantile
from stakes.evaluation.model_rows import Cases
from stakes.evaluation.verdict import AFTER, KINDS, SAME_COST, WORTH_SAYING
from stakes.messages.quantities import grouped
from stakes.report.live.two_class_stops import (
    RATIO_STOPS,
    STEP,
    Grid,
    Leads,
    Place,
    System,
    both_acted,
    chances_best,
    grid_of,
    joint_counts,
    nec_limits,
    paired_statistics,
    systems_of,
    unpaired_rivals,
)
from stakes.report.markup import packed
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: More models than this are not told apart stop by stop.
_MOST_TOLD_APART = 10


class Live:
    """Every model at every stop; `place` and `table` say how sure, by kind of shares."""

    def __init__(self, ev: Evaluation, grid: Grid) -> None:
        self.ev, self.grid, self.level = ev, grid, ev.level
        self.sources = ev.sources
        counts = [np.asarray(model.confusion.counts, dtype=np.float64) for model in ev.models]
        self.totals = [table.sum(axis=1) for table in counts]
        self.pairs = systems_of(ev, grid)
        self.systems = [as_is for as_is, _ in self.pairs]
        whole = all((table == np.floor(table)).all() for table in counts)
        self.sure = whole and not ev.too_few and (ev.sources is None or ev.sources.plain)
        self.z = normal_quantile(self.level)
        # Whether the shares are those of the data, and as uncertain.
        self.free = ev.sources is not None and ev.sources.given.priors is None
        self.joint: NDArray[np.int64] | None = None
        self.draws: int | None = None
        few = 2 <= len(self.systems) <= _MOST_TOLD_APART
        shared = None if ev.sources is None else ev.sources.cases
        if self.sure and few and shared is not None:
            self.joint = joint_counts(self.systems, shared.truth)
        # Bins, and tables of counts, do not tell which cases models share.
        self.unshared = self.joint is None and few and (bool(ev.unpaired) or ev.sources is not None)

    def places(self) -> dict[str, Place]:
        """All stops with shares given; and, where they are those of the data, the cost ratios."""
        x = self.grid.x
        found = {"fixed": Place(np.arange(x.shape[0]), np.exp(x), np.full(x.shape, 0.5), True)}
        if self.free:
            steps = np.arange(-RATIO_STOPS, RATIO_STOPS + 1)
            ratio = np.exp(self.grid.log_ratio + STEP * steps)
            share = np.full(ratio.shape, float(self.ev.data_priors[1]))
            found["free"] = Place(self.grid.ratio_stops, ratio, share, False)
        return found

    def nec(self, system: System, place: Place, k: int) -> FloatArray:
        """Normalised cost at some stops, of a rule of the model at a position."""
        wrong, lost = place.weights
        alarms = system.false_alarms[place.stops] / self.totals[k][0]
        return np.asarray(wrong * alarms + lost * (system.misses[place.stops] / self.totals[k][1]))

    def apart(
        self, first: System, second: System, place: Place, shared: Cases | None
    ) -> tuple[FloatArray, ...]:
        """Difference, standard error and score statistic at some stops, on cases that they share.

        Without, as if each had cases of its own.
        """
        totals = self.totals[0]
        if shared is not None:
            both = both_acted(first, second, shared)
        else:
            acted = [np.stack([s.false_alarms, totals[1] - s.misses]) for s in (first, second)]
            both = acted[0] * acted[1] / totals[:, None]
        return paired_statistics(first, second, both, place, totals)

    def shared(self, first: int, second: int) -> Cases | None:
        """The cases on which two models were judged; None where bins do not tell."""
        assert self.sources is not None
        one = self.sources.judged[first]
        return self.sources.cases if first != second else self.sources.cases_of(one)

    def table(self, place: Place) -> dict[str, Any]:
        """Intervals, chances, rivals and the kind of verdict at some stops."""
        nec = np.stack([self.nec(one, place, k) for k, one in enumerate(self.systems)])
        best, size = nec.argmin(axis=0), place.stops.shape[0]
        nothing = np.full(size, np.nan)
        close, value, half = np.zeros((len(nec), size), dtype=bool), nothing.copy(), nothing.copy()
        low = high = chance = None
        if self.sure:
            low, high = nec_limits(self.systems, place, self.totals, self.level)
        if self.joint is not None:
            chance, close, value, half = self.compared(place, nec, best)
        elif self.unshared and low is not None and high is not None:
            close, value, half = unpaired_rivals(nec, low, high, best)
        kind, after_low, after_high = self.kinds(nec, best, high, close.any(axis=0), place)
        needed = self.ev.n_cases * np.divide(half, value, out=nothing, where=value != 0) ** 2
        return {"nec": nec, "low": low, "high": high, "chance": chance, "kind": kind,
                "close": close, "value": value, "half": half, "needed": needed,
                "after_low": after_low, "after_high": after_high}  # fmt: skip

    def compared(
        self, place: Place, nec: FloatArray, best: NDArray[np.intp]
    ) -> tuple[FloatArray | None, Any, Any, Any]:
        """How often each model is best; and those that cannot be told from the best, with the
        distance of the nearest and half the width of its interval.
        """
        assert self.joint is not None
        assert self.sources is not None
        count, columns = len(self.systems), np.arange(best.shape[0])
        codes = np.arange(2**count)
        gap, error, score = np.zeros((3, best.shape[0], count))  # to the best, without sign
        for a, b in itertools.combinations(range(count), 2):
            chosen = codes >> (count - 1 - a) & codes >> (count - 1 - b) & 1 == 1
            both = self.joint[:, :, chosen].sum(axis=2).T.astype(np.float64)
            at = np.flatnonzero((best == a) | (best == b))
            other = np.where(best[at] == a, b, a)
            found = paired_statistics(
                self.systems[b], self.systems[a], both, place.part(at), self.totals[0]
            )
            gap[at, other], error[at, other], score[at, other] = np.abs(found)
        rng, leads = self.sources.options["rng"], Leads(best, gap, error, score)
        chance, draws = chances_best(self.joint, place, leads, nec, rng)
        self.draws = draws if self.draws is None else min(draws, self.draws)
        gap = np.where(score > self.z, np.inf, gap)
        gap[columns, best] = np.inf
        rival = gap.argmin(axis=1)
        value, half = gap[columns, rival], self.z * error[columns, rival]
        return chance, np.isfinite(gap).T, np.where(np.isfinite(value), value, np.nan), half

    def kinds(
        self, nec: FloatArray, best: NDArray[np.intp], high: Any, close: Any, place: Place
    ) -> tuple[NDArray[np.uint8], FloatArray, FloatArray]:
        """Which verdict holds at each stop, by the same rules as the evaluation itself.

        With the interval of the NEC after re-calibrating, where that is what to deploy.
        """
        columns, ends = np.arange(best.shape[0]), np.full((2, *best.shape), np.nan)
        if self.ev.too_few:
            return np.full(best.shape, KINDS.index("cannot say"), dtype=np.uint8), *ends
        least = nec[best, columns]
        found = np.full(best.shape, KINDS.index("deploy"), dtype=np.uint8)
        equal = (nec - least <= SAME_COST * np.maximum(1.0, least)).sum(axis=0) > 1
        found[equal | close] = KINDS.index("cannot tell apart")
        if high is not None:
            found[high[best, columns] >= 1] = KINDS.index("cannot say")
        found[least >= 1] = KINDS.index("none")
        better, chosen = self.better_after(least, best, place)
        found[better] = KINDS.index(AFTER)
        for k in np.unique(chosen[better]):
            at, system = np.flatnonzero(better & (chosen == k)), self.pairs[k][1]
            assert system is not None
            limits = nec_limits([system], place.part(at), [self.totals[k]], self.level)
            ends[:, at] = np.concatenate(limits)
        return found, *ends

    def better_after(
        self, least: FloatArray, best: NDArray[np.intp], place: Place
    ) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Where re-calibrating surely makes another model best, or a useless one useful."""
        fitted = {k: system for k, (_, system) in enumerate(self.pairs) if system is not None}
        if not fitted or not self.sure:
            return np.zeros(best.shape, dtype=bool), best
        places = np.array(list(fitted))
        after = np.stack([self.nec(system, place, k) for k, system in fitted.items()])
        chosen = places[after.argmin(axis=0)]
        better = (chosen != best) | (least >= 1)
        better = np.asarray(better & (after.min(axis=0) < np.minimum(1.0, least - WORTH_SAYING)))
        for a, b in {(int(a), int(b)) for a, b in zip(chosen[better], best[better], strict=True)}:
            at = np.flatnonzero(better & (chosen == a) & (best == b))
            parts = fitted[a], self.systems[b], place.part(at), self.shared(a, b)
            better[at] = self.apart(*parts)[2] < -self.z
        return better, chosen


def live_numbers(ev: Evaluation) -> dict[str, Any] | None:
    """What the script needs to follow the sliders; None where there are none."""
    grid = grid_of(ev.application)
    if grid is None or ev.naive is not None or not (ev.data_priors > 0).all():
        return None
    live = Live(ev, grid)
    (correct, wrong), _ = ev.application.costs.values.tolist()
    share = float((ev.data_priors if ev.sources is None else ev.sources.said_at)[1])
    tables = {k: _stated(live, k, place) for k, place in live.places().items()}
    fixed = tables["fixed"]
    return {
        "bands": (grid.x, fixed["nec"], fixed["low"], fixed["high"]),
        "step": STEP,
        "logRatio": grid.log_ratio,
        "logOdds": grid.log_odds,
        "ratioStops": RATIO_STOPS,
        "lower": grid.lower_shares,
        "upper": grid.upper_shares,
        "unitCost": wrong - correct,
        "saidLogOdds": math.log(share / (1 - share)),
        "kinds": list(KINDS),
        "sure": live.sure,
        "apart": live.joint is not None,
        "sureness": _sureness(live),
        "models": [_model(live, k) for k in range(len(live.systems))],
        "tables": {k: _packed(table) for k, table in tables.items()},
    }


def _sureness(live: Live) -> str:
    """How sure figures are away from the stated costs, in words."""
    said = "For other costs, intervals are computed in the same way"
    if live.unshared:
        return f"{said}; models are compared as if each had cases of its own."
    if live.joint is None:
        return f"{said}; models are not compared there."
    often = (
        f"comes from {grouped(live.draws)} resamples of the cases"
        if live.draws
        else "was not computed"
    )
    return f"{said}; models are compared by the score test, and the chance of being best {often}."


def _stated(live: Live, key: str, place: Place) -> dict[str, Any]:
    """The table of some stops, with what the evaluation itself found at its own place."""
    table, ev = live.table(place), live.ev
    if (key == "free") != live.free:
        return table
    at = RATIO_STOPS if key == "free" else live.grid.start
    for k, model in enumerate(ev.models):
        if table["low"] is not None and model.interval is not None:
            table["low"][k, at], table["high"][k, at] = model.interval
        if table["chance"] is not None and model.probability_best is not None:
            table["chance"][k, at] = model.probability_best
    rival, names = ev.rival, [m.name for m in ev.models]
    table["close"][:, at] = False
    for found in () if rival is None else ev.differences:
        if ev.best in (found.first, found.second) and not found.decided:
            other = found.second if found.first == ev.best else found.first
            table["close"][names.index(str(other)), at] = True
    if rival is not None:
        table["value"][at] = abs(rival.value)
        table["half"][at] = (rival.high - rival.low) / 2
        table["needed"][at] = rival.cases_needed
    table["kind"][at] = KINDS.index(ev.verdict_kind)
    after = ev.best_recalibrated
    sure = np.isfinite(table["after_low"]).any()
    if sure and after is not None and after.recalibrated_interval:
        table["after_low"][at], table["after_high"][at] = after.recalibrated_interval
    return table


def _packed(table: dict[str, Any]) -> dict[str, Any]:
    """The table for JSON, one list per model; models that are close are bits of one number."""
    bits = 1 << np.arange(len(table["close"]))
    close = bits @ table["close"] if len(bits) <= _MOST_TOLD_APART else 0 * table["kind"]
    found: dict[str, Any] = {"kind": packed(table["kind"]), "close": packed(close)}
    for name in ("low", "high", "chance"):
        short = name != "chance"  # limits are roots, found to seven digits
        rows = table[name]
        found[name] = None if rows is None else [packed(row, short=short) for row in rows]
    for name in ("value", "half", "needed", "after_low", "after_high"):
        known = np.isfinite(table[name]).any()
        found[name] = packed(table[name], short=True) if known else None
    return found


def _model(live: Live, k: int) -> dict[str, Any]:
    """One model at all stops."""
    as_is, fitted = (
        None if one is None else
        {"alarms": packed(one.false_alarms), "misses": packed(one.misses)}
        for one in live.pairs[k]
    )  # fmt: skip
    scores = None if live.sources is None else live.sources.judged[k].scores
    hull = None
    if scores is not None:
        below = [part[scores.hull] for part in scores.cumulated]
        hull = {
            "alarms": packed(below[0][-1] - below[0]),
            "misses": packed(below[1]),
            "cuts": packed(scores.cuts_at(scores.hull)),
        }
    return {"totals": live.totals[k].tolist(), **(as_is or {}), "fitted": fitted, "hull": hull}
