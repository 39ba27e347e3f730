from __future__ import annotations

import math

from stakes.papers import Cell


class TestCell:
    def test_a_number_that_rounds_to_the_printed_one_agrees(self):
        assert Cell("x", 0.35, 0.3549, 0.005).agrees is True
        assert Cell("x", 0.35, 0.3551, 0.005).agrees is False

    def test_exactly_half_a_unit_agrees_in_spite_of_binary_fractions(self):
        assert Cell("x", 0.3, 0.35, 0.05).agrees is True

    def test_without_a_tolerance_only_the_same_number_agrees(self):
        assert Cell("cases", 315, 315.0).agrees is True
        assert Cell("cases", 315, 316.0).agrees is False

    def test_a_number_that_was_not_printed_is_not_compared(self):
        cell = Cell("x", None, 0.5)
        assert cell.agrees is None
        assert math.isnan(cell.difference)

    def test_what_has_no_data_is_not_compared(self):
        assert Cell("x", 0.5, math.nan, 0.005, available=False).agrees is None

    def test_nan_where_a_number_was_printed_does_not_agree(self):
        assert Cell("x", 0.5, math.nan, 0.005).agrees is False
