"""The papers, in the order in which they are listed; a folder is imported when it is asked for."""

from __future__ import annotations

import importlib
import importlib.util
from difflib import get_close_matches

from stakes.exceptions import DataError
from stakes.papers.items import Item, Paper

KEYS = ("ferrer2025", "ferrer2022", "dyrland2022", "cumani", "wa2025")


def papers() -> tuple[Paper, ...]:
    """Every paper whose folder is there."""
    found = (_paper(key) for key in KEYS)
    return tuple(paper for paper in found if paper is not None)


def paper_of(key: str) -> Paper:
    """The paper that goes by a key."""
    paper = _paper(key) if key in KEYS else None
    if paper is None:
        raise DataError(
            f"there is no paper {key!r}.",
            hint=_names_like(key, [each.key for each in papers()]),
        )
    return paper


def item_of(paper: Paper, key: str) -> Item:
    """An item of a paper by its key."""
    for item in paper.items:
        if item.key == key:
            return item
    raise DataError(
        f"{paper.key} has no item {key!r}.",
        hint=_names_like(key, [item.key for item in paper.items]),
    )


def _names_like(key: str, names: list[str]) -> str:
    """The name that was probably meant, and all of them."""
    near = get_close_matches(key.lower().replace(" ", ""), names, n=1)
    meant = f"did you mean {near[0]}?\n" if near else ""
    return f"{meant}one of: {', '.join(names)}"


def _paper(key: str) -> Paper | None:
    """The paper of a folder, or None where there is no such folder or it declares none."""
    name = f"stakes.papers.{key}"
    if importlib.util.find_spec(name) is None:
        return None
    paper = getattr(importlib.import_module(name), "PAPER", None)
    return paper if isinstance(paper, Paper) else None
