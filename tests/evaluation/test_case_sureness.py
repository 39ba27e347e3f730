"""How sure costs per case are: what each case moves, and what intervals make of it."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes._kernels.interval_ends import skewed_limits
from stakes.application import CaseCosts
from stakes.evaluation import evaluate_frame

N = 400


def drawn(seed: int = 0, sigma: float = 1.0):
    rng = np.random.default_rng(seed)
    y = (rng.random(N) < 0.3).astype(int)
    decisions = {
        name: np.where(rng.random(N) < share, 1 - y, y) for name, share in (("a", 0.1), ("b", 0.2))
    }
    amount = rng.lognormal(0, sigma, N)
    return y, decisions, CaseCosts.binary(false_negative=amount, false_positive=0.5)


def nec(y, d, costs, weights, priors):
    """Normalised cost of weighted cases, from its definition."""
    paid = costs.values[np.arange(N), y]
    share = np.bincount(y, weights) if priors is None else np.asarray(priors)
    by_case = weights * (share / np.bincount(y, weights))[y]
    least = by_case @ paid.min(axis=1)
    return (by_case @ paid[np.arange(N), d] - least) / ((by_case @ paid).min() - least)


@pytest.mark.parametrize("priors", [None, [0.8, 0.2]])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_interval_is_that_of_what_each_case_moves(priors, grouped, weighted):
    y, decisions, costs = drawn()
    rng = np.random.default_rng(1)
    groups = np.arange(N) % 15 if grouped else None
    weights = rng.uniform(0.5, 2, N) if weighted else np.ones(N)
    base = Application(CostMatrix.zero_one(2), priors=priors)
    ev = evaluate(
        y, decisions, application=base, case_costs=costs, groups=groups, rng=0,
        sample_weight=weights if weighted else None,
    )  # fmt: skip
    units = np.arange(N) if groups is None else groups
    step, moves = 1e-6, []
    for unit in np.unique(units):  # derivatives in the weights of one unit
        more = weights * (1 + step * (units == unit))
        less = weights * (1 - step * (units == unit))
        ends = [nec(y, decisions["a"], costs, each, priors) for each in (more, less)]
        moves.append((ends[0] - ends[1]) / (2 * step))
    moves = np.array(moves)
    strata = y if priors is not None and groups is None else np.zeros(len(moves), int)
    sizes = np.bincount(strata)
    parts = np.bincount(strata, moves**2) * sizes / (sizes - 1)
    freedom = parts.sum() ** 2 / (parts**2 / (sizes - 1)).sum()
    value = nec(y, decisions["a"], costs, weights, priors)
    skewness = (moves**3).sum() / (moves**2).sum() ** 1.5
    low, high = skewed_limits(value, np.sqrt(parts.sum()), skewness, 0.95, freedom)
    assert ev["a"].nec == pytest.approx(value)
    assert ev["a"].interval == pytest.approx((max(low, 0), high), rel=1e-5)


def test_cases_without_weight_are_as_if_they_were_not_there():
    y, decisions, costs = drawn()
    weights = (np.arange(N) % 3 > 0).astype(float)
    kept = weights > 0
    with_them = evaluate(y, decisions, application=costs, sample_weight=weights, rng=0)
    without = evaluate(
        y[kept],
        {name: d[kept] for name, d in decisions.items()},
        application=CaseCosts(costs.values[kept]),
        rng=0,
    )
    assert with_them["a"].interval == pytest.approx(without["a"].interval)
    assert with_them.difference("a", "b").p_value == pytest.approx(
        without.difference("a", "b").p_value
    )


def test_a_difference_leaves_zero_out_exactly_when_its_p_value_is_small():
    for seed in range(8):
        y, decisions, costs = drawn(seed)
        pair = evaluate(y, decisions, application=costs, rng=0).difference("a", "b")
        assert (pair.p_value < 0.05) == (pair.low > 0 or pair.high < 0)


def test_a_rule_without_avoidable_costs_has_an_interval_of_no_length():
    y, _, costs = drawn()
    assert evaluate(y, {"right": y}, application=costs, rng=0)["right"].interval == (0.0, 0.0)


def test_unequal_amounts_are_pointed_out_and_light_ones_are_not():
    said = {}
    for sigma in (0.5, 2.0):
        y, decisions, costs = drawn(sigma=sigma)
        ev = evaluate(y, decisions, application=costs, rng=0)
        said[sigma] = [note for note in ev.notes if "a few cases could carry" in note]
    assert said[0.5] == []
    assert len(said[2.0]) == 1
    assert "in cases of 1 are so unequal that intervals are probably too short" in said[2.0][0]


def test_fifteen_groups_have_fourteen_degrees_of_freedom():
    held = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        group = np.arange(300) % 15
        y = np.arange(300) % 2
        wrong = rng.random(300) < rng.beta(2, 8, 15)[group]  # 0.2 on average
        costs = CaseCosts.binary(false_negative=np.ones(300), false_positive=1.0)
        ev = evaluate(y, {"d": np.where(wrong, 1 - y, y)}, application=costs, groups=group, rng=0)
        low, high = ev["d"].interval
        held.append(low <= 0.4 <= high)
    assert np.mean(held) > 0.93  # quantiles of draws held 0.88


@pytest.mark.parametrize(("sigma", "flagged"), [(0.5, False), (2.0, True)])
def test_sums_of_an_engine_tell_the_same(sigma, flagged):
    rng = np.random.default_rng(0)
    y = (rng.random(800) < 0.3).astype(int)
    p = 1 / (1 + np.exp(0.85 - rng.normal(4 * y - 2, 2)))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": y, "p": p, "amount": rng.lognormal(0, sigma, 800)})
    ev = evaluate_frame(
        frame,
        label="y",
        application=CostMatrix.zero_one(2),
        posteriors={"m": "p"},
        case_costs={"fn": "amount", "fp": "0.2"},
    )
    assert any("a few cases could carry" in note for note in ev.notes) == flagged
