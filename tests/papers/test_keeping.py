from __future__ import annotations

import math

import numpy as np
import pytest

from stakes.papers import Cell, Claim, Item, Outcome, Paper
from stakes.papers.runs import _from_text, as_text, fingerprint
from stakes.results import Frame

OUTCOME = Outcome(
    cells=(
        Cell("a / b", 0.1, 1 / 3, 0.005, "as printed", "a note"),
        Cell("c", None, math.inf),
        Cell("d", 0.5, math.nan, available=False),
    ),
    tables={"t": Frame({"name": ["x", "y"], "value": [0.1, math.nan], "count": [1, 2]})},
    remarks=("said",),
    claims=(Claim("it is so", None, "because", erratum=3), Claim("it is", np.True_, "yes")),
)


class TestRoundTrip:
    def test_every_digit_and_every_part_comes_back(self):
        found = _from_text(as_text(OUTCOME, "mark", 1.5), "mark")
        assert found is not None
        outcome, seconds = found
        assert seconds == 1.5
        assert repr(outcome.cells) == repr(OUTCOME.cells)
        assert outcome.remarks == OUTCOME.remarks
        assert outcome.claims == OUTCOME.claims
        table = outcome.tables["t"]
        assert table.columns == ("name", "value", "count")
        np.testing.assert_array_equal(table["value"], [0.1, math.nan])
        assert table["count"].dtype.kind == "i"
        assert list(table["name"]) == ["x", "y"]

    def test_other_inputs_are_not_taken(self):
        assert _from_text(as_text(OUTCOME, "mark", 1.0), "other") is None

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"mark": "mark"}', '{"mark": 1}'])
    def test_what_cannot_be_read_is_not_taken(self, text):
        assert _from_text(text, "mark") is None


class TestFingerprint:
    @pytest.fixture
    def item(self):
        return Item("one", "One", lambda _: OUTCOME, needs=("scores",))

    @pytest.fixture
    def paper(self, item):
        return Paper("ferrer2022", "cited", (item,))

    @pytest.fixture
    def data(self, tmp_path):
        (tmp_path / "scores").mkdir()
        (tmp_path / "scores" / "a.npy").write_bytes(b"123")
        (tmp_path / "unread").mkdir()
        return tmp_path

    def test_is_the_same_for_the_same_inputs(self, paper, item, data):
        assert fingerprint(paper, item, data) == fingerprint(paper, item, data)

    def test_changes_with_the_content_and_the_name_of_a_file_of_scores(self, paper, item, data):
        first = fingerprint(paper, item, data)
        (data / "scores" / "a.npy").write_bytes(b"124")
        second = fingerprint(paper, item, data)
        (data / "scores" / "a.npy").rename(data / "scores" / "b.npy")
        assert len({first, second, fingerprint(paper, item, data)}) == 3

    def test_does_not_change_with_data_that_the_item_does_not_read(self, paper, item, data):
        first = fingerprint(paper, item, data)
        (data / "unread" / "a.npy").write_bytes(b"1")
        assert fingerprint(paper, item, data) == first

    def test_changes_with_paper_item_and_version(self, paper, item, data, monkeypatch):
        marks = {fingerprint(paper, item, data)}
        marks.add(fingerprint(Paper("cumani", "cited", ()), item, data))
        marks.add(fingerprint(paper, Item("two", "Two", item.compute, needs=item.needs), data))
        monkeypatch.setattr("stakes.__version__", "99")
        marks.add(fingerprint(paper, item, data))
        assert len(marks) == 4

    def test_changes_with_the_sources(self, paper, item, tmp_path, monkeypatch):
        """A copy of the package in which one file differs."""
        import shutil
        from pathlib import Path

        from stakes.papers import runs as keeping

        package = tmp_path / "stakes"
        shutil.copytree(
            Path(keeping.__file__).parent.parent,
            package,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        monkeypatch.setattr(keeping, "__file__", str(package / "papers" / "runs.py"))

        def after_a_change_in(place):
            path = package / place
            path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
            return fingerprint(paper, item, None)

        first = fingerprint(paper, item, None)
        assert after_a_change_in("cli/commands/reproduce/__init__.py") == first
        assert after_a_change_in("papers/cumani/__init__.py") == first
        assert after_a_change_in("papers/pages/page_words.py") == first
        second = after_a_change_in("papers/ferrer2022/__init__.py")
        assert second != first
        assert after_a_change_in("metrics/scores/score_ranking.py") != second
