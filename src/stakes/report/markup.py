"""HTML in which everything is escaped unless it was made here, and numbers inside a page."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from stakes.messages.audience import shown

_NUMBER_GAP = re.compile(r"(?<=\d) (?=\d{3}\b|%|[kMG]\b)")


class Html(str):
    """Text that is markup already; anything else is escaped."""

    __slots__ = ()


def text(value: str) -> Html:
    """A value as markup; the gaps inside numbers do not break."""
    if isinstance(value, Html):
        return value
    return Html(_NUMBER_GAP.sub("\u00a0", html.escape(shown(value), quote=True)))


def joined(*parts: str) -> Html:
    """Parts one after the other, each on its line."""
    return Html("\n".join(text(part) for part in parts if part))


def element(tag: str, content: str, **attributes: str) -> Html:
    """One element; `class_` is the class, other underscores become hyphens."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(value, quote=True)}"'
        for name, value in attributes.items()
        if value
    )
    return Html(f"<{tag}{written}>{text(content)}</{tag}>")


def unbroken(said: str) -> Html:
    """Words that a line breaks only where one is longer than it, such as those of a command."""
    return Html(" ".join(element("span", word, class_="word") for word in said.split(" ")))


def table(
    caption: str,
    head: list[str],
    rows: list[tuple[str, list[Html]]],
    *,
    left: int = 1,
    name: str = "",
    below: bool = False,
) -> Html:
    """A table that scrolls by itself: `rows` are a class and the cells as complete elements.

    On a telephone every row of more than three cells becomes a card, whose cells say what they
    are. The caption stands above, or `below`.
    """
    cards = len(head) > 3
    if cards:
        rows = [(kind, [_labelled(*each) for each in zip(cells, head, strict=True)])
                for kind, cells in rows]  # fmt: skip
    heads = [
        element("th", title, scope="col", class_="left" if k < left else "")
        for k, title in enumerate(head)
    ]
    body = [element("tr", joined(*cells), class_=name) for name, cells in rows]
    inner = joined(
        element("thead", element("tr", joined(*heads))), element("tbody", joined(*body), id=name)
    )
    held = element("table", inner, class_="cards" if cards else "")
    scrolls = element("div", held, class_="scroll", tabindex="0", role="region",
                      aria_label=caption)  # fmt: skip
    parts = [element("figcaption", caption), scrolls]
    return element("figure", joined(*reversed(parts) if below else parts))


def _labelled(cell: Html, title: str) -> Html:
    """A cell that names its column."""
    label = html.escape(title, quote=True)
    return Html(re.sub(r"^<td\b", lambda _: f'<td data-label="{label}"', cell))


def row(head: str, *cells: str, left: int = 0) -> tuple[str, list[Html]]:
    """A row of a table: its heading and its cells, the first of them to the left."""
    sides = ["left"] * left + [""] * (len(cells) - left)
    data = [element("td", cell, class_=side) for cell, side in zip(cells, sides, strict=True)]
    return "", [element("th", head, scope="row"), *data]


def select(name: str, options: Iterable[Any], *, chosen: Any = None, label: str = "") -> Html:
    """A choice that the script enables; values are positions."""
    listed = [
        Html(f'<option value="{k}"{" selected" if one == chosen else ""}>{text(str(one))}</option>')
        for k, one in enumerate(options)
    ]
    said = f' aria-label="{text(label)}"' if label else ""
    return Html(f'<select id="{name}"{said} autocomplete="off" disabled>{joined(*listed)}</select>')


def folded(title: str, *parts: str) -> Html:
    """What is shown on request, under its title."""
    return element("details", joined(element("summary", title), *parts))


def section(title: str, *parts: str, class_: str = "") -> Html:
    """A section with its heading."""
    return element("section", joined(element("h2", title), *parts), class_=class_)


def packed(values: Any, *, short: bool = False) -> dict[str, str]:
    """An array as base64: whole numbers in 1, 2 or 4 bytes, others as 8-byte floats.

    `short` floats have 4 bytes, seven digits: for figures that are not computed with.

    Examples
    --------
    >>> packed([1, 2, 3])
    {'t': 'u1', 'd': 'AQID'}
    >>> packed([0.5])["t"]
    'f8'
    """
    array = np.asarray(values)
    kind = "<f4" if short else "<f8"
    if array.size and np.isfinite(array).all() and (array == np.floor(array)).all():
        for candidate, limit in (("u1", 2**8), ("<u2", 2**16), ("<u4", 2**32)):
            if array.min() >= 0 and array.max() < limit:
                kind = candidate
                break
    data = np.ascontiguousarray(array, dtype=kind).tobytes()
    return {"t": kind.strip("<"), "d": base64.b64encode(data).decode("ascii")}


def as_json(value: Any) -> str:
    r"""JSON that may stand inside a script element: no character of it means anything in HTML.

    Examples
    --------
    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data_url(text: str, kind: str) -> str:
    """A file inside a link."""
    return f"data:{kind};base64,{base64.b64encode(text.encode('utf-8')).decode('ascii')}"
