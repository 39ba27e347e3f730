"""The stops of a page about costs per case: what each rule costs at each, without the cases.

One slider multiplies what a miss costs above a catch, in every case; the other moves the share of
the second class. What a rule costs is then a sum over the cases it acts on, of amounts that do not
change, times the factor and the shares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.roc_hull import cumulative, hull
from stakes.application import Application
from stakes.evaluation.model_rows import Model
from stakes.evaluation.model_variants import CaseRule, CaseSources
from stakes.typing import FloatArray

#: Natural logarithm from one stop to the next, of the factor and of the odds of the share.
STEP = 0.2
#: Factors reach about ten times as far, either way.
FACTOR_STOPS = 12
#: Shares reach this many stops either way, or fewer where many rules have to fit.
SHARE_STOPS = 10
#: The sums that a page holds of each rule.
SUMS = ("alarms", "alarm_costs", "alarm_saved", "misses", "miss_costs", "miss_saved")
#: At most so many numbers behind the rules that depend on both sliders.
_ROOM = 8_000


@dataclass(frozen=True, slots=True)
class CaseGrid:
    """How far the sliders reach: factors and shares, in steps from where they stand."""

    log_odds: float
    shares: int
    factors: int = FACTOR_STOPS

    def share(self, j: int) -> float:
        """The share of the second class, so many steps from the stated one."""
        return 1 / (1 + math.exp(-(self.log_odds + STEP * j)))

    def priors(self, j: int, stated: FloatArray) -> FloatArray:
        """The shares of both classes; at the start, as they were stated."""
        return stated if j == 0 else np.array([1 - self.share(j), self.share(j)])


@dataclass(frozen=True, slots=True, eq=False)
class RuleSums:
    """One rule at the stops: weight and amounts of false alarms and of misses, and its cut.

    Arrays are (n_factors, n_shares); for a rule that follows only their product, and for
    decisions, one-dimensional. Costs are those above the other decision, of misses for a factor
    of 1; what the other decision would have cost is apart (`alarm_saved`, `miss_saved`).
    """

    alarms: FloatArray
    alarm_costs: FloatArray
    alarm_saved: FloatArray
    misses: FloatArray
    miss_costs: FloatArray
    miss_saved: FloatArray
    cuts: FloatArray | None = None


def grid_of_cases(sources: CaseSources, app: Application) -> CaseGrid | None:
    """The sliders; None unless there are two classes and decisions, and every class has cases."""
    shares = app.priors
    if app.costs.shape != (2, 2) or shares is None or not 0 < shares[1] < 1:
        return None
    if np.bincount(sources.cases.truth, minlength=2).min() == 0 or not 0 < sources.said_at[1] < 1:
        return None
    both = sum(rule.kind in ("one threshold", "average costs") for rule in sources.rules)
    fits = _ROOM // max(both * (2 * FACTOR_STOPS + 1), 1)
    return CaseGrid(math.log(shares[1] / shares[0]), min(SHARE_STOPS, max(2, (fits - 1) // 2)))


class Sorted:
    """The cases of one model from the smallest posterior to the largest, with running sums."""

    def __init__(self, sources: CaseSources, model: Model) -> None:
        assert model.posteriors is not None
        self.sources, self.model = sources, model
        order = np.argsort(model.posteriors[:, 1], kind="stable")
        self.order = order
        self.p: FloatArray = model.posteriors[order, 1].astype(np.float64)
        self.truth, weights = sources.cases.truth[order], sources.weights[order]
        self.gaps = tuple(gap[order] for gap in sources.gaps)
        self.totals = np.bincount(self.truth, weights=weights, minlength=2)
        self.per_class = weights / self.totals[self.truth]
        alarm, miss = (np.stack(part)[:, order] for part in sources.amounts)
        self.below = [cumulative(part) for part in miss]
        # acted on, from each place upwards
        self.above = [cumulative(part[::-1])[::-1] for part in alarm]

    def at_shares(self, priors: FloatArray) -> FloatArray:
        """The posteriors moved to other shares."""
        said_at = self.sources.said_at
        if np.array_equal(priors, said_at):
            return self.p
        first, second = priors / said_at
        return np.asarray(second * self.p / (second * self.p + first * (1 - self.p)))

    def at(self, places: NDArray[np.intp], cuts: FloatArray | None) -> RuleSums:
        """The sums when cases from these places upwards are acted on."""
        a, b = [part[places] for part in self.above], [part[places] for part in self.below]
        return RuleSums(a[0], a[1], a[2], b[0], b[1], b[2], cuts)


def sums_of(sources: CaseSources, grid: CaseGrid) -> list[RuleSums] | None:
    """Every rule at every stop; None where costs are such that averages act on the unlikely."""
    found, ready = [], {}
    for rule in sources.rules:
        if rule.kind == "decisions":
            found.append(_own(sources, rule))
            continue
        if rule.model.name not in ready:
            ready[rule.model.name] = Sorted(sources, rule.model)
        by_posterior = ready[rule.model.name]
        if rule.kind == "per case":
            made: RuleSums | None = _per_case(sources, rule, grid)
        elif rule.kind == "one threshold":
            made = _one_threshold(by_posterior, grid)
        else:
            made = _average(by_posterior, grid)
        if made is None:
            return None
        found.append(_stated(made, _own(sources, rule), rule, grid))
    return found


def _own(sources: CaseSources, rule: CaseRule) -> RuleSums:
    """The sums of the decisions that were evaluated."""
    alarm, miss = (
        [np.array([part[rule.codes == code].sum()]) for part in parts]
        for code, parts in zip((1, 0), sources.amounts, strict=True)
    )
    return RuleSums(*alarm, *miss)


def _stated(made: RuleSums, own: RuleSums, rule: CaseRule, grid: CaseGrid) -> RuleSums:
    """With exactly what was evaluated where the sliders start."""
    flat = made.alarms.ndim == 1
    start: Any = grid.factors + grid.shares if flat else (grid.factors, grid.shares)
    for name in SUMS:
        getattr(made, name)[start] = getattr(own, name)[0]
    if made.cuts is not None and rule.threshold is not None:
        made.cuts[start] = rule.threshold
    return made


def _moved_by(sources: CaseSources) -> float:
    """Log of the factor between the odds where it runs and those the posteriors were made for."""
    here, said = (math.log(p[1] / p[0]) for p in (sources.priors, sources.said_at))
    return here - said


def _per_case(sources: CaseSources, rule: CaseRule, grid: CaseGrid) -> RuleSums:
    """Each case by its own costs: acted on from one stop on, or only up to one."""
    assert rule.model.posteriors is not None
    p = rule.model.posteriors.astype(np.float64)
    acting, waiting = p[:, 0] * sources.gaps[0], p[:, 1] * sources.gaps[1]
    reach = grid.factors + grid.shares
    x = _moved_by(sources) + STEP * np.arange(-reach, reach + 1)
    size = x.shape[0]
    start = np.full(p.shape[0], size)  # never, unless waiting is dear or acting a gain
    start[(acting < 0) & (waiting >= 0) | (acting == 0) & (waiting > 0)] = 0
    up, down = (acting > 0) & (waiting > 0), (acting < 0) & (waiting < 0)
    start[up] = np.searchsorted(x, np.log(acting[up] / waiting[up]), side="right")
    end = np.full(p.shape[0], size)
    start[down] = 0
    end[down] = np.searchsorted(x, np.log(acting[down] / waiting[down]), side="left")
    alarm, miss = sources.amounts

    def acted(amounts: FloatArray) -> FloatArray:
        starts, ends = (np.bincount(at, amounts, minlength=size + 1) for at in (start, end))
        return np.asarray(starts.cumsum()[:-1] - ends.cumsum()[:-1])

    def left(amounts: FloatArray) -> FloatArray:
        starts, ends = (np.bincount(at, amounts, minlength=size + 1) for at in (start, end))
        return np.asarray(starts[::-1].cumsum()[::-1][1:] + ends.cumsum()[:-1])

    return RuleSums(*(acted(part) for part in alarm), *(left(part) for part in miss))


def _cut_at(p: FloatArray, place: int) -> float:
    """The cut below the case at a place: half way to the one before."""
    if place == 0:
        return -math.inf
    if place == len(p):
        return math.inf
    middle = p[place - 1] / 2 + p[place] / 2
    return float(middle if p[place - 1] <= middle < p[place] else p[place - 1])


def _one_threshold(cases: Sorted, grid: CaseGrid) -> RuleSums:
    """The cut with the least expected cost for each factor and share."""
    factors = np.exp(STEP * np.arange(-grid.factors, grid.factors + 1))
    shape = (factors.shape[0], 2 * grid.shares + 1)
    places, cuts = np.empty(shape, dtype=np.intp), np.empty(shape)
    ends = np.flatnonzero(np.append(True, cases.p[1:] != cases.p[:-1]))  # ties are never split
    edges = np.append(ends, cases.p.shape[0])
    for column, j in enumerate(range(-grid.shares, grid.shares + 1)):
        priors = grid.priors(j, cases.sources.priors)
        p = cases.at_shares(priors)
        weights = priors[cases.truth] * cases.per_class
        acting = cumulative(weights * (1 - p) * cases.gaps[0])[edges]
        waiting = cumulative(weights * p * cases.gaps[1])[edges]
        corners = _corners(acting, waiting)
        costs = factors[:, None] * waiting[corners] - acting[corners]
        last = corners.shape[0] - 1 - np.argmin(costs[:, ::-1], axis=1)  # ties: the higher cut
        places[:, column] = edges[corners[last]]
        for row, place in enumerate(places[:, column].tolist()):
            cuts[row, column] = _cut_at(cases.p, place)
    return cases.at(places, cuts)


def _corners(acting: FloatArray, waiting: FloatArray) -> NDArray[np.intp]:
    """Cuts that some factor may choose; all of them where a cost is negative."""
    if (np.diff(acting) < 0).any() or (np.diff(waiting) < 0).any():
        return np.arange(acting.shape[0])
    scale = acting[-1] or 1.0, waiting[-1] or 1.0  # so that no product overflows
    return hull(acting / scale[0], waiting / scale[1])


def _placed(cut: float, priors: FloatArray, said_at: FloatArray) -> float:
    """A cut on posteriors where it runs, as one on the posteriors as they come."""
    if not 0 < cut < 1 or np.array_equal(priors, said_at):
        return cut
    odds = cut / (1 - cut) * (priors[0] / priors[1]) * (said_at[1] / said_at[0])
    return float(odds / (1 + odds))


def _average(cases: Sorted, grid: CaseGrid) -> RuleSums | None:
    """The Bayes cut of the average costs for each factor and share."""
    own = [cases.truth == k for k in (0, 1)]
    means = np.array([[cases.per_class[k] @ gap[k] for k in own] for gap in cases.gaps])
    shape = (2 * grid.factors + 1, 2 * grid.shares + 1)
    cuts = np.empty(shape)
    for column, j in enumerate(range(-grid.shares, grid.shares + 1)):
        priors = grid.priors(j, cases.sources.priors)
        wrong, lost = means @ priors
        if wrong <= 0 or lost <= 0:
            return None
        for row, i in enumerate(range(-grid.factors, grid.factors + 1)):
            cut = wrong / (wrong + math.exp(STEP * i) * lost)
            cuts[row, column] = _placed(float(cut), priors, cases.sources.said_at)
    return cases.at(np.searchsorted(cases.p, cuts, side="right"), cuts)
