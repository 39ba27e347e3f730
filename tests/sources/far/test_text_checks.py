"""What memory refuses, every engine refuses; what both read, both read alike."""

from __future__ import annotations

import gzip

import pytest

from stakes.exceptions import FormatError
from stakes.sources.far import text_checks
from stakes.sources.patterns import found_files

ROWS = [f"{k % 2},{0.1 + 0.4 * (k % 2) + 0.05 * (k % 7):.3f},r{k}" for k in range(60)]


def text(rows=ROWS, head="y,p,k", end="\n"):
    return end.join([head, *rows, ""]).encode()


def changed(row, place=5):
    return text([*ROWS[:place], row, *ROWS[place + 1 :]])


PACKED = gzip.compress(text(), mtime=0)
DAMAGED = {
    "a row that is too short": ("t.csv", changed("1,0.4")),
    "a row that is too long": ("t.csv", changed("1,0.4,r5,")),
    "rows that are all too long": ("t.csv", text([f"{row}," for row in ROWS])),
    "a last line that is cut off": ("t.csv", text() + b"1,0.4"),
    "a line of spaces": ("t.csv", text([*ROWS, "  "])),
    "a quote that is never closed": ("t.csv", changed('1,0.4,"r5')),
    "a longer header": ("t.csv", text(head="y,p,k,z")),
    "bytes that are no text": ("t.csv", changed("1,0.4,r\0")),
    "another encoding": ("t.csv", changed("1,0.4,\xe9").decode().encode("latin-1")),
    "a number for Java alone": ("t.csv", changed("1,0.5f,r5")),
    "a wrong checksum": ("t.csv.gz", PACKED[:-8] + bytes([PACKED[-8] ^ 1]) + PACKED[-7:]),
    "a wrong size": ("t.csv.gz", PACKED[:-1] + b"\1"),
    "a packed file that is cut off": ("t.csv.gz", PACKED[:-40]),
    "a short row in a packed file": ("t.csv.gz", gzip.compress(changed("1,0.4"), mtime=0)),
}
READ = {
    "a byte-order mark": b"\xef\xbb\xbf" + text(),
    "lines of Windows": text(end="\r\n"),
    "no end of the last line": text()[:-1],
    "cells in quotes": text([f'{r.rpartition(",")[0]},"a, ""b"""' for r in ROWS]),
    "cells over lines": text([f'{r.rpartition(",")[0]},"a\n1,0.5,b"' for r in ROWS]),
    "a column without a name": text(head="y,p,"),
}


def judged(run, name, *where):
    return run(
        "eval", name, "--label", "y", "--scores", "p", "--cost", "fn=3", "fp=1", "--json", *where
    )


@pytest.mark.parametrize("what", DAMAGED)
def test_refused_in_memory_and_in_engines(run, write, engine, what):
    name = write(*DAMAGED[what])
    for where in ((), engine):
        ran = judged(run, name, *where)
        assert (ran.code, ran.out) == (2, ""), where
        assert name in ran.err or "column" in ran.err


@pytest.mark.parametrize("what", READ)
def test_read_alike_in_memory_and_in_engines(run, write, engine, what):
    name = write("t.csv", READ[what])
    memory, far = judged(run, name), judged(run, name, *engine)
    assert (memory.code, far.code) == (0, 0), far.err
    assert far.found["models"][0]["counts"] == memory.found["models"][0]["counts"]


@pytest.mark.parametrize("head", ["y,k,p", "1,0.5,r0"])
def test_files_with_other_headers(run, write, tmp_path, head):
    pytest.importorskip("polars", reason="one of the engines")
    write("a.csv", text(ROWS[:30]))
    write("b.csv", text(ROWS[30:], head=head))
    ran = judged(run, "?.csv", "--engine", "polars")
    assert (ran.code, ran.out) == (2, "")
    assert "b.csv" in ran.err


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_of_any_size(monkeypatch, write, tmp_path, size, end):
    """Rows, quotes and line ends may be torn between two blocks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(text_checks, "BLOCK", size)
    rows = [f'{k},"a ""{k}"", {end}b",c' if k % 3 else f"{k},,c" for k in range(20)]
    good = end.join(["x,y,z", "", *rows[:9], "", *rows[9:], ""])
    files = found_files(write("t.csv", good))
    assert text_checks.looked_at(files, "polars").over_lines
    line = good[: good.index("17,")].count("\n") + 1
    for broken, said in (
        (good.replace("17,", "17,1,"), f"t.csv: a row (line {line + 1}) has 4 cells"),
        (good.replace("18,,", "18,"), f"t.csv: a row (line {line + 2}) has 2 cells"),
        (good.replace("18,", "1\0,"), "t.csv holds bytes that are not text"),
        (good.replace("18,", '18"a,'), "a double quote is never closed, or stands inside a cell"),
        (good + '1,"2', "a double quote is never closed"),
    ):
        files = found_files(write("t.csv", good))
        write("t.csv", broken)
        with pytest.raises(FormatError, match=said.replace("(", "\\(").replace(")", "\\)")):
            text_checks.looked_at(files, "polars")
