"""The index of a folder of pages: each with its answer and the day it was made."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from stakes._files import write_whole
from stakes.exceptions import DataError
from stakes.report.markup import Html, element, joined, unbroken
from stakes.report.page import framed

#: What only an index of ours holds.
_OURS = 'id="stakes-index"'
_TITLE = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
_VERDICT = re.compile(r'<p class="verdict"[^>]*>(.*?)</p>', re.DOTALL)
_MADE = re.compile(r'<p class="from">[^<]*made\s(?:<span[^>]*>)?(\d{4}-\d\d-\d\d)')
_TAG = re.compile(r"<[^>]*>")
#: A space inside a number, or before its per cent sign.
_IN_NUMBER = re.compile(r"(?<=\d) (?=\d{3}\b|%)")


def has_index(folder: Path) -> bool:
    """Whether the folder has an index of ours."""
    index = folder / "index.html"
    return index.exists() and _OURS in index.read_text(encoding="utf-8", errors="replace")


def refuse_foreign_index(folder: Path) -> None:
    """Raise where the folder has an index.html that is not ours."""
    index = folder / "index.html"
    if index.exists() and not has_index(folder):
        raise DataError(
            f"{index} was not written by stakes, so it is not overwritten.",
            hint="write to a folder of its own:  --html reports/",
        )


def write_index(folder: Path) -> Path:
    """Write the index of all pages of ours in a folder, the newest first; return its path."""
    refuse_foreign_index(folder)
    found = []
    for path in sorted(folder.glob("*.html")):
        page = path.read_text(encoding="utf-8", errors="replace")
        title, said, made = (each.search(page) for each in (_TITLE, _VERDICT, _MADE))
        if path.name != "index.html" and title and said and made:
            found.append((made[1], path.name, Html(title[1]), _plain(said[1])))
    found.sort(key=lambda each: each[0], reverse=True)
    items = [
        element("li", joined(
            element("h2", element("a", name, href=name.replace("%", "%25").replace("#", "%23"))),
            element("p", said),
            element("p", Html(f"{title} · made {unbroken(made)}"), class_="from"),
        ))
        for made, name, title, said in found
    ]  # fmt: skip
    count = f"{len(found)} report{'s' if len(found) != 1 else ''}"
    body = joined(
        element("header", joined(element("h1", "Reports"), element("p", count, class_="from"))),
        element("ul", joined(*items), id="stakes-index"),
    )
    style = files("stakes.report").joinpath("page.css").read_text(encoding="utf-8")
    page = framed("Reports", body, style=style, allowed="script-src 'none'")
    write_whole(folder / "index.html", page.encode("utf-8"))
    return folder / "index.html"


def _plain(markup: str) -> Html:
    """What a page says, without its emphasis."""
    plain = " ".join(_TAG.sub(" ", markup).split())
    return Html(_IN_NUMBER.sub("\N{NO-BREAK SPACE}", plain))
