"""The command that re-calibrates can be typed as it is printed, and asks the same question."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest
from csv_text import as_csv

from stakes.cli.show.terminal import continued

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="a shell reads the line")
N = 400
QUICK = ("--kind", "affine")  # the choice among calibrators takes longest
COST = ("--cost", "fn=3", "fp=1")


def columns(seed=3):
    """Scores that are too low and too sure, so that calibrating them is worth it."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) % 2
    odds = 3 * rng.normal(1.2 * (2 * y - 1), 1.5) - 5
    p = np.round(1 / (1 + np.exp(-odds)), 6).clip(1e-6, 1 - 1e-6)
    return {
        "y": y,
        "p": p,
        "back": np.round(1 - p, 6),
        "my model": p,
        "-p": p,
        "a/b": p,
        "odds": np.round(odds, 4),
        "tiny": np.round(0.5 + odds / 100, 6),
        "noise": np.round(rng.random(N), 4),
        "noise odds": np.round(rng.normal(size=N), 4),
        "w": 1 + np.arange(N) % 3,
        "who": np.arange(N) // 2,
        "amount": 1 + np.arange(N) % 7,
        "region": np.where(np.arange(N) % 4 < 2, "n", "s"),
    }


@pytest.fixture
def table(write):
    return write("t.csv", as_csv(columns()))


def told(ran):
    """The words of the printed command, as a shell takes them."""
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("  stakes calibrate"))
    last = first
    while lines[last].endswith("\\"):
        last += 1
    text = "\n".join(lines[first : last + 1])
    read = subprocess.run(["sh", "-c", f"printf '%s\\0' {text}"], capture_output=True, check=True)
    return read.stdout.decode().split("\0")[1:-1]


def of(words, option):
    return words[words.index(option) + 1]


@pytest.mark.parametrize(
    "words",
    [
        ("--scores", "p", *COST, "--prevalence", "20%"),
        ("--scores", "p", *COST, "--priors", "0=.8,1=.2"),
        ("--scores", "p", *COST, "--prevalence", "10%..30%"),
        ("--scores", "p", "--cost", "fn=2..4", "fp=1"),
        ("--scores", "p", "--cost", "fn=3*1", "fp=1"),
        ("--scores", "p", "--miss", "3", "--false-alarm", "1"),
        ("--scores", "p", "--gain", "tp=3", "fp=-1"),
        ("--scores", "p", *COST, "--weight", "w", "--unit", "EUR", "--volume", "1000/yr"),
        ("--scores", "p", *COST, "--groups", "who", "--by", "region"),
        ("--scores", "p", *COST, "--missing", "drop"),
        ("--scores", "p", *COST, "--missing", "naive"),
        ("--scores", "p", *COST, "--prevalence", ".2", "--posteriors-already-adjusted"),
        ("--scores", "p,noise", *COST),
        ("--scores", "noise odds,odds", "--scores-are", "log_odds", *COST),
        ("--scores", "noise,tiny", "--scores-are", "log_odds", "--narrow", *COST),
        ("--scores", "noise,back", "--flip", " back", *COST),
        ("--scores", "my model", *COST),
        ("--scores=-p", *COST),
        ("--scores", "a/b", *COST),
        ("--scores", "back", "--positive", "0", "--cost", "fn=1", "fp=3"),
    ],
)
def test_it_can_be_typed(run, table, words, tmp_path):
    typed = told(run("eval", table, "--label", "y", *words))
    ran = run(*typed, *QUICK)
    assert ran.code == 0, ran.err
    assert (tmp_path / of(typed, "-o")).is_file()


def test_the_shares_of_the_place_are_repeated(run, table, tmp_path):
    words = ("--label", "y", "--scores", "p", *COST, "--prevalence", "20%")
    typed = told(run("eval", table, *words))
    assert of(typed, "--prevalence") == "20%"
    run(*typed, *QUICK)
    saved = json.loads((tmp_path / "p_cal.json").read_text())
    assert saved["priors"] == pytest.approx([0.8, 0.2])


def test_names_with_spaces_are_not_broken_over_lines(run, write):
    values = columns()
    values = {"the  truth of it": values["y"], "what the model says of it": values["p"]}
    name = write("a file  with spaces in its name, it's long.csv", as_csv(values))
    ran = run("eval", name, "--label", "the  truth of it", *COST, "--scores",
              "what the model says of it")  # fmt: skip
    typed = told(ran)
    assert typed[1] == name
    assert of(typed, "--label") == "the  truth of it"
    assert of(typed, "--model") == "what the model says of it"
    assert run(*typed, *QUICK).code == 0


def test_no_line_that_could_not_be_typed(run, write):
    values = columns()
    name = write("t.csv", as_csv({"y": values["y"], '"p\tq"': values["p"]}))
    ran = run("eval", name, "--label", "y", "--scores", "p\tq", *COST)
    assert ran.code == 0, ran.err
    assert "stakes calibrate" not in ran.out


def test_costs_from_a_file(run, table, write):
    write(
        "c.toml",
        'unit = "EUR"\noutcomes = ["0", "1"]\n'
        'decisions = ["0", "1", "ask"]\n[cost.0]\n1 = 1\nask = 0.9\n[cost.1]\n0 = 3\nask = 0.9\n',
    )
    typed = told(run("eval", table, "--label", "y", "--scores", "p", "--costs", "c.toml"))
    assert of(typed, "--costs") == "c.toml"
    ran = run(*typed, *QUICK)
    assert ran.code == 0, ran.err
    assert "decision ask" in ran.out


def test_ranges_from_a_file_in_their_middle(run, table, write):
    write("c.toml", "fn = [2, 8]\nfp = 1\n")
    typed = told(run("eval", table, "--label", "y", "--scores", "p", "--costs", "c.toml"))
    assert "fn=4" in typed  # sqrt(2 * 8)
    assert run(*typed, *QUICK).code == 0


def test_a_preset_is_its_first_point(run, write):
    values = columns()
    kinds = np.array(["nontarget", "target"])[values["y"]]
    rows = zip(kinds, values["odds"] + 15, strict=True)
    name = write("s.txt", "".join(f"spk{k} utt{k} {t} {s}\n" for k, (t, s) in enumerate(rows)))
    typed = told(run("eval", name, "--preset", "sre08"))
    assert of(typed, "--scores-are") == "llr"
    assert float(of(typed, "--prevalence")) == 0.01
    ran = run(*typed, *QUICK)
    assert ran.code == 0, ran.err


def test_one_model_of_the_long_form(run, write):
    values = columns()
    rows = [f"{k},{m},{values['y'][k]},{values[m][k]}" for m in ("p", "noise") for k in range(N)]
    name = write("long.csv", "\n".join(["id,model,y,score", *rows]) + "\n")
    typed = told(run("eval", name, "--label", "y", "--scores", "score", *COST))
    assert of(typed, "--model") == "p.score"
    ran = run(*typed, *QUICK)
    assert ran.code == 0, ran.err
    refused = run("eval", name, "--label", "y", "--scores", "score,scor", *COST)
    assert refused.code == 2
    assert "'scor'" in refused.err


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        (("p_0", "p_1"), ("--proba", "p_*"), "p_*"),
        (("p_0", "p_1"), (), "p_0,p_1"),
        (("a.p_0", "a.p_1", "b.p_0", "b.p_1"), ("--proba", "*.p_*"), "a.p_*"),
        (("a.p_0", "a.p_1", "b.p_0", "b.p_1"), ("--proba", "p_*"), "a.p_*"),
        (("a.p_0", "a.p_1", "b.p_0", "b.p_1"), (), "a.p_0,a.p_1"),
    ],
)  # fmt: skip
def test_a_column_for_each_outcome(run, write, names, given, expected):
    values = columns()
    sides = [values["back"], values["p"], 1 - values["noise"], values["noise"]]
    table = {"y": values["y"], **dict(zip(names, sides, strict=False))}
    typed = told(run("eval", write("t.csv", as_csv(table)), *given, *COST))
    assert of(typed, "--proba") == expected
    ran = run(*typed, *QUICK)
    assert ran.code == 0, ran.err


def test_the_truth_in_a_file_of_its_own(run, tmp_path):
    values = columns()
    np.save(tmp_path / "y.npy", values["y"])
    np.savez(tmp_path / "s.npz", p=values["p"])
    typed = told(run("eval", "s.npz", "--label", "y.npy", "--scores", "p", *COST))
    assert run(*typed, *QUICK).code == 0


def test_no_line_where_calibrate_cannot_read_the_cases(run, write):
    values = columns()
    ids = np.arange(N)
    write("t.csv", as_csv({"id": ids, "y": values["y"]}))
    write("s.csv", as_csv({"id": ids, "p": values["p"]}))
    words = ("--label", "y", "--scores", "p", "--more", "s.csv", "--join-on", "id", *COST)
    ran = run("eval", "t.csv", *words)
    assert ran.code == 0, ran.err
    assert "e-calibrating" in ran.out
    assert "stakes calibrate" not in ran.out


def test_quoted_words_stay_whole():
    command = "stakes " + " ".join(["--model 'a b  c d'"] * 12)
    assert " ".join(line.rstrip("\\").strip() for line in continued(command)) == command
