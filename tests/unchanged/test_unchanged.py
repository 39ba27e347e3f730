"""What users have is what was recorded, or the difference is meant: docs/design/differences.md."""

from __future__ import annotations

import importlib.util
import os

import pytest
from unchanged import present

EXTRAS = ("duckdb", "h5py", "matplotlib", "numba", "pandas", "polars", "pyarrow", "sklearn")
MINIMAL = os.environ.get("STAKES_ENVIRONMENT") == "minimal"
pytestmark = pytest.mark.skipif(
    MINIMAL or any(importlib.util.find_spec(name) is None for name in EXTRAS),
    reason="the records were made with the extras of `dev`, in present versions",
)

HOW = """
{found}

If this is meant: python tests/unchanged/record.py {name}, and say it in docs/design/differences.md.
"""


@pytest.mark.parametrize("name", [*present.records(), *present.derived()])
def test_unchanged(name: str) -> None:
    if name == "names-torch":
        pytest.importorskip("torch", reason="the names of the metrics on tensors")
    found = present.compared(name, (present.records() | present.derived())[name])
    assert not found, HOW.format(found=found, name=name.rpartition("/")[2])


def test_no_record_is_left_over() -> None:
    known = {present.path_of(name) for name in (*present.records(), *present.derived())}
    assert set(present.RECORDS.rglob("*.txt")) == known


def test_no_crash_is_recorded() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in present.RECORDS.rglob("*.txt")}
    assert not [path for path, text in texts.items() if "\ncrashes " in f"\n{text}"]


def test_a_difference_in_printed_digits_is_found_and_one_in_the_last_of_many_is_not() -> None:
    assert present.difference("nec 0.402\n", "nec 0.403\n")
    assert present.difference("nec = 0.4021276596\n", "nec = 0.4021286596\n")
    assert not present.difference("nec = 0.4021276596\n", "nec = 0.4021276597\n")
    assert present.difference("a\n", "a\nb\n")
