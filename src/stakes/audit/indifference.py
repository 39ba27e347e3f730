"""Where a metric is indifferent: directions between tables, level sets, and clouds of tables.

Only the order of the metric's values is used, so that any increasing function of a metric
gives the same answer. Steps are taken in a plane of tables spanned by two moves; a move takes
cases of one class from one decision to another. Directions are angles in that plane, in cases
as a share of all cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_whole, of_kind, positive_share
from stakes._columns import as_reals, in_brief
from stakes._guesses import AnswersGuesses
from stakes._kernels.rankings import common_arc
from stakes.application import as_application
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.exceptions import CostError, DataError
from stakes.metrics.metric import Metric
from stakes.results import Frame
from stakes.typing import FloatArray, Priors

#: Differences of values below this share of their size count as rounding.
_ROUNDING = 1e-11
_N_ANGLES = 12
_N_HALVINGS = 18
_MOST_STEPS = 2000


class Move(NamedTuple):
    """Cases of class `row` go from decision `source` to the right one."""

    row: int
    source: int

    def table(self, shape: tuple[int, int]) -> FloatArray:
        """The change of the counts when one case moves."""
        change = np.zeros(shape)
        change[self.row, [self.source, self.row]] = -1, 1
        return change


#: The two ways to decide better: fewer false positives, fewer false negatives.
BINARY_MOVES = (Move(0, 1), Move(1, 0))


@dataclass(frozen=True)
class StrictPairs:
    """Pairs of tables that the metric ranks strictly, better first.

    Parameters
    ----------
    better, worse : ndarray of shape (n, K, M)
        The tables.
    steps : ndarray of shape (n, 2)
        Better minus worse, in each of the two moves, as a share of all cases.
    margins : ndarray of shape (n,)
        Difference of the values relative to their spread.
    """

    better: FloatArray
    worse: FloatArray
    steps: FloatArray
    margins: FloatArray

    @property
    def angles(self) -> FloatArray:
        """Direction of each step."""
        return np.arctan2(self.steps[:, 1], self.steps[:, 0])

    def __len__(self) -> int:
        return int(self.margins.shape[0])

    @classmethod
    def merged(cls, parts: list[StrictPairs]) -> StrictPairs:
        """Several sets as one."""
        names = ("better", "worse", "steps", "margins")
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))

    @classmethod
    def ordered(
        cls, tables: FloatArray, scores: FloatArray, steps: FloatArray, spread: float
    ) -> StrictPairs:
        """Pairs (2, n, K, M) with their scores and first minus second; ties are left out."""
        sign = strict_sign(*scores) * (np.abs(steps).sum(axis=1) > 0)
        kept = sign != 0
        (first, second), steps, up = tables[:, kept], steps[kept], sign[kept, None] > 0
        with np.errstate(invalid="ignore"):
            margins = np.abs(scores[0] - scores[1])[kept] / (spread or 1.0)
        return cls(
            np.where(up[:, :, None], first, second),
            np.where(up[:, :, None], second, first),
            np.where(up, steps, -steps),
            np.nan_to_num(margins, nan=0.0, posinf=1.0),
        )

    @property
    def width(self) -> float:
        """Width of the arc of directions that all pairs agree with; negative if there is none."""
        return common_arc(self.angles)[1] if len(self) else math.inf


def spread(scores: FloatArray) -> float:
    """From the lowest to the highest finite score; 0 without any."""
    finite = scores[np.isfinite(scores)]
    return float(np.ptp(finite)) if finite.size else 0.0


def strict_sign(first: FloatArray, second: FloatArray) -> FloatArray:
    """Sign of first minus second; 0 within rounding or where one is `nan`."""
    with np.errstate(invalid="ignore"):
        size = np.maximum(np.abs(first), np.abs(second))
        size = np.where(np.isfinite(size), size, 0.0)
        gap = first - second
        strict = np.where(np.abs(gap) > _ROUNDING * size, np.sign(gap), 0.0)
    return np.where(np.isnan(strict), 0.0, strict)


@dataclass(frozen=True)
class Indifference:
    """Directions of equal value at some tables, and the pairs that prove them."""

    pairs: StrictPairs
    normals: FloatArray
    bends: FloatArray

    @property
    def bend(self) -> float:
        """The largest bend, 0 when none could be measured."""
        return max(self.bends[np.isfinite(self.bends)], default=0.0)


def indifference(
    metric: CountMetric, bases: FloatArray, moves: tuple[Move, Move], reach: float, *,
    whole: bool = False,
) -> Indifference:  # fmt: skip
    """At each base table, the direction in which the metric stays the same, by halving.

    Parameters
    ----------
    bases : ndarray of shape (n, K, M)
        Tables with room for `reach` in both moves, both ways.
    reach : float
        Length of the steps as a share of the class totals.
    whole : bool
        Keep to whole counts, for metrics that cut off fractions; coarser.

    Returns
    -------
    Indifference
        `normals` are the angles in which the value grows, `nan` where no direction of
        equal value was found; `bends` is how far the level set leaves its chord, as a
        share of the chord.
    """
    walk = _Walk(metric, _whole(bases) if whole else bases, moves, reach, whole)
    angles = np.linspace(0, np.pi, _N_ANGLES, endpoint=False) + 0.013
    everyone = np.tile(np.arange(bases.shape[0]), _N_ANGLES)
    found, tried = walk.compare(everyone, np.repeat(angles, bases.shape[0]))
    found = found.reshape(_N_ANGLES, -1)
    signs = np.concatenate([found, -found[:1]]).T
    edges = np.append(angles, angles[0] + np.pi)
    changes = signs[:, :-1] * signs[:, 1:] < 0
    who = np.flatnonzero(changes.any(axis=1))
    at = np.argmax(changes[who], axis=1)
    low, high = edges[at].copy(), edges[at + 1].copy()
    start = signs[who, at]
    open_ = np.ones(who.size, dtype=bool)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        sign = walk.ends(who, middle).sign
        open_ &= sign != 0
        low = np.where(open_ & (sign == start), middle, low)
        high = np.where(open_ & (sign == -start), middle, high)
    _, nearest = walk.compare(np.tile(who, 2), np.concatenate([low, high]))
    normals, bends = np.full((2, bases.shape[0]), np.nan)
    level = (low + high) / 2
    normals[who], bends[who] = walk.normal(who, level, start), walk.bend(who, level)
    return Indifference(StrictPairs.merged([tried, nearest]), normals, bends)


class _Ends(NamedTuple):
    """Both ends of some steps: tables and values, forward and backward, and which is better."""

    tables: FloatArray
    values: FloatArray
    amounts: FloatArray
    sign: FloatArray


class _Walk:
    """Steps from base tables in a plane, and what the metric says of their two ends."""

    def __init__(
        self, metric: CountMetric, bases: FloatArray, moves: tuple[Move, Move], reach: float,
        whole: bool,
    ) -> None:  # fmt: skip
        self.metric, self.bases, self.whole = metric, bases, whole
        shape = (bases.shape[1], bases.shape[2])
        self.changes = np.stack([move.table(shape) for move in moves])
        rows = bases.sum(axis=2)
        self.lengths = np.stack([reach * rows[:, move.row] for move in moves], axis=1)
        self.total = bases.sum(axis=(1, 2))
        self.spread = spread(metric.scores(bases))

    def step(self, who: NDArray[np.intp], angle: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The change of the counts, and in each move."""
        amounts = self.lengths[who] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        if self.whole:
            amounts = np.rint(amounts)
        return np.einsum("na,aij->nij", amounts, self.changes), amounts

    def ends(self, who: NDArray[np.intp], angle: FloatArray) -> _Ends:
        """What the metric says of both ends of steps in these directions."""
        change, amounts = self.step(who, angle)
        base = self.bases[who]
        tables = np.stack([base + change, base - change])
        values = self.metric.scores(tables)
        sign = strict_sign(*values) * (np.abs(amounts).sum(axis=1) > 0)
        return _Ends(tables, values, amounts, sign)

    def compare(self, who: NDArray[np.intp], angle: FloatArray) -> tuple[FloatArray, StrictPairs]:
        """Sign of forward minus backward, and the pairs with a strict sign."""
        found = self.ends(who, angle)
        steps = 2 * found.amounts / self.total[who][:, None]
        pairs = StrictPairs.ordered(found.tables, found.values, steps, self.spread)
        return found.sign, pairs

    def normal(self, who: NDArray[np.intp], level: FloatArray, start: FloatArray) -> FloatArray:
        """Angle, in cases, at right angles to the level direction, towards better."""
        _, amounts = self.step(who, level)
        along = np.arctan2(amounts[:, 1], amounts[:, 0])
        return np.asarray(np.mod(along - start * np.pi / 2, 2 * np.pi))

    def bend(self, who: NDArray[np.intp], level: FloatArray) -> FloatArray:
        """How far the base lies off the chord, in values, relative to a step across it."""
        change, _ = self.step(who, level)
        across, _ = self.step(who, level + np.pi / 2)
        scores = self.metric.scores
        base = self.bases[who]
        with np.errstate(invalid="ignore", divide="ignore"):
            off = scores(base) - (scores(base + change) + scores(base - change)) / 2
            size = np.abs(scores(base + across) - scores(base - across))
            return np.asarray(np.abs(off) / size)


def _whole(tables: FloatArray) -> FloatArray:
    """Whole counts with the same, rounded, class totals."""
    totals = np.rint(tables.sum(axis=2))
    rounded = np.floor(tables)
    rounded[:, :, -1] += totals - rounded.sum(axis=2)
    return rounded


@dataclass(frozen=True, slots=True)
class LevelSets(AnswersGuesses):
    """A metric, and a cost, over all pairs of rates at one prevalence; made by `level_sets`.

    Parameters
    ----------
    metric : str
        Its name.
    higher_is_better : bool
        Its direction.
    prevalence : float
        Share of the positive class.
    false_positive_rates, true_positive_rates : ndarray of shape (m,)
        The grid.
    values : ndarray of shape (m, m)
        The metric; rows are true positive rates.
    costs : ndarray of shape (m, m), optional
        The expected cost at the same points.
    iso_cost_slope : float
        Rise of the true positive rate per unit of false positive rate along a line of equal
        cost; `nan` without costs.
    """

    metric: str
    higher_is_better: bool
    prevalence: float
    false_positive_rates: FloatArray
    true_positive_rates: FloatArray
    values: FloatArray
    costs: FloatArray | None
    iso_cost_slope: float

    def frame(self) -> Frame:
        """One row per point of the grid."""
        fpr, tpr = np.meshgrid(self.false_positive_rates, self.true_positive_rates)
        columns = {"false_positive_rate": fpr.ravel(), "true_positive_rate": tpr.ravel(),
                   self.metric: self.values.ravel()}  # fmt: skip
        if self.costs is not None:
            columns["cost"] = self.costs.ravel()
        return Frame(columns)


def level_sets(
    metric: Any, *, priors: Priors, application: Any = None, resolution: int = 101,
    higher_is_better: bool | None = None,
) -> LevelSets:  # fmt: skip
    """A two-class metric over all pairs of rates, with the cost beside it.

    Where the level sets of the metric are not lines of equal cost, it prefers some system
    that costs more. Draw it with `stakes.plots.level_sets`.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (2, 2) array of counts, rows true
        classes.
    priors : float or pair
        Share of the positive (second) class, or of both; strictly between 0 and 1.
    application : Application or CostMatrix, optional
        Costs to compare with.
    resolution : int
        Points along each axis, at most 2,000.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.

    Returns
    -------
    LevelSets
        The grid; points where the metric is undefined are `nan`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.

    Examples
    --------
    >>> from stakes import Application
    >>> grid = level_sets("f1", priors=0.1, application=Application([[0, 1], [9, 0]]))
    >>> round(grid.iso_cost_slope, 4)
    1.0
    """
    prevalence = positive_share(priors, inside=True)
    resolution = as_whole(resolution, "resolution", least=2, most=2000)
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=application)
    rates = np.linspace(0, 1, resolution)
    fpr, tpr = np.meshgrid(rates, rates)
    tables = 1000 * rate_tables(prevalence, fpr, tpr)
    costs, slope = None, float("nan")
    if application is not None:
        app = as_application(application)
        if app.costs.shape != (2, 2):
            raise CostError(f"this needs two classes and two decisions; got {app.costs.shape}.")
        costs = (tables * app.costs.values).sum(axis=(2, 3)) / 1000
        (tn, fp), (fn, tp) = app.costs.values.tolist()
        miss = prevalence * (fn - tp)
        slope = (1 - prevalence) * (fp - tn) / miss if miss else float("inf")
    return LevelSets(
        counted.name, counted.higher_is_better, prevalence, rates, rates,
        counted.values(tables), costs, slope,
    )  # fmt: skip


def rate_tables(prevalence: float, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Two-class tables in shares of all cases from their rates."""
    n, p = 1 - prevalence, prevalence
    cells = np.stack([n * (1 - fpr), n * fpr, p * (1 - tpr), p * tpr], axis=-1)
    return np.asarray(cells.reshape(*fpr.shape, 2, 2))


def metric_cloud(
    metrics: Mapping[str, Any] | Sequence[Any], *, class_totals: tuple[int, int],
    applications: Mapping[str, Any] | None = None, steps: int = 20,
) -> Frame:  # fmt: skip
    """Metrics and normalised costs of every table on a grid of errors.

    The false positives and the false negatives run from 0 to all cases of their class in
    `steps` steps each. Plotting one column against another shows how far a metric follows
    a cost.

    Parameters
    ----------
    metrics : sequence or mapping
        Names, entries of the catalogue or functions; the keys of a mapping name columns.
    class_totals : tuple of two ints
        Cases of the first and of the second (positive) class.
    applications : mapping of str to Application or CostMatrix, optional
        Normalised expected costs to add, by column name.
    steps : int
        Points along each axis.

    Returns
    -------
    Frame
        One row per table: false_negatives, false_positives, then the columns asked for.

    References
    ----------
    .. [1] L. Ferrer, "Analysis and Comparison of Classification Metrics", 2022, figure 1.

    Examples
    --------
    >>> cloud = metric_cloud(["mcc", "f1"], class_totals=(500, 500))
    >>> cloud.shape
    (400, 4)
    """
    totals, steps = as_reals(class_totals, "class_totals"), as_whole(steps, "steps")
    if totals.shape != (2,):
        raise DataError(f"`class_totals` must be two numbers; got {in_brief(class_totals)}.")
    negatives, positives = totals.tolist()
    if not (0 < negatives < np.inf and 0 < positives < np.inf and steps >= 2):
        raise DataError("`class_totals` must be positive and finite, and `steps` at least 2.")
    if steps > _MOST_STEPS:
        raise DataError(
            f"`steps` is {steps}, and a cloud has steps x steps tables.",
            hint=f"steps={_MOST_STEPS} at most",
        )
    fp, fn = np.meshgrid(np.linspace(0, negatives, steps), np.linspace(0, positives, steps))
    cells = np.stack([negatives - fp, fp, fn, positives - fn], axis=-1).reshape(-1, 2, 2)
    named = (
        metrics
        if isinstance(metrics, Mapping)
        else {_name(m): m for m in of_kind(metrics, "metrics", Iterable)}
    )
    columns: dict[str, Any] = {"false_negatives": fn.ravel(), "false_positives": fp.ravel()}
    for name, metric in named.items():
        columns[name] = as_count_metric(metric).values(cells)
    given = {} if applications is None else of_kind(applications, "applications", Mapping)
    for name, application in given.items():
        if len(as_application(application).classes) != 2:
            raise CostError(f"a cloud is of two classes; {name!r} is not.")
        counted = as_count_metric("normalized_expected_cost", application=application)
        columns[name] = counted.values(cells)
    return Frame(columns)


def _name(metric: Any) -> str:
    """What a column of a metric is called."""
    if isinstance(metric, str):
        return metric
    return metric.label if isinstance(metric, Metric) else as_count_metric(metric).name
