"""The kinds of files: a line for each, a module that keeps its side, and names that people find."""

from importlib import import_module
from pathlib import Path

import pytest

from stakes.sources.formats import FORMATS, endings, format_of

GUIDE = Path(__file__).parents[2] / "docs" / "command-line.md"
#: Two kinds that begin alike, or an ending of two kinds, would hide one of them.
BYTES = [first for each in FORMATS for first in each.begins]


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.module)
def test_its_module_reads_it(kind):
    module = import_module(f"stakes.sources.{kind.module}")
    assert callable(module.read)
    assert bool(kind.begins) != hasattr(module, "fits")


def test_no_kind_hides_another():
    assert not [(a, b) for a in BYTES for b in BYTES if a is not b and a.startswith(b)]
    assert len(set(endings())) == len(endings())


@pytest.mark.parametrize("first", BYTES)
def test_first_bytes_tell_the_kind(first):
    assert first in format_of(first + b"...", "any name").begins


def test_what_is_nothing_else_is_delimited_text():
    assert format_of(b"truth,p\nyes,0.8\n", "day.parquet").module == "delimited"


@pytest.mark.parametrize("ending", endings())
def test_people_are_told(ending, run):
    assert ending in " ".join(run("eval", "--help").out.split())
    assert ending.removeprefix(".") in GUIDE.read_text(encoding="utf-8").lower()
