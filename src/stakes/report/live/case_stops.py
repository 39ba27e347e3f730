"""The numbers behind a page about costs per case of two classes: sums by rule and stop, no case.

One slider multiplies what a miss costs above a catch, in every case; the other moves the share of
the second class. What a rule costs is then a sum over the cases it acts on, of amounts that do not
change, times the factor and the shares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.roc_hull import cumulative, hull
from stakes.application import Application
from stakes.evaluation.model_rows import Model
from stakes.evaluation.recalibration import CaseRule, CaseSources
from stakes.report.markup import packed
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

#: Natural logarithm from one stop to the next, of the factor and of the odds of the share.
STEP = 0.2
#: Factors reach about ten times as far, either way.
_FACTOR_STOPS = 12
#: Shares reach this many stops either way, or fewer where many rules have to fit.
_SHARE_STOPS = 10
#: The sums that a page holds of each rule: weight, cost above the other decision, and what that
#: one would have cost, of false alarms and of misses. Costs of misses are those for a factor of 1.
SUMS = ("alarms", "alarm_costs", "alarm_saved", "misses", "miss_costs", "miss_saved")
#: The most numbers behind the rules that depend on both sliders.
_ROOM = 8_000


@dataclass(frozen=True, slots=True)
class CaseGrid:
    """How far the sliders reach: factors and shares, in steps from where they stand."""

    log_odds: float
    shares: int
    factors: int = _FACTOR_STOPS

    @property
    def factor(self) -> FloatArray:
        """The factor on misses at every stop."""
        return np.asarray(np.exp(STEP * np.arange(-self.factors, self.factors + 1)))

    def priors(self, j: int, stated: FloatArray) -> FloatArray:
        """The shares `j` steps from the stated ones; at 0, exactly the stated ones."""
        share = 1 / (1 + math.exp(-(self.log_odds + STEP * j)))
        return stated if j == 0 else np.array([1 - share, share])


@dataclass(frozen=True, slots=True, eq=False)
class RuleSums:
    """One rule at the stops: its `SUMS` (6, n_factors, n_shares), and its cuts.

    Of a rule that follows only the product of both sliders, and of decisions: (6, n_stops).
    """

    sums: FloatArray
    cuts: FloatArray | None = None

    def along(self, grid: CaseGrid) -> FloatArray:
        """The sums at every factor, at the stated share."""
        if self.sums.ndim == 3:
            return self.sums[:, :, grid.shares]
        return self.sums[:, grid.shares :][:, : 2 * grid.factors + 1] if self.moves else self.sums

    @property
    def moves(self) -> bool:
        """Whether the sliders change anything."""
        return bool(self.sums[0].size > 1)


def grid_of_cases(sources: CaseSources, app: Application) -> CaseGrid | None:
    """The sliders; None unless there are two classes and decisions, and every class has cases."""
    shares = app.priors
    if app.costs.shape != (2, 2) or shares is None or not 0 < shares[1] < 1:
        return None
    if np.bincount(sources.cases.truth, minlength=2).min() == 0 or not 0 < sources.said_at[1] < 1:
        return None
    both = sum(rule.kind in ("one threshold", "average costs") for rule in sources.rules)
    fits = _ROOM // max(both * (2 * _FACTOR_STOPS + 1), 1)
    return CaseGrid(math.log(shares[1] / shares[0]), min(_SHARE_STOPS, max(2, (fits - 1) // 2)))


class _Sorted:
    """The cases of one model from the smallest posterior to the largest, with running sums."""

    def __init__(self, sources: CaseSources, model: Model) -> None:
        assert model.posteriors is not None
        self.sources = sources
        order = np.argsort(model.posteriors[:, 1], kind="stable")
        self.p: FloatArray = model.posteriors[order, 1].astype(np.float64)
        self.truth, weights = sources.cases.truth[order], sources.cases.weight[order]
        self.gaps = [gap[order] for gap in sources.gaps]
        self.per_class = weights / np.bincount(self.truth, weights=weights, minlength=2)[self.truth]
        alarm, miss = (np.stack(part)[:, order] for part in sources.amounts)
        # false alarms are the cases from a place upwards, misses those below it
        above = [cumulative(part[::-1])[::-1] for part in alarm]
        self.sums = np.stack([*above, *(cumulative(part) for part in miss)])


def sums_of(sources: CaseSources, grid: CaseGrid) -> list[RuleSums] | None:
    """Every rule at every stop; None where costs are such that averages act on the unlikely."""
    found, ready = [], dict[str, _Sorted]()
    for rule in sources.rules:
        own = _own(sources, rule)
        if rule.kind == "decisions":
            found.append(RuleSums(own[:, None]))
            continue
        name = rule.model.name
        cases = ready[name] = ready[name] if name in ready else _Sorted(sources, rule.model)
        if rule.kind == "per case":
            made: RuleSums | None = _per_case(sources, rule, grid)
        else:
            made = (_one_threshold if rule.kind == "one threshold" else _average)(cases, grid)
        if made is None:
            return None
        # where the sliders start, exactly what was evaluated
        flat = made.sums.ndim == 2
        start: Any = grid.factors + grid.shares if flat else (grid.factors, grid.shares)
        made.sums[(slice(None), *np.atleast_1d(start))] = own
        if made.cuts is not None and rule.threshold is not None:
            made.cuts[start] = rule.threshold
        found.append(made)
    return found


def _own(sources: CaseSources, rule: CaseRule) -> FloatArray:
    """The sums of the decisions that were evaluated."""
    both = zip((1, 0), sources.amounts, strict=True)
    return np.array([part[rule.codes == code].sum() for code, parts in both for part in parts])


def _per_case(sources: CaseSources, rule: CaseRule, grid: CaseGrid) -> RuleSums:
    """Each case by its own costs: acted on from one stop on, or only up to one."""
    assert rule.model.posteriors is not None
    p = rule.model.posteriors.astype(np.float64)
    acting, waiting = p[:, 0] * sources.gaps[0], p[:, 1] * sources.gaps[1]
    reach = grid.factors + grid.shares
    here, said = (math.log(p[1] / p[0]) for p in (sources.priors, sources.said_at))
    x = here - said + STEP * np.arange(-reach, reach + 1)
    size = x.shape[0]
    start, end = np.full((2, p.shape[0]), size)  # never, unless waiting costs or acting gains
    start[(acting < 0) | (acting == 0) & (waiting > 0)] = 0
    up, down = (acting > 0) & (waiting > 0), (acting < 0) & (waiting < 0)
    start[up] = np.searchsorted(x, np.log(acting[up] / waiting[up]), side="right")
    end[down] = np.searchsorted(x, np.log(acting[down] / waiting[down]), side="left")

    def summed(amounts: FloatArray, *, acted: bool) -> FloatArray:
        starts, ends = (np.bincount(at, amounts, minlength=size + 1) for at in (start, end))
        over = ends.cumsum()[:-1]
        left = starts[::-1].cumsum()[-2::-1] + over
        return np.asarray(starts.cumsum()[:-1] - over if acted else left)

    alarm, miss = sources.amounts
    acted = [summed(part, acted=True) for part in alarm]
    return RuleSums(np.stack([*acted, *(summed(part, acted=False) for part in miss)]))


def _one_threshold(cases: _Sorted, grid: CaseGrid) -> RuleSums:
    """The cut with the least expected cost for each factor and share."""
    said_at, columns = cases.sources.said_at, []
    ends = np.flatnonzero(np.append(True, cases.p[1:] != cases.p[:-1]))  # ties are never split
    edges = np.append(ends, cases.p.shape[0])
    for j in range(-grid.shares, grid.shares + 1):
        priors, p = grid.priors(j, cases.sources.priors), cases.p
        if not np.array_equal(priors, said_at):
            first, second = priors / said_at
            p = second * p / (second * p + first * (1 - p))
        weights = priors[cases.truth] * cases.per_class
        acting = cumulative(weights * (1 - p) * cases.gaps[0])[edges]
        waiting = cumulative(weights * p * cases.gaps[1])[edges]
        corners = _corners(acting, waiting)
        costs = grid.factor[:, None] * waiting[corners] - acting[corners]
        last = corners.shape[0] - 1 - np.argmin(costs[:, ::-1], axis=1)  # ties: the higher cut
        columns.append(edges[corners[last]])
    places = np.column_stack(columns)
    # half way from the last case below to the first above, if rounding leaves it between them
    low, high = (np.r_[-np.inf, cases.p, np.inf][places + k] for k in (0, 1))
    middle = low / 2 + high / 2
    cuts = np.where((low <= middle) & ((middle < high) | (high == np.inf)), middle, low)
    return RuleSums(cases.sums[:, places], cuts)


def _corners(acting: FloatArray, waiting: FloatArray) -> NDArray[np.intp]:
    """Cuts that some factor may choose; all of them where a cost is negative."""
    if (np.diff(acting) < 0).any() or (np.diff(waiting) < 0).any():
        return np.arange(acting.shape[0])
    scale = acting[-1] or 1.0, waiting[-1] or 1.0  # so that no product overflows
    return hull(acting / scale[0], waiting / scale[1])


def _average(cases: _Sorted, grid: CaseGrid) -> RuleSums | None:
    """The Bayes cut of the average costs for each factor and share."""
    own, said_at = [cases.truth == k for k in (0, 1)], cases.sources.said_at
    means = np.array([[cases.per_class[k] @ gap[k] for k in own] for gap in cases.gaps])
    columns = []
    for j in range(-grid.shares, grid.shares + 1):
        priors = grid.priors(j, cases.sources.priors)
        wrong, lost = means @ priors
        if wrong <= 0 or lost <= 0:
            return None
        cuts = wrong / (wrong + grid.factor * lost)
        if not np.array_equal(priors, said_at):  # to a cut on the posteriors as they come
            odds = cuts / (1 - cuts) * (priors[0] / priors[1]) * (said_at[1] / said_at[0])
            cuts = odds / (1 + odds)
        columns.append(cuts)
    cuts = np.column_stack(columns)
    return RuleSums(cases.sums[:, np.searchsorted(cases.p, cuts, side="right")], cuts)


def case_numbers(ev: Evaluation) -> dict[str, Any] | None:
    """What the script needs to follow the sliders; None where there are none."""
    sources = ev.case_sources
    grid = None if sources is None else grid_of_cases(sources, ev.application)
    if sources is None or grid is None or (sums := sums_of(sources, grid)) is None:
        return None
    totals = [float(parts[0].sum()) for parts in sources.amounts]
    wrong, lost = (parts[1] for parts in sources.amounts)
    # What a constant decision costs above the cheapest one, within each class.
    always = [
        [float(-wrong[wrong < 0].sum() / totals[0]), float(wrong[wrong > 0].sum() / totals[0])],
        [float(lost[lost > 0].sum() / totals[1]), float(-lost[lost < 0].sum() / totals[1])],
    ]
    return {
        "step": STEP,
        "logOdds": grid.log_odds,
        "factors": grid.factors,
        "shares": grid.shares,
        "totals": totals,
        "always": always,
        "correct": [float(parts[2].sum()) for parts in sources.amounts],
        "rules": [_packed(one) for one in sums],
        "curve": _curve(sums, grid, sources.priors, np.array(always), totals),
    }


def _packed(one: RuleSums) -> dict[str, Any]:
    """One rule for JSON: its sums, row by row, and how they are laid out."""
    found: dict[str, Any] = {k: packed(v.ravel()) for k, v in zip(SUMS, one.sums, strict=True)}
    found["along"] = "both" if one.sums.ndim == 3 else "one" if one.moves else "none"
    found["cuts"] = None if one.cuts is None else packed(one.cuts.ravel())
    return found


def _curve(
    sums: list[RuleSums], grid: CaseGrid, priors: FloatArray, always: FloatArray, totals: Any
) -> tuple[FloatArray, FloatArray]:
    """The logarithm of the factor, and the NEC of every rule there, at the stated share."""
    scale = np.stack([np.full(grid.factor.shape, priors[0]), priors[1] * grid.factor])
    naive = (always.T @ scale).min(axis=0)
    parts = [one.along(grid)[[1, 4]] / np.array(totals)[:, None] for one in sums]
    necs = [(scale * (part + always[[0, 1], [0, 1], None])).sum(axis=0) / naive for part in parts]
    return np.log(grid.factor), np.stack(necs)
