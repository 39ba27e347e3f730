"""A rule as one SQL expression."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._checks import of_kind
from stakes._names import listed, place_of
from stakes._optional import load
from stakes.application import CostExpression
from stakes.exceptions import CostError, DataError
from stakes.messages.audience import either
from stakes.rules.decided_rows import named_decisions
from stakes.rules.row_expressions import (
    LARGEST_COST,
    Amounts,
    amount_of,
    argmin,
    expected_costs,
    per_case,
)
from stakes.rules.row_posteriors import has_formula, posteriors_before, valid
from stakes.rules.sql_text import DIALECTS, DUCKDB, Sql, SqlDialect

if TYPE_CHECKING:
    from stakes.rules.decision_rule import DecisionRule

#: Dialects that sqlglot writes, and whether they can store nan.
_TRANSLATED = {"bigquery": True, "snowflake": True, "redshift": True, "tsql": False, "mysql": False}
SQL_DIALECTS = (*DIALECTS, *_TRANSLATED)


class _WithoutNaN(type(DUCKDB)):  # type: ignore[misc]
    """The SQL that is translated for engines without nan."""

    has_nan = False

    def literal(self, value: Any) -> Sql:
        """Truth values as bits: SQL Server has conditions, which are no values."""
        if isinstance(value, bool):
            return Sql(f"CAST({int(value)} AS BOOLEAN)")
        return Sql(super().literal(value).text)


def rule_as_sql(rule: DecisionRule, dialect: str, columns: Any) -> str:
    """See `DecisionRule.to_sql`."""
    if place_of(dialect, SQL_DIALECTS) is None:
        raise DataError(
            f"no SQL for {dialect!r}; there is {', '.join(SQL_DIALECTS)}.",
            hint=either(
                f'the score column is `columns`:  rule.to_sql("duckdb", columns="{dialect}")',
                "--sql postgres",
            ),
        )
    if dialect in DIALECTS:
        return decision_sql(rule, DIALECTS[dialect], columns).text
    sqlglot = load("sqlglot", extra="sql")
    spoken = DUCKDB if _TRANSLATED[dialect] else _WithoutNaN()
    text = decision_sql(rule, spoken, columns).text
    return str(sqlglot.parse_one(text, read="duckdb").sql(dialect=dialect))


def decision_sql(rule: DecisionRule, dialect: SqlDialect, columns: Any) -> Sql:
    """The name of the decision for a row; null if the row holds no valid score."""
    names = score_columns(rule, columns)
    decided = _decision_of(rule, dialect, names)
    needed = [dialect.holds_number(name) for name in read_columns(rule, names)]
    told = [each for each in needed if each is not None]
    return Sql(f"CASE WHEN {reduce(and_, told).text} THEN {decided.text} END") if told else decided


def _decision_of(rule: DecisionRule, dialect: SqlDialect, names: tuple[str, ...]) -> Sql:
    """The same for columns of numbers."""
    if rule.scores == "decision":
        raise CostError("decisions are taken already; there is no SQL to decide them.")
    called = named_decisions(rule)
    if rule.has_raw_cuts and len(names) in (1, 2) and _is_single(rule, names):
        decided = _by_cuts(rule, dialect, dialect.column(names[-1]), called)
        if len(names) == 1 and not rule._possible:
            return decided
        fits = valid(rule, dialect, [dialect.number(name) for name in names])
        return Sql(f"CASE WHEN {fits.text} THEN {decided.text} END")
    if rule.calibrator is None and not has_formula(rule):
        raise DataError(f"a rule on ranks reads one column; got {listed(names)}.")
    if not has_formula(rule):
        assert rule.calibrator is not None
        raise CostError(
            f"{rule.calibrator.kind} calibration of {len(rule.classes)} classes has no formula "
            "that SQL can say.",
            hint="calibrate with Affine(), Temperature() or Vector(), or decide in Python",
        )
    scores = [dialect.number(name) for name in names]
    if rule.cut is not None:  # chosen on data, here on the difference of two columns
        return _by_cuts(rule, dialect, scores[1] - scores[0], called)
    parts = posteriors_before(rule, dialect, scores)
    fits = valid(rule, dialect, scores)
    if rule.per_case:
        amounts, read = case_amounts(rule, dialect)
        sums = per_case(dialect, parts, amounts, rule)
        ends = dialect.literal(-LARGEST_COST), dialect.literal(LARGEST_COST)
        paid = [each for each in amounts.values() if not isinstance(each, float)]
        for each in [*read, *paid]:  # a null or nan lies in no range
            fits = fits & dialect.between(each, *ends)
    else:
        sums = expected_costs(dialect, parts, rule._compared)
    decided = argmin(dialect, *sums, names=called)
    return Sql(f"CASE WHEN {fits.text} THEN {decided.text} END")


def read_columns(rule: DecisionRule, names: Sequence[str]) -> list[str]:
    """The columns that are read: scores, and what costs per case are computed from."""
    return list(dict.fromkeys([*names, *_columns_of(rule.case_costs or ())]))


@lru_cache(maxsize=256)
def _columns_of(table: tuple[tuple[str, ...], ...]) -> list[str]:
    """The columns that formulas read; cached, since parsing takes longer than deciding one case."""
    return [name for row in _parsed(table) for formula in row for name in formula.columns]


@lru_cache(maxsize=256)
def _parsed(table: tuple[tuple[str, ...], ...]) -> list[list[CostExpression]]:
    """Formulas, one for each class and decision."""
    return [[CostExpression(text) for text in row] for row in table]


def score_columns(rule: DecisionRule, columns: Any) -> tuple[str, ...]:
    """The columns of the scores: the given ones, or those of the rule."""
    given = rule.columns if columns is None else columns
    if given is None:
        one = len(rule.classes) == 2
        column = rule.model or "p"  # a model is often called as its column
        wanted = f"columns={column!r}" if one else "columns=[one for each class]"
        typed = f"--columns {shlex.quote(column)}" if one else "--columns p_a,p_b,..., one each"
        raise DataError(
            "the rule does not say which columns hold its scores.", hint=either(wanted, typed)
        )
    if isinstance(given, Mapping):
        absent = [name for name in rule.classes if name not in given]
        if absent:
            raise DataError(f"`columns` has none for {listed(absent)}.")
        given = [given[name] for name in rule.classes]
    each = (given,) if isinstance(given, str) else of_kind(given, "columns", Sequence)
    names = tuple(of_kind(name, "columns", str) for name in each)
    single = len(rule.classes) == 2 or rule.scores == "decision"
    if len(names) != len(rule.classes) and not (single and len(names) == 1):
        raise DataError(
            f"`columns` must name one column for each of the {len(rule.classes)} classes"
            f"{', or one for the second' if single else ''}; got {listed(names)}."
        )
    return names


def _is_single(rule: DecisionRule, names: Sequence[str]) -> bool:
    """Whether one column holds what is compared with cuts; two columns of log odds do not."""
    return len(names) == 1 or rule.scores == "posterior"


def case_formulas(rule: DecisionRule) -> list[list[CostExpression]]:
    """What each decision (columns) costs in each class (rows), for a rule per case."""
    if rule.case_costs is None:
        raise CostError(
            "the rule does not say by which columns its costs differ from case to case.",
            hint='DecisionRule(..., per_case=True, case_costs=[["0", "5"], ["0.75*amount", "0"]])',
        )
    return _parsed(rule.case_costs)


def case_amounts(rule: DecisionRule, dialect: Any) -> tuple[Amounts, list[Any]]:
    """Costs per case as expressions, prices included, and the columns that they read."""
    amounts: dict[tuple[int, int], Any] = {}
    read: dict[str, Any] = {}
    for i, row in enumerate(case_formulas(rule)):
        for j, formula in enumerate(row):
            read |= {name: dialect.number(name) for name in formula.columns}
            price = 0.0 if rule.prices is None else float(rule.prices[j])
            if not formula.columns:
                amounts[i, j] = float(formula.value({})) + price
                continue
            amounts[i, j] = amount_of(dialect, formula, dialect.number)
            if price:
                amounts[i, j] = amounts[i, j] + dialect.literal(price)
    return amounts, list(read.values())


def _by_cuts(rule: DecisionRule, dialect: SqlDialect, score: Sql, called: list[Any]) -> Sql:
    """Compare the score with the cuts; null for nan and invalid probabilities."""
    at, taken = rule.raw_cuts("float64")  # for columns of doubles; others are subsets of them
    names = [dialect.literal(called[j]).text for j in taken]
    low, high = ["", ""]
    if rule.scores == "posterior":
        low, high = f"{score.text} >= 0", f"{score.text} <= 1"
    elif dialect.has_nan:
        high = f"{score.text} <= {dialect.literal(np.inf).text}"
    pairs = [_sides(dialect, score, cut) for cut in at]
    parts = []
    for k, name in enumerate(names):
        above = pairs[k - 1][1] if k else low
        below = pairs[k][0] if k < len(pairs) else high
        holds = " AND ".join(filter(None, (above, below))) or f"{score.text} IS NOT NULL"
        parts.append((holds, name))
    if len(parts) == 2 and taken[1] == 1:  # the condition of the second decision comes first
        parts.reverse()
    return Sql(f"CASE {' '.join(f'WHEN {holds} THEN {name}' for holds, name in parts)} END")


def _sides(dialect: SqlDialect, score: Sql, cut: float) -> tuple[str, str]:
    """Conditions "not above a cut" and "above it", with the cut or the next float if shorter."""
    after = float(np.nextafter(cut, np.inf))
    if len(repr(after)) < len(repr(cut)):
        shown = dialect.literal(after).text
        return f"{score.text} < {shown}", f"{score.text} >= {shown}"
    shown = dialect.literal(cut).text
    return f"{score.text} <= {shown}", f"{score.text} > {shown}"
