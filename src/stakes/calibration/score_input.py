"""Scores as calibrators read them: logarithms, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_matrix
from stakes._columns import as_array, as_floats, row_labels
from stakes._kernels.class_scores import binary_log_posteriors
from stakes._names import listed
from stakes.exceptions import DataError, PosteriorError
from stakes.messages.audience import calibrators, either, named, row, setting
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import determined
from stakes.typing import FloatArray, Name

#: The option of the command line for scores that are probabilities.
_AS_PROBABILITIES = "--scores-are posterior"
#: How far rounding may move a value outside [0, 1], and how far exact rows may be from adding to 1.
_SLACK, _EXACT = 1e-3, 1e-5
#: Share of the rows that must add to 1.
_MOST = 0.95
#: With fewer rows, sums must be exact: logits may add to about 1 by chance.
_FEW_ROWS = 5
#: With fewer cases, or values, a column of scores may lie in [0, 1] by chance.
FEW_CASES, _FEW_VALUES = 20, 3


def refuse_probability_rows(
    table: NDArray[Any], name: str, hint: str | None = None, *, rounded: bool = True
) -> None:
    """Raise if the rows of a table look like probabilities, rounded ones included."""
    if not _within(table, _SLACK if rounded else _EXACT):
        return
    sums = table.sum(axis=1, dtype=np.float64)
    exact = bool((np.abs(sums - 1.0) < _EXACT).all())
    off = 0.005 * table.shape[1]  # rounding to two digits; many small values may all become 0
    near = (sums > 0.99 - min(off, 0.5)) & (sums < 1.01 + min(off, 0.09))
    if not exact and not (rounded and len(table) >= _FEW_ROWS and near.mean() >= _MOST):
        return
    found = "add to 1" if exact else f"{int(near.sum())} of them add to about 1"
    told = "probabilities: stakes.Posteriors(p), or np.log(p); logits all the same: "
    raise PosteriorError(
        f"{named(name)} must be logarithms (log-posteriors or logits); all {len(table)} rows lie "
        f"in [0, 1] and {found}, so they are probabilities.",
        hint=hint or either(f"{told}stakes.Posteriors.from_logits(scores)", _AS_PROBABILITIES),
    )


def refuse_probabilities(
    odds: NDArray[Any], name: str, hint: str, wanted: str = "log odds"
) -> None:
    """Raise if a column of scores looks like probabilities; `hint` says what to type."""
    if not looks_like_probabilities(odds):
        return
    raise DataError(
        f"{named(name)} must be {wanted}; all {len(odds)} lie in [0, 1], from {odds.min():.3g} to "
        f"{odds.max():.3g}, like probabilities.",
        hint=hint,
    )


def looks_like_probabilities(odds: NDArray[Any]) -> bool:
    """Whether a column of many scores has several values, all of them in [0, 1]."""
    if len(odds) < FEW_CASES or not _within(odds, _SLACK):
        return False
    return any(len(np.unique(part)) >= _FEW_VALUES for part in (odds[:100], odds))


def mostly_outside(odds: NDArray[Any]) -> bool:
    """Whether most of a column of many scores lie outside [0, 1]."""
    if len(odds) < FEW_CASES:
        return False
    return bool(((odds < -_SLACK) | (odds > 1.0 + _SLACK)).mean() > 0.5)


def _within(values: NDArray[Any], slack: float) -> bool:
    """Whether there are values, and all lie in [0, 1]; the first ones are checked first."""
    for part in (values[:100], values):
        if not part.size or part.min() < -slack or part.max() > 1.0 + slack:
            return False
    return True


#: The largest finite score: its square, summed over many cases, does not overflow.
_LARGEST = 1e100


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Checked scores: `values` (n, K) of log scores, or log odds (n,) of the second class.

    If some of the given scores were left out, `rows` holds the positions of the rest. If these are
    a part of all scores, `barred` (K,) marks the classes that some score among all calls
    impossible. `names` are the names of the columns, if they came with any. `single` says that
    posteriors came as one column without a name.
    """

    values: NDArray[Any]
    rows: NDArray[Any] | None = None
    barred: NDArray[np.bool_] | None = None
    names: tuple[Name, ...] | None = None
    single: bool = False
    _row_labels: Any = None

    @property
    def is_column(self) -> bool:
        """Whether there is one score per case."""
        return self.values.ndim == 1

    @property
    def size(self) -> int:
        """Number of classes."""
        return 2 if self.is_column else int(self.values.shape[1])

    def __len__(self) -> int:
        return len(self.values)

    def columns(self) -> NDArray[Any]:
        """Log scores of each class, (n, K); log odds become log-posteriors."""
        return binary_log_posteriors(self.log_odds()) if self.is_column else self.values

    def log_odds(self) -> FloatArray:
        """Log odds of the second of two classes, (n,)."""
        if self.size != 2:
            raise DataError(
                f"this calibrator is for two classes; the scores have {self.size} columns.",
                hint="use "
                + calibrators("affine", "temperature", "vector", "dirichlet", "isotonic"),
            )
        wide = np.asarray(self.values, dtype=np.float64)
        return wide if self.is_column else np.asarray(wide[:, 1] - wide[:, 0])

    def take(self, rows: NDArray[Any]) -> Scores:
        """The scores of these rows."""
        return replace(self, values=self.values[rows], rows=self.given_rows(rows))

    def in_order(self, classes: tuple[Name, ...], order: ClassOrder | None = None) -> Scores:
        """The same scores with columns in the order of the classes.

        Names that came with the scores decide; without names, `order` does. Without either, the
        columns are in order already.
        """
        positions = tuple(range(self.size))
        if self.names is not None and self.names != positions and classes != positions:
            if set(self.names) != set(classes):
                raise PosteriorError(
                    f"the scores have the classes {listed(self.names)}, not {listed(classes)}.",
                    hint="name the columns like the classes: Posteriors(p, classes=...)",
                )
            order = ClassOrder(classes=self.names)
        if order is None or len(classes) != self.size:
            return self
        if self.is_column:
            turned = order.place(classes, "scores") == 0
            return replace(self, values=-self.values) if turned else self
        places = order.places(classes, "scores")
        ordered = self.values if places is None else self.values[:, places]
        return replace(self, values=ordered, names=None)

    def as_a_whole(self, weights: FloatArray | None = None) -> Scores:
        """The same scores with `barred` set, so that parts know the classes called impossible."""
        values = self.values
        if not values.size or np.isfinite([values.min(), values.max()]).all():
            return self
        counted = values if weights is None else values[weights > 0.0]
        against = np.array([counted, -counted]) if self.is_column else -counted.T
        found = np.array([np.isposinf(each).any() for each in against])
        return replace(self, barred=found if self.barred is None else found | self.barred)

    def given_rows(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The positions of these rows among the scores that were given, for messages."""
        return rows if self.rows is None else np.asarray(self.rows[rows])

    def refusal(
        self, places: NDArray[Any], said: str, then: str = ".", *, enough: float | None = None
    ) -> DataError:
        """The error for scores at these places; `enough` is a bound that would do, if known.

        It reads: `scores` ..., in row 3 and in 8 of 100 rows, ...
        """
        rows = self.given_rows(places)
        if enough is None:
            typed = either('bound="data", or a number, as in Affine(bound="data")', "--bound 50")
        else:
            unit = 10.0 ** (np.floor(np.log10(enough)) - 1)  # rounded up to two digits
            typed = setting("bound", float(np.ceil(enough / unit) * unit))
        such = "an infinite" if enough is None else "such a"
        return DataError(
            f"{named('scores')} {said} {row(rows[0])} and in {rows.size} of {len(self)} rows{then}",
            hint=f"say how far {such} score is to be trusted: {typed}",
            rows=rows[:10].tolist(),
        )

    def need_finite(self) -> None:
        """Raise unless all scores are finite."""
        rows = self.values if self.is_column else self.values.sum(axis=1, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(rows))
        if bad.size:
            raise self.refusal(bad, "must be finite; they are not in")


def read_scores(scores: Any, name: str = "scores") -> Scores:
    """Check scores: log-posteriors or logits (n, K), or log odds or LLRs (n,).

    NaN is refused, and so are rows that add to 1 exactly: probabilities are not logarithms. One
    infinite score takes all the probability. Scores already read are returned as they are.
    """
    if isinstance(scores, Scores):
        return scores
    found, labels = _read(scores, name), row_labels(scores)
    return found if labels is None else replace(found, _row_labels=labels)


def _read(scores: Any, name: str) -> Scores:
    """See `read_scores`."""
    if isinstance(scores, Posteriors):
        names = scores.classes if scores.named else None
        return Scores(scores.log_values, names=names, single=scores.single)
    array = as_array(scores, name)
    if array.ndim != 2:
        return Scores(as_floats(scores, name))
    table = as_matrix(array, name)
    if table.dtype.kind != "f":
        table = table.astype(np.float64)
    if table.shape[1] < 2:
        raise DataError(f"`{name}` must have one column per class; got shape {table.shape}.")
    with np.errstate(invalid="ignore", over="ignore"):
        plain = bool(np.isfinite(table.sum()))
    if plain:
        refuse_probability_rows(table, name, rounded=False)
        return Scores(table)
    certain = np.isposinf(determined(table, named(name), DataError)).any(axis=1)
    if certain.any():
        table = table.copy()
        table[certain] = np.where(np.isposinf(table[certain]), 0.0, -np.inf)
    return Scores(table)


def read_log_scores(
    scores: Any,
    name: str = "scores",
    *,
    sample_weight: Any = None,
    any_scale: bool = False,
    probabilities: str | None = None,
    fit_line: str | None = None,
    instead: str = "log odds all the same: stakes.Posteriors.from_logits(scores)",
) -> Scores:
    """Like `read_scores`, but refuses scores that look like probabilities, even if rounded.

    A column may look like that only on `any_scale`. `probabilities` says what to type if they are
    probabilities, `fit_line` the same where some are 0 or 1, and `instead` what to type if they are
    not. Cases of weight 0 are ignored.
    `Posteriors` and scores already read are not checked again.
    """
    read = read_scores(scores, name)
    if isinstance(scores, (Posteriors, Scores)):
        return read
    asked = of_weight(read, sample_weight)
    if not asked.is_column:
        refuse_probability_rows(asked.values, name)
    elif not any_scale:
        sure = ((asked.values <= 0.0) | (asked.values >= 1.0)).any()
        bound = ', and bound="data" in the calibrator, since some are 0 or 1' if sure else ""
        said = probabilities or f"stakes.Posteriors(p), or np.log(p / (1 - p)){bound}"
        if sure and fit_line is not None:
            said = f"{fit_line}, since some are 0 or 1"
        python = f"probabilities: {said}; {instead}"
        refuse_probabilities(asked.values, name, either(python, _AS_PROBABILITIES))
    return read


def order_of_scores(
    classes: Sequence[Any] | None, labels: Any, say: str = "Posteriors.from_logits(scores, "
) -> ClassOrder:
    """What is known about the order of columns that costs with named classes apply to.

    `classes` is an order that a calibrator was given; mere positions are ignored.
    """
    said = None if classes is None or tuple(classes) == tuple(range(len(classes))) else classes
    return ClassOrder(said, labels=labels, say=f"{say}classes={{}})")


def of_weight(scores: Scores, sample_weight: Any) -> Scores:
    """The scores of cases with a weight; weights that do not fit are refused elsewhere."""
    if sample_weight is None:
        return scores
    counts = as_floats(sample_weight, "sample_weight") != 0
    if len(counts) != len(scores) or counts.all():
        return scores
    return scores.take(np.flatnonzero(counts))


def refuse_vast(scores: Scores) -> Scores:
    """Return the scores; raise if a finite one is so large that squares would overflow."""
    values = scores.values
    if values.size and max(-float(values.min()), float(values.max())) > _LARGEST:
        vast = np.isfinite(values) & (np.abs(values) > _LARGEST)
        places = np.flatnonzero(vast.reshape(len(values), -1).any(axis=1))
        if places.size:
            most = f"at most {_LARGEST:g} in size, or infinite"
            said = f"must be {most}: divide all by a constant; they are larger in"
            raise scores.refusal(places, said, enough=50.0)
    return scores


def bounded(
    scores: Scores, option: float | str, bound: float | None, *, level: bool
) -> tuple[Scores, float]:
    """Scores limited to the bound, infinite ones too, and the bound, which is learnt if None.

    If the `level` of a case does not matter, scores of many classes within the bound are not
    copied.
    """
    if scores.is_column:
        if bound is None:
            bound = _bound_from(np.abs(scores.values), option)
        return Scores(np.clip(scores.values, -bound, bound), scores.rows), bound
    if scores.size == 2:  # many times faster than a maximum along short rows
        best = np.maximum(scores.values[:, 0], scores.values[:, 1])[:, None]
    else:
        best = scores.values.max(axis=1, keepdims=True)
        low = scores.values.min(axis=1, keepdims=True)
        widest = np.subtract(best, low, dtype=np.float64)
        if not level and np.isfinite(widest).all():
            bound = _bound_from(widest, option) if bound is None else bound
            if widest.max(initial=0.0) <= bound:
                return scores, bound
    with np.errstate(over="ignore"):
        table = np.subtract(scores.values, best, dtype=np.float64)
    if bound is None:
        bound = _bound_from(-table, option)
    return Scores(np.maximum(table, -bound, out=table), scores.rows), bound


def _bound_from(distances: NDArray[Any], option: float | str) -> float:
    """The bound itself, or for "data" log 2 beyond the largest finite distance."""
    if option != "data":
        return float(option)
    most = float(distances.max(initial=0.0))
    if not np.isfinite(most):
        most = float(distances[np.isfinite(distances)].max(initial=0.0))
    return most + float(np.log(2.0))
