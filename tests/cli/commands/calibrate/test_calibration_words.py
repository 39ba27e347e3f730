from __future__ import annotations

import numpy as np
import pytest

from stakes.calibration.calibrator_json import every_kind


def two_and_three(write, rows):
    names = "abc"
    lines = [f"{names[k % 3]},0.2,0.3,0.5\n" for k in range(rows)]
    return write("t.csv", "y,p_a,p_b,p_c\n" + "".join(lines))


@pytest.mark.parametrize("kind", ["logistic", "beta", "rank", "smooth", "venn-abers"])
def test_a_kind_for_two_outcomes_names_others(run, write, kind):
    ran = run("calibrate", two_and_three(write, 60), "--label", "y", "--proba", "p_*",
              "--kind", kind)  # fmt: skip
    assert ran.code == 2
    assert "--kind affine, temperature, vector" in ran.err
    assert not any(each.__name__ in ran.err for each in every_kind().values())


def test_a_single_case_of_an_outcome(run, write):
    rows = "".join(f"{'yes' if k == 3 else 'no'},0.{k + 1}\n" for k in range(9))
    ran = run("calibrate", write("t.csv", f"y,p\n{rows}"), "--positive", "yes", "--model", "p")
    assert ran.code == 2
    assert "'y' has a single case of class yes" in ran.err
    assert "--kind temperature" in ran.err
    assert "Affine()" not in ran.err


@pytest.mark.parametrize("name", ["Beta", "row 3", "row 300"])
def test_a_single_case_of_an_outcome_with_an_odd_name(run, write, name):
    rows = "".join(f"{name if k == 3 else 'no'},0.{k + 1}\n" for k in range(9))
    ran = run("calibrate", write("t.csv", f"y,p\n{rows}"), "--positive", name, "--model", "p")
    assert ran.code == 2
    assert f"'y' has a single case of class {name}; two" in ran.err


def test_probabilities_that_are_said_to_be_logits(run, write):
    name = two_and_three(write, 60)
    words = ("calibrate", name, "--label", "y", "--proba", "p_*", "--kind", "temperature")
    ran = run(*words, "--scores-are", "log_odds")
    assert ran.code == 2
    assert "--scores-are posterior" in ran.err
    assert "np.log" not in ran.err
    assert run(*words, "--scores-are", "posterior").code == 0


def test_the_hint_about_folds_works_for_few_cases(run, write):
    name = write("t.csv", "y,p\n0,0.1\n1,0.8\n0,0.3\n1,0.7\n")
    ran = run("calibrate", name, "--label", "y", "--model", "p")
    assert ran.code == 2
    words = ran.err.splitlines()[-1].split()
    assert words[0] == "--folds"
    assert run("calibrate", name, "--label", "y", "--model", "p", *words).code == 0


@pytest.mark.parametrize("folds", ["1", "99"])
def test_folds(run, write, folds):
    rows = "".join(f"{k % 2},0.{k % 9 + 1}\n" for k in range(20))
    ran = run("calibrate", write("t.csv", f"y,p\n{rows}"), "--model", "p", "--folds", folds)
    assert ran.code == 2
    assert "error: --folds must be a whole number from 2 to the 20 cases" in ran.err
    assert "folds=" not in ran.err


def test_groups(run, write):
    rows = "".join(f"{k % 2},0.{k % 9 + 1},{k % 3}\n" for k in range(60))
    name = write("t.csv", f"y,p,who\n{rows}")
    ran = run("calibrate", name, "--label", "y", "--model", "p", "--groups", "who")
    assert ran.code == 2
    assert "the values of --groups must be at least as many as the 5 folds; got 3" in ran.err
    assert ran.err.endswith("\n  --folds 3\n")


def test_rows_are_those_of_the_file(run, write):
    rows = "".join(f"{k % 2},{k % 9 - 4}\n" for k in range(60))
    name = write("t.csv", f"y,s\n,1\n1,-1e200\n{rows}")
    ran = run("calibrate", name, "--label", "y", "--positive", "1", "--scores", "s",
              "--scores-are", "llr", "--kind", "affine", "--missing", "drop")  # fmt: skip
    assert ran.code == 2
    assert "the scores must be at most 1e+100 in size, or infinite: divide all by" in ran.err
    assert "they are larger in row 2 and in 1 of 61 rows" in ran.err
    assert "is to be trusted: --bound 50" in ran.err


def with_wrong_ones(write, *extreme):
    """200 good log odds of '1', and cases of '0' with scores that say the opposite."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    odds = rng.normal(2.0 * y - 1.0, 1.4).round(3)
    lines = [*zip(y.tolist(), odds.tolist(), strict=True), *((0, each) for each in extreme)]
    return write("e.csv", "y,lo\n" + "".join(f"{a},{b}\n" for a, b in lines))


LOG_ODDS = ("--label", "y", "--positive", "1", "--model", "lo", "--scores-are", "log_odds",
            "--cost", "fn=4", "fp=1")  # fmt: skip


def test_a_small_loss_beside_a_vast_one_keeps_its_digits(run, write):
    name = with_wrong_ones(write, "1e9")
    asked = ("calibrate", name, *LOG_ODDS, "--bound", "50")
    found, ran = run(*asked, "--json").found["cross_entropy"], run(*asked)
    row = next(line for line in ran.out.splitlines() if line.startswith("cross-entropy"))
    assert found["before"] == pytest.approx(1e9 / 201, rel=1e-5)
    assert f"  {found['after']:.4f}".rstrip("0") in row
    assert "the true outcome a probability\nbelow 1e-300" in ran.out
    assert "infinite" not in ran.out
    assert "--bound 50" not in ran.out  # which was given


def test_extreme_scores_name_the_bound(run, write):
    ran = run("calibrate", with_wrong_ones(write, "800"), *LOG_ODDS)
    assert "below 1e-300" in ran.out
    assert "infinite" not in ran.out
    assert "--bound 50 limits how far such scores are trusted" in ran.out


def test_a_calibration_that_falls_is_said(run, write):
    name = with_wrong_ones(write, "1000", "1000", "inf")
    ran = run("calibrate", name, *LOG_ODDS)
    said = " ".join(ran.out.split())
    assert "so its cross-entropy is infinite. --bound 50 limits" in said
    assert "a higher score makes '1' less likely. A few extreme scores can do that" in said
    assert "less likely" not in run("calibrate", name, *LOG_ODDS, "--bound", "3").out
