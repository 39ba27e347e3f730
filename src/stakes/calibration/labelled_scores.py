"""Cases as calibrators read them: labels, scores and weights, checked once; and cases whose
true class the scores call impossible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors, same_length
from stakes._columns import as_column, as_weights, refuse_lost_weights, refuse_other_order
from stakes._kernels.class_scores import lay_out, median
from stakes._kernels.optimise.affine_fit import fit_scaling
from stakes._names import as_names, encode, listed, need_second, observed_names
from stakes.application import Application
from stakes.calibration.score_input import Scores, read_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError, LabelError, PriorError
from stakes.messages.audience import either, named, row
from stakes.metrics import BetaWeight
from stakes.posteriors.class_order import ClassOrder
from stakes.typing import FloatArray, IntArray, Name, Priors


def _column_names(
    labels: NDArray[Any], size: int, classes: Sequence[Any] | None
) -> tuple[Name, ...]:
    """Names of the score columns: given, or positions, or the sorted labels."""
    if classes is not None:
        names = as_names(classes, "classes")
    elif labels.dtype.kind in "iub":
        names = tuple(range(size))
        rows = np.flatnonzero((labels < 0) | (labels >= size))
        if rows.size:
            found = observed_names(labels)
            order = f"[{listed(found)}]" if len(found) == size else "[...]"
            raise LabelError(
                f"{named('y_true')} holds {listed(found)}, which are not all positions of the "
                f"score columns, 0 to {size - 1}; first at {row(rows[0])} ({rows.size} of "
                f"{len(labels)} rows).",
                hint=f"name the score columns in order: classes={order}, as in "
                f"Affine(classes={order})",
                rows=rows[:10].tolist(),
            )
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
        """The cases with a positive weight; the others must not affect ranks or ranges."""
        if self.sample_weight is None or self.sample_weight.all():
            return self
        return self.part(np.flatnonzero(self.sample_weight))

    def part(self, rows: IntArray) -> Cases:
        """Some of the cases; counts and priors stay those of all."""
        weights, groups = self.sample_weight, self.groups
        return replace(
            self,
            scores=self.scores.take(rows),
            codes=self.codes[rows],
            sample_weight=None if weights is None else weights[rows],
            groups=None if groups is None else groups[rows],
        )

    def unit_numbers(self) -> IntArray:
        """The independent units, numbered from 0: the group of each case, or the case itself."""
        if self.groups is None:
            return np.arange(len(self.codes))
        return group_numbers(self.groups)

    def prior_weights(self) -> FloatArray:
        """Case weights under which the classes have the target priors, of the same total."""
        if not self.given:
            return self.weights
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = np.where(self.counts > 0, self.priors / self.data_priors, 0.0)
        moved: FloatArray = self.weights * factors[self.codes]
        return moved

    def prior_shares(self) -> FloatArray:
        """The weights of `prior_weights`, scaled to add to 1."""
        moved = self.prior_weights()
        return np.asarray(moved / moved.sum())

    def log_posteriors(self) -> FloatArray:
        """Log-posteriors of the scores as given, moved to the target priors."""
        raw = self.scores.columns().astype(np.float64) + self.prior_offsets()
        return np.asarray(raw - np.logaddexp.reduce(raw, axis=1, keepdims=True))

    def prior_offsets(self) -> FloatArray:
        """Log of target over data priors: what moves a log-posterior to the target priors."""
        if not self.given:
            return np.zeros(len(self.counts))
        self.need_all_classes("add cases of that class, or leave out the priors")
        return np.asarray(np.log(self.priors) - np.log(self.data_priors))

    def prior_shift(self) -> float:
        """What moves the log odds of the second of two classes to the target priors."""
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

    Named scores are put in the order of the classes; unnamed ones are read in that order, unless
    the classes come from costs: then `order` says what is known about the columns.
    """
    read = scores if isinstance(scores, Scores) else read_scores(scores)
    refuse_other_order(y_true, {"scores": read, "sample_weight": sample_weight, "groups": groups})
    labels = as_column(y_true, "y_true")
    same_length("scores", len(read), "y_true", len(labels))
    if not len(labels):
        raise DataError(f"{named('y_true')} must hold at least one case; got none.")
    if classes is None and (read.is_column or read.single) and labels.dtype.kind not in "iubf":
        need_second(observed_names(labels))
    names = _column_names(labels, read.size, read.names if classes is None else classes)
    read = read.in_order(names, order)
    codes = encode(labels, names, "y_true").astype(np.intp, copy=False)
    given = as_weights(sample_weight, len(codes))
    if given is not None:
        refuse_lost_weights(given)
    counts = np.bincount(codes, weights=given, minlength=read.size).astype(np.float64)
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
    """Number of each case's group, from 0: in sorted order, or as they come if types are mixed."""
    try:
        return np.asarray(np.unique(groups, return_inverse=True)[1].reshape(-1), dtype=np.intp)
    except TypeError:
        seen: dict[Any, int] = {}
    try:
        return np.array([seen.setdefault(name, len(seen)) for name in groups], dtype=np.intp)
    except TypeError:
        raise DataError(
            f"{named('groups')} must hold names or numbers; got values that cannot be compared."
        ) from None


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
    """The loss by name; raise when it is unknown, or not defined for that many classes."""
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
#: A true class is checked if it lies this many usual leads below the best.
_FAR = 1000.0
_SAMPLE = 500


# Which infinite scores are kept: docs/design/infinite-scores.md.
def refuse_impossible_truth(cases: Cases) -> None:
    """Raise when scores call a true class impossible, which no scaling can repair.

    Finite scores do so if they put it more than `_FAR` usual leads below the best, and the scale
    that fits the other cases best gives it a posterior below 1e-300. One such case would outweigh
    all others.
    """
    scores, usual = cases.scores, _usual_lead(cases)
    values = scores.log_odds() if scores.size == 2 else scores.values
    apart = float(values.max()) - float(values.min())
    if np.isfinite(apart) and apart <= _FAR * usual:
        return  # none can be far below the best; a maximum of each row takes as long as a fit
    if scores.size == 2:
        behind = np.where(cases.codes == 1, -values, values)
    else:
        own = values[np.arange(len(values)), cases.codes]
        behind = np.subtract(values.max(axis=1), own, dtype=np.float64)
    wrong = np.flatnonzero(np.isposinf(behind))
    if wrong.size:
        said = "give the true class a posterior of 0, in"
        then = ", so the cross-entropy is infinite whatever the calibration."
        raise scores.refusal(wrong, said, then)
    far = behind > _FAR * usual
    others = np.flatnonzero(~far)
    if not far.any() or not others.size:
        return
    codes = cases.codes[others]
    scale = fit_scaling(
        "temperature",
        lay_out(scores.take(others).columns()),
        codes,
        np.ascontiguousarray(cases.weights[others]),
        counts=np.bincount(codes, minlength=scores.size).astype(np.float64),
        offsets=np.zeros(scores.size),
        smoothing=False,
    ).scales[0]
    wrong = np.flatnonzero(far & (scale * behind > IMPOSSIBLE))
    if wrong.size:
        said = f"put the true class {behind[wrong[0]]:.3g} below the best, as if it were impossible"
        enough = max(float(behind[others].max()), 10.0 * usual)
        then = "; one such case outweighs all others."
        raise scores.refusal(wrong, f"{said}, in", then, enough=enough)


def _usual_lead(cases: Cases) -> float:
    """How far the best score usually is above the second, in some of the cases."""
    some = slice(None, None, 1 + len(cases.codes) // _SAMPLE)
    if cases.scores.size == 2:
        leads = np.abs(cases.scores.log_odds()[some])
    else:
        ordered = np.sort(cases.scores.values[some].astype(np.float64), axis=1)
        leads = ordered[:, -1] - ordered[:, -2]
    ahead = np.isfinite(leads) & (leads > 0.0)
    if not ahead.any():
        return np.inf
    weights = cases.sample_weight
    return median(leads[ahead], None if weights is None else weights[some][ahead])


def refuse_marks(cases: Cases, spread: float) -> None:
    """Raise when sentinels such as -1e9 dominate the spread, so that other scores vanish."""
    usual = _usual_lead(cases)
    if spread <= _FAR * usual:
        return
    columns = cases.scores.columns()
    below = columns.max(axis=1, keepdims=True) - columns
    far = below > _FAR * usual
    said = f"must be of similar size; some are {below.max():.3g} below the best of their case, in"
    raise cases.scores.refusal(
        np.flatnonzero(far.any(axis=1)),
        said,
        ", and the others vanish beside them.",
        enough=max(float(below[~far].max()), 10.0 * usual),
    )


def refuse_reversed_scores(turned: NDArray[np.bool_], scores: Scores) -> None:
    """Raise when a negative scale would make certain what an infinite score calls impossible."""
    if turned.any():
        raise scores.refusal(
            np.flatnonzero(turned),
            "are infinite in",
            ", and the calibrator, which saw none of that kind, has a negative scale: it would "
            "call certain what they call impossible.",
        )
