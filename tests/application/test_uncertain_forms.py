"""Ranges of costs in a file: read and written where they have a form."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from stakes import Application, CostMatrix
from stakes.application import (
    Between,
    LogUniform,
    UncertainApplication,
    costs_to_toml,
    read_costs,
    read_uncertain_costs,
    uncertain_costs_from_toml,
    write_costs,
)
from stakes.exceptions import FormatError

numbers = st.floats(-1e300, 1e300) | st.integers(-99, 99).map(float)
cells = numbers | st.tuples(numbers, numbers).map(lambda ends: Between(min(ends), max(ends)))


def table(app: UncertainApplication) -> list[list[object]]:
    """The costs, with each range in its cell."""
    found: list[list[object]] = app.base.tolist()
    for amount, direction in app.terms:
        ((i, j),) = np.argwhere(direction).tolist()
        found[i][j] = amount
    return found


class TestReading:
    def test_a_range_is_between_its_ends(self) -> None:
        app = uncertain_costs_from_toml(
            'fn = [5, 20]\nfp = 1\nunit = "EUR"\npriors = [0.9, 0.1]\noutcomes = ["no", "yes"]'
        )
        assert table(app) == [[0, 1], [Between(5, 20), 0]]
        assert (app.unit, app.classes, app.priors.tolist()) == ("EUR", ("no", "yes"), [0.9, 0.1])

    def test_ranges_by_name_and_in_a_matrix(self) -> None:
        head = 'outcomes = ["a", "b"]\n'
        named = uncertain_costs_from_toml(head + "[cost.a]\nb = [1, 2]\n[cost.b]\na = 3")
        matrix = uncertain_costs_from_toml(head + 'rows = "decision"\ncost = [[0, 3], [[1, 2], 0]]')
        assert table(named) == table(matrix) == [[0, Between(1, 2)], [3, 0]]

    def test_without_ranges_it_expects_what_it_says(self) -> None:
        app = uncertain_costs_from_toml("fn = 10\nfp = 1")
        assert app.expected == Application(CostMatrix([[0, 1], [10, 0]]))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("fn = [20, 5]", "a range has its lower end first; got [20, 5] - at `fn`."),
            ("fn = [5, inf]", "expected a finite number, got inf - at `fn[1]`."),
            ("fn = [5, 6, 7]", "expected a number, got a list of 3 - at `fn`."),
        ],
    )
    def test_mistakes(self, text, message) -> None:
        with pytest.raises(FormatError) as caught:
            uncertain_costs_from_toml(f"fp = 1\n{text}", source="costs.toml")
        assert caught.value.message == f"costs.toml: {message}"

    def test_a_single_application_does_not_hide_a_range(self, tmp_path: Path) -> None:
        path = tmp_path / "costs.toml"
        path.write_text("fn = [5, 20]\nfp = 1", encoding="utf-8")
        with pytest.raises(FormatError, match="is a range; one application has") as caught:
            read_costs(path)
        assert "stakes.application.read_uncertain_costs" in str(caught.value.hint)
        assert table(read_uncertain_costs(path)) == [[0, 1], [Between(5, 20), 0]]

    def test_only_toml_has_ranges(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"read from a \.toml file"):
            read_uncertain_costs(tmp_path / "costs.csv")


class TestWriting:
    @given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=2, max_size=2))
    def test_round_trip(self, costs) -> None:
        app = UncertainApplication(
            costs, [0.25, 0.75], classes=["a", "b"], decisions=["a", "b", "ask"], unit="EUR"
        )
        back = uncertain_costs_from_toml(costs_to_toml(app))
        assert table(back) == table(app) == costs
        assert (back.classes, back.decisions, back.unit) == (app.classes, app.decisions, app.unit)
        assert back.priors.tolist() == [0.25, 0.75]

    def test_file(self, tmp_path: Path) -> None:
        app = UncertainApplication.binary(false_positive=1, false_negative=Between(5, 20))
        write_costs(app, tmp_path / "costs.toml")
        assert "0 = [5, 20]" in (tmp_path / "costs.toml").read_text(encoding="utf-8")
        assert table(read_uncertain_costs(tmp_path / "costs.toml")) == table(app)
        with pytest.raises(FormatError, match=r"written to a \.toml file"):
            write_costs(app, tmp_path / "costs.csv")

    @pytest.mark.parametrize(
        "app",
        [
            UncertainApplication.from_weight(Between(0.1, 0.9)),
            UncertainApplication.binary(false_positive=1, false_negative=LogUniform(5, 20)),
            UncertainApplication([[0, 1], [1, 0]], Between(0.1, 0.2)),
        ],
        ids=["two cells at once", "a distribution", "unknown priors"],
    )
    def test_other_doubts_have_no_form(self, app) -> None:
        with pytest.raises(FormatError, match="ranges of single costs only") as caught:
            costs_to_toml(app)
        assert caught.value.hint == "write application.expected, the costs to decide with"
