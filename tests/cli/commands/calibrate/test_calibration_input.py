"""Calibrations that go from the command line to Python and back."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy.special import expit

from stakes import Posteriors
from stakes.calibration import Affine, Isotonic, Logistic, Matrix, load

RNG = np.random.default_rng(4)
Y = RNG.random(300) < 0.3
S = 2 * (RNG.normal(size=300) + 1.5 * Y - 1)
COLUMNS = {"log_odds": S, "p": expit(S), "narrow": 0.5 + 0.02 * S}
NAMES = np.where(Y, "yes", "no")


@pytest.fixture
def data(write):
    lines = ["bad," + ",".join(COLUMNS)]
    for truth, *numbers in zip(NAMES, *COLUMNS.values(), strict=True):
        lines.append(",".join([truth, *(repr(float(x)) for x in numbers)]))
    return write("data.csv", "\n".join(lines) + "\n")


def applied(run, path, *options):
    """The probabilities of yes that the command line writes."""
    ran = run("calibrate", "--apply", path, "data.csv", *options, "-o", "out.csv")
    assert ran.code == 0, ran.err
    with open("out.csv", newline="") as file:  # noqa: PTH123
        return [float(list(row.values())[-1]) for row in csv.DictReader(file)]


@pytest.mark.parametrize(
    ("kind", "model", "options", "given"),
    [
        ("affine", "p", [], Posteriors(COLUMNS["p"])),
        ("isotonic", "log_odds", ["--scores-are", "log_odds"], S),
        ("automatic", "log_odds", ["--scores-are", "log_odds"], Posteriors.from_logits(S)),
        (
            "affine",
            "log_odds",
            ["--scores-are", "llr"],
            Posteriors.from_llrs(S, [1 - Y.mean(), Y.mean()]),
        ),
        ("venn-abers", "log_odds", ["--scores-are", "rank"], S),
        ("automatic", "p", ["--scores-are", "rank"], COLUMNS["p"]),
        ("affine", "narrow", ["--scores-are", "rank"], COLUMNS["narrow"]),
        ("logistic", "narrow", ["--scores-are", "log_odds", "--narrow"], COLUMNS["narrow"]),
    ],
)
def test_learnt_by_the_command_and_applied_in_python(run, data, kind, model, options, given):
    ran = run("calibrate", data, "--label", "bad", "--positive", "yes", "--model", model,
              *options, "--kind", kind, "-o", "cal.json")  # fmt: skip
    assert ran.code == 0, ran.err
    found = load("cal.json").posteriors(given)[:, 1]
    assert found == pytest.approx(applied(run, "cal.json"), abs=1e-8)
    one = given[:1] if isinstance(given, np.ndarray) else Posteriors(given.values[:1])
    assert load("cal.json").posteriors(one)[:, 1] == pytest.approx(found[:1])


class TestLearntInPython:
    @pytest.mark.parametrize("options", [[], ["--scores-are", "rank"]])
    @pytest.mark.parametrize("kind", [Logistic, Isotonic])
    def test_on_a_column_in_the_unit_interval(self, run, data, kind, options):
        cal = kind().fit(COLUMNS["p"], NAMES)
        for each in (cal, cal.with_priors([0.9, 0.1])):
            each.save("cal.json")
            found = applied(run, "cal.json", "--scores", "p", *options)
            assert found == pytest.approx(each.posteriors(COLUMNS["p"])[:, 1], abs=1e-8)

    def test_on_such_a_column_its_numbers_are_no_probabilities(self, run, data):
        Logistic().fit(COLUMNS["p"], NAMES).save("cal.json")
        ran = run(
            "calibrate", "--apply", "cal.json", data, "--scores", "p", "--scores-are", "posterior"
        )
        assert ran.code != 0
        assert "leave it out: cal.json knows what its scores are" in ran.err

    @pytest.mark.parametrize("kind", [Affine, Matrix])
    def test_on_log_odds(self, run, data, kind):
        cal = kind().fit(S, NAMES)
        cal.save("cal.json")
        found = applied(run, "cal.json", "--scores", "log_odds", "--scores-are", "log_odds")
        assert found == pytest.approx(cal.posteriors(S)[:, 1], abs=1e-8)

    def test_on_log_odds_that_are_not_said_to_be_any(self, run, data):
        Affine().fit(S, NAMES).save("cal.json")
        ran = run("calibrate", "--apply", "cal.json", data, "--scores", "log_odds")
        assert ran.code != 0
        assert "does not say what its scores are" in ran.err
        assert "--scores-are log_odds" in ran.err
