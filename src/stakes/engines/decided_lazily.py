"""Let the engine that holds the rows of a lazy frame decide them by a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add, and_, or_
from typing import Any

import narwhals as nw

from stakes.engines.narwhals_expressions import Narwhals, as_table
from stakes.engines.row_values import PREFIX
from stakes.engines.undecided_rows import refuse_undecided
from stakes.exceptions import CostError
from stakes.rules import DecisionRule
from stakes.rules.decided_rows import (
    NO_COST,
    NO_POSTERIOR,
    NO_PROBABILITY,
    NO_SCORE,
    NO_SHARE,
    NO_SUM,
    REASON,
    REASONS,
    named_decisions,
)
from stakes.rules.row_expressions import (
    LARGEST_COST,
    argmin,
    decided_by_cuts,
    expected_costs,
    per_case,
)
from stakes.rules.row_posteriors import (
    determined,
    has_formula,
    odds_shift,
    posteriors_before,
    sum_slack,
)
from stakes.rules.rule_sql import case_amounts


class _Rows(Narwhals):
    """Expressions for costs of single rows."""

    def ratio(self, top: Any, bottom: Any) -> Any:
        """A quotient; null if the divisor is zero, also inside of another quotient."""
        return nw.when(bottom != 0.0).then(top / bottom)


DIALECT = _Rows()


def has_expression(rule: DecisionRule) -> bool:
    """Whether every column that the rule adds is an expression over columns."""
    return rule.cut is not None or has_formula(rule)


def decided_lazily(
    rule: DecisionRule, rows: Any, names: Sequence[str], on_error: str, *, of_file: bool = False
) -> tuple[Any, int, int, dict[str, int]]:
    """Let the engine that holds the rows decide them, after it has counted undecidable ones.

    `of_file`: the rows are those of files that DuckDB reads in order, so an error names the first.
    Returns the frame, the number of rows, how many lie outside the range of the rule, and how many
    cannot be decided, by reason.
    """
    if not has_expression(rule):
        assert rule.calibrator is not None
        raise CostError(
            f"{rule.calibrator.kind} calibration has no formula, so lazy frames cannot compute "
            "what its decisions cost.",
            hint="decide a frame in memory; or only the decision, as SQL: rule.to_sql(...)",
        )
    rows, names, original = _plainly_named(rows, names)
    types = rows.collect_schema()
    known = types.names()
    steps = _Steps(rows, types)
    kind = nw.Float32 if rule.score_type == "float32" else nw.Float64
    given = [steps.dialect.number(name).cast(kind).cast(nw.Float64) for name in names]
    scores = [steps.keep(f"s{i}", score) for i, score in enumerate(given)]
    reason = steps.keep("why", _reason(rule, scores, steps.dialect))
    count, why, beyond = _looked_at(rule, steps.rows, scores, reason)
    if on_error == "raise" and why:
        refuse_undecided(why, count, _first_undecided(steps.rows, reason) if of_file else None)
    made = _said(rule, steps, scores)
    if why:
        made = {name: nw.when(reason.is_null()).then(each) for name, each in made.items()}
    made |= {REASON: reason} if on_error == "column" else {}
    found = steps.rows.with_columns(**made).select(*known, *made)
    made_of = nw.to_native(found)
    if original != known:
        made_of = made_of.toDF(*original, *made)
    return made_of, count, beyond, why


def _plainly_named(rows: Any, names: Sequence[str]) -> tuple[Any, Sequence[str], list[str]]:
    """Rows and names of scores without dots, which Spark takes for fields; and the names before."""
    known, kind = rows.collect_schema().names(), rows.implementation
    dotted = [name for name in known if "." in name or "`" in name]
    if not dotted or not (kind.is_pyspark() or kind.is_pyspark_connect()):
        return rows, names, known
    plain = {name: name for name in known}
    plain |= {name: f"{PREFIX}column{k}" for k, name in enumerate(dotted)}
    rows = nw.from_native(nw.to_native(rows).toDF(*plain.values()))
    return rows, [plain[name] for name in names], known


class _Steps:
    """Rows to which intermediate columns are added."""

    def __init__(self, rows: Any, types: Mapping[str, Any]) -> None:
        self.rows = rows
        self.dialect = _Rows(name for name, kind in types.items() if kind == nw.String)
        self.prefix = PREFIX
        while any(name.lower().startswith(self.prefix) for name in types):
            self.prefix += "_"

    def keep(self, name: str, expression: Any) -> Any:
        """Make a column of an expression that is used more than once."""
        self.rows = self.rows.with_columns(**{self.prefix + name: expression})
        return nw.col(self.prefix + name)


def _reason(rule: DecisionRule, scores: list[Any], dialect: Narwhals) -> Any:
    """Why a row cannot be decided, as text; null where it can."""
    lit = nw.lit
    found: Any = lit(None, dtype=nw.String)
    if rule.per_case:
        amounts, read = case_amounts(rule, dialect)
        paid = [each for each in amounts.values() if not isinstance(each, float)]
        absent = [_no_number(each) | (each.abs() > LARGEST_COST) for each in [*read, *paid]]
        if absent:
            found = nw.when(reduce(or_, absent)).then(lit(NO_COST)).otherwise(found)
    if rule._possible:
        found = nw.when(_leaves_nothing(rule, scores)).then(lit(NO_SHARE)).otherwise(found)
    if rule.scores != "posterior" and len(scores) > 1:
        fits = reduce(and_, determined(DIALECT, scores))
        found = nw.when(~fits).then(lit(NO_POSTERIOR)).otherwise(found)
    if rule.scores == "posterior":
        slack = 0.0
        if len(scores) > 1:
            slack = sum_slack(rule)
            off = (reduce(add, scores) - 1.0).abs() > slack
            found = nw.when(off).then(lit(NO_SUM)).otherwise(found)
        strange = reduce(or_, [(each < 0.0) | (each > 1.0 + slack) for each in scores])
        found = nw.when(strange).then(lit(NO_PROBABILITY)).otherwise(found)
    empty = reduce(or_, [_no_number(each) for each in scores])
    return nw.when(empty).then(lit(NO_SCORE)).otherwise(found)


def _leaves_nothing(rule: DecisionRule, scores: list[Any]) -> Any:
    """Whether a row leaves only classes possible whose prior in the rule is 0."""
    every = scores if len(scores) > 1 else [1.0 - scores[0], scores[0]]
    posterior, far = rule.scores == "posterior", float("inf")
    lost = reduce(and_, [every[k] == (0.0 if posterior else -far) for k in rule._possible])
    absent = [each for each, factor in zip(every, rule.factors, strict=True) if factor == 0]
    return lost if posterior else reduce(or_, [lost, *(each == far for each in absent)])


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


def _first_undecided(rows: Any, reason: Any) -> int:
    """The number of the first row of a DuckDB relation with a reason, in a second pass."""
    numbered = "SELECT row_number() OVER () AS place, why FROM reasons"
    first = f"SELECT place FROM ({numbered}) WHERE why IS NOT NULL LIMIT 1"
    return int(nw.to_native(rows.select(why=reason)).query("reasons", first).fetchall()[0][0])


def _said(rule: DecisionRule, steps: _Steps, scores: list[Any]) -> dict[str, Any]:
    """Expressions for the four columns that are added to rows that can be decided."""
    names = named_decisions(rule)
    single = scores[-1]
    if len(scores) == 2 and rule.scores != "posterior":  # log odds of two columns
        single = scores[1] - scores[0]
    called = [DIALECT.literal(name) for name in names]
    if rule.cut is not None:
        taken = _taken(_by_cuts(rule, single), 2, steps)
        unknown = nw.lit(None, dtype=nw.Float64)
        return {"decision": _one_of(taken, called), "expected_cost": unknown,
                "next_best": _one_of(taken, called[::-1]), "margin": unknown}  # fmt: skip
    shift = odds_shift(rule) if rule.has_raw_cuts else None
    before = posteriors_before(rule, DIALECT, scores, steps.keep, shift or 0.0)
    amounts = case_amounts(rule, steps.dialect)[0] if rule.per_case else None
    sums = None if amounts is None else per_case(DIALECT, before, amounts, rule)
    if rule.has_raw_cuts:
        chosen = _by_cuts(rule, single)
    else:
        chosen = argmin(DIALECT, *(sums or expected_costs(DIALECT, before, rule._compared)))
    taken = _taken(chosen, len(names), steps)
    costs = _costs(rule, before, sums, steps, moved=shift is not None)
    each = [steps.keep(f"e{j}", cost) for j, cost in enumerate(costs)]
    cost = steps.keep("paid", _one_of(taken, each))
    unpriced = cost
    if rule.prices is not None:
        free = replace(rule, prices=None, cut_texts=None)
        amounts = case_amounts(free, steps.dialect)[0] if rule.per_case else None
        own = None if amounts is None else per_case(DIALECT, before, amounts, free)
        unpriced = _one_of(taken, _costs(free, before, own, steps, moved=shift is not None))
    made = {"decision": _one_of(taken, called), "expected_cost": unpriced}
    if len(each) == 1:
        made |= {
            "next_best": nw.lit(None, dtype=nw.String),
            "margin": nw.lit(None, dtype=nw.Float64),
        }
    elif len(each) == 2:
        over = _not_below_zero(_one_of(taken, each[::-1]) - cost)
        made |= {"next_best": _one_of(taken, called[::-1]), "margin": over}
    else:
        far = DIALECT.literal(float("inf"))
        others = [DIALECT.when(is_it, far, one) for is_it, one in zip(taken, each, strict=True)]
        others = [steps.keep(f"o{j}", one) for j, one in enumerate(others)]
        least = steps.keep("least", DIALECT.smallest(others))
        after = _taken(argmin(DIALECT, others, None, 0.0), len(each), steps, "n")
        made |= {"next_best": _one_of(after, called), "margin": _not_below_zero(least - cost)}
    return made


def _by_cuts(rule: DecisionRule, score: Any) -> Any:
    """The position of the decision for a score that is compared with cuts."""
    return decided_by_cuts(DIALECT, score, *rule.raw_cuts("float64"))


def _taken(code: Any, decisions: int, steps: _Steps, name: str = "d") -> list[Any]:
    """Whether each decision is taken. One of two is kept as a truth value, which is faster."""
    if decisions == 2:
        first = steps.keep(name, code == 0)
        return [first, ~first]
    code = steps.keep(name, code)
    return [code == j for j in range(decisions)]


def _not_below_zero(value: Any) -> Any:
    """A number, or 0 where rounding made it negative."""
    return DIALECT.greatest([value, DIALECT.literal(0.0)])


def _one_of(taken: Sequence[Any], values: Sequence[Any]) -> Any:
    """The value of the decision that is taken."""
    return DIALECT.first_of(list(zip(taken[:-1], values[:-1], strict=True)), values[-1])


def _costs(
    rule: DecisionRule, before: list[Any], sums: Any, steps: _Steps, *, moved: bool
) -> list[Any]:
    """What each decision is expected to cost where the rule runs.

    `moved` says that `before` are posteriors there, adding to 1.
    """
    factors = [float(factor) for factor in rule.factors]
    stays = rule.stays and (rule.scores == "posterior" or len(rule.classes) == 2)
    normalised = stays and (rule.calibrator is None or len(rule.classes) == 2)
    if not (moved or rule.stays):
        before = [f * p for f, p in zip(factors, before, strict=True)]
    if sums is None:
        table = rule.priced_costs.values.T.tolist()
        costs = [_weighed(before, column) for column in table]
    else:  # already weighed by the factors
        costs = sums[0]
    if moved or normalised:
        return costs
    total = steps.keep("all", reduce(add, before))
    return [cost / total for cost in costs]


def _weighed(parts: list[Any], weights: list[float]) -> Any:
    """A weighted sum; 0 if all weights are 0."""
    pairs = zip(weights, parts, strict=True)
    terms = [part if w == 1 else w * part for w, part in pairs if w]
    return reduce(add, terms) if terms else parts[0] * 0.0
