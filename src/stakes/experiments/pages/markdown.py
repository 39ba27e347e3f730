"""The same pages as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from stakes.experiments.items import Cell, Claim, Paper
from stakes.experiments.pages.figures import Drawn
from stakes.experiments.pages.words import (
    TITLE,
    claim_verdict,
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
from stakes.experiments.running import Result

__all__ = ["overview_markdown", "paper_markdown"]

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
    for key, group in groupby(results, key=lambda each: each.paper.key):
        claims = [claim for each in group if each.outcome for claim in each.outcome.claims]
        kept = [claim for claim in claims if claim.erratum is None]
        lines += [f"### {_text(key)}", "", *_claims(kept)] if kept else []
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
