"""The pages as Markdown, their numbers as CSV, their figures as SVG and PNG."""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stakes._optional import load
from stakes.papers.items import Cell, Claim, Paper, no_figures
from stakes.papers.pages.page_words import (
    TITLE,
    claim_verdict,
    claims_by_paper,
    claims_sentence,
    comparisons,
    difference,
    errata,
    ours,
    published,
    sentence,
    source,
    status,
    verdict,
)
from stakes.papers.runs import Result
from stakes.report.charts import inline
from stakes.report.markup import Html, element, text
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
#: Drawings of less than so many points are not stretched to the width of the page.
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
    return [_files(name, figure, result) for name, figure in figures.items()]


def _files(name: str, figure: Figure, result: Result) -> Drawn:
    """Both files of a figure."""
    label = f"{result.item.title}: {name}" if name != result.item.key else result.item.title
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=150, bbox_inches="tight",
                   metadata={"Software": None})  # fmt: skip
    chart = inline(figure.axes[0], f"{result.paper.key}-{name}", label)
    return Drawn(name, chart.svg.replace("<svg ", f"<svg{_FONT} ", 1), image.getvalue())


_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&])")


def paper_markdown(
    paper: Paper, results: Sequence[Result], figures: Mapping[str, Sequence[Drawn]]
) -> str:
    """A paper: every number on its line."""
    lines = [f"# {_text(paper.key)}, computed again", "", _text(paper.citation), ""]
    lines += [f"**{_text(sentence(results))}**", ""]
    for each in results:
        lines += [f"## {_text(each.item.title)}", "", f"{each.item.key}: {_text(status(each))}", ""]
        if each.outcome is None:
            continue
        lines += [part for remark in each.outcome.remarks for part in (_text(remark), "")]
        for figure in figures.get(each.item.key, ()):
            lines += [f"![{_text(each.item.title)}]({paper.key}/{figure.name}.png)", ""]
        lines += _numbers(each.outcome.cells)
        lines += _claims(each.outcome.claims)
    return "\n".join(lines).rstrip() + "\n"


def overview_markdown(results: Sequence[Result]) -> str:
    """The overview: counts, claims, errata."""
    lines = [f"# {TITLE}", "", f"**{_text(sentence(results))}**", ""]
    lines += [_text(claims_sentence(results)), ""]
    lines += ["| paper | item | printed | other | differ | result |"]
    lines += ["|---|---|--:|--:|--:|---|"]
    for each in results:
        counts = [str(number) for number in comparisons(each)] if each.outcome else [""] * 3
        cells = [each.paper.key, each.item.title, *counts, status(each)]
        lines.append(f"| {' | '.join(_text(cell) for cell in cells)} |")
    lines += ["", "## What the papers claim", ""]
    for key, claims in claims_by_paper(results).items():
        lines += [f"### {_text(key)}", "", *_claims(claims)]
    lines += ["## Where print and text disagree", ""]
    for erratum, evidence in errata(results):
        where = f"{erratum.number}. **{_text(f'{erratum.paper}, {erratum.place}.')}** "
        lines += [where + _text(" ".join((erratum.finding, *evidence))), ""]
    return "\n".join(lines).rstrip() + "\n"


def _numbers(cells: Sequence[Cell]) -> list[str]:
    """The table of all numbers."""
    if not cells:
        return []
    lines = ["| number | reading | published | ours | difference | verdict | published by |"]
    lines += ["|---|---|--:|--:|--:|---|---|"]
    for cell in cells:
        parts = [cell.name, cell.reading, published(cell), ours(cell), difference(cell)]
        parts += [verdict(cell), source(cell)]
        lines.append(f"| {' | '.join(_text(part) for part in parts)} |")
    return [*lines, ""]


def _claims(claims: Sequence[Claim]) -> list[str]:
    """What the paper says, and what its numbers say."""
    lines = [
        f"- {_text(claim.statement)} **{claim_verdict(claim)}.** {_erratum(claim)}"
        f"{_text(claim.evidence)}"
        for claim in claims
    ]
    return [*lines, ""] if lines else []


def _erratum(claim: Claim) -> str:
    """A link to the errata, for a claim that is one of them."""
    if claim.erratum is None:
        return ""
    return f"[Erratum {claim.erratum}](index.md#where-print-and-text-disagree). "


def _text(value: str) -> str:
    """Text in which nothing is markup and no line breaks."""
    shown = "".join(c if c.isprintable() else " " for c in value)
    return _SPECIAL.sub(r"\\\1", shown)
