"""When to act, said for costs of every sign."""

from __future__ import annotations

import pytest

ROWS = "".join(f"{'yes' if k % 3 == 0 else 'no'},0.{(7 * k) % 10}5\n" for k in range(60))
ASK = """
outcomes = ["no", "yes"]
decisions = ["no", "yes", "ask"]
cost.no = { yes = 9, ask = 1 }
cost.yes = { no = 9, yes = 2, ask = 1 }
"""


@pytest.mark.parametrize(
    ("costs", "rule"),
    [
        (("fn=3", "fp=1"), "p > 0.25"),
        (("fn=0", "fp=0", "tp=3", "tn=1"), "p < 0.25"),  # it is right to err: act below
    ],
)
def test_the_side_on_which_to_act(run, write, costs, rule):
    name = write("t.csv", f"y,p\n{ROWS}")
    ran = run("eval", name, "--label", "y", "--positive", "yes", "--scores", "p", "--cost", *costs)
    assert ran.code == 0
    assert rule in ran.out


def test_a_cut_that_is_not_about_acting_names_both_decisions(run, write):
    name, costs = write("t.csv", f"y,p\n{ROWS}"), write("c.toml", ASK)
    ran = run("eval", name, "--label", "y", "--positive", "yes", "--scores", "p", "--costs", costs)
    assert ran.code == 0
    assert "p > " not in ran.out
    assert "decide 'no', above that 'ask'" in " ".join(ran.out.split())


def test_several_cuts_are_told_for_columns_of_every_outcome_too(run, write):
    rows = "".join(f"{y},{round(1 - float(p), 2)},{p}\n" for y, p in _pairs())
    name, costs = write("t.csv", f"y,p_no,p_yes\n{rows}"), write("c.toml", ASK)
    told = ("--label", "y", "--proba", "p_*", "--costs", costs)
    ran = run("eval", name, *told)
    assert ran.code == 0, ran.err
    assert "see notes" in ran.out
    assert "decide 'no', above that 'ask'" in " ".join(ran.out.split())


def _pairs():
    return [line.split(",") for line in ROWS.splitlines()]


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")])
@pytest.mark.parametrize("command", ["eval", "calibrate"])
def test_errors_that_are_paid_are_refused(run, write, command, engine):
    if command == "calibrate" and engine:
        pytest.skip("calibrations are learnt in memory")
    if engine:
        pytest.importorskip("duckdb")
    words = ("--label", "y", "--positive", "yes", "--scores", "p", "--cost", "fn=-3", "fp=1")
    ran = run(command, write("t.csv", f"y,p\n{ROWS}"), *words, *engine)
    assert ran.code == 2
    assert "truth 'yes', decision 'no' costs -3" in ran.err
    assert "--gain in place of --cost" in ran.err
