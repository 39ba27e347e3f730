"""Where the money goes, and what each decision is good for."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import CostMatrix, evaluate

Y = ["a", "a", "b", "b"]
P = np.array([[0.99, 0.01], [0.5, 0.5], [0.6, 0.4], [0.01, 0.99]])
COSTS = CostMatrix([[0, 10, 1], [10, 0, 1]], ["a", "b"], ["a", "b", "ask"])
EV = evaluate(Y, {"m": P, "d": ["a", "b", "ask", "b"]}, application=COSTS, min_cases=1, rng=0)


def test_use_of_each_decision():
    """Asks in two of four cases, at 1 each; without asking the tie goes to a: one error of 10."""
    used = EV.use("m")
    assert used["decision"].tolist() == ["a", "b", "ask"]
    assert used["share"] == pytest.approx([0.25, 0.25, 0.5])
    assert used["cost"] == pytest.approx([0, 0, 2 / 4])
    assert used["saves"][2] == pytest.approx(10 / 4 - 2 / 4)


def test_decisions_do_not_tell_what_another_would_have_been():
    assert np.isnan(EV.use("d")["saves"]).all()


def test_costliest_cells():
    found = EV.costliest("d")
    assert list(zip(found["truth"], found["decision"], strict=True)) == [("a", "b"), ("b", "ask")]
    assert found["cost"] == pytest.approx([10 / 4, 1 / 4])
    assert found["share"] == pytest.approx([10 / 11, 1 / 11])
    assert EV.costliest("d", limit=1)["decision"].tolist() == ["b"]
