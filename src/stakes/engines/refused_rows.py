"""Why rows cannot be used: counted, with an example, and what to type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

from stakes._names import integer_named, listed
from stakes.engines.frame_columns import ColumnTypes, coded
from stakes.engines.plan import PREFIX, Grouping, Plan
from stakes.engines.request import Request
from stakes.exceptions import CostError, DataError, LabelError, PosteriorError, StakesError
from stakes.typing import Name

_LARGEST = 1.7976931348623157e308
#: Rows looked at for examples of what is wrong.
_EXAMPLES = 100
_DROP = "drop or fill those rows first; nothing is dropped silently"
_LOGITS = (
    "for logits use Posteriors.from_logits(x), "
    "for log-likelihood ratios Posteriors.from_llrs(x, priors)"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Fault:
    """One thing that may be wrong with a row."""

    error: type[StakesError]
    rule: str
    hint: str
    holds: Any  # the condition under which a row is right
    columns: tuple[str, ...]
    names: Sequence[Name] = ()
    positions: bool = False  # whether integers of the column would be read as positions


def refuse(
    frame: Any, engine: ModuleType, request: Request, types: ColumnTypes, refused: int
) -> NoReturn:
    """Raise with what is wrong, in how many rows, and an example; takes one more pass."""
    plan, lit = Plan(), engine.DIALECT.literal
    faults = _faults(engine.DIALECT, request, types)
    plan.add(0, "all", lit(0))
    for k, fault in enumerate(faults):
        plan.add(0, f"fault{k}", engine.DIALECT.when(fault.holds, lit(0), lit(1)))
    names = tuple(f"{PREFIX}fault{k}" for k in range(len(faults)))
    plan.groupings.append(Grouping((PREFIX + "all",), names))
    table = engine.run(frame, plan, request.columns)[0]
    total = int(table[PREFIX + "rows"][0])
    for fault, name in zip(faults, names, strict=True):
        count = int(table[name][0])
        if count:
            rows = engine.sample(frame, plan, request.columns, name, _EXAMPLES)
            raise fault.error(_said(fault, rows, count, total), hint=_hint(fault, rows))
    if request.case_costs:
        raise CostError(
            f"`case_costs` must come to finite costs; they do not in {refused} of {total} rows.",
            hint="a formula divides by zero there, or its amounts are too large",
        )
    raise DataError(f"{refused} of {total} rows cannot be used.")  # pragma: no cover


def _said(fault: _Fault, rows: list[dict[str, Any]], count: int, total: int) -> str:
    """The rule, an example, and how many."""
    many = f"({count} of {total} rows)"
    if fault.names:
        strangers = list(dict.fromkeys(row[fault.columns[0]] for row in rows))
        places = f" (or positions 0 to {len(fault.names) - 1})" if fault.positions else ""
        return (
            f"{fault.rule} holds {listed(strangers, 4)}, not among the names "
            f"{listed(fault.names)}{places} {many}."
        )
    shown = ", ".join(f"{name} = {rows[0][name]!r}" for name in fault.columns) if rows else ""
    return f"{fault.rule}; e.g. {shown} {many}."


def _hint(fault: _Fault, rows: list[dict[str, Any]]) -> str:
    """What to type; for positions in a column that is not of integers, how to make it one."""
    if not fault.names or fault.positions or integer_named(fault.names):
        return fault.hint
    name = fault.columns[0]
    if all(str(row[name]).strip().isdecimal() for row in rows):
        return (
            "positions are read from a column of integers alone; in pandas, "
            f"frame[{name!r}].astype(int)"
        )
    return fault.hint


def _faults(dialect: Any, request: Request, types: ColumnTypes) -> list[_Fault]:
    """Everything that may be wrong, in the order in which it is said."""
    found = [
        _Fault(DataError, f"`{name}` has missing values", _DROP, dialect.known(column), (name,))
        for name in request.columns
        if name not in request.by
        for column in [dialect.column(name)]
    ]
    found.append(_names(dialect, request.label, types, request.classes, "label"))
    for model, columns in request.models.items():
        if types.kind(columns, model, len(request.classes)) == "posteriors":
            found += _posteriors(dialect, model, columns, types)
            continue
        for app in request.applications.values():
            found.append(_names(dialect, columns[0], types, app.decisions, model))
    if request.sample_weight is not None:
        name = request.sample_weight
        holds = _between(dialect, dialect.number(name), 0.0, _LARGEST)
        rule = "`sample_weight` must be finite and not negative"
        found.append(
            _Fault(DataError, rule, "weights count how often a case is met", holds, (name,))
        )
    for formula in (request.case_costs or {}).values():
        for name in formula.columns:
            holds = _between(dialect, dialect.number(name), -_LARGEST, _LARGEST)
            rule = f"`{name}` must be finite, to reckon costs with"
            found.append(_Fault(CostError, rule, _DROP, holds, (name,)))
    return found


def _names(dialect: Any, name: str, types: ColumnTypes, names: Sequence[Name], what: str) -> _Fault:
    """Labels or decisions that are not among the names."""
    holds = coded(dialect, name, types, names, what) < dialect.literal(len(names))
    hint = "use the names of the application, in the same spelling and type"
    rule = f"`{what}` (column {name!r})" if what != name else f"`{what}`"
    places = types.types[name].is_integer() and not integer_named(names)
    return _Fault(LabelError, rule, hint, holds, (name,), names, places)


def _posteriors(
    dialect: Any, model: str, columns: tuple[str, ...], types: ColumnTypes
) -> list[_Fault]:
    """Numbers that are no probabilities, and rows of them that do not add to one."""
    room = types.tolerance(columns) if len(columns) > 1 else 0.0
    rule = f"`posteriors` of {model!r} must lie between 0 and 1"
    found = [
        _Fault(PosteriorError, rule, _LOGITS, _between(dialect, number, 0.0, 1.0 + room), columns)
        for number in (dialect.number(name) for name in columns)
    ]
    if len(columns) > 1:
        total = dialect.number(columns[0])
        for name in columns[1:]:
            total = total + dialect.number(name)
        rule = f"`posteriors` of {model!r} must sum to 1"
        off = dialect.size(total - dialect.literal(1.0)) <= dialect.literal(room)
        hint = "for logits use Posteriors.from_logits(x); to rescale rows, divide by their sum"
        found.append(_Fault(PosteriorError, rule, hint, off, columns))
    return found


def _between(dialect: Any, number: Any, low: float, high: float) -> Any:
    """Whether a number lies in a range; not so for NaN, which some engines call the largest."""
    return dialect.between(number, dialect.literal(low), dialect.literal(high))
