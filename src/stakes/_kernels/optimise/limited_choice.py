"""The cheapest choice for each of many cases when choices use up limited resources.

Minimise sum_ij C_ji x_ji with sum_j x_ji = w_i and low <= sum_ij x_ji U_j <= high, x >= 0. The few
prices of the limits decide almost all cases by themselves, so prices are sought first, by cutting
planes on the dual (Kelley, SIAM Journal 8, 1960): on a sample, then on the cases near a tie. In a
box around them most cases cannot change their minds; those are fixed, and HiGHS decides the others.
Prices that end at the side of the box start a new one, so the result is an optimum and not an
approximation (boxsteps: Marsten, Hogan and Blankenship, Operations Research 23, 1975).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: About as many cases go to HiGHS at a time.
_LEAF = 1200
#: Sizes of the samples on which prices are sought first, and the most tangents each time.
_SAMPLES = (16_000, 120_000)
_TANGENTS = 80
#: Costs count as equal if they differ by less than this fraction of their size and the prices.
_CLOSE = 1e-12
#: Whole cases are searched among this many whose decision is nearly a tie.
_ROUNDED = 120
#: Nodes of that search if it has all cases, which makes it exact, and if it has only some.
_NODES, _NODES_OF_SOME = 20_000, 2_000


class Limits(NamedTuple):
    """What a unit of each choice uses (choices, limits), and how much may be used in all."""

    use: Floats
    low: Floats
    high: Floats

    def less(self, used: Floats) -> Limits:
        """What is left after some use."""
        return Limits(self.use, self.low - used, self.high - used)

    def times(self, factor: float) -> Limits:
        """The limits of a part of the cases."""
        return Limits(self.use, self.low * factor, self.high * factor)


class Flow(NamedTuple):
    """How much of the weight of each case goes to each choice (choices, cases), and prices.

    A choice costs C_ji + U_j @ prices: a price is positive where an upper limit binds, and negative
    where a lower one does.
    """

    flow: Floats
    prices: Floats


def limited_choice(costs: Floats, weights: Floats, limits: Limits) -> Flow | None:
    """An optimum, or None where the limits cannot be kept; a choice of cost inf is not allowed.

    `costs` has a row for each choice and a column for each case, as all tables here.
    """
    bounded = _bounded(limits, float(weights.sum()))
    if not _can_be_kept(bounded, float(weights.sum())):
        return None
    prices = np.zeros(bounded.low.size)
    if (size := costs.shape[1]) > _LEAF:
        order = np.random.default_rng(0).permutation(size)
        seen = 0
        for more in (*(each for each in (_LEAF, *_SAMPLES) if 2 * each < size), size):
            part = order[:more] if more < size else slice(None)
            share = bounded.times(float(weights[part].sum() / weights.sum()))
            close = 1e-7 if more < size else 1e-10  # a sample is off by more than that
            prices = _improved(costs[:, part], weights[part], share, prices, seen, close)
            seen = more
    return _boxsteps(costs, weights, bounded, prices)


def _bounded(limits: Limits, total: float) -> Limits:
    """The same limits with finite ends; those that are kept anyway are too far away for a price."""
    least, most = limits.use.min(axis=0) * total, limits.use.max(axis=0) * total
    low = np.where(limits.low <= least, least - total, limits.low)
    high = np.where(limits.high >= most, most + total, limits.high)
    return Limits(limits.use, low, high)


def _improved(
    costs: Floats, weights: Floats, limits: Limits, prices: Floats, seen: int, close: float
) -> Floats:
    """Prices nearer to the best ones, from prices that were found on fewer cases."""
    if seen == 0:
        return _boxsteps(costs, weights, limits, prices).prices
    kept = 20 / math.sqrt(seen)  # several times as far as the prices of a sample are off
    while kept < 0.5:
        near = _near(costs, limits.use, prices, kept)
        moved = _ascent(*_left(near, weights, limits), prices, near.reach, close)
        prices = np.asarray(prices + moved)
        if (np.abs(moved) < near.reach).all():
            return prices
        kept *= 3
    slack = _slack(costs, limits.use, prices)[0]
    return np.asarray(prices + _ascent(slack, weights, limits, prices, np.inf, close))


def _ascent(
    costs: Floats, weights: Floats, limits: Limits, prices: Floats, most: float, close: float
) -> Floats:
    """How far to move the prices that `costs` include already, by tangents of the dual.

    The dual is concave: a tangent at each point tried bounds it from above, and the next point
    is where the bound is highest in a box around the best so far.
    """
    from scipy.optimize import linprog

    total, moved = float(weights.sum()), np.zeros(prices.size)
    value, slope = _dual(costs, weights, limits, prices, moved)
    slopes, heights = [slope], [value]
    side = 0.05 * float(np.abs(prices).max()) or float(np.median(np.ptp(costs, axis=0)))
    for _ in range(_TANGENTS):
        done = linprog(
            np.append(np.zeros(prices.size), -1.0),
            A_ub=np.column_stack([-np.array(slopes) / total, np.ones(len(slopes))]),
            b_ub=(np.array(slopes) @ moved + np.array(heights) - value) / total,
            bounds=[
                *np.clip([moved - side, moved + side], -most, most).T - moved[:, None],
                (None, None),
            ],
            method="highs-ds",
        )
        if done.x is None or total * done.x[-1] <= close * abs(value):
            break
        step, hoped = np.asarray(done.x[:-1]), total * float(done.x[-1])
        found, slope = _dual(costs, weights, limits, prices, moved + step)
        slopes.append(slope)
        heights.append(found - float(slope @ (moved + step)))
        at_side = bool((np.abs(step) > 0.99 * side).any())
        if found > value:
            side *= 2 if at_side and found - value > 0.5 * hoped else 1
            moved, value = moved + step, found
        elif at_side:
            side *= 0.5
    return moved


def _dual(
    costs: Floats, weights: Floats, limits: Limits, prices: Floats, moved: Floats
) -> tuple[float, Floats]:
    """The dual at `prices + moved` and its slope in `moved`; `costs` already include `prices`."""
    priced = costs + (limits.use @ moved)[:, None]
    there = prices + moved
    ends = np.where(there > 0, limits.high, limits.low)
    taken = np.bincount(priced.argmin(axis=0), weights, limits.use.shape[0])
    value = float(weights @ priced.min(axis=0) - there @ ends)
    return value, taken @ limits.use - ends


def _can_be_kept(limits: Limits, total: float) -> bool:
    """Whether some share of each choice keeps the limits, where every choice is allowed."""
    from scipy.optimize import linprog

    ends = np.concatenate([limits.high, -limits.low])
    there = np.isfinite(ends)
    done = linprog(
        np.zeros(len(limits.use)),
        A_ub=np.vstack([limits.use.T, -limits.use.T])[there],
        b_ub=ends[there],
        A_eq=np.ones((1, len(limits.use))),
        b_eq=[total],
        method="highs",
    )
    return bool(done.status == 0)


def _boxsteps(costs: Floats, weights: Floats, limits: Limits, prices: Floats) -> Flow:
    """The optimum, from prices that may be near."""
    kept = min(1.0, _LEAF / costs.shape[1])
    while True:
        near = _near(costs, limits.use, prices, kept)
        found = _in_box(*_left(near, weights, limits), prices, near.reach)
        prices = prices + found.prices
        if (np.abs(found.prices) < near.reach * (1 - 1e-9)).all():
            flow = np.where(near.open, weights, 0.0)
            flow[:, near.cases] = found.flow
            return Flow(flow, prices)
        kept = min(1.0, 1.5 * kept)


class _Near(NamedTuple):
    """Cases with several open choices, and how much more each choice costs than the best.

    Prices that change by no more than `reach` open no other choice.
    """

    slack: Floats
    open: NDArray[np.bool_]
    cases: NDArray[np.intp]
    reach: float


def _near(costs: Floats, use: Floats, prices: Floats, kept: float) -> _Near:
    """The share `kept` of the cases that are nearest to a tie, and all that tie with these."""
    slack, noise = _slack(costs, use, prices)
    width = np.inf
    if kept < 1:
        gaps = _gap(slack, noise)
        place = int(kept * gaps.size)
        width = float(np.partition(gaps, place)[place])
    open_ = slack <= np.maximum(noise, width)
    reach = width / max(float(np.ptp(use, axis=0).sum()), 1e-300)
    return _Near(slack, open_, np.flatnonzero(open_.sum(axis=0) > 1), reach)


def _slack(costs: Floats, use: Floats, prices: Floats) -> tuple[Floats, Floats]:
    """How much more each choice costs than the best at these prices, and how exact that is."""
    by_choice = use @ prices
    priced = costs + by_choice[:, None]
    best = priced.min(axis=0)
    priced -= best
    return priced, _CLOSE * (np.abs(best) + 2 * np.abs(by_choice).max())


def _gap(slack: Floats, noise: Floats) -> Floats:
    """How much more the cheapest choice costs that does not tie with the best, in each case.

    Prices are not exact yet, so choices that will tie may still differ a little.
    """
    return np.asarray(np.where(slack <= 1e5 * noise, np.inf, slack).min(axis=0))


def _left(near: _Near, weights: Floats, limits: Limits) -> tuple[Floats, Floats, Limits]:
    """Costs and weights of the cases near a tie, and what the other cases leave of the limits."""
    fixed = weights.copy()
    fixed[near.cases] = 0.0
    taken = near.open.astype(np.float64) @ fixed
    slack = np.where(near.open[:, near.cases], near.slack[:, near.cases], np.inf)
    return slack, weights[near.cases], limits.less(taken @ limits.use)


def _in_box(slack: Floats, weights: Floats, limits: Limits, prices: Floats, reach: float) -> Flow:
    """The optimum with prices within `reach` of those in the costs; it holds the price changes.

    Equal cases are solved as one, even if thousands of them tie.
    """
    finite = np.isfinite(slack)
    size = float(slack[finite].max(initial=0.0)) + float(np.abs(prices).max())
    keys = np.where(finite, np.round(slack / (100 * _CLOSE * (size or 1.0))), -1.0)
    first, group = _alike(keys.astype(np.int64))
    totals = np.bincount(group, weights, first.size).astype(np.float64)
    found = _by_highs(slack[:, first], totals, limits, prices, reach)
    return Flow(_shared(found.flow, group, weights), found.prices)


def _alike(keys: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first case of each kind, and the kind of each case."""
    drawn = np.random.default_rng(1).integers(1, 2**62, size=(keys.shape[0], 1))
    factors = (2 * drawn + 1).astype(np.uint64)  # odd factors lose no information
    mixed = (keys.astype(np.uint64) * factors).sum(axis=0)
    _, first, group = np.unique(mixed, return_index=True, return_inverse=True)
    if not np.array_equal(keys[:, first[group]], keys):  # two kinds were mixed into one number
        _, first, group = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    return first, group.reshape(-1)


def _shared(flow: Floats, group: NDArray[np.intp], weights: Floats) -> Floats:
    """The flow of each group divided among its cases: earlier cases get the earlier choices."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(weights[order])
    sizes = np.bincount(group, minlength=flow.shape[1])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    end = ends - np.repeat(ends[starts] - weights[order[starts]], sizes)
    begin = end - weights[order]
    until = np.cumsum(flow, axis=0)[:, group[order]]
    since = until - flow[:, group[order]]
    parts = np.minimum(end, until) - np.maximum(begin, since)
    shared = np.empty(parts.shape)
    shared[:, order] = np.where(parts > 1e-7 * weights[order], parts, 0.0)
    return shared


def _by_highs(costs: Floats, weights: Floats, limits: Limits, prices: Floats, reach: float) -> Flow:
    """A linear programme whose prices stay within `reach` of those already in the costs.

    Variables are the parts of cases, the use of each limit, and its excess and shortfall. A unit
    of either costs `reach`, which bounds the change of the price.
    """
    from scipy.optimize import linprog

    n_limits, size = limits.low.size, costs.shape[1]
    choice, case = np.nonzero(np.isfinite(costs))
    boxed = math.isfinite(reach)
    paid = [-prices, np.full(2 * n_limits, reach if boxed else 0.0)]
    objective = np.concatenate([costs[choice, case], *paid])
    scale = float(np.abs(objective).max(initial=0.0)) or 1.0
    low = np.concatenate([np.zeros(case.size), limits.low, np.zeros(2 * n_limits)])
    beyond = np.full(2 * n_limits, np.inf if boxed else 0.0)
    high = np.concatenate([np.full(case.size, np.inf), limits.high, beyond])
    done = linprog(
        objective / scale,
        A_eq=_balance(case, limits.use[choice], size, n_limits),
        b_eq=np.concatenate([weights, np.zeros(n_limits)]),
        bounds=np.column_stack([low, high]),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-10},
    )
    parts = done.x[: case.size]
    flow = np.zeros(costs.shape)
    flow[choice, case] = np.where(parts > 1e-7 * weights[case], parts, 0.0)
    return Flow(flow, -np.asarray(done.eqlin.marginals[size:]) * scale)


def _balance(case: NDArray[Any], use: Floats, size: int, n_limits: int) -> Any:
    """The equations: parts of a case add to its weight, uses of a limit to what is used of it."""
    from scipy.sparse import coo_array

    at, of = np.nonzero(use)
    places = np.arange(n_limits)
    signs = np.repeat([-1.0, -1.0, 1.0], n_limits)
    values = np.concatenate([np.ones(case.size), use[at, of], signs])
    rows = np.concatenate([case, size + of, *[size + places] * 3])
    columns = np.concatenate([np.arange(case.size), at, case.size + np.arange(3 * n_limits)])
    shape = (size + n_limits, case.size + 3 * n_limits)
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


class PriceEnds(NamedTuple):
    """What one unit of each limit is worth, and prices in between; see `price_ends`."""

    looser: Floats
    tighter: Floats
    between: Floats


def price_ends(
    costs: Floats, weights: Floats, limits: Limits, found: Flow, step: float
) -> PriceEnds:
    """What each limit saves per unit if it is `step` looser, and costs if it is `step` tighter.

    Both are 0 or more; nan where a limit cannot be tightened. The end that binds is tightened, or
    the nearer one where none does.
    """
    prices, used = found.prices, limits.use.T @ found.flow.sum(axis=1)
    looser, tighter, every = np.zeros(prices.size), np.full(prices.size, np.nan), [prices]
    near = _near(costs, limits.use, prices, min(1.0, 0.5 * _LEAF / costs.shape[1]))
    for at in range(prices.size):
        by = np.where(np.arange(prices.size) == at, step, 0.0)
        wide = Limits(limits.use, limits.low - by, limits.high + by)
        there = _prices_nearby(costs, weights, wide, prices, near)
        every.append(there)
        looser[at] = abs(there[at])
        price = there[at] or prices[at]
        nearer = limits.low[at] <= 0 or limits.high[at] - used[at] <= used[at] - limits.low[at]
        upper = limits.high[at] < np.inf and (price > 0 or (price == 0 and nearer))
        low, high = limits.low + by * (not upper), limits.high - by * upper
        # an end that would pass the other one takes it along
        narrow = Limits(limits.use, np.minimum(low, high) if upper else low,
                        high if upper else np.maximum(low, high))  # fmt: skip
        if _can_be_kept(narrow, float(weights.sum())):
            there = _prices_nearby(costs, weights, narrow, prices, near)
            every.append(there)
            tighter[at] = max(0.0, there[at] if upper else -there[at])
    return PriceEnds(looser, tighter, np.mean(every, axis=0))


def _prices_nearby(
    costs: Floats, weights: Floats, limits: Limits, prices: Floats, near: _Near
) -> Floats:
    """The prices of limits that have hardly changed; cases far from a tie stay where they are."""
    while True:
        moved = _in_box(*_left(near, weights, limits), prices, near.reach).prices
        if (np.abs(moved) < near.reach * (1 - 1e-9)).all():
            return np.asarray(prices + moved)
        kept = min(1.0, 10 * near.cases.size / costs.shape[1])
        near = _near(costs, limits.use, prices, kept)


def whole_cases(costs: Floats, weights: Floats, limits: Limits, found: Flow) -> NDArray[Any] | None:
    """The choice of each case when none is split; None if no such choice keeps the limits.

    No more cases are shared than there are limits.
    """
    choice: NDArray[np.intp] = found.flow.argmax(axis=0)
    split = found.flow.max(axis=0) < weights * (1 - 1e-6)
    return repacked(costs, weights, limits, choice, found.prices, split) if split.any() else choice


def repacked(
    costs: Floats,
    weights: Floats,
    limits: Limits,
    choice: NDArray[np.intp],
    prices: Floats,
    split: NDArray[np.bool_] | None = None,
) -> NDArray[Any] | None:
    """Decide the cases nearest to a tie again, in whole cases, those that are shared among them.

    None where that keeps no limits.
    """
    first = np.zeros(weights.size, dtype=bool) if split is None else split
    slack = _slack(costs, limits.use, prices)[0]
    gaps = np.partition(slack, 1, axis=0)[1] if len(slack) > 1 else np.zeros(weights.size)
    order = np.argsort(np.where(first, -1.0, gaps), kind="stable")
    near = order[: max(_ROUNDED, int(first.sum()))]
    rest = order[near.size :]
    left = limits.less((weights[rest, None] * limits.use[choice[rest]]).sum(axis=0))
    part = costs[:, near]
    allowed = np.isfinite(part)
    priced = np.where(allowed, weights[near] * (part - part.min(axis=0)), 0.0).reshape(-1)
    uses = (limits.use[:, None] * weights[near, None]).reshape(-1, limits.low.size)
    taken = _whole(
        priced / (priced.max() or 1.0),
        allowed.reshape(-1).astype(np.float64),
        np.tile(np.eye(near.size), len(part)),
        Limits(uses, left.low - 1e-9, left.high + 1e-9),
        _NODES_OF_SOME if rest.size else _NODES,
    )
    if taken is None:
        return None
    decided = choice.copy()
    decided[near] = taken.reshape(part.shape).argmax(axis=0)
    return decided


def _whole(costs: Floats, most: Floats, once: Floats, limits: Limits, nodes: int) -> Floats | None:
    """Zeros and ones of least cost, at most `most`, one for each row of `once`, within limits.

    The presolve of HiGHS in SciPy 1.12 may leave the bounds; then it solves without it.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    for presolve in (True, False):
        done = milp(
            costs,
            integrality=np.ones(costs.size),
            bounds=Bounds(0.0, most),
            constraints=[
                LinearConstraint(once, 1.0, 1.0),
                LinearConstraint(limits.use.T, limits.low, limits.high),
            ],
            options={"mip_rel_gap": 0.0, "node_limit": nodes, "presolve": presolve},
        )
        if done.x is None or (abs(done.x - most / 2) <= most / 2 + 1e-6).all():
            return None if done.x is None else np.asarray(done.x)
    return None
