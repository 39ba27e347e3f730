"""Reproduced papers on the terminal: the list, what agrees, and what does not."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stakes.cli.commands.reproduce.paper_folder import Folder
from stakes.cli.show.findings_text import print_bold
from stakes.cli.show.fixed_width import Column, fitted
from stakes.cli.show.progress import duration
from stakes.cli.show.terminal import dim, page_width, print_wrapped, shown
from stakes.papers.items import Cell, Claim, Item, Paper
from stakes.papers.pages import page_words as words
from stakes.papers.runs import Result, why_skipped

#: So many differing numbers are shown; the pages have all.
FIRST = 10


def print_list(papers: Sequence[Paper], folder: Folder, *, as_json: bool) -> None:
    """Every paper and item: how long it takes, what it needs, and whether that is there."""
    if as_json:
        listed = [
            {"key": paper.key, "citation": paper.citation,
             "items": [_listed(paper, item, folder) for item in paper.items]}
            for paper in papers
        ]  # fmt: skip
        data = None if folder.data is None else str(folder.data)
        print(json.dumps({"data": data, "papers": listed}, indent=2))
        return
    for paper in papers:
        print_wrapped(f"{paper.key}: {paper.citation}", rest="  ")
        text, _ = fitted(
            [
                Column("item", [f"  {item.key}" for item in paper.items], right=False),
                Column("time", [f"~{duration(item.seconds)}" for item in paper.items]),
                Column("what", [item.title for item in paper.items], label=True),
                Column("state", [_state(paper, item, folder) for item in paper.items], right=False),
            ],
            page_width(),
        )
        print(f"{text}\n")
    total = sum(item.seconds for paper in papers for item in paper.items)
    print(f"Everything takes about {duration(total)}: stakes reproduce --all")
    if folder.data is None:
        print_wrapped(
            "Set STAKES_DATA to the folder of real scores for the items marked 'needs data'."
        )
    else:
        print_wrapped(f"Real scores are read from {folder.data}.")


def _listed(paper: Paper, item: Item, folder: Folder) -> dict[str, Any]:
    """An item of the list as plain data."""
    return {
        "key": item.key,
        "title": item.title,
        "seconds": item.seconds,
        "needs": list(item.needs),
        "available": not why_skipped(item, folder.data),
        "kept": folder.look_up(paper, item) is not None,
    }


def _state(paper: Paper, item: Item, folder: Folder) -> str:
    """Whether an item was computed, or what it lacks."""
    if why_skipped(item, folder.data):
        return "needs data"
    found = folder.look_up(paper, item)
    if found is None:
        return "data there" if item.needs else ""
    return "done" if found.good else "differs"


def print_results(
    results: Sequence[Result], pages: Sequence[Path], args: argparse.Namespace, data: Path | None
) -> None:
    """What was computed, and where the pages are."""
    if args.json:
        print(json.dumps(_record(results, pages, data), indent=2, allow_nan=False))
        return
    if not args.quiet:
        text, _ = fitted(
            [
                Column("paper", [each.paper.key for each in results], right=False),
                Column("item", [each.item.key for each in results], right=False),
                Column("took", [_took(each) for each in results], drop=1),
                Column("result", [words.status(each) for each in results], label=True),
            ],
            page_width(),
        )
        print(f"{text}\n")
    _print_outside(results)
    print_bold(words.sentence(results))
    for each in results:
        if each.status == "failed":
            said = f"{each.paper.key} {each.item.key} failed: {each.reason}"
            print_wrapped(said, first="! ", rest="  ")
    skipped = [f"{each.paper.key} {each.item.key}" for each in results if each.status == "skipped"]
    if skipped and not args.quiet:
        print_wrapped(f"Skipped: {', '.join(skipped)}.", rest="  ")
        print_wrapped(_what_lacks(results, data))
    if not args.quiet:
        print(f"Pages: {shown(str(pages[0]))}")


def _what_lacks(results: Sequence[Result], data: Path | None) -> str:
    """What would let skipped items run."""
    if data is None:
        return "Set STAKES_DATA to the folder of real scores to run them."
    needed = dict.fromkeys(
        name for each in results if each.status == "skipped" for name in each.item.needs
    )
    absent = [name for name in needed if not (data / name).is_dir()]
    return f"STAKES_DATA names {data}, which lacks {', '.join(absent)}." if absent else ""


def why_nothing(results: Sequence[Result], data: Path | None) -> str:
    """What would let the items run, or else why they did not."""
    return _what_lacks(results, data) or "\n".join(dict.fromkeys(each.reason for each in results))


def _took(result: Result) -> str:
    """How long an item took, or that it was taken from what was computed before."""
    if result.outcome is None:
        return ""
    return dim("kept") if result.status == "kept" else duration(result.seconds)


def _print_outside(results: Sequence[Result]) -> None:
    """The first numbers outside their tolerance."""
    outside = [(each, cell) for each in results for cell in each.outside]
    for each, cell in outside[:FIRST]:
        print_wrapped(
            f"{each.paper.key} {each.item.key}, {cell.name}: printed {words.published(cell)}, "
            f"ours {words.ours(cell)} ({words.difference(cell)})",
            first="! ",
            rest="  ",
        )
    if len(outside) > FIRST:
        print(f"! and {len(outside) - FIRST} more")


def _record(results: Sequence[Result], pages: Sequence[Path], data: Path | None) -> dict[str, Any]:
    """The results as plain data."""
    from stakes import __version__

    return {
        "stakes": __version__,
        "data": None if data is None else str(data),
        "good": all(each.good for each in results)
        and any(each.status != "skipped" for each in results),
        "sentence": words.sentence(results),
        "results": [
            {
                "paper": each.paper.key,
                "item": each.item.key,
                "title": each.item.title,
                "status": each.status,
                "reason": each.reason,
                "seconds": round(each.seconds, 3),
                "compared": len(each.compared),
                "printed": len(each.printed),
                "outside": len(each.outside),
                "cells": [_cell(cell) for cell in each.outcome.cells] if each.outcome else [],
                "claims": [_claim(claim) for claim in each.outcome.claims] if each.outcome else [],
            }
            for each in results
        ],
        "pages": [str(page) for page in pages],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    """What the paper says, and what its numbers say."""
    holds = None if claim.holds is None else bool(claim.holds)
    return {**asdict(claim), "holds": holds}


def _cell(cell: Cell) -> dict[str, Any]:
    """A number beside the printed one; what is not a number is null."""
    return {
        "name": cell.name,
        "reading": cell.reading,
        "published": cell.published,
        "ours": cell.ours if math.isfinite(cell.ours) else None,
        "difference": cell.difference if math.isfinite(cell.difference) else None,
        "tolerance": cell.tolerance,
        "verdict": words.verdict(cell),
        "note": cell.note,
        "source": None if cell.published is None else cell.source,
    }
