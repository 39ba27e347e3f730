from __future__ import annotations

import pytest

from stakes.report.markup import Html, element, joined, table, text


def test_text_is_escaped_and_markup_is_not():
    assert text("<b> & \"c\" 'd'") == "&lt;b&gt; &amp; &quot;c&quot; &#x27;d&#x27;"
    assert text(Html("<b>")) == "<b>"


@pytest.mark.parametrize("shown", ["20 000", "7.8 %", "509 k"])
def test_gaps_inside_numbers_do_not_break(shown):
    assert text(shown) == shown.replace(" ", "\u00a0")


def test_gaps_between_words_do():
    assert text("model 2 costs 3 or 4") == "model 2 costs 3 or 4"


def test_attributes_are_escaped_and_empty_ones_left_out():
    made = element("td", "x", class_='a"b', aria_label="", scope="row")
    assert made == '<td class="a&quot;b" scope="row">x</td>'


def test_joined_leaves_nothing_behind_for_nothing():
    assert joined("a", "", "<") == "a\n&lt;"


def test_table_escapes_headings():
    assert "<i>" not in table("<i>", ["<i>"], [("", [element("td", "<i>")])])
