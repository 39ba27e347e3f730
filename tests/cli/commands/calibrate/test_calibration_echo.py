from __future__ import annotations

import numpy as np
import pytest

from stakes.demonstration import example_path

CHURN = ("--label", "churned", "--positive", "yes", "--kind", "affine")


@pytest.fixture
def said(run):
    def words(*options):
        ran = run("calibrate", *options)
        assert ran.code == 0, ran.err
        return " ".join(ran.out.split())

    return words


def test_costs_are_said_as_eval_says_them(run, said):
    churn, costs = str(example_path("churn.csv")), ("--cost", "fn=40", "fp=4", "--unit", "EUR")
    there = run("eval", churn, *CHURN[:4], "--scores", "gbm_p", *costs).out
    start = there.index("Costs used")
    stop = there.index("10 false alarms") + len("10 false alarms")
    found = said(churn, *CHURN, "--model", "gbm_p", *costs)
    assert " ".join(there[start:stop].split()) in found
    assert "Assuming the same class mix as this file; change it with --prevalence." in found
    assert "the truth is in 'churned', the probability of yes in 'gbm_p'" in found


def test_shares_that_were_given(said):
    churn = str(example_path("churn.csv"))
    found = said(churn, *CHURN, "--model", "gbm_p", "--prevalence", "2%")
    assert (
        "Your test set has 7.8 % 'yes'; you said 2 %. The calibration is fitted at the class mix "
        "you gave; 'NEC if calibrated' of stakes eval was fitted at that of the file and then "
        "adjusted, so the two can differ. This assumes that cases within each outcome look alike "
        "in both places."
    ) in found


def test_costs_that_were_not(said):
    churn = str(example_path("churn.csv"))
    found = said(churn, *CHURN, "--model", "gbm_p", "--flip", "gbm_p", "--kind", "affine")
    assert (
        "No costs were given, so every error costs 1; change that with --cost fn=10 fp=1" in found
    )
    assert "the probability of no in 'gbm_p', turned by --flip" in found
    pets = str(example_path("pets.csv"))
    found = said(pets, "--label", "species", "--proba", "large.p_*", "--kind", "temperature")
    assert "every error costs 1; change that with --costs costs.toml" in found
    assert "the probability of each outcome in 'large.p_cat', 'large.p_dog'" in found


@pytest.mark.parametrize(
    ("kind", "holds"),
    [("log_odds", "the log-odds of 1 in 's'"), ("llr", "the log-likelihood ratio")],
)
def test_what_the_numbers_are(said, write, kind, holds):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    rows = "".join(f"{a},{b:.4f}\n" for a, b in zip(y, rng.normal(y), strict=True))
    found = said(write("t.csv", f"y,s\n{rows}"), "--label", "y", "--positive", "1", "--model", "s",
                 "--kind", "affine", "--scores-are", kind)  # fmt: skip
    assert holds in found
