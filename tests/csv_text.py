"""Columns as the text of a CSV file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def as_csv(values: Mapping[str, Iterable[Any]]) -> str:
    """A header, and a line per row."""
    lines = [",".join(map(str, row)) for row in zip(*values.values(), strict=True)]
    return "\n".join([",".join(values), *lines]) + "\n"
