"""ScoreCounts: exact counts by class at each distinct score; for many classes, in pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_counts, keep, same_length
from stakes._columns import (
    as_array,
    as_column,
    as_floats,
    refuse_other_order,
    refuse_rows,
    weighed_rows,
)
from stakes._guesses import answers_guesses
from stakes._kernels import roc_hull as scores_compiled
from stakes._kernels.bayes_rule import TYPES
from stakes._kernels.label_runs import (
    Runs,
    compressed,
    distinct_scores,
    merged_scores,
    rounded_down,
    split_classes,
)
from stakes._kernels.roc_hull import cumulative
from stakes._names import as_names, encode, listed, need_second, observed_names
from stakes.exceptions import DataError, LabelError
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import in_class_order
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores, ScoreKind, made_for
from stakes.summaries.score_bins import ScoreBins
from stakes.typing import FloatArray, Name, Priors


def _second_class_of(
    y_true: Any, classes: Sequence[Any] | None
) -> tuple[NDArray[np.bool_], tuple[Name, ...]]:
    """Which cases are of the second class, and the names of both."""
    column = as_column(y_true, "y_true")
    if classes is not None:
        names = as_names(classes, "classes")
    elif column.dtype == bool:
        return column, (False, True)
    elif column.dtype.kind in "iuf" and column.size and column.min() >= 0 and column.max() <= 1:
        names = (0, 1)
    else:
        names = observed_names(column)
        need_second(names)
    if len(names) != 2:
        raise LabelError(
            f"`y_true` must have two classes; got {len(names)}: {listed(names)}.",
            hint="give both: classes=['no', 'yes'], the one that high scores speak for second; "
            "for more classes see stakes.summaries.one_vs_rest",
        )
    codes = encode(column, names, "y_true")
    return codes.view(np.bool_) if codes.dtype.itemsize == 1 else codes != 0, names


_Side = tuple[NDArray[np.floating[Any]], NDArray[Any] | None]


# docs/design/thresholds.md says why scores are kept sorted, class by class.
@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts(RankedScores):
    """(Weighted) cases of two classes at each distinct score.

    It holds all that metrics and curves of binary scores need, without the rows: ROC and its
    relatives, costs, AUC, Cllr, isotonic regression. Summaries of parts add with ``+``.
    Higher scores mean the second class. Build it with `from_scores`.

    Parameters
    ----------
    negatives, positives : array of float
        Scores of the first and of the second class, ascending.
    negative_counts, positive_counts : array, optional
        Cases (or weight) at each of these scores; without them each counts once.
    classes : pair of names
        The two classes.
    kind : {"llr", "log_odds", "posterior", "rank"}
        What a score means; with "rank", only its order.
    from_priors : float or pair, optional
        Share of the second class, or of both, that log-odds or posterior scores were made for.
        Without it they are taken as they are, whatever the priors of an application.

    Notes
    -----
    Without weights, building it sorts each class by value, which is quicker than sorting
    the cases by index, and merges the two when they are first asked for. Scores keep their
    float32 or float64 type; infinite scores are allowed, NaN is refused.

    Examples
    --------
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-1.5, 0.0, 0.0, 2.0], kind="llr")
    >>> sc
    ScoreCounts(4 cases, 2 of 1, kind 'llr')
    >>> print(sc.frame())
    score  negatives  positives
    -1.5   1          0
    0      1          1
    2      0          1
    >>> (sc + sc).total
    8.0
    """

    negatives: NDArray[np.floating[Any]]
    positives: NDArray[np.floating[Any]]
    negative_counts: NDArray[Any] | None = None
    positive_counts: NDArray[Any] | None = None
    classes: tuple[Name, ...] = (0, 1)
    kind: ScoreKind = "llr"
    from_priors: Any = None

    def __post_init__(self) -> None:
        for name, of in (("negatives", "negative_counts"), ("positives", "positive_counts")):
            scores, counts = as_array(getattr(self, name), name).copy(), getattr(self, of)
            if scores.ndim != 1:
                raise DataError(f"`{name}` must be a column; got shape {scores.shape}.")
            ascending = scores.dtype.kind == "f" and (scores[1:] >= scores[:-1]).all()
            if not ascending or np.isnan(scores[:1]).any():
                raise DataError(
                    f"`{name}` must be floats in ascending order, without NaN.",
                    hint='of cases: ScoreCounts.from_scores(y_true, scores, kind="posterior")',
                )
            if counts is not None:
                counts = as_counts(counts, of)
                if counts.shape != scores.shape:
                    raise DataError(f"`{of}` must have the shape of `{name}`.")
                if not (counts > 0).all():
                    raise DataError(f"`{of}` must be positive.")
            keep(self, **{name: scores, of: counts})
        if self.negatives.size + self.positives.size == 0:
            raise DataError("`scores` must not be empty.")
        keep(self, classes=as_names(self.classes, "classes"))
        keep(self, from_priors=made_for(self.from_priors, self.classes, self.kind))

    @classmethod
    @answers_guesses
    def from_scores(
        cls,
        y_true: Any,
        scores: Any,
        *,
        kind: ScoreKind = "rank",
        classes: Sequence[Any] | None = None,
        from_priors: Priors | None = None,
        sample_weight: Any = None,
        counts: Any = None,
    ) -> ScoreCounts:
        """Count the scores of each class.

        Parameters
        ----------
        y_true : column
            True classes: 0 and 1, booleans, or two names.
        scores : column
            One score per case, float32 or float64 (other numbers become float64); higher
            means the second class. Infinite scores are allowed.
        kind : {"llr", "log_odds", "posterior", "rank"}
            What a score means. It is never guessed; by default only the order is meaningful.
        classes : pair of names, optional
            The two classes; high scores mean the second. By default 0 and 1, or a usual pair such
            as no and yes; other words must be given in order.
        from_priors : float or pair, optional
            Share of the second class, or of both, that log-odds or posterior scores were made for.
        sample_weight : column, optional
            Weight of each case, not negative.
        counts : column, optional
            How many identical cases each row stands for, instead of repeating it.

        Examples
        --------
        >>> ScoreCounts.from_scores(["no", "yes", "yes"], [0.2, 0.7, 0.7], kind="posterior")
        ScoreCounts(3 cases, 2 of 'yes', kind 'posterior')
        """
        weighing = {"sample_weight": sample_weight, "counts": counts}
        refuse_other_order(y_true, {"scores": scores, **weighing})
        given = as_floats(scores, "scores")
        if given.shape[0] == 0:
            raise DataError("`scores` must not be empty.")
        truth = as_column(y_true, "y_true")
        same_length("y_true", truth.shape[0], "scores", given.shape[0])
        weights, (truth, given) = weighed_rows(counts, sample_weight, truth, given)
        positive, names = _second_class_of(truth, classes)
        share = made_for(from_priors, names, kind)
        if kind == "posterior" and not (given.min() >= 0 and given.max() <= 1):
            must = "`scores` of kind 'posterior' must lie between 0 and 1"
            hint = "log odds (logits): kind='log_odds'; log-likelihood ratios: kind='llr'; "
            hint += "only the order means something: kind='rank'"
            refuse_rows((given < 0) | (given > 1), must, "is {:g}", given, hint=hint)
        sides: Iterable[_Side]
        if weights is None:
            sides = map(compressed, split_classes(given, positive))
        else:
            sides = (merged_scores(given[of], weights[of]) for of in (~positive, positive))
        return cls._of_sides(sides, names, kind, share)

    @classmethod
    def _of_sides(cls, sides: Iterable[_Side], *described: Any) -> ScoreCounts:
        """Make it from the sorted scores of both classes, each with its counts."""
        scores, counts = zip(*sides, strict=True)
        return cls._trusted(*scores, *counts, *described)

    @classmethod
    def _trusted(cls, *parts: Any) -> ScoreCounts:
        """Make it without checks, from parts that were sorted here."""
        made = object.__new__(cls)
        keep(made, **{field.name: part for field, part in zip(fields(cls), parts, strict=True)})
        return made

    # ------------------------------------------------------------- reading it

    @property
    def _sides(self) -> tuple[_Side, _Side]:
        """Scores and counts of the first and of the second class."""
        return ((self.negatives, self.negative_counts), (self.positives, self.positive_counts))

    @cached_property
    def runs(self) -> Runs:
        """Cases by class in each stretch of scores of one class, or at one shared score."""
        return scores_compiled.runs(
            self.negatives, self.positives, self.negative_counts, self.positive_counts
        )

    @cached_property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of cases of each class."""
        found = [len(scores) if counts is None else counts.sum() for scores, counts in self._sides]
        return np.array(found, dtype=np.float64)

    @cached_property
    def levels(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The distinct scores, ascending, with the cases of each class at each of them."""
        return distinct_scores(
            self.negatives, self.positives, self.negative_counts, self.positive_counts
        )

    def _type_for(self, thresholds: FloatArray) -> str:
        """The type of the scores."""
        name = np.result_type(self.negatives, self.positives).name
        return name if name in TYPES else "float64"

    @property
    def scores(self) -> NDArray[np.floating[Any]]:
        """The distinct scores, ascending."""
        return self.levels[0]

    @property
    def counts(self) -> NDArray[Any]:
        """Cases at each distinct score, one column per class."""
        return np.stack(self.levels[1:], axis=1)

    @property
    def _columns(self) -> tuple[tuple[int, NDArray[Any] | None], ...]:
        return tuple((scores.shape[0], counts) for scores, counts in self._sides)

    def _places(self, threshold: float, or_equal: bool) -> tuple[int, int]:
        limit = np.array([-threshold if or_equal else threshold], dtype=np.float64)
        found = []
        for scores, _ in self._sides:
            key = rounded_down(limit, scores.dtype)
            key, side = (-key, "left") if or_equal else (key, "right")
            found.append(int(np.searchsorted(scores, key, side=side)[0]))  # type: ignore[call-overload]
        return found[0], found[1]

    def counts_beside_each(self, thresholds: FloatArray) -> FloatArray:
        """Tables of each class (rows) not above and above each of many thresholds: (n, 2, 2)."""
        found = np.empty((thresholds.shape[0], 2, 2))
        for k, (scores, counts) in enumerate(self._sides):
            at = np.searchsorted(scores, rounded_down(thresholds, scores.dtype), side="right")
            if counts is None:
                found[:, k, 0], found[:, k, 1] = at, scores.shape[0] - at
            else:
                found[:, k, 0] = cumulative(counts)[at]
                found[:, k, 1] = cumulative(counts[::-1])[::-1][at]
        return found

    def binned(self, edges: Any) -> ScoreBins:
        """The same cases in bins: fixed size, exact at the edges. See `ScoreBins`.

        Examples
        --------
        >>> sc = ScoreCounts.from_scores([0, 1, 1], [0.1, 0.2, 1.0], kind="llr")
        >>> sc.binned([0.0, 0.5]).counts
        array([[0, 0],
               [1, 1],
               [0, 1]])
        """
        return ScoreBins.from_sorted(*self._sides, edges=edges, like=self)

    # ------------------------------------------------------------- merging and comparing

    def __add__(self, other: object) -> ScoreCounts:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        self.refuse_other(other)
        sides = map(_merged, self._sides, other._sides)
        return ScoreCounts._of_sides(sides, *self._described)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        levels = zip(self.levels, other.levels, strict=True)
        return self._described == other._described and all(np.array_equal(*each) for each in levels)

    __hash__ = None  # type: ignore[assignment]

    def frame(self) -> Frame:
        """One row per distinct score: score, negatives, positives."""
        scores, negatives, positives = self.levels
        return Frame({"score": scores, "negatives": negatives, "positives": positives})

    def __repr__(self) -> str:
        second = f"{self.class_totals[1]:g} of {self.classes[1]!r}"
        return f"ScoreCounts({self.total:g} cases, {second}, kind {self.kind!r})"


def _merged(*parts: _Side) -> _Side:
    """The scores of one class in two summaries, merged."""
    scores = np.concatenate([scores for scores, _ in parts])
    if all(counts is None for _, counts in parts):
        return compressed(np.sort(scores))
    whole = [np.ones(len(s), np.int64) if c is None else c for s, c in parts]
    merged, summed = merged_scores(scores, np.concatenate(whole))
    return merged, as_counts(summed, "counts")


def one_vs_rest(
    y_true: Any,
    posteriors: Any,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
    counts: Any = None,
) -> dict[Name, ScoreCounts]:
    """Scores of each class against all others.

    The score is the log odds of the class: its log posterior minus that of all others
    together.

    Parameters
    ----------
    y_true : column
        True classes: names, or positions.
    posteriors : Posteriors or array of shape (n_cases, n_classes)
        One column per class.
    classes : sequence of names, optional
        The columns; default, those of `posteriors`, or 0, 1, ...
    sample_weight : column, optional
        Weight of each case.
    counts : column, optional
        How many identical cases each row stands for, instead of repeating it.

    Returns
    -------
    dict of ScoreCounts
        By class; kind "log_odds", the class itself second (``True``).

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.7.

    Examples
    --------
    >>> q = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    >>> one_vs_rest(["a", "b", "c"], q, classes=["a", "b", "c"])["b"]
    ScoreCounts(3 cases, 1 of True, kind 'log_odds')
    """
    codes, log_values, names = _coded(y_true, posteriors, classes)
    found: dict[Name, ScoreCounts] = {}
    for k, name in enumerate(names):
        rest = np.delete(log_values, k, axis=1)
        top = rest.max(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            total = np.where(np.isneginf(top), 0, np.exp(rest - top)).sum(axis=1)
            others = np.where(np.isneginf(top[:, 0]), -np.inf, top[:, 0] + np.log(total))
            log_odds = log_values[:, k] - others
        found[name] = ScoreCounts.from_scores(
            codes == k, log_odds, kind="log_odds", sample_weight=sample_weight, counts=counts
        )
    return found


def pairwise(
    y_true: Any,
    posteriors: Any,
    *,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
    counts: Any = None,
) -> dict[tuple[Name, Name], ScoreCounts]:
    """Scores of each pair of classes, on the cases of these two alone.

    The score is the difference of the two log posteriors.

    Parameters
    ----------
    y_true, posteriors, classes, sample_weight, counts
        As in `one_vs_rest`.

    Returns
    -------
    dict of ScoreCounts
        By pair; kind "log_odds", the later class second. Pairs without cases are left out.

    References
    ----------
    .. [1] D. J. Hand and R. J. Till, "A simple generalisation of the area under the ROC
       curve for multiple class classification problems", Machine Learning 45, 2001.

    Examples
    --------
    >>> q = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    >>> pairwise(["a", "b", "c"], q, classes=["a", "b", "c"])["a", "c"]
    ScoreCounts(2 cases, 1 of 'c', kind 'log_odds')
    """
    codes, log_values, names = _coded(y_true, posteriors, classes)
    weights, (codes, log_values) = weighed_rows(counts, sample_weight, codes, log_values)
    named = "sample_weight" if counts is None else "counts"
    found: dict[tuple[Name, Name], ScoreCounts] = {}
    for i, j in combinations(range(len(names)), 2):
        rows = (codes == i) | (codes == j)
        if not rows.any():
            continue
        with np.errstate(invalid="ignore"):
            log_odds = log_values[rows, j] - log_values[rows, i]
        log_odds[np.isnan(log_odds)] = 0.0  # both impossible: no preference
        positions = isinstance(names[i], int) or isinstance(names[j], int)
        found[names[i], names[j]] = ScoreCounts.from_scores(
            (codes[rows] == j).astype(np.int64),
            log_odds,
            kind="log_odds",
            classes=None if positions else (names[i], names[j]),
            **{named: None if weights is None else weights[rows]},
        )
    return found


def _coded(
    y_true: Any, posteriors: Any, classes: Sequence[Any] | None
) -> tuple[np.ndarray, FloatArray, tuple[Name, ...]]:
    """Class positions, log posteriors, and the names of the classes."""
    refuse_other_order(y_true, {"posteriors": posteriors})
    if not isinstance(posteriors, Posteriors):
        posteriors = Posteriors(posteriors, classes=classes)
    elif classes is not None:
        posteriors = in_class_order(posteriors, as_names(classes, "classes"), ClassOrder(classes))
    log_values = np.asarray(posteriors.log_values, dtype=np.float64)
    names = as_names(posteriors.classes if classes is None else classes, "classes")
    codes = np.asarray(encode(y_true, names, "y_true"))
    same_length("y_true", codes.shape[0], "posteriors", log_values.shape[0])
    return codes, log_values, names
