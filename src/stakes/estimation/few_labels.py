"""The cost of many decided cases of which some are labelled: predictions, corrected by labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, is_number, of_kind, same_length
from stakes._columns import as_floats, known_entries, refuse_rows
from stakes._guesses import AnswersGuesses
from stakes._kernels.score_test_limits import score_limits
from stakes._names import encode
from stakes.estimation.decided_cases import DecidedCases
from stakes.exceptions import DataError, UndefinedError
from stakes.messages.audience import either
from stakes.results import Frame
from stakes.typing import FloatArray, IntArray

#: With fewer labels there is no interval that deserves its level.
LEAST_LABELS = 10
#: The line through the labels is drawn as if so many further labels had matched the predictions.
_PRIOR_LABELS = 2.0
#: More distinct rows of costs than this are costs that differ from case to case.
_MOST_KINDS = 50
#: Labelled cases that differ from the others by more standard errors were not drawn as stated.
_TOO_FAR = 5.0


@dataclass(frozen=True, eq=False, repr=False)
class LabelledCost(AnswersGuesses):
    """What decisions cost, from predictions and some labels; from `cost_from_labels`.

    Parameters
    ----------
    value, low, high : float
        Cost per case of these cases, or the difference of two models, and its interval.
    level : float
        Share of such intervals that hold the cost which all labels would give.
    labels, cases : int
        How many cases are labelled, and how many there are.
    plain : tuple of float
        Estimate and interval from the labels alone.
    slope : float
        By how much the cost rises where the predicted cost rises by 1, from 0 (predictions are of
        no use) to 1 (as the posteriors say).
    unit : str or None
        Of the costs.
    slices : mapping
        The same for each slice with enough labels, where slices were given.
    """

    value: float
    low: float
    high: float
    level: float
    labels: int
    cases: int
    plain: tuple[float, float, float]
    slope: float
    unit: str | None = None
    slices: Mapping[Any, LabelledCost] = field(default_factory=dict)

    @property
    def saving(self) -> float:
        """Share of the labels that the predictions replace, judged by the widths of intervals."""
        wide = self.plain[2] - self.plain[1]
        return 1.0 - ((self.high - self.low) / wide) ** 2 if wide > 0 else 0.0

    @property
    def text(self) -> str:
        """The estimate in a sentence."""
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"{self.value:.4g}{unit} per case ({self.low:.4g} to {self.high:.4g}, level "
            f"{self.level:g}), from {self.labels} labels of {self.cases} cases; the labels alone "
            f"say {self.plain[0]:.4g} ({self.plain[1]:.4g} to {self.plain[2]:.4g})."
        )

    def frame(self) -> Frame:
        """One row; and one for each slice, if there are any."""
        named = {"all cases": self, **self.slices}
        names = ("value", "low", "high", "level", "labels", "cases", "slope", "saving")
        columns: dict[str, list[Any]] = {"slice": [str(name) for name in named]}
        columns |= {name: [getattr(each, name) for each in named.values()] for name in names}
        return Frame(columns)

    def record(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        names = ("value", "low", "high", "level", "labels", "cases", "slope", "saving", "unit")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        return {
            **found,
            "plain": dict(zip(("value", "low", "high"), self.plain, strict=True)),
            "slices": {str(name): each.record() for name, each in self.slices.items()},
        }

    def __contains__(self, cost: float) -> bool:
        return self.low <= cost <= self.high

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        ends = f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"
        return f"<LabelledCost from {self.labels} labels of {self.cases} cases: {ends}>"


# Why the interval inverts a score test, and what was tried: docs/design/estimation.md.
def cost_from_labels(
    y_true: Any,
    cases: DecidedCases,
    *,
    against: DecidedCases | None = None,
    chances: Any = None,
    level: float = 0.95,
) -> LabelledCost:
    r"""The cost of decided cases of which some are labelled.

    Posteriors predict the cost of every case; the labelled cases say how far the predictions are
    off. A line from predicted to real costs is fitted to the labels (power tuning [1]_), so that
    poor posteriors do no harm. The estimate is the mean :math:`\bar f` of that line plus the mean
    error of the labelled cases, each weighted by one over its chance to be labelled.

    Parameters
    ----------
    y_true : column
        The true class of each labelled case; None or NaN for all others.
    cases : DecidedCases
        All the cases, from `DecidedCases.from_scores(None, posteriors, costs=...)`.
    against : DecidedCases, optional
        The same cases, decided by another model: the estimate is the cost of `cases` less that
        of `against`.
    chances : float or column, optional
        With which chance each case was to be labelled, such as `LabelPlan.chances`. By default
        labelled cases are a random part.
    level : float
        Of the interval.

    Returns
    -------
    LabelledCost
        Printing it gives a sentence.

    Raises
    ------
    UndefinedError
        With fewer than 10 labels.
    DataError
        If labelled cases differ so much from the others that they cannot have been drawn with
        the stated chances.

    Notes
    -----
    The interval inverts the score test of the mean error, in which a class and a decision that
    no label has shown yet takes part with its predicted error. `docs/design/estimation.md` has
    the coverage.

    References
    ----------
    .. [1] A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: Efficient Prediction-Powered
       Inference", arXiv 2311.01453, 2023.
    .. [2] T. Zrnic and E. J. Candès, "Active Statistical Inference", ICML 2024.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.beta(0.4, 3, 4000)
    >>> truth = (rng.random(4000) < p).astype(float)
    >>> cases = DecidedCases.from_scores(None, p, costs={"fn": 10, "fp": 1})
    >>> known = np.where(rng.random(4000) < 0.05, truth, np.nan)
    >>> found = cost_from_labels(known, cases)
    >>> found.labels, found.low < found.value < found.high
    (207, True)
    """
    of_kind(cases, "cases", DecidedCases)
    level = as_level(level)
    paid, posteriors = compared_costs(cases, against)
    labels, known = known_entries(y_true, "y_true")
    same_length("y_true", known.shape[0], "cases", len(cases))
    truth = np.zeros(len(cases), dtype=np.intp)
    truth[known] = encode(labels, cases.classes, "y_true")
    odds = _chances(chances, known)
    rows = _Rows(paid, posteriors, cases.mass, truth, known, odds)
    found = _estimated(rows, level, cases.application.unit)
    if cases.by is None:
        return found
    slices = {}
    for name in dict.fromkeys(cases.by.tolist()):
        part = rows.part(cases.by == name)
        if part.known.sum() >= LEAST_LABELS:
            slices[name] = _estimated(part, level, found.unit)
    return replace(found, slices=slices)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Cases by row: costs (n, K) of the decision taken, posteriors, weights, what is known."""

    paid: FloatArray
    posteriors: FloatArray
    mass: FloatArray
    truth: IntArray
    known: NDArray[np.bool_]
    chances: FloatArray

    def part(self, kept: NDArray[np.bool_]) -> _Rows:
        """Some of the rows."""
        return _Rows(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))

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


def compared_costs(cases: DecidedCases, against: Any) -> tuple[FloatArray, FloatArray]:
    """Costs if each class is true, and posteriors; of two models differences and means."""
    if against is None:
        return cases.paid, cases.posteriors
    of_kind(against, "against", DecidedCases)
    same_length("against", len(against), "cases", len(cases))
    if against.classes != cases.classes or not np.array_equal(against.mass, cases.mass):
        raise DataError("`against` must hold the same cases: their classes or weights differ.")
    return cases.paid - against.paid, (cases.posteriors + against.posteriors) / 2


def _chances(given: Any, known: NDArray[np.bool_]) -> FloatArray:
    """The chance of each case to be labelled; as many as there are labels in all."""
    size, labels = known.shape[0], int(known.sum())
    if labels < LEAST_LABELS:
        raise UndefinedError(
            f"{labels} of {size} cases are labelled; at least {LEAST_LABELS} are needed.",
            hint=either(
                "estimate_cost(...) needs no labels; plan_labels(...) says how many pay off",
                "which to label:  --plan 300   without labels:  --reference OLD.csv",
            ),
        )
    if given is None:
        return np.full(size, labels / size)
    column = np.full(size, given) if is_number(given) else given
    chances = as_floats(column, "chances", length=size).astype(np.float64)
    refuse_rows(
        ~((chances > 0) & (chances <= 1)), "`chances` must be above 0 and at most 1", "is {:g}",
        chances,
    )  # fmt: skip
    sure = (chances >= 1) & ~known
    if sure.any():
        raise DataError(f"{sure.sum()} cases with a chance of 1 have no label.")
    expected, spread = chances.sum(), np.sqrt((chances * (1 - chances)).sum())
    if abs(labels - expected) > _TOO_FAR * spread + 1:
        raise DataError(
            f"`chances` add to {expected:.4g} expected labels; there are {labels}.",
            hint="give the chance with which each case was drawn, of labelled and other cases",
        )
    return chances


def _estimated(rows: _Rows, level: float, unit: str | None) -> LabelledCost:
    """The estimate from rows of which enough are labelled."""
    _refuse_other_cases(rows)
    line = _line(rows)
    value, low, high = _interval(rows, line, level)
    weight = rows.weight[rows.known]
    alone = _interval(rows, np.array([(weight @ rows.realised) / weight.sum(), 0.0]), level)
    size, labels = rows.known.shape[0], int(rows.known.sum())
    return LabelledCost(value, low, high, level, labels, size, alone, float(line[1]), unit)


def _refuse_other_cases(rows: _Rows) -> None:
    """Raise where labelled cases cannot have been drawn with their chances.

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
            f"the labelled cases are not a random part: their {what} rank "
            f"{steps[worst]:.0f} standard errors from those of all cases.",
            hint="say with which chance each case was labelled: "
            + either("chances=[...]", "--chances COLUMN"),
        )


def _mid_ranks(column: FloatArray) -> FloatArray:
    """Ranks from 0 to 1, with the middle one for equal values."""
    ordered = np.sort(column)
    ends = [np.searchsorted(ordered, column, side) for side in ("left", "right")]
    return np.asarray((ends[0] + ends[1]) / (2 * len(column)))


def _line(rows: _Rows) -> FloatArray:
    """Intercept and slope from predicted to real costs, of least variance of the estimate.

    The slope stays between 0 and 1: a single costly label can tilt the line far beyond.
    """
    inside, predicted = rows.known, rows.predicted
    chance, share = rows.chances[inside], rows.mass[inside]
    pull = share**2 * np.maximum(1 - chance, 1e-12) / chance**2
    pull /= pull.mean()
    seen = np.column_stack([np.ones(chance.shape), predicted[inside]])
    all_cases = np.column_stack([np.ones(predicted.shape), predicted])
    prior = _PRIOR_LABELS * (all_cases.T * rows.mass) @ all_cases / rows.mass.sum()
    normal = (seen.T * pull) @ seen + prior
    sums = (seen.T * pull) @ rows.realised + prior @ [0.0, 1.0]
    slope = min(max(float(np.linalg.lstsq(normal, sums, rcond=None)[0][1]), 0.0), 1.0)
    return np.array([(sums[0] - normal[0, 1] * slope) / normal[0, 0], slope])


def _interval(rows: _Rows, line: FloatArray, level: float) -> tuple[float, float, float]:
    """Mean cost and its limits: the mean of the line, plus the mean error of the labels.

    Cases that were certain to be labelled count with their cost and add no doubt.
    """
    from scipy.special import stdtrit

    whole, sure = float(rows.mass.sum()), rows.chances >= 1
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
    low, high = score_limits(counts[None, None], kinds[None, None], z)
    value = float(moves.mean()) if n else 0.0
    return middle + value, middle + float(low[0]), middle + float(high[0])


def _counted(moves: FloatArray, unseen: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How often each error was seen, and the errors; those that differ by rounding are one."""
    every = np.append(moves, unseen)
    exponent = np.frexp(np.abs(every).max())[1]
    kinds, at = np.unique(np.round(np.ldexp(every, -exponent), 12), return_inverse=True)
    counts = np.bincount(at.reshape(-1)[: moves.shape[0]], minlength=kinds.shape[0])
    return counts.astype(np.float64), np.asarray(np.ldexp(kinds, exponent))


def _unseen(rows: _Rows, fitted: FloatArray) -> FloatArray:
    """The predicted error of each class and cost of a decision, whether a label showed it or not.

    Cases with the same costs of the decision taken are one kind; costs that differ from case to
    case are one kind for each class.
    """
    moves = (rows.paid - fitted[:, None]) * rows.weight[:, None]
    kinds, at = np.unique(rows.paid, axis=0, return_inverse=True)
    at = at.reshape(-1) if kinds.shape[0] <= _MOST_KINDS else np.zeros(len(fitted), dtype=np.intp)
    found = []
    for kind in range(int(at.max()) + 1):
        drawn = rows.posteriors[at == kind] * rows.chances[at == kind, None]
        total = drawn.sum(axis=0)
        mean = (drawn * moves[at == kind]).sum(axis=0)[total > 0] / total[total > 0]
        found.append(mean)
    return np.concatenate(found)
