from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stakes.calibration.persistence import every_kind
from stakes.exceptions import LabelError
from stakes.inquiry.calibration_words import in_file
from stakes.inquiry.truth import Cases


@pytest.fixture
def cases():
    rows = np.array([4, 9, 2])
    return Cases(("no", "yes"), np.array([0, 1, 1]), None, rows, "churned")


@pytest.mark.parametrize(
    ("python", "ours"),
    [
        (
            "use Affine, Temperature, Vector, Dirichlet or Isotonic",
            "use --kind affine, temperature, vector, dirichlet or isotonic",
        ),
        ('use Isotonic or Histogram, or tails="normal"', "use --kind isotonic or histogram"),
        ("use Temperature, or smoothing=True", "use --kind temperature"),
        ("or fit one calibrator: Affine()", "or fit one calibrator: --kind affine"),
        ('use bound="data" to keep', "use --bound data to keep"),
        ('to be trusted: bound="data", or a number', "to be trusted: --bound 50"),
        ("to be trusted: bound=12", "to be trusted: --bound 12"),
        ("`y_true` has no case of class yes", "'churned' has no case of class yes"),
        ("`folds` must be 2", "--folds must be 2"),
        ("in row 1 and in 2 of 3 rows", "in row 10 and in 2 of 3 rows"),
        ("automatic calibrators rank", "automatic calibrators rank"),
    ],
)
def test_python_is_said_as_options(cases, python, ours):
    assert in_file(python, cases) == ours


@pytest.mark.parametrize("label", ["Beta", "row 1", "`scores`"])
@pytest.mark.parametrize("name", ["Beta", "row 1", "row 300", "my row 2", "bound=3"])
def test_names_of_the_file_stay_as_they_are(cases, name, label):
    cases = replace(cases, classes=("no", name), label=label)
    said = in_file(f"`y_true` has a single case of class {name}; in row 1, use Affine", cases)
    assert said == f"'{label}' has a single case of class {name}; in row 10, use --kind affine"
    said = in_file(f"`y_true` holds a single class, {name!r}; use Affine", cases)
    assert said == f"'{label}' holds a single class, {name!r}; use --kind affine"


def test_a_row_beyond_the_cases_is_no_row_of_the_file(cases):
    assert in_file("row 300", cases) == "row 300"


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
    assert "--kind affine" in ran.err
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


def test_errors_of_every_kind_are_told(run, churn_like, monkeypatch):
    def fail(*_, **__):
        raise LabelError("`y_true` is odd.", hint="use Affine")

    monkeypatch.setattr("stakes.cli.commands.calibrate.calibration_fit.fitted", fail)
    ran = run("calibrate", churn_like, "--model", "p")
    assert (ran.code, ran.err) == (2, "error: 'y' is odd.\n  use --kind affine\n")


@pytest.fixture
def churn_like(write):
    return write("t.csv", "y,p\n" + "".join(f"{k % 2},0.{k % 9 + 1}\n" for k in range(300)))
