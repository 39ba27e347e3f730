"""Numbers and verdicts as words, alike on every page, in the terminal and in the files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from stakes.papers.items import ERRATA, Cell, Claim, Erratum, Source
from stakes.papers.runs import Result

TITLE = "What the papers' numbers say, checked"
#: At most this many decimals are shown, and as many as published up to the second number; the
#: files hold all of them.
MOST, MOST_PUBLISHED = 6, 8
#: Where published numbers come from, in words.
_SOURCES: dict[Source, str] = {
    "print": "the paper",
    "authors": "the authors' files",
    "independent": "an independent run",
    "equality": "an equality",
    "again": "the paper, a second time",
}
#: The same where many are spoken of.
_OTHERS: dict[Source, str] = {**_SOURCES, "equality": "equalities", "again": "print a second time"}


def _decimals(cell: Cell) -> int:
    """Decimals to which the number was printed: by its tolerance, or as it is written."""
    by_tolerance = 0
    if 0 < cell.tolerance < 0.5:
        places = -math.log10(2 * cell.tolerance)
        by_tolerance = (
            math.ceil(places - 1e-9) if cell.tolerance < 0.01 else math.floor(places + 1e-9)
        )
    if cell.published is None:
        return min(by_tolerance or 4, MOST)
    written = repr(float(cell.published)).partition(".")[2]
    as_written = 0 if written == "0" or "e" in written else len(written)
    return max(min(by_tolerance, MOST), min(as_written, MOST_PUBLISHED))


def published(cell: Cell) -> str:
    """The printed number with its decimals; a dash where none was printed."""
    return "–" if cell.published is None else f"{cell.published:.{_decimals(cell)}f}"


def ours(cell: Cell) -> str:
    """Our number with a decimal more than the printed one, or all of it if it is whole."""
    if not cell.available:
        return "no data"
    if math.isnan(cell.ours):
        return "undefined"
    places = _decimals(cell) + (cell.published is not None)
    if places <= 1 and float(cell.ours).is_integer():
        return f"{cell.ours:.0f}"
    return f"{_unsigned(cell.ours, places):.{places}f}"


def difference(cell: Cell) -> str:
    """Ours minus the printed number, with its sign."""
    if cell.agrees is None:
        return ""
    places = min(_decimals(cell) + 1, MOST)
    value = _unsigned(cell.difference, places)
    return "0" if value == 0 else f"{value:+.{places}f}".replace("-", "−")


def _unsigned(value: float, places: int) -> float:
    """A number without a minus sign in front of nothing but zeros."""
    return 0.0 if round(value, places) == 0 else value


def verdict(cell: Cell) -> str:
    """What the comparison says in one or two words."""
    if not cell.available:
        return "no data"
    if cell.agrees is None:
        return "not printed"
    return "agrees" if cell.agrees else "differs"


def source(cell: Cell) -> str:
    """Where the published number comes from; nothing where there is none."""
    return "" if cell.published is None else _SOURCES[cell.source]


def claim_verdict(claim: Claim) -> str:
    """What the numbers say about a claim."""
    if claim.holds is None:
        return "In part"
    return "Confirmed" if claim.holds else "Not confirmed"


def status(result: Result) -> str:
    """What became of an item, in a few words."""
    if result.status in ("skipped", "failed", "not run"):
        return f"{result.status}: {result.reason}" if result.reason else result.status
    if not result.compared:
        return "computed; nothing to compare"
    count, outside = len(result.compared), len(result.outside)
    if outside:
        return f"{outside} of {count} comparisons differ"
    printed = len(result.printed)
    if printed < count:
        return f"all {count} agree ({printed or 'none'} printed)"
    return "the comparison agrees" if count == 1 else f"all {count} comparisons agree"


def comparisons(result: Result) -> tuple[int, int, int]:
    """Comparisons with printed numbers, other ones, and how many of both differ."""
    printed = len(result.printed)
    return printed, len(result.compared) - printed, len(result.outside)


def has_page(results: Iterable[Result]) -> bool:
    """Whether there is anything to show of a paper."""
    return any(each.outcome is not None or each.status == "failed" for each in results)


def sentence(results: Iterable[Result]) -> str:
    """What all results say together."""
    results = list(results)
    printed = [cell for each in results for cell in each.printed]
    others = [cell for each in results for cell in each.compared if cell.source != "print"]
    failed = sum(each.status == "failed" for each in results)
    absent = sum(each.status in ("skipped", "not run") for each in results)
    said = "Nothing was compared with a printed number."
    if printed:
        said = f"{_comparisons(printed, '')} with printed numbers: {_agreement(printed)}"
    if others:
        kinds = {cell.source for cell in others}
        listed = ", ".join(words for name, words in _OTHERS.items() if name in kinds)
        said += f" {_comparisons(others, 'other ')} ({listed}): {_agreement(others)}"
    for number, what in ((failed, "failed"), (absent, "not run")):
        if number:
            said += f" {number} item{'s' if number != 1 else ''} {what}."
    return said


def _comparisons(cells: Sequence[Cell], which: str) -> str:
    """How many comparisons."""
    return f"{len(cells)} {which}comparison{'s' if len(cells) != 1 else ''}"


def _agreement(cells: Sequence[Cell]) -> str:
    """Whether all are within their tolerance."""
    outside = sum(not cell.agrees for cell in cells)
    return f"{outside} differ." if outside else "all agree within their tolerance."


def claims_sentence(results: Iterable[Result]) -> str:
    """How many claims were checked, and how they came out."""
    held = [claim.holds for claims in claims_by_paper(results).values() for claim in claims]
    if not held:
        return ""
    partly = sum(each is None for each in held)
    yes = sum(bool(each) for each in held)
    no = len(held) - yes - partly
    said = f"{len(held)} statements of the papers were checked: {yes} confirmed, {no} not"
    return f"{said}, {partly} in part." if partly else f"{said}."


def claims_by_paper(results: Iterable[Result]) -> dict[str, list[Claim]]:
    """What each paper concludes and is no erratum; papers that conclude nothing are left out."""
    found: dict[str, list[Claim]] = {}
    for result in results:
        for claim in () if result.outcome is None else result.outcome.claims:
            if claim.erratum is None:
                found.setdefault(result.paper.key, []).append(claim)
    return found


def errata(results: Iterable[Result]) -> list[tuple[Erratum, list[str]]]:
    """Each erratum with the sentences of evidence that were computed for it."""
    found: dict[int, list[str]] = {}
    for result in results:
        for claim in () if result.outcome is None else result.outcome.claims:
            if claim.erratum is not None:
                found.setdefault(claim.erratum, []).append(claim.evidence)
    return [
        (each, found.get(each.number, [f"Not computed here: stakes reproduce {each.paper}"]))
        for each in ERRATA
    ]


def grids(cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
    """Cells that make a table of rows and columns, per reading where two would share a place.

    The second part of each pair is empty of cells whose names have no stroke.
    """
    placed = [cell for cell in cells if " / " in cell.name]
    if len({cell.name for cell in placed}) == len(placed):
        return [("", placed)] if placed else []
    readings = list(dict.fromkeys(cell.reading for cell in placed))
    return [(name, [cell for cell in placed if cell.reading == name]) for name in readings]
