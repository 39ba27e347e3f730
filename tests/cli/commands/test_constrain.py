"""`stakes constrain`: the same rules as in Python, and what is refused."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from stakes.resources import constrained_slices

ASKED = [
    *("cases.csv", "--label", "bad", "--positive", "yes", "--scores", "p", "--by", "age"),
    *("--cost", "fn=10", "fp=1"),
]


def _cases(seed, n=300):
    rng = np.random.default_rng(seed)
    by = np.where(rng.random(n) < 0.4, "old", "young")
    y = rng.random(n) < np.where(by == "old", 0.15, 0.4)
    p = (1 / (1 + np.exp(-rng.normal(2.0 * y - 1.5)))).round(4)
    return np.where(y, "yes", "no"), p, by


def _text(y, p, by):
    rows = zip(y, p, by, np.where(p > 0.5, "yes", "no"), strict=True)
    return "bad,p,age,said\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)


@pytest.fixture
def files(write):
    write("cases.csv", _text(*_cases(1)))
    write("new.csv", _text(*_cases(2)))


def _found(**limit):
    y, p, by = _cases(1)
    return constrained_slices(y, p, by=by, costs={"fn": 10, "fp": 1}, positive="yes", **limit)


def test_json_is_what_python_finds(run, files):
    got = json.loads(run("constrain", *ASKED, "--ratio", "0.8", "--test", "new.csv", "--json").out)
    found = _found(ratio=0.8)
    assert (got["cost"], got["free_cost"]) == pytest.approx((found.cost, found.free_cost))
    assert [each["rule"] for each in got["slices"]] == [rule.text for rule in found.rules]
    y, p, by = _cases(2)
    assert got["test"]["cost"] == pytest.approx(found.apply(y, p, by=by).average_cost)
    free = found.apply(y, p, by=by, free=True)
    assert got["test"]["free_cost"] == pytest.approx(free.average_cost)


def test_text_and_csv_say_the_same(run, files):
    limit = ["--constraint", "true_positive,false_positive", "--difference", "0.02"]
    found = _found(constraint=("true_positive", "false_positive"), difference=0.02)
    out = run("constrain", *ASKED, *limit).out
    assert found.text.split()[:6] == out.split()[:6]
    rows = list(csv.DictReader(io.StringIO(run("constrain", *ASKED, *limit, "--csv").out)))
    assert [row["slice"] for row in rows] == ["old", "young"]
    assert [float(row["cost"]) for row in rows] == pytest.approx(found.rates.cost.tolist())


def test_new_cases_are_printed_beside(run, files):
    out = run("constrain", *ASKED, "--ratio", "1", "--test", "new.csv").out
    assert "On the other cases, within the limit:" in out
    assert out.count("young") == 3  # two tables and the rule


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "the limit is a ratio or a difference; got neither"),
        (("--ratio", "2"), "--ratio must lie between 0 and 1"),
        (("--ratio", "0.8", "--constraint", "precision"), "--constraint must be among"),
        (("--ratio", "0.8", "--prevalence", "2%"), "keeps the shares of the classes"),
        (("--ratio", "0.8", "--min-cases", "200"), "slices need 200 cases"),
        (("--ratio", "0.8", "--by", "p"), "slices need 10 cases"),
        (("--ratio", "0.8", "--by", "p", "--min-cases", "1"), "slices need 1 case of"),
        (("--ratio", "0.8", "--cost", "tp=0.1*p"), "same in all cases"),
    ],
)
def test_refusals(run, files, more, said):
    ran = run("constrain", *ASKED, *more)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())


def test_slices_scores_and_files_must_be_named(run, files):
    assert "which column holds the slices" in run("constrain", *ASKED[:7], *ASKED[9:]).err
    decided = [*ASKED[:5], "--decisions", "said", *ASKED[7:], "--ratio", "1"]
    assert "one model with scores" in run("constrain", *decided).err
    far = ["*.csv", *ASKED[1:], "--ratio", "1"]
    assert "reads files into memory by name" in run("constrain", *far).err
