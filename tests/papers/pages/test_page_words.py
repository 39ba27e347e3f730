from __future__ import annotations

import math

import numpy as np
import pytest

from stakes.papers import Cell, Claim, Item, Outcome, Paper
from stakes.papers.items import ERRATA
from stakes.papers.pages import page_words as words
from stakes.papers.runs import Result

ITEM = Item("one", "One", lambda _: Outcome())
PAPER = Paper("p", "cited", (ITEM,))


def result(*cells, status="computed", claims=()):
    return Result(PAPER, ITEM, status, Outcome(cells, claims=claims))


@pytest.mark.parametrize(
    ("cell", "printed", "ours", "difference"),
    [
        (Cell("x", 0.5, 0.4996, 0.0005), "0.500", "0.4996", "−0.0004"),
        (Cell("x", 0.32, 0.3238, 0.005), "0.32", "0.324", "+0.004"),
        (Cell("x", 0.31, 0.3102, 0.001), "0.310", "0.3102", "+0.0002"),
        (Cell("x", 25, 24.98, 0.2), "25", "25.0", "0"),
        (Cell("x", 21.3, 21.27, 0.2), "21.3", "21.27", "−0.03"),
        (Cell("x", 315, 315.0), "315", "315", "0"),
        (Cell("x", 0.0, 1e-17, 1e-12), "0.000000", "0.0000000", "0"),
        (Cell("x", None, 1 / 3, 5e-5), "–", "0.3333", ""),
        (Cell("x", None, 1 / 3), "–", "0.3333", ""),
        (Cell("x", 0.5, math.nan, available=False), "0.5", "no data", ""),
        (Cell("x", None, math.nan), "–", "undefined", ""),
        (Cell("x", 1e-9, 1e-9), "0", "0.0", "0"),
        (Cell("x", 0.00103809, 0.0010380853, 5e-9), "0.00103809", "0.001038085", "0"),
    ],
)
def test_numbers_keep_the_decimals_of_print(cell, printed, ours, difference):
    assert (words.published(cell), words.ours(cell)) == (printed, ours)
    assert words.difference(cell) == difference


class TestSentence:
    def test_all_agree(self):
        said = words.sentence([result(Cell("x", 1, 1.0), Cell("y", 2, 2.0))])
        assert said == "2 comparisons with printed numbers: all agree within their tolerance."

    def test_some_differ_fail_or_are_absent(self):
        results = [
            result(Cell("x", 1, 1.0), Cell("y", 2, 3.0)),
            Result(PAPER, ITEM, "failed"),
            Result(PAPER, ITEM, "skipped"),
            Result(PAPER, ITEM, "not run"),
        ]
        expected = "2 comparisons with printed numbers: 1 differ. 1 item failed. 2 items not run."
        assert words.sentence(results) == expected

    def test_nothing_to_compare(self):
        assert words.sentence([result()]) == "Nothing was compared with a printed number."

    def test_only_numbers_of_the_paper_count_as_printed(self):
        """An equality, a file of the authors or a second comparison is no printed number."""
        cells = (
            Cell("x", 1, 1.0),
            Cell("x", 1, 1.0, source="again"),
            Cell("y", 0, 0.0, source="equality"),
            Cell("z", 1, 2.0, source="authors"),
            Cell("w", None, 2.0, source="independent"),
        )
        assert words.sentence([result(*cells)]) == (
            "1 comparison with printed numbers: all agree within their tolerance. 3 other "
            "comparisons (the authors' files, equalities, print a second time): 1 differ."
        )
        assert words.comparisons(result(*cells)) == (1, 3, 1)
        assert words.status(result(*cells)) == "1 of 4 comparisons differ"
        assert words.status(result(*cells[:3])) == "all 3 agree (1 printed)"
        assert words.sentence([result(cells[2])]) == (
            "Nothing was compared with a printed number. 1 other comparison (equalities): all "
            "agree within their tolerance."
        )
        assert [words.source(cell) for cell in cells[::4]] == ["the paper", ""]

    def test_claims(self):
        claims = (Claim("a", np.True_, ""), Claim("b", False, ""), Claim("c", None, "", erratum=1))
        said = words.claims_sentence([result(claims=claims)])
        assert said == "2 statements of the papers were checked: 1 confirmed, 1 not."
        assert words.claims_sentence([result()]) == ""


class TestErrata:
    def test_are_eight_in_order(self):
        assert [each.number for each in ERRATA] == list(range(1, 9))

    def test_carry_what_was_computed(self):
        claims = (Claim("a", None, "seen .348", erratum=6),)
        listed = {each.number: said for each, said in words.errata([result(claims=claims)])}
        assert listed[6] == ["seen .348"]
        assert listed[8] == ["Not computed here: stakes reproduce dyrland2022"]


class TestGrids:
    def test_one_table_when_every_place_is_its_own(self):
        cells = [
            Cell("a / x", 1, 1, reading="r"),
            Cell("a / y", 1, 1, reading="s"),
            Cell("b", 1, 1),
        ]
        assert words.grids(cells) == [("", cells[:2])]

    def test_one_table_per_reading_when_two_share_a_place(self):
        cells = [Cell("a / x", 1, 1, reading="r"), Cell("a / x", 1, 1, reading="s")]
        assert words.grids(cells) == [("r", cells[:1]), ("s", cells[1:])]

    def test_a_list_makes_no_table(self):
        assert words.grids([Cell("a", 1, 1)]) == []
