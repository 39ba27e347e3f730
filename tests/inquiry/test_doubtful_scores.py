"""Probabilities that are said to be logarithms: refused wherever rows are read."""

from __future__ import annotations

import numpy as np
import pytest
from csv_text import as_csv

COST = ("--cost", "fn=10", "fp=1")
N = 60


def columns(seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(N) % 2
    odds = np.round(rng.normal(2 * y - 1, 1.5), 3)
    p = np.round(1 / (1 + np.exp(-odds)), 3)
    day = [f"2026-01-{k % 3 + 1:02d}" for k in range(N)]
    return {"y": y, "odds": odds, "p": p, "p_0": 1 - p, "p_1": p, "w": np.ones(N), "day": day}


@pytest.fixture
def table(write):
    return write("t.csv", as_csv(columns()))


def test_one_of_several_is_named_in_what_to_type(run, table):
    words = ("eval", "t.csv", "--label", "y", "--positive", "1", *COST)
    ran = run(*words, "--scores", "odds,p", "--scores-are", "log_odds")
    assert ran.code == 2
    assert "--scores p --scores-are posterior" in ran.err
    assert run(*words, "--scores", "p", "--scores-are", "posterior").code == 0


@pytest.mark.parametrize(
    ("kind", "called"), [("log_odds", "log-odds"), ("llr", "log-likelihood ratios")]
)
@pytest.mark.parametrize(
    "command",
    [
        ("eval", "t.csv", "--scores"),
        ("calibrate", "t.csv", "--kind", "affine", "--scores"),
        ("monitor", "t.csv", "--time", "day", "--scores"),
    ],
)  # fmt: skip
def test_a_column(run, table, command, kind, called):
    words = (*command, "p", "--label", "y", "--positive", "1", *COST, "--scores-are", kind)
    ran = run(*words)
    p = columns()["p"]
    assert (ran.code, ran.out) == (2, "")
    assert [" ".join(line.split()) for line in ran.err.splitlines()] == [
        f"error: the scores of 'p' must be {called}; all 60 lie in [0, 1], from {p.min():.3g} to "
        f"{p.max():.3g}, like probabilities.",
        "If they are probabilities: --scores-are posterior",
        "If only the order means something: --scores-are rank",
        f"If they are {called} all the same: --narrow",
    ]
    assert run(*words, "--narrow").code == 0
    assert run(*words[:-1], "posterior").code == 0
    assert run(*command, "odds", *words[-9:]).code == 0


@pytest.mark.parametrize("command", ["eval", "calibrate"])
@pytest.mark.parametrize("kind", ["log_odds", "llr"])
def test_a_column_for_each_outcome(run, table, command, kind):
    words = (command, table, "--label", "y", "--positive", "1", *COST, "--proba", "p_*")
    ran = run(*words, "--scores-are", kind)
    assert (ran.code, ran.out) == (2, "")
    assert "the scores of 'model' must be logarithms" in ran.err
    assert "all 60 rows lie in [0, 1] and add to 1, so they are probabilities." in ran.err
    assert ran.err.splitlines()[-1] == "  If they are probabilities:  --scores-are posterior"


def test_an_array(run, tmp_path):
    given = columns()
    np.savez(tmp_path / "t.npz", y=given["y"], m=np.column_stack([given["p_0"], given["p_1"]]))
    ran = run("eval", "t.npz", "--label", "y", "--scores", "m", "--scores-are", "log_odds", *COST)
    assert ran.code == 2
    assert "the scores of 'm' must be logarithms" in ran.err


def test_turned_columns_are_looked_at_as_they_stand(run, table):
    words = ("--label", "y", "--positive", "0", "--scores-are", "log_odds", "--flip", "p", *COST)
    ran = run("eval", table, "--scores", "p", *words)
    assert ran.code == 2
    assert "like probabilities" in ran.err


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb"), ("--engine", "polars")])
def test_only_rows_that_count_are_looked_at(run, write, engine):
    if engine:
        pytest.importorskip(engine[1], reason="one of the engines")
    given = columns()
    given["p"][5], given["w"][5] = -3.5, 0
    words = ("eval", write("t.csv", as_csv(given)), "--label", "y", "--scores", "p", *COST,
             "--scores-are", "log_odds", *engine)  # fmt: skip
    assert run(*words).code == 0
    ran = run(*words, "--weight", "w")
    assert ran.code == 2
    assert "all 59 lie in [0, 1]" in ran.err


def test_what_a_list_of_trials_is_taken_for_is_asked_too(run, write):
    """Nobody said that these are log-likelihood ratios."""
    given = columns()
    rows = zip(given["y"], given["p"], strict=True)
    lines = [f"spk{k} utt{k} {['nontarget', 'target'][y]} {p}" for k, (y, p) in enumerate(rows)]
    ran = run("eval", write("scores.txt", "\n".join(lines) + "\n"), *COST)
    assert ran.code == 2
    assert "must be log-likelihood ratios; all 60 lie in [0, 1]" in ran.err


@pytest.mark.parametrize("words", [
    ("--scores", "p"), ("--scores", "p", "--scores-are", "rank"),
    ("--proba", "p_*", "--scores-are", "log_odds"),
])  # fmt: skip
@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")])
def test_narrow_where_nothing_is(run, table, words, engine):
    if engine:
        pytest.importorskip("duckdb", reason="one of the engines")
    ran = run("eval", table, "--label", "y", *words, "--narrow", *COST, *engine)
    assert ran.code == 2
    assert "--scores-are rank needs" in ran.err or "--narrow does nothing here" in ran.err


class TestFar:
    @pytest.fixture(params=["duckdb", "polars"])
    def engine(self, request):
        pytest.importorskip(request.param, reason="one of the engines")
        return ("--engine", request.param)

    @pytest.mark.parametrize("models", [("--scores", "p"), ("--proba", "p_*")])
    @pytest.mark.parametrize("kind", ["log_odds", "llr"])
    def test_says_the_same_as_rows_in_memory(self, run, table, engine, models, kind):
        words = ("eval", table, "--label", "y", *models, "--scores-are", kind, *COST)
        near, far = run(*words), run(*words, *engine)
        assert (far.code, far.out) == (2, "")
        assert far.err.splitlines()[0] == near.err.splitlines()[0]
        assert "--scores-are rank" not in far.err

    def test_narrow(self, run, table, engine):
        words = ("eval", table, "--label", "y", "--scores", "p", "--scores-are", "log_odds", *COST)
        near, far = (run(*words, "--narrow", "--json", *more) for more in ((), engine))
        assert far.found["models"][0]["cost"] == pytest.approx(near.found["models"][0]["cost"])

    @pytest.mark.parametrize("models", [("--scores", "p"), ("--proba", "p_*")])
    def test_the_first_rows_are_not_taken_for_all(self, run, write, engine, models, monkeypatch):
        monkeypatch.setattr("stakes.inquiry.far_truth.PREVIEW_ROWS", 40)
        given = columns()
        words = (
            "eval",
            "t.csv",
            "--label",
            "y",
            *models,
            "--scores-are",
            "log_odds",
            *COST,
            *engine,
        )
        write("t.csv", as_csv(given))
        ran = run(*words)
        assert ran.code == 2
        assert ", 40 rows of them, must be log" in ran.err
        given["p"][-1] = given["p_1"][-1] = 4.5
        write("t.csv", as_csv(given))
        assert run(*words).code == 0


def test_the_verdict_that_asks_for_calibration_says_how(run, write):
    values = columns()
    values["narrow"] = np.round(0.5 + values["odds"] / 20, 4)
    values["noise"] = np.round(np.random.default_rng(7).random(N), 4)
    write("n.csv", as_csv(values))
    ran = run("eval", "n.csv", "--label", "y", "--positive", "1", "--cost", "fn=3", "fp=1",
              "--scores", "noise,narrow", "--scores-are", "log_odds", "--narrow")  # fmt: skip
    assert "Deploy narrow after re-calibrating." in ran.out
    joined = ran.out.replace("\\\n", " ").splitlines()
    [line] = [each for each in joined if each.strip().startswith("stakes calibrate")]
    words = line.split()[1:]
    assert words[words.index("--model") + 1] == "narrow"
    assert run(*words).code == 0


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")])
class TestDecisionsAmongProbabilities:
    ROWS = "y,d\n" + "yes,1.0\nno,0.0\nno,1.0\n" * 20

    def test_are_refused_unless_somebody_says_what_they_are(self, run, write, engine):
        if engine:
            pytest.importorskip("duckdb")
        words = ("eval", write("t.csv", self.ROWS), "--label", "y", "--positive", "yes", *engine)
        costs = ("--cost", "fn=3", "fp=1")
        ran = run(*words, "--scores", "d", *costs)
        assert ran.code == 2
        assert "every probability of 'd' is exactly 0 or 1" in ran.err
        assert "--decisions d" in ran.err
        assert "--scores-are posterior" in ran.err
        assert run(*words, "--scores", "d", "--scores-are", "posterior", *costs).code == 0
