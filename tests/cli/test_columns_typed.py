"""`--columns` of `stakes rule` and `stakes decide` mean the same columns."""

from __future__ import annotations

import shlex

import pytest

from stakes import Application, CostMatrix, DecisionRule

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"], decisions=["wait", "call"])
FEW = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 1, 0]], classes=["a", "b", "c"])


@pytest.fixture
def rule(tmp_path):
    def rule(costs=COSTS, **more):
        DecisionRule(Application(costs), **more).save(tmp_path / "rule.json")
        return str(tmp_path / "rule.json")

    return rule


@pytest.mark.parametrize("columns", ['"my p, 1"', ' "my p, 1" ', "my p, 1"])
def test_one_column_with_a_comma(run, write, rule, tmp_path, columns):
    new = write("new.csv", '"my p, 1",1,my p\n0.5,0.9,0.1\n')
    out = ["-o", str(tmp_path / "out.csv")]
    assert run("decide", new, "--rule", rule(), "--columns", columns, *out).code == 0
    known = rule(columns="my p, 1")  # and so no doubt
    sql = run("rule", known, "--sql", "duckdb", "--columns", columns).out
    assert '"my p, 1"' in sql
    assert '"my p"' not in sql


def test_what_may_be_one_column_or_two(run, rule):
    saved = rule(columns="p")
    ran = run("rule", saved, "--sql", "duckdb", "--columns", "my p, 1")
    assert ran.code == 2
    assert "'my p, 1' may be the name of one column, or of 2." in ran.err
    found = []
    for line in ran.err.splitlines()[1:]:
        words = shlex.split(line.partition(":")[2])
        found.append(run("rule", saved, "--sql", "duckdb", *words).out)
    assert '"my p, 1"' in found[0]
    assert '"my p"' in found[1]
    assert '"my p, 1"' not in found[1]


def test_lists_without_doubt(run, rule):
    for columns in ("p_no,p_yes", '"p_no","p_yes"'):
        ran = run("rule", rule(columns="p"), "--sql", "duckdb", "--columns", columns)
        assert ran.code == 0, ran.err
        assert "p_no" in ran.out
    pair = rule(columns=["p_no", "p_yes"])
    assert run("rule", pair, "--sql", "duckdb", "--columns", "p_no, p_yes").code == 0
    three = rule(FEW, columns=["a", "b", "c"])
    assert run("rule", three, "--sql", "duckdb", "--columns", "x, y, z").code == 0
