"""Errors that earn in some cases, such as refunds, are pointed out near and far alike."""

from __future__ import annotations

import numpy as np
import pytest

import stakes
from stakes.application import CaseCosts

RNG = np.random.default_rng(7)
Y = (RNG.random(400) < 0.3).astype(int)
P = np.clip(0.3 + 0.3 * (Y - 0.3) + RNG.normal(0, 0.15, 400), 0.01, 0.99)
AMOUNT = RNG.uniform(100, 1000, 400)


def warned(found):
    return [str(note) for note in found.warnings if note.code == "errors-earn"]


@pytest.mark.parametrize("refunds", [0, 1, 12])
@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_refunds_are_counted(refunds, library):
    amount = AMOUNT.copy()
    amount[:refunds] *= -1
    costs = CaseCosts.binary(fn=0.75 * amount, fp=np.full(400, 30.0))
    near = warned(stakes.evaluate(Y, {"m": P}, costs=costs))
    pandas = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
    frame = pandas.DataFrame({"y": Y, "p": P, "amount": amount})
    if library != "pandas":
        other = pytest.importorskip(library, reason=f"needs {library}: pip install {library}")
        frame = other.from_pandas(frame) if library == "polars" else other.from_df(frame)
    formulas = {"fn": "0.75*amount", "fp": "30"}
    asked = {"label": "y", "scores": ["p"], "application": [[0, 30], [300, 0]]}
    far = warned(stakes.evaluate_frame(frame, case_costs=formulas, **asked))
    assert len(near) == len(far) == (refunds > 0)
    for said in (*near, *far):
        assert said.startswith(f"In {refunds} of 400 cases an error costs less than nothing")


def test_right_decisions_may_earn_and_decisions_of_other_names_may_too():
    earns = CaseCosts.binary(fn=AMOUNT, fp=np.full(400, 30.0), tp=-AMOUNT / 2)
    assert not warned(stakes.evaluate(Y, {"m": P}, costs=earns))
    values = np.zeros((400, 2, 2))
    values[:, 0, 1], values[:, 1, 1] = 30.0, -AMOUNT
    called = CaseCosts(values, decisions=["wait", "call"])
    assert not warned(stakes.evaluate(Y, {"m": P}, costs=called))
