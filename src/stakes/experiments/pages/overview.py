"""The overview: what the papers claim, what their numbers say, where print and text disagree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from stakes.experiments.pages.frame import framed
from stakes.experiments.pages.tables import claims_list
from stakes.experiments.pages.words import (
    TITLE,
    claims_sentence,
    comparisons,
    errata,
    has_page,
    sentence,
    status,
)
from stakes.experiments.running import Result
from stakes.report.markup import Html, element, joined, section, table, text

__all__ = ["overview_page"]

ERRATA_TITLE = "Where print and text disagree"
ERRATA_SAID = (
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
            element("nav", element("a", ERRATA_TITLE, href="#errata")),
            element("div", element("p", f"{sentence(results)} {claims_sentence(results)}"),
                    class_="verdict"),
        )),
        _papers(results),
        _claims(results),
        _errata(results),
        element("footer", element("p", "This page loads nothing from anywhere.", class_="soft")),
    )  # fmt: skip
    return framed(TITLE, body)


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
    for key, group in groupby(results, key=lambda each: each.paper.key):
        claims = [
            claim
            for each in group
            if each.outcome is not None
            for claim in each.outcome.claims
            if claim.erratum is None
        ]
        if claims:
            parts += [element("h3", key), claims_list(claims)]
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
    return section(ERRATA_TITLE, element("p", ERRATA_SAID), listed)
