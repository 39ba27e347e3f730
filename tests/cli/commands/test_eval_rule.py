"""`stakes eval --rule` writes the rule of the verdict, in the terms of the file."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import stakes
from stakes import Inquiry
from stakes.calibration import Affine
from stakes.exceptions import DataError
from stakes.inquiry.answers import answer
from stakes.posteriors import Posteriors


def table(n=600, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    s = rng.normal(np.where(y, 2.0, 0.0), 1.0)
    odds = 2 * s - 2 + np.log(3 / 7)
    return y, odds


def written(write, name="day.csv", scores=None, **more):
    y, odds = table()
    p = 1 / (1 + np.exp(-odds)) if scores is None else scores
    names = ["y", "p", *more]
    rows = zip(np.where(y, "yes", "no"), p.tolist(), *more.values(), strict=True)
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    return write(name, "\n".join(lines) + "\n"), y, p


ASKED = ["--label", "y", "--positive", "yes", "--scores", "p"]
COST = ["--cost", "fn=10", "fp=1", "--unit", "EUR"]


def test_the_rule_of_the_verdict(run, write, tmp_path):
    file, _, p = written(write)
    ran = run(
        "eval", str(file), *ASKED, *COST, "--prevalence", "5%", "--rule", str(tmp_path / "r.json")
    )
    assert ran.code == 0, ran.err
    rule = stakes.load_rule(tmp_path / "r.json")
    assert f"rule of p ({rule}): {tmp_path / 'r.json'}" in ran.out
    assert (rule.model, rule.columns, rule.application.unit) == ("p", ("p",), "EUR")
    assert rule.decisions == ("no", "yes")
    assert rule.priors.tolist() == [0.95, 0.05]
    assert rule.score_range == (p.min(), p.max())
    assert rule.digest == hashlib.sha256(Path(file).read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", ["log_odds", "llr"])
def test_logarithms_are_calibrated_as_they_stand(run, write, tmp_path, kind):
    y, odds = table()
    shift = np.log(y.mean() / (1 - y.mean())) if kind == "llr" else 0.0
    file, y, scores = written(write, scores=3 * odds - shift)
    how = [
        "--scores-are",
        kind,
        "--rule-of",
        "p",
        "--recalibrated",
        "--rule",
        str(tmp_path / "r.json"),
    ]
    assert run("eval", str(file), *ASKED, *COST, *how).code == 0
    rule = stakes.load_rule(tmp_path / "r.json")
    said = Posteriors.from_logits(scores + shift)
    fitted = Affine(bound="data").fit(said, y.astype(int))
    assert (rule.scores, rule.score_range) == (kind, (scores.min(), scores.max()))
    assert rule.calibrator.scale == pytest.approx(fitted.scale)
    assert (rule.positions(scores) == (fitted.posteriors(said)[:, 1] > 1 / 11)).all()


def test_costs_per_case_stay_formulas(run, write, tmp_path):
    amount = np.arange(600) % 50 + 1.0
    file, _, p = written(write, amount=amount.tolist())
    cost = ["--cost", "fn=0.75*amount", "fp=5"]
    ran = run("eval", str(file), *ASKED, *cost, "--rule", str(tmp_path / "r.json"))
    assert ran.code == 0, ran.err
    rule = stakes.load_rule(tmp_path / "r.json")
    assert rule.case_costs == (("0", "5"), ("0.75*amount", "0"))
    costs = stakes.application.case_costs({"amount": amount}, {"fn": "0.75*amount", "fp": 5})
    assert (rule.positions(p, costs=costs) == (0.75 * amount * p > 5 * (1 - p))).all()


def test_an_engine_learns_the_calibration_from_bins(run, write, tmp_path):
    pytest.importorskip("duckdb", reason="an engine")
    y, odds = table()
    file, y, p = written(write, scores=1 / (1 + np.exp(-3 * odds)))
    how = [
        "--engine",
        "duckdb",
        "--rule-of",
        "p",
        "--recalibrated",
        "--rule",
        str(tmp_path / "r.json"),
    ]
    ran = run("eval", str(file), *ASKED, *COST, *how)
    assert ran.code == 0, ran.err
    rule = stakes.load_rule(tmp_path / "r.json")
    fitted = Affine(bound="data").fit(Posteriors(p), y.astype(int))
    assert (rule.columns, rule.digest) == (("p",), None)
    assert rule.calibrator.scale == pytest.approx(fitted.scale, rel=0.02)


def test_an_engine_is_followed_by_the_command_that_recalibrates(run, write, tmp_path, monkeypatch):
    """It is typed as printed, for files and for saved counts."""
    pytest.importorskip("duckdb", reason="an engine")
    _, odds = table()
    file, _, _ = written(write, scores=1 / (1 + np.exp(-3 * odds)))
    monkeypatch.chdir(tmp_path)
    far = run("eval", str(file), *ASKED, *COST, "--engine", "duckdb", "--save", "day.json")
    for ran in (far, run("eval", "day.json", *COST)):
        command = re.search(r"^ +stakes (eval .*?rule\.json)$", ran.out, re.M | re.S)
        typed = shlex.split(command[1].replace("\\\n", " "))
        assert run(*typed).code == 0
        assert stakes.load_rule("p_rule.json").calibrator is not None
        (tmp_path / "p_rule.json").unlink()


def test_what_cannot_be_a_rule_is_refused(run, write, tmp_path):
    _, odds = table()
    file, _, _ = written(write, scores=1 / (1 + np.exp(odds)))
    out = tmp_path / "r.json"
    ran = run("eval", str(file), *ASKED, *COST, "--flip", "p", "--rule", str(out))
    assert "no column of the file holds" in ran.err
    assert not out.exists()
    asked = {"label": "y", "positive": "yes", "scores": "p", "cost": {"fn": 10, "fp": 1}}
    turned = Inquiry(source=str(file), flip="p", **asked)
    pd = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
    with pytest.raises(DataError, match="turned the scores of 'p' around"):
        answer(turned).decide(pd.read_csv(file))
    ran = run("eval", str(file), *ASKED, *COST, "--recalibrated")
    assert "--rule rule.json" in ran.err
    useless, _, _ = written(write, "u.csv", scores=np.random.default_rng(0).random(600))
    ran = run("eval", str(useless), *ASKED, *COST, "--rule", str(out))
    assert "--rule-of p" in ran.err


def test_a_rule_within_limits_is_not_recalibrated(run, write, tmp_path):
    file, _, _ = written(write)
    rule, out = str(tmp_path / "q.json"), str(tmp_path / "out.csv")
    asked = ["eval", str(file), *ASKED, *COST, "--rule", rule, "--recalibrated"]
    ran = run(*asked, "--rule-of", "p", "--capacity", "yes=10%")
    assert ran.code != 0
    assert "'p' was judged within limits, and a rule within limits is not re-calibrated" in ran.err
    assert "leave out --capacity, and give it to  stakes decide ... --capacity" in ran.err
    assert run(*asked, "--rule-of", "p").code == 0  # as the hint says
    ran = run("decide", str(file), "--rule", rule, "--capacity", "yes=10%", "-o", out)
    assert ran.code == 0, ran.err
    taken = [line.split(",")[2] for line in Path(out).read_text().splitlines()[1:]]
    assert 0 < taken.count("yes") <= 60  # of 600


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
@pytest.mark.parametrize("kind", ["log_odds", "llr", "posterior"])
def test_what_is_printed_of_a_cut_on_the_file_decides_every_row_alike(
    run, write, tmp_path, kind, engine
):
    if engine:
        pytest.importorskip("duckdb", reason="an engine")
    rng = np.random.default_rng(5)
    odds = rng.uniform(-3.9, 3.9, 3000).round(4)
    p = 1 / (1 + np.exp(-odds))
    y = rng.random(3000) < p
    said = {"log_odds": odds, "llr": (odds - np.log(y.mean() / (1 - y.mean()))).round(5)}
    said["posterior"] = p.round(5)
    rows = zip(np.where(y, "yes", "no"), said[kind], rng.integers(1, 300, 3000), strict=True)
    file = write("a.csv", "y,p,amount\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    out = tmp_path / "r.json"
    asked = [str(file), *ASKED, "--scores-are", kind, "--cost", "fn=amount", "fp=50", *engine]
    ran = run("eval", *asked, "--json", "--rule", str(out), "--rule-of", "p, average costs")
    assert ran.code == 0, ran.err
    for model in json.loads(ran.out)["models"][:3]:
        if model["threshold"] is not None:
            acts = sum(said[kind] > float(model["rule"].partition("> ")[2]))
            assert acts == np.sum(model["counts"], axis=0)[1]
    rule = stakes.load_rule(out)
    assert rule.scores == kind
    assert rule.score_range is None or rule.score_range == (said[kind].min(), said[kind].max())
