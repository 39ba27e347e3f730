"""The pages, an overview and one per paper with every number, and the files beside them: numbers
as CSV, figures as SVG and PNG.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from stakes._optional import load
from stakes.papers.items import Cell, Claim, Outcome, Paper, no_figures
from stakes.papers.pages.page_words import (
    TITLE,
    claim_verdict,
    claims_by_paper,
    claims_sentence,
    comparisons,
    difference,
    errata,
    grids,
    has_page,
    ours,
    published,
    sentence,
    source,
    status,
    verdict,
)
from stakes.papers.runs import Result
from stakes.report.charts import inline
from stakes.report.markup import Html, element, folded, joined, section, table, text
from stakes.report.page import framed
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: The columns of the file of all numbers.
_COLUMNS: dict[str, Callable[[Cell], Any]] = {
    "name": lambda cell: cell.name,
    "reading": lambda cell: cell.reading,
    "published": lambda cell: "" if cell.published is None else cell.published,
    "ours": lambda cell: cell.ours if cell.available else "",
    "difference": lambda cell: cell.difference if cell.agrees is not None else "",
    "tolerance": lambda cell: cell.tolerance,
    "verdict": verdict,
    "note": lambda cell: cell.note,
    "source": source,
}


def cells_csv(cells: Sequence[Cell]) -> str:
    """One line per number: printed, ours, difference, verdict."""
    return _written(tuple(_COLUMNS), ([of(cell) for of in _COLUMNS.values()] for cell in cells))


def frame_csv(frame: Frame) -> str:
    """A table of numbers behind a figure."""
    return _written(frame.columns, (row.values() for row in frame.rows()))


def _written(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Lines of CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return stream.getvalue()


_FONT = ' font-family="DejaVu Sans, Verdana, sans-serif"'
#: A drawing with more characters than this stands in the page as an image.
_LARGEST = 1_500_000
#: Drawings narrower than this, in points, are not stretched to the width of the page.
_NARROW = 560
_WIDTH = re.compile(r'viewBox="0 0 ([\d.]+) ')


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure: its name, and the two files."""

    name: str
    svg: str
    png: bytes

    def markup(self, label: str) -> Html:
        """The figure inside a page."""
        if len(self.svg) <= _LARGEST:
            size = _WIDTH.search(self.svg)
            narrow = " narrow" if size and float(size[1]) < _NARROW else ""
            return element("div", Html(self.svg.replace(_FONT, "", 1)), class_=f"chart{narrow}")
        source = "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")
        image = Html(f'<img alt="{text(label)}" src="{source}">')
        return element("div", image, class_="chart image")


def drawn(result: Result) -> list[Drawn]:
    """The figures of a result; raises `MissingExtraError` without matplotlib."""
    if result.outcome is None or result.item.draw is no_figures:
        return []
    load("matplotlib", extra="plots")
    figures = result.item.draw(result.outcome)
    return [_figure_files(name, figure, result) for name, figure in figures.items()]


def _figure_files(name: str, figure: Figure, result: Result) -> Drawn:
    """Both files of a figure."""
    label = f"{result.item.title}: {name}" if name != result.item.key else result.item.title
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=150, bbox_inches="tight",
                   metadata={"Software": None})  # fmt: skip
    chart = inline(figure.axes[0], f"{result.paper.key}-{name}", label)
    return Drawn(name, chart.svg.replace("<svg ", f"<svg{_FONT} ", 1), image.getvalue())


def _styled(title: str, body: Html) -> str:
    """A page of its own that loads nothing and runs nothing."""
    style = files("stakes.report").joinpath("page.css").read_text(encoding="utf-8")
    own = files("stakes.papers.pages").joinpath("reproduction.css")
    style += own.read_text(encoding="utf-8")
    return framed(title, body, style=style, allowed="img-src data:")


#: Longer lists are folded.
_SHORT = 24


def _number_tables(outcome: Outcome) -> Html:
    """The cells as tables of rows and columns, and then each on its own line."""
    if not outcome.cells:
        return Html("")
    shaped = [_grid(name, cells) for name, cells in grids(outcome.cells)]
    lines = _lines(outcome.cells)
    if shaped or len(outcome.cells) > _SHORT:
        lines = folded(f"Every number on its line ({len(outcome.cells)})", lines)
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


def _claims_list(claims: Sequence[Claim]) -> Html:
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


_ERRATA_TITLE = "Where print and text disagree"
_ERRATA_SAID = (
    "Where the printed numbers follow from something other than what the text says, both were "
    "computed: the numbers as printed, and what the text describes."
)


def overview_page(results: Sequence[Result]) -> str:
    """The page that stands above those of the papers."""
    from stakes import __version__

    body = joined(
        element("header", joined(
            element("h1", TITLE),
            element("p", f"stakes {__version__}", class_="from"),
            element("nav", element("a", _ERRATA_TITLE, href="#errata")),
            element("div", element("p", f"{sentence(results)} {claims_sentence(results)}"),
                    class_="verdict"),
        )),
        _papers(results),
        _claims(results),
        _errata(results),
        element("footer", element("p", "This page loads nothing from anywhere.", class_="soft")),
    )  # fmt: skip
    return _styled(TITLE, body)


def _papers(results: Sequence[Result]) -> Html:
    """How many numbers of each paper agree, item by item."""
    rows: list[tuple[str, list[Html]]] = []
    for key, group in groupby(results, key=lambda each: each.paper.key):
        items = list(group)
        name = element("a", key, href=f"{key}.html") if has_page(items) else text(key)
        for k, each in enumerate(items):
            link = name if k == 0 else text("")
            counts = [str(number) for number in comparisons(each)] if each.outcome else [""] * 3
            rows.append(("", [
                element("th", link, scope="row"),
                element("td", each.item.title, class_="left"),
                *(element("td", count) for count in counts[:2]),
                element("td", counts[2], class_="differs" if each.outside else ""),
                element("td", status(each), class_="left"),
            ]))  # fmt: skip
    head = ["paper", "item", "printed", "other", "differ", "result"]
    listed = table("Items of each paper", head, rows, left=2)
    return section("What was computed", element("div", listed, class_="ends-left"))


def _claims(results: Sequence[Result]) -> Html:
    """What each paper concludes, checked."""
    parts: list[str] = []
    for key, claims in claims_by_paper(results).items():
        parts += [element("h3", key), _claims_list(claims)]
    return section("What the papers claim", *parts) if parts else Html("")


def _errata(results: Sequence[Result]) -> Html:
    """The errata with their numbers and what was computed for each."""
    entries = []
    for erratum, evidence in errata(results):
        where = element("strong", f"{erratum.paper}, {erratum.place}.")
        entries.append(element("dt", f"{erratum.number}"))
        entries.append(
            element("dd", joined(Html(f"{where} {text(erratum.finding)}"),
                                 *(element("p", each) for each in evidence)))
        )  # fmt: skip
    listed = element("dl", joined(*entries), class_="errata", id="errata")
    return section(_ERRATA_TITLE, element("p", _ERRATA_SAID), listed)


def paper_page(
    paper: Paper, results: Sequence[Result], figures: Mapping[str, Sequence[Drawn]]
) -> str:
    """One self-contained page; `figures` are those of each item by its key.

    Everything that is not markup made here is escaped.
    """
    from stakes import __version__

    made_by = (
        f"Made by `stakes reproduce`, stakes {__version__}. This page loads nothing from anywhere; "
        "the numbers are also in CSV files and the figures in SVG and PNG files beside it."
    )
    body = joined(
        element("header", joined(
            element("nav", Html('<a href="index.html">All papers</a>')),
            element("h1", f"{paper.key}, computed again"),
            element("p", paper.citation, class_="from"),
            element("div", element("p", sentence(results)), class_="verdict"),
        )),
        *(_item(each, figures.get(each.item.key, ())) for each in results),
        element("footer", element("p", made_by, class_="soft")),
    )  # fmt: skip
    return _styled(f"{paper.key}, computed again", body)


def _item(result: Result, figures: Sequence[Drawn]) -> Html:
    """One table, figure or example."""
    outcome = result.outcome
    parts = [element("p", f"{result.item.key}: {status(result)}", class_="soft")]
    if outcome is not None:
        parts += [element("p", remark) for remark in outcome.remarks]
        parts += [element("figure", each.markup(result.item.title)) for each in figures]
        parts.append(_number_tables(outcome))
        if outcome.claims:
            parts += [element("h3", "What the paper says about it"), _claims_list(outcome.claims)]
        key, folder = result.item.key, result.paper.key
        names = [f"{key}.csv"] if outcome.cells else []
        names += [f"{key}-{name}.csv" for name in outcome.tables]
        names += [f"{each.name}.{kind}" for each in figures for kind in ("svg", "png")]
        links = [element("a", name, href=f"{folder}/{name}") for name in names]
        parts.append(element("p", Html("Files: " + ", ".join(links)), class_="soft"))
    return section(result.item.title, *parts)
