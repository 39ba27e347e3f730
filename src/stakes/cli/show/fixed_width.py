"""Tables in fixed width: names are wrapped and numbers kept whole; columns leave from the right
when it is narrow.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from stakes.cli.show.terminal import display_width, print_wrapped, table_width
from stakes.messages.audience import marked

#: Labels are wrapped to the first width before columns are dropped, to the second after that.
_SHORT_LABEL, _SHORTEST_LABEL = 14, 6
#: Where a label may be broken: not inside a number or a date.
_BREAKS = re.compile(r"(?<=[\s_/:;,|])|(?<=[.-])(?!\d)")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, its cells, and how it may give way.

    A label may be wrapped; other cells never are. Columns with `drop` above 0 leave when the page
    is too narrow, the highest first. A title may have several lines.
    """

    title: str
    cells: Sequence[str]
    label: bool = False
    drop: int = 0
    right: bool = True

    @property
    def width(self) -> int:
        """Columns of the terminal that the widest cell takes."""
        return max(display_width(marked(text)) for text in (*self.title.split("\n"), *self.cells))


def fitted(columns: Sequence[Column], width: int) -> tuple[str, list[str]]:
    """The table as text within `width`, and the titles of the columns that had to leave."""
    kept, left_out = list(columns), []
    while sum(widths := _widths(kept, width, _SHORT_LABEL)) + 2 * (len(widths) - 1) > width:
        leaving = max(kept, key=lambda column: column.drop)
        if leaving.drop == 0:  # a line that is too long beats a number cut in half
            widths = _widths(kept, width, _SHORTEST_LABEL)
            break
        kept.remove(leaving)
        left_out.append(leaving.title.replace("\n", " "))
    titles = [column.title.split("\n") for column in kept]
    tall = max(map(len, titles))
    heads = [[""] * (tall - len(title)) + title for title in titles]
    rows = [[*head, *column.cells] for head, column in zip(heads, kept, strict=True)]
    lines = []
    for i, row in enumerate(zip(*rows, strict=True), start=1):
        cells = [_lines(t, c, w) for t, c, w in zip(row, kept, widths, strict=True)]
        for parts in itertools.zip_longest(*cells, fillvalue=""):
            padded = map(_padded, parts, kept, widths)
            lines.append("  ".join(padded).rstrip())
        if i == tall:
            lines.append("  ".join("-" * w for w in widths).rstrip())
    return "\n".join(lines), left_out


def print_columns(*columns: Column, between: str = ", ") -> None:
    """Print the table, and which columns had to leave."""
    text, left_out = fitted(columns, table_width())
    print(text)
    say_left_out(left_out, between)


def say_left_out(titles: Sequence[str], between: str = ", ") -> None:
    """Print which columns had to leave."""
    if titles:
        columns = "column" if len(titles) == 1 else "columns"
        end = ";" if between == ", " else "."
        print_wrapped(f"({columns} left out for width: {between.join(titles)}{end} --json has all)")


def _widths(columns: Sequence[Column], width: int, shortest: int) -> list[int]:
    """The width of each column; the widest label gives way first."""
    widths = [column.width for column in columns]
    labels = [k for k, column in enumerate(columns) if column.label]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        widest = max(labels, key=lambda k: widths[k], default=None)
        if widest is None or widths[widest] <= shortest:
            break
        widths[widest] -= 1
    return widths


def _lines(text: str, column: Column, width: int) -> list[str]:
    """A cell in lines of its width: a label is broken between its parts where that will do.

    Further lines are indented, so that they do not read as rows.
    """
    text = marked(text)
    if not column.label or display_width(text) <= width:
        return [text]
    lines, further = [""], "  " if width >= _SHORT_LABEL else ""
    for part in _BREAKS.split(text):
        if lines[-1].strip() and display_width(lines[-1] + part.rstrip()) > width:
            lines.append(further)
        for character in part:
            if display_width(lines[-1] + character) > width and character != " ":
                lines.append(further)
            lines[-1] += character
    return [line.rstrip() for line in lines]


def _padded(text: str, column: Column, width: int) -> str:
    """One line of a cell, padded to its width."""
    padding = " " * max(0, width - display_width(text))
    return padding + text if column.right and not column.label else text + padding
