"""The cost of many decided cases of which some are labelled: predictions, corrected by labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stakes._checks import as_level, of_kind, same_length
from stakes._columns import refuse_other_order
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes.estimation.compared_cases import refuse_other_costs
from stakes.estimation.decided_cases import DecidedCases
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
from stakes.exceptions import DataError, UndefinedError
from stakes.results import Frame
from stakes.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class LabelledCost(AnswersGuesses):
    """What decisions cost, from predictions and some labels; from `cost_from_labels`.

    Parameters
    ----------
    value, low, high : float
        Cost per case of these cases, or the difference of two models, and its interval.
    level : float
        Share of such intervals that contain the cost which all labels would give.
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
    difference : bool
        Whether this is the cost of one model less that of another.
    notes : tuple of str
        What a reader should know.
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
    difference: bool = False
    notes: tuple[str, ...] = ()

    @property
    def saving(self) -> float:
        """Share of the labels that the predictions replace, judged by the widths of intervals."""
        wide = self.plain[2] - self.plain[1]
        return 1.0 - ((self.high - self.low) / wide) ** 2 if wide > 0 else 0.0

    @property
    def text(self) -> str:
        """The estimate in a sentence."""
        unit = f" {self.unit}" if self.unit else ""
        what = "A difference of " if self.difference else ""
        return (
            f"{what}{self.value:.4g}{unit} per case ({self.low:.4g} to {self.high:.4g}, level "
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
            "notes": list(self.notes),
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
@answers_guesses
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
    poor posteriors do little harm. The estimate is the mean :math:`\bar f` of that line plus the
    mean error of the labelled cases, each weighted by one over its chance to be labelled.

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
    refuse_other_order(y_true, {"cases": of_kind(cases, "cases", DecidedCases)})
    level = as_level(level)
    paid, posteriors = compared_costs(cases, against)
    truth, known = known_classes(y_true, cases.classes, len(cases))
    kept = cases.mass > 0
    odds = label_chances(chances, known, kept)
    rows = LabelledRows(paid, posteriors, kinds_by_cost(paid), cases.mass, truth, known, odds)
    rows, by = rows.part(kept), None if cases.by is None else cases.by[kept]
    found = _estimated(rows, level, cases.application.unit, against is not None)
    if by is None:
        return found
    refuse_uneven_slices(rows.known, rows.chances, by)
    slices, notes = {}, []
    for name in dict.fromkeys(by.tolist()):
        try:
            part = rows.part(by == name)
            slices[name] = _estimated(
                part, level, found.unit, found.difference, f" of slice {name!s}"
            )
        except UndefinedError as error:
            notes.append(f"slice {name!s}: {error.message}")
    return replace(found, slices=slices, notes=tuple(notes))


def compared_costs(cases: DecidedCases, against: Any) -> tuple[FloatArray, FloatArray]:
    """Costs if each class is true, and posteriors; of two models differences and means."""
    _refuse_counts(cases)
    if against is None:
        return cases.paid, cases.posteriors
    of_kind(against, "against", DecidedCases)
    same_length("against", len(against), "cases", len(cases))
    refuse_other_costs(
        cases, against, ("cases", "against"), hint="cases.alike(posteriors) has the same costs"
    )
    if not np.array_equal(against.mass, cases.mass):
        raise DataError("`against` must hold the same cases: their weights differ.")
    return cases.paid - against.paid, (cases.posteriors + against.posteriors) / 2


def _refuse_counts(cases: DecidedCases) -> None:
    """Raise where a row stands for several cases, of which one label says nothing."""
    several = cases.squares < cases.mass**2 * (1 - 1e-9)
    if several.any():
        raise DataError(
            f"{several.sum()} rows of `cases` stand for several cases each, and each case is "
            "labelled or not by itself.",
            hint="DecidedCases.from_scores(None, posteriors, ...) with one row for each case; "
            "estimate_cost(...) takes counts and bins",
        )


def _estimated(
    rows: LabelledRows, level: float, unit: str | None, difference: bool, where: str = ""
) -> LabelledCost:
    """The estimate from some rows; raise where too few of them are labelled."""
    refuse_few_labels(rows.known)
    refuse_other_cases(rows, where)
    line = fitted_line(rows)
    value, low, high = corrected_mean(rows, line, level)
    weight = rows.weight[rows.known]
    alone = corrected_mean(rows, np.array([(weight @ rows.realised) / weight.sum(), 0.0]), level)
    size, labels = rows.known.shape[0], int(rows.known.sum())
    found = LabelledCost(value, low, high, level, labels, size, alone, float(line[1]), unit)
    return replace(found, difference=difference)
