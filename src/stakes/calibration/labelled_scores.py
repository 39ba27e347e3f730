"""Cases as calibrators read them: labels, scores and weights, checked once, and what each case
loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors, same_length
from stakes._columns import as_column, as_weights
from stakes._names import as_names, encode, listed, observed_names
from stakes.application import Application
from stakes.calibration.score_input import Scores, read_log_scores, read_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError, LabelError, PriorError
from stakes.metrics import BetaWeight
from stakes.posteriors.class_order import ClassOrder
from stakes.typing import FloatArray, IntArray, Name, Priors

__all__ = [
    "Aim",
    "Cases",
    "Scores",
    "case_losses",
    "group_numbers",
    "loss_name",
    "read_cases",
    "read_log_scores",
    "read_scores",
]


def _column_names(
    labels: NDArray[Any], size: int, classes: Sequence[Any] | None
) -> tuple[Name, ...]:
    """Names of the score columns: given, or positions, or the sorted labels."""
    if classes is not None:
        names = as_names(classes, "classes")
    elif labels.dtype.kind in "iub":
        names = tuple(range(size))
        _refuse_strange_positions(labels, size)
    else:
        names = observed_names(labels)
    if len(names) == 1 and classes is None:
        raise LabelError(
            f"`y_true` holds a single class, {listed(names)}; the scores are about {size} "
            f"({labels.size} cases).",
            hint="add cases of the others; if they are missing by design, name all: classes=[...]",
        )
    if len(names) != size:
        raise LabelError(
            f"there are {size} score columns but {len(names)} classes {listed(names)}.",
            hint="name the columns in order: classes=[...]",
        )
    return names


def _refuse_strange_positions(labels: NDArray[Any], size: int) -> None:
    """Raise when integers cannot be positions of the score columns; say how to name those."""
    if not labels.size or (int(labels.min()) >= 0 and int(labels.max()) < size):
        return
    rows = np.flatnonzero((labels < 0) | (labels >= size))
    found = observed_names(labels)
    order = f"[{listed(found)}]" if len(found) == size else "[...]"
    raise LabelError(
        f"`y_true` holds {listed(found)}, which are not all positions of the score columns, 0 to "
        f"{size - 1}; first at row {rows[0]} ({rows.size} of {len(labels)} rows).",
        hint=f"name the score columns in order: classes={order}, as in Affine(classes={order})",
        rows=rows[:10].tolist(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Scores with their true classes: what `fit` works on."""

    scores: Scores
    codes: IntArray
    sample_weight: FloatArray | None
    counts: FloatArray
    classes: tuple[Name, ...]
    priors: FloatArray
    given: bool
    groups: NDArray[Any] | None = None

    @property
    def weights(self) -> FloatArray:
        """Weight of each case."""
        return np.ones(len(self.codes)) if self.sample_weight is None else self.sample_weight

    @property
    def data_priors(self) -> FloatArray:
        """Class shares of the (weighted) cases."""
        return np.asarray(self.counts / self.counts.sum())

    def that_count(self) -> Cases:
        """Without cases of weight 0, which must not be the first, the last or in between."""
        if self.sample_weight is None or self.sample_weight.all():
            return self
        rows = np.flatnonzero(self.sample_weight)
        return replace(
            self,
            scores=self.scores.take(rows),
            codes=self.codes[rows],
            sample_weight=self.sample_weight[rows],
            groups=None if self.groups is None else self.groups[rows],
        )

    def prior_weights(self) -> FloatArray:
        """Case weights under which the classes have the target priors, of the same total."""
        if not self.given:
            return self.weights
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.where(self.counts > 0, self.priors / self.data_priors, 0.0)
        moved: FloatArray = self.weights * factors[self.codes]
        return moved

    def prior_offsets(self) -> FloatArray:
        """Log of target over data priors: what moves a log-posterior to the target priors."""
        if not self.given:
            return np.zeros(len(self.counts))
        self.need_all_classes("add cases of that class, or leave out the priors")
        return np.asarray(np.log(self.priors) - np.log(self.data_priors))

    def need_all_classes(self, hint: str) -> None:
        """Raise when a class has no case."""
        absent = [self.classes[i] for i in np.flatnonzero(self.counts == 0)]
        if absent:
            raise DataError(
                f"`y_true` has no case of class {listed(absent)}, so nothing can be learnt about "
                f"{'it' if len(absent) == 1 else 'them'} ({len(self.codes)} cases).",
                hint=hint,
            )


def read_cases(
    scores: Any,
    y_true: Any,
    *,
    sample_weight: Any = None,
    classes: Sequence[Any] | None = None,
    priors: Priors | None = None,
    groups: Any = None,
    order: ClassOrder | None = None,
) -> Cases:
    """Check scores and labels against each other.

    Scores with names are put in the order of the classes; those without are read in it, unless
    the classes are those of costs: then `order` says what is known of the columns.
    """
    read = scores if isinstance(scores, Scores) else read_scores(scores)
    labels = as_column(y_true, "y_true")
    same_length("scores", len(read), "y_true", len(labels))
    if not len(labels):
        raise DataError("`y_true` must hold at least one case; got none.")
    names = _column_names(labels, read.size, read.names if classes is None else classes)
    read = read.in_order(names, order)
    codes = encode(labels, names, "y_true").astype(np.intp, copy=False)
    given = as_weights(sample_weight, len(codes))
    counts = _class_totals(codes, given, read.size)
    if priors is None:
        shares = counts / counts.sum()
    else:
        shares = as_priors(priors, names)
        if (shares <= 0).any():
            raise PriorError(f"`priors` must be positive; got {shares.tolist()}.")
    kept = None if groups is None else as_column(groups, "groups")
    if kept is not None:
        same_length("groups", len(kept), "y_true", len(labels))
    return Cases(read, codes, given, counts, names, shares, priors is not None, kept)


def group_numbers(groups: NDArray[Any]) -> IntArray:
    """Number of each case's group, from 0: sorted, or as they come where kinds are mixed."""
    try:
        return np.asarray(np.unique(groups, return_inverse=True)[1].reshape(-1), dtype=np.intp)
    except TypeError:
        seen: dict[Any, int] = {}
    try:
        return np.array([seen.setdefault(name, len(seen)) for name in groups], dtype=np.intp)
    except TypeError:
        raise DataError(
            "`groups` must hold names or numbers; got what cannot be told apart."
        ) from None


def _class_totals(codes: IntArray, weights: FloatArray | None, size: int) -> FloatArray:
    """(Weighted) number of cases of each class."""
    if weights is None and size == 2:
        second = int(np.count_nonzero(codes))
        return np.array([len(codes) - second, second], dtype=np.float64)
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64)


#: What posteriors are judged by: a proper score, or the cost of an application.
Aim: TypeAlias = str | BetaWeight | Application

_SCORES = {"cross_entropy": "cross-entropy", "brier": "Brier score"}


def case_losses(log_posteriors: FloatArray, codes: IntArray, by: Aim) -> FloatArray:
    """Loss of each case: minus the log-posterior of its class, squared error, or cost."""
    index = np.arange(len(codes))
    loss_name(by, size=log_posteriors.shape[1])
    if isinstance(by, Application):
        decisions = bayes_decisions(np.exp(log_posteriors), by.costs.values)
        costs: FloatArray = by.costs.values[codes, decisions]
        return costs
    if isinstance(by, BetaWeight):
        of_first, of_second = by.losses(log_posteriors[:, 1] - log_posteriors[:, 0])
        return np.where(codes == 1, of_second, of_first)
    if by == "cross_entropy":
        return -log_posteriors[index, codes]
    posteriors = np.exp(log_posteriors)
    own: FloatArray = posteriors[index, codes]
    squares: FloatArray = np.einsum("ij,ij->i", posteriors, posteriors)
    return squares - 2.0 * own + 1.0


def loss_name(by: Aim, *, size: int | None = None) -> str:
    """The loss in words; raises when it is not one, or not for so many classes."""
    if isinstance(by, Application):
        return "cost"
    if isinstance(by, BetaWeight):
        if size is not None and size != 2:
            raise DataError(
                f"`by` is {by!r}, a proper score of two classes; there are {size}.",
                hint="by='cross_entropy', by='brier' or an Application",
            )
        by.losses(np.zeros(1))
        return "average cost"
    given: Any = by
    if not isinstance(given, str) or given not in _SCORES:
        raise DataError(
            "`by` must be an Application, a proper score of two classes such as "
            f"stakes.metrics.BetaWeight(2, 2), or one of {', '.join(map(repr, _SCORES))}; "
            f"got {by!r}."
        )
    return _SCORES[by]
