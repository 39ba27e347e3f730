from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.cli.show.fixed_width import Column, fitted, print_columns
from stakes.cli.show.terminal import display_width
from stakes.messages.audience import marked

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
    assert fitted(COLUMNS, 36)[1] == ["saves/yr"]
    assert fitted(COLUMNS, 24)[1] == ["saves/yr", "act when"]


def test_labels_are_wrapped_and_never_cut():
    text, left_out = fitted(COLUMNS, 43)  # 17 + 5 + 9 + 9 and 3 gaps of 2 are 46: 3 too many
    assert left_out == []
    assert "gradient        0.350" in text
    assert "\n  boosting\n" in text  # not to be read as a row


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a_model_name_of_2025-03-01", ["a_model_name_", "of_", "2025-03-01"]),
        ("from 0.0117 to 0.9142 or so", ["from 0.0117 to", "0.9142 or so"]),
        ("x" * 30, ["x" * 14, "x" * 12, "x" * 4]),
        ("mo\ndel", ["mo␤del"]),
    ],
)
def test_where_a_label_is_broken(name, lines):
    text = fitted([Column("m", [name], label=True), Column("n", ["1" * 20])], 36)[0]
    assert [line.strip().split("  ")[0] for line in text.splitlines()[2:]] == lines


def test_columns_that_leave_are_always_named(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "36")
    print_columns(*COLUMNS)
    assert "(column left out for width:\nsaves/yr;" in capsys.readouterr().out


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
    for name in names:  # all of it is there, in its order
        left = "".join(line[: _label_width(text)] for line in text.splitlines()[2:])
        assert "".join(marked(name).split()) in "".join(left.split())


def _label_width(text):
    """Columns of the first column, by the line under the titles."""
    return len(text.splitlines()[1].split("  ")[0])
