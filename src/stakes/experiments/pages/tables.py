"""Tables of a page: one that looks like the paper's, and one with every number on its line."""

from __future__ import annotations

from collections.abc import Sequence

from stakes.experiments.items import Cell, Claim, Outcome
from stakes.experiments.pages.words import (
    claim_verdict,
    difference,
    grids,
    ours,
    published,
    source,
    verdict,
)
from stakes.report.markup import Html, element, joined, table, text

__all__ = ["claims_list", "number_tables"]

#: Longer lists are folded.
SHORT = 24


def number_tables(outcome: Outcome) -> Html:
    """The cells as tables of rows and columns, and then each on its own line."""
    if not outcome.cells:
        return Html("")
    shaped = [_grid(name, cells) for name, cells in grids(outcome.cells)]
    lines = _lines(outcome.cells)
    if shaped or len(outcome.cells) > SHORT:
        summary = element("summary", f"Every number on its line ({len(outcome.cells)})")
        lines = element("details", joined(summary, lines))
    return joined(*shaped, lines)


def _grid(reading: str, cells: Sequence[Cell]) -> Html:
    """A table in the shape of the paper's: the printed number, and ours below it."""
    places = {tuple(cell.name.split(" / ", 1)): cell for cell in cells}
    rows = list(dict.fromkeys(row for row, _ in places))
    columns = list(dict.fromkeys(column for _, column in places))
    body = []
    for row in rows:
        made = [element("th", row, scope="row")]
        made += [_grid_cell(places.get((row, column))) for column in columns]
        body.append(("", made))
    printed = any(cell.published is not None for cell in cells)
    caption = "Published, and below it ours" if printed else "Ours; the paper prints none of these"
    if any(cell.published is not None and cell.source != "print" for cell in cells):
        caption += "; in italics what the paper does not print, or what stands above already"
    return table(f"{caption}; {reading}" if reading else caption, ["", *columns], body)


def _grid_cell(cell: Cell | None) -> Html:
    """The printed number over ours; a number that was not printed stands alone."""
    if cell is None:
        return element("td", "")
    if cell.published is None:
        return element("td", ours(cell), class_=_class(cell), title=cell.note)
    below = element("span", ours(cell), class_="cell-cost")
    above = published(cell) if cell.source == "print" else element("i", published(cell))
    said = cell.note if cell.source == "print" else f"{source(cell)}; {cell.note}".rstrip("; ")
    return element("td", joined(above, below), class_=_class(cell), title=said)


def _lines(cells: Sequence[Cell]) -> Html:
    """One line per number: printed, ours, difference, verdict."""
    readings = any(cell.reading for cell in cells)
    notes = any(cell.note for cell in cells)
    sources = any(cell.source != "print" for cell in cells)
    head = ["number", *(["reading"] if readings else []), "published", "ours", "difference"]
    head += ["tolerance", "verdict", *(["published by"] if sources else [])]
    head += ["note"] if notes else []
    body = []
    for cell in cells:
        made = [element("th", cell.name, scope="row")]
        made += [element("td", cell.reading, class_="left")] if readings else []
        made += [element("td", part) for part in (published(cell), ours(cell), difference(cell))]
        made += [element("td", f"{cell.tolerance:g}" if cell.agrees is not None else "")]
        made += [element("td", verdict(cell), class_=_class(cell))]
        made += [element("td", source(cell), class_="left")] if sources else []
        made += [element("td", cell.note, class_="left")] if notes else []
        body.append(("", made))
    made_table = table("Published, ours, difference, verdict", head, body, left=1 + readings)
    return element("div", made_table, class_="ends-left") if notes or sources else made_table


def _class(cell: Cell) -> str:
    """How a cell is shaded."""
    return {"agrees": "agrees", "differs": "differs"}.get(verdict(cell), "alone")


def claims_list(claims: Sequence[Claim]) -> Html:
    """What the paper says, and what its numbers say."""
    made = []
    for claim in claims:
        said = element("strong", claim_verdict(claim), class_=f"claim-{claim.holds}".lower())
        told = Html(f"{text(claim.statement)} {said}.")
        if claim.erratum is not None:
            link = element("a", f"Erratum {claim.erratum}", href="index.html#errata")
            told = Html(f"{told} {link}.")
        made.append(element("li", joined(told, text(claim.evidence))))
    return element("ul", joined(*made), class_="claims") if made else Html("")
