"""Limits between slices: against brute force over all thresholds, by laws, and refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stakes.application import Application, CaseCosts
from stakes.exceptions import (
    CostError,
    DataError,
    LabelError,
    PriorError,
    StakesError,
    UndefinedError,
)
from stakes.resources import constrained_slices
from stakes.resources.slice_rules import as_constraints

RATES = ("selection", "true_positive", "false_positive", "cost")


def points_of(y, scores, weights, costs, constraint):
    """Rate and cost of every threshold of a slice that is no worse than chance."""
    found = []
    for cut in [-math.inf, *sorted(set(scores.tolist()))]:
        act = scores > cut
        false = weights[act & (y == 0)].sum() / weights[y == 0].sum()
        true = weights[act & (y == 1)].sum() / weights[y == 1].sum()
        if true < false - 1e-12:
            continue
        cost = (weights * costs[y, act.astype(int)]).sum() / weights.sum()
        selected = weights[act].sum() / weights.sum()
        rates = {"selection": selected, "true_positive": true, "false_positive": false}
        found.append((rates.get(constraint, cost), cost))
    return found


def cheapest_between(points, low, high):
    """The least cost of one threshold, or a mixture of two, with its rate from low to high."""
    inside = [cost for rate, cost in points if low - 1e-12 <= rate <= high + 1e-12]
    for (a, ca), (b, cb) in itertools.permutations(points, 2):
        for rate in (low, high):
            if a < rate < b:
                inside.append(ca + (cb - ca) * (rate - a) / (b - a))
    return min(inside, default=math.inf)


def brute_force(slices, shares, limit):
    """The least cost of all slices: in an optimum some slice has a rate of a threshold of its own.

    `limit` turns the lowest rate into the highest that is allowed, `back` the other way.
    """
    upper, lower = limit
    rates = {rate for points in slices for rate, _ in points}
    stretches = [(rate, upper(rate)) for rate in rates]
    stretches += [(lower(rate), rate) for rate in rates]
    return min(
        sum(w * cheapest_between(p, low, high) for w, p in zip(shares, slices, strict=True))
        for low, high in stretches
    )


def ends(ratio, difference):
    if ratio is None:
        return (lambda low: low + difference), (lambda high: high - difference)
    return (lambda low: low / ratio if ratio else math.inf), (lambda high: high * ratio)


@st.composite
def problems(draw, n_slices=None, whole=True):
    many = n_slices or draw(st.integers(2, 3))
    y, scores, by, weights = [], [], [], []
    for g in range(many):
        size = draw(st.integers(2, 6))
        y += [0, 1, *draw(st.lists(st.integers(0, 1), min_size=size - 2, max_size=size - 2))]
        scores += draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
        weights += draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
        by += ["abc"[g]] * size
    fn, fp = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    columns = [np.array(each, dtype=float) for each in (scores, weights)]
    return np.array(y), columns[0], np.array(by), columns[1], {"fn": fn, "fp": fp}


limits = st.one_of(
    st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]), st.none()),
    st.tuples(st.none(), st.sampled_from([0.0, 0.05, 0.2, 0.5])),
)


def solve(problem, **options):
    y, scores, by, weights, costs = problem
    return constrained_slices(
        y, scores, by=by, costs=costs, sample_weight=weights, min_cases=1, **options
    )


def by_slice(problem, constraint):
    y, scores, by, weights, costs = problem
    table = np.array([[0, costs["fp"]], [costs["fn"], 0]])
    names = sorted(set(by.tolist()))
    points = [
        points_of(y[by == g], scores[by == g], weights[by == g], table, constraint) for g in names
    ]
    return points, np.array([weights[by == g].sum() for g in names]) / weights.sum()


@given(problems(), st.sampled_from(RATES), limits)
def test_against_brute_force(problem, constraint, limit):
    ratio, difference = limit
    points, shares = by_slice(problem, constraint)
    best = brute_force(points, shares, ends(ratio, difference))
    options = {"constraint": constraint, "ratio": ratio, "difference": difference}
    if math.isinf(best):
        with pytest.raises(UndefinedError, match="as close as that"):
            solve(problem, **options)
        return
    found = solve(problem, **options)
    assert found.cost == pytest.approx(best, abs=1e-7)
    free = sum(w * min(cost for _, cost in p) for w, p in zip(shares, points, strict=True))
    assert found.free_cost == pytest.approx(free, abs=1e-12)
    if ratio is not None:
        assert found.rates.ratio(constraint) >= ratio - 1e-7
    else:
        assert found.rates.difference(constraint) <= difference + 1e-7
    for rule in found.rules:
        assert sum(rule.mixture) == pytest.approx(1)
        assert list(rule.thresholds) == sorted(rule.thresholds, reverse=True)


def region_corners(y, scores):
    """Corners of the ROC hull, and whether points lie between it and the diagonal."""
    cuts = [math.inf, *sorted(set(scores.tolist()), reverse=True), -math.inf]
    xy = np.array([[np.mean(scores[y == k] >= cut) for k in (0, 1)] for cut in cuts])

    def inside(point):
        x, height = np.clip(point, 0, 1)  # crossings are rounded
        tops = [height_at(p, q, x) for p in xy for q in xy if p[0] <= x <= q[0]]
        return height >= x - 1e-9 and height <= max(tops) + 1e-9

    return xy, inside


def height_at(p, q, x):
    return max(p[1], q[1]) if p[0] == q[0] else p[1] + (q[1] - p[1]) * (x - p[0]) / (q[0] - p[0])


def crossings(first, second):
    for (a, b), (c, d) in itertools.product(
        itertools.combinations(first, 2), itertools.combinations(second, 2)
    ):
        sides = np.array([b - a, c - d]).T
        if abs(np.linalg.det(sides)) > 1e-12:
            along = np.linalg.solve(sides, c - a)
            if (along >= -1e-9).all() and (along <= 1 + 1e-9).all():
                yield a + along[0] * (b - a)


@given(problems(n_slices=2))
def test_equal_odds_is_the_best_point_that_both_slices_reach(problem):
    y, scores, by, _, costs = problem
    problem = y, scores, by, np.ones(y.size), costs
    first, second = (region_corners(y[by == g], scores[by == g]) for g in "ab")
    candidates = [*first[0], *second[0], *crossings(first[0], second[0])]
    reached = [p for p in candidates if first[1](p) and second[1](p)]
    share = y.mean()
    best = min(
        (1 - share) * costs["fp"] * x + share * costs["fn"] * (1 - height) for x, height in reached
    )
    found = solve(problem, constraint=("true_positive", "false_positive"), difference=0.0)
    assert found.cost == pytest.approx(best, abs=1e-7)
    assert found.rates.difference("true_positive") <= 1e-7
    assert found.rates.difference("false_positive") <= 1e-7


@given(problems(), st.sampled_from(RATES[:3]), st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_a_looser_limit_never_costs_more_and_the_shadow_price_is_its_slope(
    problem, constraint, both
):
    tight, loose = sorted(both)
    strict = solve(problem, constraint=constraint, difference=tight)
    relaxed = solve(problem, constraint=constraint, difference=loose)
    assert relaxed.cost <= strict.cost + 1e-8
    # the least cost is convex in the difference: a slope lies below it everywhere
    assert relaxed.cost >= strict.cost - strict.shadow_price * (loose - tight) - 1e-7
    assert strict.cost >= relaxed.cost + relaxed.shadow_price * (loose - tight) - 1e-7
    by_ratio = [solve(problem, constraint=constraint, ratio=1 - each).cost for each in both]
    assert sorted(by_ratio) == pytest.approx(by_ratio if both[0] >= both[1] else by_ratio[::-1])


@given(problems(), st.sampled_from(RATES[:3]), st.floats(0.05, 0.95))
def test_shadow_price_of_a_ratio_is_the_slope_where_there_is_one(problem, constraint, ratio):
    step = 1e-5
    less, here, more = (
        solve(problem, constraint=constraint, ratio=r) for r in (ratio - step, ratio, ratio + step)
    )
    left, right = (here.cost - less.cost) / step, (more.cost - here.cost) / step
    assume(abs(left - right) < 1e-3)
    assert here.shadow_price == pytest.approx(right, abs=2e-3)


@given(problems(), st.sampled_from(RATES))
def test_without_a_limit_each_slice_has_its_cheapest_threshold(problem, constraint):
    found = solve(problem, constraint=constraint, difference=1000.0)
    assert found.price == 0
    assert found.shadow_price == 0
    assert found.rules == found.free_rules
    assert all(len(rule.thresholds) == 1 for rule in found.rules)
    assert "costs nothing" in found.text


@given(problems(), st.sampled_from(RATES[:3]))
def test_weights_are_repeated_rows_and_costs_scale(problem, constraint):
    y, scores, by, weights, costs = problem
    found = solve(problem, constraint=constraint, ratio=0.8)
    times = weights.astype(int)
    rows = [np.repeat(each, times) for each in (y, scores, by)]
    repeated = solve((*rows, np.ones(times.sum()), costs), constraint=constraint, ratio=0.8)
    assert repeated.cost == pytest.approx(found.cost, abs=1e-8)
    big = {name: 1e7 * amount for name, amount in costs.items()}
    scaled = solve((*problem[:4], big), constraint=constraint, ratio=0.8)
    assert scaled.cost == pytest.approx(1e7 * found.cost, rel=1e-7)


def two_groups(n=400, seed=1):
    rng = np.random.default_rng(seed)
    by = np.where(rng.random(n) < 0.3, "old", "young")
    y = (rng.random(n) < np.where(by == "old", 0.15, 0.35)).astype(int)
    return y, rng.normal(size=n) + 1.2 * y, by


def test_decisions_follow_the_mixture_and_the_seed():
    y, scores, by = two_groups(4000)
    app = Application({"fn": 5, "fp": 1}, unit="EUR", volume=12_000, period="year")
    found = constrained_slices(y, scores, by=by, costs=app, ratio=1)
    assert any(len(rule.thresholds) == 2 for rule in found.rules)
    first = found.positions(scores, by, rng=3)
    assert (first == found.positions(scores, by, rng=3)).all()
    many = np.array([found.positions(scores, by, rng=seed) for seed in range(30)])
    for name, rate in zip(found.rates.names, found.rates.selection, strict=True):
        assert many[:, by == name].mean() == pytest.approx(rate, abs=0.01)
    for rule in found.rules:  # only cases between the thresholds are drawn
        sure = (by == rule.name) & (
            (scores > max(rule.thresholds)) | (scores <= min(rule.thresholds))
        )
        assert (np.ptp(many[:, sure], axis=0) == 0).all()
    assert found.total_price == pytest.approx(12_000 * (found.cost - found.free_cost))
    assert "EUR per year" in found.text
    assert repr(found).startswith("ConstrainedSlices(2 slices; Keeping")
    assert found.frame().columns[-2:] == ("rule", "free_rule")
    assert found["old"].text == found.frame()["rule"][0]


def test_apply_is_the_average_over_draws_and_counts_by_hand():
    y, scores, by = two_groups()
    found = constrained_slices(y, scores, by=by, costs={"fn": 5, "fp": 1}, ratio=0.9)
    again = found.apply(y, scores, by=by)
    assert again.average_cost == pytest.approx(found.cost)
    new = found.apply([1, 0], [9.0, 9.0], by=["old", "old"])
    with pytest.raises(DataError, match="`by` holds slices without a rule: 'older'; there are"):
        found.apply([1, 0], [9.0, 9.0], by=["old", "older"])
    assert new.names == ("old",)
    assert new.frame().rows() == [
        {"slice": "old", "cases": 2, "selection": 1, "true_positive": 1, "false_positive": 1,
         "cost": 0.5},
    ]  # fmt: skip
    free = found.apply(y, scores, by=by, free=True)
    assert free.average_cost == pytest.approx(found.free_cost)
    assert np.isnan(found.apply([1], [9.0], by=["old"]).false_positive).all()


def test_infinite_and_narrow_scores_are_decided_as_counted():
    y = np.array([0, 0, 1, 1] * 2)
    scores = np.array([-np.inf, 0.1, 0.2, np.inf, -np.inf, 0.3, -np.inf, 0.4], dtype=np.float32)
    found = constrained_slices(
        y, scores, by=list("aaaabbbb"), costs={"fn": 9, "fp": 1},
        constraint="true_positive", ratio=1, min_cases=2,
    )  # fmt: skip
    always = found["b"]
    assert (always.thresholds, always.text) == ((-math.inf,), "always act")
    assert found.positions(scores, list("aaaabbbb")).tolist() == [0, 0, 1, 1, 1, 1, 1, 1]


def test_words_need_the_positive_class():
    y, scores, by = two_groups()
    words = np.where(y == 1, "bad", "good")
    with pytest.raises(LabelError, match="which one is the positive class"):
        constrained_slices(words, scores, by=by, costs={"fn": 5, "fp": 1}, ratio=0.8)
    found = constrained_slices(
        words, scores, by=by, costs={"fn": 5, "fp": 1}, ratio=0.8, positive="bad"
    )
    as_numbers = constrained_slices(y, scores, by=by, costs={"fn": 5, "fp": 1}, ratio=0.8)
    assert found.cost == as_numbers.cost
    assert found.apply(words, scores, by=by).average_cost == pytest.approx(found.cost)


REFUSED = {
    "both": ({"difference": 0.1}, DataError, "got both"),
    "neither": ({"ratio": None}, DataError, "got neither"),
    "high ratio": ({"ratio": 1.25}, DataError, "between 0 and 1"),
    "nan": ({"ratio": math.nan}, DataError, "ratio"),
    "word": ({"ratio": "most"}, DataError, "ratio"),
    "negative": ({"ratio": None, "difference": -0.1}, DataError, "0 or more"),
    "infinite": ({"ratio": None, "difference": math.inf}, DataError, "0 or more"),
    "constraint": ({"constraint": "precision"}, DataError, "must be among 'selection'"),
    "no constraint": ({"constraint": ()}, DataError, "must be among"),
    "odd constraint": ({"constraint": [["selection"]]}, DataError, "must be among"),
    "one slice": ({"by": ["a"] * 400}, DataError, "at least two slices"),
    "short by": ({"by": ["a", "b"]}, DataError, "by"),
    "gap": ({"by": [None, *["a", "b"] * 199, "a"]}, DataError, "by"),
    "three classes": ({"costs": 1 - np.eye(3)}, CostError, "two classes and two decisions"),
    "abstention": ({"costs": [[0, 1, 0.2], [5, 0, 0.2]]}, CostError, "got 2 and 3"),
    "cases": ({"costs": CaseCosts(np.ones((400, 2, 2)))}, CostError, "same in all cases"),
    "priors": ({"costs": Application({"fn": 5, "fp": 1}, [0.9, 0.1])}, PriorError, "shares"),
    "weights": ({"sample_weight": [-1.0] * 400}, DataError, "sample_weight"),
    "min_cases": ({"min_cases": -1}, DataError, "min_cases"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    options, error, said = REFUSED[case]
    y, scores, by = two_groups()
    given = {"by": by, "costs": {"fn": 5, "fp": 1}, "ratio": 0.8} | options
    with pytest.raises(error, match=said):
        constrained_slices(y, scores, **given)


def test_small_slices_are_refused_by_name():
    y, scores, by = two_groups()
    by = by.copy()
    by[:6], y[:6] = "rare", [0, 0, 0, 0, 0, 1]
    with pytest.raises(UndefinedError, match=r"slice 'rare' has 5 of 0, slice 'rare' has 1 of 1"):
        constrained_slices(y, scores, by=by, costs={"fn": 5, "fp": 1}, ratio=0.8)
    found = constrained_slices(y, scores, by=by, costs={"fn": 5, "fp": 1}, ratio=0.8, min_cases=1)
    assert found.rates.names == ("old", "rare", "young")


def test_gains_have_no_ratio_but_a_difference():
    y, scores, by = two_groups()
    gains = [[0, 1], [5, -2]]
    with pytest.raises(CostError, match="ratio of costs"):
        constrained_slices(y, scores, by=by, costs=gains, constraint="cost", ratio=0.8)
    found = constrained_slices(y, scores, by=by, costs=gains, constraint="cost", difference=0.1)
    assert found.rates.difference("cost") == pytest.approx(0.1)
    assert "Loosening the limit by 1 would" in found.text


def test_new_cases_must_fit():
    y, scores, by = two_groups()
    found = constrained_slices(y, scores, by=by, costs={"fn": 5, "fp": 1}, ratio=0.8)
    for call in (
        lambda: found.positions([0.1], ["unheard"]),
        lambda: found.positions([], []),
        lambda: found.positions([0.1, 0.2], ["old"]),
        lambda: found.positions(["x"], ["old"]),
        lambda: found.positions([0.1], ["old"], rng=-1),
        lambda: found.apply([0, 1], [0.1], by=["old"]),
        lambda: found.apply([7], [0.1], by=["old"]),
        lambda: found.rates.ratio("precision"),
    ):
        with pytest.raises(StakesError):
            call()
    with pytest.raises(KeyError, match="no slice 'unheard'"):
        found["unheard"]


@pytest.mark.parametrize(
    ("usual", "ours"),
    [
        ("equal_opportunity", "true_positive"),
        (["demographic parity"], "selection"),
        (["true_positive", "Predictive-Equality"], "false_positive"),
    ],
)
def test_usual_words_are_answered(usual, ours):
    with pytest.raises(DataError, match=f'constraint="{ours}"'):
        as_constraints(usual)
    with pytest.raises(DataError, match=r'constraint=."true_positive", "false_positive".'):
        as_constraints("equalized_odds")
