"""DecidedCases: cases with posteriors and decisions, and what each decision costs if a class is
true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_switch, keep, of_kind, same_length
from stakes._columns import as_column, refuse_other_order, row_labels, weighed_rows
from stakes._guesses import answers_guesses
from stakes._names import as_positions, encode
from stakes.application import Application, CaseCosts, UncertainApplication
from stakes.application.cost_input import stated_costs
from stakes.decisions.bayes import class_posteriors
from stakes.estimation.bin_middles import middles
from stakes.estimation.input_columns import Inputs, read_inputs
from stakes.exceptions import CostError, DataError, PriorError
from stakes.posteriors.class_order import ClassOrder, asked_order
from stakes.rules import DecisionRule
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray, IntArray, Name


@dataclass(frozen=True, eq=False, repr=False)
class DecidedCases:
    """Cases that were scored and decided, labelled or not.

    What `estimate_cost` takes. Make them with `from_scores` or `from_bins`; further cases of the
    same model, with the same costs and the same rule, with `alike`.

    Parameters
    ----------
    rule : DecisionRule
        How scores are decided, and what is at stake.
    posteriors : array of shape (n_cases, n_classes)
        Posteriors as the model gives them.
    paid : array of shape (n_cases, n_classes)
        What the decision taken costs if each class is the true one.
    mass, squares : array of shape (n_cases,)
        What each row counts for, and the square of it summed over the cases of the row: a weight
        and its square, or twice the number of identical cases.
    truth : array of shape (n_cases,) or None
        Positions of the true classes; None where they are not known.
    inputs : Inputs or None
        Columns that the model saw, to weigh the reference when inputs have changed.
    by : array of shape (n_cases,) or None
        The slice of each case.
    """

    rule: DecisionRule
    posteriors: FloatArray
    paid: FloatArray
    mass: FloatArray
    squares: FloatArray
    truth: IntArray | None = None
    inputs: Inputs | None = None
    by: NDArray[Any] | None = None
    _order: ClassOrder | None = None

    def __post_init__(self) -> None:
        keep(self, posteriors=self.posteriors, paid=self.paid, mass=self.mass, squares=self.squares)

    # ------------------------------------------------------------- ways in

    @classmethod
    @answers_guesses
    def from_scores(
        cls,
        y_true: Any,
        posteriors: Any,
        *,
        costs: Any = None,
        application: Any = None,
        rule: DecisionRule | None = None,
        decisions: Any = None,
        case_costs: CaseCosts | None = None,
        inputs: Any = None,
        by: Any = None,
        sample_weight: Any = None,
        counts: Any = None,
        classes: Any = None,
        positive: Any = None,
    ) -> DecidedCases:
        """Cases from posteriors, with costs as for `stakes.evaluate`.

        Parameters
        ----------
        y_true : column or None
            True classes, as names or positions; None where they are not known.
        posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
            What the model says; a single column is the probability of the second class. For log
            odds `Posteriors.from_logits`.
        costs, application : optional
            What errors cost, in any form that `stakes.evaluate` takes.
        rule : DecisionRule, optional
            How posteriors are decided; by default the decision of least expected cost.
        decisions : column, optional
            The decisions taken, by any other rule.
        case_costs : CaseCosts, optional
            Costs that differ from case to case.
        inputs : data frame, mapping of columns, or array of shape (n_cases, n_inputs), optional
            What the model saw of each case: numbers, or names of categories.
        by : column, optional
            The slice of each case.
        sample_weight, counts : column, optional
            A sampling weight, or how often each row occurred.
        classes, positive : optional
            The order of the columns, as in `stakes.bayes_decisions`; without `y_true` also the
            names of the classes, where `costs` has none.

        Returns
        -------
        DecidedCases
            To be given to `stakes.estimation.estimate_cost`.

        Examples
        --------
        >>> cases = DecidedCases.from_scores([0, 1, 1], [0.2, 0.05, 0.9],
        ...                                  costs={"fn": 10, "fp": 1})
        >>> cases.paid.tolist()
        [[1.0, 0.0], [0.0, 10.0], [1.0, 0.0]]
        """
        case_costs, app = _at_stake(costs, application, case_costs, rule, y_true, classes, positive)
        used = rule or _bayes_rule(app, _shares_in(y_true, app), per_case=case_costs is not None)
        order = asked_order(classes, positive, y_true)
        return _read(
            used, order, posteriors, y_true=y_true, decisions=decisions, case_costs=case_costs,
            inputs=inputs, by=by, sample_weight=sample_weight, counts=counts,
        )  # fmt: skip

    def alike(
        self,
        posteriors: Any,
        *,
        y_true: Any = None,
        decisions: Any = None,
        case_costs: CaseCosts | None = None,
        inputs: Any = None,
        by: Any = None,
        sample_weight: Any = None,
        counts: Any = None,
    ) -> DecidedCases:
        """Further cases of the same model, decided by the same rule; see `from_scores`.

        Parameters
        ----------
        posteriors : Posteriors or array-like
            What the model says of them.
        y_true, decisions, case_costs, inputs, by, sample_weight, counts : optional
            As in `from_scores`; `y_true` is mostly not known yet.

        Returns
        -------
        DecidedCases
            With the rule and the costs of these.

        Examples
        --------
        >>> old = DecidedCases.from_scores([0, 1], [0.2, 0.9], costs={"fn": 10, "fp": 1})
        >>> old.alike([0.05, 0.5, 0.7])
        <DecidedCases: 3 cases without labels, decided by p > 0.0909>
        """
        return _read(
            self.rule, self._order or ClassOrder(), posteriors, y_true=y_true, decisions=decisions,
            case_costs=case_costs, inputs=inputs, by=by, sample_weight=sample_weight, counts=counts,
        )  # fmt: skip

    @classmethod
    def from_bins(
        cls, bins: RankedScores, *, application: Any, labelled: bool = True
    ) -> DecidedCases:
        """Cases of two classes from counted scores, as engines count them.

        Parameters
        ----------
        bins : ScoreBins or ScoreCounts
            Counts of posteriors or log odds; every cut of the Bayes rule must be an edge.
        application : Application, CostMatrix, or costs in another form
            What is at stake.
        labelled : bool
            False where the labels are not known yet: the two columns of counts are then added.

        Returns
        -------
        DecidedCases
            One row for each filled bin and class, with the number of its cases.

        Examples
        --------
        >>> from stakes import ScoreBins
        >>> bins = ScoreBins.from_scores([0, 1, 1], [0.01, 0.5, 0.7], edges=[1 / 11, 0.6],
        ...                              kind="posterior")
        >>> DecidedCases.from_bins(bins, application=[[0, 1], [10, 0]])
        <DecidedCases: 3 cases with labels, decided by p > 0.0909>
        """
        of_kind(bins, "bins", RankedScores)
        as_switch(labelled, "labelled")
        if bins.kind not in ("posterior", "log_odds"):
            raise DataError(
                f"`bins` must hold posteriors or log odds; got scores of kind {bins.kind!r}.",
                hint='ScoreBins.from_scores(..., kind="posterior")',
            )
        stated = stated_costs(application, None, None)
        if not isinstance(stated, Application):
            raise CostError("counted scores need costs that are known and the same for all cases.")
        rule = _bayes_rule(stated, bins.from_priors)
        middle, numbers = middles(bins, rule.on(bins.kind))
        if not labelled:
            numbers = numbers.sum(axis=1, keepdims=True)
        second = middle if bins.kind == "posterior" else 1 / (1 + np.exp(-middle))
        rows, columns = np.nonzero(numbers)
        counts, p = numbers[rows, columns].astype(np.float64), second[rows]
        posteriors = np.column_stack([1 - p, p])
        paid = stated.costs.values.T[rule.on(bins.kind).positions(middle[rows])]
        return cls(rule, posteriors, paid, counts, counts, columns if labelled else None)

    # ------------------------------------------------------------- what it holds

    @property
    def application(self) -> Application:
        """What is at stake."""
        return self.rule.application

    @property
    def classes(self) -> tuple[Name, ...]:
        """The class names, in the order of the columns."""
        return self.rule.classes

    @property
    def counts(self) -> FloatArray:
        """How many cases each row stands for; 0 where it has no weight."""
        positive = self.mass > 0
        alike = np.divide(self.squares, self.mass, out=np.ones(len(self)), where=positive)
        return np.divide(self.mass, alike, out=np.zeros(len(self)), where=positive)

    @property
    def number(self) -> int:
        """How many cases there are, of positive weight."""
        return round(float(self.counts.sum()))

    @property
    def labels(self) -> IntArray:
        """Positions of the true classes, or an error where they are not known."""
        if self.truth is None:
            raise DataError("these cases have no labels.", hint="from_scores(y_true, posteriors)")
        return self.truth

    @property
    def shares(self) -> FloatArray:
        """Share of each class among labelled cases."""
        totals = np.bincount(self.labels, weights=self.mass, minlength=len(self.classes))
        return np.asarray(totals / totals.sum())

    @property
    def cost(self) -> float:
        """What the decisions cost per case, by the labels."""
        return float(self.mean(self.paid[np.arange(len(self)), self.labels]))

    def mean(self, values: FloatArray) -> Any:
        """The mean of a value of each case, or of several."""
        return (self.mass @ values) / self.mass.sum()

    @property
    def effective(self) -> float:
        """How many cases of equal weight are as informative (Kish)."""
        return float(self.mass.sum() ** 2 / self.squares.sum())

    def part(self, rows: NDArray[Any]) -> DecidedCases:
        """Some of the cases."""
        kept: dict[str, Any] = {
            name: None if (value := getattr(self, name)) is None else value[rows]
            for name in ("posteriors", "paid", "mass", "squares", "truth", "inputs", "by")
        }
        return replace(self, **kept)

    def __len__(self) -> int:
        return int(self.mass.shape[0])

    def __repr__(self) -> str:
        known = "without" if self.truth is None else "with"
        return f"<DecidedCases: {self.number} cases {known} labels, decided by {self.rule}>"


def _at_stake(
    costs: Any,
    application: Any,
    case_costs: Any,
    rule: Any,
    y_true: Any,
    classes: Any,
    positive: Any,
) -> tuple[CaseCosts | None, Application]:
    """Costs that differ from case to case, if any, and what is the same for all."""
    if rule is not None:
        of_kind(rule, "rule", DecisionRule)
        if costs is not None or application is not None:
            raise CostError("`rule` holds the costs already.", hint="leave out `costs`")
        return case_costs, rule.application
    if case_costs is not None and costs is None and application is None:
        costs, case_costs = case_costs, None
    labels = classes if y_true is None else y_true  # the names alone, where there are no labels
    stated = stated_costs(application, costs, labels, classes=classes, positive=positive)
    if isinstance(stated, UncertainApplication):
        raise CostError(
            "estimates need costs that are known; these are ranges.",
            hint="estimate at each end of the range",
        )
    if isinstance(stated, CaseCosts):
        return stated, Application(stated.average())
    return case_costs, stated


def _shares_in(y_true: Any, app: Application) -> FloatArray | None:
    """Class shares of the labels, for which the posteriors were made; None without labels."""
    if y_true is None or app.priors is None:
        return None
    codes = encode(as_column(y_true, "y_true"), app.classes, "y_true")
    return np.bincount(codes, minlength=len(app.classes)) / max(1, len(codes))


def _bayes_rule(app: Application, said_at: Any, *, per_case: bool = False) -> DecisionRule:
    """The decision of least expected cost; posteriors are moved to priors that are given."""
    if app.priors is not None and said_at is None:
        raise PriorError(
            "the application has priors, and nothing says for which the posteriors were made.",
            hint="from_scores(y_true, ...) takes the shares of the labels; or rule=DecisionRule("
            "..., from_priors=[...]), or leave out the priors",
        )
    return DecisionRule(app, from_priors=said_at, per_case=per_case)


def _read(
    rule: DecisionRule,
    order: ClassOrder,
    posteriors: Any,
    *,
    y_true: Any,
    decisions: Any,
    case_costs: CaseCosts | None,
    inputs: Any,
    by: Any,
    sample_weight: Any,
    counts: Any,
) -> DecidedCases:
    """Check columns and decide."""
    others = {"decisions": decisions, "case_costs": case_costs, "by": by}
    others |= {"sample_weight": sample_weight, "counts": counts}
    refuse_other_order(y_true, {"posteriors": posteriors, **others})
    said = class_posteriors(posteriors, rule.classes, order)
    size = said.shape[0]
    if not size:
        raise DataError("`posteriors` must hold at least one case; got none.")
    if case_costs is not None:
        of_kind(case_costs, "case_costs", CaseCosts)
    given = {"case_costs": case_costs, "y_true": y_true, "decisions": decisions, "by": by}
    columns: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name in ("y_true", "decisions", "by"):
        if name in columns:
            columns[name] = as_column(columns[name], name)
    for name, value in columns.items():
        same_length("posteriors", size, name, len(value))
    if rule.per_case and decisions is None and case_costs is None:
        raise CostError("costs differ from case to case; those of these cases are needed.",
                        hint="case_costs=CaseCosts(...)")  # fmt: skip
    if decisions is not None:
        taken = as_positions(encode(columns["decisions"], rule.decisions, "decisions"))
    else:
        taken = rule.positions(said, costs=case_costs) if rule.per_case else rule.positions(said)
    chosen = np.asarray(taken).astype(np.intp)
    if case_costs is None:
        paid = rule.application.costs.values.T[chosen]
    else:
        paid = case_costs.values[np.arange(size), :, chosen]
    truth = None
    if y_true is not None:
        truth = np.asarray(encode(columns["y_true"], rule.classes, "y_true")).astype(np.intp)
    weights, (rows,) = weighed_rows(counts, sample_weight, np.arange(size))
    mass = np.zeros(size)
    mass[rows] = 1.0 if weights is None else weights
    squares = mass if counts is not None else mass**2
    read = None if inputs is None else read_inputs(inputs, size)
    made = DecidedCases(
        rule,
        said.astype(np.float64),
        np.asarray(paid, dtype=np.float64),
        mass,
        squares,
        truth,
        read,
        columns.get("by"),
        order,
    )
    labels = row_labels(posteriors if y_true is None else y_true)
    if labels is not None:  # to be compared with those of labels that come later
        vars(made)["_row_labels"] = labels
    return made
