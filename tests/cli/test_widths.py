"""Tables of every command on terminals of several widths: no name and no period is cut."""

from __future__ import annotations

import csv
from datetime import date, timedelta

import numpy as np
import pytest

LONG = "a very long name of a model with (several) words in it version 2"
SNAKE = "another_quite_long_name_of_a_model_2025-03-01"
BROKEN = "mo\ndel\tthree"
REGION = "North Rhine-Westphalia and the rest of the country"
TWO = ("--label", "y", "--positive", "yes", "--cost", "fn=10", "fp=1")


@pytest.fixture
def files(tmp_path):
    """Cases of two and of four outcomes, with long names everywhere."""
    rng = np.random.default_rng(0)
    first = date(2025, 3, 3)
    with (tmp_path / "two.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["y", LONG, SNAKE, BROKEN, "region", "day"])
        for k in range(600):
            p = 1 / (1 + np.exp(1.5 - rng.normal(1.5 * (k % 4 == 0), 1, 3)))
            place = (REGION, "a\nb", "c")[k % 3]
            day = first + timedelta(days=k // 10)
            out.writerow(["yes" if k % 4 == 0 else "no", *p.round(4).tolist(), place, day])
    outcomes = ["cat", "a dog of some size and unknown breed", "fox\n2", "rabbit"]
    with (tmp_path / "four.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["y", *(f"p_{name}" for name in outcomes)])
        for k in range(400):
            p = rng.dirichlet(np.ones(4) + 3 * np.eye(4)[k % 4])
            out.writerow([outcomes[k % 4], *p.tolist()])
    return tmp_path


COMMANDS = {
    "eval": ("eval", "two.csv", *TWO, "--scores", f"{LONG},{SNAKE},mo*", "--by", "region"),
    "classes": ("eval", "four.csv", "--label", "y", "--proba", "p_*", "--cost", "error=1"),
    "inspect": ("inspect", "two.csv"),
    "audit": ("audit", "--all", "--draws", "100"),
    "monitor": ("monitor", "two.csv", *TWO, "--scores", SNAKE, "--time", "day"),
    "ask": ("ask", "two.csv", "--label", "y", "--positive", "yes", "--scores",
            f"{SNAKE},mo*", "--answer", "b,a"),
    "calibrate": ("calibrate", "two.csv", *TWO, "--scores", SNAKE),
}  # fmt: skip
NAMES = {
    "eval": (LONG, SNAKE, "mo␤del␉three", REGION, "a␤b"),
    "classes": ("a dog of some size and unknown breed", "fox␤2"),
    "inspect": (LONG, SNAKE, "mo␤del␉three"),
    "audit": ("negative_likelihood_ratio",),
    "monitor": ("2025-03-03", "2025-04-28"),
    "ask": (SNAKE, "mo␤del␉three"),
    "calibrate": (SNAKE,),
}


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("command", list(COMMANDS))
def test_names_are_whole(files, run, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    ran = run(*COMMANDS[command])
    assert ran.code == 0, ran.err
    assert "~" not in ran.out
    for name in NAMES[command]:
        assert _found(name, ran.out), name


def _found(name, out):
    """Whether a name is there, perhaps over several lines of one column."""
    if name in " ".join(out.split()):
        return True
    lines = out.splitlines()
    for k, line in enumerate(lines):
        for start in (at for at in range(len(line)) if at == 0 or line[at - 2 : at] == "  "):
            cells = [each[start:].removeprefix("  ").split("  ")[0] for each in lines[k : k + 8]]
            if "".join("".join(cells).split()).startswith("".join(name.split())):
                return True
    return False
