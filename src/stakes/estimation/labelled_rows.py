"""Decided cases of which some are labelled: predicted costs, corrected by the labels.

How the line and the interval are made: docs/design/estimation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import is_number, same_length
from stakes._columns import as_floats, known_entries, refuse_rows
from stakes._kernels.score_test_limits import score_limits
from stakes._names import encode
from stakes.exceptions import DataError, UndefinedError
from stakes.messages.audience import either
from stakes.typing import FloatArray, IntArray

#: With fewer labels there is no interval that deserves its level.
LEAST_LABELS = 10
#: The line through the labels is drawn as if so many further labels had matched the predictions.
_PRIOR_LABELS = 2.0
#: More distinct rows of costs than this are costs that differ from case to case.
_MOST_KINDS = 200
#: Such cases are put into so many groups, by what is at stake.
_STAKES = 10
#: Labelled cases that differ from the others by more standard errors were not drawn as stated.
_TOO_FAR = 5.0
#: So many labels more or less than expected are no sign of it: chances of few cases are skewed.
_FEW_LABELS = 2
#: Posteriors below this one are taken for it where a class is impossible by the scores.
_LEAST_POSTERIOR = 1e-12
#: Weights of labels that differ by less than this share are equal.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Cases by row: costs (n, K) of the decision taken, posteriors, kinds of cases (whose errors
    are alike), weights, what is known.
    """

    paid: FloatArray
    posteriors: FloatArray
    kinds: IntArray
    mass: FloatArray
    truth: IntArray
    known: NDArray[np.bool_]
    chances: FloatArray

    def part(self, kept: NDArray[np.bool_]) -> LabelledRows:
        """Some of the rows."""
        return LabelledRows(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))

    @property
    def predicted(self) -> FloatArray:
        """What each case is expected to cost, by its posteriors."""
        return np.asarray((self.paid * self.posteriors).sum(axis=1))

    @property
    def weight(self) -> FloatArray:
        """What a label counts for: 1 in a random part of cases of equal weight."""
        return np.asarray(self.mass / self.mass.sum() * self.chances.sum() / self.chances)

    @property
    def realised(self) -> FloatArray:
        """What the labelled cases cost."""
        return np.asarray(self.paid[self.known, self.truth[self.known]])


def known_classes(
    y_true: Any, names: Sequence[Any], size: int
) -> tuple[IntArray, NDArray[np.bool_]]:
    """True classes by position, 0 where they are not known, and where they are."""
    entries, known = known_entries(y_true, "y_true")
    same_length("y_true", known.shape[0], "cases", size)
    truth = np.zeros(size, dtype=np.intp)
    truth[known] = encode(entries, names, "y_true", rows=np.flatnonzero(known))
    return truth, known


def refuse_few_labels(known: NDArray[np.bool_], *, judged: bool = False) -> None:
    """Raise where too few cases are labelled; `judged` if all have a judge's label."""
    labels = int(known.sum())
    if labels < LEAST_LABELS:
        without = either(
            "estimate_cost(...) needs no labels; plan_labels(...) says how many pay off",
            "which to label:  --plan 300   without labels:  --reference OLD.csv",
        )
        elsewhere = either(
            "errors=COUNTS, if the judge's errors were counted on other cases",
            "--judge-errors OTHER.csv, if another file has the truth and the judge's labels",
        )
        raise UndefinedError(
            f"{labels} of {known.shape[0]} cases are labelled; at least {LEAST_LABELS} are needed.",
            hint=elsewhere if judged else without,
        )


def label_chances(
    given: Any, known: NDArray[np.bool_], kept: NDArray[np.bool_], *, judged: bool = False
) -> FloatArray:
    """The chance of each case to be labelled; of the kept ones as many as there are labels."""
    size, labels = known.shape[0], int((known & kept).sum())
    refuse_few_labels(known[kept], judged=judged)
    if given is None:
        return np.full(size, labels / kept.sum())
    column = np.full(size, given) if is_number(given) else given
    _refuse_blank_chances(column)
    chances = as_floats(column, "chances", length=size).astype(np.float64)
    refuse_rows(
        ~((chances > 0) & (chances <= 1)) & kept, "`chances` must be above 0 and at most 1",
        "is {:g}", chances, hint=_every_chance(),
    )  # fmt: skip
    sure = (chances >= 1) & ~known & kept
    if sure.any():
        raise DataError(f"{sure.sum()} cases with a chance of 1 have no label.")
    expected, spread = chances[kept].sum(), np.sqrt((chances * (1 - chances))[kept].sum())
    if abs(labels - expected) > _TOO_FAR * spread + 1:
        raise DataError(
            f"`chances` add to {expected:.4g} expected labels; there are {labels}.",
            hint="give the chance with which each case was drawn, of labelled and other cases",
        )
    return chances


def _refuse_blank_chances(column: Any) -> None:
    """Raise where the chances of some cases are not known."""
    try:
        array = np.asarray(column)
        array = array if array.dtype.kind == "c" else array.astype(np.float64)
    except (TypeError, ValueError):  # another error says what it is
        return
    if array.ndim == 1 and array.dtype.kind == "f":
        refuse_rows(
            np.isnan(array), "`chances` must have no gaps", "is empty", hint=_every_chance()
        )


def _every_chance() -> str:
    """The hint for chances that only labelled cases have."""
    plan = either("`plan_labels(...).chances`", "the column that --plan wrote")
    return f"give the chance of every case, also of those that were not drawn, as in {plan}"


def refuse_uneven_slices(
    known: NDArray[np.bool_], chances: FloatArray, by: NDArray[Any] | None
) -> None:
    """Raise where a slice has more or fewer labels than its chances allow."""
    for name in [] if by is None else dict.fromkeys(by.tolist()):
        inside = by == name
        labels, odds = int(known[inside].sum()), chances[inside]
        spread = float(np.sqrt((odds * (1 - odds)).sum()))
        if abs(labels - odds.sum()) > _TOO_FAR * spread + _FEW_LABELS:
            raise DataError(
                f"the labelled cases are not a random part: slice {name!s} has {labels} labels, "
                f"and its chances give {odds.sum():.0f} of {inside.sum()} cases.",
                hint="say with which chance each case was labelled: "
                + either("chances=[...]", "--chances COLUMN"),
            )


def refuse_other_cases(rows: LabelledRows, where: str = "") -> None:
    """Raise where labelled cases, of all or of the slice named, cannot have been drawn with their
    chances.

    Ranks are compared, since a few cases may hold most of the predicted cost.
    """
    columns = np.column_stack([rows.predicted, rows.posteriors])
    columns = np.column_stack([_mid_ranks(column) for column in columns.T])
    columns -= np.average(columns, axis=0, weights=rows.mass)
    share = rows.mass / rows.mass.sum()
    drawn = (share / rows.chances)[:, None] * columns
    off = drawn[rows.known].sum(axis=0)
    spread = np.sqrt((((1 / rows.chances - 1) * share**2)[:, None] * columns**2).sum(axis=0))
    steps = np.abs(off) / np.maximum(spread, 1e-9)
    if (steps > _TOO_FAR).any():
        worst = int(np.argmax(steps))
        what = "predicted costs" if worst == 0 else "posteriors of a class"
        raise DataError(
            f"the labelled cases{where} are not a random part: their {what} rank "
            f"{steps[worst]:.0f} standard errors from those of all cases{where}.",
            hint="say with which chance each case was labelled: "
            + either("chances=[...]", "--chances COLUMN"),
        )


def _mid_ranks(column: FloatArray) -> FloatArray:
    """Ranks from 0 to 1, with the middle one for equal values."""
    _, at, counts = np.unique(column, return_inverse=True, return_counts=True)
    return np.asarray(((np.cumsum(counts) - counts / 2) / len(column))[at])


def fitted_line(rows: LabelledRows) -> FloatArray:
    """Intercept and slope from predicted to real costs, of least variance of the estimate.

    The slope stays between 0 and 1: a single costly label can tilt the line far beyond.
    """
    inside, scale = rows.known, float(np.abs(rows.paid).max()) or 1.0
    predicted, realised = rows.predicted / scale, rows.realised / scale
    chance, share = rows.chances[inside], rows.mass[inside]
    pull = share**2 * np.maximum(1 - chance, 1e-12) / chance**2
    pull /= pull.mean()
    seen = np.column_stack([np.ones(chance.shape), predicted[inside]])
    all_cases = np.column_stack([np.ones(predicted.shape), predicted])
    prior = _PRIOR_LABELS * (all_cases.T * rows.mass) @ all_cases / rows.mass.sum()
    normal = (seen.T * pull) @ seen + prior
    sums = (seen.T * pull) @ realised + prior @ [0.0, 1.0]
    slope = min(max(float(np.linalg.lstsq(normal, sums, rcond=None)[0][1]), 0.0), 1.0)
    return np.array([(sums[0] - normal[0, 1] * slope) / normal[0, 0] * scale, slope])


def corrected_mean(
    rows: LabelledRows, line: FloatArray, level: float
) -> tuple[float, float, float]:
    """Mean cost and its limits: the mean of the line, plus the mean error of the labels.

    Cases that were certain to be labelled count with their cost and add no doubt. Skewness counts
    where all labels have the same weight: few labels do not show what rare large weights do.
    """
    from scipy.special import stdtrit

    whole, sure = float(rows.mass.sum()), rows.chances >= 1
    least, most = _possible(rows)
    realised, middle = rows.realised, 0.0
    if sure.any():
        middle = float(rows.mass[sure] @ rows.paid[sure, rows.truth[sure]]) / whole
        realised, rows = realised[~sure[rows.known]], rows.part(~sure)
    fitted, known = line[0] + line[1] * rows.predicted, rows.known
    share = float(rows.mass.sum()) / whole
    if not share > 0:
        return middle, middle, middle
    middle += float(rows.mass @ fitted) / whole
    moves = share * (realised - fitted[known]) * rows.weight[known]
    n, unseen = moves.shape[0], share * _unseen(rows, fitted)
    every, rest = float((moves**2).sum()), 1 - rows.chances[known]
    finite = float(rest @ moves**2) / every if every > 0 else 1.0
    z = float(stdtrit(max(n - 1, 1), (1 + level) / 2)) * np.sqrt(finite)
    counts, kinds = _counted(moves, unseen)
    alike = float(np.ptp(rows.weight)) <= _ROUNDING * float(rows.weight.max(initial=0.0))
    low, high = score_limits(counts[None, None], kinds[None, None], z, skewed=alike)
    value = float(moves.mean()) if n else 0.0
    ends = np.clip([value, float(low[0]), float(high[0])], least - middle, most - middle)
    value, below, above = (middle + ends).tolist()
    return value, below, above


def _possible(rows: LabelledRows) -> tuple[float, float]:
    """The least and the largest mean cost that the labels not yet known can give."""
    edges = []
    for edge in (rows.paid.min(axis=1), rows.paid.max(axis=1)):
        edge[rows.known] = rows.realised
        edges.append(float(rows.mass @ edge) / float(rows.mass.sum()))
    return edges[0], edges[1]


def _counted(moves: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How often each error was seen, and the errors; those that differ by rounding are one."""
    every = np.append(moves, unseen)
    exponent = np.frexp(np.abs(every).max())[1]
    kinds, at = np.unique(np.round(np.ldexp(every, -exponent), 12), return_inverse=True)
    counts = np.bincount(at.reshape(-1)[: moves.shape[0]], minlength=kinds.shape[0])
    return counts.astype(np.float64), np.asarray(np.ldexp(kinds, exponent))


def _unseen(rows: LabelledRows, fitted: FloatArray) -> FloatArray:
    """The predicted error of each class in each kind of case, whether a label showed it or not.

    A class that no score calls possible may occur all the same.
    """
    moves = (rows.paid - fitted[:, None]) * rows.weight[:, None]
    drawn = np.maximum(rows.posteriors, _LEAST_POSTERIOR) * rows.chances[:, None]
    total, sums = (
        np.stack([np.bincount(rows.kinds, column) for column in table.T])
        for table in (drawn, drawn * moves)
    )
    return np.asarray(sums[total > 0] / total[total > 0])


def kinds_by_cost(paid: FloatArray) -> IntArray:
    """Cases with the same costs of the decision taken are one kind; if costs differ from case to
    case, cases with about as much at stake.
    """
    table = np.ascontiguousarray(paid + 0.0)  # no negative zeros: bytes are compared
    rows = table.view(f"V{table.itemsize * table.shape[1]}")[:, 0]
    kinds, at = np.unique(rows, return_inverse=True)
    if kinds.shape[0] <= _MOST_KINDS:
        return at.astype(np.intp)
    rank = np.argsort(np.argsort(np.ptp(paid, axis=1), kind="stable"))
    return np.asarray(rank * _STAKES // len(rank) + paid.argmin(axis=1) * _STAKES)
