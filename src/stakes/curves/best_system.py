"""Which system costs least where, and where the answer changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, of_kind, positive_share
from stakes._guesses import AnswersGuesses, answers_guesses, line_to_type
from stakes.curves.bayes_error import as_log_odds, best_rates, block_llrs, both_shares
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, Name, Priors

#: Answers that are not the position of a system.
TIE, NONE = -1, -2
#: Corners that are looked at together.
_BLOCK = 4096


@dataclass(frozen=True, eq=False, repr=False)
class SwitchPoints(AnswersGuesses):
    """Who wins where along the prior log odds, near-ties merged.

    `winner` is a name, "tie" where the best two or more differ by less than the tolerance, or
    "none" where no system beats a constant decision by more than the tolerance. `classes` are the
    names of the two classes, if all systems have the same.
    """

    start: FloatArray
    stop: FloatArray
    winner: tuple[str, ...]
    classes: tuple[Name, ...] = (0, 1)

    def frame(self) -> Frame:
        """One row per stretch, in effective prior log odds."""
        return Frame({"start": self.start, "stop": self.stop, "winner": list(self.winner)})

    @answers_guesses
    def by_cost_ratio(self, priors: Priors) -> Frame:
        """One row per stretch: how many false alarms a miss costs, at one prevalence.

        `priors` is the share of the second class, or of both, in order or by name.
        """
        share = positive_share(priors, classes=self.classes)
        return self._moved(share, "from_ratio", "to_ratio", np.exp)

    @answers_guesses
    def by_prevalence(self, cost_ratio: float) -> Frame:
        """One row per stretch: prevalence, when a miss costs `cost_ratio` false alarms."""
        share = cost_ratio / (1 + cost_ratio)
        return self._moved(share, "from_prevalence", "to_prevalence", lambda x: both_shares(x)[0])

    def _moved(self, share: float, first: str, last: str, scale: Any) -> Frame:
        """The stretches with one part of the effective prior taken out."""
        if not 0 < share < 1:
            raise DataError(f"a share must lie between 0 and 1; got {share!r}.")
        offset = np.log(share) - np.log1p(-share)
        with np.errstate(over="ignore"):
            start, stop = scale(self.start - offset), scale(self.stop - offset)
        return Frame({first: start, last: stop, "winner": list(self.winner)})

    def __repr__(self) -> str:
        ends = [f" | {start:.3g} | " for start in self.start[1:]]
        parts = zip(["", *ends], self.winner, strict=True)
        where = ", switching at these prior log odds" if ends else ""
        return f"SwitchPoints({''.join(f'{end}{name}' for end, name in parts)}{where})"


@answers_guesses
def switch_points(
    systems: Mapping[str, RankedScores],
    *,
    low: float = -7.0,
    high: float = 7.0,
    tolerance: float = 0.01,
    narrowest: float = 0.1,
    actual: bool = False,
) -> SwitchPoints:
    """Which of several systems costs least, for every cost ratio and prevalence.

    Near-ties are merged: a lead of less than `tolerance` in normalised cost is reported as
    "tie", and a best cost above 1 - `tolerance` as "none", since then a constant decision
    does as well. Slivers are merged too: a finite sample makes the answer flicker.

    Parameters
    ----------
    systems : mapping of str to ScoreCounts
        The systems, by name, on the same data.
    low, high : float
        Range of the effective prior log odds.
    tolerance : float
        In normalised cost.
    narrowest : float
        Stretches of log odds narrower than this are divided between their neighbours; 0 keeps
        them.
    actual : bool
        Compare the scores as they are, instead of at their best thresholds.

    Returns
    -------
    SwitchPoints
        The corners are exact, with or without `actual`; `.by_cost_ratio` and `.by_prevalence`
        give the same in terms of costs or of shares.

    References
    ----------
    .. [1] F. Provost and T. Fawcett, "Robust classification for imprecise environments",
       Machine Learning 42, 2001: the hull of several systems.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a = ScoreCounts.from_scores(y, [1, 2, 3, 4, 3, 5, 6, 7], kind="rank")
    >>> b = ScoreCounts.from_scores(y, [1, 2, 3, 6, 4, 5, 7, 8], kind="rank")
    >>> switch_points({"a": a, "b": b}, low=-3, high=3)
    SwitchPoints(a | 0 | b, switching at these prior log odds)
    """
    low, high = as_number(low, "low"), as_number(high, "high")
    tolerance, narrowest = as_number(tolerance, "tolerance"), as_number(narrowest, "narrowest")
    line = line_to_type("switch_points")
    if not of_kind(systems, "systems", Mapping, hint=line) or not low < high:
        raise DataError("`systems` must not be empty, and `low` must be below `high`.")
    if max(-low, high) > 700:
        raise DataError(f"log odds beyond 700 are beyond floats; got {low:g} to {high:g}.")
    if not (0 <= tolerance < 1 and 0 <= narrowest < np.inf):
        raise DataError(
            "`tolerance` must lie from 0 to below 1, and `narrowest` be 0 or more; got "
            f"{tolerance!r} and {narrowest!r}."
        )
    names = list(systems)
    corners = np.unique(np.concatenate([_jumps(sc, actual) for sc in systems.values()]))
    inside = corners[(corners > low) & (corners < high)]
    edges = np.concatenate(([low], inside, [0.0] if low < 0 < high else [], [high]))
    edges = np.unique(edges)
    scored, starts, stops, winners = list(systems.values()), [], [], []
    for first in range(0, edges.shape[0] - 1, _BLOCK):
        part = edges[first : first + _BLOCK + 1]
        for start, stop, code in _stretches(scored, part, tolerance, narrowest, actual):
            starts.append(start)
            stops.append(stop)
            winners.append(names[code] if code >= 0 else "tie" if code == TIE else "none")
    found = _merged(np.array(starts), np.array(stops), winners)
    sides = {system.classes for system in scored}
    classes = sides.pop() if len(sides) == 1 else found.classes
    return replace(_without_slivers(found, narrowest), classes=classes)


def _stretches(
    systems: list[RankedScores],
    edges: FloatArray,
    tolerance: float,
    narrowest: float,
    actual: bool,
) -> Iterator[tuple[float, float, int]]:
    """Stretches between neighbouring corners and their answers; neighbours may have the same."""
    middle = (edges[1:] + edges[:-1]) / 2
    near = _near(
        np.array([_rates(sc, middle[[0, -1]], actual) for sc in systems]), edges, tolerance
    )
    lines = np.array([_rates(systems[k], middle, actual) for k in near])  # (S, 2, n)
    answers = _answers(lines, middle, tolerance)
    changes = np.zeros(middle.shape, dtype=bool)
    for ends in (edges[:-1], edges[1:]):
        changes |= _answers(lines, ends, tolerance) != answers
    changes |= np.diff(edges) > narrowest / 4  # wide enough to change in between
    calm = ~changes[:-1] & ~changes[1:] & (answers[:-1] == answers[1:])  # goes on as before
    firsts = np.flatnonzero(np.concatenate(([True], ~calm)))
    lasts = np.append(firsts[1:] - 1, middle.shape[0] - 1)
    for k, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        bounds, at = edges[[k, last + 1]], lines[:, :, k : k + 1]
        if changes[k]:
            bounds = _crossings(at[:, :, 0], edges[k], edges[k + 1], tolerance)
        for a, b in pairwise(bounds.tolist()):
            here = np.array([(a + b) / 2])
            code = int(_answers(at, here, tolerance)[0] if changes[k] else answers[k])
            yield a, b, near[code] if code >= 0 else code


def _near(ends: FloatArray, edges: FloatArray, tolerance: float) -> list[int]:
    """Systems that may be best, or tie with the best, somewhere from the first edge to the last.

    `ends` (S, 2, 2) holds rates in the first and the last interval. False alarms grow with the
    prior odds and misses fall, so they bound what a system costs in between.
    """
    if edges[0] < 0 < edges[-1]:
        return list(range(len(ends)))
    odds, rare = np.exp(np.abs(edges[[0, -1]])), edges[0] < 0
    alarm, miss = np.where(rare, odds, 1.0), np.where(rare, 1.0, odds)
    low, high = np.sort(ends, axis=2).transpose(2, 1, 0)
    least, most = (
        low[0] * alarm.min() + low[1] * miss.min(),
        high[0] * alarm.max() + high[1] * miss.max(),
    )
    return np.flatnonzero(least <= most.min() + 2 * tolerance + 1e-9).tolist()


def _jumps(scores: RankedScores, actual: bool) -> FloatArray:
    """Prior log odds at which the rates of a system jump."""
    require_both(scores, "switch_points")
    llr = block_llrs(scores)
    if actual:
        llr = as_log_odds(scores, scores.levels[0]) - scores.log_prior_odds()
    return -llr[np.isfinite(llr)]


def _rates(
    scores: RankedScores, log_odds: FloatArray, actual: bool
) -> tuple[FloatArray, FloatArray]:
    """False positive and false negative rates at each prior."""
    if not actual:
        fpr, fnr, _ = best_rates(scores, log_odds)
        return fpr, fnr
    above = scores.counts_above_each(scores.from_llrs(-log_odds)) / scores.class_totals
    return above[:, 0], 1 - above[:, 1]


def _crossings(rates: FloatArray, low: float, high: float, tolerance: float) -> FloatArray:
    """Where an answer may change between two corners.

    Normalised costs are straight lines in the odds (or their inverse) there, so every change
    is the root of a linear equation.
    """
    below_even = (low + high) / 2 < 0
    own = rates[:, 1] if below_even else rates[:, 0]
    other = rates[:, 0] if below_even else rates[:, 1]
    # normalised cost = own + other * exp(|x|), and u = exp(|x|)
    pairs = [(own, other), *((own - a, other - b) for a, b in zip(own, other, strict=True))]
    roots = []
    for k, (base, slope) in enumerate(pairs):
        for goal in (1 - tolerance, 1.0) if k == 0 else (0.0, tolerance, -tolerance):
            with np.errstate(divide="ignore", invalid="ignore"):
                u = (goal - base) / slope
                x = np.log(u)
            roots.append(-x if below_even else x)
    found = np.concatenate(roots)
    found = found[np.isfinite(found) & (found > low) & (found < high)]
    return np.unique(np.concatenate(([low], found, [high])))


def _answers(rates: FloatArray, log_odds: FloatArray, tolerance: float) -> NDArray[np.intp]:
    """The best of (S, 2, n) systems at each prior: its position, or TIE, or NONE."""
    far = np.exp(
        np.minimum(np.abs(log_odds), 700.0)
    )  # the prior of the likelier class over that of the other
    rare = log_odds < 0
    alarm, miss = np.where(rare, far, 1.0), np.where(rare, 1.0, far)
    found = np.zeros(log_odds.shape, dtype=np.intp)
    least = miss * rates[0, 1] + alarm * rates[0, 0]
    second = np.full_like(least, np.inf)
    for k in range(1, rates.shape[0]):
        cost = miss * rates[k, 1] + alarm * rates[k, 0]
        better = cost < least
        second = np.where(better, least, np.minimum(second, cost))
        least, found = np.where(better, cost, least), np.where(better, k, found)
    found = np.where(second - least < tolerance, TIE, found)
    return np.where(least > 1 - tolerance, NONE, found)


def _merged(starts: FloatArray, stops: FloatArray, winners: list[str]) -> SwitchPoints:
    """Neighbouring stretches with the same answer as one."""
    first = [k for k, name in enumerate(winners) if k == 0 or winners[k - 1] != name]
    last = [k - 1 for k in first[1:]] + [len(winners) - 1]
    return SwitchPoints(starts[first], stops[last], tuple(winners[k] for k in first))


def _without_slivers(points: SwitchPoints, narrowest: float) -> SwitchPoints:
    """Divide the narrowest stretch between its neighbours, until all are wide enough."""
    while len(points.winner) > 1:
        width = points.stop - points.start
        k = int(np.argmin(width))
        if width[k] >= narrowest:
            break
        inner = np.append(points.start, points.stop[-1])
        if 0 < k < len(width) - 1:
            inner[k] = inner[k + 1] = (inner[k] + inner[k + 1]) / 2
        else:
            inner[k if k else 1] = inner[k + 1 if k else 0]
        winners = list(points.winner)
        kept = [j for j in range(len(winners)) if j != k]
        points = _merged(inner[:-1][kept], inner[1:][kept], [winners[j] for j in kept])
    return points


@dataclass(frozen=True, eq=False, repr=False)
class Dominance(AnswersGuesses):
    """`matrix[i, j]` says whether system i is at least as good as j for every application."""

    names: tuple[str, ...]
    matrix: NDArray[np.bool_]

    @property
    def undominated(self) -> tuple[str, ...]:
        """Systems that no other system beats everywhere."""
        strictly = self.matrix & ~self.matrix.T
        return tuple(n for k, n in enumerate(self.names) if not strictly[:, k].any())

    def frame(self) -> Frame:
        """One row per ordered pair."""
        n = len(self.names)
        return Frame(
            {
                "system": [a for a in self.names for _ in range(n)],
                "other": list(self.names) * n,
                "at_least_as_good": self.matrix.ravel(),
            }
        )

    def __repr__(self) -> str:
        return (
            f"Dominance(not beaten everywhere by another: {', '.join(map(str, self.undominated))})"
        )


def curve_dominance(systems: Mapping[str, RankedScores]) -> Dominance:
    """Which systems are at least as good as others whatever the costs and the prevalence.

    Compares the ROC convex hulls, that is, each system at its best thresholds. A system
    that is dominated need not be considered.

    Parameters
    ----------
    systems : mapping of str to ScoreCounts
        The systems, by name, on the same data.

    Returns
    -------
    Dominance
        A table of pairs; `.undominated` are the systems worth keeping.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold and P. G. L. Porta Mana, "Does the evaluation stand up
       to evaluation?", 2022, section 5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> y = [0, 0, 1, 1]
    >>> good = ScoreCounts.from_scores(y, [1, 2, 3, 4], kind="rank")
    >>> poor = ScoreCounts.from_scores(y, [1, 3, 2, 4], kind="rank")
    >>> curve_dominance({"good": good, "poor": poor}).undominated
    ('good',)
    """
    if not of_kind(systems, "systems", Mapping):
        raise DataError("`systems` must not be empty.")
    names, size = tuple(systems), len(systems)
    corners = [_jumps(sc, False) for sc in systems.values()]
    x = np.unique(np.concatenate([*corners, [-50.0, 50.0]]))
    prior, other = both_shares(x)
    rates = [best_rates(sc, x) for sc in systems.values()]
    table = np.array([prior * fnr + other * fpr for fpr, fnr, _ in rates])
    least = (table[:, None, :] <= table[None, :, :] + 1e-12).all(axis=2)
    return Dominance(names, least.reshape(size, size))
