"""The page of a paper: each table and figure, what was printed, what we find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stakes.experiments.items import Paper
from stakes.experiments.pages.figures import Drawn
from stakes.experiments.pages.frame import framed
from stakes.experiments.pages.tables import claims_list, number_tables
from stakes.experiments.pages.words import sentence, status
from stakes.experiments.running import Result
from stakes.report.markup import Html, element, joined, section, text

__all__ = ["paper_page"]


def paper_page(
    paper: Paper, results: Sequence[Result], figures: Mapping[str, Sequence[Drawn]]
) -> str:
    """One self-contained page; `figures` are those of each item by its key.

    Everything that is not markup made here is escaped.
    """
    from stakes import __version__

    body = joined(
        element("header", joined(
            element("nav", Html('<a href="index.html">All papers</a>')),
            element("h1", f"{paper.key}, computed again"),
            element("p", paper.citation, class_="from"),
            element("div", element("p", sentence(results)), class_="verdict"),
        )),
        *(_item(each, figures.get(each.item.key, ())) for each in results),
        element("footer", element("p", _footer(__version__), class_="soft")),
    )  # fmt: skip
    return framed(f"{paper.key}, computed again", body)


def _footer(version: str) -> str:
    """Who made the page."""
    return (
        f"Made by `stakes reproduce`, stakes {version}. This page loads nothing from anywhere; the "
        "numbers are also in CSV files and the figures in SVG and PNG files beside it."
    )


def _item(result: Result, figures: Sequence[Drawn]) -> Html:
    """One table, figure or example."""
    outcome = result.outcome
    parts = [element("p", f"{result.item.key}: {status(result)}", class_="soft")]
    if outcome is not None:
        parts += [element("p", remark) for remark in outcome.remarks]
        parts += [element("figure", each.markup(result.item.title)) for each in figures]
        parts.append(number_tables(outcome))
        if outcome.claims:
            parts += [element("h3", "What the paper says about it"), claims_list(outcome.claims)]
        files = [_link(result, name) for name in _files(result, figures)]
        parts.append(element("p", Html("Files: " + ", ".join(files)), class_="soft"))
    return section(result.item.title, *parts)


def _files(result: Result, figures: Sequence[Drawn]) -> list[str]:
    """The names of the files that an item leaves."""
    outcome, key = result.outcome, result.item.key
    names = [f"{key}.csv"] if outcome is not None and outcome.cells else []
    names += [f"{key}-{name}.csv" for name in outcome.tables] if outcome is not None else []
    return names + [f"{each.name}.{kind}" for each in figures for kind in ("svg", "png")]


def _link(result: Result, name: str) -> str:
    """A link to a file beside the page."""
    return element("a", name, href=f"{result.paper.key}/{name}") or text(name)
