from __future__ import annotations

import pytest

from stakes.exceptions import MissingExtraError
from stakes.papers import Cell, Item, Outcome, Paper
from stakes.papers.runs import Result, run_item, why_skipped


def _run(compute, data=None, needs=()):
    item = Item("one", "One", compute, needs=needs)
    return run_item(Paper("p", "cited", (item,)), item, data, lambda _: None)


class TestRunItem:
    def test_computes(self):
        result = _run(lambda _: Outcome((Cell("x", 1.0, 1.0),)))
        assert (result.status, result.good, len(result.compared)) == ("computed", True, 1)

    def test_a_number_outside_its_tolerance_is_not_good(self):
        result = _run(lambda _: Outcome((Cell("x", 1.0, 1.1, 0.05), Cell("y", 1.0, 1.0))))
        assert not result.good
        assert [cell.name for cell in result.outside] == ["x"]

    def test_an_error_is_told_and_stops_nothing(self):
        def broken(_):
            raise ZeroDivisionError("by nothing")

        result = _run(broken)
        assert (result.status, result.good) == ("failed", False)
        assert result.reason.startswith("ZeroDivisionError in test_running.py:")

    def test_a_missing_extra_is_a_reason_to_skip(self):
        def extra(_):
            raise MissingExtraError("no.", hint="pip install 'stakes[sklearn]'")

        result = _run(extra)
        assert (result.status, result.good) == ("skipped", True)
        assert "pip install 'stakes[sklearn]'" in result.reason

    def test_what_cannot_be_kept_fails_at_once(self):
        assert _run(lambda _: Outcome(remarks=(object(),))).status == "failed"

    def test_progress_and_data_reach_the_computation(self, tmp_path):
        seen = []
        item = Item("one", "One", lambda c: (c.progress(0.5), seen.append(c.data), Outcome())[2])
        run_item(Paper("p", "cited", (item,)), item, tmp_path, seen.append)
        assert seen == [0.5, tmp_path]


class TestWhySkipped:
    @pytest.fixture
    def item(self):
        return Item("one", "One", lambda _: Outcome(), needs=("a", "b"))

    def test_names_the_folders_and_the_variable(self, item):
        assert why_skipped(item, None) == "needs a, b in the folder that STAKES_DATA names"

    def test_names_only_what_is_absent(self, item, tmp_path):
        (tmp_path / "a").mkdir()
        assert why_skipped(item, tmp_path) == f"{tmp_path} has no b"
        (tmp_path / "b").mkdir()
        assert why_skipped(item, tmp_path) == ""

    def test_nothing_is_computed(self):
        result = _run(lambda _: pytest.fail("computed"), needs=("a",))
        assert (result.status, result.outcome) == ("skipped", None)
        assert result.good


def test_without_an_outcome_nothing_is_compared():
    item = Item("one", "One", lambda _: Outcome())
    assert Result(Paper("p", "cited", (item,)), item, "not run").compared == ()
