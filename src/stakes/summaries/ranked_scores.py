"""RankedScores: the common part of all summaries of binary scores, exact or in bins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, as_priors, as_switch, positive_share
from stakes._columns import as_reals, in_brief
from stakes._kernels import roc_hull as scores_compiled
from stakes._kernels.label_runs import Runs, stretch_sums
from stakes._kernels.roc_hull import cumulative
from stakes._names import as_names, listed, place_of
from stakes.exceptions import DataError, MergeError, PriorError, UndefinedError
from stakes.summaries.storable import Storable, alike
from stakes.typing import FloatArray, Name, Priors

ScoreKind = Literal["llr", "log_odds", "posterior", "rank"]


def made_for(
    priors: Priors | None, classes: tuple[Name, ...], kind: ScoreKind
) -> tuple[float, float] | None:
    """The class shares that log odds or posteriors were made for, checked with the kind."""
    checked_kind(kind)
    if len(as_names(classes, "classes")) != 2:
        raise DataError(f"`classes` must be two names; got {in_brief(classes)}.")
    if priors is None:
        return None
    if kind not in ("log_odds", "posterior"):
        raise PriorError(f"`from_priors` has no meaning for scores of kind {kind!r}.")
    positive_share(priors, "from_priors", classes, inside=True)
    first, second = as_priors(priors, classes, "from_priors").tolist()
    return first, second


class RankedScores(Storable):
    """Two classes ordered by score: counts that the metrics and curves of scores read.

    Subclasses provide the fields named here, `runs`, and `_places`.
    """

    classes: tuple[Name, ...]
    kind: ScoreKind
    from_priors: tuple[float, float] | None

    @cached_property
    def runs(self) -> Runs:
        """Cases by class in each stretch of scores that rank statistics need not divide."""
        raise NotImplementedError

    def _places(self, threshold: float, or_equal: bool) -> tuple[int, int]:
        """Number of entries of `_columns` below the threshold, in each class."""
        raise NotImplementedError

    @property
    def _columns(self) -> tuple[tuple[int, NDArray[Any] | None], ...]:
        """Of each class, the number of entries in ascending score, and their counts if not 1."""
        raise NotImplementedError

    @property
    def _described(self) -> tuple[tuple[Name, ...], ScoreKind, tuple[float, float] | None]:
        """The classes, the kind of scores, and the class shares that they were made for."""
        return self.classes, self.kind, self.from_priors

    def counts_between(self, cuts: Sequence[tuple[float, bool]]) -> FloatArray:
        """Cases of each class in each stretch between ascending cuts, shape (n_cuts + 1, 2).

        A cut is a threshold, and whether a score equal to it lies above.
        """
        if any(np.isnan(threshold) for threshold, _ in cuts):
            raise DataError("`threshold` must be a number; got nan.")
        places = np.array([self._places(*cut) for cut in cuts], dtype=np.intp).reshape(-1, 2)
        found = [
            stretch_sums(counts, np.concatenate(([0], places[:, k], [entries])))
            for k, (entries, counts) in enumerate(self._columns)
        ]
        return np.stack(found, axis=1).astype(np.float64)

    def counts_above(self, threshold: float, *, or_equal: bool = False) -> FloatArray:
        """Cases of each class with a score above the threshold (or equal to it).

        Examples
        --------
        >>> from stakes import ScoreCounts
        >>> ScoreCounts.from_scores([0, 1, 1], [0.0, 0.0, 1.0], kind="llr").counts_above(0.0)
        array([0., 1.])
        """
        cut = as_number(threshold, "threshold"), as_switch(or_equal, "or_equal")
        return np.asarray(self.counts_between([cut])[1])

    def counts_beside_each(self, thresholds: FloatArray) -> FloatArray:
        """Tables of each class (rows) not above and above each of many thresholds: (n, 2, 2)."""
        found = [self.counts_between([(float(t), False)]).T for t in thresholds]
        return np.array(found, dtype=np.float64).reshape(-1, 2, 2)

    def counts_above_each(self, thresholds: FloatArray) -> FloatArray:
        """Cases of each class above each of many thresholds, shape (n, 2)."""
        return self.counts_beside_each(thresholds)[:, :, 1]

    @cached_property
    def levels(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The distinct scores, ascending, with the cases of each class at each of them."""
        raise NotImplementedError

    def _type_for(self, thresholds: FloatArray) -> str:
        """The type of the scores, to which these thresholds are rounded."""
        raise NotImplementedError

    # ------------------------------------------------------------- totals

    @cached_property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of cases of each class."""
        return np.array([self.runs.negatives.sum(), self.runs.positives.sum()], dtype=np.float64)

    @property
    def total(self) -> float:
        """Number (or weight) of all cases."""
        return float(self.class_totals.sum())

    @property
    def priors(self) -> FloatArray:
        """Share of each class in the data."""
        return np.asarray(self.class_totals / self.total)

    # ------------------------------------------------------------- order

    @cached_property
    def cumulated(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Cases of each class at or below each cut: 0 first, the totals last."""
        return cumulative(self.runs.negatives), cumulative(self.runs.positives)

    @cached_property
    def cuts(self) -> FloatArray:
        """A threshold for each cut: -inf (act on all) first, inf (act on none) last."""
        return _cut_points(self.runs.lowest, self.runs.highest)

    def cuts_at(self, which: NDArray[np.intp]) -> FloatArray:
        """These of the `cuts`, without computing all."""
        lowest, highest = self.runs.lowest, self.runs.highest
        found = _halfway(highest.take(which - 1, mode="clip"), lowest.take(which, mode="clip"))
        found[which == 0] = -np.inf
        found[which == lowest.shape[0]] = np.inf
        return found

    @cached_property
    def finest(self) -> tuple[FloatArray, NDArray[Any], NDArray[Any]]:
        """Every possible cut, even inside runs: threshold, and cases of each class below."""
        scores, negatives, positives = self.levels
        return _cut_points(scores, scores), cumulative(negatives), cumulative(positives)

    @property
    def finest_tables(self) -> FloatArray:
        """Each class (rows) below and above every cut of `finest`, shape (n, 2, 2)."""
        columns = [(cumulative(n), cumulative(n[::-1])[::-1]) for n in self._finest_counts]
        return np.moveaxis(np.array(columns, dtype=np.float64), -1, 0)

    @property
    def _finest_counts(self) -> Sequence[NDArray[Any]]:
        """Cases of each class between the cuts of `finest`."""
        return self.levels[1:]

    @cached_property
    def hull(self) -> NDArray[np.intp]:
        """Which cuts are vertices of the ROC convex hull; between them lie the PAV blocks.

        Weights are summed from the end where a cut makes few errors: negatives above it, positives
        below it. The rounding error is then relative to the cost of the cut.
        """
        below_first, below_second = self.cumulated
        if below_first.dtype.kind == "f":
            below_first = -cumulative(self.runs.negatives[::-1])[::-1]
        return scores_compiled.hull(below_first, below_second)

    def blocks(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Cases of each class in each block of isotonic regression, ascending."""
        negatives, positives = self.runs[:2]
        return stretch_sums(negatives, self.hull), stretch_sums(positives, self.hull)

    # ------------------------------------------------------------- guards

    def require_both(self, what: str) -> None:
        """Raise unless there are cases of both classes."""
        absent = [n for n, t in zip(self.classes, self.class_totals, strict=True) if t == 0]
        if absent:
            raise UndefinedError(
                f"`{what}` needs cases of both classes; there is no case of {listed(absent)}."
            )

    def require_scale(self, what: str) -> None:
        """Raise if only the order of the scores is meaningful."""
        if self.kind == "rank":
            raise UndefinedError(
                f"`{what}` needs scores that mean something; these are of kind 'rank'.",
                hint="say what they are: kind='posterior', 'log_odds' or 'llr'; or calibrate them "
                "first (stakes.calibration)",
            )

    def _share_of_second(self, priors: Priors | None) -> float:
        """Share of the second class: as given, or that of the data."""
        if priors is None:
            return float(self.priors[1])
        return positive_share(priors, classes=self.classes, inside=True)

    def log_prior_odds(self) -> float:
        """Log odds that log-odds and posterior scores contain; 0 for LLRs."""
        if self.kind == "llr":
            return 0.0
        share = (self.from_priors or self.priors)[1]
        return float(np.log(share) - np.log1p(-share))

    def from_llrs(self, llrs: FloatArray) -> FloatArray:
        """Log-likelihood ratios in the units of the scores."""
        self.require_scale("a threshold on likelihood ratios")
        log_odds = as_reals(llrs, "llrs") + self.log_prior_odds()
        if self.kind != "posterior":
            return log_odds
        with np.errstate(over="ignore"):
            found = 1 / (1 + np.exp(-log_odds))
        # A score equal to a threshold, up to the rounding of logarithms, must not be above it.
        rounding = np.finfo(np.float64).eps * (4 + np.abs(log_odds).clip(max=1e3))
        return self._rounded(found * (1 + rounding))

    def _rounded(self, thresholds: FloatArray) -> FloatArray:
        """Thresholds on posteriors in the type of the scores; those below 1 stay below it."""
        kind = np.dtype(self._type_for(thresholds))
        narrow = thresholds.astype(kind)
        below_one = np.nextafter(kind.type(1), kind.type(0))
        return np.where(thresholds < 1, np.minimum(narrow, below_one), narrow).astype(np.float64)

    def shift_to(self, share: float) -> float:
        """What to add to the log odds of the scores for posteriors at a prior `share`."""
        if self.kind != "llr" and self.from_priors is None:
            return 0.0  # without `from_priors` scores are taken as they are
        return float(np.log(share) - np.log1p(-share)) - self.log_prior_odds()

    def refuse_other(self, other: RankedScores) -> None:
        """Raise unless the other summary describes the same thing."""
        if self._described != other._described:
            raise MergeError(
                "summaries of scores must have the same classes, kind and `from_priors` to be "
                f"added; got {self._described} and {other._described}.",
                hint=alike("give classes= when building each part"),
            )


def checked_kind(kind: Any) -> ScoreKind:
    """`kind` if it is one of the four."""
    if place_of(kind, get_args(ScoreKind)) is None:
        raise DataError(
            f"`kind` must be one of {listed(get_args(ScoreKind))}; got {in_brief(kind)}.",
            hint="use 'rank' when only the order of the scores means something",
        )
    return kind  # type: ignore[no-any-return]


def _cut_points(lowest: NDArray[Any], highest: NDArray[Any]) -> FloatArray:
    """Thresholds t that separate runs under the rule s > t: halfway, with infinite ends."""
    return np.concatenate(([-np.inf], _halfway(highest[:-1], lowest[1:]), [np.inf]))


def _halfway(highest: NDArray[Any], lowest: NDArray[Any]) -> FloatArray:
    """A threshold between each score and the next higher one; never the higher one itself."""
    below, above = highest.astype(np.float64), lowest.astype(np.float64)
    finite = np.isfinite(below) & np.isfinite(above)
    middle = below.copy()
    middle[finite] = below[finite] / 2 + above[finite] / 2
    middle = np.where(middle < above, np.maximum(middle, below), below)
    middle[np.isneginf(below)] = np.nextafter(-np.inf, 0)
    return middle


def require_scores(scores: Any, what: str) -> None:
    """Raise unless this is a summary of scores."""
    if not isinstance(scores, RankedScores):
        raise DataError(
            f"`{what}` needs a summary of scores; got {type(scores).__name__}.",
            hint=f"{what}(y_true, scores), or stakes.ScoreCounts.from_scores(y_true, scores)",
        )


def require_both(scores: Any, what: str) -> None:
    """Raise unless this is a summary of scores with cases of both classes."""
    require_scores(scores, what)
    scores.require_both(what)
