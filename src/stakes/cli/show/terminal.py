"""Where output goes: the width and the abilities of the terminal, and text that is safe there."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable
from typing import Any

from stakes.messages.audience import marked

_WIDEST = 80
_NUMBER_GAP = re.compile(r"(?<=\d) (?=\d{3}\b|%)|(?<=±) (?=\d)")
_OPTION = re.compile(r"(?<!\S)(--?[A-Za-z][\w-]*) (?!-)(\S+)")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_UNBROKEN = "\u2007"  # a space as wide as a digit, at which lines are not broken


def page_width() -> int:
    """Columns to write in: those of the terminal, at most 80; 80 when there is none."""
    return max(20, min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns))


def table_width() -> int:
    """Columns that a table may take: all that the terminal has; 80 when there is none."""
    return max(20, shutil.get_terminal_size((_WIDEST, 24)).columns)


def display_width(text: str) -> int:
    """How many columns the text takes: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def print_wrapped(
    text: str, *, first: str = "", rest: str = "", style: Callable[[str], str] = str
) -> None:
    """Print a paragraph in lines of the page width, each in a style such as `bold`."""
    lines = wrapped(text, first=first, rest=rest)
    print("\n".join(style(line) for line in lines) if lines else first.rstrip())


def print_json(value: Any, *, infinite: bool = False) -> None:
    """Print JSON; see `json_text`."""
    print(json_text(value, infinite=infinite), end="")


def json_text(value: Any, *, infinite: bool = False) -> str:
    """As JSON; numbers that are undefined are null, infinite ones too or, if asked, words."""
    facts = _plain(value, infinite)
    import json  # not for --help, which should be there at once

    return json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any, infinite: bool) -> Any:
    """Values that JSON knows."""
    if isinstance(value, dict):
        return {key: _plain(inner, infinite) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner, infinite) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value) or not infinite:
            return None
        return "infinity" if value > 0 else "-infinity"
    return value


def wrapped(text: str, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of the page width that never break inside a number or before its per cent sign."""
    text = _NUMBER_GAP.sub(_UNBROKEN, _encodable(marked(text)))
    return _broken(text, page_width(), first, rest)


def _broken(text: str, width: int, first: str, rest: str) -> list[str]:
    """Lines of a width, each in its indent; none is broken at a space that stands for another."""
    lines = textwrap.TextWrapper(
        width, first, rest, break_long_words=False, break_on_hyphens=False
    ).wrap(text)
    return [line.replace(_UNBROKEN, " ") for line in lines]


def print_aligned(line: str, *, rest: str = "    ") -> None:
    """Print a line whose parts are aligned; where it is wider than the page, wrap it instead."""
    text = marked(line)
    if display_width(text) <= page_width():
        print(text)
        return
    indent = text[: len(text) - len(text.lstrip())]
    print_wrapped(" ".join(text.split()), first=indent, rest=indent + rest)


def continued(command: str) -> list[str]:
    """A command in lines of the page width, which a shell reads as one."""
    whole = _QUOTED.sub(lambda match: match[0].replace(" ", _UNBROKEN), command)
    whole = _OPTION.sub(rf"\1{_UNBROKEN}\2", whole)  # an option stays with its value
    lines = _broken(whole, page_width() - 2, "  ", "      ")
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def _encodable(text: str) -> str:
    """Our own signs in ASCII where the terminal has no others; names are left to the stream."""
    try:
        "±".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return text.replace("±", "+-")
    return text


def bold(text: str) -> str:
    """Bold on a terminal that asked for nothing else."""
    return f"\033[1m{text}\033[0m" if _decorated() else text


def dim(text: str) -> str:
    """Dim on a terminal that asked for nothing else."""
    return f"\033[2m{text}\033[0m" if _decorated() else text


def _decorated() -> bool:
    """Whether stdout is a terminal and NO_COLOR is not set."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
