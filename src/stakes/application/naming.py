"""Names as text: in the key of a table, in the header of a column, in a sentence."""

from __future__ import annotations

from stakes.typing import Name

__all__ = ["name_text", "shown"]


def name_text(name: Name) -> str:
    """A name as it stands in a table key or a header cell: 'cat', '1', '0.5', 'true'."""
    if isinstance(name, bool):
        return "true" if name else "false"
    return repr(name) if isinstance(name, float) else str(name)


def shown(name: Name, limit: int = 40) -> str:
    """A name for a line of text: on one line, and cut with ~ where it is very long."""
    text = str(name)
    text = text if text.isprintable() else repr(text)[1:-1]
    return text if len(text) <= limit else text[: limit - 1] + "~"
