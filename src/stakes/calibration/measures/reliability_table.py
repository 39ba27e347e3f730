"""Reliability: how often a class occurs where the classifier gives it a probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, as_whole, frozen, is_number
from stakes._columns import in_brief
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.isotonic_blocks import pav_blocks
from stakes._names import place_of
from stakes._random import as_generator
from stakes.calibration.labelled_scores import Cases, read_cases
from stakes.exceptions import DataError, LabelError
from stakes.posteriors import Posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, IntArray, Name, RandomSource

#: A calibrated classifier is called miscalibrated once in this many times.
_FALSE_ALARMS = 100
#: How often groups are halved; groups below `_LEAST` of the cases, or below 10, are skipped.
_HALVINGS = 5
_LEAST = 0.02
#: The event where no class was named and there are more than two.
_TOP = "its most probable class"
#: Smaller distances between forecast and frequency are not reported: this, or a tenth of the
#: forecast (of 1 minus the forecast, where that is less).
_WORD = 0.01


class Look(NamedTuple):
    """Mean forecast of a group, observed share, and its number of cases (unweighted)."""

    said: float
    happened: float
    cases: int


def equal_mass(said: FloatArray, weights: FloatArray, bins: int) -> IntArray:
    """Group of each case when forecasts are cut into `bins` of equal mass; ties stay together.

    Weights are repetitions. Numbered from 0 without gaps; ties may leave fewer groups.
    """
    order = np.argsort(said, kind="stable")
    reached = np.cumsum(weights[order])
    wanted = np.arange(1, bins) * float(reached[-1]) / bins
    places = np.minimum(np.searchsorted(reached, wanted, side="right"), len(said) - 1)
    member = np.searchsorted(np.unique(said[order][places]), said, side="right")
    return np.asarray(np.unique(member, return_inverse=True)[1].reshape(-1), dtype=np.intp)


def _furthest(
    said: FloatArray, happened: NDArray[np.bool_], weights: FloatArray, bins: int | None
) -> tuple[Look | None, bool]:
    """The group of forecasts furthest from what happened, beyond chance; and if any was judged.

    The groups are all cases, their halves by forecast, quarters and so on, every common forecast
    by itself, and `bins` of equal mass if a number is given; none depends on what happened. The
    chance of each is bounded by the binomial distribution of its mean forecast, and all groups
    share the rate of false alarms. One of `bins` is preferred to the others.
    """
    values, member = np.unique(said, return_inverse=True)
    member = member.reshape(-1)
    parts = [weights, weights * said, weights * happened, weights**2, 1.0 * (weights > 0.0)]
    sums = [
        np.append(0.0, np.cumsum(np.bincount(member, weights=part, minlength=len(values))))
        for part in parts
    ]
    first, after, asked = _ranges(values, sums[0], bins).T
    mass, spoken, came, squares, rows = (column[after] - column[first] for column in sums)
    number = mass**2 / squares
    seen = (number >= 10.0 - 1e-9) & (mass >= _LEAST * sums[0][-1])
    if not seen.any():
        return None, False
    mass, number = mass[seen], number[seen]
    mean = np.clip(spoken[seen] / mass, 0.0, 1.0)
    share = np.clip(came[seen] / mass, 0.0, 1.0)
    gap = np.abs(mean - share)
    clear = _chances(mean, share, number) < 0.5 / _FALSE_ALARMS / len(mass)
    clear &= gap > np.minimum(_WORD, 0.1 * np.minimum(mean, 1.0 - mean))
    if not clear.any():
        return None, True
    if (clear & (asked[seen] > 0)).any():
        clear &= asked[seen] > 0
    k = int(np.where(clear, gap, -1.0).argmax())
    return Look(float(mean[k]), float(share[k]), int(rows[seen][k])), True


def _ranges(values: FloatArray, below: FloatArray, bins: int | None) -> IntArray:
    """Each group judged: its first distinct forecast, the first after it, whether asked for."""
    weights = np.diff(below)
    found = {(int(k), int(k) + 1): 0 for k in np.flatnonzero(weights >= _LEAST * below[-1])}
    counts = [2**depth for depth in range(_HALVINGS + 1)] + ([bins] if bins else [])
    for count in counts:
        member = equal_mass(values, weights, count)
        ends = np.flatnonzero(np.diff(member, prepend=-1, append=member[-1] + 1)).tolist()
        found |= dict.fromkeys(pairwise(ends), int(count == bins))
    return np.array([(*ends, asked) for ends, asked in found.items()], dtype=np.intp)


def _chances(mean: FloatArray, share: FloatArray, number: FloatArray) -> FloatArray:
    """An upper bound on the chance of a share this extreme among cases with that mean."""
    from scipy.special import betainc

    times = share * number
    high = np.where(times > 0.0, betainc(np.maximum(times, 1e-9), number - times + 1.0, mean), 1.0)
    rest = number - times
    low = np.where(rest > 0.0, betainc(np.maximum(rest, 1e-9), times + 1.0, 1.0 - mean), 1.0)
    return np.where(share > mean, high, low)


_COLUMNS = ("said", "happened", "cases", "low", "high", "lowest", "highest")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReliabilityTable(AnswersGuesses):
    """The data of a reliability diagram: one row per group of like forecasts.

    What `reliability_table` returns.

    Attributes
    ----------
    said, happened : ndarray
        Mean forecast and observed frequency of each group.
    cases : ndarray
        (Weighted) number of cases in it.
    low, high : ndarray
        Where the frequency would lie, at `level`, if the forecasts were calibrated.
    lowest, highest : ndarray
        Least and greatest forecast of each group. Pooled forecasts may differ much, and their mean
        then hides how far each is off.
    worst : Look or None
        Mean forecast, frequency and number of cases of the group that is furthest from what
        happened, beyond chance; None when all agree. See `reliability_table`.
    enough : bool
        Whether there were enough cases to judge.
    """

    said: FloatArray
    happened: FloatArray
    cases: FloatArray
    low: FloatArray
    high: FloatArray
    lowest: FloatArray
    highest: FloatArray
    level: float
    event: str
    worst: Look | None
    enough: bool

    @property
    def text(self) -> str:
        """The worst group with enough cases, in words."""
        top = self.event == _TOP
        event = self.event if top else f"'{self.event}'"
        if not self.enough:
            return f"Too few cases to say how far the probabilities of {event} can be trusted."
        if self.worst is None:
            what = "it gives its most probable class" if top else f"of {event}"
            return f"The probability {what} is right, within chance."
        said, happened, cases = self.worst
        right = "right" if top else event
        return (
            f"Where it predicts {_percent(said)} for {event}, {_percent(happened)} are {right} "
            f"({cases} cases)."
        )

    def frame(self) -> Frame:
        """One row per group."""
        return Frame({name: getattr(self, name) for name in _COLUMNS})

    def __str__(self) -> str:
        return f"{self.frame()}\n\n{self.text}"

    def __repr__(self) -> str:
        groups, cases = len(self.said), float(self.cases.sum())
        return f"<ReliabilityTable of {self.event}: {groups} groups, {cases:.0f} cases>"


@answers_guesses
def reliability_table(
    y_true: Any,
    posteriors: Any,
    *,
    of: Name | None = None,
    bins: str | int = "pav",
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
    level: float = 0.9,
    draws: int = 200,
    rng: RandomSource = 0,
) -> ReliabilityTable:
    """Compare forecasts with what happened.

    The data of a reliability diagram for any number of classes, with a consistency band around
    the diagonal and a sentence. For two classes and a summary of scores see
    `stakes.curves.reliability`.

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities.
    of : name, optional
        The class whose forecasts are judged. Default: the second of two classes; for more, the
        most probable class of each case.
    bins : "pav" or int
        Groups by isotonic regression, which needs no choice of bins; or that many of equal mass.
    classes, sample_weight
        Names of the columns; weights.
    level, draws, rng
        The band: labels are drawn from the forecasts `draws` times.

    Returns
    -------
    ReliabilityTable
        Groups, band, and a sentence.

    Notes
    -----
    The sentence does not judge the pools of the isotonic regression, whose mean forecast may be
    right though none of the forecasts is. It looks at all cases, at the halves by forecast, at
    quarters and so on to 32 parts, at every single forecast that a fiftieth of the cases have, and
    at the groups asked for, if they hold 10 cases and a fiftieth of all. All groups share the rate
    of false alarms, so a calibrated classifier is called miscalibrated at most once in a hundred
    times. Distances below a percentage point (for rare events, a tenth of the forecast) are not
    reported. The worst of the groups asked for is named, if it is significant by itself.

    References
    ----------
    .. [1] Dimitriadis, Gneiting, Jordan, *Stable reliability diagrams for probabilistic
       classifiers*, PNAS 2021.

    Examples
    --------
    >>> result = reliability_table([0, 0, 1, 0] * 50, [0.2, 0.2, 0.8, 0.8] * 50)
    >>> result.said.round(3).tolist(), result.happened.tolist()
    ([0.2, 0.8], [0.0, 0.5])
    >>> result.text
    "Where it predicts 80 % for '1', 50 % are '1' (100 cases)."
    """
    as_level(level)
    draws = as_whole(draws, "draws", most=100_000)
    counted = not isinstance(bins, str) and is_number(bins) and 1 <= bins < 2**31
    counted = counted and int(bins) == bins
    if not (counted or (isinstance(bins, str) and bins == "pav")):
        got = in_brief(bins)
        raise DataError(f"`bins` must be 'pav' or a positive whole number; got {got}.")
    said, happened, weights, event = event_of(y_true, posteriors, of, classes, sample_weight)
    if not weights.all():
        kept = weights > 0
        said, happened, weights = said[kept], happened[kept], weights[kept]
    member, size = _grouped(said, happened, weights, bins)
    mass = np.bincount(member, weights=weights, minlength=size)
    mean = np.bincount(member, weights=weights * said, minlength=size) / mass
    share = np.bincount(member, weights=weights * happened, minlength=size) / mass
    random = as_generator(rng)
    drawn = np.empty((draws, size))
    for row in drawn:
        luck = random.random(len(said)) < said
        row[:] = np.bincount(member, weights=weights * luck, minlength=size) / mass
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    lowest, highest = np.ones(size), np.zeros(size)
    np.minimum.at(lowest, member, said)
    np.maximum.at(highest, member, said)
    worst, enough = _furthest(said, happened, weights, None if bins == "pav" else int(bins))
    columns = (mean, share, mass, low, high, lowest, highest)
    parts = dict(zip(_COLUMNS, map(frozen, columns), strict=True))
    return ReliabilityTable(**parts, level=level, event=event, worst=worst, enough=enough)


def _grouped(
    said: FloatArray, happened: NDArray[np.bool_], weights: FloatArray, bins: str | int
) -> tuple[NDArray[np.intp], int]:
    """Group of each case, in the order of the forecasts."""
    if isinstance(bins, str):
        if happened.all() or not happened.any():
            return np.zeros(len(said), dtype=np.intp), 1
        blocks = pav_blocks(said, happened, weights)
        return np.searchsorted(blocks.highest, said), len(blocks.highest)
    member = equal_mass(said, weights, int(bins))
    return member, int(member.max()) + 1


def _percent(share: float) -> str:
    """In percent, with decimals near 0 and 1."""
    if 0.01 <= share <= 0.99 or share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    digits = int(np.ceil(-np.log10(100 * min(share, 1.0 - share)))) + 1
    return f"{100 * share:.{digits}f} %"


def event_of(
    y_true: Any, posteriors: Any, of: Name | None, classes: Any, sample_weight: Any
) -> tuple[FloatArray, NDArray[np.bool_], FloatArray, str]:
    """Forecast, outcome and weight of the event judged, and its name."""
    read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
    cases: Cases = read_cases(read, y_true, sample_weight=sample_weight, classes=classes)
    values = np.exp(cases.scores.values)
    if of is None and values.shape[1] > 2:
        top = values.argmax(axis=1)
        said = values[np.arange(len(top)), top]
        return said, top == cases.codes, cases.weights, _TOP
    wanted = cases.classes[1] if of is None else of
    k = place_of(wanted, cases.classes)
    if k is None:
        known = list(cases.classes)
        raise LabelError(f"`of` must be one of the classes {known}; got {in_brief(of)}.")
    return values[:, k], cases.codes == k, cases.weights, str(wanted)
