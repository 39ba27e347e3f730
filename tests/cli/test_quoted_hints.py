"""What hints say to type can be typed: names with spaces stand in quotes."""

from __future__ import annotations

import shlex

import pytest

COST = ("--cost", "fn=10", "fp=1")


@pytest.fixture
def table(write):
    lines = [
        f"{('paid', 'did not pay')[k % 3 == 1]},0.{k % 9 + 1},0.{k % 7 + 1}" for k in range(40)
    ]
    return write("t.csv", "\n".join(["was paid,model a,model b", *lines]) + "\n")


def typed(ran):
    """The words of the last line of a message, as a shell takes them."""
    return shlex.split(ran.err.splitlines()[-1].removeprefix("  Say: "))


def test_the_outcome_to_act_on(run, table):
    words = ("eval", table, "--label", "was paid", "--scores", "model a", *COST)
    ran = run(*words)
    assert typed(ran) == ["stakes", *words, "--positive", "did not pay"]
    assert run(*typed(ran)[1:]).code == 0
    ran = run(*words, "--positive", "did not Pay")
    assert typed(ran) == ["--positive", "did not pay"]


def test_the_model_to_calibrate(run, table):
    words = ("calibrate", table, "--label", "was paid", "--positive", "paid", "--scores")
    ran = run(*words, "model a,model b")
    assert typed(ran) == ["--model", "model a"]


def test_outcomes_that_are_spelt_otherwise(run, write):
    lines = [f"{('no', 'yes', 'Yes')[k % 3]},0.{k % 9 + 1}" for k in range(40)]
    name = write("t.csv", "\n".join(["y,p", *lines]) + "\n")
    for command in ("calibrate", "eval"):
        cost = ("--cost", "error=1") if command == "eval" else ()
        ran = run(command, name, "--label", "y", "--positive", "yes", "--scores", "p", *cost)
        assert "'Yes' and 'yes' may be one outcome: spell it alike in every row" in ran.err


def test_a_column_to_turn(run, table):
    words = ("eval", table, "--label", "was paid", "--positive", "paid", *COST)
    ran = run(*words, "--scores", "model a", "--flip", "model x")
    assert typed(ran) == ["--flip", "model a"]


def test_a_name_with_a_comma_is_one_name(run, write):
    lines = [f"{k % 2},0.{k % 9 + 1}" for k in range(40)]
    name = write("t.csv", "\n".join(['y,"p, new"', *lines]) + "\n")
    ran = run("eval", name, "--label", "y", "--scores", "p, new", *COST, "--json")
    assert ran.code == 0, ran.err
    assert [model["name"] for model in ran.found["models"]] == ["p, new"]


@pytest.mark.parametrize(
    ("cell", "number"),
    [("0,325", "0.325"), (",5", "0.5"), ("-1,25", "-1.25"), ("1,234", "1234"), ("32,5%", "0.325"),
     ("0,12345", "0.12345"), ("1,234,567", "1234567")],
)  # fmt: skip
def test_a_number_with_a_comma(run, write, cell, number):
    name = write("t.csv", f'y,p\n0,"{cell}"\n1,0.5\n')
    ran = run("eval", name, "--label", "y", "--scores", "p", *COST)
    assert ran.code == 2
    assert ran.err.splitlines()[-1] == f"  write {cell} as {number}"


@pytest.mark.parametrize("command", [("ask", "--no-questions"), ("calibrate", "--kind", "affine")])
@pytest.mark.parametrize("missing", ["naive", "abstain"])
def test_gaps_that_cannot_be_filled(run, write, command, missing):
    rows = [f"{k % 2},{'' if k % 7 == 0 else 0.2 + k % 2 / 2}" for k in range(70)]
    words = (*command, write("g.csv", "\n".join(["y,p", *rows]) + "\n"), "--scores", "p")
    ran = run(*words, "--missing", missing)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"error: 10 rows of p are empty. --missing {missing} decides them, and what the model "
        "itself says is needed.\n  To leave them out: --missing drop\n"
    )
    assert run(*words, "--missing", "drop").code == 0
