"""Everything as plain lines: numbers rounded, what changes by itself masked, and compared."""

from __future__ import annotations

import dataclasses
import datetime as dt
import difflib
import html.parser
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

MASKS = {
    r"\b[0-9a-f]{64}\b": "<sha256>",
    r"\(\d+(\.\d+)? ?(bytes|kB|MB)\)": "(<size>)",
    r" at 0x[0-9a-f]+": "",
    dt.date.today().isoformat(): "<today>",
}
VERSIONS = {"made", "numpy", "python", "stakes", "date"}  # keys whose values are left out
LONG = 24  # lists and tables beyond this are shown by their ends and means
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d{3,}(?:e[-+]?\d+)?|(?<![\w.])[-+]?\d+e[-+]?\d+")


def number(value: float) -> str:
    """Ten significant digits; rounding errors around 0 are 0."""
    if not math.isfinite(value):
        return str(value)
    return f"{0.0 if abs(value) < 1e-12 else value:.10g}"


def masked(text: str, folder: Path | None = None) -> str:
    """Text without what differs from run to run; long decimals are rounded."""
    if folder is not None:
        text = text.replace(str(folder.resolve()), "<folder>").replace(str(folder), "<folder>")
    for pattern, word in MASKS.items():
        text = re.sub(pattern, word, text, flags=re.M)
    return NUMBER.sub(lambda found: _rounded(found[0]), text)


def _rounded(text: str) -> str:
    return text if len(re.sub(r"e.*|\D", "", text).lstrip("0")) <= 10 else number(float(text))


def flat(value: Any, path: str = "") -> Iterator[str]:
    """One line per value of a tree, `path = value`; plain lists stay on one line."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            if key == "seconds" or (key in VERSIONS and isinstance(inner, str)):
                inner = f"<{key}>"
            yield from flat(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, (list, tuple)) and any(isinstance(v, (Mapping, list)) for v in value):
        if len(value) > LONG:
            yield f"{path} = {len(value)} of these"
            value = value[:2]
        for position, inner in enumerate(value):
            yield from flat(inner, f"{path}[{position}]")
    else:
        yield f"{path} = {_plain(value)}"


def _plain(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)) or value is None:
        return str(value)
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    if isinstance(value, str):
        return masked(json.dumps(value, ensure_ascii=False))
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {_plain(value.ravel().tolist())}"
    if isinstance(value, (list, tuple)):
        if len(value) > LONG:
            ends = [_plain(each) for each in (*value[:3], *value[-3:])]
            return f"[{', '.join(ends[:3])}, ..., {', '.join(ends[3:])}] {_mean(value)}"
        return f"[{', '.join(map(_plain, value))}]"
    return masked(str(value))


def _mean(values: Any) -> str:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return f"{len(values)} values"
    finite = array[np.isfinite(array)]
    return f"{len(array)} numbers, {len(finite)} finite of mean {number(float(finite.mean()))}"


def shown(value: Any, name: str = "") -> Iterator[str]:
    """What a Python call returned: its words, its table, and what it holds."""
    if hasattr(value, "columns") and hasattr(value, "rows"):  # a Frame
        yield f"{name}.frame:" if name else "frame:"
        yield from _table(
            [list(value.columns), *zip(*(value[c].tolist() for c in value), strict=True)]
        )
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from shown(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, (list, tuple)) and any(hasattr(v, "frame") for v in value):
        for position, inner in enumerate(value):
            yield from shown(inner, f"{name}[{position}]")
    elif isinstance(value, str) and "\n" in value:
        yield f"{name}:"
        yield from masked(value).splitlines()
    elif type(value).__module__.startswith("stakes"):
        yield f"{name or 'it'} is a {type(value).__name__}"
        yield from masked(str(value)).splitlines()
        if str(value) != repr(value):
            yield from masked(repr(value)).splitlines()
        if hasattr(value, "frame"):
            yield from shown(value.frame(), name)
        elif dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                yield from flat(getattr(value, field.name), f"{name}.{field.name}".lstrip("."))
    else:
        yield from flat(value, name or "it")


def _table(rows: list[Any]) -> Iterator[str]:
    """Rows with their cells parted by bars; the ends and the means of a long one."""
    body = rows[1:]
    for row in rows if len(body) <= LONG else [rows[0], *body[:4], ["..."], *body[-2:]]:
        yield " | ".join(_plain(cell).strip('"') for cell in row)
    if len(body) > LONG:
        for title, column in zip(rows[0], zip(*body, strict=True), strict=True):
            yield f"{title}: {_mean(column)}"


def content(path: Path) -> Iterator[str]:
    """A file that a command wrote, by its kind."""
    if path.suffix == ".json":
        yield from flat(json.loads(path.read_text(encoding="utf-8")))
    elif path.suffix == ".html":
        yield from _outline(path.read_text(encoding="utf-8"))
    elif path.suffix == ".csv":
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from _table([[_cell(cell) for cell in line.split(",")] for line in lines])
    elif path.suffix in (".toml", ".txt", ".md"):
        yield from masked(path.read_text(encoding="utf-8")).splitlines()
    else:
        yield "(not looked into)"


def _cell(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _outline(page: str) -> Iterator[str]:
    """The headings of a page and the keys of the numbers in it."""
    reader = _Headings()
    reader.feed(page)
    yield from reader.headings
    for block in reader.blocks:
        yield from sorted({key_path(line) for line in flat(json.loads(block))})


def key_path(line: str) -> str:
    """The keys of a line of `flat`, whatever the position in lists."""
    return re.sub(r"\[\d+\]", "[]", line.partition(" = ")[0])


class _Headings(html.parser.HTMLParser):
    """Collects headings, captions of tables and figures, and embedded data."""

    WATCHED = ("h1", "h2", "h3", "caption", "figcaption", "title", "legend", "summary")

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.blocks: list[str] = []
        self._inside: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.WATCHED:
            self._inside = tag
            self.headings.append(f"<{tag}> ")
        elif tag == "script" and ("type", "application/json") in attrs:
            self._inside = "data"
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in (self._inside, "script"):
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside == "data":
            self.blocks[-1] += data
        elif self._inside is not None:
            self.headings[-1] += masked(" ".join(data.split()))


def difference(recorded: str, present: str) -> str:
    """A unified diff; empty where at most the last digits of unrounded numbers differ."""
    old, new = recorded.splitlines(), present.splitlines()
    steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for kind, a, b, c, d in steps:
        if kind == "replace" and b - a == d - c:
            for i, j in zip(range(a, b), range(c, d), strict=True):
                new[j] = old[i] if _nearly_equal(old[i], new[j]) else new[j]
    return "\n".join(difflib.unified_diff(old, new, "recorded", "present", lineterm="", n=2))


def _nearly_equal(old: str, new: str) -> bool:
    """Whether lines differ only in numbers of 7 digits and more, and by less than a millionth."""
    long = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d+)?")
    if long.sub("#", old) != long.sub("#", new):
        return False
    for a, b in zip(long.findall(old), long.findall(new), strict=True):
        digits = min(len(re.sub(r"e.*|\D", "", text).lstrip("0")) for text in (a, b))
        if a != b and (digits < 7 or not math.isclose(float(a), float(b), rel_tol=1e-6)):
            return False
    return True
