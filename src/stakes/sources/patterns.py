"""Find the files that a pattern, a folder or an address means."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stakes._checks import of_kind
from stakes._files import as_path, real_path
from stakes.exceptions import FormatError
from stakes.messages.quantities import grouped
from stakes.sources.delimited import TextHeader, text_header

_FORMS = dict.fromkeys((".parquet", ".pq"), "parquet") | dict.fromkeys((".csv", ".tsv"), "csv")
_FORMS |= dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow")
_PACKED = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one form; `paths` are the files, or one address for the engine to list.

    `header` is that of the first text file; None for other forms and for remote files. `gaps` is
    set if null markers occur among numbers, and says how to find them: as whole cells (`words`), or
    in the stripped `text` of every cell. `over_lines` tells that quoted cells span several lines.
    """

    said: str
    paths: tuple[str, ...]
    form: str
    size: int | None
    folders: bool = True
    header: TextHeader | None = None
    gaps: str = ""
    over_lines: bool = False

    @property
    def delimiter(self) -> str:
        """The delimiter of text files."""
        if self.header is not None:
            return self.header.delimiter
        return "\t" if ".tsv" in self.paths[0].lower() else ","

    @property
    def hive(self) -> bool:
        """Whether folders are named like ``region=north``, which makes them columns."""
        return self.folders and bool(self.folder_keys)

    @property
    def folder_keys(self) -> set[str]:
        """The columns that such folders make."""
        return {part.partition("=")[0] for path in self.paths for part in partitions(path)}

    @property
    def stray_keys(self) -> set[str]:
        """Folders further up with such names, which engines would also take for columns."""
        parts = (part for path in self.paths for part in path.split("/")[:-1])
        return {part.partition("=")[0] for part in parts if "=" in part} - self.folder_keys

    @property
    def title(self) -> str:
        """What a sentence calls the files."""
        if len(self.paths) == 1 and not glob.has_magic(self.said):
            return Path(self.said).name
        return self.said


def partitions(path: str) -> list[str]:
    """The innermost run of folders named like ``region=north`` above a file, outermost first.

    A folder further up may have such a name too (``/data/a=b/lake/region=north``); it is no column.
    """
    folders = path.split("/")[:-1]
    found: list[str] = []
    while folders and "=" in folders[-1]:
        found.insert(0, folders.pop())
    return found


def found_files(said: str, *, new: bool = False) -> Files:
    """All files that are meant; raises unless they have one form.

    A file that is reached twice is refused unless the cases are `new` and so are not counted.
    """
    of_kind(said, "file", str)
    if "://" in said:
        form = form_of(said)
        if form is None:
            hint = "end the address in a pattern:  's3://bucket/folder/*.parquet'"
            raise FormatError(f"I cannot tell the form of '{said}'.", hint=hint)
        return Files(said, (said,), form, None)
    paths = _listed(said)
    if not new:
        refuse_repeats(paths)
    forms = {path: form_of(path) for path in paths}
    strange = [path for path, form in forms.items() if form is None]
    if strange:
        raise FormatError(
            f"I do not know the form of {strange[0]} ({len(strange)} of {len(paths)} files).",
            hint="Parquet (.parquet), CSV (.csv, .tsv, also .gz) or Arrow (.arrow, .feather) "
            "files; a pattern keeps others out:  'folder/**/*.parquet'",
        )
    kinds = sorted({form for form in forms.values() if form is not None})
    if len(kinds) > 1:
        hint = f"take one form at a time:  '{said.rstrip('/*')}/*.{kinds[0]}'"
        raise FormatError(f"'{said}' finds files of several forms: {', '.join(kinds)}.", hint=hint)
    sizes = {path: Path(path).stat().st_size for path in paths}
    hollow = [path for path, size in sizes.items() if size == 0]
    if hollow:
        raise FormatError(
            f"{hollow[0]} is empty ({len(hollow)} of {len(paths)} files have no bytes).",
            hint="a run that wrote it may have been cut off: write it again, or remove it",
        )
    header = text_header(paths[0]) if kinds[0] == "csv" else None
    return Files(said, tuple(paths), kinds[0], sum(sizes.values()), header=header)


def refuse_repeats(paths: Iterable[str]) -> None:
    """Raise when a file is reached twice, also by a link or through another folder."""
    seen: dict[Path, str] = {}
    repeats: list[tuple[str, str]] = []
    for path in paths:
        place = real_path(path)
        if place in seen:
            repeats.append((path, seen[place]))
        seen.setdefault(place, path)
    if not repeats:
        return
    path, first = repeats[0]
    also = "" if path == first else f" (it is '{first}' too)"
    rest = len(repeats) - 1
    more = f", like {grouped(rest)} more file{'s' * (rest > 1)}" if rest else ""
    message = f"'{path}' is named twice{also}{more}, so its cases would count twice."
    raise FormatError(message, hint="leave one of them out")


def several_words(said: Any) -> list[str]:
    """The files, patterns and folders of a list with spaces, split like a shell; none for one."""
    if not isinstance(said, str) or " " not in said or "://" in said or as_path(said).exists():
        return []
    try:
        words = shlex.split(said)
    except ValueError:  # an unclosed quote is part of a name
        return []
    known = all(as_path(word).exists() or glob.has_magic(word) for word in words)
    return words if known and len(words) > 1 else []


def _listed(said: str) -> list[str]:
    """The files of a folder, of a pattern or of a list, in order; hidden ones are left out."""
    if words := several_words(said):
        return [path for word in words for path in _listed(word)]
    path = as_path(said)
    if path.is_dir():
        found = [p for p in sorted(path.rglob("*")) if p.is_file() and not hidden(p, path)]
        if not found:
            raise FormatError(f"the folder '{said}' holds no files.")
        return [str(p) for p in found]
    if path.is_file():
        return [said]
    if not glob.has_magic(said):
        raise FileNotFoundError(2, "No such file", said)
    found_here = [name for name in fitting(said) if Path(name).is_file()]
    if not found_here:
        hint = "check the folder; put the pattern in quotes so that the shell leaves it alone"
        raise FormatError(f"no file fits '{said}'.", hint=hint)
    return found_here


def fitting(pattern: str) -> list[str]:
    """What matches a pattern, in order; existing folders are literal, as in ``lake[2]/*``."""
    parts = pattern.split("/")
    named = 0
    while named < len(parts) and Path("/".join(parts[: named + 1]) or "/").exists():
        named += 1
    literal = [glob.escape(part) for part in parts[:named]]
    return sorted(glob.glob("/".join([*literal, *parts[named:]]), recursive=True))  # noqa: PTH207


def hidden(path: Path, folder: Path) -> bool:
    """Files that writers leave beside the data: _SUCCESS, .crc, _metadata."""
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def form_of(path: str) -> str | None:
    """The form of a file by its ending."""
    name = path.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return _FORMS.get(Path(name).suffix)
