from __future__ import annotations

import io
import time
from contextlib import redirect_stderr

import numpy as np
import pytest

from stakes.calibration import Affine, Smooth
from stakes.cli.entry import main
from stakes.cli.show import progress as calibration_progress
from stakes.cli.show.progress import Telling
from stakes.demonstration import example_path

CHURN = ("calibrate", str(example_path("churn.csv")), "--label", "churned", "--positive", "yes",
         "--model", "gbm_p")  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self):
        return True

    @property
    def lines(self):
        """What could be read on it, one after the other."""
        return [line.rstrip() for line in self.getvalue().split("\r")]


@pytest.fixture
def seen(monkeypatch, tmp_path):
    """Run a command, and return its exit code and what is seen on the terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(calibration_progress, "PATIENCE", 0.0)

    def ran(*words):
        with redirect_stderr(Terminal()) as terminal:
            return main(list(words)), terminal

    return ran


def test_each_fold_and_the_fit_of_a_kind_that_was_asked_for(seen):
    code, terminal = seen(*CHURN, "--kind", "affine", "--folds", "3")
    assert code == 0
    lines = [line.partition(": ")[0] for line in terminal.lines]  # without seconds
    told = [line for line, before in zip(lines[1:], lines, strict=False) if line != before]
    told = [line for line in told if line and not line.startswith("reading")]
    assert told == [
        "fitting affine to all cases",
        "cross-fitting affine",
        *(f"cross-fitting affine, fold {k} of 3" for k in (1, 2, 3)),
        "judging",
    ]


def test_the_choice_its_fit_and_the_picture(seen, write):
    pytest.importorskip("matplotlib", reason="drawing needs matplotlib")
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    rows = "".join(f"{a},{b:.4f}\n" for a, b in zip(y, rng.normal(y), strict=True))
    name = write("t.csv", f"y,s\n{rows}")
    code, terminal = seen("calibrate", name, "--label", "y", "--positive", "1", "--model", "s",
                          "--scores-are", "log_odds", "--plot", "r.svg",
                          "--folds", "2", "--kind", "automatic")  # fmt: skip
    assert code == 0
    told = [line.partition(": ")[0] for line in terminal.lines]
    for line in (
        "reading t.csv",
        "trying smooth (1 of 7), fold 2 of 2",
        "trying isotonic (7 of 7), fold 1 of 2",
        "choosing again without each fold, fold 2 of 2",
        "judging",
        "drawing r.svg",
    ):
        assert line in told
    assert any(line.startswith("fitting ") and line.endswith("to all cases") for line in told)


def test_the_line_is_gone_before_anything_else_is_written(seen):
    code, terminal = seen(*CHURN, "--kind", "venn-abers", "--bound", "much")
    assert code == 2
    told, _, error = terminal.getvalue().rpartition("\r")
    assert told.rpartition("\r")[2].isspace()
    assert error.startswith("error: --bound")


def test_seconds_pass_where_nothing_else_is_told(monkeypatch):
    monkeypatch.setattr(calibration_progress, "BETWEEN", 0.001)
    with redirect_stderr(Terminal()) as terminal, Telling() as telling:
        telling.say("judging")
        telling._begun -= 61
        for _ in range(1000):  # the clock is another thread
            time.sleep(0.002)
            if len(terminal.lines) > 3:
                break
    told = [line.removeprefix("judging: ") for line in terminal.lines if "judging: " in line]
    assert told  # a busy machine may let a second or more pass
    assert all(int(each.removesuffix(" s")) >= 61 for each in told)


def test_nothing_is_told_elsewhere(run):
    assert run(*CHURN, "--kind", "affine").err == ""


@pytest.mark.parametrize(("kind", "calibrator"), [("affine", Affine), ("automatic", Smooth)])
def test_each_fold_is_fitted_once(run, monkeypatch, kind, calibrator):
    fit, sizes = calibrator._fit, []
    monkeypatch.setattr(calibrator, "_fit", lambda self, cases: (sizes.append(len(cases.codes)),
                                                                 fit(self, cases)))  # fmt: skip
    assert run(*CHURN, "--kind", kind).code == 0
    assert sorted(sizes) == [4000] * 5 + [5000]
