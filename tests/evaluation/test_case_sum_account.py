"""Costs per case from sums in an engine, against the rows they were added up from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stakes
from stakes.application import case_costs
from stakes.evaluation.far.case_sum_account import best_cut

pl = pytest.importorskip("polars", reason="needs Polars")

#: A bonus for the right decision, and amounts for which the wrong one is cheaper in some cases.
FORMULAS = {
    "misses": {"fn": "amount", "fp": "10"},
    "all cells": {"fn": "amount + 5", "fp": "0.05*amount + 3", "tp": "2", "tn": "0 - 0.01*amount"},
    "wrong is right": {"fn": "amount", "fp": "30 - 0.2*amount"},
}


def rows(seed: int, n: int = 4_000) -> dict[str, Any]:
    """Cases of two classes with amounts, and two models in three decimals."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    odds = np.log(0.25)
    said = {
        name: np.round(1 / (1 + np.exp(-(rng.normal(s * y - s / 2, np.sqrt(s)) + odds))), 3)
        for name, s in (("a", 3.0), ("b", 2.0))
    }
    amount = np.round(np.exp(rng.normal(4, 0.8, n)), 2)
    return {"y": y, **said, "amount": amount, "w": rng.uniform(0.5, 2, n)}


def both(
    formulas: dict[str, str], priors: Any = None, weight: str | None = None
) -> tuple[stakes.evaluation.Evaluation, ...]:
    table = rows(3)
    app = stakes.Application(stakes.CostMatrix.zero_one(2), priors=priors)
    near = stakes.evaluate(
        table["y"], {m: table[m] for m in "ab"}, application=app,
        case_costs=case_costs(table, formulas),
        sample_weight=None if weight is None else table[weight],
    )  # fmt: skip
    far = stakes.evaluate_frame(
        pl.DataFrame(table).lazy(), label="y", scores=["a", "b"], application=app,
        case_costs=formulas, sample_weight=weight,
    )  # fmt: skip
    return near, far


def same_cut(one: float | None, other: float | None) -> bool:
    """Both the same, or neither there."""
    if one is None or other is None:
        return one is other
    return bool(other == pytest.approx(one, rel=1e-9))


@pytest.mark.parametrize("priors", [None, [0.95, 0.05]])
@pytest.mark.parametrize("formulas", FORMULAS.values(), ids=FORMULAS)
def test_sums_say_what_rows_say(formulas: dict[str, str], priors: Any) -> None:
    near, far = both(formulas, priors)
    assert list(far) == list(near)
    assert far.verdict == near.verdict
    assert [note.code for note in far.notes] == [note.code for note in near.notes]
    for name in near:
        one, other = near[name], far[name]
        assert np.array_equal(other.confusion.counts, one.confusion.counts)
        assert other.cost == pytest.approx(one.cost, rel=1e-12)
        assert other.nec == pytest.approx(one.nec, rel=1e-9)
        assert other.interval == pytest.approx(one.interval, rel=1e-7)
        assert other.cells == pytest.approx(one.cells, rel=1e-9, abs=1e-12)
        assert same_cut(one.threshold, other.threshold)
        assert other.probability_best == pytest.approx(one.probability_best, abs=0.05)
    for found in near.differences:
        again = far.difference(found.first, found.second)
        assert (again.low, again.high) == pytest.approx((found.low, found.high), rel=1e-6)
        assert again.decided == found.decided


def test_weighted_cases_have_no_intervals_and_say_so() -> None:
    near, far = both(FORMULAS["misses"], weight="w")
    for name in near:
        assert far[name].nec == pytest.approx(near[name].nec, rel=1e-9)
        assert same_cut(near[name].threshold, far[name].threshold)
        assert far[name].interval is None
    assert far.absent["interval"] == far.absent["comparison"] == "case-intervals-need-rows"
    assert "case-intervals-need-rows" in [note.code for note in far.notes]


def test_a_cut_lies_between_the_bins_that_it_parts() -> None:
    scores = stakes.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.9], kind="posterior")
    bins = scores.binned([0.15, 0.4, 0.7])
    assert best_cut(bins, np.array([3.0, 1.0, -2.0, -4.0])) == pytest.approx(0.4)
    assert best_cut(bins, np.ones(4)) == np.inf
    assert best_cut(bins, -np.ones(4)) == -np.inf
    assert best_cut(bins, np.array([1.0, 0.0, 0.0, -1.0])) == pytest.approx(0.75)  # ties: higher


@pytest.mark.parametrize("seed", range(3))
def test_what_is_printed_of_a_cut_decides_every_case_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.2, 0.4, 3000).round(5)
    table = {"y": (rng.random(3000) < p).astype(int), "p": p}
    table["amount"] = rng.integers(1, 300, 3000)
    app = stakes.CostMatrix.zero_one(2)
    ev = stakes.evaluate_frame(
        pl.DataFrame(table).lazy(), label="y", scores="p", application=app,
        case_costs={"fn": "amount", "fp": "50"},
    )  # fmt: skip
    for kind in ("one threshold", "average costs"):
        found = ev[f"p, {kind}"]
        acts = (p > float(found.act_when.partition("> ")[2])).sum()
        assert acts == found.confusion.counts[:, 1].sum()
