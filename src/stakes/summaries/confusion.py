"""ConfusionMatrix: cases by true class and decision, which determine the cost of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_counts, as_matrix, as_priors, keep, refuse_absent, same_length
from stakes._columns import as_column, refuse_other_order, weighed_rows
from stakes._guesses import answers_guesses
from stakes._kernels.cell_counts import count_pairs, sum_weights
from stakes._names import (
    as_names,
    cell_names,
    encode,
    listed,
    observed_names,
    positional,
    table_names,
    unclear_second,
)
from stakes.exceptions import DataError, MergeError
from stakes.posteriors import Posteriors
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores
from stakes.summaries.storable import Storable, alike
from stakes.typing import FloatArray, Name, Priors


def refuse_undecided(counts: Any) -> None:
    """Raise for summaries of scores and the like; the hint says how to get a table of decisions."""
    if isinstance(counts, RankedScores):
        raise DataError(
            f"this needs a table of decisions; got scores, before any decision: {counts!r}.",
            hint="decide first: stakes.metrics.at_bayes_threshold(scores, application).confusion",
        )
    if isinstance(counts, Posteriors):
        raise DataError(
            f"this needs a table of decisions; got posteriors, before any decision: {counts!r}.",
            hint="decide first: ConfusionMatrix.from_decisions(y_true, "
            "bayes_decisions(posteriors, costs))",
        )
    if callable(getattr(counts, "confusion", None)):
        raise DataError(
            f"this needs the table of one system; got {counts!r}.",
            hint="name the system: counts.confusion(name)",
        )


@dataclass(frozen=True, eq=False, repr=False, init=False)
class ConfusionMatrix(Storable):
    """(Weighted) number of cases by true class (rows) and decision (columns).

    The table need not be square. Matrices of the same classes and decisions add with ``+``,
    so that batches, files and machines can be counted apart and merged.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_decisions)
        Cases, or sums of weights; not negative.
    classes, decisions : sequence of names, optional
        As in `CostMatrix`. Default: 0, 1, ...; the decisions of a square table are its classes.

    Examples
    --------
    >>> cm = ConfusionMatrix.from_decisions(["a", "a", "b"], ["a", "b", "b"])
    >>> cm.counts
    array([[1, 1],
           [0, 1]])
    >>> (cm + cm).total
    6.0
    >>> cm.rates
    array([[0.5, 0.5],
           [0. , 1. ]])
    """

    counts: NDArray[Any]
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]
    #: Whether two words are in alphabetical order because nothing said which one comes second.
    by_alphabet: ClassVar[bool] = False

    def __init__(
        self,
        counts: Any,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
    ) -> None:
        refuse_undecided(counts)
        hint = "rows are true classes, columns decisions; to count decisions of cases: "
        hint += "ConfusionMatrix.from_decisions(y_true, decisions)"
        table = as_counts(as_matrix(counts, "counts", hint), "counts")
        if table.size == 0:
            raise DataError(f"`counts` must not be empty; got shape {table.shape}.")
        rows, columns = table_names(table.shape, classes, decisions, DataError)
        keep(self, counts=table, classes=rows, decisions=columns)

    @classmethod
    @answers_guesses
    def from_decisions(
        cls,
        y_true: Any,
        decisions: Any,
        *,
        classes: Sequence[Any] | None = None,
        decision_names: Sequence[Any] | None = None,
        sample_weight: Any = None,
        counts: Any = None,
    ) -> ConfusionMatrix:
        """Count decisions against the truth.

        Parameters
        ----------
        y_true, decisions : columns of the same length
            Names, or integer positions when the names are not integers.
        classes, decision_names : sequence of names, optional
            Their order; names that do not occur are kept with zero cases. Without `classes`,
            both are the sorted values that occur in either column. With `classes` alone, the
            decisions are the classes followed by whatever else was decided.
        sample_weight : column, optional
            Weight of each case, not negative.
        counts : column, optional
            How many identical cases each row stands for, instead of repeating it.

        Examples
        --------
        >>> ConfusionMatrix.from_decisions(
        ...     ["cat", "dog"], ["cat", "ask"], classes=["cat", "dog"]).decisions
        ('cat', 'dog', 'ask')
        """
        weighing = {"sample_weight": sample_weight, "counts": counts}
        refuse_other_order(y_true, {"decisions": decisions, **weighing})
        truth, chosen = as_column(y_true, "y_true"), as_column(decisions, "decisions")
        same_length("y_true", truth.shape[0], "decisions", chosen.shape[0])
        if truth.shape[0] == 0 and classes is None:
            raise DataError("there are no cases and no names.", hint="give classes=[...]")
        weights, (truth, chosen) = weighed_rows(counts, sample_weight, truth, chosen)
        rows, columns = _occurring_names(truth, chosen, classes, decision_names)
        i = truth if positional(truth, rows) else encode(truth, rows, "y_true")
        j = chosen if positional(chosen, columns) else encode(chosen, columns, "decisions")
        table: NDArray[Any] | None
        if weights is None:
            table = count_pairs(i, j, len(rows), len(columns))
        else:
            wide = weights.astype(np.float64, copy=False)
            table = sum_weights(i, j, wide, len(rows), len(columns))
        if table is None:  # counting found positions out of range: name them
            encode(truth, rows, "y_true")
            encode(chosen, columns, "decisions")
        elif weights is not None:
            table = table.astype(weights.dtype, copy=False)
        return cls(table, rows, columns)._ordered(classes is None and unclear_second(rows))

    def _ordered(self, by_alphabet: bool) -> ConfusionMatrix:
        """The same table, with a mark if its classes were only sorted."""
        if by_alphabet:
            keep(self, by_alphabet=True)
        return self

    # ------------------------------------------------------------- reading it

    @property
    def total(self) -> float:
        """Number (or weight) of all cases."""
        return float(self.counts.sum())

    @property
    def class_totals(self) -> FloatArray:
        """Number (or weight) of cases of each class."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @property
    def decision_totals(self) -> FloatArray:
        """How often each decision was taken."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    @property
    def priors(self) -> FloatArray:
        """Share of each class in the data; `nan` when there are no cases."""
        total = self.total
        return self.class_totals / total if total else np.full(len(self.classes), np.nan)

    @property
    def rates(self) -> FloatArray:
        """Share of each decision within each class, R_ij; `nan` for a class without cases."""
        totals = self.class_totals[:, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(totals > 0, self.counts / totals, np.nan))

    def with_priors(self, priors: Priors) -> ConfusionMatrix:
        """The same rates with other class shares, scaled to the same number of cases.

        Examples
        --------
        >>> ConfusionMatrix([[8, 2], [1, 9]]).with_priors([0.9, 0.1]).counts
        array([[14.4,  3.6],
               [ 0.2,  1.8]])
        """
        shares = as_priors(priors, self.classes)
        refuse_absent(self.classes, shares, self.class_totals > 0, "the table")
        rates = np.nan_to_num(self.rates, nan=0.0)
        counts = self.total * shares[:, None] * rates
        moved = ConfusionMatrix(counts, classes=self.classes, decisions=self.decisions)
        return moved._ordered(self.by_alphabet)

    def __add__(self, other: object) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if (self.classes, self.decisions) != (other.classes, other.decisions):
            raise MergeError(
                "confusion matrices must have the same classes and decisions to be added; got "
                f"{listed(self.classes)} x {listed(self.decisions)} and "
                f"{listed(other.classes)} x {listed(other.decisions)}.",
                hint=alike("give classes= and decision_names= when counting each part"),
            )
        with np.errstate(over="ignore"):  # refused below
            counts = self.counts + other.counts
        whole = ConfusionMatrix(counts, self.classes, self.decisions)
        return whole._ordered(self.by_alphabet and other.by_alphabet)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return (self.classes, self.decisions) == (other.classes, other.decisions) and bool(
            np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((self.classes, self.decisions, self.counts.tobytes()))

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        raise DataError(
            "a confusion matrix has names, which an array loses.",
            hint="matrix.counts; with names matrix.frame().to_pandas()",
        )

    def frame(self) -> Frame:
        """One row per class and decision: truth, decision, count, rate."""
        cells = cell_names(self.classes, self.decisions)
        return Frame({**cells, "count": self.counts.ravel(), "rate": self.rates.ravel()})

    def __repr__(self) -> str:
        names = f"{listed(self.classes, 4)} x {listed(self.decisions, 4)}"
        return f"ConfusionMatrix({self.total:g} cases: {names})"

    def __str__(self) -> str:
        corner = "truth \\ decision"
        columns: dict[str, list[Any]] = {corner: [str(name) for name in self.classes]}
        for j, name in enumerate(self.decisions):
            columns[str(name)] = self.counts[:, j].tolist()
        columns["total"] = self.counts.sum(axis=1).tolist()
        return _aligned(columns)


def _aligned(columns: dict[str, list[Any]]) -> str:
    """Columns as text: the first aligned left, the others right."""
    padded = []
    for k, (name, values) in enumerate(columns.items()):
        cells = [name, *(f"{v:g}" if isinstance(v, float) else str(v) for v in values)]
        width = max(map(len, cells))
        padded.append([c.rjust(width) if k else c.ljust(width) for c in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))


def _occurring_names(
    truth: NDArray[Any],
    chosen: NDArray[Any],
    classes: Sequence[Any] | None,
    decision_names: Sequence[Any] | None,
) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
    """The rows and columns of the table when some names were not given."""
    if classes is not None:
        rows = as_names(classes, "classes")
    else:
        rows = observed_names(truth, *([chosen] if decision_names is None else []))
    if decision_names is not None:
        return rows, as_names(decision_names, "decision_names")
    positions = chosen.dtype.kind in "iub" and not any(isinstance(name, int) for name in rows)
    if classes is None or positions:
        return rows, rows
    extra = [name for name in observed_names(chosen) if name not in rows]
    return rows, (*rows, *extra)
