"""What was reproduced, on the terminal and as a folder of pages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from stakes._files import write_whole
from stakes.cli.problems import warn
from stakes.cli.show.fixed_width import Column, print_columns
from stakes.cli.show.progress import Telling, duration
from stakes.cli.show.terminal import bold, dim, print_json, print_wrapped
from stakes.exceptions import DataError, MissingExtraError
from stakes.messages.audience import shown
from stakes.papers.items import Cell, Item, Paper
from stakes.papers.pages import (
    Drawn,
    cells_csv,
    drawn,
    frame_csv,
    overview_page,
    paper_page,
)
from stakes.papers.pages import page_words as words
from stakes.papers.pages.page_words import has_page
from stakes.papers.runs import (
    Result,
    as_text,
    fingerprint,
    kept_result,
    papers,
    run_item,
    told,
    why_skipped,
)

#: Where numbers are kept, inside the folder of pages.
KEPT = "kept"


def data_folder() -> Path | None:
    """The folder of real scores, if STAKES_DATA names one."""
    named = os.environ.get("STAKES_DATA")
    if not named:
        return None
    if not Path(named).is_dir():
        raise DataError(
            f"STAKES_DATA names {named!r}, which is not a folder.",
            hint="set it to the folder of scores, or unset it to run what needs none",
        )
    return Path(named)


class Folder:
    """A folder of pages, and of the numbers they were made from."""

    def __init__(self, path: Path, data: Path | None) -> None:
        self.path = path
        self.data = data
        self._undrawn = ""

    def look_up(self, paper: Paper, item: Item) -> Result | None:
        """What is kept of an item, if it still holds."""
        place = self._kept(paper, item)
        if why_skipped(item, self.data) or not place.is_file():
            return None
        text = place.read_text(encoding="utf-8", errors="replace")
        return kept_result(paper, item, text, fingerprint(paper, item, self.data))

    def run(self, asked: Sequence[tuple[Paper, Item]], *, fresh: bool, quiet: bool) -> list[Result]:
        """Compute what is not kept, say how far it is, and keep it at once."""
        self._claim()
        # Taken at the start: sources or data that change meanwhile make a result an old one.
        marks = {(p.key, i.key): fingerprint(p, i, self.data) for p, i in asked}
        known = {} if fresh else {(p.key, i.key): self.look_up(p, i) for p, i in asked}
        ahead = [
            item.seconds
            for paper, item in asked
            if known.get((paper.key, item.key)) is None and not why_skipped(item, self.data)
        ]
        place, items = 0, f"{len(ahead)} item{'s' if len(ahead) != 1 else ''}"
        if ahead and not quiet:
            print(f"{items} to compute, about {duration(sum(ahead))}", file=sys.stderr)
        results = []
        with Telling(quiet=quiet) as telling:
            for paper, item in asked:
                result = known.get((paper.key, item.key))
                if result is None and not why_skipped(item, self.data):
                    place += 1
                    said = f"{place}/{len(ahead)} {paper.key} {item.key}"
                    telling.say(said)
                    if not quiet and not sys.stderr.isatty():
                        print(f"{said} ...", file=sys.stderr, flush=True)
                if result is None:
                    new = run_item(paper, item, self.data, telling.share)
                    result = self._keep(new, marks[paper.key, item.key])
                results.append(result)
        return results

    def _claim(self) -> None:
        """Make the folder, and say at once if it has pages of others or cannot be written."""
        kept = self.path / KEPT
        if self.path.exists() and not self.path.is_dir():
            raise DataError(f"{self.path} is a file.", hint="-o names a folder")
        names = ("index", *(paper.key for paper in papers()))
        there = [f"{name}.html" for name in names if (self.path / f"{name}.html").exists()]
        if there and not kept.is_dir():
            raise DataError(
                f"{self.path} has a file {there[0]} that no reproduction wrote.",
                hint="-o names a folder of its own, such as -o stakes-reproduction",
            )
        kept.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=kept):
            pass

    def _keep(self, result: Result, mark: str) -> Result:
        """Write down a new outcome and its figures; a figure that cannot be drawn is a failure."""
        if result.status != "computed" or result.outcome is None:
            return result
        try:
            self._write_figures(result)
        except OSError:
            raise
        except Exception as error:
            return replace(result, status="failed", outcome=None, reason=told(error))
        text = as_text(result.outcome, mark, result.seconds)
        self._put(self._kept(result.paper, result.item), text)
        return result

    def write(self, results: Sequence[Result]) -> list[Path]:
        """Write the pages of every paper that has results, and the overview; return their places.

        Items that were not asked for are shown as they were computed before, if that still holds.
        """
        mine = {(each.paper.key, each.item.key): each for each in results}
        everything, pages = [], []
        for paper in papers():
            there = []
            for item in paper.items:  # those not asked for as they were computed before
                reason = why_skipped(item, self.data)
                new = Result(paper, item, "skipped" if reason else "not run", reason=reason)
                asked = mine.get((paper.key, item.key))
                there.append(asked or self.look_up(paper, item) or new)
            everything += there
            if not has_page(there):
                continue
            figures = {each.item.key: self._figures(each) for each in there}
            for each in there:
                numbers, stem = each.outcome, f"{paper.key}/{each.item.key}"
                if numbers is not None and numbers.cells:
                    self._put(self.path / f"{stem}.csv", cells_csv(numbers.cells))
                for name, frame in ({} if numbers is None else numbers.tables).items():
                    self._put(self.path / f"{stem}-{name}.csv", frame_csv(frame))
            pages.append(self.path / f"{paper.key}.html")
            self._put(pages[-1], paper_page(paper, there, figures))
        self._put(self.path / "index.html", overview_page(everything))
        if self._undrawn:
            warn(f"the pages have no figures: {self._undrawn}")
        return [self.path / "index.html", *pages]

    def _write_figures(self, result: Result) -> list[Drawn]:
        """Draw the figures of an item and write their files."""
        try:
            figures = drawn(result)
        except MissingExtraError as error:
            self._undrawn = error.hint or error.message
            return []
        folder = self.path / result.paper.key
        for each in figures:
            self._put(folder / f"{each.name}.svg", each.svg)
            self._put(folder / f"{each.name}.png", each.png)
        listing = "\n".join(each.name for each in figures)
        self._put(self._kept(result.paper, result.item, "figures"), listing)
        return figures

    def _figures(self, result: Result) -> list[Drawn]:
        """The figures of an item as they lie in the folder, drawn again where one is missing."""
        if result.outcome is None:
            return []
        listing = self._kept(result.paper, result.item, "figures")
        folder, found = self.path / result.paper.key, []
        try:
            for name in listing.read_text(encoding="utf-8").split():
                svg = (folder / f"{name}.svg").read_text(encoding="utf-8")
                found.append(Drawn(name, svg, (folder / f"{name}.png").read_bytes()))
            return found
        except OSError:
            return self._write_figures(result)

    def _kept(self, paper: Paper, item: Item, ending: str = "json") -> Path:
        """Where the numbers of an item, or the names of its figures, are kept."""
        return self.path / KEPT / f"{paper.key}-{item.key}.{ending}"

    def _put(self, path: Path, content: str | bytes) -> None:
        """Write a file whole, in a folder that is made if need be."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content.encode("utf-8") if isinstance(content, str) else content)


#: How many differing numbers are shown; the pages have all.
FIRST = 10


def print_list(papers: Sequence[Paper], folder: Folder, *, as_json: bool) -> None:
    """Every paper and item: how long it takes, what it needs, and whether that is there."""
    if as_json:
        listed = [
            {"key": paper.key, "citation": paper.citation,
             "items": [_listed(paper, item, folder) for item in paper.items]}
            for paper in papers
        ]  # fmt: skip
        print_json({"data": folder.data and str(folder.data), "papers": listed})
        return
    for paper in papers:
        print_wrapped(f"{paper.key}: {paper.citation}", rest="  ")
        print_columns(
            Column("item", [item.key for item in paper.items], right=False),
            Column("time", [f"~{duration(item.seconds)}" for item in paper.items]),
            Column("what", [item.title for item in paper.items], label=True),
            Column("state", [_state(paper, item, folder) for item in paper.items], right=False),
        )
        print()
    total = sum(item.seconds for paper in papers for item in paper.items)
    print(f"Everything takes about {duration(total)}: stakes reproduce --all")
    without = "Set STAKES_DATA to the folder of real scores for the items marked 'needs data'."
    print_wrapped(f"Real scores are read from {folder.data}." if folder.data else without)


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
        return "data found" if item.needs else ""
    return "done" if found.good else "differs"


def print_results(
    results: Sequence[Result], pages: Sequence[Path], args: argparse.Namespace, data: Path | None
) -> None:
    """What was computed, and where the pages are."""
    if args.json:
        print_json(_record(results, pages, data))
        return
    if not args.quiet:
        took = [
            dim("kept") if each.status == "kept" else duration(each.seconds) for each in results
        ]
        took = [text if each.outcome else "" for text, each in zip(took, results, strict=True)]
        print_columns(
            Column("paper", [each.paper.key for each in results], right=False),
            Column("item", [each.item.key for each in results], right=False),
            Column("took", took, drop=1),
            Column("result", [words.status(each) for each in results], label=True),
        )
        print()
    outside = [(each, cell) for each in results for cell in each.outside]
    for each, cell in outside[:FIRST]:
        said = f"printed {words.published(cell)}, ours {words.ours(cell)}"
        said = f"{cell.name}: {said} ({words.difference(cell)})"
        print_wrapped(f"{each.paper.key} {each.item.key}, {said}", first="! ", rest="  ")
    if len(outside) > FIRST:
        print(f"! and {len(outside) - FIRST} more")
    print_wrapped(words.sentence(results), style=bold)
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


def _record(results: Sequence[Result], pages: Sequence[Path], data: Path | None) -> dict[str, Any]:
    """The results as plain data."""
    from stakes import __version__

    return {
        "stakes": __version__,
        "data": data and str(data),
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
                "claims": [
                    {**asdict(claim), "holds": None if claim.holds is None else bool(claim.holds)}
                    for claim in (each.outcome.claims if each.outcome else ())
                ],
            }
            for each in results
        ],
        "pages": [str(page) for page in pages],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    """A number beside the printed one; what is not a number is null."""
    return {
        "name": cell.name,
        "reading": cell.reading,
        "published": cell.published,
        "ours": cell.ours,
        "difference": cell.difference,
        "tolerance": cell.tolerance,
        "verdict": words.verdict(cell),
        "note": cell.note,
        "source": None if cell.published is None else cell.source,
    }
