"""Whether the chance of being best means what it says, with one cost matrix for all cases.

    python benchmarks/chance_of_best.py               # a rough look
    python benchmarks/chance_of_best.py --sets 2000   # the figures of docs/design/intervals.md

*Equal*: two systems of the same cost. A chance above 97.5 % for either should come in 5 % of
data sets. *Right*: the second system misses more or fewer cases than the first, by an amount drawn
for each data set; of the data sets in which a system has a chance of 80 to 95 %, how many does it
really cost least in, beside the mean of these chances. Both by the law of the interval, as
`stakes.uncertainty.compare` has it, and by the Bayesian bootstrap alone.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from stakes import Application, PairedCounts
from stakes.uncertainty import compare
from stakes.uncertainty.comparison import probabilities_best

#: Cases, share of positives, cost of a miss in false alarms.
SETTINGS = [(200, 0.2, 1), (200, 0.2, 10), (1000, 0.1, 10), (1000, 0.02, 40), (5000, 0.05, 20)]
MISSED, ALARMS = 0.2, 0.1


def drawn(rng: np.random.Generator, cases: int, share: float, more: float) -> PairedCounts:
    """Joint decisions of two systems, the second with `more` misses of the positives."""
    y = (rng.random(cases) < share).astype(int)
    rates = np.where(y, [[MISSED], [MISSED + more]], ALARMS)
    common, own = rng.random(cases), rng.random((2, cases))
    wrong = np.where(rng.random(cases) < 0.5, common, own) < rates  # half of the errors are shared
    decided = {name: np.where(bad, 1 - y, y) for name, bad in zip("ab", wrong, strict=True)}
    return PairedCounts.from_decisions(y, decided, classes=[0, 1], decision_names=[0, 1])


def measured(setting: tuple[int, float, float], sets: int, draws: int) -> dict[str, list[float]]:
    """Shares of data sets, by the law of the interval and by the bootstrap."""
    cases, share, ratio = setting
    rng = np.random.default_rng([cases, int(1000 * share), int(ratio)])
    app = Application([[0, 1], [ratio, 0]])
    spread = 1.5 * np.sqrt(2 * MISSED / (cases * share))
    found: dict[str, list[tuple[float, bool]]] = {"law": [], "bootstrap": []}
    equal: dict[str, list[bool]] = {"law": [], "bootstrap": []}
    for k in range(sets):
        for more in (0.0, float(np.clip(rng.normal(0, spread), -MISSED, 0.5))):
            one = compare(drawn(rng, cases, share, more), app, draws=draws, rng=k, min_cases=1)
            chances = {
                "law": one.probability_best,
                "bootstrap": probabilities_best(one.replicates.values),
            }
            for name, chance in chances.items():
                if more == 0.0:
                    equal[name].append(bool(chance.max() > 0.975))
                elif 0.8 <= chance.max() <= 0.95:
                    best = int(chance.argmax()) == (0 if more > 0 else 1)
                    found[name].append((float(chance.max()), best))
    return {
        name: [
            np.mean(equal[name]),
            np.mean([best for _, best in found[name]]),
            np.mean([chance for chance, _ in found[name]]),
            len(found[name]),
        ]
        for name in found
    }


def main() -> None:
    """Print a line per setting and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--draws", type=int, default=1000)
    asked = parser.parse_args()
    print("cases  share  miss costs  way        equal  right  said   sets")
    started = time.perf_counter()
    for setting in SETTINGS:
        for way, (equal, right, said, many) in measured(setting, asked.sets, asked.draws).items():
            cases, share, ratio = setting
            print(
                f"{cases:5d}  {share:5.2f}  {ratio:10.0f}  {way:9s}  {equal:5.3f}  {right:5.3f}  "
                f"{said:5.3f}  {many:4.0f}",
                flush=True,
            )
    print(f"{asked.sets} data sets of each kind, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
