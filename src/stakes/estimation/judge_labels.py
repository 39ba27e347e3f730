"""The cost of decisions by a judge's labels: a person or a model whose errors are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, same_length
from stakes._columns import as_column, as_weights, known_entries
from stakes._guesses import AnswersGuesses
from stakes._kernels.score_test_limits import chance_of, equal_shares
from stakes._names import encode
from stakes.application import Application, CaseCosts
from stakes.application.cost_input import stated_costs
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.messages.audience import either
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, IntArray

#: The judge's errors depend on the decision if chance explains the difference this rarely.
_RARE = 0.001


@dataclass(frozen=True, eq=False, repr=False)
class JudgedCost(AnswersGuesses):
    """What decisions cost by a judge's labels, corrected for the judge's errors.

    From `cost_from_judge`.

    Parameters
    ----------
    value, low, high : float
        Cost per case of these cases and its interval, which holds the doubt of the judge.
    level : float
        Share of such intervals that hold the cost which the true labels would give.
    cases, known : int
        How many cases there are, and of how many the truth is known.
    as_judged : float
        Cost per case if the judge were always right.
    errors : ConfusionMatrix
        How often the judge gave each label (columns) to each true class (rows).
    unit : str or None
        Of the costs.
    notes : tuple of str
        What a reader should know.
    slices : mapping
        The same for each slice, where slices were given.
    """

    value: float
    low: float
    high: float
    level: float
    cases: int
    known: int
    as_judged: float
    errors: ConfusionMatrix
    unit: str | None = None
    notes: tuple[str, ...] = ()
    slices: Mapping[Any, JudgedCost] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The estimate in a sentence."""
        unit = f" {self.unit}" if self.unit else ""
        both = self.errors.total
        return (
            f"{self.value:.4g}{unit} per case ({self.low:.4g} to {self.high:.4g}, level "
            f"{self.level:g}), corrected for the judge's errors on {both:g} doubly labelled cases; "
            f"taken at its word the judge says {self.as_judged:.4g}."
        )

    def frame(self) -> Frame:
        """One row; and one for each slice, if there are any."""
        named = {"all cases": self, **self.slices}
        names = ("value", "low", "high", "level", "cases", "known", "as_judged")
        columns: dict[str, list[Any]] = {"slice": [str(name) for name in named]}
        columns |= {name: [getattr(each, name) for each in named.values()] for name in names}
        return Frame(columns)

    def record(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        names = ("value", "low", "high", "level", "cases", "known", "as_judged", "unit")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        return {
            **found,
            "errors": np.asarray(self.errors.counts).tolist(),
            "notes": list(self.notes),
            "slices": {str(name): each.record() for name, each in self.slices.items()},
        }

    def __contains__(self, cost: float) -> bool:
        return self.low <= cost <= self.high

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        ends = f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"
        return f"<JudgedCost of {self.cases} cases: {ends}>"


# The correction, its interval and when it is refused: docs/design/estimation.md.
def cost_from_judge(
    y_true: Any,
    judge: Any,
    *,
    decisions: Any,
    costs: Any = None,
    application: Any = None,
    errors: Any = None,
    sample_weight: Any = None,
    by: Any = None,
    level: float = 0.95,
    classes: Any = None,
    positive: Any = None,
) -> JudgedCost:
    r"""What decisions cost, when a judge labels the cases and makes errors.

    The judge is a person or a model. With :math:`J_{kl}` the chance that it labels a case of class
    :math:`k` as :math:`l`, the costs :math:`w = J^{-1} c` of its labels have the right mean:
    :math:`\sum_l J_{kl} w_l = c_k` (for two classes Rogan and Gladen [1]_). Cases whose truth is
    known count with their true cost.

    Parameters
    ----------
    y_true : column or None
        The true class where it is known, otherwise None or NaN; None if it is nowhere known.
    judge : column
        The judge's label of every case, in the names of the classes.
    decisions : column
        What was decided.
    costs, application : optional
        What errors cost, in any form that `stakes.evaluate` takes; `CaseCosts` where they differ
        from case to case.
    errors : ConfusionMatrix or array-like of shape (n_classes, n_classes), optional
        How often the judge gave each label (columns) to each true class (rows); by default
        counted over the cases whose truth is known.
    sample_weight, by : column, optional
        A sampling weight, and the slice of each case.
    level : float
        Of the interval.
    classes, positive : optional
        The order of the classes, as in `stakes.evaluate`.

    Returns
    -------
    JudgedCost
        Printing it gives a sentence.

    Raises
    ------
    UndefinedError
        If the judge cannot be told from one who ignores the case.

    Notes
    -----
    The judge's errors may depend on the true class and on nothing else. The doubly labelled cases
    are tested for this, decision by decision; a note says so if it fails. `cost_from_labels` with
    posteriors needs no such assumption. The interval is Fieller's [2]_: the judge's quality divides
    the estimate. It is refused where that quality may be nought.

    References
    ----------
    .. [1] W. J. Rogan and B. Gladen, "Estimating Prevalence from the Results of a Screening Test",
       American Journal of Epidemiology 107, 1978.
    .. [2] E. C. Fieller, "Some Problems in Interval Estimation", JRSS B 16, 1954.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(3000) < 0.2
    >>> judge = np.where(rng.random(3000) < 0.9, truth, ~truth)
    >>> decided = np.where(rng.random(3000) < 0.8, truth, ~truth)
    >>> known = [int(t) if i < 300 else None for i, t in enumerate(truth)]
    >>> found = cost_from_judge(known, judge.astype(int), decisions=decided.astype(int),
    ...                         costs={"fn": 10, "fp": 1})
    >>> 10 * (truth & ~decided).mean() + (~truth & decided).mean() in found
    True
    """
    level, said = as_level(level), as_column(judge, "judge")
    stated = stated_costs(application, costs, said, classes=classes, positive=positive)
    if not isinstance(stated, (Application, CaseCosts)):
        raise CostError("a judge's labels need costs that are known; these are ranges.")
    names = stated.classes
    labels, taken = encode(said, names, "judge"), as_column(decisions, "decisions")
    same_length("judge", len(labels), "decisions", len(taken))
    codes = encode(taken, stated.decisions, "decisions")
    truth, known = _truth(y_true, names, len(labels))
    counted = _counted(errors, names, truth[known], labels[known])
    paid = _paid(stated, codes)
    weights = as_weights(sample_weight, len(labels))
    mass = np.ones(len(labels)) if weights is None else weights
    rows = _Rows(paid, np.asarray(labels, dtype=np.intp), truth, known, mass)
    unit = stated.unit if isinstance(stated, Application) else None
    notes = _notes(truth[known], labels[known], codes[known], len(names), len(stated.decisions))
    matrix = ConfusionMatrix(counted, names, names)
    found = replace(_corrected(rows, matrix, level), unit=unit, notes=notes)
    if by is None:
        return found
    column = as_column(by, "by")
    same_length("judge", len(labels), "by", len(column))
    parts = {name: rows.part(column == name) for name in dict.fromkeys(column.tolist())}
    slices = {name: _corrected(part, matrix, level) for name, part in parts.items()}
    return replace(found, slices={name: replace(v, unit=unit) for name, v in slices.items()})


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Cases by row: costs (n, K) of the decision taken, labels of the judge, truth, weights."""

    paid: FloatArray
    labels: IntArray
    truth: IntArray
    known: NDArray[np.bool_]
    mass: FloatArray

    def part(self, kept: NDArray[np.bool_]) -> _Rows:
        """Some of the rows."""
        return _Rows(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


def _truth(y_true: Any, names: Any, size: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """True classes by position, 0 where they are not known, and where they are."""
    if y_true is None:
        return np.zeros(size, dtype=np.intp), np.zeros(size, dtype=bool)
    entries, known = known_entries(y_true, "y_true")
    same_length("judge", size, "y_true", known.shape[0])
    truth = np.zeros(size, dtype=np.intp)
    truth[known] = encode(entries, names, "y_true")
    return truth, known


def _counted(errors: Any, names: Any, truth: IntArray, labels: Any) -> FloatArray:
    """How often each class got each label of the judge; from the cases that have both."""
    if errors is None:
        table = np.zeros((len(names), len(names)))
        np.add.at(table, (truth, labels), 1.0)
    else:
        matrix = errors if isinstance(errors, ConfusionMatrix) else ConfusionMatrix(errors)
        table = np.asarray(matrix.counts, dtype=np.float64)
    if table.shape != (len(names), len(names)):
        raise DataError(f"`errors` has shape {table.shape}; there are {len(names)} classes.")
    empty = [name for name, total in zip(names, table.sum(axis=1), strict=True) if total == 0]
    if empty:
        raise UndefinedError(
            f"no doubly labelled case is of class {empty[0]!r}, so the judge's errors there are "
            "unknown.",
            hint="label some cases of each class by hand"
            + either(", or give `errors`", ": fill in more of the column of the truth"),
        )
    return table


def _paid(stated: Application | CaseCosts, codes: Any) -> FloatArray:
    """What the decision taken costs in each case if each class is the true one, (n, K)."""
    if isinstance(stated, Application):
        return np.asarray(stated.costs.values.T[codes])
    same_length("costs", len(stated), "decisions", len(codes))
    return np.asarray(stated.values[np.arange(len(codes)), :, codes])


def _notes(truth: Any, labels: Any, codes: Any, classes: int, decisions: int) -> tuple[str, ...]:
    """A note where the judge's errors depend on what was decided, given the truth."""
    table = np.zeros((decisions, classes, classes))
    np.add.at(table, (codes, truth, labels), 1.0)
    chances = []
    for j in range(decisions):
        others = table.sum(axis=0) - table[j]
        chances.append(float(chance_of(*equal_shares(table[j][None], others[None]))[0]))
    if min(chances) >= _RARE:
        return ()
    return (
        "The judge errs more often after some decisions than after others, so the correction may "
        "be off; cost_from_labels(...) with more true labels does not assume this.",
    )


def _corrected(rows: _Rows, errors: ConfusionMatrix, level: float) -> JudgedCost:
    """The corrected cost of some rows."""
    counts = np.asarray(errors.counts, dtype=np.float64)
    totals = counts.sum(axis=1)
    rates = counts / totals[:, None]
    if np.linalg.matrix_rank(rates) < len(rates):
        raise _no_better_than_chance()
    inverse = np.linalg.inv(rates)  # (label, class)
    share = rows.mass / rows.mass.sum()
    costs = rows.paid @ inverse.T  # what each label of the judge costs, (n, label)
    at = np.arange(len(share))
    true_cost, judged = rows.paid[at, rows.truth], costs[at, rows.labels]
    value = float(share @ np.where(rows.known, true_cost, judged))
    said = float(share @ rows.paid[at, rows.labels])
    open_ = ~rows.known
    weights, held = share[open_], inverse[rows.labels[open_]]
    bent = np.asarray((held * weights[:, None]).T @ costs[open_])  # (class, label)
    low, high = _fieller(value, counts, inverse, bent, level, (weights, costs[open_], held))
    many, known = len(share), int(rows.known.sum())
    return JudgedCost(value, low, high, level, many, known, said, errors)


def _fieller(
    value: float,
    counts: FloatArray,
    inverse: FloatArray,
    bent: FloatArray,
    level: float,
    open_: Any,
) -> tuple[float, float]:
    """Limits of the corrected cost: a cost is kept unless its test rejects it.

    The variance of value - cost, multiplied by the determinant of the judge's rates so that it is
    linear in them, is a + b d + c d^2 with d = value - cost. Rates in it are shrunk by z^2
    doubly labelled cases of each class, evenly over the labels (after Agresti and Coull).
    """
    from scipy.special import ndtri

    z2 = float(ndtri((1 + level) / 2)) ** 2
    totals = counts.sum(axis=1) + z2
    rates = (counts + z2 / len(counts)) / totals[:, None]
    a = _of_labels(rates, *open_)
    b = c = 0.0
    for k, rate in enumerate(rates):
        parts = np.stack([-bent[k], inverse[:, k]])
        centred = parts - (parts @ rate)[:, None]
        spread = (centred * rate) @ centred.T / totals[k]
        a, b, c = a + spread[0, 0], b + 2 * spread[0, 1], c + spread[1, 1]
    if z2 * c >= 1:
        raise _no_better_than_chance()
    lead, half = 1 - z2 * c, z2 * b / 2
    root = np.sqrt(half**2 + lead * z2 * a)
    return value - float((half + root) / lead), value - float((half - root) / lead)


def _of_labels(rates: FloatArray, share: FloatArray, costs: FloatArray, held: FloatArray) -> float:
    """Variance of the mean cost of the judge's labels, given the true classes of the cases."""
    squares = costs**2 @ rates.T - (costs @ rates.T) ** 2  # (n, class)
    return max(float((share**2 * (held * squares).sum(axis=1)).sum()), 0.0)


def _no_better_than_chance() -> UndefinedError:
    """The error for a judge whose labels tell nothing, as far as the cases show."""
    return UndefinedError(
        "the judge cannot be told from one who ignores the case, so its labels say nothing about "
        "the cost.",
        hint="label more cases by hand as well, or find a better judge",
    )
