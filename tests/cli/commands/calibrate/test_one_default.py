"""One value of calibration for one file, and a warning where it is judged on its own rows."""

from __future__ import annotations

import shutil
from importlib.resources import files

import numpy as np
import pytest
from csv_text import as_csv

CHURN = str(files("stakes") / "demonstration" / "data" / "churn.csv")
LABEL = ("--label", "churned", "--positive", "yes")
COSTS = ("--cost", "fn=40", "fp=4")


def odds(n: int = 3000, seed: int = 2) -> dict[str, np.ndarray]:
    """Log-odds that are too sure, and the probabilities that they are."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    z = np.round(2.2 * rng.normal(3 * y - 1.5, 1.5) + 1, 6)
    return {"y": y, "z": z, "p": 1 / (1 + np.exp(-z))}


def three_classes(n: int = 500) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, n)
    s = rng.normal(size=(n, 3))
    s[np.arange(n), y] += 1.2
    p = np.exp(3 * s)
    p /= p.sum(axis=1, keepdims=True)
    named = {f"p_{name}": p[:, k] for k, name in enumerate("abc")}
    return {"y": np.array(list("abc"))[y], **named}


def same_value(run, file, *words):
    judged = run("eval", file, *words, "--json").found["models"][0]
    learnt = run("calibrate", file, *words, "--json").found
    assert learnt["kind"] == "affine"
    assert judged["nec"] == pytest.approx(learnt["nec"]["before"], rel=1e-12)
    assert judged["recalibrated_nec"] == pytest.approx(learnt["nec"]["after"], rel=1e-12)
    return judged["recalibrated_nec"]


@pytest.mark.parametrize("model", ["gbm_p", "logreg_p", "rules_p"])
@pytest.mark.parametrize("place", [()])
def test_eval_and_calibrate_say_one_value(run, model, place):
    same_value(run, CHURN, *LABEL, "--scores", model, *COSTS, *place)


def test_with_three_classes(run, write):
    same_value(run, write("t.csv", as_csv(three_classes())), "--label", "y", "--proba", "p_*",
               "--cost", "error=1")  # fmt: skip


def test_log_odds_get_the_advice_that_their_probabilities_get(run, write):
    file, words = write("t.csv", as_csv(odds())), ("--label", "y", "--cost", "fn=10", "fp=1")
    said = {}
    for column, kind in (("p", ()), ("z", ("--scores-are", "log_odds"))):
        same_value(run, file, *words, "--scores", column, *kind)
        out = " ".join(run("eval", file, *words, "--scores", column, *kind).out.split())
        assert "stakes calibrate" in out
        said[column] = out.partition("Re-calibrating is worth")[2].partition(").")[0]
    assert said["p"]
    assert said["p"] == said["z"]


def test_the_choice_is_still_there(run):
    words = ("calibrate", CHURN, *LABEL, "--scores", "gbm_p", *COSTS, "--json")
    for choice in (("--kind", "automatic"), ("--choose-by", "brier")):
        assert run(*words, *choice).found["asked"] == "automatic"


class TestItsOwnRows:
    WARNING = "learnt on these very rows"

    @pytest.fixture
    def applied(self, run, tmp_path):
        """A calibration of churn.csv, applied to it; returns how to judge a file."""
        shutil.copy(CHURN, tmp_path / "churn.csv")
        at = {name: str(tmp_path / name) for name in ("churn.csv", "cal.json", "out.csv")}
        model = ("--model", "gbm_p", *COSTS)
        run("calibrate", at["churn.csv"], *LABEL, *model, "-o", at["cal.json"])
        ran = run("calibrate", "--apply", at["cal.json"], at["churn.csv"], "-o", at["out.csv"])
        assert self.WARNING in ran.err
        return lambda file, scores: run("eval", str(file), *LABEL, "--scores", scores, *COSTS)

    def test_are_known_where_the_calibration_is_at_hand(self, applied, tmp_path):
        ran = applied(tmp_path / "out.csv", "gbm_p_calibrated")
        assert (
            "gbm_p_calibrated was calibrated with cal.json, which was fitted on these very rows"
            in ran.err
        )

    def test_other_rows_and_other_columns_are_not(self, applied, tmp_path):
        assert self.WARNING not in applied(tmp_path / "out.csv", "gbm_p").err
        lines = (tmp_path / "out.csv").read_text().splitlines(keepends=True)
        (tmp_path / "new.csv").write_text("".join(lines[:3000]))
        assert self.WARNING not in applied(tmp_path / "new.csv", "gbm_p_calibrated").err

    def test_nobody_knows_without_it(self, applied, tmp_path):
        (tmp_path / "cal.json").write_text("{}")
        assert self.WARNING not in applied(tmp_path / "out.csv", "gbm_p_calibrated").err


def test_at_other_shares_both_say_that_their_figures_differ(run):
    words = (CHURN, *LABEL, *COSTS, "--prevalence", "2%")
    judged = " ".join(run("eval", *words, "--scores", "gbm_p").out.split())
    learnt = " ".join(run("calibrate", *words, "--model", "gbm_p", "-o", "c.json").out.split())
    assert "stakes calibrate fits at yours, so the two can differ" in judged
    assert "was fitted at that of the file and then adjusted" in learnt
    here = " ".join(run("eval", CHURN, *LABEL, *COSTS, "--scores", "gbm_p").out.split())
    assert "figures can differ" not in here
