"""Capacity: against brute force and HiGHS, a million cases, the loans, coverage and regret.

    python benchmarks/capacity.py            about three minutes of one core
    python benchmarks/capacity.py --draws 50 a quick look at coverage

Durations are wall-clock seconds of this machine, with CPU seconds beside them. The bar is 2 s for
a million cases.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import time

import numpy as np

from stakes.application import Application, CaseCosts
from stakes.demonstration import example_path
from stakes.resources import (
    Limit,
    Reviewer,
    capacity_curve,
    capacity_optimum,
    capacity_stream,
    review_plan,
)
from stakes.resources.capacity import optimum


def expected_costs(rng, n):
    """Pay, refuse, review by an expert or by a clerk: amounts with a long tail."""
    p, amount = rng.beta(0.5, 3, n), rng.lognormal(8, 1, n)
    costs = np.empty((n, 4))
    costs[:, 0] = 0.75 * p * amount
    costs[:, 1] = (1 - p) * (0.02 * amount + 150)
    least = costs[:, :2].min(axis=1)
    costs[:, 2], costs[:, 3] = 60 + 0.3 * least, 20 + 0.6 * least
    return costs


NAMES = ("pay", "refuse", "expert", "clerk")
SHARES = {"refuse": 0.03, "expert": 0.02, "clerk": 0.05}


def limits_of(n, shares=SHARES):
    return tuple(Limit(name, share * n) for name, share in shares.items())


def brute_force(rounds=200):
    """Every assignment of few cases."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(rounds):
        n = int(rng.integers(2, 7))
        costs = rng.normal(size=(n, 3))
        high = rng.integers(0, n + 1, 2)
        low = int(rng.integers(0, n + 1 - min(n, 1)))
        best = min(
            (
                sum(costs[i, c] for i, c in enumerate(choice))
                for choice in itertools.product(range(3), repeat=n)
                if choice.count(1) <= high[0] and choice.count(2) <= high[1]
                and choice.count(0) >= min(low, n)
            ),
        )  # fmt: skip
        limits = (Limit(0, at_least=min(low, n)), Limit(1, high[0]), Limit(2, high[1]))
        worst = max(worst, abs(optimum(costs, (0, 1, 2), limits, None).cost * n - best))
    print(f"brute force: {rounds} problems of 2 to 6 cases, largest difference {worst:.1e}")


def million():
    """A million cases and three limits, certified by the dual."""
    for n in (10_000, 100_000, 1_000_000):
        costs = expected_costs(np.random.default_rng(1), n)
        limits = limits_of(n)
        optimum(costs[:2000], NAMES, limits_of(2000), None)  # imports
        wall, spent = time.perf_counter(), time.process_time()
        found = optimum(costs, NAMES, limits, None)
        wall, spent = time.perf_counter() - wall, time.process_time() - spent
        high = np.array([limit.at_most for limit in limits])
        bound = (costs + found.prices).min(axis=1).sum() - found.prices[1:] @ high
        gap = found.cost * n - bound
        missed = "MISSED" if wall > 2 else "met"
        print(
            f"{n:9,} cases, 3 limits: {wall:.2f} s, {spent:.2f} s of CPU (bar 2 s: {missed}); "
            f"above the dual bound by {gap / bound:.0e} of it"
        )


def loans():
    """Ranking by expected saving and by probability."""
    rows = list(csv.DictReader(example_path("loans.csv").read_text().splitlines()))
    amount, p = (np.array([float(row[name]) for row in rows]) for name in ("amount", "bank_p"))
    truth = np.array([int(row["default"]) for row in rows])
    miss, alarm = 0.75 * amount, 0.02 * amount + 150
    costs = CaseCosts.binary(fn=miss, fp=alarm)
    curve = capacity_curve(p, costs, decision=1, y_true=truth)
    real = np.where(truth == 1, miss, -alarm)
    for k in (30, 100, 300):
        taken = capacity_optimum(p, costs, capacity={1: k})
        saved = real[taken.decisions == 1].sum()
        assert np.isclose(saved, len(p) * (curve.cost[0] - curve.at(k)["cost"]))
        ranked = real[np.argsort(-p, kind="stable")[:k]].sum()
        print(
            f"loans, {k:3} of {len(p)}: saves {saved:9,.0f}, by probability {ranked:9,.0f}; one "
            f"more is worth {taken[1].price:6,.0f} ({taken[1].interval[0]:,.0f} to "
            f"{taken[1].interval[1]:,.0f})"
        )


def related_weights(rng, costs):
    """Weights that grow with what paying may cost, so that heavy cases are those that compete."""
    return np.sqrt(costs[:, 0] + 1) * rng.lognormal(0, 0.5, len(costs))


def coverage(draws, weigh=None):
    """How often the intervals of prices hold the price of a very large batch."""

    def solved(rng, n, shares):
        costs = expected_costs(rng, n)
        weights = None if weigh is None else weigh(rng, costs)
        return optimum(costs, NAMES, limits_of(n, shares), weights)

    many, kind = 400_000, "" if weigh is None else "weighted "
    for shares in ({"expert": 0.02}, SHARES):
        truth = solved(np.random.default_rng(2), many, shares)
        for n in (300, 1000, 5000):
            held = np.zeros(len(shares))
            for k in range(draws):
                found = solved(np.random.default_rng([3, n, k]), n, shares)
                held += [
                    each.interval[0] <= true.price <= each.interval[1]
                    for each, true in zip(found.limits, truth.limits, strict=True)
                ]
            said = ", ".join(
                f"{name} {100 * share:.1f} %"
                for name, share in zip(shares, held / draws, strict=True)
            )
            print(f"coverage of 95 % intervals, {n} {kind}cases, {draws} batches: {said}")


def reviewers(draws):
    """How often intervals hold what a reviewer saves by the plan in other batches, on average."""
    errors = np.array([[0.93, 0.07], [0.15, 0.85]])
    for n, hours in ((300, 3), (1000, 8), (1000, 80)):
        held = 0
        for k in range(draws):
            rng = np.random.default_rng([5, n, hours, k])
            truth = np.repeat([0, 1], 60)
            said = np.where(rng.random(120) < errors[truth, truth], truth, 1 - truth)
            one = Reviewer.from_labels("one", truth, said, fee=20, minutes=10, hours=hours)
            p, amount = rng.beta(0.5, 3, n), rng.lognormal(6, 1, n)
            costs = CaseCosts.binary(fn=0.75 * amount, fp=0.02 * amount + 50)
            plan = review_plan(p, costs, reviewers=one, draws=300, rng=k)
            low, high = plan.intervals["one"]
            held += low <= really_saved(plan, one, errors, n, np.random.default_rng(6)) <= high
        print(
            f"coverage of 95 % intervals of what a reviewer saves, {n} cases, {hours} hours, "
            f"{draws} batches: {100 * held / draws:.1f} %"
        )


def really_saved(plan, one, errors, n, rng, many=200_000):
    """What the plan saves in a batch of n by true errors: its prices, on very many cases."""
    p, amount = rng.beta(0.5, 3, many), rng.lognormal(6, 1, many)
    miss, alarm = 0.75 * amount, 0.02 * amount + 50
    at_once = np.minimum(p * miss, (1 - p) * alarm)
    thought = really = one.fee
    for s in (0, 1):
        lost, wrong = p * one.errors[1, s] * miss, (1 - p) * one.errors[0, s] * alarm
        thought = thought + np.minimum(lost, wrong)
        truly = p * errors[1, s] * miss, (1 - p) * errors[0, s] * alarm
        really = really + np.where(lost <= wrong, *truly)
    price = plan.optimum.prices[2]
    seen = at_once - thought > price
    above = np.where(seen, at_once - really - price, 0.0)
    cases = min(one.cases, n) if price > 0 else 0
    return n * above.mean() + price * cases


def streams():
    """Regret of prices from the past, as a share of what the capacity saves in hindsight."""
    app = Application([[0, 4, 1], [60, 0, 8]])
    for n in (100, 400):
        rng = np.random.default_rng(4)
        p, day = rng.beta(0.5, 4, 30 * n), np.repeat(np.arange(30), n)
        capacity = {1: "3%", 2: "5%"}
        stream = capacity_stream(p, app, capacity=capacity, periods=day)
        none = capacity_stream(p, app, capacity={1: 0, 2: 0}, periods=day)
        blind = stream.regret[0] / (none.optimum[0] - stream.optimum[0])
        later = stream.regret[10:].sum() / (none.optimum - stream.optimum)[10:].sum()
        print(
            f"stream of 30 days with {n} cases: regret {100 * blind:.1f} % of what the capacity "
            f"saves on the first day, without prices; {100 * later:.2f} % from the 11th on"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=200)
    args = parser.parse_args()
    brute_force()
    loans()
    million()
    streams()
    coverage(args.draws)
    coverage(args.draws, related_weights)
    reviewers(args.draws)


if __name__ == "__main__":
    main()
