"""CostMatrix: what each decision costs for each true class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_matrix, as_number, as_priors, frozen, of_kind
from stakes._columns import EXACT, as_array, as_reals, in_brief
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._names import as_names, listed, place_of, table_names
from stakes.application.labelled_frame import labelled_table, refuse_names
from stakes.exceptions import CostError, DataError, PriorError
from stakes.results import Frame
from stakes.typing import FloatArray, Name, Priors

if TYPE_CHECKING:
    from stakes.application.dominance import DominatedDecision
    from stakes.application.equivalence import Disagreement


#: A table of more classes than this does not fit into memory.
_MOST_CLASSES = 20_000
_TYPED = (
    "CostMatrix.binary(fn=10, fp=1); by truth and decision "
    'stakes.Application({"no": {"yes": 1}, "yes": {"no": 10}}).costs'
)

#: Every word for a cost of two classes and two decisions.
AMOUNTS = {name: name for name in ("fn", "fp", "tp", "tn")}
AMOUNTS |= {"miss": "fn", "false_alarm": "fp", "false_negative": "fn", "false_positive": "fp"}
AMOUNTS |= {"true_positive": "tp", "true_negative": "tn"}


def binary_amounts(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Amounts by tn, fp, fn and tp, from any words for them; right decisions are 0 if absent."""
    found: dict[str, Any] = {}
    for word, amount in given.items():
        key = AMOUNTS.get(word.lower()) if isinstance(word, str) else None
        if key is None:
            raise CostError(f"{word!r} is no cost of two classes.", hint="fn=10, fp=1")
        if amount is None:
            continue
        if key in found:
            raise CostError(f"the cost {key!r} is given twice, the second time as {word!r}.")
        found[key] = amount
    for key, meaning in (("fn", "a miss"), ("fp", "a false alarm")):
        if key not in found:
            raise CostError(
                f"`costs` lacks {key!r}, the cost of {meaning}.", hint="write 0 if free"
            )
    return {key: found.get(key, 0.0) for key in ("tn", "fp", "fn", "tp")}


@dataclass(frozen=True, eq=False, repr=False, init=False)
class CostMatrix(AnswersGuesses):
    """Cost of each decision (columns) for each true class (rows), both named.

    Lower is better; a gain is a negative cost. The decisions need not be the classes:
    "ask a person" is a decision like any other.

    Parameters
    ----------
    values : array-like of shape (n_classes, n_decisions)
        Finite numbers in any unit. Rows are true classes.
    classes : sequence of names, optional
        One per row; 0, 1, ... when neither names are given.
    decisions : sequence of names, optional
        One per column; the classes when the matrix is square.

    See Also
    --------
    stakes.Application : costs together with the priors of the place where they are paid.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes: The Expected Cost is a Principled
       All-purpose Classification Metric", TMLR 2025, section 2.

    Examples
    --------
    >>> costs = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"],
    ...                    decisions=["ignore", "call"])
    >>> costs
    CostMatrix(2 classes x 2 decisions: 'stay', 'churn' x 'ignore', 'call'; [[0, 1], [10, 0]])
    >>> costs.cost("churn", "ignore")
    10.0
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
        if isinstance(values, Mapping):
            raise CostError("`values` must be a table of numbers; got a mapping.", hint=_TYPED)
        if classes is None or decisions is None:
            refuse_names(values)
        array = as_matrix(values, "values").astype(np.float64)  # a copy: ours to keep
        if array.size == 0:
            raise CostError(f"`values` must not be empty; got shape {array.shape}.")
        if not np.isfinite(array).all():
            row, column = np.argwhere(~np.isfinite(array))[0]
            raise CostError(
                f"`values` must be finite; row {row}, column {column} is {array[row, column]}.",
                hint="for a decision that is not allowed, leave its column out",
            )
        rows, columns = table_names(array.shape, classes, decisions, CostError)
        vars(self).update(values=frozen(array), classes=rows, decisions=columns)

    # ------------------------------------------------------------- ways to make one

    @classmethod
    def zero_one(cls, classes: int | Sequence[Any]) -> CostMatrix:
        """Every error costs 1: the expected cost is then the error rate (`ferrer2025` eq 5).

        Examples
        --------
        >>> CostMatrix.zero_one(["a", "b"]).values
        array([[0., 1.],
               [1., 0.]])
        """
        if isinstance(classes, (int, np.integer)):
            if not 0 <= classes <= _MOST_CLASSES:
                raise CostError(
                    f"`classes` must be 1 to {_MOST_CLASSES:,}; got {in_brief(classes)}."
                )
            classes = range(classes)
        names = as_names(classes, "classes", CostError)
        return cls(1.0 - np.eye(len(names)), classes=names)

    @classmethod
    def binary(
        cls,
        *,
        fn: float | None = None,
        fp: float | None = None,
        tp: float | None = None,
        tn: float | None = None,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
        **spelled_out: float,
    ) -> CostMatrix:
        """Two classes, two decisions; the second class is the positive one.

        `false_negative`, `false_positive` and so on are the same, spelled out.

        Examples
        --------
        >>> CostMatrix.binary(fn=10, fp=1).values
        array([[ 0.,  1.],
               [10.,  0.]])
        """
        amounts = binary_amounts({"fn": fn, "fp": fp, "tp": tp, "tn": tn, **spelled_out})
        values = [[amounts["tn"], amounts["fp"]], [amounts["fn"], amounts["tp"]]]
        return cls(values, classes=classes, decisions=decisions)

    @classmethod
    def inverse_prior(cls, priors: Priors, classes: Sequence[Any] | None = None) -> CostMatrix:
        """Errors cost 1 / (K P_i): the balanced error rate (`ferrer2025` eq 6).

        Examples
        --------
        >>> CostMatrix.inverse_prior([0.8, 0.2]).values
        array([[0.   , 0.625],
               [2.5  , 0.   ]])
        """
        if classes is None:
            given = (
                priors if isinstance(priors, Mapping) else as_reals(priors, "priors", PriorError)
            )
            classes = list(given) if isinstance(given, Mapping) else range(given.size)
        classes = as_names(classes, "classes", CostError)
        shares = as_priors(priors, classes)
        if (shares == 0).any():
            absent = [name for name, share in zip(classes, shares, strict=True) if share == 0]
            raise CostError(f"`priors` must be positive to be inverted; {listed(absent)} has 0.")
        values = np.repeat(1.0 / (len(shares) * shares)[:, None], len(shares), axis=1)
        np.fill_diagonal(values, 0.0)
        return cls(values, classes=classes)

    @classmethod
    def from_utilities(
        cls,
        values: Any,
        classes: Sequence[Any] | None = None,
        decisions: Sequence[Any] | None = None,
    ) -> CostMatrix:
        """Gains turned into costs by changing their sign; rows are true classes.

        Examples
        --------
        >>> CostMatrix.from_utilities([[15, -35], [-335, 165]]).values
        array([[ -15.,   35.],
               [ 335., -165.]])
        """
        gains = as_matrix(values, "values").astype(np.float64)
        return cls(0.0 - gains, classes=classes, decisions=decisions)

    @classmethod
    def expected(
        cls, matrices: Sequence[CostMatrix], weights: Sequence[float] | None = None
    ) -> CostMatrix:
        """The average of several matrices, for decisions when it is uncertain which one holds.

        By linearity the expected cost under uncertain costs is the cost under their
        expectation (`dyrland2022` eq 18). A distribution is given by its samples.

        Examples
        --------
        >>> low, high = CostMatrix([[0, 1], [5, 0]]), CostMatrix([[0, 1], [15, 0]])
        >>> CostMatrix.expected([low, high], weights=[0.3, 0.7]).values
        array([[ 0.,  1.],
               [12.,  0.]])
        """
        matrices = [
            of_kind(each, "matrices", CostMatrix, error=CostError)
            for each in of_kind(matrices, "matrices", Iterable, error=CostError)
        ]
        if len(matrices) == 0:
            raise CostError("`matrices` must hold at least one cost matrix; got none.")
        first = matrices[0]
        for matrix in matrices:
            if (matrix.classes, matrix.decisions) != (first.classes, first.decisions):
                raise CostError(f"`matrices` must share all names; got {first!r} and {matrix!r}.")
        given = [1.0 / len(matrices)] * len(matrices) if weights is None else weights
        shares = as_priors(given, range(len(matrices)), name="weights", of="matrices")
        return first._with(np.tensordot(shares, np.stack([m.values for m in matrices]), axes=1))

    @classmethod
    def from_frame(cls, frame: Any, truth: str | None = None) -> CostMatrix:
        """A labelled pandas, Polars or pyarrow table: one row per true class.

        The true classes are the index of a pandas frame, else the first column, or the column
        called `truth`; the other columns are the decisions. If the index or column of
        row names is called ``decision``, the table is transposed.
        If both sides have the same names, one of them must be called truth or decision:
        ``frame.rename_axis("truth")``.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"ignore": [0, 40], "call": [4, 0]}, index=["stay", "churn"])
        >>> CostMatrix.from_frame(table).cost("churn", "ignore")
        40.0
        """
        values, classes, decisions = labelled_table(frame, truth)
        return cls(values, classes=classes, decisions=decisions)

    # ------------------------------------------------------------- ways to change one

    @answers_guesses
    def with_abstention(self, cost: float | Sequence[float], name: Name = "abstain") -> CostMatrix:
        """The same matrix with one more decision, paid whatever the truth is.

        With 0-1 costs and one cost alpha for all classes, the Bayes rule then abstains
        exactly when all posteriors are below 1 - alpha, and the best naive decision is to
        abstain exactly when all priors are (`ferrer2025` eqs 30-33). At 1 - alpha itself the
        class wins, being the earlier column.

        Examples
        --------
        >>> CostMatrix.zero_one(2).with_abstention(0.05).decisions
        (0, 1, 'abstain')
        """
        column = as_array(cost, "cost")
        if column.dtype.kind not in "fiu" or column.shape not in ((), (len(self.classes),)):
            raise CostError(
                f"`cost` must be one number, or one for each of the {len(self.classes)} classes "
                f"{listed(self.classes)}; got {cost!r}."
            )
        column = np.broadcast_to(column.astype(np.float64), (len(self.classes),))
        values = np.column_stack([self.values, column])
        return CostMatrix(values, classes=self.classes, decisions=(*self.decisions, name))

    def standardized(self) -> CostMatrix:
        """Costs above the cheapest decision of each class (`ferrer2025` section 2).

        Examples
        --------
        >>> CostMatrix([[-5, 1], [10, 2]]).standardized().values
        array([[0., 6.],
               [8., 0.]])
        """
        return self._with(self.values - self.values.min(axis=1, keepdims=True))

    def scaled(self, factor: float) -> CostMatrix:
        """All costs times a positive factor, e.g. to change the currency.

        Examples
        --------
        >>> CostMatrix([[0, 1], [10, 0]]).scaled(4).values
        array([[ 0.,  4.],
               [40.,  0.]])
        """
        factor = as_number(factor, "factor", CostError)
        if not (np.isfinite(factor) and factor > 0):
            raise CostError(f"`factor` must be a positive number; got {factor!r}.")
        with np.errstate(over="ignore"):  # infinite costs are refused when the matrix is made
            return self._with(self.values * factor)

    def _with(self, values: FloatArray) -> CostMatrix:
        """Other costs under the same names."""
        return CostMatrix(values, classes=self.classes, decisions=self.decisions)

    # ------------------------------------------------------------- looking at one

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and of decisions."""
        return len(self.classes), len(self.decisions)

    def cost(self, truth: Name, decision: Name) -> float:
        """What `decision` costs when the true class is `truth`."""
        sides = (("class", truth, self.classes), ("decision", decision, self.decisions))
        for what, name, names in sides:
            if place_of(name, names) is None:
                raise CostError(f"no {what} {in_brief(name)}; there are {listed(names)}.")
        return float(self.values[self.classes.index(truth), self.decisions.index(decision)])

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        raise DataError(
            "a cost matrix has names, which an array loses.",
            hint="costs.values; with names costs.frame().to_pandas()",
        )

    def frame(self) -> Frame:
        """One row per cell: truth, decision, cost."""
        rows, columns = self.shape
        truths = [name for name in self.classes for _ in range(columns)]
        decisions = list(self.decisions) * rows
        return Frame({"truth": truths, "decision": decisions, "cost": self.values.ravel()})

    def describe(self, unit: str | None = None) -> str:
        """The costs in words, in `unit` if given; many cells are summarised.

        Examples
        --------
        >>> costs = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"],
        ...                    decisions=["ignore", "call"])
        >>> print(costs.describe(unit="EUR"))
        Costs used (EUR):
          truth churn,  decision ignore  -> 40   (missed 'churn')
          truth stay,   decision call    ->  4   (false alarm)
          correct decisions              ->  0
        one missed 'churn' costs as much as 10 false alarms
        """
        from stakes.application.cost_sentences import describe_costs

        return describe_costs(self, unit=unit)

    # ------------------------------------------------------------- comparing decisions, matrices

    def dominated_decisions(self) -> tuple[DominatedDecision, ...]:
        """Decisions never worth taking; see `stakes.application.dominated_decisions`."""
        from stakes.application.dominance import dominated_decisions

        return dominated_decisions(self)

    def decides_like(self, other: CostMatrix) -> bool:
        """Whether both take the same Bayes decision for every posterior, exact ties apart.

        This is enough for making decisions. Evaluating with `other` instead needs more, namely
        `ranks_like`: with three decisions two matrices can decide alike and rank systems
        differently.

        Examples
        --------
        >>> costs = CostMatrix([[0, 0.25, 1], [1, 0.25, 0]])
        >>> other = CostMatrix([[0, 0.1, 1.6], [0.8, 0.5, 0]])
        >>> costs.decides_like(other), costs.ranks_like(other)
        (True, False)
        """
        return self.disagreement(other) is None

    def disagreement(self, other: CostMatrix) -> Disagreement | None:
        """A posterior that is decided differently; see `stakes.application.disagreement`."""
        from stakes.application.equivalence import disagreement

        return disagreement(self, other)

    def ranks_like(self, other: CostMatrix) -> bool:
        """Whether both rank all systems alike; see `stakes.application.ranks_like`."""
        from stakes.application.equivalence import ranks_like

        return ranks_like(self, other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        names = (self.classes, self.decisions) == (other.classes, other.decisions)
        return names and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        values = self.values + 0.0  # -0.0 equals 0.0
        return hash((self.classes, self.decisions, values.tobytes()))

    def __repr__(self) -> str:
        rows, columns = self.shape
        names = f"{listed(self.classes, 4)} x {listed(self.decisions, 4)}"
        return f"CostMatrix({rows} classes x {columns} decisions: {names}; {self._shown})"

    @property
    def _shown(self) -> str:
        """The costs row by row, the first ones of a large matrix."""
        few = [[f"{cost:g}" for cost in row[:6]] for row in self.values[:6].tolist()]
        rows = [f"[{', '.join(row)}{', ...' if self.shape[1] > 6 else ''}]" for row in few]
        return f"[{', '.join(rows)}{', ...' if self.shape[0] > 6 else ''}]"


def named_line(costs: CostMatrix, names: Sequence[Name]) -> str | None:
    """What to type for the same costs with names; None unless two classes lack them."""
    if costs.shape != (2, 2) or (*costs.classes, *costs.decisions) != (0, 1, 0, 1):
        return None
    if len(names) != 2 or tuple(names) == (0, 1):
        return None
    (tn, fp), (fn, tp) = costs.values.tolist()
    right = "".join(f", {key}={_typed(cost)}" for key, cost in (("tp", tp), ("tn", tn)) if cost)
    amounts = f"fn={_typed(fn)}, fp={_typed(fp)}{right}"
    return f"stakes.CostMatrix.binary({amounts}, classes={list(names)}), the positive class second"


def _typed(cost: float) -> str:
    """An amount with all its digits; a whole one without a decimal point."""
    return str(int(cost)) if cost.is_integer() and abs(cost) < EXACT else repr(cost)
