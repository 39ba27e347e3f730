"""Names of files and columns that engines would read as patterns are names."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.sources.patterns import fitting

N = 80
Y = [k % 2 for k in range(N)]
GOOD = [round(0.1 + 0.5 * y + 0.05 * (k % 7), 3) for k, y in enumerate(Y)]
BAD = [round((k * 37 % 100) / 100, 3) for k in range(N)]
PART = ["a" if k % 3 else "b" for k in range(N)]
PAIRS = [
    ("lake[2]/x", "lake2/x"),
    ("a[1]", "a1"),
    ("a*b", "axb"),
    ("a?", "ab"),
    ("c{a,b}", "ca"),
    ("~", "z"),
    ("r[2]/region=n[1]/x", "r2/region=n1/x"),
]


def put(path, columns):
    pa = pytest.importorskip("pyarrow", reason="these files are written by pyarrow")
    import pyarrow.csv
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(columns)
    with path.open("wb") as file:
        if path.suffix == ".csv":
            pyarrow.csv.write_csv(table, file)
        else:
            pyarrow.parquet.write_table(table, file)


def judged(run, name, label="y", score="p", *more):
    words = ("--label", label, "--scores", score, "--cost", "fn=3", "fp=1", "--json")
    ran = run("eval", name, *words, *more)
    assert ran.code == 0, ran.err
    return ran.found


def figures(found):
    """What was found, whole and in parts."""
    parts = found["slices"].items()
    necs = {name: round(part["models"][0]["nec"], 9) for name, part in parts}
    return found["models"][0]["counts"], necs


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_that_look_like_patterns(run, tmp_path, engine, ending):
    """One process of Spark reads them all: each is the only one that may be read."""
    put(tmp_path / "plain.csv", {"y": Y, "p": GOOD})
    expected = figures(judged(run, "plain.csv"))
    for odd, other in PAIRS if engine[1] != "spark" else PAIRS[:5]:
        put(tmp_path / f"{odd}.{ending}", {"y": Y, "p": GOOD})
        put(tmp_path / f"{other}.{ending}", {"y": Y, "p": BAD})
        names = [f"{odd}.{ending}"]
        if "/" in odd:
            names += [odd.partition("/")[0], f"{odd.partition('/')[0]}/**/*.{ending}"]
        for name in names:
            assert figures(judged(run, name, "y", "p", *engine)) == expected, name


@pytest.mark.parametrize(
    ("ending", "label", "score", "part", "weight"),
    [("csv", "^y$", "^p$", "*", "^w$"), ("parquet", "a.b", "*", "g`h", "^p.*$")],
)
def test_columns_that_look_like_patterns(run, tmp_path, engine, ending, label, score, part, weight):
    others = {"y": [1 - y for y in Y], "p": BAD, "g": PART[::-1], "w": [1] * N, "pp": BAD}
    named = {label: Y, score: GOOD, part: PART, weight: [1 + k % 3 for k in range(N)]}
    put(tmp_path / f"t.{ending}", others | named)
    words = ("--by", part, "--weight", weight)
    memory = figures(judged(run, f"t.{ending}", label, score, *words))
    far = figures(judged(run, f"t.{ending}", label, score, *words, *engine))
    assert far == memory
    assert set(memory[1]) == {"a", "b"}
    again = judged(run, f"t.{ending}", label, score, *words, "--missing", "drop", *engine)
    assert figures(again) == memory
    logits = {score: (10 * np.array(GOOD) - 5).tolist()}
    put(tmp_path / f"t.{ending}", others | named | logits)
    words = (*words, "--scores-are", "log_odds", "--flip", score)
    one, other = (judged(run, f"t.{ending}", label, score, *words, *e) for e in ((), engine))
    assert figures(one) == figures(other)


def test_a_folder_that_is_there_is_no_pattern(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("lake[2]/a.csv", "lake2/a.csv", "lake[2]/b[1]/c.csv", "lake[2]/b1/c.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x\n")
    assert fitting("lake[2]/*.csv") == ["lake[2]/a.csv"]
    assert fitting("lake[2]/b[1]/*") == ["lake[2]/b[1]/c.csv"]
    assert fitting("lake[3-9]/*.csv") == []
    assert fitting("lake[12]/*.csv") == ["lake2/a.csv"]
    assert fitting(f"{tmp_path}/lake[2]/*.csv") == [f"{tmp_path}/lake[2]/a.csv"]
