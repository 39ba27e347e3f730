"""What was asked can be kept, read again, and changed."""

from __future__ import annotations

import dataclasses
import json
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stakes
from stakes.exceptions import DataError, FormatError
from stakes.inquiry import Inquiry
from stakes.inquiry.inquiry import from_options

ASKED = Inquiry(
    source="churn.csv",
    label="churned",
    positive="yes",
    scores=["gbm_p", "logreg_p"],
    cost={"fn": 40, "fp": 4},
    unit="EUR",
)


def test_lists_and_mappings_are_said_as_on_the_command_line():
    assert ASKED.scores == "gbm_p,logreg_p"
    assert ASKED.cost == ("fn=40", "fp=4")
    assert from_options({"cost": ["fn=40"], "false_alarm": "4"}).cost == ("fn=40", "fp=4")


def test_it_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ASKED.label = "other"
    assert ASKED.but(label="other").label == "other"


def test_only_what_was_said_is_kept(tmp_path):
    text = ASKED.to_toml()
    assert tomllib.loads(text) == {
        "source": "churn.csv",
        "label": "churned",
        "positive": "yes",
        "scores": "gbm_p,logreg_p",
        "cost": ["fn=40", "fp=4"],
        "unit": "EUR",
    }
    file = tmp_path / "q.toml"
    file.write_text(text, encoding="utf-8")
    assert Inquiry.load(file) == ASKED


words = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=8)


@given(label=words, positive=words, prevalence=words, narrow=st.booleans())
def test_whatever_was_said_is_read_as_it_was(tmp_path_factory, label, positive, prevalence, narrow):
    asked = Inquiry(label=label, positive=positive, prevalence=prevalence, narrow=narrow)
    file = tmp_path_factory.mktemp("q") / "q.toml"
    file.write_text(asked.to_toml(), encoding="utf-8")
    assert Inquiry.load(file) == asked


def test_what_is_said_now_takes_the_place_of_what_was_kept():
    now = Inquiry(costs="costs.toml", decisions="a").after(ASKED)
    assert (now.cost, now.costs) == ((), "costs.toml")
    assert (now.scores, now.decisions) == (None, "a")
    assert now.label == "churned"


def test_words_that_nobody_knows_are_refused(tmp_path):
    file = tmp_path / "q.toml"
    file.write_text('labels = "y"\n')
    with pytest.raises(FormatError, match="asks for 'labels', which I do not know"):
        Inquiry.load(file)
    file.write_text("label = y\n")
    with pytest.raises(FormatError, match=r"q\.toml: Invalid value"):
        Inquiry.load(file)
    with pytest.raises(DataError, match="scores are posterior"):
        Inquiry(scores_are="percent")


def test_a_report_without_an_inquiry_says_so(tmp_path):
    file = tmp_path / "report.json"
    file.write_text("{}")
    with pytest.raises(FormatError, match="holds no inquiry"):
        Inquiry.load(file)
    page = tmp_path / "report.html"
    page.write_text("<p>nothing</p>")
    with pytest.raises(FormatError, match="holds no inquiry"):
        Inquiry.load(page)


def test_what_was_made_in_python_has_no_name_to_keep():
    app = stakes.Application([[0, 1], [10, 0]])
    with pytest.raises(DataError, match="`costs` was made in Python"):
        ASKED.but(cost=(), costs=app).to_toml()


# ------------------------------------------------------------- asked again


def churn(folder, rows=400):
    """Two models of unequal worth; the first is over-confident."""
    rng = np.random.default_rng(3)
    y = rng.random(rows) < 0.2
    odds = rng.normal(2 * y - 2.4, 1.2)
    sharp, blunt = 1 / (1 + np.exp(-2 * odds)), np.clip(0.2 + 0.1 * rng.normal(y - 0.5), 0.01, 0.9)
    lines = [
        f"{'yes' if t else 'no'},{a:.6f},{b:.6f}" for t, a, b in zip(y, sharp, blunt, strict=True)
    ]
    file = folder / "churn.csv"
    file.write_text("\n".join(["churned,sharp,blunt", *lines]) + "\n")
    return file


def test_the_answer_is_what_the_command_line_prints(tmp_path, run):
    file = churn(tmp_path)
    asked = Inquiry(
        source=str(file),
        label="churned",
        positive="yes",
        scores=["sharp", "blunt"],
        cost={"fn": 10, "fp": 1},
    )
    ev = stakes.inquiry.answer(asked)
    printed = run(
        "eval", str(file), "--label", "churned", "--positive", "yes", "--scores", "sharp,blunt",
        "--cost", "fn=10", "fp=1", "--json",
    )  # fmt: skip
    record = json.loads(printed.out)
    assert record["models"] == ev.record()["models"]
    assert record["verdict"] == ev.record()["verdict"]
    assert record["inquiry"] == {
        "source": str(file),
        "label": "churned",
        "positive": "yes",
        "scores": "sharp,blunt",
        "cost": ["fn=10", "fp=1"],
    }


@pytest.mark.parametrize("form", ["q.toml", "report.json", "report.html"])
def test_a_report_is_asked_again(tmp_path, run, form):
    file = churn(tmp_path)
    words = ["eval", str(file), "--label", "churned", "--positive", "yes", "--scores", "sharp"]
    words += ["--cost", "fn=10", "fp=1"]
    first = json.loads(run(*words, "--json").out)
    kept = tmp_path / form
    if form == "q.toml":
        kept.write_text(Inquiry.of(first["inquiry"]).to_toml())
    elif form == "report.json":
        kept.write_text(json.dumps(first))
    else:
        assert run(*words, "--html", str(kept)).code == 0
    again = json.loads(run("eval", "--inquiry", str(kept), "--json").out)
    assert again["models"] == first["models"]
    other = json.loads(run("eval", "--inquiry", str(kept), "--cost", "fn=2", "fp=1", "--json").out)
    assert other["application"]["costs"] == [[0, 1], [2, 0]]


def test_a_source_is_judged_as_the_command_line_judges_it(tmp_path):
    file = churn(tmp_path)
    costs = stakes.CostMatrix.binary(false_negative=10, false_positive=1, classes=["no", "yes"])
    rows = stakes.sources.read(str(file))
    ev = stakes.evaluate_frame(
        rows, label="churned", posteriors={"gbm": "sharp"}, application=costs, positive="yes"
    )
    asked = Inquiry(
        source=str(file), label="churned", positive="yes", scores="sharp", cost={"fn": 10, "fp": 1}
    )
    other = stakes.inquiry.answer(asked)
    assert list(ev) == ["gbm"]
    assert ev["gbm"].nec == other["sharp"].nec
    assert ev["gbm"].recalibrated_nec == other["sharp"].recalibrated_nec is not None


def test_rows_of_a_source_are_judged_by_slice_too(tmp_path):
    file = tmp_path / "day.csv"
    rows = ["y,p,region", *(f"{k % 2},{0.2 + 0.6 * (k % 2)},{'ns'[k // 30]}" for k in range(60))]
    file.write_text("\n".join(rows) + "\n")
    costs = stakes.CostMatrix([[0, 1], [10, 0]], classes=["0", "1"])
    ev = stakes.evaluate_frame(
        stakes.sources.read(str(file)), label="y", posteriors="p", application=costs, by="region"
    )
    assert {str(name): float(part["p"].confusion.total) for name, part in ev.slices.items()} == {
        "n": 30.0, "s": 30.0,
    }  # fmt: skip


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_level_and_seed_are_asked_alike_from_every_side(tmp_path, capsys, engine):
    if engine:
        pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    from stakes.cli.entry import main

    file = str(churn(tmp_path))
    costs = stakes.CostMatrix.binary(false_negative=10, false_positive=1, classes=["no", "yes"])

    def judged(**more):
        rows = stakes.sources.read(file, engine=engine)
        asked = {"label": "churned", "posteriors": ["sharp", "blunt"], "application": costs}
        return stakes.evaluate_frame(rows, **asked, **more)

    usual, wide = judged(), judged(level=0.5, rng=3)
    low, high = wide["sharp"].interval
    assert usual["sharp"].interval[0] < low < high < usual["sharp"].interval[1]
    assert (wide.inquiry.level, wide.inquiry.seed) == (0.5, 3)
    words = ["eval", file, "--label", "churned", "--positive", "yes", "--scores", "sharp,blunt"]
    words += ["--cost", "fn=10", "fp=1", "--level", "0.5", "--seed", "3", "--json"]
    assert main([*words, *(["--engine", engine] if engine else [])]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["inquiry"]["level"], record["inquiry"]["seed"]) == (0.5, 3)
    printed = next(model for model in record["models"] if model["name"] == "sharp")
    assert printed["interval"] == pytest.approx([low, high])


def test_arrays_are_asked_about_too():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    costs = stakes.CostMatrix([[0, 1], [10, 0]])
    ev = stakes.evaluate(y, {"p": rng.random(300)}, application=costs, level=0.9, rng=3)
    assert ev.inquiry.costs == ev.application
    assert ev.record()["inquiry"] == {"level": 0.9, "seed": 3}
    with pytest.raises(DataError, match="`level` must lie between 0 and 1"):
        Inquiry(level=1.0)


def test_far_rows_are_counted_where_they_lie(tmp_path):
    pytest.importorskip("duckdb", reason="pip install 'stakes[duckdb]'")
    file = churn(tmp_path)
    costs = stakes.CostMatrix.binary(false_negative=10, false_positive=1, classes=["no", "yes"])
    near, far = (
        stakes.evaluate_frame(
            stakes.sources.read(str(file), engine=engine), label="churned",
            posteriors=["sharp", "blunt"], application=costs,
        )
        for engine in (None, "duckdb")
    )  # fmt: skip
    for name in ("sharp", "blunt"):
        assert near[name].cost == pytest.approx(far[name].cost, rel=1e-12)
        one, other = near[name].recalibrated_nec, far[name].recalibrated_nec
        assert other == pytest.approx(one, abs=0.06)  # other folds
    assert far.absent == near.absent == {}
    with pytest.raises(DataError, match="are called after their columns"):
        stakes.evaluate_frame(
            stakes.sources.read(str(file), engine="duckdb"), label="churned",
            posteriors={"gbm": "sharp"}, application=costs,
        )  # fmt: skip


def test_a_file_of_costs_is_no_inquiry(tmp_path):
    file = tmp_path / "costs.toml"
    file.write_text("[costs]\nmiss = 10\nfalse_alarm = 1\n", encoding="utf-8")
    with pytest.raises(
        FormatError, match=r"holds a table \[costs\], as files of costs do"
    ) as found:
        Inquiry.load(file)
    assert "costs = 'costs.toml'" in str(found.value)
