"""Costs said back in words."""

from __future__ import annotations

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from stakes import Application, CostMatrix
from stakes.application.cost_sentences import describe_costs, spoken

CHURN = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])


class TestSpoken:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0, "0"),
            (-0.0, "0"),
            (40, "40"),
            (0.1 + 0.2, "0.3"),
            (1 / 3, "0.333333"),
            (2.5, "2.5"),
            (-335, "-335"),
            (1567, "1 567"),
            (250_000, "250 000"),
            (1_234_567.5, "1 234 567.5"),
            (99_720.987, "99 720.99"),
            (0.00005, "0.00005"),
            (1e-9, "1e-09"),
            (1e15, "1e+15"),
            (999_999_999_999, "999 999 999 999"),
        ],
    )
    def test_as_a_person_would_write_it(self, value, text) -> None:
        assert spoken(value) == text

    @given(st.floats(-1e14, 1e14))
    def test_is_right_to_five_digits(self, value) -> None:
        assert float(spoken(value).replace(" ", "")) == pytest.approx(value, rel=1e-5, abs=1e-300)


class TestBinary:
    def test_block(self) -> None:
        assert CHURN.describe(unit="EUR") == (
            "Costs used (EUR):\n"
            "  truth churn,  decision ignore  -> 40   (missed 'churn')\n"
            "  truth stay,   decision call    ->  4   (false alarm)\n"
            "  correct decisions              ->  0\n"
            "one missed 'churn' costs as much as 10 false alarms"
        )

    def test_unit_is_optional(self) -> None:
        assert CHURN.describe().splitlines()[0] == "Costs used:"

    @pytest.mark.parametrize(
        ("fp", "fn", "sentence"),
        [
            (1, 10, "one missed '1' costs as much as 10 false alarms"),
            (1, 1, "one missed '1' costs as much as one false alarm"),
            (10, 1, "one false alarm costs as much as 10 missed '1'"),
            (35, 335, "one missed '1' costs as much as about 9.57 false alarms"),
            (1, 12345, "one missed '1' costs as much as about 12 300 false alarms"),
            (2, 5, "one missed '1' costs as much as 2.5 false alarms"),
        ],
    )
    def test_exchange(self, fp, fn, sentence) -> None:
        costs = CostMatrix.binary(false_positive=fp, false_negative=fn)
        assert costs.describe().splitlines()[-1] == sentence

    def test_the_exchange_counts_what_is_lost_beside_the_right_decision(self) -> None:
        """(335 + 165) / (35 + 15) = 10."""
        costs = CostMatrix.from_utilities([[15, -35], [-335, 165]], classes=["no", "yes"])
        assert costs.describe() == (
            "Costs used:\n"
            "  truth yes,  decision no   ->  335   (missed 'yes')\n"
            "  truth no,   decision yes  ->   35   (false alarm)\n"
            "  truth no,   decision no   ->  -15   (correct, a gain)\n"
            "  truth yes,  decision yes  -> -165   (correct, a gain)\n"
            "one missed 'yes' costs as much as 10 false alarms"
        )

    @pytest.mark.parametrize("values", [[[1, 0], [0, 10]], [[0, 0], [1, 0]], [[0, 1], [0, 0]]])
    def test_no_exchange_where_there_is_no_miss_and_false_alarm(self, values) -> None:
        text = CostMatrix(values).describe()
        assert "costs as much as" not in text
        assert "missed" not in text


class TestMany:
    def test_pets(self) -> None:
        costs = CostMatrix(
            [[0, 1, 20, 2], [1, 0, 20, 2], [100, 100, 0, 2]],
            classes=["cat", "dog", "fox"],
            decisions=["cat", "dog", "fox", "ask a person"],
        )
        assert costs.describe("EUR") == (
            "Costs used (EUR):\n"
            "  truth cat,  decision dog           ->   1\n"
            "  truth cat,  decision fox           ->  20\n"
            "  truth dog,  decision cat           ->   1\n"
            "  truth dog,  decision fox           ->  20\n"
            "  truth fox,  decision cat           -> 100\n"
            "  truth fox,  decision dog           -> 100\n"
            "  any truth,  decision ask a person  ->   2\n"
            "  correct decisions                  ->   0"
        )

    def test_a_class_whose_decision_does_not_matter(self) -> None:
        text = CostMatrix([[5, 5, 5], [0, 1, 2]]).describe()
        assert "truth 0,  any decision  -> 5" in text
        assert "correct decisions       -> 0" in text

    def test_a_gain_is_called_one(self) -> None:
        text = CostMatrix([[-9, -4, 2], [0, 1, 2]]).describe()
        assert "truth 0,    decision 1  -> -4   (a gain)" in text
        assert "any truth,  decision 2  ->  2" in text
        assert "truth 0,    decision 0  -> -9   (correct, a gain)" in text
        assert "truth 1,    decision 0  ->  0   (correct)" in text

    def test_equal_errors_of_many_classes_are_one_line(self) -> None:
        assert CostMatrix.zero_one(20).describe() == (
            "Costs used:\n  every error (380 cells)  -> 1\n  correct decisions        -> 0"
        )

    def test_equal_errors_of_few_classes_are_one_line_too(self) -> None:
        assert CostMatrix.zero_one(3).describe() == (
            "Costs used:\n  every error (6 cells)  -> 1\n  correct decisions      -> 0"
        )

    def test_a_class_without_a_right_decision_has_its_own_line(self) -> None:
        text = CostMatrix([[0, 1], [1, 0], [1, 1]]).describe()
        assert "truth 2,  any decision  -> 1" in text

    def test_the_dearest_of_many_are_shown(self) -> None:
        values = np.arange(400.0).reshape(20, 20)
        text = CostMatrix(values).describe()
        assert "truth 19,  decision 19  ->" in text
        assert "399" in text
        # 380 cells are above the first of their row; the five dearest are shown
        assert "the other 375 cells     -> 1 to 394" in text
        assert "correct decisions       -> 0 to 380" in text

    @given(
        st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
            lambda shape: hnp.arrays(
                np.float64, shape, elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0])
            )
        )
    )
    def test_never_more_than_a_screen(self, values) -> None:
        lines = CostMatrix(values).describe().splitlines()
        assert 2 <= len(lines) <= 1 + 12 + 6 + 1
        assert all(" -> " in line for line in lines[1:] if line.startswith("  "))

    def test_thousands_of_cells_are_a_few_lines(self) -> None:
        values = np.random.default_rng(0).uniform(0, 9, size=(300, 300))
        assert len(CostMatrix(values).describe().splitlines()) == 1 + 5 + 1 + 1

    def test_strange_names_stay_on_their_line(self) -> None:
        costs = CostMatrix([[0, 1], [1, 0]], classes=["a\nb", "x" * 100])
        lines = costs.describe().splitlines()
        assert len(lines) == 5
        assert "a␤b" in lines[1]
        assert "x" * 100 in lines[1]


class TestApplication:
    def test_shares_and_volume(self) -> None:
        app = Application(CHURN, priors=[0.98, 0.02], unit="EUR", volume=250_000, period="year")
        assert app.describe() == (
            CHURN.describe(unit="EUR")
            + "\nclass mix where it will run: 'stay' 98 %, 'churn' 2 %"
            + "\n250 000 cases a year"
        )

    def test_shares_of_the_data(self) -> None:
        text = Application(CHURN, volume=10).describe()
        assert "class mix where it will run: as in the data" in text
        assert text.endswith("\n10 cases")

    def test_many_shares_are_cut(self) -> None:
        app = Application(CostMatrix.zero_one(20), priors=[0.05] * 20)
        assert app.describe().endswith("'11' 5 % and 8 more")


def test_costs_that_differ_between_the_ends_are_ranges() -> None:
    ends = [CostMatrix([[0, 4], [miss, 0]], CHURN.classes, CHURN.decisions) for miss in (20, 80)]
    assert describe_costs(CHURN, ends=ends).splitlines() == [
        "Costs used:",
        "  truth churn,  decision ignore  -> 20 to 80, evaluated at 40   (missed 'churn')",
        "  truth stay,   decision call    -> 4   (false alarm)",
        "  correct decisions              -> 0",
        "one missed 'churn' costs as much as 5 to 20 false alarms, evaluated at 10",
    ]
    assert describe_costs(CHURN, ends=[CHURN, CHURN]) == describe_costs(CHURN)
