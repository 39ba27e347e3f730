"""DecisionRule: from the scores of a model to decisions, in one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, as_priors, frozen, of_kind, sum_tolerance, two_numbers
from stakes._columns import in_brief
from stakes._files import as_path
from stakes._guesses import answers_guesses
from stakes._names import named_column, one_of, place_of
from stakes.application import Application
from stakes.application.application import as_application
from stakes.decisions.bayes import weighed_decisions
from stakes.exceptions import CostError, DataError, PriorError
from stakes.rules.applied_rule import decided
from stakes.rules.cut_points import CutPoints
from stakes.rules.decided_rows import decided_one
from stakes.rules.raw_cuts import SCORE_TYPES
from stakes.rules.row_expressions import argmin, decided_by_cuts, expected_costs
from stakes.rules.rule_parts import (
    columns_of_rule,
    converted,
    formulas_of_rule,
    prices_of_rule,
    priors_of_calibrator,
    refuse_what_contradicts,
)
from stakes.rules.rule_words import in_words, in_words_short, model_in_words, texts_for
from stakes.typing import FloatArray, Name, Priors

if TYPE_CHECKING:
    from stakes.calibration import Calibrator

#: What the scores of a rule can be.
KINDS = ("posterior", "log_odds", "llr", "rank", "decision")


@dataclass(frozen=True, eq=False, repr=False)
class DecisionRule(CutPoints):
    """Turns the scores of a model into decisions.

    For two classes, a score is compared with cuts, which are exact for the given costs and priors
    and rounded once. For more classes, the decision has the least expected cost. Ties go to the
    earlier decision.

    Parameters
    ----------
    application : Application or CostMatrix
        Costs, names, unit, and the priors of the place where the rule will run.
    scores : {"posterior", "log_odds", "llr", "rank", "decision"}
        What the scores are: probabilities of the classes, posterior log odds of the second class
        (logits of more classes), its log-likelihood ratio, numbers that only rank, or decisions.
    from_priors : sequence or mapping of float, optional
        The priors for which posteriors or log odds were made. If absent, they already hold where
        the rule will run.
    calibrator : Calibrator, optional
        Fitted; decisions use its posteriors, and `from_priors` are its own.
    cut : float, optional
        With two decisions, the second is taken above this score, whatever the costs. A rule on
        ranks needs it.
    per_case : bool
        Each case has its own costs, which are passed to `decide`.
    score_type : {"float64", "float32", "float16"}
        Type of the scores; cuts are rounded to it.
    model : str, optional
        Name of the model.
    score_range : pair of float, optional
        The least and the greatest score that the rule was learnt on.
    digest : str, optional
        SHA-256 of the data that the rule was learnt on.
    cut_texts : sequence of str, optional
        Cuts as printed; see `rounded_for`.
    columns : sequence of str, optional
        The columns of a table that hold the scores: one, or one for each class.
    case_costs : table of str, optional
        For a rule per case: what each decision (columns) costs in each class (rows), as formulas
        over columns of the table; see `stakes.application.CostExpression`.
    prices : sequence of float, or mapping from decisions to float, optional
        Extra cost of taking each decision once, because it uses a limited resource; see
        `stakes.resources.capacity_optimum`. Added to the expected costs.

    Notes
    -----
    `docs/design/rules.md` states what a rule does, and `docs/design/ties.md` which cuts it has.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 7, 26-29.

    Examples
    --------
    >>> app = Application([[0, 1], [10, 0]], priors=[0.98, 0.02])
    >>> rule = DecisionRule(app)
    >>> str(rule), rule.positions([0.05, 0.5])
    ('p > 0.0909', array([0, 1], dtype=int8))
    >>> str(rule.moved([0.9, 0.1])), str(rule.on("llr"))
    ('p > 0.018', 'llr > 1.59')
    """

    application: Application
    _: KW_ONLY
    scores: str = "posterior"
    from_priors: FloatArray | None = None
    calibrator: Calibrator | None = None
    cut: float | None = None
    per_case: bool = False
    score_type: str = "float64"
    model: str | None = None
    score_range: tuple[float, float] | None = None
    digest: str | None = None
    cut_texts: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    case_costs: tuple[tuple[str, ...], ...] | None = None
    prices: FloatArray | None = None

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "application", as_application(self.application))
        for what, known in (("scores", KINDS), ("score_type", SCORE_TYPES)):
            one_of(getattr(self, what), what, known)
        if self.cut is not None:
            keep(self, "cut", as_number(self.cut, "cut"))
        if self.calibrator is not None:
            keep(self, "from_priors", priors_of_calibrator(self))
        if self.from_priors is not None:
            shares = as_priors(self.from_priors, self.classes, name="from_priors")
            keep(self, "from_priors", frozen(shares))
        if self.score_range is not None:
            keep(self, "score_range", two_numbers(self.score_range, "score_range"))
        if self.cut_texts is not None:
            keep(self, "cut_texts", tuple(of_kind(self.cut_texts, "cut_texts", Iterable)))
        keep(self, "columns", columns_of_rule(self))
        keep(self, "case_costs", formulas_of_rule(self))
        keep(self, "prices", prices_of_rule(self))
        refuse_what_contradicts(self)

    # ------------------------------------------------------------- what it does

    def decide(self, scores: Any, *, costs: Any = None) -> NDArray[Any]:
        """The decision of each case, by its name.

        Parameters and refusals are those of `positions`.

        Examples
        --------
        >>> from stakes import CostMatrix
        >>> costs = CostMatrix([[0, 1], [10, 0]], decisions=["wait", "call"])
        >>> DecisionRule(Application(costs)).decide([0.05, 0.3])
        array(['wait', 'call'], dtype='<U4')
        """
        found: Any = self.positions(scores, costs=costs)
        if not isinstance(found, np.ndarray):  # a lazy frame, with the names in a column
            return found  # type: ignore[no-any-return]
        return np.asarray(named_column(self.decisions)[found])

    def positions(self, scores: Any, *, costs: Any = None) -> NDArray[Any]:
        """The decision of each case, by its position in `decisions`.

        Parameters
        ----------
        scores : array-like of shape (n_cases,) or (n_cases, n_classes), or data frame
            Scores of the kind that the rule's `scores` names; a single column is about the second
            of two classes. Named columns are matched by name. From a frame with the rule's columns,
            these and the columns for costs per case are read; a lazy frame is returned as from
            `decide_frame`.
        costs : CaseCosts or array-like of shape (n_cases, n_classes, n_decisions), optional
            What each decision costs in each case; for a rule per case.

        Returns
        -------
        ndarray of shape (n_cases,)
            As from `stakes.bayes_decisions`.

        Examples
        --------
        >>> rule = DecisionRule(Application([[0, 1], [10, 0]]), scores="log_odds")
        >>> rule.positions([-3.0, 0.0])
        array([0, 1], dtype=int8)
        """
        if isinstance(scores, Mapping):
            raise DataError(
                "`scores` must be an array or a frame; got a mapping.",
                hint="one case by the names of its columns:  rule.decide_one(case); several:  "
                "rule.decide(pandas.DataFrame(cases))",
            )
        if costs is None and self.columns is not None and hasattr(type(scores), "columns"):
            from stakes.engines.decided_frame import decided_table

            found: NDArray[Any] | None = decided_table(self, scores)
            if found is not None:
                return found
        return decided(self, scores, costs)

    def decide_one(self, score: Any) -> Name:
        """The name of the decision for a single case; takes microseconds if there are cuts.

        Parameters
        ----------
        score : float, sequence of float or mapping
            One score, or one for each class; or a case by the names of its columns, such as the
            body of a request: ``{"p": 0.3, "amount": 1200}``.

        Examples
        --------
        >>> from stakes import CostMatrix
        >>> costs = CostMatrix([[0, 1], [10, 0]], decisions=["wait", "call"])
        >>> DecisionRule(Application(costs)).decide_one(0.3)
        'call'
        """
        if isinstance(score, Mapping):
            from stakes.engines.decided_frame import decided_record

            return self.decisions[decided_record(self, score)]
        return decided_one(self, score)

    @answers_guesses
    def decide_frame(self, frame: Any, *, on_error: str = "raise", capacity: Any = None) -> Any:
        """The table with four more columns: what to do with each row.

        Parameters
        ----------
        frame : data frame
            pandas, Polars, pyarrow, a lazy frame of Polars, a DuckDB relation or a Spark frame;
            with the columns of `columns`, and those that costs per case are computed from. Lazy
            frames stay lazy, but their rows are counted once.
        on_error : {"raise", "column"}
            For rows that cannot be decided: raise, or make the decision null and add a column
            ``not_decided`` with the reason.
        capacity : mapping, text or list, optional
            How often decisions may be taken in these rows, as in
            `stakes.resources.capacity_optimum`; ``"review=200/day"`` takes the rows as those of
            one day. Limits are kept exactly, where decisions save most, and replace the prices of
            these decisions. For frames in memory.

        Returns
        -------
        data frame
            Of the same kind, with ``decision``, ``expected_cost``, ``next_best`` and ``margin``:
            how much more the next best decision is expected to cost. Prices of decisions are part
            of ``next_best`` and ``margin``, and not of ``expected_cost``.

        Examples
        --------
        >>> import pandas as pd
        >>> from stakes import CostMatrix
        >>> costs = CostMatrix([[0, 1], [10, 0]], decisions=["wait", "call"])
        >>> rule = DecisionRule(Application(costs), columns="p")
        >>> found = rule.decide_frame(pd.DataFrame({"p": [0.05, 0.3]}))
        >>> found.drop(columns="p").round(2).values.tolist()
        [['wait', 0.5, 'call', 0.45], ['call', 0.7, 'wait', 2.3]]
        """
        from stakes.engines.decided_frame import decided_frame

        return decided_frame(self, frame, on_error=on_error, capacity=capacity).frame

    def _decide_any(self, posteriors: NDArray[Any]) -> NDArray[np.int32]:
        """Decide more than two classes without checks: invalid rows get any decision.

        For engines, which check rows in the same pass and refuse them by number afterwards.
        """
        array = np.array(posteriors, dtype=self.score_type)
        with np.errstate(invalid="ignore"):
            off = abs(array.sum(axis=1) - 1) <= sum_tolerance(array.dtype)
            array[~(off & (array >= 0).all(axis=1))] = 1 / len(self.classes)
        return weighed_decisions(array, self.priced_costs, self.factors).astype(np.int32)

    def expression(
        self, dialect: Any, columns: list[Any], keep: Callable[[str, Any], Any] | None = None
    ) -> Any:
        """The position of the decision as an expression of an engine.

        Parameters
        ----------
        dialect : one of the dialects of `stakes.engines`
            Makes literals and conditions.
        columns : list of expressions
            One score, or a posterior for each class, complete and checked.
        keep : function of a name and an expression, optional
            Makes a column of an expression that is used more than once, and returns a reference
            to it. Columns whose names begin with "u" are computed from other kept columns.

        Returns
        -------
        expression
            From 0 on, in the order of the decisions.
        """
        if self.has_raw_cuts:
            return decided_by_cuts(dialect, columns[-1], *self.raw_cuts())
        if self.calibrator is not None or self.per_case or self.scores == "decision":
            as_is = "an expression needs one rule on the scores as they are"
            raise CostError(f"{as_is}; this is {self}.")
        if self.scores != "posterior":
            raise CostError("an expression for more than two classes needs posteriors.")
        costs, sizes, margin = expected_costs(dialect, columns, self._compared)
        if keep is not None:
            costs = [keep(f"e{j}", cost) for j, cost in enumerate(costs)]
            sizes = sizes and [keep(f"s{j}", size) for j, size in enumerate(sizes)]
        return argmin(dialect, costs, sizes, margin, keep=keep)

    @answers_guesses
    def to_sql(self, dialect: str = "duckdb", *, columns: Any = None) -> str:
        """The decision as one SQL expression, for a SELECT list.

        With one cut, the raw score is compared with the same cut as in `decide`, so every engine
        decides alike. More classes, and costs per case, are decided by arithmetic. Nulls,
        invalid probabilities, and text in SQLite give null.

        Parameters
        ----------
        dialect : str
            duckdb, spark, postgres or sqlite; through sqlglot (extra ``sql``) also bigquery,
            snowflake, redshift, tsql and mysql.
        columns : str, sequence of str or mapping, optional
            The columns of the scores: one, or one for each class, also by the name of the class.
            By default those that the rule knows. Names are quoted.

        Returns
        -------
        str
            An expression whose values are the names of decisions.

        Examples
        --------
        >>> rule = DecisionRule(Application([[0, 1], [3, 0]]))
        >>> print(rule.to_sql("postgres", columns="p"))
        CASE WHEN "p" > 0.25e0 AND "p" <= 1 THEN 1 WHEN "p" >= 0 AND "p" <= 0.25e0 THEN 0 END
        """
        from stakes.rules.rule_sql import rule_as_sql

        return rule_as_sql(self, dialect, columns)

    def to_onnx(
        self,
        path: str | Path | None = None,
        *,
        score_type: str | None = None,
        single: bool | None = None,
        opset: int = 17,
    ) -> Any:
        """The rule as an ONNX model (extra ``onnx``), for runtimes without Python.

        Its input is ``scores``. Its outputs are ``decision``, positions as from `decide`;
        ``name``, those as text; and ``expected_costs`` in doubles, a column for each decision,
        prices included. A row without valid scores gives -1, an empty name and no numbers.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        score_type : {"float32", "float64"}, optional
            The type of the scores; that of the rule if absent. Converted classifiers give float32.
        single : bool, optional
            For two classes: whether there is one score per case, about the second class, or a
            column for each class. By default posteriors have two columns, other scores one.
        opset : int
            The version of the operators, that of a model to be joined.

        Returns
        -------
        onnx.ModelProto
            Cuts are those of `raw_cuts`, so decisions equal those of `decide`, ties included. More
            classes are decided in doubles, equal up to rounding. If a calibrator has no formula,
            expected costs come from a table, and the metadata state the largest error of a
            posterior (``posterior_error``).

        Examples
        --------
        >>> model = DecisionRule(Application([[0, 1], [3, 0]])).to_onnx()
        >>> [output.name for output in model.graph.output]
        ['decision', 'name', 'expected_costs']
        """
        from stakes.rules.rule_onnx import rule_as_onnx

        return rule_as_onnx(self, path, score_type, single, opset)

    def moved(self, priors: Priors) -> DecisionRule:
        """The rule for other class priors; exact, without fitting anything again.

        This assumes that cases within each class look alike at both priors.

        Examples
        --------
        >>> rule = DecisionRule(Application([[0, 1], [10, 0]], priors=[0.5, 0.5]))
        >>> str(rule.moved([0.98, 0.02]))
        'p > 0.831'
        """
        there = self.application.with_priors(priors)
        if self.cut is not None and not np.array_equal(there.priors, self.priors):  # type: ignore[arg-type]
            raise PriorError(
                "a cut that was chosen on data cannot be moved to other priors.",
                hint="choose it again on cases weighted for them, or calibrate the scores",
            )
        before = self.from_priors
        if before is None and self.scores not in ("llr", "rank", "decision"):
            before = self.priors
            if before is None:
                raise PriorError(
                    "nothing says for which priors the scores were made, so they cannot be moved.",
                    hint="DecisionRule(..., from_priors=[...])",
                )
        return replace(self, application=there, from_priors=before, cut_texts=None)

    def on(self, scores: str) -> DecisionRule:
        """The same rule in terms of other scores, e.g. log odds instead of posteriors.

        A range and digits that belong to the scores are dropped.

        Examples
        --------
        >>> str(DecisionRule(Application([[0, 1], [10, 0]])).on("log_odds"))
        'log-odds > -2.3'
        """
        if place_of(scores, KINDS) is None:
            raise DataError(f"a rule on {self.scores} cannot be stated on {in_brief(scores)}.")
        if scores == self.scores:
            return self
        convertible = ("posterior", "log_odds", "llr")
        if self.calibrator is not None or not {scores, self.scores} <= set(convertible):
            raise DataError(f"a rule on {self.scores} cannot be stated on {scores}.")
        place = self.priors if self.from_priors is None else self.from_priors
        cut = None if self.cut is None else float(converted(self.cut, self.scores, scores, place))
        dropped: dict[str, Any] = {"score_range": None, "cut_texts": None}
        return replace(self, scores=scores, from_priors=place, cut=cut, **dropped)

    # ------------------------------------------------------------- in words and on disk

    def rounded_for(self, scores: Any) -> DecisionRule:
        """The same rule, printed with enough digits to decide each of these scores alike."""
        return replace(self, cut_texts=texts_for(self, scores)) if self.has_cuts else self

    def _learnt_on(self, scores: NDArray[Any]) -> DecisionRule:
        """The same rule with the range of these scores, and cuts printed with digits for them."""
        if not self.has_cuts or not len(scores):
            return self
        ends = (float(np.min(scores)), float(np.max(scores)))
        return replace(self.rounded_for(scores), score_range=ends)

    def words(self, scores: Any = None) -> str:
        """When the second decision is taken, or the decision on each side of the cuts.

        Parameters
        ----------
        scores : column, optional
            Cuts get enough digits to decide each of these scores alike; by default three digits,
            or those of `rounded_for`.

        Returns
        -------
        str
            Such as "p > 0.0909" or "always 'no'".
        """
        return in_words(self if scores is None else self.rounded_for(scores))

    @property
    def act_when(self) -> str | None:
        """The words for a table, "see notes" if there are several cuts; None without cuts."""
        return in_words_short(self)

    def __str__(self) -> str:
        return self.words()

    def __repr__(self) -> str:
        model = model_in_words(self)
        whose = "" if model is None else f" of {model}"
        return f"<DecisionRule{whose}: {self}>"

    def record(self) -> dict[str, Any]:
        """The whole rule as JSON types; `stakes.rules.rule_schema` describes it."""
        from stakes.rules.rule_file import record_of

        return record_of(self)

    def save(self, path: str | Path) -> None:
        """Write the rule as JSON text, with a checksum; `stakes.load_rule` reads it."""
        from stakes.rules.rule_file import write_rule

        write_rule(self, as_path(path))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecisionRule):
            return NotImplemented
        return self.record() == other.record()

    def __hash__(self) -> int:
        return hash((self.application, self.scores, self.cut, self.per_case, self.model))
