"""Spellings of labels and decisions in files that stay where they are, read as in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from stakes.cli.cells import empty_words, without_point

__all__ = ["decided", "meant", "trimmed"]

#: What is left out around a label, as Python does; engines think differently of some of these.
SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))


def trimmed(name: str) -> Any:
    """A column of text without spaces around it; nothing where it holds a word for nothing."""
    text = nw.col(name).str.strip_chars(SPACES)
    return nw.when(~text.is_in(empty_words())).then(text)


def meant(name: str, respelt: Mapping[Any, Any]) -> Any:
    """A column with some values replaced by others."""
    spellings: dict[Any, list[Any]] = {}
    for value, other in respelt.items():
        spellings.setdefault(other, []).append(value)
    found = nw.col(name)
    for other, values in spellings.items():
        found = nw.when(nw.col(name).is_in(values)).then(nw.lit(other)).otherwise(found)
    return found


def decided(columns: Sequence[str], types: Any, names: Sequence[Any]) -> dict[str, Any]:
    """Columns of decisions in the spelling of their names, where they may have another one.

    Integers stay such where names are; else everything is text, so that nothing is a position.
    """
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
        elif any(_whole(each) for each in names):
            found[name] = _texts(name, names)
    return found


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


def _texts(name: str, names: Sequence[Any]) -> Any:
    """Text as the names write whole numbers, with a point or without; the same text first."""
    text = nw.col(name)
    cut = text.str.replace_all(r"\.0*$", "")
    spelt = {without_point(str(each)): str(each) for each in names if _whole(each)}
    alike = [short for short, long in spelt.items() if short == long]
    found = nw.when(cut.is_in(alike)).then(cut).otherwise(text) if alike else text
    for short, long in spelt.items():
        if short != long:
            found = nw.when(cut == short).then(nw.lit(long)).otherwise(found)
    return nw.when(text.is_in([str(each) for each in names])).then(text).otherwise(found)
