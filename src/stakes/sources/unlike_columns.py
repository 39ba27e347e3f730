"""Refuse files that are read together if their columns differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stakes._optional import load
from stakes.exceptions import FormatError


def refuse_unlike(
    names: Sequence[str], name: str, others: Sequence[str], other: str, hint: str = ""
) -> None:
    """Raise unless a file has the columns of another one, in any order."""
    lacking = [each for each in others if each not in names]
    more = [each for each in names if each not in others]
    if lacking or more:
        said = f"no column '{lacking[0]}'" if lacking else f"a column '{more[0]}'"
        raise FormatError(
            f"{name} has {said}, unlike {other}: files that are read together need the same "
            "columns.",
            hint="to look at one:  stakes inspect FILE" + hint,
        )


def refuse_unlike_types(column: str, types: Mapping[str, tuple[str, str]], doing: str) -> None:
    """Raise if a column has several kinds of types, given with their words for each file.

    The values of one file would be changed by the type of another: whole numbers would be written
    with fractions, and scores of 32 bits be compared with the cut for 64.
    """
    known = {file: told for file, told in types.items() if told[0] != "null"}
    if len({kind for kind, _ in known.values()}) > 1:
        first, (kind, words) = next(iter(known.items()))
        other = next(file for file, told in known.items() if told[0] != kind)
        raise FormatError(
            f"column '{column}' holds {words} in {first} and {known[other][1]} in {other}: files "
            f"that are {doing} together need the same types.",
            hint="give them one by one, or write them again",
        )


def kind_of(arrow_type: Any) -> str:
    """The kind of a type: the widest of one kind holds the values of all others unchanged."""
    types = load("pyarrow", extra="duckdb").types
    if types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    if types.is_signed_integer(arrow_type):
        return "integer"
    return (
        "text" if types.is_large_string(arrow_type) else str(arrow_type).replace("string", "text")
    )
