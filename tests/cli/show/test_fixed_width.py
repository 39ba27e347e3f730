from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stakes.cli.show.fixed_width import Column, fitted
from stakes.cli.show.terminal import display_width

COLUMNS = [
    Column("model", ["gradient boosting", "b"], label=True),
    Column("NEC", ["0.350", "0.486"]),
    Column("act when", ["p > 0.091", "p > 0.5"], drop=2, right=False),
    Column("saves/yr", ["509 k EUR", "403 k EUR"], drop=4),
]


def test_a_wide_page_shows_everything():
    text, left_out = fitted(COLUMNS, 80)
    assert left_out == []
    assert text.splitlines()[0].split() == ["model", "NEC", "act", "when", "saves/yr"]
    assert text.splitlines()[2].startswith("gradient boosting  0.350  p > 0.091  509 k EUR")


def test_columns_leave_from_the_right_and_are_named():
    assert fitted(COLUMNS, 30)[1] == ["saves/yr"]
    assert fitted(COLUMNS, 20)[1] == ["saves/yr", "act when"]


def test_labels_are_cut_and_say_so():
    text, left_out = fitted(COLUMNS, 40)  # 17 + 5 + 9 + 9 and 3 gaps of 2 are 46: 6 too many
    assert left_out == []
    assert "gradient b~  0.350" in text


def test_the_widest_label_gives_way_first():
    columns = [
        Column("a", ["short"], label=True),
        Column("b", ["a very long label indeed"], label=True),
    ]
    assert "short" in fitted(columns, 20)[0]


@given(width=st.integers(20, 100), names=st.lists(st.text(max_size=30), min_size=2, max_size=2))
def test_numbers_are_never_cut(width, names):
    columns = [Column("model", names, label=True), *COLUMNS[1:]]
    text, left_out = fitted(columns, width)
    assert "0.350" in text
    assert "0.486" in text
    if "saves/yr" not in left_out:
        assert "509 k EUR" in text
    assert all(display_width(line) <= width for line in text.splitlines())
