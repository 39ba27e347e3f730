"""Give damaged and hostile files to everything that reads a file, and count what happens.

    python scripts/fuzz_files.py                       # 1,000 files
    python scripts/fuzz_files.py --count 5000 --seed 7 --seconds 600

Every file begins as a good one of its kind and is cut, flipped, stretched or called oddly; then
one of its readers, a command or a Python call, gets it in a process of its own. A run may answer or
refuse. It may not end in an error of another kind, run out of its time, leave a file half-written,
or let a warning of a library through. The same count and seed give the same files.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import importlib.util
import io
import json
import multiprocessing
import os
import random  # noqa: TID251 - bytes and choices, nothing statistical
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

#: Seconds and bytes of memory that a run may take.
LIMIT_S, LIMIT_BYTES = 20, 6 << 30
EVAL = "--label y --positive yes --scores p --cost fn=10 fp=1"
ROWS = [
    ("yes" if k % 3 == 0 else "no", round((k * 37 % 60 + 0.5) / 60, 3), "ab"[k % 2])
    for k in range(180)
]
#: What reads a file of each kind: commands, where FILE stands for it, and calls.
READERS: dict[str, list[str]] = {
    "rows.csv": [
        f"eval FILE {EVAL}",
        "inspect FILE",
        f"eval FILE {EVAL} --engine duckdb",
        f"eval FILE {EVAL} --engine polars",
        "eval good.csv --more FILE --join-on k "
        "--label y --positive yes --scores p --cost fn=1 fp=1",
        "calibrate FILE --label y --positive yes --model p -o out.json",
        f"eval FILE {EVAL} --by g --html out.html",
        "decide FILE --rule good-rule.json -o out.csv",
        "decide FILE --rule good-rule.json --engine duckdb -o out.csv",
        "decide FILE --rule good-rule.json --on-error column -o out.csv",
        f"constrain FILE {EVAL} --by g --ratio 0.8",
        f"monitor FILE {EVAL} --time g",
        f"estimate FILE {EVAL} --reference good.csv",
        f"estimate good.csv {EVAL} --reference FILE",
        "cascade FILE --label y --positive yes --scores p,q --prices 0,1 --cost fn=10 fp=1",
        "stakes.sources.read",
    ],
    "rows.tsv": [f"eval FILE {EVAL}", "inspect FILE", "stakes.sources.read"],
    "rows.csv.gz": [f"eval FILE {EVAL}", "inspect FILE", "stakes.sources.read"],
    "rows.jsonl": [f"eval FILE {EVAL} --html out.html", "inspect FILE", "stakes.sources.read"],
    "rows.npy": [
        "eval FILE --label y.npy --positive 1 --cost fn=10 fp=1",
        "inspect FILE",
        "eval p.npy --label FILE --positive 1 --scores p --cost fn=10 fp=1",
        "stakes.sources.read",
    ],
    "rows.npz": [
        "eval FILE --label y --positive 1 --scores p --cost fn=10 fp=1",
        "inspect FILE",
        "stakes.sources.read",
    ],
    "rows.parquet": [
        f"eval FILE {EVAL}",
        "inspect FILE",
        f"eval FILE {EVAL} --engine duckdb",
        f"eval FILE {EVAL} --engine polars",
        "decide FILE --rule good-rule.json -o out.parquet",
        f"estimate FILE {EVAL} --reference good.csv",
        "stakes.sources.read",
    ],
    "rows.h5": [
        "eval FILE --label y --positive yes --scores p --cost fn=10 fp=1",
        "inspect FILE",
        "stakes.sources.read",
    ],
    "rows.arff": [
        "eval FILE --positive yes --cost fn=10 fp=1",
        "inspect FILE",
        "stakes.sources.read",
    ],
    "list.txt": [
        "eval FILE --preset sre10",
        "inspect FILE",
        "eval --trials FILE --scores FILE --cost fn=1 fp=1",
        "stakes.sources.read",
    ],
    "counts.csv": ["eval --confusion FILE --positive yes --min-positives 1 --cost fn=4 fp=1"],
    "counts.json": ["eval --confusion FILE --positive yes --min-positives 1 --cost fn=4 fp=1"],
    "summary.json": [
        "merge FILE good.json -o out.json",
        "inspect FILE",
        "eval FILE --positive yes --cost fn=2 fp=1",
        "stakes.summaries.load_summary",
    ],
    "summary.parquet": [
        "merge FILE good.json -o out.json",
        "inspect FILE",
        "stakes.summaries.load_summary",
    ],
    "rule.json": [
        "stakes.load_rule",
        "rule FILE",
        "rule FILE --sql duckdb",
        "decide good.csv --rule FILE -o out.csv",
    ],
    "calibrator.json": [
        "calibrate --apply FILE good.csv --scores p -o out.csv",
        "stakes.calibration.load",
    ],
    "costs.toml": [
        "eval good.csv --label y --positive yes --scores p --costs FILE",
        "inspect FILE",
        "stakes.application.read_costs",
        "stakes.application.read_uncertain_costs",
    ],
    "costs.csv": [
        "eval good.csv --label y --positive yes --scores p --costs FILE",
        "stakes.application.read_costs",
    ],
    "inquiry.toml": ["eval --inquiry FILE", "stakes.Inquiry.load"],
    "report.json": ["eval --inquiry FILE", "stakes.Inquiry.load"],
    "answers.toml": [
        "ask good.csv --label y --positive yes --scores p --answers FILE --no-questions"
        " -o out.toml",
        "ask --answers FILE --no-questions",
        "stakes.elicitation.read_answers",
    ],
}
#: Packages without which a kind is left out.
NEEDS = {"rows.parquet": "pyarrow", "summary.parquet": "pyarrow", "rows.h5": "h5py"}


def originals(folder: Path) -> dict[str, list[bytes]]:
    """Good files of each kind, and some whose container is whole and whose content is odd."""
    import stakes

    lines = [f"{y},{p},{0.25 + p / 2},{g},{k}\n" for k, (y, p, g) in enumerate(ROWS)]
    text = "y,p,q,g,k\n" + "".join(lines)
    truth, scores = np.array([row[0] for row in ROWS]), np.array([row[1] for row in ROWS])
    found: dict[str, list[bytes]] = {
        "rows.csv": [
            text.encode(),
            text.replace(",", ";").encode(),
            text.replace("yes", '"yes"').encode(),
        ],
        "rows.tsv": [text.replace(",", "\t").encode()],
        "rows.csv.gz": [gzip.compress(text.encode(), mtime=0)],
        "rows.jsonl": [
            "".join(json.dumps(dict(zip("ypg", row, strict=True))) + "\n" for row in ROWS).encode()
        ],
        "rows.arff": [_arff().encode()],
        "list.txt": [
            "".join(
                f"s{k} r{k} {'target' if y == 'yes' else 'nontarget'} {6 * p - 3}\n"
                for k, (y, p, _) in enumerate(ROWS)
            ).encode()
        ],
        "counts.csv": [b"truth,no,yes\nno,90,5\nyes,1,4\n"],
        "counts.json": [
            b'{"truth": {"no": {"no": 90, "yes": 5}, "yes": {"no": 1, "yes": 4}}}',
            b'{"classes": ["no", "yes"], "decisions": ["no", "yes"], "counts": [[9, 1], [1, 4]]}',
        ],
        "costs.toml": [
            b'unit = "EUR"\noutcomes = ["no", "yes"]\n[cost.no]\nyes = 4\n[cost.yes]\nno = 40\n',
            b"fn = [5, 20]\nfp = 1\nvolume = 1000\npriors = [0.9, 0.1]\n",
        ],
        "costs.csv": [b"truth,no,yes\nno,0,4\nyes,40,0\n"],
        "inquiry.toml": [
            b'source = "good.csv"\nlabel = "y"\npositive = "yes"\nscores = "p"\n'
            b'cost = ["fn=10", "fp=1"]\nlevel = 0.9\n'
        ],
    }
    (folder / "good.csv").write_text(text)
    yes = (truth == "yes").astype(int)
    odd = [
        np.array(3.0),
        np.array([1 + 2j] * len(ROWS)),
        np.array(["2020-01-01"] * len(ROWS), "M8[D]"),
        np.zeros((2, 3, 4)),
        np.zeros(len(ROWS), [("a", "f8"), ("b", "S3")]),
        np.empty((0,)),
        np.array([b"\xff\xfe"] * len(ROWS)),
        np.array(["\ud800x"] * len(ROWS)),
    ]
    for each in (scores, *odd):
        found.setdefault("rows.npy", []).append(_saved(np.save, each))
        found.setdefault("rows.npz", []).append(_saved(np.savez_compressed, p=each, y=yes))
    np.save(folder / "y.npy", yes)
    np.save(folder / "p.npy", scores)
    summary = stakes.ConfusionMatrix([[90, 5], [1, 4]], classes=["no", "yes"])
    ranked = stakes.ScoreCounts.from_scores(truth, scores, kind="posterior", classes=["no", "yes"])
    summary.save(folder / "good.json")
    made: dict[str, Callable[[str], Any]] = {
        "summary.json": ranked.save,
        "calibrator.json": lambda path: _fitted(truth, scores).save(path),
        "rule.json": stakes.DecisionRule(
            stakes.Application([[0, 1], [10, 0]]), columns=("p",)
        ).save,
    }
    made["answers.toml"] = _kept_answers
    made["rule.json"](str(folder / "good-rule.json"))
    for name, make in made.items():
        make(str(folder / f"made-{name}"))
        found[name] = [(folder / f"made-{name}").read_bytes()]
    found["summary.json"] += [(folder / "good.json").read_bytes()]
    asked = {
        "source": "good.csv",
        "label": "y",
        "positive": "yes",
        "scores": "p",
        "cost": ["fn=9", "fp=1"],
    }
    found["report.json"] = [json.dumps({"inquiry": asked}).encode()]
    if importlib.util.find_spec("pyarrow"):
        summary.save(folder / "made.parquet")
        found["summary.parquet"] = [(folder / "made.parquet").read_bytes()]
        found["rows.parquet"] = _parquets(truth, scores)
    if importlib.util.find_spec("h5py"):
        found["rows.h5"] = _hdf5s(folder, truth, scores)
    return found


def _fitted(truth: Any, scores: Any) -> Any:
    from stakes.calibration import Affine
    from stakes.posteriors import Posteriors

    chances = np.clip(scores, 0.01, 0.99)
    return Affine().fit(Posteriors(np.column_stack([1 - chances, chances])), (truth == "yes") * 1)


def _kept_answers(path: str) -> None:
    from stakes import elicitation as e

    said = [
        e.ratio_between(5, 20),
        e.ratio_from_threshold(0.05, 0.15),
        e.ratio_from_number_willing(8, 20),
        e.ratio_from_amounts(false_negative=(50, 400), false_positive=10),
        e.Question(1000, 78, (12, 6), (40, 76)).statement("b"),
    ]
    e.write_answers(e.Elicitation(priors=0.1).stated(*said), path)


def _arff() -> str:
    head = "@relation r\n@attribute correct {no,yes}\n@attribute prediction {no,yes}\n"
    head += "@attribute confidence.no numeric\n@attribute confidence.yes numeric\n@data\n"
    return head + "".join(f"{y},{y},{round(1 - p, 3)},{p}\n" for y, p, _ in ROWS)


def _saved(save: Callable[..., None], *values: Any, **arrays: Any) -> bytes:
    stream = io.BytesIO()
    save(stream, *values, **arrays)
    return stream.getvalue()


def _parquets(truth: Any, scores: Any) -> list[bytes]:
    import pyarrow as pa
    from pyarrow import parquet

    size = len(scores)
    odd = [
        scores.tolist(),
        [b"\xff\x00"] * size,
        [[1.0, 2.0]] * size,
        [{"a": 1}] * size,
        [None] * size,
        pa.array([10**30] * size, pa.decimal128(38)),
        pa.array(range(size), pa.timestamp("ns")),
        pa.array(["yes"] * size).dictionary_encode(),
        [[]] * size,
    ]
    found = []
    for k, column in enumerate((*odd, *odd[1:])):
        columns = {"y": truth, "p": scores, "g": truth}
        columns["p" if k < len(odd) else "y"] = column
        stream = io.BytesIO()
        parquet.write_table(pa.table(columns), stream)
        found.append(stream.getvalue())
    return found


def _hdf5s(folder: Path, truth: Any, scores: Any) -> list[bytes]:
    import h5py

    found = []
    for k in range(4):
        path = folder / f"made-{k}.h5"
        with h5py.File(path, "w") as file:
            if k == 1:
                file["trial_mask"], file["scores"] = np.ones((3, 2)), np.zeros((2, 3))
                file["ID/row_ids"], file["ID/column_ids"] = [b"a", b"b", b"c"], [b"x", b"\xff"]
                continue
            file["y"] = truth.astype("S")
            file["p"] = scores
            if k == 2:
                file["loop"] = h5py.SoftLink("/loop")
                file["away"] = h5py.ExternalLink("nowhere.h5", "/p")
                file["pair"] = np.zeros(len(ROWS), [("a", "f8"), ("b", "i4")])
            if k == 3:
                file["text"] = [b"\xff\xfe"] * len(ROWS)
        found.append(path.read_bytes())
    return found


NUMBER = re.compile(rb"\d+(?:\.\d+)?")
WORD = re.compile(rb"[A-Za-z_]{1,12}")
HUGE = [
    b"9" * 5000,
    b"-" + b"1" * 4400,
    b"1e999",
    b"-1e999",
    b"nan",
    b"inf",
    b"1e-400",
    b"0x1p3",
    b"1_000",
    b"9223372036854775808",
    b"-0",
    b"",
    b"0." + b"0" * 5000 + b"1",
    b"1e308",
    b"true",
    b"null",
]
ODD = [
    b"\x1b[2J\x1b]0;x\x07",
    b"\\ud800",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\0",
    b"\r",
    b"\x85",
    b"'\"",
    b"a" * 70_000,
    b"=cmd()",
    b"%s{0}",
    b"\xff\xfe",
    "ﬁ\u0301\U0001f600".encode(),
    b"__class__",
    b"../../x",
    b" ",
    b"\\u0000",
]
DEEP = [
    b"[" * 3000,
    b"{" * 3000,
    b"[" * 100_000 + b"]" * 100_000,
    b'{"a":' * 2000 + b"1" + b"}" * 2000,
    b"a." * 3000,
    b"x = " + b"[" * 2000 + b"]" * 2000 + b"\n",
    b"x = " + b"{a=" * 900 + b"1" + b"}" * 900 + b"\n",
    b"[" + b"a." * 4000 + b"a]\n",
    b"(" * 5000,
]


def mutated(data: bytes, kind: str, rng: random.Random) -> tuple[bytes, str]:
    """The bytes changed in one to three ways, and how they were."""
    said = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        how = rng.choice((*MUTATIONS, *(("members",) * 3 if kind.endswith(".json") else ())))
        data = MUTATIONS[how](data, rng) if how in MUTATIONS else _members(data, rng)
        said.append(how)
    return data, "+".join(said)


def _put(
    data: bytes, rng: random.Random, piece: bytes, pattern: re.Pattern[bytes] | None = None
) -> bytes:
    """The bytes with a piece in the place of a match, or anywhere."""
    places = [match.span() for match in pattern.finditer(data[:100_000])] if pattern else []
    start, end = rng.choice(places) if places else [rng.randrange(len(data) + 1)] * 2
    return data[:start] + piece + data[end:]


def _cut_out(data: bytes, rng: random.Random, times: int) -> bytes:
    """A stretch of the bytes, left out or repeated."""
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((1, 7, 100, 5000)))
    return data[:start] + data[start:end] * times + data[end:]


def _flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 30)) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


MUTATIONS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "truncated": lambda data, rng: data[: rng.randrange(len(data) + 1)],
    "flipped": _flipped,
    "inserted": lambda data, rng: _put(data, rng, rng.randbytes(rng.choice((1, 4, 200)))),
    "left out": lambda data, rng: _cut_out(data, rng, 0),
    "repeated": lambda data, rng: _cut_out(data, rng, rng.choice((2, 3, 200))),
    "huge": lambda data, rng: _put(data, rng, rng.choice(HUGE), NUMBER),
    "deep": lambda data, rng: _put(data, rng, rng.choice(DEEP), rng.choice((NUMBER, WORD, None))),
    "odd name": lambda data, rng: _put(data, rng, rng.choice(ODD), rng.choice((WORD, None))),
    "all odd": lambda data, rng: data.replace(
        rng.choice((b"yes", b"p", b"y", b"no")), rng.choice(ODD)
    ),
    "zipped": lambda data, _: gzip.compress(data, mtime=0),
}


def _members(data: bytes, rng: random.Random) -> bytes:
    """JSON with a member changed and the checksum mended, to reach what lies behind it."""
    from stakes._checksums import checksum

    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return data
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                walk(node[key])

    if isinstance(whole, dict):
        walk(whole)
    if not places:
        return data
    node, key = rng.choice(places)
    odd: list[Any] = [
        None,
        -1,
        1e308,
        2**70,
        10**400,
        0.5,
        True,
        "x",
        "\ud800",
        "\x1b[2J",
        [],
        {},
        [[1]],
        "nan",
    ]
    odd += [{"a": {"b": []}}, [None] * 3, {"dtype": "object", "shape": [2], "values": [1, 2]}]
    if rng.random() < 0.2 and isinstance(node, dict):
        node.pop(key)
    else:
        node[key] = rng.choice(odd)
    if "sha256" in whole:
        content = {k: part for k, part in whole.items() if k not in ("format", "sha256")}
        with contextlib.suppress(ValueError):  # not of NaN
            whole["sha256"] = checksum(content)
    return json.dumps(whole, separators=(",", ":")).encode()


NAMES = (
    "esc\x1b[31m",
    "bad\udcff",
    "new\nline",
    "star*",
    "[x]",
    "a b'c\"",
    "-dash",
    "%s",
    "long" * 50,
)
ARRANGED = (
    "as it is",
    "as it is",
    "as it is",
    "as it is",
    "as it is",
    "odd file name",
    "loop",
    "folder",
    "unreadable",
)


def arranged(folder: Path, name: str, data: bytes, rng: random.Random) -> tuple[str, str]:
    """Put the file into the folder, sometimes in a strange way; its name, and how."""
    how = rng.choice(ARRANGED) if rng.random() < 0.3 else "as it is"
    if how == "odd file name":
        name = f"{rng.choice(NAMES)}-{name}"
    path = folder / name
    if how == "loop":
        path.symlink_to(path)
    elif how == "folder":
        path.mkdir()
        (path / name).write_bytes(data)
    else:
        path.write_bytes(data)
    if how == "unreadable":
        path.chmod(0)
    return name, how


@dataclass
class Counts:
    """What happened, how often, and where."""

    runs: int = 0
    answered: int = 0
    refused: int = 0
    raw: Counter[str] = field(default_factory=Counter)
    hangs: Counter[str] = field(default_factory=Counter)
    half: Counter[str] = field(default_factory=Counter)
    leaked: Counter[str] = field(default_factory=Counter)

    @property
    def is_clean(self) -> bool:
        """Whether nothing happened that may not."""
        return not (self.raw or self.hangs or self.half or self.leaked)

    def __str__(self) -> str:
        lines = [f"{self.runs} runs: {self.answered} answered, {self.refused} refused"]
        said = {
            "raw errors": self.raw,
            "hangs": self.hangs,
            "half-written files": self.half,
            "leaked warnings": self.leaked,
        }
        for name, found in said.items():
            lines.append(f"{found.total()} {name}")
            lines += [f"  {times} x {place}" for place, times in found.most_common()]
        return "\n".join(lines)


def _in_child(folder: str, reader: str, name: str, answer: Any) -> None:
    """Run a reader; what happened goes through a pipe."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    os.chdir(folder)
    os.environ.update(NO_COLOR="1", COLUMNS="80", STAKES_TRACEBACK="1")
    out, err = io.StringIO(), io.StringIO()
    outcome, place = "answered", ""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(out), redirect_stderr(err):
        warnings.simplefilter("always")
        try:
            outcome = _read(reader, name)
        except BaseException as error:
            outcome, place = "raw", _place(error)
    if outcome == "raw" and not place:
        lines = err.getvalue().strip().splitlines()
        frames = [line.strip() for line in lines if line.strip().startswith("File ")]
        kind = next(
            (line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)), lines[-1:]
        )
        place = f"{frames[-1] if frames else ''} {kind!s:.200}"
    shown = out.getvalue() + err.getvalue()
    if outcome != "raw" and re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", shown):
        outcome, place = "raw", "a control character on the terminal"
    leaked = [
        f"{w.category.__name__}: {w.message!s:.80} ({w.filename}:{w.lineno})"
        for w in caught
        if not w.category.__module__.startswith("stakes")
    ]
    answer.send((outcome, place.replace("\n", " "), leaked))


def _read(reader: str, name: str) -> str:
    """Run a command, or make a call, with a file; "answered", "refused" or "raw"."""
    from stakes.exceptions import StakesError

    if not reader.startswith("stakes."):
        from stakes.cli.entry import main

        words = [f"./{name}" if word == "FILE" else word for word in reader.split()]
        return {0: "answered", 1: "answered", 2: "refused"}.get(main(words), "raw")
    import stakes

    door: Any = stakes
    for k, part in enumerate(parts := reader.split(".")[1:]):
        if k < len(parts) - 1 and not hasattr(door, part):
            importlib.import_module(f"stakes.{part}")
        door = getattr(door, part)
    try:
        found = door(f"./{name}")
        if hasattr(found, "cells"):
            for column in set(found.names):
                found.labels(column)
                found.numbers(column)
        str(found)
    except (StakesError, OSError):  # what the system says of a file has its name in it
        return "refused"
    return "answered"


def _place(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(last))
    return f"{type(error).__name__}: {str(error)[:100]!r} ({where})"


def fuzz_files(
    count: int = 1000, seed: int = 0, seconds: float = 600, keep: Path | None = None
) -> Counts:
    """Read so many damaged files, or as many as the time allows; files that fail go to `keep`."""
    rng, counts = random.Random(seed), Counts()
    until = time.monotonic() + seconds
    fork = multiprocessing.get_context("fork")  # everything is imported once, and runs stay apart
    with tempfile.TemporaryDirectory() as place:
        shared = Path(place, "shared")
        shared.mkdir()
        good = originals(shared)
        kinds = [kind for kind in READERS if kind in good]
        while counts.runs < count and time.monotonic() < until:
            kind = kinds[counts.runs % len(kinds)]
            data, how = mutated(rng.choice(good[kind]), kind, rng)
            folder = Path(place, f"run{counts.runs}")
            shutil.copytree(shared, folder, ignore=shutil.ignore_patterns("made*"))
            name, arranging = arranged(folder, kind, data, rng)
            reader = rng.choice(READERS[kind])
            for output in re.findall(r"out\.\w+", reader):
                (folder / output).write_text("what was there before")
            before = set(folder.iterdir())
            failed = _counted(
                fork, counts, folder, reader, name, f"{kind} {how}, {arranging}: {reader}"
            )
            for left in set(folder.iterdir()) - before:
                if left.name.startswith("."):
                    counts.half[f"{left.name} after {reader}"] += 1
            if failed and keep:
                shutil.copytree(folder, keep / f"{counts.runs}", symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
    return counts


def _counted(fork: Any, counts: Counts, folder: Path, reader: str, name: str, what: str) -> bool:
    """Run a reader and add what happened; whether it may not happen."""
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_in_child, args=(str(folder), reader, name, there))
    child.start()
    there.close()
    counts.runs += 1
    outcome, place, leaked = "raw", "it died", []
    if not here.poll(LIMIT_S):
        child.kill()
        outcome = "hang"
    else:
        try:
            outcome, place, leaked = here.recv()
        except EOFError:
            child.join()
            place = f"the process died, code {child.exitcode}"
    child.join()
    here.close()
    if outcome in ("answered", "refused"):
        setattr(counts, outcome, getattr(counts, outcome) + 1)
    elif outcome == "hang":
        counts.hangs[what] += 1
    else:
        counts.raw[f"{place}   [{what}]"] += 1
    for warning in leaked:
        counts.leaked[warning] += 1
    for output in re.findall(r"out\.\w+", reader):
        kept = (folder / output).read_bytes() == b"what was there before"
        if not kept and outcome != "answered":
            counts.half[f"{output} after {what}"] += 1
    return outcome not in ("answered", "refused") or bool(leaked)


def main() -> int:
    """Count, print, and fail where something happened that may not."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--keep", type=Path, help="a folder for the files that failed")
    args = parser.parse_args()
    counts = fuzz_files(args.count, args.seed, args.seconds, args.keep)
    print(counts)
    return 0 if counts.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
