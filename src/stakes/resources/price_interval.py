"""How sure the price of a limit is: order statistics, of one limit or of several together."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik, gammaincinv, ndtri

from stakes.typing import FloatArray

#: Rounds in which prices answer to each other; a few suffice.
_ROUNDS = 30
#: Prices are sought on the cases that this many times the first guess of their error could move.
_REACH = 1.5
#: That guess is made on about so many cases, and this part of it is no error.
_GUESSED, _CLOSE = 20_000, 1e-2
#: Up to so many limits, every set of them is moved together, which always finds the prices: the
#: dual is L-natural convex (K. Murota, "Discrete Convex Analysis", 2003, chapter 7).
_MOST = 5


def price_intervals(
    costs: FloatArray,
    weights: FloatArray,
    places: list[int],
    shares: list[tuple[float, float]],
    prices: FloatArray,
    level: float,
) -> list[tuple[float, float]]:
    """An interval for the price of each limit; costs are (decisions, cases)."""
    priced = costs + prices[:, None]
    binding = [
        k for k, j in enumerate(places) if prices[j] != 0 and 0 < shares[k][int(prices[j] > 0)] < 1
    ]
    together = {}
    if 1 < len(binding) < len(costs):
        chosen, limits = [places[k] for k in binding], np.array(shares)[binding] * weights.sum()
        batch = _Batch(costs, weights, chosen, limits, prices)
        together = _together(batch, binding, level)
    return [
        together[k]
        if k in together
        else _quantile_interval(_gains(costs, priced, j), weights, shares[k], level)
        for k, j in enumerate(places)
    ]


def _gains(costs: FloatArray, priced: FloatArray, place: int) -> FloatArray:
    """What a decision saves in each case against the best of the others at their prices."""
    return np.asarray(np.delete(priced, place, axis=0).min(axis=0) - costs[place])


def _share_noise(taken: NDArray[np.bool_], shares: FloatArray, weights: FloatArray) -> FloatArray:
    """Covariance of the shares of the weight that decisions get; `taken` is (decisions, cases).

    Multinomial if all cases count the same. Otherwise squared weights count, since heavy cases may
    be those that get the decision: Cochran, "Sampling Techniques", 3rd ed., 1977, section 6.3.
    """
    if weights.min() == weights.max():
        return np.asarray((np.diag(shares) - np.outer(shares, shares)) / weights.size)
    off = (taken - shares[:, None]) * weights
    return np.asarray(off @ off.T / weights.sum() ** 2)


def _quantile_interval(
    gains: FloatArray, weights: FloatArray, shares: tuple[float, float], level: float
) -> tuple[float, float]:
    """From where to where the quantile of the gains lies that a limit cuts off.

    Without an upper end where too few cases lie beyond the limit to say how much they may gain.
    """
    low, high = shares
    if low <= 0 and high >= 1:
        return (0.0, 0.0)
    wanted = float(weights[gains > 0].sum() / weights.sum())
    upper = high < 1 and (low <= 0 or wanted > low)
    half = 0.5 / gains.size  # of no case at all, the first one tells, and of all, the last
    share = min(max(high if upper else low, half), 1 - half)
    ends = _cut_ends(gains, weights, share, (1 - level) / 2)
    least, most = ends if upper else (-ends[1], -ends[0])
    return (max(0.0, least), max(0.0, most))


def _cut_ends(
    gains: FloatArray, weights: FloatArray, share: float, risk: float
) -> tuple[float, float]:
    """From where to where the value lies that this share of the weight of the source exceeds."""
    order = np.argsort(-gains, kind="stable")
    few, many = _counts_above(weights[order], share, risk)
    high = float(gains[order[few - 1]]) if few > 0 else math.inf
    low = float(gains[order[many]]) if many < gains.size else -math.inf
    return low, high


def _counts_above(weights: FloatArray, share: float, risk: float) -> tuple[int, int]:
    """At least and at most how many of the first cases may be all that exceed the true value.

    Binomial if all cases count the same. Otherwise what they weigh is a sum of Poisson counts,
    whose limits are those of gamma distributions, one more case allowed for: M. P. Fay and E. J.
    Feuer, "Confidence intervals for directly standardized rates", Statistics in Medicine 16, 1997.
    That case weighs as much as the heaviest of the first, or as the mean of the weights, weighted
    by themselves, if that is more; the heaviest of all, as they have it, doubles some intervals.
    """
    size = weights.size
    if share > 0.5:  # the rarer side tells
        few, many = _counts_above(weights[::-1], 1 - share, risk)
        return size - many, size - few
    if weights.min() == weights.max():
        few, many = np.ceil(bdtrik([risk, 1 - risk], size, share)).astype(int).tolist()
        return max(few, 0), min(many, size)
    above = np.concatenate(([0.0], np.cumsum(weights)))
    squares = np.concatenate(([0.0], np.cumsum(weights**2)))
    wanted = share * float(above[-1])
    heaviest = np.maximum.accumulate(np.append(weights, 0.0))
    one_more = np.maximum(heaviest, squares[-1] / above[-1])

    def end(first: int, chance: float, more: float) -> float:
        mean = float(above[first]) + more
        noise = (1 - share) ** 2 * (float(squares[first]) + more**2)
        noise += share**2 * float(squares[-1] - squares[first])
        return noise / mean * float(gammaincinv(mean**2 / noise, chance)) if mean > 0 else 0.0

    counts = range(size + 1)
    few = bisect_left(counts, wanted, key=lambda k: end(k, 1 - risk, float(one_more[k])))
    many = bisect_right(counts, wanted, key=lambda k: end(k, risk, 0.0)) - 1
    return few, many


# ----------------------------------------------------------------- several limits that bind


class _Batch(NamedTuple):
    """Costs (decisions, cases), weights, which decisions are limited, by how much, and prices."""

    costs: FloatArray
    weights: FloatArray
    places: list[int]
    limits: FloatArray
    prices: FloatArray

    @property
    def upper(self) -> NDArray[np.bool_]:
        """Whether it is the upper end of a limit that binds."""
        return np.asarray(self.prices[self.places] > 0)

    def near(self, reach: float) -> _Batch:
        """The cases that prices which change by less than `reach` can move, and what is left."""
        priced = self.costs + self.prices[:, None]
        open_ = priced - priced.min(axis=0) <= 2 * reach
        cases = np.flatnonzero(open_.sum(axis=0) > 1)
        fixed = self.weights.copy()
        fixed[cases] = 0.0
        taken = (open_ @ fixed)[self.places]
        costs = np.where(open_[:, cases], self.costs[:, cases], np.inf)
        left = self.limits - taken[:, None]
        return self._replace(costs=costs, weights=self.weights[cases], limits=left)


# Why the limits are moved instead of the cases: docs/design/resources.md.
def _together(batch: _Batch, binding: list[int], level: float) -> dict[int, tuple[float, float]]:
    """Intervals of the prices of limits that bind together, by the position of the limit.

    At the true prices, how many cases get each decision is multinomial, with the shares of the
    limits. So the true prices are those of this very batch at limits that are off by such a draw:
    of all draws that are not too far off, the one that moves a price most, either way.
    """
    total, spread = float(batch.weights.sum()), float(ndtri(0.5 + level / 2))
    at = batch.limits[np.arange(len(binding)), batch.upper.astype(int)] / total
    taken = (batch.costs + batch.prices[:, None]).argmin(axis=0)
    noise = _share_noise(taken == np.array(batch.places)[:, None], at, batch.weights) * total**2
    far = np.array([_off(batch, k, share, (1 - level) / 2) for k, share in enumerate(at.tolist())])
    half = 0.5 * float((batch.weights**2).sum()) / total
    guess = _first_guess(batch, at * total, spread, noise)
    reach = _REACH * guess
    while True:
        near = batch.near(reach)
        every = not 0 < 2 * near.weights.size <= batch.weights.size
        moved = _Moved(batch if every else near, _CLOSE * guess)
        found = _ends(moved, noise, far, spread, half)
        if every or moved.farthest < reach:
            return dict(zip(binding, found, strict=True))
        reach *= 4


def _first_guess(batch: _Batch, used: FloatArray, spread: float, noise: FloatArray) -> float:
    """How far the prices would move if they all moved together, or one of them alone."""
    some = slice(None, None, 1 + batch.weights.size // _GUESSED)
    priced, weights = batch.costs[:, some] + batch.prices[:, None], batch.weights[some]
    part = float(weights.sum() / batch.weights.sum())
    alone = zip(batch.places, used, np.diag(noise), strict=True)
    sets = [([j], float(u), float(v)) for j, u, v in alone]
    sets.append((batch.places, float(used.sum()), float(noise.sum())))
    widest = 1e-9 * (1 + float(np.abs(batch.prices).max()))
    for of, wanted, variance in sets:
        gains = np.delete(priced, of, axis=0).min(axis=0) - priced[of].min(axis=0)
        off = spread * math.sqrt(max(variance, 0.0))
        for amount in (wanted - off, wanted + off):
            moved = _price(gains, weights, part * amount, part * amount)
            widest = max(widest, abs(moved) if math.isfinite(moved) else 0.0)
    return widest


class _Moved:
    """Prices of a batch at other limits, and how far they ever were from its own."""

    def __init__(self, batch: _Batch, close: float) -> None:
        self.batch, self.close, self.farthest = batch, close, 0.0

    def at(self, shift: FloatArray) -> FloatArray:
        """The sizes of the prices if the limits were higher by `shift`."""
        limits, upper = self.batch.limits.copy(), self.batch.upper
        for k, by in enumerate(shift):
            end = limits[k, int(upper[k])] + by
            limits[k] = (min(limits[k, 0], end), end) if upper[k] else (end, max(limits[k, 1], end))
        found = _settled(self.batch._replace(limits=limits), self.close)
        self.farthest = max(self.farthest, float(np.abs(found - self.batch.prices).max()))
        return np.asarray(np.where(upper, 1.0, -1.0) * found[self.batch.places])


def _off(batch: _Batch, row: int, share: float, risk: float) -> tuple[float, float]:
    """How much lower and higher one limit may be, by itself; infinite where no case tells."""
    weights = batch.weights
    if weights.min() < weights.max():
        gains = _gains(batch.costs, batch.costs + batch.prices[:, None], batch.places[row])
        weights = weights[np.argsort(-gains, kind="stable")]
    few, many = _counts_above(weights, share, risk)
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    at = share * float(sums[-1])
    lower = at - float(sums[few - 1]) if few > 0 else math.inf
    return lower, float(sums[many + 1]) - at if many < weights.size else math.inf


def _ends(
    moved: _Moved, noise: FloatArray, far: FloatArray, spread: float, half: float
) -> list[tuple[float, float]]:
    """Both ends of each interval, from how prices answer to each limit.

    `far` says how much lower and higher each limit may be by itself. If no case tells how high a
    price may be, draws are too few to be near normal: then all limits are as low or as high as
    may be, which moves all prices most, since decisions replace each other.
    """
    sizes, upper = spread * np.sqrt(np.diag(noise)), moved.batch.upper
    answers = np.array(
        [(moved.at(step) - moved.at(-step)) / (2 * step.sum()) for step in np.diag(sizes)]
    )
    told = np.isfinite(np.where(upper, far[:, 0], far[:, 1]))
    lower, higher = np.minimum(far, float(moved.batch.weights.sum())).T
    corners = [moved.at(-lower), moved.at(higher)] if not told.all() else []
    found = []
    for row, place in enumerate(moved.batch.places):
        along = noise @ answers[:, row]
        size = math.sqrt(max(float(answers[:, row] @ along), 0.0))
        ends = [abs(float(moved.batch.prices[place])), *(float(each[row]) for each in corners)]
        for sign in (-1, 1) if told.all() and size > 0 else ():
            shift = sign * spread * along / size
            own = shift[row] / sizes[row]
            shift[row] = own * (lower if own < 0 else higher)[row]
            shift += half * np.sign(shift)  # cases are whole
            ends.append(float(moved.at(shift)[row]))
        found.append((max(0.0, min(ends)), max(ends) if told[row] else math.inf))
    return found


def _settled(batch: _Batch, close: float) -> FloatArray:
    """The prices at which every limit is kept, from prices near them.

    They are found one after the other, each the order statistic that its limit cuts off; and
    several together, since limits on what can replace each other rise and fall as one.
    """
    costs, weights, places, limits, _ = batch
    prices, several = batch.prices.copy(), [list(some) for some in _sets(len(places))]
    for _ in range(_ROUNDS):
        before = prices.copy()
        for some in several:
            chosen = [places[k] for k in some]
            priced = costs + prices[:, None]
            gains = np.delete(priced, chosen, axis=0).min(axis=0) - priced[chosen].min(axis=0)
            end = float(limits[some, batch.upper[some].astype(int)].sum())
            level = _price(gains, weights, end, end)
            prices[chosen] += level if math.isfinite(level) else 0.0
        for j, (low, high) in zip(places, limits, strict=True):
            gains = _gains(costs, costs + prices[:, None], j)
            prices[j] = _price(gains, weights, low, high, free=0.0)
        if np.abs(prices - before).max() <= close:
            break
    return prices


def _sets(count: int) -> list[tuple[int, ...]]:
    """All sets of two or more of so many limits; of very many, pairs and all of them."""
    sizes = range(2, count + 1) if count <= _MOST else {2, count}
    return [some for size in sizes for some in combinations(range(count), size)]


def _price(
    gains: FloatArray, weights: FloatArray, low: float, high: float, free: float | None = None
) -> float:
    """The price at which at least `low` and at most `high` cases gain by more than it.

    Half way between the last case that does and the first that does not; `free` if that will do.
    """
    wanted = high
    if free is not None:
        there = float(weights @ (gains > free))
        if low <= there <= high:
            return free
        wanted = high if there > high else low
    most = gains.size - 1
    if weights.min() == weights.max():  # no need to sort
        taken = math.floor(wanted / float(weights[0]) + 1e-9)
        ranks = [min(max(at, 0), most) for at in (taken - 1, taken)]
        return -float(np.partition(-gains, ranks)[ranks].mean())
    order = np.argsort(-gains, kind="stable")
    taken = int(np.searchsorted(np.cumsum(weights[order]), wanted + 1e-9, side="right"))
    return float(gains[order[[min(max(at, 0), most) for at in (taken - 1, taken)]]].mean())
