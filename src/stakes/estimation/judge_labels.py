"""The cost of decisions by a judge's labels: a person or a model whose errors are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, same_length
from stakes._columns import as_column, as_weights, refuse_other_order
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.score_test_limits import chance_of, equal_shares
from stakes._names import encode
from stakes.application import Application, CaseCosts
from stakes.application.cost_input import stated_costs
from stakes.estimation.judge_errors import (
    JudgedRows,
    counted,
    given_counts,
    no_better_than_chance,
    turned_around,
)
from stakes.estimation.labelled_rows import (
    LabelledRows,
    corrected_mean,
    fitted_line,
    kinds_by_cost,
    known_classes,
    label_chances,
    refuse_few_labels,
    refuse_other_cases,
    refuse_uneven_slices,
)
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, IntArray

#: The judge's errors depend on the decision if chance explains the difference this rarely.
_RARE = 0.001
#: A judge whose labels chance would make as close to the truth so often is no better than chance.
_LIKELY = 0.05
#: Rates of labels and of decisions in a class are smoothed by so many cases.
_PRIOR_CASES = 2.0


@dataclass(frozen=True, eq=False, repr=False)
class JudgedCost(AnswersGuesses):
    """What decisions cost by a judge's labels, corrected for the judge's errors.

    From `cost_from_judge`.

    Parameters
    ----------
    value, low, high : float
        Cost per case of these cases and its interval, which holds the doubt of the judge.
    level : float
        Share of such intervals that contain the cost which the true labels would give.
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
@answers_guesses
def cost_from_judge(
    y_true: Any,
    judge: Any,
    *,
    decisions: Any,
    costs: Any = None,
    application: Any = None,
    errors: Any = None,
    chances: Any = None,
    sample_weight: Any = None,
    by: Any = None,
    level: float = 0.95,
    classes: Any = None,
    positive: Any = None,
) -> JudgedCost:
    r"""What decisions cost, when a judge labels the cases and makes errors.

    The judge is a person or a model. The truth of a random part of the cases says how likely each
    class is after each label and decision; this predicts the cost of every case, and the true costs
    of that part correct the predictions, as in `cost_from_labels`.

    If the judge's errors are known from other cases (`errors`), they are turned around: with
    :math:`J_{kl}` the chance that it labels a case of class :math:`k` as :math:`l`, the costs
    :math:`w = J^{-1} c` of its labels have the right mean, :math:`\sum_l J_{kl} w_l = c_k` (for
    two classes Rogan and Gladen [1]_).

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
        How often the judge gave each label (columns) to each true class (rows) of other cases, as
        counts; a `ConfusionMatrix` is read by the names of its classes. By default the cases whose
        truth is known tell it.
    chances : float or column, optional
        With which chance the truth of each case was to be found, such as `LabelPlan.chances`. By
        default cases with a truth are a random part.
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
        If the judge cannot be told from one who ignores the case, or if `errors` of more than two
        classes come from too few cases for an interval.

    Notes
    -----
    From a random part nothing is assumed about the judge; one who errs more after some decisions
    does no harm. With `errors`, the judge may err by the true class and by nothing else; a note
    says where cases whose truth is known contradict this. The interval then is Fieller's [2]_: the
    judge's quality divides the estimate, which is refused where that quality may be nought.

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
    others = {"decisions": decisions, "sample_weight": sample_weight, "by": by}
    refuse_other_order(y_true, {"judge": judge, **others})
    level, said = as_level(level), as_column(judge, "judge")
    stated = stated_costs(
        application, costs, said, classes=classes, positive=positive, what="judge"
    )
    if not isinstance(stated, (Application, CaseCosts)):
        raise CostError("a judge's labels need costs that are known; these are ranges.")
    rows = _rows(stated, said, decisions, y_true, sample_weight)
    column = None if by is None else as_column(by, "by")
    if column is not None:
        same_length("judge", len(rows.labels), "by", len(column))
    kept = rows.mass > 0
    if not kept.any():
        raise UndefinedError("no case has a weight above 0.")
    if errors is not None and chances is not None:
        raise DataError(
            "`chances` belong to cases whose truth is known, and `errors` to others.",
            hint="leave one out",
        )
    odds = None
    if errors is None:
        odds = label_chances(chances, rows.known, kept, judged=True)[kept]
    names = [] if column is None else list(dict.fromkeys(column.tolist()))
    rows, column = rows.part(kept), None if column is None else column[kept]
    if odds is not None:
        refuse_uneven_slices(rows.known, odds, column)
    unit = stated.unit if isinstance(stated, Application) else None
    sides = stated.classes, stated.decisions
    counts, answer, notes = _road(rows, errors, odds, sides, level)
    matrix = ConfusionMatrix(counts, stated.classes, stated.classes)

    def told(kept: NDArray[np.bool_]) -> JudgedCost:
        part = rows.part(kept)
        if not kept.any():
            raise UndefinedError("its cases have no weight.")
        ends = answer(kept)
        known = int(part.known.sum())
        return JudgedCost(*ends, level, len(part.mass), known, part.as_judged, matrix, unit)

    found, slices = told(np.ones(len(rows.mass), dtype=bool)), {}
    for name in names:
        try:
            slices[name] = told(column == name)
        except UndefinedError as error:
            notes = (*notes, f"slice {name!s}: {error.message}")
    return replace(found, notes=notes, slices=slices)


#: The cost and its limits of the rows that a mask keeps.
_Answer = Callable[[NDArray[np.bool_]], tuple[float, float, float]]


def _road(
    rows: JudgedRows, errors: Any, odds: FloatArray | None, sides: tuple[Any, Any], level: float
) -> tuple[FloatArray, _Answer, tuple[str, ...]]:
    """The judge's errors as counts, the estimate for any part of the rows, and notes."""
    shape = len(sides[0]), len(sides[1])
    if odds is None:
        counts = given_counts(errors, sides[0])
        notes = _notes(rows, shape)
        return counts, lambda kept: turned_around(rows.part(kept), counts, level), notes
    counts = counted(rows.truth[rows.known], rows.labels[rows.known], (shape[0], shape[0]))
    if not rows.known.all():
        _refuse_chance(counts)
    judged = rows.paid[np.arange(len(rows.mass)), rows.labels]
    kinds = kinds_by_cost(np.column_stack([rows.paid, judged]))
    held = kinds, rows.mass, rows.truth, rows.known, odds
    at_its_word = np.eye(shape[0])[rows.labels]
    refuse_other_cases(LabelledRows(rows.paid, at_its_word, *held))
    whole = LabelledRows(rows.paid, _posteriors(rows, shape), *held)

    def corrected(kept: NDArray[np.bool_]) -> tuple[float, float, float]:
        part = whole.part(kept)
        refuse_few_labels(part.known)
        return corrected_mean(part, fitted_line(part), level)

    return counts, corrected, ()


def _posteriors(rows: JudgedRows, shape: tuple[int, int]) -> FloatArray:
    """How likely each class is after the judge's label and the decision, (n, K).

    Both are taken to err independently, given the class. The truth of a case does not take part in
    its own posteriors, so that its error there is that of an unlabelled case.
    """
    known, classes = rows.known, shape[0]
    truth, labels, taken = rows.truth[known], rows.labels[known], rows.decisions[known]
    said, done = counted(truth, labels, (classes, classes)), counted(truth, taken, shape)
    left_out = np.zeros((len(rows.mass), classes))
    left_out[known, truth] = 1.0
    cases = said.sum(axis=1) - left_out
    right = (np.trace(said) + 1) / (said.sum() + 2)
    usual = right * np.eye(classes) + (1 - right) * _shares(rows.labels, classes)
    likely = cases + 1 / classes
    for table, at, prior in (
        (said, rows.labels, usual),
        (done, rows.decisions, np.broadcast_to(_shares(rows.decisions, shape[1]), shape)),
    ):
        seen = table[:, at].T - left_out + _PRIOR_CASES * prior[:, at].T
        likely = likely * seen / (cases + _PRIOR_CASES)
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def _shares(codes: IntArray, size: int) -> FloatArray:
    """The share of each position, as if each had occurred once more."""
    counts = np.bincount(codes, minlength=size) + 1.0
    return np.asarray(counts / counts.sum())


def _refuse_chance(counts: FloatArray) -> None:
    """Raise where the judge's labels may be independent of the truth (Pearson's test)."""
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    statistic = ((counts - expected) ** 2 / expected).sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if float(chance_of(statistic, np.asarray(float(freedom)))) > _LIKELY:
        raise no_better_than_chance()


def _rows(
    stated: Application | CaseCosts, said: Any, decisions: Any, y_true: Any, sample_weight: Any
) -> JudgedRows:
    """Columns by position."""
    labels = np.asarray(encode(said, stated.classes, "judge")).astype(np.intp)
    taken = as_column(decisions, "decisions")
    same_length("judge", len(labels), "decisions", len(taken))
    codes = np.asarray(encode(taken, stated.decisions, "decisions")).astype(np.intp)
    truth, known = _truth(y_true, stated.classes, len(labels))
    weights = as_weights(sample_weight, len(labels))
    mass = np.ones(len(labels)) if weights is None else weights
    return JudgedRows(_paid(stated, codes), codes, labels, truth, known, mass)


def _truth(y_true: Any, names: Any, size: int) -> tuple[IntArray, NDArray[np.bool_]]:
    """True classes by position, 0 where they are not known, and where they are."""
    if y_true is None:
        return np.zeros(size, dtype=np.intp), np.zeros(size, dtype=bool)
    return known_classes(y_true, names, size)


def _paid(stated: Application | CaseCosts, codes: Any) -> FloatArray:
    """What the decision taken costs in each case if each class is the true one, (n, K)."""
    if isinstance(stated, Application):
        return np.asarray(stated.costs.values.T[codes])
    same_length("costs", len(stated), "decisions", len(codes))
    return np.asarray(stated.values[np.arange(len(codes)), :, codes])


def _notes(rows: JudgedRows, shape: tuple[int, int]) -> tuple[str, ...]:
    """A note where the judge's errors depend on what was decided, given the truth."""
    classes, decisions = shape
    table = np.zeros((decisions, classes, classes))
    known = rows.known
    np.add.at(table, (rows.decisions[known], rows.truth[known], rows.labels[known]), 1.0)
    chances = []
    for j in range(decisions):
        others = table.sum(axis=0) - table[j]
        chances.append(float(chance_of(*equal_shares(table[j][None], others[None]))[0]))
    if min(chances) >= _RARE:
        return ()
    return (
        "The judge errs more often after some decisions than after others, so the correction may "
        "be off; without `errors`, the cases whose truth is known do not assume this.",
    )
