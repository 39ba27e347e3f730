"""The next question: asked only where the recommendation changes, and only while it matters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from stakes._kernels.roc_hull import hull_vertices
from stakes.elicitation.question import Question, asked_before, compared, posed
from stakes.exceptions import DataError
from stakes.metrics.scores.pareto_hull import hull_points
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.elicitation.session import Elicitation


Goal = Literal["model", "threshold"]

#: Grid points per factor of e between ratios; corners are added to them.
_PER_UNIT = 100


@dataclass(frozen=True, eq=False)
class Options:
    """The options to choose between, and the cost of each at each ratio of a grid."""

    names: tuple[str, ...]
    points: tuple[tuple[FloatArray, FloatArray], ...]  # miss rates, false alarm rates
    thresholds: tuple[float | None, ...]  # None for options that are not one threshold
    prior: float
    low: float
    high: float

    @cached_property
    def ratios(self) -> FloatArray:
        """The grid: both ends, all ratios between them where the best point changes, a fine net."""
        size = max(2, math.ceil(_PER_UNIT * math.log(self.high / self.low)) + 1)
        net = np.exp(np.linspace(math.log(self.low), math.log(self.high), size))
        misses, alarms = zip(*self.points, strict=True)
        merged = (np.concatenate(misses), np.concatenate(alarms))
        corners = [_corners(*each, self.prior) for each in (*self.points, merged)]
        found = np.unique(np.concatenate([net, [(1 - self.prior) / self.prior], *corners]))
        inside = found[(found > self.low) & (found < self.high)]
        return np.concatenate(([self.low], inside, [self.high]))

    @cached_property
    def nec(self) -> FloatArray:
        """Normalised cost of each option at each ratio of the grid."""
        weight = self.prior * self.ratios
        u = weight / (weight + 1 - self.prior)
        costs = [
            (np.outer(miss, u) + np.outer(alarm, 1 - u)).min(axis=0) for miss, alarm in self.points
        ]
        return np.asarray(np.stack(costs) / np.minimum(u, 1 - u))

    @cached_property
    def regrets(self) -> FloatArray:
        """Normalised cost above that of the best option, at each ratio of the grid."""
        return np.asarray(self.nec - self.nec.min(axis=0))

    def stretches(self, start: int, tolerance: float) -> list[tuple[int, int]]:
        """The fewest stretches (last grid point, option) with a regret of at most `tolerance`.

        The greedy choice, always the option that reaches furthest, gives the fewest.
        """
        found: list[tuple[int, int]] = []
        at, stop = start, self.ratios.size - 1
        while True:
            too_much = self.regrets[:, at : stop + 1] > tolerance
            reach = np.where(too_much.any(axis=1), too_much.argmax(axis=1) - 1, stop - at)
            best = int(np.argmax(reach))
            at = min(at + max(int(reach[best]), 1), stop)  # advance even if the net is too coarse
            found.append((at, best))
            if at >= stop:
                return found


def options_of(
    systems: Mapping[str, Any], *, prior: float, goal: Goal, low: float, high: float
) -> Options:
    """The options to choose between: models, or each threshold of each model."""
    found: list[tuple[str, tuple[FloatArray, FloatArray], float | None]] = []
    for name, system in systems.items():
        miss, alarm, thresholds = _rates(str(name), system)
        if goal == "model":  # the points of scores include acting never and always
            found.append((str(name), (miss, alarm), None))
            continue
        for k, cut in enumerate(thresholds):
            called = str(name) if cut is None else f"{name} > {cut:.6g}"
            found.append((called, (miss[k : k + 1], alarm[k : k + 1]), cut))
    ends = np.array([1.0]), np.array([0.0])
    found += [("never act", ends, None), ("always act", ends[::-1], None)]
    names, points, cuts = zip(*found, strict=True)
    options = Options(names, points, cuts, prior, low, high)
    if goal == "model":
        return options
    # Keep what is best for some ratio of the grid; of equal points the last, so constants win.
    best = np.unique(len(found) - 1 - options.nec[::-1].argmin(axis=0)).tolist()
    names, points, cuts = zip(*(found[k] for k in best), strict=True)
    return Options(names, points, cuts, prior, low, high)


def _rates(name: str, system: Any) -> tuple[FloatArray, FloatArray, list[float | None]]:
    """Miss and false alarm rates of a system's operating points, and their thresholds."""
    if isinstance(system, RankedScores):
        found = hull_points(system)
        return 1 - found.sensitivity, found.false_positive_rate, found.thresholds.tolist()
    if isinstance(system, ConfusionMatrix) and system.counts.shape == (2, 2):
        rates = system.rates
        if not np.isfinite(rates).all():
            raise DataError(f"system {name!r} has no case of one of the classes.")
        return rates[1, :1], rates[0, 1:], [None]
    raise DataError(
        f"system {name!r} must be a ConfusionMatrix of two classes and decisions or a summary of "
        f"scores; got {type(system).__name__}.",
        hint="ScoreCounts.from_scores(...) or ConfusionMatrix.from_decisions(...)",
    )


def _corners(miss: FloatArray, alarm: FloatArray, prior: float) -> FloatArray:
    """The ratios at which the best of several points changes."""
    order = np.lexsort((miss, alarm))  # from few false alarms to many
    hull = order[hull_vertices(alarm[order], miss[order])]
    drops, rises = -np.diff(miss[hull]), np.diff(alarm[hull])
    steps = drops > 0
    return np.asarray((1 - prior) * rises[steps] / (prior * drops[steps]))


#: No question is asked within this factor of one that could not be answered.
_APART = 1.5
#: A miss rarely costs less than a false alarm, or more than this multiple of the ratio at which
#: always and never acting cost the same; questions about such ratios come later.
_DEAREST = 10.0
#: Outcomes with a larger share of misses, or of false alarms, are not believable.
_MOST_MISSED, _MOST_ALARMED = 0.75, 0.5
#: Without systems to choose between, the ratio is narrowed down to this factor.
_ENOUGH = 2.0


# docs/design/elicitation.md says why questions are asked where the recommendation changes.
def next_question(talk: Elicitation) -> Question | None:
    """The next question, at a ratio where the recommendation changes; None when done.

    A question with two contradicting answers is asked again. If a single answer leaves everything
    up to an end of the ratios possible, it is asked the other way round before it is believed.
    """
    if talk.contradictions:
        first, last = (talk.contradictions[0].statements * 2)[:2]
        twice = first is not last and compared(first) is not None
        if not twice or compared(first) != compared(last):
            return None
        why = "asked both ways round, you preferred each of the two once, so neither answer counts"
        question = asked_before(first, prior=talk.prior, classes=talk.classes)
        return None if question is None else replace(question, why=why)
    return _dividing(talk) or _other_way_round(talk)


def _other_way_round(talk: Elicitation) -> Question | None:
    """The mirrored question if its answer is all that bounds the ratio; otherwise None."""
    least = max((each.low for each in talk.statements), default=0.0)
    most = min((each.high for each in talk.statements), default=math.inf)
    if (least > 0) == (most < math.inf):  # no bound, or one on both sides
        return None
    said = [each for each in talk.statements if (each.low, each.high) == (least, most)]
    if len(said) != 1 or said[0].route != "preference":
        return None
    question = asked_before(said[0], prior=talk.prior, classes=talk.classes)
    beyond = f"below about {least:.3g}" if least > 0 else f"above about {most:.3g}"
    why = f"one answer alone rules out everything {beyond} false alarms per miss, so the same "
    why += "question follows the other way round"
    return None if question is None else replace(question.mirrored(), why=why)


def _dividing(talk: Elicitation) -> Question | None:
    """The question that divides the possible ratios best; None if none is needed."""
    if not talk.systems:  # halve the ratio while it is not known well enough
        if talk.ratio.factor <= _ENOUGH or _declined(talk, talk.ratio.middle):
            return None
        return _posed(talk, talk.ratio.middle, "it halves what is still possible")
    options = talk.options
    stretches = options.stretches(0, talk.tolerance)
    count = len(stretches)
    ends = [float(options.ratios[end]) for end, _ in stretches]
    likely = [1 <= end <= _DEAREST * (1 - talk.prior) / talk.prior for end in ends]

    def order(k: int) -> tuple[int, bool, int]:
        questions, uneven = _depth(k + 1, count)
        return questions, not likely[k], uneven

    for left in sorted(range(count - 1), key=order):
        ratio = float(options.ratios[_switch(options, stretches, left, talk.tolerance)])
        if not _declined(talk, ratio):
            below, above = (options.names[stretches[k][1]] for k in (left, left + 1))
            why = f"below about {ratio:.3g} false alarms per miss {below!r} is the better "
            return _posed(talk, ratio, why + f"choice, above it {above!r}")
    return None


def _depth(left: int, total: int) -> tuple[int, int]:
    """Number of further questions in the worst case, and how uneven the halves are."""
    right = total - left
    return math.ceil(math.log2(max(left, right))), abs(left - right)


def _switch(options: Options, stretches: list[tuple[int, int]], k: int, tolerance: float) -> int:
    """Where to divide a stretch from the next: where both cost the same, if that adds none."""
    start = stretches[k - 1][0] if k else 0
    (end, here), (_, there) = stretches[k], stretches[k + 1]
    gains = options.nec[there, start : end + 1] - options.nec[here, start : end + 1]
    not_yet = np.flatnonzero(gains >= 0)
    crossing = start + int(not_yet[-1]) if not_yet.size else end
    if crossing <= 0:
        return end
    more = len(options.stretches(crossing, tolerance))
    return crossing if more <= len(stretches) - k - 1 else end


def _posed(talk: Elicitation, ratio: float, why: str) -> Question | None:
    """A believable question near the operating point that is best at this ratio.

    Only the difference between the outcomes counts, so both may be moved to numbers that a
    useful model could reach.
    None if no numbers of a size one can picture would divide the ratios that are left.
    """
    point = (0.5, 0.1)
    if talk.systems:
        pairs = np.concatenate([np.column_stack(each) for each in talk.options.points])
        best = int(np.argmin(pairs @ np.array([talk.prior * ratio, 1 - talk.prior])))
        missed, alarmed = pairs[best].tolist()
        point = (min(missed, _MOST_MISSED), min(alarmed, _MOST_ALARMED))
    for within in (0.005, 0.00005):
        question = posed(ratio, prior=talk.prior, point=point, cases=talk.cases, within=within)
        if talk.ratio.low < question.ratio < talk.ratio.high:
            return replace(question, why=why, classes=talk.classes)
    return None


def _declined(talk: Elicitation, ratio: float) -> bool:
    """Whether a question at about this ratio was answered "cannot say"."""
    for said in talk.statements:
        if said.route == "preference" and said.inputs.get("prefers") == "=":
            misses, alarms = said.inputs["misses"], said.inputs["alarms"]
            asked = (alarms[1] - alarms[0]) / (misses[0] - misses[1])
            if max(asked / ratio, ratio / asked) < _APART:
                return True
    return False
