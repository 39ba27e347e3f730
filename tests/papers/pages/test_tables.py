from __future__ import annotations

from stakes.papers import Cell, Claim, Outcome
from stakes.papers.pages.html_pages import _claims_list, _number_tables


class TestGrid:
    def test_only_what_the_paper_prints_stands_upright(self):
        cells = (
            Cell("row / a", 0.25, 0.25, 0.005, note="a note"),
            Cell("row / b", 0.75, 0.75, 0.005, source="independent"),
            Cell("row / c", None, 0.5, 0.005, source="independent"),
        )
        page = _number_tables(Outcome(cells))
        assert page.count("<i>") == 1
        assert 'class="agrees" title="an independent run"><i>0.75</i>' in page
        assert 'class="agrees" title="a note">0.25' in page
        assert "in italics what the paper does not print" in page

    def test_without_other_sources_nothing_is_said_of_them(self):
        page = _number_tables(Outcome((Cell("row / a", 0.25, 0.25, 0.005),)))
        assert "italics" not in page
        assert "published by" not in page

    def test_each_line_says_who_published_the_number(self):
        page = _number_tables(Outcome((Cell("x", 1, 1.0), Cell("y", 0, 0.0, source="equality"))))
        assert "published by" in page
        assert "an equality" in page


def test_an_erratum_is_linked_and_an_ordinary_claim_is_not():
    listed = _claims_list([Claim("one", False, "because", erratum=3), Claim("two", True, "so")])
    assert listed.count('<a href="index.html#errata">Erratum 3</a>') == 1
    assert listed.count("<a ") == 1
