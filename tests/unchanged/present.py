"""What commands and calls give at present, as the text of their records."""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from unchanged import calls, commands, inputs, surface
from unchanged.rendering import content, difference, flat, key_path, masked, number, shown

from stakes.cli.entry import main as stakes_main

RECORDS = Path(__file__).parent / "records"
SETTINGS = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
# Warnings that speak of other libraries come and go with their versions.
NOT_OURS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning)
NAMES = re.compile(
    r"\b((?:gbm|logreg|rules|bank|bureau)(?:_\w+)?|large|small|system-[ab]|points|says|rule|[pq])\b"
)


def records() -> dict[str, Callable[[], str]]:
    """Every record by its name, with what makes its text anew."""
    made: dict[str, Callable[[], str]] = {
        "names": lambda: "\n".join(surface.names()),
        "names-torch": lambda: "\n".join(surface.names("stakes.integrations.torch")),
        "options": lambda: "\n".join(surface.options()),
    }
    for name in commands.CASES:
        made[f"commands/{name}"] = functools.partial(command_text, name)
    for name in calls.CALLS:
        made[f"calls/{name}"] = functools.partial(call_text, name)
    return made


def derived() -> dict[str, Callable[[], str]]:
    """Records that sum up the others."""
    return {
        "json_keys": lambda: "\n".join(_json_keys()),
        "notes": lambda: "\n".join(_notes()),
    }


@functools.cache
def _inputs() -> Path:
    """A folder with the inputs, made once and copied for each command."""
    folder = Path(tempfile.mkdtemp(prefix="unchanged"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    inputs.write(folder)
    return folder


def command_text(name: str) -> str:
    """What the command lines of a record print, return and write."""
    parts = []
    if name.startswith(commands.OF_PYTHON):
        parts.append(f"(as Python {sys.version_info[0]}.{sys.version_info[1]} words it)")
    with _fresh_folder() as folder:
        for line in commands.lines_of(name):
            before = _files(folder)
            parts.append(f"$ {line}")
            parts += _run(line, folder)
            for path, stamp in sorted(_files(folder).items()):
                if before.get(path) != stamp:
                    parts += [f"[{path.relative_to(folder).as_posix()}]", *content(path)]
    return "\n".join(parts)


@contextlib.contextmanager
def _fresh_folder() -> Iterator[Path]:
    """A folder with the inputs in it, as the working folder, and a plain terminal."""
    here, settings = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="unchanged") as name:
        folder = Path(name).resolve() / "work"
        shutil.copytree(_inputs(), folder)
        os.environ.update(SETTINGS)
        os.environ.pop("STAKES_DATA", None)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(settings)


def _files(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def _run(line: str, folder: Path) -> Iterator[str]:
    """Run one command line in this process."""
    words, _, given = line.partition(" < ")
    out, err = io.StringIO(), io.StringIO()
    kept: list[str] = []
    typed = io.BytesIO(Path(given).read_bytes() if given else b"")
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(typed, encoding="utf-8")
    try:
        with (
            _warnings_kept() as kept,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            ended = f"exit code {stakes_main(shlex.split(words)[1:])}"
    except Exception as error:  # a defect: shown as a difference, and never kept in a record
        ended = f"crashes {type(error).__name__}: {error}"
    finally:
        sys.stdin = stdin
    yield ended
    yield from kept
    text = out.getvalue()
    if text.startswith(("{", "[")):
        yield from ["[standard output, JSON]", *flat(json.loads(text))]
    elif text:
        yield from ["[standard output]", *masked(text, folder).splitlines()]
    if err.getvalue():
        yield from ["[standard error]", *masked(err.getvalue(), folder).splitlines()]


@contextlib.contextmanager
def _warnings_kept() -> Iterator[list[str]]:
    """Collect warnings as lines."""
    lines: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lines
    for each in caught:
        if not issubclass(each.category, NOT_OURS):
            lines.append(f"warns {each.category.__name__}: {masked(str(each.message))}")


def call_text(name: str) -> str:
    """What a Python call returns, warns of and raises."""
    try:
        with _warnings_kept() as kept:
            lines = list(shown(calls.CALLS[name]()))
    except Exception as error:
        return f"crashes {type(error).__name__}: {error}"
    return "\n".join([*kept, *lines])


def _recorded(folder: str) -> Iterator[tuple[Path, list[str]]]:
    for path in sorted((RECORDS / folder).glob("*.txt")):
        yield path, path.read_text(encoding="utf-8").splitlines()


def _json_keys() -> list[str]:
    """The key paths of all JSON that recorded commands print or save."""
    keys: set[str] = set()
    for _, lines in _recorded("commands"):
        command, inside = "", ""
        for line in lines:
            if line.startswith("$ "):
                command, inside = " ".join(line.split()[1:3]), ""
            elif re.fullmatch(r"\[[^\]]*\]", line):
                inside = re.sub(r"^.*(--json|\.json).*$", r"\1", line.replace(", JSON", " --json"))
            elif inside in ("--json", ".json") and " = " in line:
                keys.add(
                    f"{command} {'prints' if inside == '--json' else 'saves'} {key_path(line)}"
                )
    return sorted(keys)


def _notes() -> list[str]:
    """The kinds of notes, remarks, warnings and errors of the recorded runs, each once."""
    kinds: set[str] = set()
    for folder in ("commands", "calls"):
        for path, lines in _recorded(folder):
            if path.stem.startswith(("help", "completion")):
                continue
            text = re.sub(r"\n  (?! )(?!stakes )", " ", "\n".join(lines))  # one line per sentence
            for line in text.splitlines():
                found = re.match(r"(- |! |error: |warning: |warns \w+: |raises \w+: )(.*)", line)
                inner = re.match(
                    r"[\w.]*(notes|remarks|warnings)(?:\[\d+\](?:\.text)?)? = (.*)", line
                )
                if found:
                    kinds.add(found[1] + _kind(found[2]))
                elif inner and inner[2] != "[]":
                    sentences = re.findall(r'"((?:[^"\\]|\\.)*)"', inner[2])
                    kinds |= {f"{inner[1]}: {_kind(each)}" for each in sentences}
    return sorted(kinds)


def _kind(sentence: str) -> str:
    """A sentence without its numbers and names."""
    sentence = re.sub(r"(?<!\w)'[^']*'", "'..'", sentence)
    return re.sub(r"\d[\d .]*\d|\d", "#", NAMES.sub("NAME", sentence))


def reproduced() -> str:
    """`stakes reproduce --all` as JSON, one line per comparison and per claim."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        stakes_main(["reproduce", "--all", "--json", "--quiet", "-o", folder])
    found = json.loads(out.getvalue())
    items = []
    for item in found["results"]:
        lines = [_line(item | {"cells": len(item["cells"]), "claims": len(item["claims"])})]
        items.append(",\n ".join(lines + [_line(row) for row in item["cells"] + item["claims"]]))
    head = _line({key: found[key] for key in ("good", "sentence")})
    return "[" + ",\n".join([head, *items]) + "]"


def _line(row: dict[str, object]) -> str:
    """A row on one line, without times, differences and what is empty; numbers rounded."""
    left_out = ("seconds", "difference")
    kept = {key: value for key, value in row.items() if key not in left_out and value != ""}
    for key, value in kept.items():
        if isinstance(value, float):
            kept[key] = float(number(value))
    return json.dumps(kept, ensure_ascii=False)


def path_of(name: str) -> Path:
    """Where a record is kept."""
    return RECORDS / (name if name.endswith(".json") else f"{name}.txt")


def compared(name: str, make: Callable[[], str]) -> str:
    """How the present differs from the record; empty where it does not."""
    path = path_of(name)
    recorded = path.read_text(encoding="utf-8") if path.exists() else ""
    present = make() + "\n"
    heads = [text.partition("\n")[0] for text in (recorded, present)]
    if heads[0] != heads[1] and all(head.startswith("(as Python") for head in heads):
        return ""  # argparse has other words in each Python
    return difference(recorded, present)
