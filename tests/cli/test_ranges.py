"""Ranges of costs and shares: judged in the middle, with a word about the ends."""

from __future__ import annotations

import pytest

DAY = "truth,bold,shy\n" + "".join(
    f"{t},{b},{s}\n" * n
    for t, b, s, n in [
        ("no", "no", "no", 65), ("no", "yes", "no", 25), ("no", "yes", "yes", 5),
        ("no", "no", "yes", 5), ("yes", "yes", "yes", 6), ("yes", "yes", "no", 3),
        ("yes", "no", "no", 1),
    ]
)  # fmt: skip
BASE = ("eval", "day.csv", "--label", "truth", "--positive", "yes", "--decisions", "bold,shy")


@pytest.fixture
def judged(run, write):
    """Run `eval` on a day of two models: 30 alarms and 1 miss, 10 alarms and 4 misses."""
    write("day.csv", DAY)
    return lambda *words: run(*BASE, *words)


def test_a_range_of_costs_where_the_choice_switches(judged):
    """Bold costs 30 + c, shy 10 + 4 c: they are equal at c = 20 / 3."""
    done = judged("--cost", "fn=2..18", "fp=1")
    out = " ".join(done.out.split())
    assert done.code == 0
    assert "judged in the middle of 2..18" in out
    assert "depends on where the truth lies: at 2 shy is best" in out
    assert "at 18 bold is best" in out
    at_six = judged("--cost", "fn=6", "fp=1", "--json").found
    assert judged("--cost", "fn=2..18", "fp=1", "--json").found["models"] == at_six["models"]


def test_a_range_where_the_choice_holds(judged):
    out = " ".join(judged("--miss", "10..20", "--false-alarm", "1").out.split())
    assert "bold is best at all ends of the range" in out


def test_a_range_of_shares(judged):
    """With a miss at 10: bold .3 (1 - p) + p, shy .1 (1 - p) + 4 p; equal at p = .0625."""
    out = " ".join(judged("--cost", "fn=10", "fp=1", "--prevalence", "2%..30%").out.split())
    assert "at 2 % shy is best" in out
    assert "at 30 % bold is best" in out


def test_two_ranges_have_four_ends(judged):
    out = judged("--cost", "fn=2..18", "fp=1..2").out
    assert out.count("is best (NEC") == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cost", "fn=20..5", "fp=1"), "'20..5' is not a range"),
        (("--cost", "fn=1..2", "fp=1..2", "tp=1..2", "tn=1..2"), "at most 3 ranges"),
    ],
)
def test_problems(judged, words, message):
    done = judged(*words)
    assert done.code == 2
    assert message in done.err


def test_standard_input_can_be_read_once(run):
    done = run("eval", "-", "--label", "y", "--scores", "p", "--cost", "fn=1..2", "fp=1")
    assert done.code == 2
    assert "not standard input" in done.err


class TestFiles:
    def test_a_range_in_a_file_of_costs(self, judged, write):
        write("costs.toml", 'outcomes = ["no", "yes"]\nfn = [2, 18]\nfp = 1\n')
        out = " ".join(judged_with(judged).out.split())
        assert "judged in the middle of 'yes' decided 'no' 2 to 18" in out
        assert "at 'yes' decided 'no' 2 shy is best" in out
        assert "at 'yes' decided 'no' 18 bold is best" in out

    def test_elicited_costs_are_checked_at_both_ends(self, judged, write):
        kept = "[elicitation]\nmiss = [2.0, 18.0]\n"
        write("costs.toml", f'outcomes = ["no", "yes"]\nfn = 6\nfp = 1\n{kept}')
        out = " ".join(judged_with(judged).out.split())
        assert "2 to 18 false alarms a miss, by the answers in the file" in out
        assert "at 18 false alarms a miss bold is best" in out

    def test_with_a_range_of_shares_too(self, judged, write):
        write("costs.toml", 'outcomes = ["no", "yes"]\nfn = [2, 18]\nfp = 1\n')
        out = judged_with(judged, "--prevalence", "2%..30%").out
        assert out.count("is best (NEC") == 4

    def test_certain_costs_say_nothing_about_ranges(self, judged, write):
        write("costs.toml", 'outcomes = ["no", "yes"]\nfn = 6\nfp = 1\n')
        assert "in the middle" not in judged_with(judged).out

    def test_broken_files_are_explained_as_before(self, judged, write):
        write("costs.toml", "fn = [\n")
        done = judged_with(judged)
        assert done.code == 2
        assert "not valid TOML" in done.err


def judged_with(judged, *words):
    """The same day with the costs of the file."""
    return judged("--costs", "costs.toml", *words)
