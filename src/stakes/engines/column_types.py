"""Types of the columns of a frame, and labels as positions among names."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from stakes._checks import TEXT_NAMES, of_kind, sum_tolerance
from stakes._names import integer_named, integers_meant, listed, positional
from stakes.engines.request import Request
from stakes.engines.row_values import PREFIX
from stakes.exceptions import DataError, LabelError
from stakes.messages.audience import named
from stakes.typing import Name


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
        of_kind(request, "request", Request)
        found = cls(dict(nw.from_native(frame).collect_schema()))
        for name in request.columns:
            if name not in found.types:
                folded = {str(other).lower(): other for other in found.types}
                near = [folded[n] for n in difflib.get_close_matches(name.lower(), folded, 1)]
                meant = f"did you mean {near[0]!r}?" if near else None
                raise DataError(
                    f"there is no column {name!r}; there are {listed(tuple(found.types), 12)}.",
                    hint=TEXT_NAMES if near and near[0] != str(near[0]) else meant,
                )
        taken = [name for name in request.columns if name.lower().startswith(PREFIX)]
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
        """An empty array of the type of a label column: booleans, integers; None for any other."""
        kind = self.types[name]
        if kind == nw.Boolean:
            return np.empty(0, dtype=bool)
        return np.empty(0, dtype=np.int64) if kind.is_integer() else None

    def float_type(self, columns: tuple[str, ...]) -> str:
        """The type of the columns of posteriors; mixed types are read as doubles."""
        single = all(self.types[name] == nw.Float32 for name in columns)
        return "float32" if single else "float64"

    def tolerance(self, columns: tuple[str, ...]) -> float:
        """How far a sum of posteriors may be from one, by the rounding of their type."""
        small = any(self.types[name] == nw.Float32 for name in columns)
        return sum_tolerance(np.dtype(np.float32 if small else np.float64))


def coded(dialect: Any, name: str, types: ColumnTypes, names: Sequence[Name], what: str) -> Any:
    """Expression for the position of each entry among `names`; `len(names)` for other entries."""
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
        return f"its cells may have any type; convert them to one: {whole}{text}"
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
