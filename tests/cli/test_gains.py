"""Gains instead of costs: `--gain tp=40 fp=-4`, and `--gain` that turns the sign of costs."""

from __future__ import annotations

import pytest

ROWS = "y,p\n" + "".join(f"{int(k % 4 == 0)},{0.7 if k % 4 == 0 else 0.02 * (k % 30)}\n"
                         for k in range(200))  # fmt: skip


@pytest.fixture
def judged(run, write):
    """Run `eval` on two hundred cases, a quarter of them positive."""
    write("d.csv", ROWS)
    return lambda *words: run("eval", "d.csv", "--label", "y", "--scores", "p", *words, "--json")


def test_gains_are_negative_costs_and_what_is_left_out_is_zero(judged):
    found = judged("--gain", "tp=40", "fp=-4").found
    assert found["application"]["costs"] == [[0, 4], [0, -40]]
    same = judged("--cost", "fn=0", "fp=4", "tp=-40").found
    assert found["models"] == same["models"]


def test_alone_it_turns_the_sign_of_the_costs(judged):
    found = judged("--cost", "tp=40", "fp=-4", "fn=0", "--gain").found
    assert found["application"]["costs"] == [[0, 4], [0, -40]]


def test_the_file_may_stand_after_them(run, write):
    write("d.csv", ROWS)
    words = ("--label", "y", "--scores", "p", "--gain", "tp=40", "fp=-4", "d.csv", "--quiet")
    assert run("eval", *words).code == 0


def test_a_range_of_gains(judged):
    found = judged("--gain", "tp=30..50", "fp=-4").found
    assert [place["costs"][1][1] for place in found["doubt"]["places"]] == [-30, -50]
    assert found["doubt"]["words"] == "gain tp 30-50"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--gain", "tp=40"), "no gain is given for the outcome that should be left alone"),
        (("--gain", "fp=-4"), "no gain is given for the outcome that should be acted on"),
        (("--gain", "tp=40", "fp=-4", "--cost", "fn=1", "fp=1"), "given twice"),
        (("--gain", "tp=40", "tp=41", "fp=-4"), "a gain is given twice"),
    ],
)
def test_problems(judged, words, message):
    done = judged(*words)
    assert done.code == 2
    assert message in done.err
    assert "--gain tp=40 fp=-4" in done.err
