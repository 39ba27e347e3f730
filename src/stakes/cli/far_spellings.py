"""Spellings of labels and decisions in files that stay where they are, read as in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from stakes.cli.cells import EMPTY, empty_words, without_point

__all__ = ["as_number", "decided", "meant", "trimmed"]

#: What is left out around a label, as Python does; engines think differently of some of these.
SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))

AROUND = f"^[{SPACES}]|[{SPACES}]$"


def trimmed(rows: Any, names: Sequence[str]) -> Any:
    """Columns of text without spaces around it; nothing where one holds a word for nothing."""
    made = {}
    for name in names:
        text = nw.col(name)
        bare = text.str.strip_chars(SPACES)
        if not rows.implementation.is_polars():  # SQL takes long for it, and only where it must
            bare = nw.when(text.str.contains(AROUND)).then(bare).otherwise(text)
        made[name] = bare
    rows = rows.with_columns(**made)
    words = empty_words()
    return rows.with_columns(
        **{name: nw.when(~nw.col(name).is_in(words)).then(nw.col(name)) for name in names}
    )


def as_number(name: str, *, careful: bool, comma: bool) -> Any:
    """Text as numbers; where one must be careful, nothing for words that say so."""
    text = nw.col(name)
    if careful:
        text = text.str.strip_chars(SPACES)
        text = nw.when(~text.str.to_lowercase().is_in(list(EMPTY))).then(text)
        text = text.str.replace_all(",", ".", literal=True) if comma else text
    return text.cast(nw.Float64)


def meant(name: str, respelt: Mapping[Any, Any]) -> Any:
    """A column with some values replaced by others."""
    spellings: dict[Any, list[Any]] = {}
    for value, other in respelt.items():
        spellings.setdefault(other, []).append(value)
    found = nw.col(name)
    for other, values in spellings.items():
        found = nw.when(nw.col(name).is_in(values)).then(nw.lit(other)).otherwise(found)
    return found


def decided(rows: Any, columns: Sequence[str], names: Sequence[Any]) -> Any:
    """Columns of decisions in the spelling of their names, where they may have another one.

    Integers stay such where names are; else everything is text, so that nothing is a position.
    """
    types = rows.collect_schema()
    found: dict[str, Any] = {}
    for name in columns:
        kind = types[name]
        if kind == nw.Boolean:
            found[name] = _flags(name)
        elif kind.is_integer():
            if not any(isinstance(each, int) for each in names):
                found[name] = nw.col(name).cast(nw.String)
        elif kind.is_float() or kind.is_decimal():
            found[name] = _numbers(name, names)
    rows = rows.with_columns(**found) if found else rows
    return _respelt(rows, [name for name in columns if types[name] == nw.String], names)


def _whole(name: Any) -> bool:
    """Whether a name is written as a whole number."""
    return without_point(str(name)).lstrip("+-").isdecimal()


def _flags(name: str) -> Any:
    """Truth values as Python writes them."""
    flag = nw.col(name)
    return nw.when(flag).then(nw.lit("True")).otherwise(nw.when(~flag).then(nw.lit("False")))


def _numbers(name: str, names: Sequence[Any]) -> Any:
    """Floats as names that are the same number; others as the engine writes them."""
    number = nw.col(name).cast(nw.Float64)
    found = nw.col(name).cast(nw.String)
    for each in names:
        try:
            value = float(str(each))
        except ValueError:
            continue
        found = nw.when(number == value).then(nw.lit(str(each))).otherwise(found)
    return found


def _respelt(rows: Any, columns: Sequence[str], names: Sequence[Any]) -> Any:
    """Text as the names are spelt: without spaces around it, or a point behind whole numbers.

    In steps of which each has its work once, behind the names as they stand: SQL then does it
    only for other text.
    """
    known = [str(each) for each in names]
    spelt = {without_point(name): name for name in known if _whole(name)}
    alike = [short for short, long in spelt.items() if short == long]
    steps: list[dict[str, Any]] = [{}, {}, {}]
    for k, name in enumerate(columns):
        text, cut = nw.col(name), nw.col(f"stakes_cut{k}")
        stands = nw.when(text.is_in(known)).then(text)
        steps[0][name] = stands.otherwise(text.str.strip_chars(SPACES))
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
