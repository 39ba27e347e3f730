from __future__ import annotations

import numpy as np
import pytest

from stakes.calibration import Automatic, cross_fit, load
from stakes.demonstration import example_path

CHURN = ("--label", "churned", "--positive", "yes", "--model", "gbm_p", "--cost", "fn=40", "fp=4")
TWO = ("--folds", "2")
RISING = ["isotonic", "beta", "rank", "venn-abers", "average", "smooth"]


def logits(n, seed=0):
    """Scores of two classes that are worth calibrating, and the truth."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return 3 * (rng.normal(size=n) + 2 * y - 1) - 1, y


@pytest.fixture
def table(write):
    def written(scores, y):
        rows = "".join(f"{('no', 'yes')[a]},{b:.9f}\n" for a, b in zip(y, scores, strict=True))
        return (write("t.csv", f"y,s\n{rows}"), "--label", "y", "--model", "s", "--scores-are",
                "log_odds")  # fmt: skip

    return written


class TestTurnedRound:
    """The column is the log-odds of the other outcome."""

    @pytest.fixture
    def turned(self, table):
        return (*table(*logits(600)), "--positive", "no")

    def test_is_said_as_eval_says_it(self, run, turned):
        file, *words = turned
        there = run("eval", file, *("--scores" if word == "--model" else word for word in words),
                    "--cost", "error=1").err  # fmt: skip
        ran = run("calibrate", *turned, "--kind", "affine")
        assert ran.code == 0
        assert there in ran.err
        assert "Is the column the probability of 'yes'?  --flip s" in ran.err
        assert "turning the scores round included" in " ".join(ran.out.split())

    @pytest.mark.parametrize("kind", RISING)
    def test_what_can_only_rise_is_refused(self, run, turned, kind, tmp_path):
        ran = run("calibrate", *turned, "--kind", kind, "-o", "cal.json")
        assert (ran.code, ran.out) == (2, "")
        assert f"{kind} can only rise with the scores" in ran.err
        assert "--flip s" in ran.err
        assert not (tmp_path / "cal.json").exists()

    def test_the_hint_helps(self, run, turned):
        ran = run("calibrate", *turned, "--kind", "isotonic", "--flip", "s")
        assert (ran.code, ran.err) == (0, "")
        assert "turning" not in ran.out

    def test_a_flip_too_many(self, run, table):
        ran = run("calibrate", *table(*logits(600)), "--positive", "yes", "--flip", "s",
                  "--kind", "affine")  # fmt: skip
        assert "Is the column the probability of 'yes' as it is?  leave out --flip s" in ran.err

    def test_chance_is_no_turn(self, run, table):
        rng = np.random.default_rng(3)
        words = table(rng.normal(size=400), np.arange(400) % 2)
        assert run("calibrate", *words, "--positive", "yes", "--kind", "isotonic").err == ""

    def test_rows_of_weight_0_are_absent(self, run, write):
        scores, y = logits(1200)
        turned = np.where(np.arange(1200) < 200, scores, -scores)
        triples = enumerate(zip(y, turned, strict=True))
        rows = [f"{('no', 'yes')[a]},{b:.9f},{int(i < 200)}\n" for i, (a, b) in triples]
        words = ("--label", "y", "--positive", "yes", "--model", "s", "--scores-are", "log_odds",
                 "--kind", "isotonic", "--weight", "w", "--json")  # fmt: skip
        every = run("calibrate", write("all.csv", "y,s,w\n" + "".join(rows)), *words)
        some = run("calibrate", write("some.csv", "y,s,w\n" + "".join(rows[:200])), *words)
        assert (every.code, some.code) == (0, 0)
        after = some.found["cross_entropy"]["after"]
        assert every.found["cross_entropy"]["after"] == pytest.approx(after, rel=1e-9)


class TestChooseBy:
    def test_cost_is_the_application(self, run, write):
        churn = str(example_path("churn.csv"))
        ran = run("calibrate", churn, *CHURN, "--choose-by", "cost", "-o", "cal.json")
        assert ran.code == 0, ran.err
        assert "cross-fitted cost" in " ".join(ran.out.split())
        by = load("cal.json").options["by"]
        np.testing.assert_array_equal(by.costs.values, [[0, 4], [40, 0]])
        found = run("calibrate", churn, *CHURN, "--choose-by", "cost", "--json").found
        assert (found["chosen_by"], found["compared"]) == ("cost", found["cost"])
        assert found["candidates"][0]["loss"] == pytest.approx(found["cost"]["before"])

    def test_brier_has_a_row_of_its_own(self, run, table):
        words = (*table(*logits(300)), "--positive", "yes", "--choose-by", "brier", *TWO)
        assert "\nBrier score " in run("calibrate", *words).out

    def test_cross_entropy_is_the_default(self, run, table):
        words = (*table(*logits(300)), "--positive", "yes", "--json", *TWO)
        plain = run("calibrate", *words, "--kind", "automatic")
        assert plain.out == run("calibrate", *words, "--choose-by", "cross-entropy").out
        assert plain.found["chosen_by"] == "cross-entropy"

    def test_with_one_kind_there_is_nothing_to_choose(self, run):
        churn = str(example_path("churn.csv"))
        ran = run("calibrate", churn, *CHURN, "--choose-by", "cost", "--kind", "affine")
        assert ran.code == 2
        assert "--kind affine leaves nothing to choose" in ran.err


class TestWithout:
    """What a case had no part in where it was calibrated."""

    def test_few_cases_have_no_part_in_the_choice(self, run, table):
        scores, y = logits(300)
        words = (*table(scores, y), "--positive", "yes", "--kind", "automatic", *TWO)
        found = run("calibrate", *words, "--json").found
        assert found["without"] == "choice and fit"
        after = cross_fit(y, np.round(scores, 9), calibrator=Automatic(folds=2), folds=2)
        nats = -np.log(after[np.arange(300), y]).mean()
        assert found["cross_entropy"]["after"] == pytest.approx(nats, rel=1e-6)
        said = " ".join(run("calibrate", *words).out.split())
        assert "(calibrator chosen and fitted on other cases; in the comparison above" in said

    def test_of_many_the_figures_are_those_of_the_comparison(self, run, table):
        words = (*table(*logits(2500)), "--positive", "yes", "--kind", "automatic", *TWO)
        found = run("calibrate", *words, "--json").found
        assert found["without"] == "fit"
        compared = next(row["loss"] for row in found["candidates"] if row["chosen"])
        assert found["cross_entropy"]["after"] == pytest.approx(compared, rel=1e-9)
        said = " ".join(run("calibrate", *words).out.split())
        assert "(calibrated on other cases; the calibrator itself was chosen on all cases)" in said

    def test_rows_of_weight_0_do_not_make_many(self, run, write, monkeypatch):
        monkeypatch.setattr("stakes.cli.commands.calibrate.calibration_fit.WHOLE_CASES", 150)
        scores, y = logits(200)
        pairs = enumerate(zip(y, scores, strict=True))
        rows = "".join(f"{a},{b:.6f},{int(i < 150)}\n" for i, (a, b) in pairs)
        words = (
            "--label",
            "y",
            "--positive",
            "1",
            "--model",
            "s",
            "--scores-are",
            "log_odds",
            "--kind",
            "automatic",
            *TWO,
        )
        ran = run("calibrate", write("t.csv", f"y,s,w\n{rows}"), *words, "--weight", "w", "--json")
        assert ran.found["without"] == "choice and fit"

    def test_folds_that_leave_too_little_to_choose_by(self, run, table):
        y = np.array([1, 1, *[0] * 18])
        words = (
            *table(np.linspace(3, -3, 20), y),
            "--positive",
            "yes",
            "--json",
            "--kind",
            "automatic",
        )
        assert run("calibrate", *words, "--folds", "2").found["without"] == "fit"

    def test_rows_of_weight_0_have_no_part_in_anything(self, run, write):
        scores, y = logits(2600)
        pairs = enumerate(zip(y, scores, strict=True))
        rows = [f"{a},{b:.6f},{int(i < 2400)}\n" for i, (a, b) in pairs]
        words = (
            "--label",
            "y",
            "--positive",
            "1",
            "--model",
            "s",
            "--scores-are",
            "log_odds",
            *TWO,
        )
        write("all.csv", "y,s,w\n" + "".join(rows))
        write("some.csv", "y,s,w\n" + "".join(rows[:2400]))
        every = run("calibrate", "all.csv", *words, "--weight", "w", "--json").found
        some = run("calibrate", "some.csv", *words, "--json").found
        for measure in ("cost", "cross_entropy"):
            assert every[measure]["after"] == pytest.approx(some[measure]["after"], rel=1e-9)
