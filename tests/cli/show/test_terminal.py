from __future__ import annotations

import io

import pytest

from stakes.cli.show import terminal as output
from stakes.messages.audience import marked, shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_shown_leaves_ordinary_text_alone():
    assert shown("naïve 猫 'yes'\n2") == "naïve 猫 'yes'\n2"


def test_what_could_steer_the_terminal_is_one_mark_each():
    assert shown("\x1b[2J\x07\u202e\x7f\x9b") == "␛[2J␇�␡�"
    assert marked("a\nb\tc") == "a␤b␉c"


def test_a_line_break_in_a_name_is_a_mark_in_a_sentence():
    assert output.wrapped("deploy gbm\n2 now") == ["deploy gbm␤2 now"]


def test_a_table_takes_the_terminal_and_text_does_not(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert (output.table_width(), output.page_width()) == (200, 80)


def test_wide_characters_count_double():
    assert output.display_width("猫a") == 3
    assert output.display_width("e\u0301") == 1


def test_lines_never_break_inside_a_number(monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    lines = output.wrapped("it saves about 1 234 567 of it, or 62 % of all")
    assert any("1 234 567" in line for line in lines)
    assert any("62 %" in line for line in lines)
    assert all(len(line) <= 24 for line in lines)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [({}, "\033[1mx\033[0m"), ({"NO_COLOR": "1"}, "x"), ({"TERM": "dumb"}, "x")],
)
def test_bold_only_where_it_is_wanted(monkeypatch, variables, expected):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", Terminal())
    assert output.bold("x") == expected


def test_no_decoration_in_a_file(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert (output.bold("x"), output.dim("x")) == ("x", "x")


def test_page_is_at_most_80_wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert output.page_width() == 80


def test_aligned_lines_are_kept_until_they_are_too_wide(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    output.print_aligned("  truth a,   decision b  -> 4")
    output.print_aligned("  truth a long name,   decision another long name  ->  4 123 456")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "  truth a,   decision b  -> 4"
    assert lines[1] == "  truth a long name, decision another"
    assert lines[2] == "      long name -> 4 123 456"
