"""Tables in fixed width: numbers are never cut; columns leave from the right when it is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stakes.cli.show.terminal import cut, display_width, page_width, print_wrapped
from stakes.messages.audience import shown

#: A label is not cut below this many columns.
_SHORTEST_LABEL = 6


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, its cells, and how it may give way.

    A label may be cut; other cells never are. Columns with `drop` above 0 leave when the page
    is too narrow, the highest first.
    """

    title: str
    cells: Sequence[str]
    label: bool = False
    drop: int = 0
    right: bool = True

    @property
    def width(self) -> int:
        """Columns of the terminal that the widest cell takes."""
        return max(display_width(shown(text)) for text in (self.title, *self.cells))


def fitted(columns: Sequence[Column], width: int) -> tuple[str, list[str]]:
    """The table as text within `width`, and the titles of the columns that had to leave."""
    kept, left_out = list(columns), []
    while sum(widths := _widths(kept, width)) + 2 * (len(widths) - 1) > width:
        leaving = max(kept, key=lambda column: column.drop)
        if leaving.drop == 0:
            break  # nothing more may leave: a line that is too long beats a number cut in half
        kept.remove(leaving)
        left_out.append(leaving.title)
    rows = [[column.title, *column.cells] for column in kept]
    lines = []
    for i, line in enumerate(zip(*rows, strict=True)):
        cells = [_cell(t, c, w) for t, c, w in zip(line, kept, widths, strict=True)]
        lines.append("  ".join(cells).rstrip())
        if i == 0:
            lines.append("  ".join("-" * w for w in widths).rstrip())
    return "\n".join(lines), left_out


def print_columns(*columns: Column, between: str = "") -> None:
    """Print the table; which columns had to leave is said, if there is something between them."""
    text, left_out = fitted(columns, page_width())
    print(text)
    if between:
        say_left_out(left_out, between)


def say_left_out(titles: Sequence[str], between: str = ", ") -> None:
    """Print which columns had to leave."""
    if titles:
        end = ";" if between == ", " else "."
        print_wrapped(f"(too narrow for: {between.join(titles)}{end} --json has everything)")


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """The width of each column; the widest label gives way first."""
    widths = [column.width for column in columns]
    labels = [k for k, column in enumerate(columns) if column.label]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        widest = max(labels, key=lambda k: widths[k], default=None)
        if widest is None or widths[widest] <= _SHORTEST_LABEL:
            break
        widths[widest] -= 1
    return widths


def _cell(text: str, column: Column, width: int) -> str:
    """One cell, padded to its width."""
    text = shown(text)
    if column.label:
        text = cut(text, width)
    padding = " " * max(0, width - display_width(text))
    return padding + text if column.right and not column.label else text + padding
