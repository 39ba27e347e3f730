"""What a command lacks is said in order, with the whole command that a file makes likely."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest

from stakes import ConfusionMatrix, Inquiry
from stakes.exceptions import CostError, DataError
from stakes.inquiry.answers import answer

N = 120


def fraud(rng):
    truth = np.where(rng.random(N) < 0.3, "Fraud", "Legit")
    scores = np.clip(rng.normal(np.where(truth == "Fraud", 0.7, 0.3), 0.2), 0.01, 0.99)
    rows = (
        f"T{k},{t},{s:.4f},{s / 2:.4f}" for k, (t, s) in enumerate(zip(truth, scores, strict=True))
    )
    return "txn,Class,score_rf,score_lr\n" + "\n".join(rows) + "\n"


def classes(rng, head):
    truth = rng.integers(3, size=N)
    raw = np.exp(rng.normal(size=(N, 3)) + 2 * np.eye(3)[truth])
    shares = raw / raw.sum(axis=1, keepdims=True)
    rows = (
        f"{'abc'[t]}," + ",".join(f"{p:.9f}" for p in row)
        for t, row in zip(truth, shares, strict=True)
    )
    return f"{head}\n" + "\n".join(rows) + "\n"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def proposed(ran):
    """The words of the first command that an error or an inspection proposes."""
    lines = [line.partition("stakes eval ")[2] for line in (ran.err + ran.out).splitlines()]
    return ["eval", *shlex.split(next(filter(None, lines)))]


class TestWhatIsMissing:
    STEPS = (
        ([], "I cannot tell which column holds the truth"),
        (["--label", "Class"], "I cannot tell which columns hold the models"),
        (["--label", "Class", "--scores", "score_rf"], "I need to know what the decisions cost"),
    )

    @pytest.mark.parametrize(("words", "said"), STEPS)
    def test_in_order_with_a_command_that_runs(self, run, write, rng, words, said):
        ran = run("eval", write("f.csv", fraud(rng)), *words)
        assert (ran.code, said in ran.err) == (2, True)
        command = proposed(ran)
        assert command[: 2 + len(words)] == ["eval", "f.csv", *words]  # what was typed, and more
        assert run(*command).code == 0
        ask = next(line for line in ran.err.splitlines() if "stakes ask" in line)
        assert run(*shlex.split(ask)[1:], "--no-questions", "--miss-is-worth", "10").code == 0

    def test_the_file_is_first(self, run):
        assert run("eval").err.startswith("error: there is no file to read.")

    def test_other_options_are_kept(self, run, write, rng):
        ran = run("eval", write("f.csv", fraud(rng)), "--html", "page one.html", "--unit", "EUR")
        assert proposed(ran)[2:6] == ["--html", "page one.html", "--unit", "EUR"]

    def test_an_outcome_that_does_not_occur(self, run, write, rng):
        words = ("--label", "Class", "--scores", "score_rf", "--cost", "fn=10", "fp=1")
        ran = run("eval", write("f.csv", fraud(rng)), "--positive", "1", *words)
        assert proposed(ran) == ["eval", "f.csv", "--positive", "Fraud", *words]

    def test_several_outcomes_lead_to_a_file_of_costs(self, run, write, rng):
        ran = run("eval", write("m.csv", classes(rng, "kind,p_a,p_b,p_c")), "--label", "kind")
        assert proposed(ran)[-2:] == ["--cost", "error=1"]
        template = next(line for line in ran.err.splitlines() if "--template" in line)
        assert run(*shlex.split(template)[1:]).code == 0
        found = run("eval", "m.csv", "--label", "kind", "--proba", "p_*", "--costs", "costs.toml")
        assert found.code == 0

    @pytest.mark.parametrize("command", ["ask", "calibrate", "audit f1"])
    def test_other_commands_propose_themselves(self, run, write, rng, command):
        ran = run(*command.split(), write("f.csv", fraud(rng)))
        assert f"  Say:  stakes {command} f.csv --label Class --positive Fraud --scores" in ran.err

    def test_one_model_is_calibrated(self, run, write, rng):
        ran = run("calibrate", write("f.csv", fraud(rng)))
        command = ran.err.splitlines()[1].removeprefix("  Say:  stakes ")
        assert run(*shlex.split(command)).code == 0

    def test_counts(self, run, tmp_path):
        ConfusionMatrix([[90, 10], [3, 20]], ["Legit", "Fraud"]).save(tmp_path / "day.json")
        ran = run("eval", "day.json")
        assert "stakes ask" not in ran.err
        assert proposed(ran) == [
            "eval",
            "day.json",
            "--positive",
            "Fraud",
            "--cost",
            "fn=10",
            "fp=1",
        ]
        assert run(*proposed(ran)).code == 0

    def test_far(self, run, write, rng):
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
        write("f.csv", fraud(rng))
        ran = run("eval", "f*.csv", "--label", "Class")
        assert run(*proposed(ran)).code == 0

    def test_python_gets_the_words_that_are_missing(self, tmp_path, rng):
        source = str(tmp_path / "f.csv")
        (tmp_path / "f.csv").write_text(fraud(rng))
        with pytest.raises(DataError) as caught:
            answer(Inquiry(source=source, cost={"fn": 10, "fp": 1}))
        assert caught.value.hint == (
            "Say:  --label Class --positive Fraud --scores score_rf,score_lr"
        )
        with pytest.raises(CostError) as caught:
            answer(Inquiry(source=source, label="Class", scores="score_rf"))
        assert caught.value.hint.startswith("Say:  --positive Fraud\ntwo outcomes:")


def logits(rng):
    truth = rng.integers(2, size=N)
    rows = (
        f"{k},{t},{s:.3f}"
        for k, (t, s) in enumerate(zip(truth, rng.normal(2.0 * truth - 1), strict=True))
    )
    return "id,y,m1\n" + "\n".join(rows) + "\n"


def points(rng):
    truth = rng.integers(2, size=N)
    score = rng.normal(600 - 50 * truth, 30)
    return "good,points\n" + "".join(
        f"{'yn'[t]},{s:.1f}\n" for t, s in zip(truth, score, strict=True)
    )


def decisions(rng):
    truth = rng.integers(3, size=N)
    other = np.where(rng.random(N) < 0.7, truth, rng.integers(3, size=N))
    rows = (
        f"{'ns'[k % 2]},{'abc'[t]},{'abc'[d]}"
        for k, (t, d) in enumerate(zip(truth, other, strict=True))
    )
    return "hemisphere,outcome,model\n" + "\n".join(rows) + "\n"


def one_column_each(rng):
    truth = rng.integers(2, size=N)
    rows = (f"{t},{0.3 + 0.4 * t:.2f},{rng.random():.4f}" for t in truth)
    return "bought,prob_rf,prob_xgb\n" + "\n".join(rows) + "\n"


class TestInspectProposesWhatRuns:
    FILES = {
        "fraud": fraud,
        "class columns": lambda rng: classes(rng, "kind,p_a,p_b,p_c"),
        "several models": lambda rng: classes(rng, "kind,m.p_a,m.p_b,m.p_c"),
        "columns called like outcomes": lambda rng: classes(rng, "kind,a,b,c"),
        "tidymodels": lambda rng: classes(rng, "kind,.pred_a,.pred_b,.pred_c"),
        "log-odds": logits,
        "points": points,
        "decisions beside another column": decisions,
        "probabilities that look like classes": one_column_each,
        "table of three": lambda _: "truth,a,b,c\na,90,5,5\nb,9,80,2\nc,1,2,70\n",
    }

    @pytest.mark.parametrize("name", FILES)
    def test_of_this_file(self, run, write, rng, name):
        ran = run("inspect", write("t.csv", self.FILES[name](rng)))
        assert ran.code == 0
        done = run(*proposed(ran))
        assert done.code == 0, done.err

    def test_of_rows_in_json(self, run, write, rng):
        rows = [line.split(",") for line in fraud(rng).splitlines()[1:]]
        lines = (json.dumps({"Class": t, "p": float(s)}) for _, t, s, _ in rows)
        ran = run("inspect", write("t.jsonl", "\n".join(lines)))
        assert run(*proposed(ran)).code == 0

    def test_of_three_outcomes_in_counts(self, run, tmp_path):
        ConfusionMatrix(np.eye(3, dtype=int) * 20 + 1, ["a", "b", "c"]).save(tmp_path / "d.json")
        assert run(*proposed(run("inspect", "d.json"))).code == 0

    def test_what_was_assumed_is_said(self, run, write, rng):
        said = run("inspect", write("t.csv", logits(rng))).out
        assert "(m1 taken as log-odds; if they are not: --scores-are llr)" in said
