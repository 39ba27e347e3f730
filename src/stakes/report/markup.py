"""HTML in which everything is escaped unless it was made here."""

from __future__ import annotations

import html
import re

__all__ = ["Html", "element", "joined", "section", "table", "text"]

_NUMBER_GAP = re.compile(r"(?<=\d) (?=\d{3}\b|%|[kMG]\b)")


class Html(str):
    """Text that is markup already; anything else is escaped."""

    __slots__ = ()


def text(value: str) -> Html:
    """A value as markup; the gaps inside numbers do not break."""
    if isinstance(value, Html):
        return value
    spelt = "".join(c if c == "\n" or c.isprintable() else _spelt(c) for c in value)
    return Html(_NUMBER_GAP.sub("\u00a0", html.escape(spelt, quote=True)))


def _spelt(character: str) -> str:
    """A character that cannot be seen, as its escape."""
    return character.encode("unicode_escape").decode("ascii")


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


def table(
    caption: str,
    head: list[str],
    rows: list[tuple[str, list[Html]]],
    *,
    left: int = 1,
    name: str = "",
) -> Html:
    """A table that scrolls by itself: `rows` are a class and the cells as complete elements."""
    heads = [
        element("th", title, scope="col", class_="left" if k < left else "")
        for k, title in enumerate(head)
    ]
    body = [element("tr", joined(*cells), class_=name) for name, cells in rows]
    inner = joined(
        element("thead", element("tr", joined(*heads))),
        element("tbody", joined(*body), id=name),
    )
    scrolls = element("div", element("table", inner), class_="scroll", tabindex="0", role="region",
                      aria_label=caption)  # fmt: skip
    return element("figure", joined(element("figcaption", caption), scrolls))


def section(title: str, *parts: str, class_: str = "") -> Html:
    """A section with its heading."""
    return element("section", joined(element("h2", title), *parts), class_=class_)
