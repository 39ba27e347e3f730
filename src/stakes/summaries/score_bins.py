"""ScoreBins: scores in fixed bins with exact edges, for any number of cases in fixed memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_counts, as_number, as_whole, keep
from stakes._columns import as_array, as_floats, as_reals
from stakes._kernels.label_runs import Runs, rounded_down, stretch_sums
from stakes._names import as_names
from stakes.exceptions import DataError, MergeError, UndefinedError
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores, ScoreKind, made_for
from stakes.typing import FloatArray, Name


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBins(RankedScores):
    """(Weighted) cases of two classes in bins of the score, exact at the edges.

    The form of `ScoreCounts` whose size does not grow with the data: costs at a threshold
    that is an edge are exact, rank statistics have bounds (`stakes.metrics.score_bounds`).
    A bin holds the scores above one edge up to and including the next; the first and the
    last are open. Summaries with the same edges add with ``+``.

    Parameters
    ----------
    edges : array of float, ascending
        One fewer than there are bins. Include every threshold that will be needed.
    counts : array of shape (n_bins, 2)
        Cases (or weight) of each class in each bin.
    lowest, highest : array of shape (n_bins,)
        Extremes of the scores in each bin; NaN where it is empty.
    classes, kind, from_priors
        As in `ScoreCounts`.

    Examples
    --------
    >>> from stakes.summaries import ScoreCounts
    >>> parts = [ScoreCounts.from_scores([0, 1], [s, s + 1], kind="llr") for s in (-1.0, 0.5)]
    >>> bins = parts[0].binned([0.0, 1.0]) + parts[1].binned([0.0, 1.0])
    >>> bins
    ScoreBins(4 cases in 3 bins, 2 of 1, kind 'llr')
    >>> print(bins.frame())
    above  up_to  negatives  positives  lowest  highest
    -inf   0      1          1          -1      0
    0      1      1          0          0.5     0.5
    1      inf    0          1          1.5     1.5
    """

    edges: FloatArray
    counts: NDArray[Any]
    lowest: FloatArray
    highest: FloatArray
    classes: tuple[Name, ...] = (0, 1)
    kind: ScoreKind = "llr"
    from_priors: Any = None

    def __post_init__(self) -> None:
        keep(self, edges=as_edges(self.edges), counts=as_counts(self.counts, "counts"))
        for name in ("lowest", "highest"):
            keep(self, **{name: as_array(getattr(self, name), name).copy()})
        n_bins = self.edges.shape[0] + 1
        shapes = self.counts.shape, self.lowest.shape, self.highest.shape
        if shapes != ((n_bins, 2), (n_bins,), (n_bins,)):
            raise DataError(f"{n_bins - 1} edges make {n_bins} bins; got arrays of {shapes}.")
        if not self.counts.sum() > 0:
            raise DataError("`counts` must not be all zero.")
        keep(self, classes=as_names(self.classes, "classes"))
        keep(self, from_priors=made_for(self.from_priors, self.classes, self.kind))

    @classmethod
    def from_scores(cls, y_true: Any, scores: Any, *, edges: Any, **options: Any) -> ScoreBins:
        """Count scores in bins; `options` are those of `ScoreCounts.from_scores`.

        Examples
        --------
        >>> ScoreBins.from_scores([0, 1, 1], [0.1, 0.2, 1.0], edges=[0.5], kind="llr").counts
        array([[1, 1],
               [0, 1]])
        """
        from stakes.summaries.score_counts import ScoreCounts

        return ScoreCounts.from_scores(y_true, scores, **options).binned(edges)

    @classmethod
    def from_sorted(
        cls,
        negatives: tuple[NDArray[Any], NDArray[Any] | None],
        positives: tuple[NDArray[Any], NDArray[Any] | None],
        *,
        edges: Any,
        like: RankedScores,
    ) -> ScoreBins:
        """Count sorted scores, with their counts, of each class; see `ScoreCounts.binned`."""
        ends = as_edges(edges)
        columns, extremes = [], np.full((2, 2, len(ends) + 1), np.nan)
        for k, (scores, counts) in enumerate((negatives, positives)):
            inner = np.searchsorted(scores, rounded_down(ends, scores.dtype), side="right")
            at = np.concatenate(([0], inner, [len(scores)]))
            columns.append(stretch_sums(counts, at))
            filled = at[1:] > at[:-1]
            extremes[0, k, filled] = scores[at[:-1][filled]]
            extremes[1, k, filled] = scores[at[1:][filled] - 1]
        low, high = np.fmin(*extremes[0]), np.fmax(*extremes[1])
        return cls(ends, np.stack(columns, axis=1), low, high, *like._described)

    @cached_property
    def runs(self) -> Runs:
        """The bins that hold cases."""
        filled = self.counts.sum(axis=1) > 0
        first, second = self.counts[filled, 0], self.counts[filled, 1]
        return Runs(first, second, self.lowest[filled], self.highest[filled])

    @cached_property
    def levels(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The distinct scores with their cases, if no bin holds more than one score."""
        if not self.exact.all():
            raise UndefinedError(
                "this needs every distinct score, and bins have merged some of them.",
                hint="keep ScoreCounts, or give an edge to every score",
            )
        return self.runs.lowest, self.runs.negatives, self.runs.positives

    @cached_property
    def finest(self) -> tuple[FloatArray, NDArray[Any], NDArray[Any]]:
        """Every possible cut, which is between bins: threshold, and cases below by class."""
        return self.cuts, *self.cumulated

    @property
    def _finest_counts(self) -> Sequence[NDArray[Any]]:
        return self.runs[:2]

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Which of the `runs` hold a single score, so that binning loses nothing there."""
        return np.asarray(self.runs.lowest == self.runs.highest)

    @property
    def _columns(self) -> tuple[tuple[int, NDArray[Any] | None], ...]:
        return tuple((part.shape[0], part) for part in self.runs[:2])

    def _type_for(self, thresholds: FloatArray) -> str:
        """float32 if all scores fit it and a score equals a threshold rounded to it."""
        known = self.highest[np.isfinite(self.highest)]
        narrow = np.asarray(thresholds).astype(np.float32)
        single = np.isin(narrow.astype(np.float64), known).any()
        return "float32" if single and (known == known.astype(np.float32)).all() else "float64"

    def _places(self, threshold: float, or_equal: bool) -> tuple[int, int]:
        low, high = self.runs.lowest, self.runs.highest
        if or_equal:
            inside, above = (low < threshold) & (threshold <= high), low >= threshold
        else:
            inside, above = (low <= threshold) & (threshold < high), low > threshold
        if inside.any():
            k = int(np.flatnonzero(inside)[0])
            raise UndefinedError(
                f"threshold {threshold!r} cuts the bin of scores {low[k]:g} to {high[k]:g}, so "
                "the counts above it are unknown.",
                hint="put every threshold that will be asked for among the edges",
            )
        place = low.shape[0] - int(np.count_nonzero(above))
        return place, place

    def __add__(self, other: object) -> ScoreBins:
        if not isinstance(other, ScoreBins):
            return NotImplemented
        self.refuse_other(other)
        if not np.array_equal(self.edges, other.edges):
            raise MergeError(
                "binned scores must have the same edges to be added; got "
                f"{self.edges.shape[0]} and {other.edges.shape[0]} edges that differ."
            )
        low, high = np.fmin(self.lowest, other.lowest), np.fmax(self.highest, other.highest)
        return ScoreBins(self.edges, self.counts + other.counts, low, high, *self._described)

    def frame(self) -> Frame:
        """One row per bin: its edges, the cases of each class, and the extreme scores."""
        return Frame(
            {
                "above": np.concatenate(([-np.inf], self.edges)),
                "up_to": np.concatenate((self.edges, [np.inf])),
                "negatives": self.counts[:, 0],
                "positives": self.counts[:, 1],
                "lowest": self.lowest,
                "highest": self.highest,
            }
        )

    def __repr__(self) -> str:
        return (
            f"ScoreBins({self.total:g} cases in {self.counts.shape[0]} bins, "
            f"{self.class_totals[1]:g} of {self.classes[1]!r}, kind {self.kind!r})"
        )


def as_edges(edges: Any, name: str = "edges") -> FloatArray:
    """Bin edges: ascending, distinct, without NaN."""
    ends = as_reals(edges, name)
    if ends.ndim != 1 or not (ends[1:] > ends[:-1]).all() or np.isnan(ends).any():
        raise DataError(
            f"`{name}` must be one-dimensional, ascending and distinct, without NaN.",
            hint=f"np.unique({name})",
        )
    return ends


def score_edges(
    sample: Any = None, *, thresholds: Any = (), bins: int = 2**16, limit: float = 20.0
) -> FloatArray:
    """Edges for `ScoreBins`: fine bins, and every threshold that will be needed.

    Parameters
    ----------
    sample : column, optional
        Some of the scores; bins then hold about equally many of them, which suits scores
        that cluster. Without it, bins of equal width from -`limit` to `limit`.
    thresholds : array-like, optional
        Where costs must be exact, e.g. ``[app.llr_threshold]``.
    bins : int
        Approximate number of bins.
    limit : float
        Range of the bins of equal width.

    Returns
    -------
    ndarray
        Ascending and distinct.

    Notes
    -----
    `stakes.metrics.score_bounds` shows whether the bins are fine enough.

    Examples
    --------
    >>> score_edges(thresholds=[0.3], bins=5, limit=1.0)
    array([-1. , -0.5,  0. ,  0.3,  0.5,  1. ])
    >>> score_edges([1.0, 2.0, 2.0, 9.0], bins=3)
    array([1., 2., 9.])
    """
    bins, limit = as_whole(bins, "bins"), as_number(limit, "limit")
    if bins < 2 or not 0 < limit < np.inf:
        raise DataError(f"`bins` must be at least 2 and `limit` positive; got {bins!r}, {limit!r}.")
    if sample is None:
        grid = np.linspace(-limit, limit, bins)
    else:
        values = np.sort(as_floats(sample, "sample").astype(np.float64))
        if not values.size:
            raise DataError("`sample` must not be empty.")
        grid = values[np.linspace(0, values.size - 1, bins).round().astype(np.intp)]
    exact = as_reals(thresholds, "thresholds").reshape(-1)
    return as_edges(np.unique(np.concatenate((grid, exact))))
