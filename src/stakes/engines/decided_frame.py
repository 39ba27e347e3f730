"""Add a rule's decisions to the rows of a table, in memory or where the rows are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, or_
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, is_number
from stakes._columns import in_brief
from stakes._names import one_of
from stakes.application import CostExpression
from stakes.engines.batch_capacity import LimitedBatch, limited_batch
from stakes.engines.frame_reduction import native
from stakes.engines.narwhals_expressions import DIALECT, as_table
from stakes.engines.row_values import PREFIX
from stakes.exceptions import CostError, DataError
from stakes.messages.audience import either
from stakes.messages.quantities import grouped
from stakes.rules import DecisionRule
from stakes.rules.decided_rows import (
    ADDED,
    NO_COST,
    NO_PROBABILITY,
    NO_SCORE,
    NO_SUM,
    REASON,
    REASONS,
    compared_rows,
    costs_of_decisions,
    decided_rows,
    faults,
    outside,
)
from stakes.rules.row_expressions import argmin, decided_by_cuts, expected_costs, per_case
from stakes.rules.row_posteriors import has_formula, posteriors_before, sum_slack
from stakes.rules.rule_sql import case_amounts, score_columns
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class DecidedFrame:
    """A table with the decisions of a rule, and numbers of its rows.

    `outside` counts rows whose scores lie beyond the range that the rule was made for, and
    `undecided` counts rows without a decision, by reason. Rows are counted before anything is
    written. `batch` is set if the rows were decided within limits.
    """

    frame: Any
    rows: int
    outside: int
    undecided: dict[str, int]
    batch: LimitedBatch | None = None


def decided_frame(
    rule: DecisionRule,
    frame: Any,
    *,
    on_error: str = "raise",
    columns: Any = None,
    capacity: Any = None,
    codes: NDArray[Any] | None = None,
) -> DecidedFrame:
    """See `DecisionRule.decide_frame`; `columns` replaces the columns that the rule knows.

    `codes` are the decisions for these rows if they were already taken, in a larger batch.
    """
    one_of(on_error, "on_error", ("raise", "column"))
    rows = nw.from_native(native(frame))
    names = score_columns(rule, columns)
    refuse_names(rule, rows.collect_schema().names(), names, marked=on_error == "column")
    if rows.implementation.is_dask():
        each = "frame.map_partitions(rule.decide_frame)"
        raise DataError("a Dask frame must be decided partition by partition.", hint=each)
    if isinstance(rows, nw.DataFrame):
        return _in_memory(rule, rows, names, on_error, capacity, codes)
    if capacity is not None:
        raise DataError(
            "`capacity` needs all rows at once, and a lazy frame has not read them.",
            hint="read the frame into memory, or leave out `capacity`: the prices that a rule "
            "carries keep to its limits on average",
        )
    return _elsewhere(rule, rows, names, on_error)


def decided_table(rule: DecisionRule, frame: Any) -> Any:
    """Positions of the decisions for a frame that has the rule's columns; None for anything else.

    A lazy frame is returned with a column of decisions, since its rows have not been read.
    """
    rows = nw.from_native(frame, pass_through=True)
    if isinstance(rows, nw.LazyFrame):
        return decided_frame(rule, frame).frame
    names = rule.columns or ()
    if not isinstance(rows, nw.DataFrame) or not set(names) <= set(rows.columns):
        return None
    refuse_absent(rule, rows.columns, names)
    scores, costs = arrays_read(rule, columns_read(rule, rows, names), names)
    single = all(rows[name].dtype == nw.Float32 for name in names)
    return _decided_arrays(rule, scores.astype(np.float32 if single else np.float64), costs)


def decided_record(rule: DecisionRule, record: Mapping[str, Any]) -> int:
    """The position of the decision for one case, given as a mapping from columns to values."""
    names = score_columns(rule, None)
    refuse_absent(rule, list(record), names)
    read = {name: np.array([as_number(record[name], name)]) for name in read_columns(rule, names)}
    scores, costs = arrays_read(rule, read, names)
    return int(_decided_arrays(rule, scores.astype(rule.score_type), costs)[0])


def _decided_arrays(rule: DecisionRule, scores: NDArray[Any], costs: FloatArray | None) -> Any:
    """Decisions by position, or an error with the rows that cannot be decided."""
    found = faults(rule, scores, costs)
    bad = np.flatnonzero(found >= 0)
    if bad.size:
        why = ", ".join(f"{why} in {n}" for why, n in counted_faults(found).items())
        raise DataError(
            f"{bad.size} of {len(found)} cases cannot be decided ({why}); the first is at "
            f"position {bad[0]}.",
            hint='rule.decide_frame(frame, on_error="column")  says why in a column',
            rows=bad[:10].tolist(),
        )
    return rule.positions(scores, costs=costs)


def read_columns(rule: DecisionRule, names: Sequence[str]) -> list[str]:
    """The columns that are read: scores, and what costs per case are computed from."""
    formulas = [text for row in rule.case_costs or () for text in row]
    more = [name for text in formulas for name in CostExpression(text).columns]
    return list(dict.fromkeys([*names, *more]))


def refuse_names(
    rule: DecisionRule, known: Sequence[str], names: Sequence[str], *, marked: bool
) -> None:
    """Raise if a column that is read is absent, or one that would be added is there already."""
    refuse_absent(rule, known, names)
    added = (*ADDED, *((REASON,) if marked else ()))
    if taken := [name for name in added if name in known]:
        raise DataError(
            f"the table already has a column {taken[0]!r}, which would be added.",
            hint="rename it first",
        )


def refuse_absent(rule: DecisionRule, known: Sequence[str], names: Sequence[str]) -> None:
    """Raise if a column of scores, or one that costs are computed from, is absent."""
    for name in read_columns(rule, names):
        if name not in known:
            there = f"there are {', '.join(map(repr, known[:12]))}"
            if name not in names:
                raise DataError(
                    f"no column {name!r}, which the costs are computed from; {there}.",
                    hint=f"add the column {name!r}, or rename the one that holds it",
                )
            typed = "say which columns hold the scores: --columns A,B"
            hint = either(f"rename the column that holds it to {name!r}", typed)
            raise DataError(f"no column {name!r}; {there}.", hint=hint)


def refuse_undecided(undecided: dict[str, int], rows: int, first: int | None = None) -> None:
    """Raise if rows cannot be decided, saying why, how many, and what to type instead."""
    if not undecided:
        return
    total = sum(undecided.values())
    parts = ", ".join(f"{why} in {grouped(count)}" for why, count in undecided.items())
    where = "" if first is None else f"; the first is row {first}"
    raise DataError(
        f"{grouped(total)} of {grouped(rows)} rows cannot be decided ({parts}){where}.",
        hint="to leave their decision empty and say why in a column: "
        + either('on_error="column"', "--on-error column"),
    )


def named_decisions(rule: DecisionRule) -> list[Any]:
    """The names of the decisions, as text if a column could not hold their types."""
    names = list(rule.decisions)
    alike = len({type(name) for name in names}) == 1 and type(names[0]) in (str, int, float, bool)
    return names if alike else [str(name) for name in names]


# ----------------------------------------------------------------- in memory


def arrays_decided(
    rule: DecisionRule,
    scores: FloatArray,
    costs: FloatArray | None,
    codes: NDArray[Any] | None = None,
) -> tuple[dict[str, list[Any]], Any, int]:
    """The columns to add, by name; the fault of each row; how many rows lie outside the range.

    `codes` are the decisions of all rows, if they were taken within limits.
    """
    found = faults(rule, scores, costs)
    kept = np.flatnonzero(found < 0)
    names, count = np.array(named_decisions(rule), dtype=object), len(scores)
    columns: dict[str, list[Any]] = {name: [None] * count for name in ADDED}
    beyond = 0
    if kept.size:
        given = scores[kept].astype(rule.score_type)
        paid = None if costs is None else costs[kept]
        if codes is None:
            said = decided_rows(rule, given, paid)
        else:
            said = compared_rows(codes[kept], costs_of_decisions(rule, given, paid))
        made = {
            "decision": names[said.codes],
            "expected_cost": said.expected_cost,
            "next_best": np.where(said.next_codes >= 0, names[said.next_codes], None),
            "margin": said.margin,
        }
        beyond = int(outside(rule, scores[kept]).sum())
        for name, values in made.items():
            told = [None if value != value else value for value in values.tolist()]
            cells = columns[name]
            for row, value in zip(kept.tolist(), told, strict=True):
                cells[row] = value
    columns[REASON] = [None if k < 0 else REASONS[k] for k in found.tolist()]
    return columns, found, beyond


def costs_of_rows(rule: DecisionRule, columns: dict[str, FloatArray], n: int) -> FloatArray | None:
    """The costs of each row by the formulas of the rule, (n, K, M), nan where one is unknown."""
    if not rule.per_case:
        return None
    case_amounts(rule, DIALECT)  # raises if the rule lacks the formulas
    made = np.full((n, len(rule.classes), len(rule.decisions)), np.nan)
    known = np.ones(n, dtype=np.bool_)
    for name in read_columns(rule, ()):
        known &= np.isfinite(columns[name])
    there = {name: values[known] for name, values in columns.items()}
    for i, row in enumerate(rule.case_costs or ()):
        for j, text in enumerate(row):
            made[known, i, j] = CostExpression(text).value(there)
    return made


def arrays_read(
    rule: DecisionRule, read: dict[str, FloatArray], names: Sequence[str]
) -> tuple[FloatArray, FloatArray | None]:
    """Scores and costs of each row, from the columns that were read."""
    table = np.column_stack([read[name] for name in names])
    return table[:, 0] if len(names) == 1 else table, costs_of_rows(rule, read, len(table))


def columns_read(rule: DecisionRule, rows: Any, names: Sequence[str]) -> dict[str, FloatArray]:
    """The columns that a rule reads from a table in memory, as numbers."""
    return {name: _numbers(rows[name], name) for name in read_columns(rule, names)}


def _numbers(column: Any, name: str) -> FloatArray:
    """A column as floats, nan where a value is missing."""
    try:
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    except Exception as error:  # each library raises its own
        first = next((cell for cell in column.to_list() if not is_number(cell)), None)
        raise DataError(
            f"column {name!r} must hold numbers; it holds {in_brief(first)}.",
            hint="convert it first, or name another column",
        ) from error


def _in_memory(
    rule: DecisionRule,
    rows: Any,
    names: Sequence[str],
    on_error: str,
    capacity: Any,
    codes: NDArray[Any] | None,
) -> DecidedFrame:
    """Decide the rows of a table in memory with NumPy."""
    scores, costs = arrays_read(rule, columns_read(rule, rows, names), names)
    batch = None if capacity is None else limited_batch(rule, scores, costs, capacity)
    if batch is not None:
        rule, codes = batch.rule, batch.codes
    columns, found, beyond = arrays_decided(rule, scores, costs, codes)
    bad = np.flatnonzero(found >= 0)
    why = counted_faults(found)
    if on_error == "raise":
        refuse_undecided(why, len(rows), int(bad[0]) if bad.size else None)
        columns.pop(REASON)
    types: dict[str, Any] = dict.fromkeys(("expected_cost", "margin"), nw.Float64)
    kind = {str: nw.String, int: nw.Int64, float: nw.Float64, bool: nw.Boolean}
    named = kind[type(named_decisions(rule)[0])]
    types |= dict.fromkeys(("decision", "next_best"), named) | {REASON: nw.String}
    backend = rows.implementation
    made = [nw.new_series(name, cells, types[name], backend=backend)
            for name, cells in columns.items()]  # fmt: skip
    if backend.is_pandas():  # rows of pandas are known by their index
        index = nw.to_native(rows).index
        natives = {each.name: nw.to_native(each).set_axis(index) for each in made}
        return DecidedFrame(nw.to_native(rows).assign(**natives), len(rows), beyond, why, batch)
    return DecidedFrame(nw.to_native(rows.with_columns(*made)), len(rows), beyond, why, batch)


def counted_faults(found: Any) -> dict[str, int]:
    """How many rows have each fault; faults that do not occur are left out."""
    counts = {why: int((found == k).sum()) for k, why in enumerate(REASONS)}
    return {why: count for why, count in counts.items() if count}


# ----------------------------------------------------------------- where the rows are


def has_expression(rule: DecisionRule) -> bool:
    """Whether every column that the rule adds is an expression over columns."""
    return rule.cut is not None or has_formula(rule)


def _elsewhere(rule: DecisionRule, rows: Any, names: Sequence[str], on_error: str) -> DecidedFrame:
    """Let the engine that holds the rows decide them, after it has counted undecidable ones."""
    if not has_expression(rule):
        assert rule.calibrator is not None
        raise CostError(
            f"{rule.calibrator.kind} calibration has no formula, so lazy frames cannot compute "
            "what its decisions cost.",
            hint="decide a frame in memory; or only the decision, as SQL: rule.to_sql(...)",
        )
    known = rows.collect_schema().names()
    steps = _Steps(rows)
    scores = [steps.keep(f"s{i}", DIALECT.number(name)) for i, name in enumerate(names)]
    reason = steps.keep("why", _reason(rule, scores, names))
    count, why, beyond = _looked_at(rule, steps.rows, scores, reason)
    if on_error == "raise":
        refuse_undecided(why, count)
    made = _said(rule, steps, scores)
    if why:
        made = {name: nw.when(reason.is_null()).then(each) for name, each in made.items()}
    made |= {REASON: reason} if on_error == "column" else {}
    found = steps.rows.with_columns(**made).select(*known, *made)
    return DecidedFrame(nw.to_native(found), count, beyond, why)


class _Steps:
    """Rows to which intermediate columns are added."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def keep(self, name: str, expression: Any) -> Any:
        """Make a column of an expression that is used more than once."""
        self.rows = self.rows.with_columns(**{PREFIX + name: expression})
        return nw.col(PREFIX + name)


def _reason(rule: DecisionRule, scores: list[Any], names: Sequence[str]) -> Any:
    """Why a row cannot be decided, as text; null where it can."""
    lit = nw.lit
    found: Any = lit(None, dtype=nw.String)
    if rule.per_case:
        _, read = case_amounts(rule, DIALECT)
        absent = reduce(or_, [_no_number(each) for each in read])
        found = nw.when(absent).then(lit(NO_COST)).otherwise(found)
    if rule.scores == "posterior":
        if len(scores) > 1:
            off = (reduce(add, scores) - 1.0).abs() > sum_slack(rule)
            found = nw.when(off).then(lit(NO_SUM)).otherwise(found)
        strange = reduce(or_, [(each < 0.0) | (each > 1.0) for each in scores])
        found = nw.when(strange).then(lit(NO_PROBABILITY)).otherwise(found)
    empty = reduce(or_, [_no_number(each) for each in scores])
    return nw.when(empty).then(lit(NO_SCORE)).otherwise(found)


def _no_number(value: Any) -> Any:
    """Whether a value is null or nan."""
    return value.is_null() | value.is_nan()


def _looked_at(
    rule: DecisionRule, rows: Any, scores: list[Any], reason: Any
) -> tuple[int, dict[str, int], int]:
    """Count all rows, undecidable rows by reason, and rows beyond the range, in one pass."""
    asked = {"rows": nw.len()}
    for k, why in enumerate(REASONS):
        asked[f"why{k}"] = (reason == why).cast(nw.Int64).sum()
    if rule.score_range is not None:
        low, high = rule.score_range
        asked_of = scores[1:] if len(scores) == 2 else scores
        beyond = reduce(or_, [(each < low) | (each > high) for each in asked_of])
        asked["beyond"] = (beyond & reason.is_null()).cast(nw.Int64).sum()
    told = {name: cells[0] or 0 for name, cells in as_table(rows.select(**asked)).items()}
    counts = {why: int(told[f"why{k}"]) for k, why in enumerate(REASONS)}
    undecided = {why: count for why, count in counts.items() if count}
    return int(told["rows"]), undecided, int(told.get("beyond", 0))


def _said(rule: DecisionRule, steps: _Steps, scores: list[Any]) -> dict[str, Any]:
    """Expressions for the four columns that are added to rows that can be decided."""
    names = named_decisions(rule)
    single = scores[-1]
    if len(scores) == 2 and rule.scores != "posterior":  # log odds of two columns
        single = scores[1] - scores[0]
    called = [DIALECT.literal(name) for name in names]
    if rule.cut is not None:
        code = steps.keep("d", decided_by_cuts(DIALECT, single, *rule.raw_cuts()))
        unknown = nw.lit(None, dtype=nw.Float64)
        return {"decision": _one_of(code, called), "expected_cost": unknown,
                "next_best": _one_of(code, called[::-1]), "margin": unknown}  # fmt: skip
    before = posteriors_before(rule, DIALECT, scores, steps.keep)
    sums = (
        per_case(DIALECT, before, case_amounts(rule, DIALECT)[0], rule) if rule.per_case else None
    )
    if rule.has_raw_cuts:
        chosen = decided_by_cuts(DIALECT, single, *rule.raw_cuts())
    else:
        chosen = argmin(DIALECT, *(sums or expected_costs(DIALECT, before, rule._compared)))
    code = steps.keep("d", chosen)
    each = [steps.keep(f"e{j}", cost) for j, cost in enumerate(_costs(rule, before, sums, steps))]
    cost = steps.keep("paid", _one_of(code, each))
    made = {"decision": _one_of(code, called), "expected_cost": cost}
    if len(each) == 1:
        made |= {
            "next_best": nw.lit(None, dtype=nw.String),
            "margin": nw.lit(None, dtype=nw.Float64),
        }
    elif len(each) == 2:
        over = _not_below_zero(_one_of(code, each[::-1]) - cost)
        made |= {"next_best": _one_of(code, called[::-1]), "margin": over}
    else:
        far = DIALECT.literal(float("inf"))
        others = [DIALECT.when(code == j, far, one) for j, one in enumerate(each)]
        others = [steps.keep(f"o{j}", one) for j, one in enumerate(others)]
        least = steps.keep("least", DIALECT.smallest(others))
        after = steps.keep("n", argmin(DIALECT, others, None, 0.0))
        made |= {"next_best": _one_of(after, called), "margin": _not_below_zero(least - cost)}
    return made


def _not_below_zero(value: Any) -> Any:
    """A number, or 0 where rounding made it negative."""
    return DIALECT.greatest([value, DIALECT.literal(0.0)])


def _one_of(code: Any, values: Sequence[Any]) -> Any:
    """The value at a position."""
    branches = [(code == j, value) for j, value in enumerate(values[:-1])]
    return DIALECT.first_of(branches, values[-1])


def _costs(rule: DecisionRule, before: list[Any], sums: Any, steps: _Steps) -> list[Any]:
    """What each decision is expected to cost where the rule runs."""
    factors = [float(factor) for factor in rule.factors]
    stays = rule.stays and (rule.scores == "posterior" or len(rule.classes) == 2)
    normalised = stays and (rule.calibrator is None or len(rule.classes) == 2)
    moved = before if rule.stays else [f * p for f, p in zip(factors, before, strict=True)]
    if sums is None:
        table = rule.priced_costs.values.T.tolist()
        costs = [_weighed(moved, column) for column in table]
    else:  # already weighed by the factors
        costs = sums[0]
    if normalised:
        return costs
    total = steps.keep("all", reduce(add, moved))
    return [cost / total for cost in costs]


def _weighed(parts: list[Any], weights: list[float]) -> Any:
    """A weighted sum; 0 if all weights are 0."""
    terms = [w * part for w, part in zip(weights, parts, strict=True) if w]
    return reduce(add, terms) if terms else parts[0] * 0.0
