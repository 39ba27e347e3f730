"""How often a watch alarms for nothing, and how soon it finds a change, by simulation.

    python benchmarks/monitoring.py                # a rough look
    python benchmarks/monitoring.py --runs 2000    # the figures of docs/monitoring.md

A reference of 5 000 or 20 000 cases, then 30 periods of 1 000; a miss costs ten false alarms. The
rule is that of `stakes.monitoring.watch`, here for all runs at once: look k asks about cost, shares
and errors of the period and of all periods so far, and may spend 5 % / (k (k + 1)). "each period"
tests every period by itself at 5 %, with the same three questions corrected for each other.
"""

from __future__ import annotations

import argparse

import numpy as np

from stakes._kernels.permutation import permuted_sums
from stakes._kernels.score_test_limits import chance_of, equal_shares

LOOKS, PERIOD, ALPHA = 30, 1000, 0.05
COSTS = np.array([0.0, 1.0, 10.0, 0.0])
#: Share of the positive, rates of false alarms and of misses: before, and from look 11 on.
SETTINGS = {
    "nothing changes, 10 % positive": ((0.10, 0.05, 0.20), None),
    "nothing changes, 2 % positive": ((0.02, 0.02, 0.30), None),
    "nothing changes, 50 % positive": ((0.50, 0.10, 0.10), None),
    "shares 10 % -> 13 %": ((0.10, 0.05, 0.20), (0.13, 0.05, 0.20)),
    "misses 20 % -> 30 %": ((0.10, 0.05, 0.20), (0.10, 0.05, 0.30)),
    "misses 20 % -> 40 %": ((0.10, 0.05, 0.20), (0.10, 0.05, 0.40)),
}


def cells(share: float, alarms: float, misses: float) -> np.ndarray:
    """Probabilities of the four cells."""
    return np.array(
        [(1 - share) * (1 - alarms), (1 - share) * alarms, share * misses, share * (1 - misses)]
    )


def least_chance(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The least of three probabilities, (S,), for counts (S, 4)."""
    found = [permuted_sums(before[:, None], after[:, None], COSTS[None, None])]
    tables = before.reshape(-1, 2, 2), after.reshape(-1, 2, 2)
    found.append(chance_of(*equal_shares(*(t.sum(axis=2)[:, None] for t in tables))))
    found.append(chance_of(*equal_shares(*tables)))
    return np.min(found, axis=0)


def run(setting: tuple, reference: int, runs: int, seed: int) -> tuple[float, float, float, float]:
    """Alarms by watch and by each period, and, after a change, how many looks the watch takes."""
    rng = np.random.default_rng(seed)
    before, after = setting
    periods = rng.multinomial(PERIOD, cells(*before), size=(runs, LOOKS)).astype(float)
    if after is not None:
        periods[:, 10:] = rng.multinomial(PERIOD, cells(*after), size=(runs, LOOKS - 10))
    base = rng.multinomial(reference, cells(*before), size=runs).astype(float)
    base = np.repeat(base, LOOKS, axis=0)
    alone = least_chance(base, periods.reshape(-1, 4)).reshape(runs, LOOKS)
    pooled = least_chance(base, periods.cumsum(axis=1).reshape(-1, 4)).reshape(runs, LOOKS)
    k = np.arange(1, LOOKS + 1)
    asked = np.where(k == 1, 3, 6)
    rung = asked * np.minimum(alone, pooled) <= ALPHA / (k * (k + 1))
    daily = 3 * alone <= ALPHA
    first = np.where(rung.any(axis=1), rung.argmax(axis=1), LOOKS)
    late = np.median(first[first >= 10] - 9) if after is not None and (first >= 10).any() else 0
    start = slice(0, 10 if after is not None else LOOKS)
    return rung[:, start].any(axis=1).mean(), daily[:, start].any(axis=1).mean(), late, (
        rung.any(axis=1).mean()
    )  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    print(
        f"{LOOKS} periods of {PERIOD} cases, {runs} runs, alpha {ALPHA:.0%}; changes at look 11\n"
    )
    print("                                            false alarms              found")
    print(
        f"{'setting':<32} {'reference':>9}  {'watch':>7}  {'each period':>11}  {'share':>7}  looks"
    )
    for seed, (name, setting) in enumerate(SETTINGS.items()):
        for reference in (5000, 20_000):
            false, daily, late, found = run(setting, reference, runs, seed)
            share = f"{found:>7.1%}  {late:>5g}" if setting[1] is not None else ""
            print(f"{name:<32} {reference:>9}  {false:>7.1%}  {daily:>11.1%}  {share}")
    error = 2 * np.sqrt(ALPHA * (1 - ALPHA) / runs)
    print(f"\na true 5 % shows as {ALPHA - error:.1%} to {ALPHA + error:.1%} in {runs} runs")


if __name__ == "__main__":
    main()
