"""Frames of any library, near or far, and their columns."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from stakes._checks import sum_tolerance
from stakes._names import integer_named, integers_meant, listed, positional
from stakes._optional import load
from stakes.engines.request import Request
from stakes.engines.row_rules import PREFIX, Grouping, Plan, RowFunction, Table
from stakes.exceptions import DataError, LabelError
from stakes.messages.audience import named
from stakes.typing import Name

#: What engines call the types of Python.
_KINDS: dict[type, Any] = {bool: nw.Boolean, int: nw.Int64, float: nw.Float64, str: nw.String}
#: Up to so many conditions are asked one within the other; Python gives up at a few hundred.
_NESTED = 32


class Narwhals:
    """The words of expressions, as narwhals spells them."""

    #: Decisions with more products for each row are left to NumPy, batch by batch: 14 to 60 times
    #: as fast at 100 classes, and a million products never get past planning.
    most_terms = 1_000

    def column(self, name: str) -> Any:
        """A column as it is."""
        return nw.col(name)

    def number(self, name: str) -> Any:
        """A column as doubles."""
        return self.column(name).cast(nw.Float64)

    def text(self, name: str) -> Any:
        """A column as text."""
        return self.column(name).cast(nw.String)

    def literal(self, value: Any) -> Any:
        """A float, an integer, text or a truth value."""
        return nw.lit(value, dtype=_KINDS[type(value)])

    def when(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """One value or the other; the other where the condition is unknown."""
        return nw.when(condition).then(then).otherwise(otherwise)

    def certain(self, condition: Any) -> Any:
        """A condition that `when` can use, false where it is unknown."""
        return self.when(condition, self.literal(True), self.literal(False))

    def first_of(self, branches: list[tuple[Any, Any]], otherwise: Any) -> Any:
        """The value of the first condition that holds; of many, first the group that has it."""
        if len(branches) > _NESTED:
            size = -(-len(branches) // _NESTED)
            groups = [branches[k : k + size] for k in range(0, len(branches), size)]
            return self.first_of([self._one_of(group) for group in groups], otherwise)
        for condition, value in reversed(branches):
            otherwise = self.when(condition, value, otherwise)
        return otherwise

    def _one_of(self, branches: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Whether any of the conditions holds, and the value of the first that does."""
        among = nw.any_horizontal(*(condition for condition, _ in branches), ignore_nulls=True)
        return among, self.first_of(branches[:-1], branches[-1][1])

    def between(self, value: Any, low: Any, high: Any) -> Any:
        """Whether a value lies in a range, ends included."""
        return (value >= low) & (value <= high)

    def floor(self, value: Any) -> Any:
        """The next whole number below, as a double."""
        return value - value % 1.0  # exact; narwhals 2.0 has no floor

    def indicator(self, condition: Any) -> Any:
        """1 where a condition holds and 0 where not, as doubles."""
        return condition.cast(nw.Float64)

    def ratio(self, top: Any, bottom: Any) -> Any:
        """A quotient; nothing finite where the divisor is zero."""
        return top / bottom

    def root(self, value: Any) -> Any:
        """The square root."""
        return value.sqrt()

    def log(self, value: Any) -> Any:
        """The natural logarithm."""
        return value.log()

    def size(self, value: Any) -> Any:
        """The absolute value."""
        return value.abs()

    def smallest(self, values: list[Any]) -> Any:
        """The least of several."""
        return nw.min_horizontal(*values)

    def integer(self, value: Any, most: int) -> Any:
        """An integer from 0 to `most`."""
        return value.cast(nw.Int32 if most < 2**31 else nw.Int64)

    def known(self, value: Any) -> Any:
        """That a value is there."""
        return ~value.is_null()


DIALECT = Narwhals()


def run(frame: Any, plan: Plan, columns: tuple[str, ...]) -> list[Table]:
    """Every grouping of a frame of any kind; lazy ones are collected as groups only."""
    rows = nw.from_native(frame)
    if isinstance(rows, nw.DataFrame) and not len(rows):  # some narwhals cannot add to no rows
        ends = [PREFIX + name for name in ("rows", "low", "high")]
        return [{name: [] for name in (*g.keys, *g.sums, *ends)} for g in plan.groupings]
    rows = stepped(frame, plan, columns)
    return [as_table(grouped(rows, grouping)) for grouping in plan.groupings]


def sample(
    frame: Any, plan: Plan, columns: tuple[str, ...], flag: str, limit: int
) -> list[dict[str, Any]]:
    """Some rows in which a flag is 1."""
    found = stepped(frame, plan, columns).filter(nw.col(flag) == 1).select(*columns).head(limit)
    table = as_table(found)
    return [dict(zip(columns, row, strict=True)) for row in zip(*table.values(), strict=True)]


def stepped(frame: Any, plan: Plan, columns: tuple[str, ...]) -> Any:
    """The columns that are needed, and those that are made from them."""
    rows = with_functions(nw.from_native(frame).select(*columns), plan.functions)
    for step in filter(None, plan.steps):
        rows = rows.with_columns(**step)
    return rows


def with_functions(rows: Any, functions: Sequence[RowFunction]) -> Any:
    """The rows with columns that NumPy makes; frames that stay elsewhere cannot have them."""
    if functions and isinstance(rows, nw.LazyFrame):
        raise DataError(
            f"{len(functions[0].columns):,} classes with such costs cannot be decided in "
            f"{rows.implementation}.",
            hint="use DuckDB, Polars, Spark or a frame in memory",
        )
    for name, columns, values in functions:
        made = values(rows.select(*columns).to_numpy())
        series = nw.new_series(name, made, nw.Int32, backend=rows.implementation)
        rows = rows.with_columns(series)
    return rows


def batches_with_functions(batches: Iterable[Any], functions: Sequence[RowFunction]) -> Any:
    """The same for batches of Arrow, as they come."""
    arrow = load("pyarrow", extra="parquet")
    for batch in batches:
        rows = nw.from_native(arrow.Table.from_batches([batch]), eager_only=True)
        yield from with_functions(rows, functions).to_arrow().to_batches()


def grouped(rows: Any, grouping: Grouping) -> Any:
    """One grouping, as lazy as the rows are."""
    made = {PREFIX + "rows": nw.len()}
    made |= {name: nw.col(name).sum() for name in grouping.sums}
    if grouping.range_of is not None:
        made[PREFIX + "low"] = nw.col(grouping.range_of).min()
        made[PREFIX + "high"] = nw.col(grouping.range_of).max()
    return rows.group_by(*grouping.keys).agg(**made)


def as_table(groups: Any) -> Table:
    """Groups as plain lists."""
    eager = groups.collect() if isinstance(groups, nw.LazyFrame) else groups
    return {name: eager[name].to_list() for name in eager.columns}


def refuse_lone_column(model: str, n_classes: int) -> None:
    """Raise for one column of floats where there are more than two classes."""
    if n_classes != 2:
        raise DataError(
            f"model {model!r} is one column of floats, but there are {n_classes} classes.",
            hint="posteriors have one column per class; decisions are names or integers",
        )


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTypes:
    """The types of the columns of a frame, as narwhals names them."""

    types: Mapping[str, Any]

    @classmethod
    def of(cls, frame: Any, request: Request) -> ColumnTypes:
        """Read the types; raise when a column is absent or cannot serve."""
        found = cls(dict(nw.from_native(frame).collect_schema()))
        for name in request.columns:
            if name not in found.types:
                folded = {str(other).lower(): other for other in found.types}
                near = [folded[n] for n in difflib.get_close_matches(name.lower(), folded, 1)]
                raise DataError(
                    f"there is no column {name!r}; there are {listed(tuple(found.types), 12)}.",
                    hint=f"did you mean {near[0]!r}?" if near else None,
                )
        taken = [name for name in request.columns if name.startswith(PREFIX)]
        if taken:
            message = f"column {taken[0]!r} has a name that is used while rows are counted."
            raise DataError(message, hint=f"rename it: names must not begin with {PREFIX!r}")
        for name in request.by:
            if found.types[name].is_nested():
                single = f"column {name!r} of {named('by')} must hold single values"
                raise DataError(f"{single}; it holds {found.types[name]}.", code="column-type")
        numbers = {request.sample_weight: "sample_weight"} if request.sample_weight else {}
        numbers |= {c: m for m, said in request.models.items() if len(said) > 1 for c in said}
        for formula in (request.case_costs or {}).values():
            numbers |= dict.fromkeys(formula.columns, "case_costs")
        for name, use in numbers.items():
            if not found.types[name].is_numeric():
                numeric = f"column {name!r} of {named(use)} must hold numbers"
                code = "column-type" if use == "sample_weight" else None
                raise DataError(f"{numeric}; it holds {found.types[name]}.", code=code)
        return found

    def kind(self, columns: tuple[str, ...], model: str, n_classes: int) -> str:
        """Whether the columns of a model are posteriors or decisions, by their type alone."""
        if len(columns) > 1:
            return "posteriors"
        kind = self.types[columns[0]]
        if not (kind.is_float() or kind.is_decimal()):
            return "decisions"
        refuse_lone_column(model, n_classes)
        return "posteriors"

    def labels(self, name: str) -> Any:
        """No labels, of the type of a column: booleans, integers, or None for anything else."""
        kind = self.types[name]
        if kind == nw.Boolean:
            return np.empty(0, dtype=bool)
        return np.empty(0, dtype=np.int64) if kind.is_integer() else None

    def float_type(self, columns: tuple[str, ...]) -> str:
        """The type that posteriors were written in; numbers of mixed types are read as doubles."""
        single = all(self.types[name] == nw.Float32 for name in columns)
        return "float32" if single else "float64"

    def tolerance(self, columns: tuple[str, ...]) -> float:
        """How far posteriors may be from adding to one: rounding of their own type."""
        small = any(self.types[name] == nw.Float32 for name in columns)
        return sum_tolerance(np.dtype(np.float32 if small else np.float64))


def coded(dialect: Any, name: str, types: ColumnTypes, names: Sequence[Name], what: str) -> Any:
    """The position of each entry among `names`, as an expression; the one after for all else."""
    kind = types.types[name]
    absent = len(names)
    if kind == nw.Boolean:
        meant = {k: k for k in range(absent)}
        if not positional(np.empty(0, dtype=bool), names):
            meant = integers_meant(names, what, truths=True)
        known = {value: meant[value] for value in (False, True) if value in meant}
        return _looked_up(dialect, dialect.column(name), known, absent)
    if kind.is_integer():
        column = dialect.column(name)
        if positional(np.empty(0, dtype=np.int64), names):
            inside = dialect.between(column, dialect.literal(0), dialect.literal(len(names) - 1))
            code = dialect.integer(column, len(names))
            return dialect.when(inside, code, dialect.integer(dialect.literal(absent), absent))
        return _looked_up(dialect, column, integers_meant(names, what), absent)
    if kind.is_float() or kind.is_decimal():
        if integer_named(names) or any(isinstance(n, float) for n in names):
            numbers = {float(n): k for k, n in enumerate(names) if isinstance(n, (int, float))}
            return _looked_up(dialect, dialect.number(name), numbers, absent)
    elif kind in (nw.String, nw.Categorical) or kind == nw.Enum:
        texts = {n: k for k, n in enumerate(names) if isinstance(n, str)}
        if texts:
            return _looked_up(dialect, dialect.text(name), texts, absent)
    column = f"`{what}` is the column {name!r} of type {kind}"
    message = f"{column}, which cannot hold the names {listed(names)}."
    raise LabelError(message, hint=_casting(kind, name, names))


def _casting(kind: Any, name: str, names: Sequence[Name]) -> str:
    """What to do about a column of labels or decisions whose type cannot hold the names."""
    whole = f"in pandas, frame[{name!r}].astype(int)"
    if kind == nw.Object:
        text = "" if integer_named(names) else f"; for names, frame[{name!r}].astype(str)"
        return f"its cells may be of any type; make them one, {whole}{text}"
    if kind in (nw.String, nw.Categorical) or kind == nw.Enum:
        texts = f"or give names that are text, classes={[str(n) for n in names[:2]]}"
        return f"such a column is read as text and the names are numbers; {whole}, {texts}"
    if kind == nw.Unknown:
        return "does it hold any value at all? use the names of the application"
    return "use the names of the application, or their positions as integers"


def _looked_up(dialect: Any, column: Any, known: Mapping[Any, int], absent: int) -> Any:
    """The position of each known value; `absent` for anything else."""

    def code(place: int) -> Any:
        return dialect.integer(dialect.literal(place), absent)

    branches = [(column == dialect.literal(value), code(k)) for value, k in known.items()]
    return dialect.first_of(branches, code(absent))
