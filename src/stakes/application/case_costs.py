"""CaseCosts: costs that differ from case to case, such as a loan's amount; from columns, or by
formulas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, as_switch, as_whole, frozen, of_kind
from stakes._columns import as_reals, as_weights, row_labels
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._names import as_names, listed, table_names
from stakes._random import as_generator
from stakes.application.application import Application
from stakes.application.cost_matrix import AMOUNTS, CostMatrix, binary_amounts
from stakes.application.expressions import CostExpression
from stakes.application.uncertain import UncertainApplication
from stakes.application.unknowns import Unknown
from stakes.exceptions import CostError
from stakes.messages import audience as reader
from stakes.typing import FloatArray, Name, RandomSource


# Why three rules are judged: docs/design/case-costs.md.
@dataclass(frozen=True, eq=False, repr=False, init=False)
class CaseCosts(AnswersGuesses):
    """One cost matrix for each case.

    Parameters
    ----------
    values : array-like of shape (n_cases, n_classes, n_decisions)
        Finite numbers; rows of each matrix are true classes.
    classes, decisions : sequence of names, optional
        As in `CostMatrix`.

    Examples
    --------
    >>> amount = np.array([1000.0, 200.0])
    >>> costs = CaseCosts.binary(fn=0.75 * amount, fp=0.05 * amount + 10)
    >>> costs.average().values
    array([[  0.,  40.],
           [450.,   0.]])
    """

    values: FloatArray
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]

    @answers_guesses
    def __init__(
        self,
        values: Any,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
    ) -> None:
        array = as_reals(values, "values", CostError)
        if array.ndim != 3 or array.size == 0:
            raise CostError(
                f"`values` must have shape (cases, classes, decisions); got {array.shape}."
            )
        if not np.isfinite(array).all():
            rows = np.flatnonzero(~np.isfinite(array).all(axis=(1, 2)))
            raise CostError(
                f"`values` must be finite; {reader.row(rows[0])} is not "
                f"({rows.size} of {array.shape[0]} rows fail).",
                rows=rows[:10].tolist(),
            )
        names, columns = table_names(array.shape[1:], classes, decisions, CostError)
        vars(self).update(values=frozen(array), classes=names, decisions=columns)

    @classmethod
    def binary(
        cls,
        *,
        fn: Any = None,
        fp: Any = None,
        tp: Any = None,
        tn: Any = None,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
        **spelled_out: Any,
    ) -> CaseCosts:
        """Two classes, two decisions; each cost a number or a column."""
        columns = binary_amounts({"fn": fn, "fp": fp, "tp": tp, "tn": tn, **spelled_out})
        return case_costs(
            columns, {key: key for key in columns}, classes=classes, decisions=decisions
        )

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Cases, classes, decisions."""
        return tuple(int(size) for size in self.values.shape)

    def __getitem__(self, rows: Any) -> CaseCosts | CostMatrix:
        """Some of the cases, by a slice or an array; or the cost matrix of one."""
        chosen = self.values[rows]
        if chosen.ndim == 2:
            return CostMatrix(chosen, classes=self.classes, decisions=self.decisions)
        return CaseCosts(chosen, classes=self.classes, decisions=self.decisions)

    def average(self, sample_weight: NDArray[Any] | None = None) -> CostMatrix:
        """The average matrix, for one rule that serves all cases (`wa2025` section 3.6)."""
        weights = as_weights(sample_weight, len(self))
        values = np.average(self.values, axis=0, weights=weights)
        values = np.clip(values, self.values.min(axis=0), self.values.max(axis=0))  # equal costs
        # stay equal
        return CostMatrix(values, classes=self.classes, decisions=self.decisions)

    def __repr__(self) -> str:
        names = f"{listed(self.classes, 4)} x {listed(self.decisions, 4)}"
        return f"CaseCosts({len(self)} cases: {names})"


_SHORT_FORM = {"tn": (0, 0), "fp": (0, 1), "fn": (1, 0), "tp": (1, 1)}


def case_costs(
    columns: Any,
    costs: Mapping[Any, Any],
    *,
    classes: Sequence[Any] | None = None,
    decisions: Sequence[Any] | None = None,
) -> CaseCosts:
    """Costs that differ from case to case, from columns and small formulas.

    For loans, invoices, customers: whenever the amount at stake is a column of the data.

    Parameters
    ----------
    columns : mapping or data frame
        Columns by name.
    costs : mapping
        Two classes: amounts by ``fn``, ``fp`` and optionally ``tp``, ``tn``. Any number of
        classes: ``{truth: {decision: amount}}``, where only the decision named like the truth
        may be left out. An amount is a number, a formula (see `CostExpression`) or a column
        given as an array.
    classes, decisions : sequence of names, optional
        As in `CaseCosts`; needed for more than two classes.

    Returns
    -------
    CaseCosts
        One matrix per case.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 3.6.

    Examples
    --------
    >>> loans = {"amount": [1000.0, 200.0]}
    >>> costs = case_costs(loans, {"fn": "0.75*amount", "fp": "0.05*amount + 10"})
    >>> costs.values[0]
    array([[  0.,  60.],
           [750.,   0.]])
    >>> case_costs(loans, {"good": {"refuse": "0.05*amount", "ask": 20, "lend": 0},
    ...                    "bad": {"refuse": 0, "ask": 20, "lend": "0.75*amount"}},
    ...            decisions=["refuse", "ask", "lend"])
    CaseCosts(2 cases: 'good', 'bad' x 'refuse', 'ask', 'lend')
    """
    classes, decisions, cells = _cells(costs, classes, decisions)
    amounts = {at: _amount(value, columns) for at, value in cells.items()}
    lengths = {value.shape[0] for value in amounts.values() if value.ndim}
    if len(lengths) > 1:
        raise CostError(f"cost columns must have equal lengths; got {sorted(lengths)}.")
    if not lengths:
        raise CostError(
            "none of the costs depends on the case.",
            hint="for the same costs in every case use CostMatrix",
        )
    shape = [2 if names is None else len(names) for names in (classes, decisions)]
    values = np.zeros((lengths.pop(), *shape))
    for (i, j), value in amounts.items():
        values[:, i, j] = value
    made = CaseCosts(values, classes=classes, decisions=decisions)
    given = [columns, *(columns.values() if isinstance(columns, Mapping) else ()), *cells.values()]
    known = [labels for each in given if (labels := row_labels(each)) is not None]
    if known:  # to be compared with those of the truth
        vars(made)["_row_labels"] = known[0]
    return made


def is_binary(costs: Mapping[Any, Any]) -> bool:
    """Whether amounts are given by fn, fp, tp, tn, rather than by truth and decision."""
    words = {key.lower() if isinstance(key, str) else key for key in costs}
    return words <= set(AMOUNTS) and not any(isinstance(v, Mapping) for v in costs.values())


def cost_cells(
    costs: Mapping[Any, Any], classes: Sequence[Any], decisions: Sequence[Any]
) -> dict[tuple[int, int], Any]:
    """Amounts by position of truth and decision, as they were given; absent ones are free."""
    return _cells(costs, classes, decisions)[2]


def _cells(
    costs: Mapping[Any, Any], classes: Sequence[Any] | None, decisions: Sequence[Any] | None
) -> tuple[Sequence[Any] | None, Sequence[Any] | None, dict[tuple[int, int], Any]]:
    """Classes, decisions, and amounts by position; raise if one is missing.

    Amounts are given by fn, fp, tp, tn, or by truth and decision.
    """
    of_kind(costs, "costs", Mapping, error=CostError)
    classes = None if classes is None else as_names(classes, "classes", CostError)
    decisions = None if decisions is None else as_names(decisions, "decisions", CostError)
    if is_binary(costs):
        sizes = [2 if names is None else len(names) for names in (classes, decisions)]
        if sizes != [2, 2]:
            raise CostError(
                f"{listed(tuple(costs))} are costs of two classes and two decisions; there are "
                f"{sizes[0]} and {sizes[1]}.",
                hint="{truth: {decision: amount}}",
            )
        said = {AMOUNTS[word.lower()] for word in costs}
        amounts = {at: binary_amounts(costs)[key] for key, at in _SHORT_FORM.items() if key in said}
        return classes, decisions, amounts
    rows = as_names(costs if classes is None else classes, "classes", CostError)
    columns = rows if decisions is None else as_names(decisions, "decisions", CostError)
    cells: dict[tuple[int, int], Any] = {}
    for truth, row in costs.items():
        if truth not in rows or not isinstance(row, Mapping):
            raise CostError(
                f"`costs` must give a mapping of decisions for each of {listed(rows)}; got "
                f"{truth!r}: {type(row).__name__}."
            )
        for decision, value in row.items():
            if decision not in columns:
                raise CostError(f"no decision {decision!r}; there are {listed(columns)}.")
            cells[rows.index(truth), columns.index(decision)] = value
    for i, truth in enumerate(rows):
        for j, decision in enumerate(columns):
            if (i, j) not in cells and truth != decision:
                raise CostError(
                    f"`costs` lacks the cost of deciding {decision!r} when the truth is {truth!r}.",
                    hint="write 0 if it is free",
                )
    return rows, columns, cells


def _amount(value: Any, columns: Any) -> FloatArray:
    """A number, a formula or a column as an array."""
    if isinstance(value, Real):
        return np.asarray(float(value))
    if not isinstance(value, (str, CostExpression)):
        value, columns = "given", {"given": value}
    return (CostExpression(value) if isinstance(value, str) else value).value(columns)


def costs_from_amounts(
    amounts: Mapping[Any, Mapping[Any, Any]],
    quantities: Mapping[str, Any] | None = None,
    *,
    gains: bool = False,
    decisions: Sequence[Any] | None = None,
    unit: str | None = None,
    draws: int = 2000,
    rng: RandomSource = 0,
) -> Application | UncertainApplication:
    """What is at stake, from formulas over named quantities such as rates and fees.

    For decisions whose outcomes can be expressed in money: write down what each decision earns or
    costs for each outcome, in terms of what is known. Quantities that are only known roughly
    make an uncertain application.

    Parameters
    ----------
    amounts : mapping of outcome to mapping of decision to amount
        An amount is a number or a formula over `quantities`; see `CostExpression`.
    quantities : mapping of name to number or unknown, optional
        The values of the names in the formulas.
    gains : bool
        The amounts are gains; costs are their negatives.
    decisions : sequence of names, optional
        Their order; that of the first outcome if absent.
    unit : str, optional
        What an amount of 1 is.
    draws : int
        Draws, when a quantity is unknown.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Application or UncertainApplication
        The latter when a quantity is unknown.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.2.

    Examples
    --------
    A loan that is denied, or approved at a high or a standard rate; gains per unit lent:

    >>> loan = costs_from_amounts(
    ...     {"repays": {"deny": 0, "high": "accepts*high_rate", "standard": "standard_rate"},
    ...      "defaults": {"deny": 0, "high": "paid*(1 + high_rate) - 1",
    ...                   "standard": "paid*(1 + standard_rate) - 1"}},
    ...     {"accepts": 0.5, "high_rate": 0.9, "standard_rate": 0.5, "paid": 0.4}, gains=True)
    >>> loan.costs.standardized().values.round(2)
    array([[0.5 , 0.05, 0.  ],
           [0.  , 0.24, 0.4 ]])
    """
    if not of_kind(amounts, "amounts", Mapping, error=CostError):
        raise CostError("`amounts` must name at least one outcome.")
    for truth, row in amounts.items():
        of_kind(row, f"amounts[{truth!r}]", Mapping, error=CostError)
    columns = next(iter(amounts.values())) if decisions is None else decisions
    columns = as_names(columns, "decisions", CostError)
    sides: dict[str, Any] = {"classes": tuple(amounts), "decisions": columns}
    known = {} if quantities is None else of_kind(quantities, "quantities", Mapping)
    unknown = any(isinstance(value, Unknown) for value in known.values())
    generator, n = as_generator(rng), as_whole(draws, "draws") if unknown else 1
    drawn = {
        name: value.sample(n, generator)
        if isinstance(value, Unknown)
        else np.full(n, as_number(value, name))
        for name, value in known.items()
    }
    drawn["0"] = np.zeros(n)  # one entry per draw, also where no formula names a quantity
    written: dict[Any, dict[Any, str]] = {truth: {} for truth in amounts}
    for truth, row in amounts.items():
        for decision, amount in row.items():
            formula = (
                amount if isinstance(amount, str) else repr(as_number(amount, "amounts", CostError))
            )
            written[truth][decision] = f"({formula}) + `0`"  # one value per draw
    values = case_costs(drawn, written, **sides).values
    values = 0.0 - values if as_switch(gains, "gains") else values
    if unknown:
        return UncertainApplication.from_samples(values, **sides, unit=unit)
    return Application(CostMatrix(values[0], **sides), unit=unit)
