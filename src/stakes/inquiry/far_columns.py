"""Columns of files that stay where they are: which are needed, how labels are spelt, made ready
by expressions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial, reduce
from operator import add, or_
from typing import Any

import narwhals as nw
import numpy as np

from stakes._columns import numbers_of_text
from stakes.exceptions import DataError
from stakes.inquiry.column_roles import (
    ClassColumns,
    class_columns,
    flipped,
    in_class_order,
    named_columns,
    refuse_several,
)
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.truth import Cases
from stakes.sources.cells import EMPTY, are_numbers, empty_words, without_point
from stakes.sources.patterns import Files
from stakes.sources.table import Table

#: What is left out around a label, as Python does; engines think differently of some of these.
_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))

_AROUND = f"^[{_SPACES}]|[{_SPACES}]$"


def _trimmed(rows: Any, names: Sequence[str]) -> Any:
    """Columns of text without spaces around it; nothing where one holds a word for nothing."""
    made = {}
    for name in names:
        text = nw.col(name)
        bare = text.str.strip_chars(_SPACES)
        if not rows.implementation.is_polars():  # SQL takes long for it, and only where it must
            bare = nw.when(text.str.contains(_AROUND)).then(bare).otherwise(text)
        made[name] = bare
    rows = rows.with_columns(**made)
    kept = {name: nw.when(~nw.col(name).is_in(empty_words())).then(nw.col(name)) for name in names}
    return rows.with_columns(**kept)


def _as_number(name: str, *, careful: bool, comma: bool) -> Any:
    """Text as numbers; where one must be careful, nothing for words that say so."""
    text = nw.col(name)
    if careful:
        text = text.str.strip_chars(_SPACES)
        text = nw.when(~text.str.to_lowercase().is_in(list(EMPTY))).then(text)
        if comma:  # a doubled point makes its cell no number: it may stand between thousands
            text = text.str.replace_all(".", "..", literal=True)
            text = text.str.replace_all(",", ".", literal=True)
    return numbers_of_text(text)


def _meant(name: str, respelt: Mapping[Any, Any]) -> Any:
    """A column with some values replaced by others."""
    found = nw.col(name)
    for other in dict.fromkeys(respelt.values()):
        values = [value for value, meant in respelt.items() if meant == other]
        found = nw.when(nw.col(name).is_in(values)).then(nw.lit(other)).otherwise(found)
    return found


def _decided(rows: Any, columns: Sequence[str], names: Sequence[Any]) -> Any:
    """Columns of decisions in the spelling of their names, where they may have another one.

    Integers stay such where names are; else everything is text, so that nothing is a position.
    """
    types = rows.collect_schema()
    found: dict[str, Any] = {}
    for name in columns:
        kind = types[name]
        if kind == nw.Boolean:  # as Python writes truth values
            no = nw.when(~nw.col(name)).then(nw.lit("False"))
            found[name] = nw.when(nw.col(name)).then(nw.lit("True")).otherwise(no)
        elif kind.is_integer() and not any(isinstance(each, int) for each in names):
            found[name] = nw.col(name).cast(nw.String)
        elif kind.is_float() or kind.is_decimal():  # names that are the same number
            number, found[name] = nw.col(name).cast(nw.Float64), nw.col(name).cast(nw.String)
            for each in filter(lambda each: are_numbers([each]), map(str, names)):
                same = nw.when(number == float(each)).then(nw.lit(each))
                found[name] = same.otherwise(found[name])
    rows = rows.with_columns(**found) if found else rows
    return _respelt(rows, [name for name in columns if types[name] == nw.String], names)


def _respelt(rows: Any, columns: Sequence[str], names: Sequence[Any]) -> Any:
    """Text as the names are spelt: without spaces around it, or a point behind whole numbers.

    In steps of which each has its work once, behind the names as they stand: SQL then does it
    only for other text.
    """
    known = [str(each) for each in names]
    whole = [name for name in known if without_point(name).lstrip("+-").isdecimal()]
    spelt = {without_point(name): name for name in whole}
    alike = [short for short, long in spelt.items() if short == long]
    steps: list[dict[str, Any]] = [{}, {}, {}]
    for k, name in enumerate(columns):
        text, cut = nw.col(name), nw.col(f"stakes_cut{k}")
        stands = nw.when(text.is_in(known)).then(text)
        steps[0][name] = stands.otherwise(text.str.strip_chars(_SPACES))
        found: Any = nw.when(~text.is_in(empty_words())).then(text)
        if spelt:
            steps[1][f"stakes_cut{k}"] = stands.otherwise(text.str.replace_all(r"\.0*$", ""))
            found = nw.when(cut.is_in(alike)).then(cut).otherwise(found) if alike else found
        for short, long in spelt.items():
            if short != long:
                found = nw.when(cut == short).then(nw.lit(long)).otherwise(found)
        steps[2][name] = stands.otherwise(found)
    for step in filter(None, steps):
        rows = rows.with_columns(**step)
    return rows


#: Names that mean the same to every engine, and are not given on the way.
_PLAIN = re.compile(r"(?!stakes_)[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NO_WORD = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class FarColumns:
    """The columns that are read: truth, models (each with its columns), weight, slices, amounts,
    and what belongs together.
    """

    label: str
    decisions: tuple[str, ...]
    scores: tuple[str, ...]
    classes: tuple[ClassColumns, ...]
    weight: str | None
    by: tuple[str, ...]
    whole_decisions: bool = False
    turned: frozenset[str] = frozenset()
    amounts: tuple[str, ...] = ()
    groups: str | None = None

    @property
    def stand_ins(self) -> dict[str, str]:
        """Other names for columns whose own ones engines read otherwise: ``*``, ``^p$``, ``a.b``.

        So do names that are given to columns on the way.
        """
        odd = [name for name in self.types if not _PLAIN.fullmatch(name)]
        return {name: f"stakes_name{k}_{_NO_WORD.sub('', name)}" for k, name in enumerate(odd)}

    def renamed(self, names: Mapping[str, str]) -> FarColumns:
        """The same columns where some of them have another name."""

        def new(held: Any) -> Any:
            if isinstance(held, (tuple, frozenset)):
                return type(held)(map(new, held))
            if isinstance(held, ClassColumns):
                return replace(held, by_class={c: new(name) for c, name in held.by_class.items()})
            return names.get(held, held)

        return FarColumns(**{each.name: new(getattr(self, each.name)) for each in fields(self)})

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns of numbers."""
        inner = tuple(c for each in self.classes for c in each.by_class.values())
        weight = (self.weight,) if self.weight else ()
        return tuple(dict.fromkeys((*self.scores, *inner, *weight, *self.amounts)))

    @property
    def may_be_empty(self) -> dict[str, tuple[str, ...]]:
        """The columns of each model, and that of the weights, by name."""
        found: dict[str, tuple[str, ...]] = {n: (n,) for n in (*self.decisions, *self.scores)}
        found |= {each.model: tuple(each.by_class.values()) for each in self.classes}
        return found | ({self.weight: (self.weight,)} if self.weight else {})

    @property
    def types(self) -> dict[str, str]:
        """How the cells of text files are to be read."""
        words = (self.label, *self.decisions, *self.by, *([self.groups] if self.groups else ()))
        return {**dict.fromkeys(words, "text"), **dict.fromkeys(self.numbers, "number")}

    def models_for(self, classes: tuple[str, ...]) -> dict[str, Any]:
        """The columns of each model, as a request names them."""
        if self.scores:
            named = Table("", 0, self.scores, "")
            refuse_several(named, self.scores, self.label, classes)
        found: dict[str, Any] = {name: name for name in (*self.decisions, *self.scores)}
        return found | {each.model: in_class_order(each, classes) for each in self.classes}


def far_columns(
    table: Table, types: Any, label: str, inquiry: Inquiry, amounts: Sequence[str] = ()
) -> FarColumns:
    """The columns that the options, and amounts that differ by case, speak of; all must exist."""
    decisions = named_columns(table, inquiry.decisions, label) if inquiry.decisions else []
    scores = named_columns(table, inquiry.scores, label) if inquiry.scores else []
    classes = class_columns(table, inquiry.proba, label) if inquiry.proba else []
    by = named_columns(table, inquiry.by) if inquiry.by else []
    for name in (*filter(None, (inquiry.weight, inquiry.groups)), *amounts):
        table.position(name)
    whole = bool(decisions) and all(types[name].is_integer() for name in decisions)
    models, turned = (tuple(decisions), tuple(scores), tuple(classes)), flipped(scores, inquiry)
    more = whole, frozenset(turned), tuple(dict.fromkeys(amounts))
    found = FarColumns(label, *models, inquiry.weight, tuple(by), *more, groups=inquiry.groups)
    for name in found.numbers:
        if types[name].is_nested() or types[name].is_temporal():
            message = f"column '{name}' must hold numbers; it holds {types[name]}."
            raise DataError(message, hint="name a column of numbers")
    return found


def read_as_meant(frame: Any, columns: FarColumns, files: Files, inquiry: Inquiry) -> Any:
    """Numbers that are held as text as numbers; times and groups without spaces around them.

    The truth stays as it stands, since its spellings are seen when it is counted, and so do
    slices; decisions too, unless those that hold a word for nothing are to be left out.
    """
    rows = nw.from_native(frame)
    types = rows.collect_schema()
    encoded = [name for name in columns.types if types[name] == nw.Binary]
    if encoded:
        rows = rows.with_columns(*(nw.col(name).cast(nw.String) for name in encoded))
    zoned = [name for name in columns.by if getattr(types[name], "time_zone", None)]
    if zoned and not rows.implementation.is_pyspark():
        plain = nw.col(*zoned).dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        rows = rows.with_columns(plain)  # as in memory; for others DuckDB needs one more library
    texts = {name for name in columns.types if types[name] in (nw.String, nw.Binary)}
    numbers = [name for name in dict.fromkeys(columns.numbers) if name in texts]
    if numbers:
        comma = files.header is not None and files.header.decimal_comma
        as_number = partial(_as_number, careful=files.gaps == "text", comma=comma)
        rows = rows.with_columns(**{name: as_number(name) for name in numbers})
    checked = columns.decisions if inquiry.missing == "drop" else ()
    times = columns.by if inquiry.time is not None else ()
    words = texts & {*checked, *times, columns.groups} - {columns.label}
    return (_trimmed(rows, sorted(words)) if words else rows).to_native()


def is_empty(names: Sequence[str], types: Any) -> Any:
    """Whether one of some columns holds nothing, as an expression."""
    gaps = [nw.col(name).is_null() for name in names]
    return reduce(or_, gaps + [nw.col(n).is_nan() for n in names if types[n].is_float()])


def prepared(
    frame: Any,
    columns: FarColumns,
    cases: Cases,
    inquiry: Inquiry,
    decisions: Sequence[Any],
    respelt: Mapping[Any, Any],
) -> Any:
    """The frame with every model as posteriors or decisions; rows are left out only if asked.

    `decisions` are the names that a request has; `respelt` are values of the truth that mean
    another one.
    """
    rows = nw.from_native(frame)
    types = rows.collect_schema()
    if inquiry.missing == "drop":
        for names in columns.may_be_empty.values():
            rows = rows.filter(~is_empty(names, types))
        rows = rows.filter(~nw.col(columns.label).is_null())
        if types[columns.label] == nw.String:
            words = nw.col(columns.label).str.strip_chars().str.to_lowercase()
            rows = rows.filter(~words.is_in(list(EMPTY)))
    changed = _posteriors(columns, types, cases, inquiry) | _times(columns, types, inquiry)
    if respelt:
        changed[columns.label] = _meant(columns.label, respelt)
    if changed:
        rows = rows.with_columns(**changed)
    if columns.decisions:
        rows = _decided(rows, columns.decisions, decisions)
    return rows.to_native()


def _times(columns: FarColumns, types: Any, inquiry: Inquiry) -> dict[str, Any]:
    """Times cut to hours or days in the engine, so that slices are few; weeks are made of days.

    Texts keep the clock that they are written in; instants with a time zone are taken in UTC.
    """
    if inquiry.time is None:
        return {}
    (name,) = columns.by
    unit, letters = ("1h", 13) if inquiry.period == "hour" else ("1d", 10)
    if types[name] == nw.String and inquiry.period is not None:
        return {name: nw.col(name).str.slice(0, letters)}
    if types[name] != nw.Datetime:
        return {}
    value = nw.col(name)
    if types[name].time_zone is not None:
        value = value.cast(nw.Datetime("us"))
    return {name: value if inquiry.period is None else value.dt.truncate(unit)}


def _posteriors(columns: FarColumns, types: Any, cases: Cases, inquiry: Inquiry) -> dict[str, Any]:
    """Expressions that turn what stands in the files into posteriors."""
    changed: dict[str, Any] = {}
    logs = np.zeros(len(cases.classes))
    if inquiry.kind == "llr":
        with np.errstate(divide="ignore"):
            logs = np.log(cases.priors)
    for name in columns.scores:
        value = nw.col(name).cast(nw.Float64)
        if name in columns.turned:
            value = 1 - value if inquiry.kind == "posterior" else 0.0 - value
        if inquiry.kind != "posterior":
            value = 1 / (1 + (0.0 - float(logs[1] - logs[0]) - value).exp())
        if name in columns.turned or inquiry.kind != "posterior" or not types[name].is_float():
            changed[name] = value  # whole numbers would look like decisions
    for each in columns.classes if inquiry.kind != "posterior" or inquiry.renormalise else ():
        start = dict(zip(cases.classes, logs.tolist(), strict=True))
        inner = {name: nw.col(c).cast(nw.Float64) for name, c in each.by_class.items()}
        parts = [value + start.get(name, 0.0) for name, value in inner.items()]
        total = reduce(add, parts)
        if inquiry.kind != "posterior":
            parts, total = _shares(parts)
        pairs = zip(each.by_class.values(), parts, strict=True)
        changed |= {column: part / total for column, part in pairs}
    return changed


def _shares(logs: list[Any]) -> tuple[list[Any], Any]:
    """What logits are in proportion to, and their sum; NaN where they tell no posterior."""
    top = nw.max_horizontal(*logs)
    parts = [nw.when(v == math.inf).then(nw.lit(1.0)).otherwise((v - top).exp()) for v in logs]
    total = reduce(add, parts)
    torn = (top == math.inf) & (total > 1)  # two outcomes that are certain
    return parts, nw.when(torn).then(nw.lit(math.nan)).otherwise(total)
