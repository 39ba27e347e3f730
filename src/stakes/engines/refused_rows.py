"""Rows that cannot be used: how many, what is wrong with them, and an example to look up."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

from stakes._names import integer_named, listed
from stakes.engines.column_types import ColumnTypes, coded
from stakes.engines.request import Request
from stakes.engines.request_plan import Planned
from stakes.engines.row_values import PREFIX, Grouping, Plan, Table, added
from stakes.exceptions import CostError, DataError, LabelError, PosteriorError, StakesError
from stakes.messages.audience import named
from stakes.typing import Name


def refused_count(made: Planned, tables: list[Table]) -> int:
    """How many rows could not be used."""
    name, last = PREFIX + ("bin0" if made.from_bins else "cell0"), made.first_unusable
    codes, rows = tables[0][name], tables[0][PREFIX + "rows"]
    return sum(int(n) for code, n in zip(codes, rows, strict=True) if code is None or code >= last)


_LARGEST = sys.float_info.max
#: Rows looked at for examples of what is wrong.
_EXAMPLES = 100
_DROP = "drop or fill those rows first; nothing is dropped silently"
_LOGITS = (
    "for logits use Posteriors.from_logits(x), "
    "for log-likelihood ratios Posteriors.from_llrs(x, priors)"
)
_RESCALE = "for logits use Posteriors.from_logits(x); to rescale rows, divide by their sum"


@dataclass(frozen=True, slots=True, eq=False)
class _Fault:
    """One thing that may be wrong with a row."""

    code: str
    error: type[StakesError]
    rule: str
    hint: str
    holds: Any  # the condition under which a row is right
    columns: tuple[str, ...]
    names: Sequence[Name] = ()
    positions: bool = False  # whether integers of the column would be read as positions


# Why bad rows are counted in a cell of their own, in the same pass: docs/design/engines.md.
def refuse_rows(
    frame: Any, engine: ModuleType, request: Request, types: ColumnTypes, refused: int
) -> NoReturn:
    """Raise an error that says what is wrong, in how many rows, with an example; one more pass."""
    plan, lit = Plan(), engine.DIALECT.literal
    faults = list(_faults(engine.DIALECT, request, types))
    plan.add(0, "all", lit(0))
    for k, fault in enumerate(faults):
        plan.add(0, f"fault{k}", engine.DIALECT.when(fault.holds, lit(0), lit(1)))
    names = tuple(f"{PREFIX}fault{k}" for k in range(len(faults)))
    plan.groupings.append(Grouping((PREFIX + "all",), names))
    table = engine.run(frame, plan, request.columns)[0]
    total = int(table[PREFIX + "rows"][0])
    for fault, name in zip(faults, names, strict=True):
        if count := int(table[name][0]):
            rows = engine.sample(frame, plan, request.columns, name, _EXAMPLES)
            said, hint = _said(fault, rows, f"({count} of {total} rows)")
            raise fault.error(said, hint=hint, code=fault.code)
    message = f"`case_costs` must come to finite costs; they do not in {refused} of {total} rows."
    raise CostError(message, hint="a formula divides by zero there, or its amounts are too large")


def _said(fault: _Fault, rows: list[dict[str, Any]], many: str) -> tuple[str, str]:
    """The message (rule, example, number of rows) and the hint."""
    name = fault.columns[0]
    if not fault.names:
        shown = ", ".join(f"{each} = {rows[0][each]!r}" for each in fault.columns) if rows else ""
        return f"{fault.rule}; e.g. {shown} {many}.", fault.hint
    strangers = list(dict.fromkeys(row[name] for row in rows))
    places = f" (or positions 0 to {len(fault.names) - 1})" if fault.positions else ""
    known = f"not among the names {listed(fault.names)}{places}"
    said, hint = f"{fault.rule} holds {listed(strangers, 4)}, {known} {many}.", fault.hint
    if fault.positions or integer_named(fault.names):
        return said, hint
    if all(str(each).strip().isdecimal() for each in strangers):
        whole = f"in pandas, frame[{name!r}].astype(int)"
        hint = f"positions are read from a column of integers alone; {whole}"
    return said, hint


def _faults(dialect: Any, request: Request, types: ColumnTypes) -> Iterator[_Fault]:
    """Everything that may be wrong, in the order in which it is reported."""

    def between(name: str, low: float, high: float) -> Any:  # some engines sort NaN highest
        number = dialect.number(name)
        return dialect.between(number, dialect.literal(low), dialect.literal(high))

    def among(name: str, names: Sequence[Name], what: str) -> _Fault:
        holds = coded(dialect, name, types, names, what) < dialect.literal(len(names))
        hint = "use the names of the application, in the same spelling and type"
        rule = f"`{what}` (column {name!r})" if what != name else f"`{what}`"
        places = types.types[name].is_integer() and not integer_named(names)
        return _Fault("name", LabelError, rule, hint, holds, (name,), names, places)

    for name in request.columns:
        if name not in request.by:
            rule, known = f"`{name}` has missing values", dialect.known(dialect.column(name))
            yield _Fault("missing", DataError, rule, _DROP, known, (name,))
    yield among(request.label, request.classes, "label")
    for model, columns in request.models.items():
        if types.kind(columns, model, len(request.classes)) == "decisions":
            for app in request.applications.values():
                yield among(columns[0], app.decisions, model)
            continue
        room = types.tolerance(columns) if len(columns) > 1 else 0.0
        rule = f"`posteriors` of {model!r} must lie between 0 and 1"
        for name in columns:
            holds = between(name, 0.0, 1.0 + room)
            yield _Fault("posterior-range", PosteriorError, rule, _LOGITS, holds, columns)
        if len(columns) > 1:
            total = added([dialect.number(name) for name in columns])
            rule = f"`posteriors` of {model!r} must sum to 1"
            holds = dialect.size(total - dialect.literal(1.0)) <= dialect.literal(room)
            yield _Fault("posterior-sum", PosteriorError, rule, _RESCALE, holds, columns)
    if (weight := request.sample_weight) is not None:
        rule = f"{named('sample_weight')} must be finite and not negative"
        holds, hint = between(weight, 0.0, _LARGEST), "weights count how often a case is met"
        yield _Fault("weight", DataError, rule, hint, holds, (weight,))
    for name in (name for each in (request.case_costs or {}).values() for name in each.columns):
        rule = f"`{name}` must be finite, because costs are computed from it"
        holds = between(name, -_LARGEST, _LARGEST)
        yield _Fault("cost-column", CostError, rule, _DROP, holds, (name,))
