"""Cases as calibrators read them: labels, scores and weights, checked once, and cases called
impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors, same_length
from stakes._columns import as_column, as_weights
from stakes._kernels.class_scores import ClassScores, lay_out, median
from stakes._kernels.optimise.affine_fit import fit_scaling
from stakes._names import as_names, encode, listed, observed_names
from stakes.application import Application
from stakes.calibration.score_input import Scores, read_log_scores, read_scores, some_bound
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError, LabelError, PriorError
from stakes.messages.audience import either, named, row, setting
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
            f"{named('y_true')} holds a single class, {listed(names)}; the scores are about {size} "
            f"({labels.size} cases).",
            hint="add cases of the others"
            + either("; if they are missing by design, name all: classes=[...]", ""),
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
        f"{named('y_true')} holds {listed(found)}, which are not all positions of the score "
        f"columns, 0 to {size - 1}; first at {row(rows[0])} ({rows.size} of {len(labels)} rows).",
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

    def prior_shift(self) -> float:
        """The same for the log odds of the second of two classes."""
        first, second = self.prior_offsets()
        return float(second - first)

    def two_class_odds(self, hint: str = "two classes are needed") -> FloatArray:
        """Log odds of the second class; raises unless there are cases of two classes."""
        odds = self.scores.log_odds()
        self.need_all_classes(hint)
        return odds

    def need_all_classes(self, hint: str) -> None:
        """Raise when a class has no case."""
        absent = [self.classes[i] for i in np.flatnonzero(self.counts == 0)]
        if absent:
            raise DataError(
                f"{named('y_true')} has no case of class {listed(absent)}, so nothing can be "
                f"learnt about {'it' if len(absent) == 1 else 'them'} ({len(self.codes)} cases).",
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
        raise DataError(f"{named('y_true')} must hold at least one case; got none.")
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
            f"{named('groups')} must hold names or numbers; got what cannot be told apart."
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


#: Minus the log of a posterior that is 0 for all purposes: below 1e-300.
IMPOSSIBLE = 690.0
#: A true class farther below the best than so many usual leads is looked at.
_FAR = 1000.0
_SAMPLE = 500


def refuse_impossible_truth(scores: ClassScores, cases: Cases) -> None:
    """Raise when a true class has posterior 0, which no scaling can repair."""
    index = np.arange(len(cases.codes))
    if scores.barred is not None:
        rows = np.flatnonzero(scores.barred[cases.codes, index])
        if rows.size:
            raise impossible_truth(rows, cases)
    if scores.centres is None and float(scores.values.min(initial=0.0)) >= -_FAR / 100 * scores.far:
        return  # no score is far below the best
    own = scores.values[cases.codes, index]
    if scores.centres is not None:
        own = own + scores.centres[cases.codes]
    _refuse_far_truth(-own, _usual_lead(scores, cases), cases)


def refuse_far_odds(odds: FloatArray, cases: Cases) -> None:
    """Raise when finite log odds are so far on the wrong side that they call the truth impossible.

    Most often the least and the greatest say that none is.
    """
    usual = _usual(np.abs(odds[_some(cases)]), cases)
    if max(-float(odds.min()), float(odds.max())) > _FAR * usual:
        _refuse_far_truth(np.where(cases.codes == 1, -odds, odds), usual, cases)


def _some(cases: Cases) -> slice:
    """Some of the cases, enough to tell what is usual."""
    return slice(None, None, 1 + len(cases.codes) // _SAMPLE)


def _usual(leads: FloatArray, cases: Cases) -> float:
    """The median of the leads of some cases; infinite where none is ahead."""
    ahead = np.isfinite(leads) & (leads > 0.0)
    if not ahead.any():
        return np.inf
    weights = cases.sample_weight
    return median(leads[ahead], None if weights is None else weights[_some(cases)][ahead])


def _usual_lead(scores: ClassScores, cases: Cases) -> float:
    """How far the best score usually is above the second."""
    part = scores.values[:, _some(cases)]
    if scores.centres is not None:
        part = part + scores.centres[:, None]
    second, first = np.partition(part, len(part) - 2, axis=0)[-2:]
    return _usual(np.asarray(first - second), cases)


def refuse_marks(scores: ClassScores, spread: float, cases: Cases) -> None:
    """Raise when marks such as -1e9 make up the spread, beside which ordinary scores vanish."""
    usual = _usual_lead(scores, cases)
    if spread <= _FAR * usual:
        return
    far = scores.values < -_FAR * usual
    rows = cases.scores.given_rows(np.flatnonzero(far.any(axis=0)))
    enough = max(float(-scores.values[~far].min()), 10.0 * usual)
    raise DataError(
        f"{named('scores')} must be of like size; some are {-scores.values.min():.3g} below the "
        f"best of their case, in {row(rows[0])} and in {rows.size} of {len(cases.codes)} rows, and "
        "the others vanish beside them.",
        hint=f"say how far such a score is to be trusted: {setting('bound', _above(enough))}",
        rows=rows[:10].tolist(),
    )


def impossible_truth(wrong: IntArray, cases: Cases) -> DataError:
    """The error for cases whose true class was called impossible."""
    rows = cases.scores.given_rows(wrong)
    return DataError(
        f"{named('scores')} give the true class a posterior of 0, in {row(rows[0])} and in "
        f"{rows.size} of {len(cases.codes)} rows, so the cross-entropy is infinite whatever the "
        "calibration.",
        hint=f"say how far an infinite score is to be trusted: {some_bound()}",
        rows=rows[:10].tolist(),
    )


def refuse_turned(turned: NDArray[np.bool_], scores: Scores) -> None:
    """Raise when a negative scale would make certain of what infinite scores call impossible."""
    found = np.flatnonzero(turned)
    if not found.size:
        return
    rows = scores.given_rows(found)
    raise DataError(
        f"{named('scores')} are infinite in {row(rows[0])} and in {rows.size} of {len(scores)} "
        "rows, and the calibrator, which saw none of that kind, has a negative scale: it would "
        "call certain what they call impossible.",
        hint=f"say in advance how far an infinite score is to be trusted: {some_bound()}",
        rows=rows[:10].tolist(),
    )


def _refuse_far_truth(distances: FloatArray, usual: float, cases: Cases) -> None:
    """Raise when finite scores put a true class so far below that it is as good as impossible.

    `distances` are those of the true class below the best of its case, `usual` is that of the best
    above the second. Far cases count as impossible where the scale of best fit to the others
    gives them a posterior below 1e-300: one of them would outweigh all others.
    """
    if not distances.max() > _FAR * usual:
        return
    far = distances > _FAR * usual
    others = np.flatnonzero(~far)
    if not others.size:
        return
    scale = _scale_of(cases, others)
    wrong = np.flatnonzero(far & (scale * distances > IMPOSSIBLE))
    if not wrong.size:
        return
    rows = cases.scores.given_rows(wrong)
    enough = max(float(distances[others].max()), 10.0 * usual)
    raise DataError(
        f"{named('scores')} put the true class {distances[wrong[0]]:.3g} below the best, as if "
        f"it were impossible, in {row(rows[0])} and in {rows.size} of {len(cases.codes)} rows; "
        "one such case outweighs all others.",
        hint=f"say how far such a score is to be trusted: {setting('bound', _above(enough))}",
        rows=rows[:10].tolist(),
    )


def _scale_of(cases: Cases, rows: IntArray) -> float:
    """The scale of least cross-entropy in some of the cases."""
    size = cases.scores.size
    codes = cases.codes[rows]
    found = fit_scaling(
        "temperature",
        lay_out(cases.scores.take(rows).columns()),
        codes,
        np.ascontiguousarray(cases.weights[rows]),
        counts=np.bincount(codes, minlength=size).astype(np.float64),
        offsets=np.zeros(size),
        smoothing=False,
    )
    return float(found.scales[0])


def _above(number: float) -> float:
    """The next number above of two digits."""
    unit = 10.0 ** (np.floor(np.log10(number)) - 1)
    return float(np.ceil(number / unit) * unit)
