"""`stakes cascade`: the same numbers as from Python, and what is missing is asked for."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from stakes.cli.entry import main
from stakes.demonstration import example_path
from stakes.resources import evaluate_cascade

CALL = ["cascade", str(example_path("churn.csv")), "--label", "churned", "--positive", "yes",
        "--scores", "rules_p,gbm_p", "--cost", "fn=40", "fp=4"]  # fmt: skip


def test_says_what_python_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "--prices", "0,0.5", "--unit", "EUR", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    with example_path("churn.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    truth = [int(row["churned"] == "yes") for row in rows]
    stages = {name: [float(row[name]) for row in rows] for name in ("rules_p", "gbm_p")}
    found = evaluate_cascade(
        truth, stages, prices={"rules_p": 0, "gbm_p": 0.5}, costs={"fn": 40, "fp": 4}
    )
    assert [row["cost"] for row in record["rows"]] == pytest.approx(found.frame()["cost"].tolist())
    assert record["asked"] == pytest.approx(dict(found.asked))


def test_text_and_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, "--prices", "0,0.5"]) == 0
    assert "confidence thresholds" in capsys.readouterr().out
    assert main([*CALL, "--prices", "0,0.5", "--csv"]) == 0
    ends = "cost,cost_low,cost_high,cascade_saves,cascade_saves_low,cascade_saves_high"
    assert capsys.readouterr().out.startswith(f"way,{ends}\n")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "what does asking rules_p and gbm_p cost?"),
        (["--prices", "0"], "--prices has 1 number, and there are 2 stages"),
        (["--prices", "0,much"], "--prices takes numbers"),
        (["--prices", "0,nan"], "the price of stage 'gbm_p' must be finite and not negative"),
        (["--prices", "0,1", "--cost", "tp=1..2"], "'1..2' is a range; here a cost must be known"),
        (["--prices", "0,1", "--prevalence", "2%"], "at the class mix of the file"),
    ],
)
def test_asks_for_what_is_missing(
    capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    assert main([*CALL, *more]) == 2
    assert said in capsys.readouterr().err


def test_prices_of_each_case_are_arithmetic_over_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = ["cascade", str(example_path("loans.csv")), "--label", "default", "--scores",
            "bureau_p,bank_p", "--cost", "fn=0.75*amount", "fp=0.02*amount+150"]  # fmt: skip
    assert main([*call, "--prices", "0,0.01*amount", "--json"]) == 0
    costs = {row["way"]: row["cost"] for row in json.loads(capsys.readouterr().out)["rows"]}
    with example_path("loans.csv").open(newline="") as file:
        mean = sum(0.01 * float(row["amount"]) for row in csv.DictReader(file)) / 3000
    assert main([*call, "--prices", "0,0", "--json"]) == 0
    free = {row["way"]: row["cost"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert costs["bank_p"] == pytest.approx(free["bank_p"] + mean)
    assert costs["bureau_p"] == pytest.approx(free["bureau_p"])
    assert main([*call, "--prices", "0,0.01*amount"]) == 0
    assert "bank_p 0.01*amount" in capsys.readouterr().out


def test_rows_without_all_answers_are_not_left_out_silently(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = example_path("churn.csv").read_text().splitlines()
    at = lines[0].split(",").index("gbm_p")
    for k in (5, 9):
        row = lines[k].split(",")
        lines[k] = ",".join([*row[:at], "", *row[at + 1 :]])
    file = tmp_path / "log.csv"
    file.write_text("\n".join(lines))
    call = [CALL[0], str(file), *CALL[2:], "--prices", "0,0.5"]
    for more in ([], ["--missing", "naive"]):
        assert main([*call, *more]) == 2
        said = capsys.readouterr().err
        assert "2 rows of gbm_p" in said
        assert "--missing drop" in said
    assert main([*call, "--missing", "drop"]) == 0
    assert "4 998 rows" in capsys.readouterr().err
