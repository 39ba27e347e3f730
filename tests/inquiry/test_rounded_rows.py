"""Probabilities that were rounded when they were written pass to their own digits."""

from __future__ import annotations

import numpy as np
import pytest

import stakes
from stakes.exceptions import PosteriorError
from stakes.inquiry.model_scores import rounded_digits, rounding_passes

COMMAND = ("--label", "kind", "--proba", "p_*", "--cost", "error=1", "--json")


def rows(digits: int, wrong: float = 0.0) -> str:
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=300)
    raw = np.exp(rng.normal(size=(300, 3)) + 2 * np.eye(3)[truth])
    shares = raw / raw.sum(axis=1, keepdims=True)
    shares[7, 0] += wrong
    cells = (",".join(f"{p:.{digits}f}" for p in row) for row in shares)
    lines = (f"{'abc'[t]},{line}" for t, line in zip(truth, cells, strict=True))
    return "kind,p_a,p_b,p_c\n" + "\n".join(lines) + "\n"


def noted(found):
    return [str(note) for note in found["notes"] if "rounded to" in str(note)]


@pytest.mark.parametrize("digits", [2, 3, 5])
@pytest.mark.parametrize("word", ["r.csv", "r*.csv"])
def test_near_and_far_alike(run, write, digits, word):
    if "*" in word:
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
    write("r.csv", rows(digits))
    given = run("eval", word, *COMMAND).found
    asked = run("eval", word, *COMMAND, "--renormalise").found
    assert given["models"][0]["cost"] == pytest.approx(asked["models"][0]["cost"], rel=1e-12)
    least, most = f"{1 - 10.0**-digits:.{digits}f}", f"{1 + 10.0**-digits:.{digits}f}"
    (note,) = noted(given)
    assert f"rounded to {digits} decimals" in note
    assert f"add to {least}-{most}; each was divided by its sum" in note
    assert not noted(asked)


@pytest.mark.parametrize("word", ["r.csv", "r*.csv"])
def test_what_is_wrong_is_still_refused(run, write, word):
    if "*" in word:
        pytest.importorskip("duckdb", reason="files are counted by DuckDB")
    write("r.csv", rows(3, wrong=0.01))
    ran = run("eval", word, *COMMAND)
    assert (ran.code, "--renormalise" in ran.err) == (2, True)


def test_calibrating_takes_them_too(run, write):
    ran = run("calibrate", write("r.csv", rows(3)), *COMMAND[:4], "-o", "c.json")
    assert ran.code == 0
    assert "rounded to 3 decimals" in ran.err
    again = run("calibrate", "--apply", "c.json", "r.csv", "-o", "out.csv")
    assert (again.code, "rounded to 3 decimals" in again.err) == (0, True)


def test_in_memory_the_rule_stays():
    with pytest.raises(PosteriorError):
        stakes.evaluate([0, 1, 2] * 4, {"m": [[0.333, 0.333, 0.333]] * 12}, costs=1 - np.eye(3))


def test_digits():
    assert rounded_digits(np.array([0.1, 0.25, np.nan])) == 2
    assert rounded_digits(np.array([0.1, 0.123456])) == 6
    assert rounded_digits(np.array([1 / 3])) is None
    assert rounding_passes(3, 3) == pytest.approx(0.0015)
    assert rounding_passes(2, 1000) == pytest.approx(0.02)  # not 5
    assert rounding_passes(None, 3) == 1e-6
