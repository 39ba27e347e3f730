"""Bands around whole curves, and which system is best at each effective prior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._checks import as_level, as_switch, as_whole, of_kind
from stakes._columns import as_reals
from stakes._guesses import AnswersGuesses
from stakes._kernels import run_bootstrap
from stakes._kernels.cell_draws import posterior_cells
from stakes._kernels.interval_ends import band_ends, joint_share, shares_above
from stakes._random import as_generator
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.summaries import PairedCounts
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.interval import (
    MIN_CASES,
    OF_CURVES,
    Replicates,
    refuse_weights,
    shortage,
)
from stakes.uncertainty.intervals.score_intervals import resampled_scores


@dataclass(frozen=True, eq=False, repr=False)
class Band(AnswersGuesses):
    """A curve with its band; what `band` returns.

    Parameters
    ----------
    x, y : array of float
        The curve.
    low, high : array of float
        The band; NaN when there are too few cases.
    level : float
        Share of data sets whose band holds the curve (at each point, or everywhere).
    simultaneous : bool
        Whether it holds everywhere at once.
    notes : tuple of str
        What a reader should know.
    replicates : Replicates
        The drawn curves, (n_replicates, 2, n_points): the low and the high side of each draw.
    """

    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    simultaneous: bool
    notes: tuple[str, ...]
    replicates: Replicates

    def at(self, level: float, *, simultaneous: bool | None = None) -> Band:
        """The same band at another level, or of the other kind."""
        joint = self.simultaneous
        if simultaneous is not None:
            joint = as_switch(simultaneous, "simultaneous")
        if np.isnan(self.low).all():
            return replace(self, level=as_level(level), simultaneous=joint)
        return self._filled(as_level(level), joint)

    def _filled(self, level: float, joint: bool) -> Band:
        """The band with the ends of this level and kind."""
        draws = self.replicates.values
        low, high = band_ends(draws, joint_share(draws, level) if joint else (1 - level) / 2)
        return replace(self, low=low, high=high, level=level, simultaneous=joint)

    def more(self, draws: int) -> Band:
        """The same band from this many more replicates."""
        grown = self.replicates.more(draws)
        return replace(self, replicates=grown).at(self.level)

    def frame(self) -> Frame:
        """One row per point: x, y, low, high."""
        return Frame({"x": self.x, "y": self.y, "low": self.low, "high": self.high})

    def __repr__(self) -> str:
        kind = "simultaneous" if self.simultaneous else "pointwise"
        return f"<Band of {self.x.shape[0]} points, {kind} {self.level:g}>"


def band(
    scores: RankedScores,
    curve: str | Callable[[Any], Any] = "bayes_error",
    *,
    at: Any,
    level: float = 0.95,
    simultaneous: bool = True,
    draws: int = 2000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Band:
    """A curve with its confidence band.

    A simultaneous band holds the curve everywhere at once, as readers of a whole curve assume. A
    pointwise band is narrower, and right for one abscissa chosen beforehand.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        The scores.
    curve : {"bayes_error", "decision", "roc"} or callable
        Normalised actual cost by log odds of the effective prior (scores must be LLRs); net
        benefit by threshold on the posterior; sensitivity by false positive rate; or any
        function of the summary that returns one value for each entry of `at`.
    at : array-like of float
        The abscissae.
    level : float
        Share of data sets whose band holds the curve.
    simultaneous : bool
        Everywhere at once, or at each point by itself.
    draws : int
        Number of drawn curves.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer cases of a class no band is given.

    Returns
    -------
    Band
        With `.at(level)`, `.more(draws)` and `.frame()`.

    Notes
    -----
    Each draw of the first two curves has a low and a high side; the error rates lie between them.
    At one threshold they give the exact (Clopper-Pearson) limits of a rate, which do not collapse
    if no error was seen. One draw serves all thresholds. So the band holds, and is somewhat too
    wide rather than too narrow.

    References
    ----------
    .. [1] O. Montiel Olea and M. Plagborg-Moller, "Simultaneous confidence bands: theory,
       implementation, and an application to SVARs", J. Applied Econometrics 34, 2019.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 4 == 0
    >>> sc = ScoreCounts.from_scores(y, rng.normal(4.0 * y - 2.0, 2.0), kind="llr")
    >>> found = band(sc, "bayes_error", at=[-1.0, 0.0, 1.0], rng=0)
    >>> bool((found.low < found.y).all() and (found.y < found.high).all())
    True
    """
    require_both(scores, "band")
    refuse_weights(np.concatenate(scores.runs[:2]).astype(np.float64), instead=OF_CURVES)
    x = as_reals(at, "at")
    if x.ndim != 1 or not x.size or np.isnan(x).any():
        raise DataError("`at` must be one-dimensional, not empty and without NaN.")
    if not callable(curve):
        of_kind(curve, "curve", str)
    if curve == "bayes_error":
        if (np.abs(x) > 700).any():
            raise DataError("`at` must be log odds within 700 of 0.")
        y, draw = _by_threshold(scores, "llr", -x, _normalised_cost(x))
    elif curve == "decision":
        y, draw = _by_threshold(scores, "posterior", x, _net_benefit(x, float(scores.priors[1])))
    elif curve == "roc":
        y, draw = _roc(scores, x)
    elif callable(curve):
        y, draw = _given(scores, curve)
    else:
        raise DataError(
            f"`curve` must be 'bayes_error', 'decision', 'roc' or a function; got {curve!r}."
        )
    refused, notes = shortage(scores.class_totals, scores.classes, min_cases)
    drawn = Replicates.drawn(draw, draws, rng)
    empty = np.full(y.shape, np.nan)
    simultaneous = as_switch(simultaneous, "simultaneous")
    found = Band(x, y, empty, empty, as_level(level), simultaneous, notes, drawn)
    return found if refused else found._filled(found.level, simultaneous)


def _normalised_cost(x: FloatArray) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Cost at each log odds of the effective prior over that of the best naive decision."""
    u, rest = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))  # 1 - u would round to 0 above 37
    naive = np.minimum(u, rest)
    return lambda fnr, fpr: (u * fnr + rest * fpr) / naive


def _net_benefit(x: FloatArray, share: float) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """True positives per case minus false positives weighted by the odds of the threshold."""
    return lambda fnr, fpr: share * (1 - fnr) - (1 - share) * fpr * x / (1 - x)


def _by_threshold(
    scores: RankedScores,
    kind: str,
    thresholds: FloatArray,
    value: Callable[[FloatArray, FloatArray], FloatArray],
) -> tuple[FloatArray, Any]:
    """Curves of the two error rates at thresholds of the scores."""
    if scores.kind != kind:
        raise DataError(f"this curve needs scores of kind {kind!r}; these are {scores.kind!r}.")
    above = np.array([scores.counts_above(float(t)) for t in thresholds])
    above = np.rint(above).astype(np.int64).reshape(-1, 2)
    totals = np.rint(scores.class_totals).astype(np.int64)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        (least, most), (fewest, all_found) = (
            shares_above(above[:, k], int(totals[k]), size, generator) for k in (0, 1)
        )
        ends = value(1 - all_found, least), value(1 - fewest, most)
        return np.stack([np.minimum(*ends), np.maximum(*ends)], axis=1)

    shares = above / totals
    return value(1 - shares[:, 1], shares[:, 0]), draw


def _roc(scores: RankedScores, x: FloatArray) -> tuple[FloatArray, Any]:
    """Sensitivity at false positive rates; points are joined by straight lines."""

    def sensitivity(negatives: Any, positives: Any) -> FloatArray:
        missed, alarms = run_bootstrap.error_rates(negatives, positives)
        return np.asarray(np.interp(x, alarms[::-1], 1 - missed[::-1]))

    runs = scores.runs

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        pairs = run_bootstrap.draw_runs(runs.negatives, runs.positives, size, generator)
        drawn = np.array([sensitivity(a, b) for a, b in pairs])
        return np.stack([drawn, drawn], axis=1)

    return sensitivity(runs.negatives, runs.positives), draw


def _given(scores: RankedScores, curve: Callable[[Any], Any]) -> tuple[FloatArray, Any]:
    """The curve of any function of the summary."""

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        drawn = [curve(s) for s in resampled_scores(scores, size, generator)]
        return np.stack([np.asarray(drawn, dtype=np.float64)] * 2, axis=1)

    return np.asarray(curve(scores), dtype=np.float64), draw


def best_by_log_odds(
    paired: PairedCounts, log_odds: Any, *, draws: int = 2000, rng: RandomSource = None
) -> Frame:
    """Which of several systems is best at each effective prior when LLRs are taken as they are.

    Parameters
    ----------
    paired : PairedCounts
        From `PairedCounts.from_scores` of LLRs with ``thresholds=-log_odds[::-1]``.
    log_odds : array-like of float, ascending
        Log odds of the effective prior.
    draws : int
        Draws of the joint counts.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Frame
        One row per log odds and system: log_odds, system, cost (normalised),
        probability_best.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation": Bayes error plots.

    Examples
    --------
    >>> pc = PairedCounts.from_scores([0, 0, 1, 1] * 10, {"a": [-2.0, -1.0, 1.0, 2.0] * 10,
    ...                               "b": [-2.0, 1.0, -1.0, 2.0] * 10}, thresholds=[0.0])
    >>> best_by_log_odds(pc, [0.0], rng=0)["probability_best"]
    array([1., 0.])
    """
    x = as_reals(log_odds, "log_odds")
    if x.ndim != 1 or not (np.abs(x) <= 700).all():  # larger odds are beyond floats
        raise DataError("`log_odds` must be a column of numbers within 700 of 0.")
    of_kind(paired, "paired", PairedCounts)
    draws = as_whole(draws, "draws")
    if len(paired.decisions) != x.shape[0] + 1 or len(paired.classes) != 2:
        raise DataError(
            f"{x.shape[0]} log odds need {x.shape[0] + 1} stretches of two classes; got "
            f"{len(paired.decisions)} of {len(paired.classes)}.",
            hint="PairedCounts.from_scores(..., thresholds=-log_odds[::-1])",
        )
    counts = np.asarray(paired.counts, dtype=np.float64)
    refuse_weights(counts, "joint counts", instead=OF_CURVES)
    value, classes = _normalised_cost(x), paired.cells[:, 0]

    def costs(cells: FloatArray) -> FloatArray:
        found = np.empty((cells.shape[0], len(paired.systems), x.shape[0]))
        for s in range(len(paired.systems)):
            rates = []
            for k in (1, 0):
                inside = classes == k
                stretch = np.zeros((int(inside.sum()), len(paired.decisions)))
                stretch[np.arange(stretch.shape[0]), paired.cells[inside, 1 + s]] = 1.0
                counts = cells[:, inside] @ stretch
                share = np.cumsum(counts, axis=1)[:, :-1] / counts.sum(axis=1, keepdims=True)
                rates.append((share if k == 1 else 1 - share)[:, ::-1])
            found[:, s] = value(rates[0], rates[1])
        return found

    seen = costs(counts[None])[0]
    generator = as_generator(rng)
    wins = np.zeros(seen.shape)
    for start in range(0, draws, 200):
        size = min(200, draws - start)
        drawn = costs(posterior_cells(paired.counts, classes, size, generator, prior=0.0))
        least = drawn <= drawn.min(axis=1, keepdims=True)
        wins += (least / least.sum(axis=1, keepdims=True)).sum(axis=0)
    return Frame(
        {
            "log_odds": np.repeat(x, len(paired.systems)),
            "system": [str(n) for n in paired.systems] * x.shape[0],
            "cost": seen.T.ravel(),
            "probability_best": (wins / draws).T.ravel(),
        }
    )
