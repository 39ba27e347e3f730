"""How many questions it takes: simulated users with a hidden ratio, against plain bisection.

Each simulated user has a hidden number of false alarms that a miss is worth, log-uniform from
1:1000 to 1000:1, and answers every question by what the numbers shown would cost them. Counted:
the questions until a model is chosen, and until a threshold is pinned down so that at most 0.05 or
0.01 of normalised expected cost can be lost. What is then lost is measured on the counts
themselves, apart from the code that asks.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from stakes import ScoreCounts
from stakes.elicitation import Elicitation

CASES = 20_000
SHARE = 0.078
SEEDS = (0, 1, 2)


def data(rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Two models whose ROC curves cross once, and one that the second dominates."""
    y = (rng.random(CASES) < SHARE).astype(np.int8)
    noise = rng.normal(size=(3, CASES))
    sharp = np.where(y == 1, 2.2 * noise[0] + 2.2, noise[0])  # finds some positives surely
    even = np.where(y == 1, 0.8 * noise[1] + 1.9, noise[1])  # misses few at many alarms
    weak = 0.3 * y + noise[2]
    return y, {"sharp": sharp, "even": even, "weak": weak}


def questions(talk: Elicitation, ratio: float) -> tuple[Elicitation, int]:
    """The conversation with a user of this hidden ratio, and how many questions it took."""
    asked = 0
    while (question := talk.question) is not None:
        talk = talk.answered("b" if ratio > question.ratio else "a")
        asked += 1
    return talk, asked


def normalised(scores: ScoreCounts, ratio: float, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds, and the normalised cost at each of them."""
    cuts, below_first, below_second = scores.finest
    n0, n1 = scores.class_totals
    costs = prior * ratio * below_second / n1 + (1 - prior) * (1 - below_first / n0)
    return cuts, costs / min(prior * ratio, 1 - prior)


def lost(talk: Elicitation, systems: dict[str, ScoreCounts], ratio: float) -> float:
    """Normalised cost of the recommendation above that of the best model and threshold."""
    best = min(float(normalised(each, ratio, talk.prior)[1].min()) for each in systems.values())
    name = talk.recommendation.partition(" > ")[0]
    if name not in systems:  # a constant decision
        weights = talk.prior * ratio, 1 - talk.prior
        return weights[name == "act on everybody"] / min(weights) - best
    cuts, costs = normalised(systems[name], ratio, talk.prior)
    at = costs.argmin() if talk.goal == "model" else np.searchsorted(cuts, talk.threshold)
    return float(costs[at]) - best


def bisection(switch: float, ratio: float) -> int:
    """Questions at the middle of the interval until the switch of the model is outside."""
    low, high, asked = math.log(1e-3), math.log(1e3), 0
    while low < math.log(switch) < high:
        middle = (low + high) / 2
        low, high = (middle, high) if math.log(ratio) > middle else (low, middle)
        asked += 1
    return asked


GOALS = [
    ("choose between two crossing models", ("sharp", "even"), "model", 0.02, 1),
    ("choose when one model dominates", ("even", "weak"), "model", 0.02, 0),
    ("pin the threshold within 0.05", ("sharp", "even"), "threshold", 0.05, 4),
    ("pin the threshold within 0.01", ("sharp", "even"), "threshold", 0.01, 6),
]


def main() -> None:
    users = 500 if "--large" in sys.argv else 60
    found: dict[str, list[tuple[int, float]]] = {title: [] for title, *_ in GOALS}
    plain: list[int] = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        y, models = data(rng)
        counts = {k: ScoreCounts.from_scores(y, s, kind="rank") for k, s in models.items()}
        ratios = np.exp(rng.uniform(math.log(1e-3), math.log(1e3), users)).tolist()
        for title, names, goal, tolerance, _ in GOALS:
            systems = {k: counts[k] for k in names}
            start = Elicitation(systems, priors=float(y.mean()), goal=goal, tolerance=tolerance)
            for ratio in ratios:
                talk, asked = questions(start, ratio)
                found[title].append((asked, lost(talk, systems, ratio)))
            if title == GOALS[0][0] and start.question is not None:
                plain += [bisection(start.question.ratio, ratio) for ratio in ratios]
    print(f"\n{users} simulated users on each of {len(SEEDS)} data sets of {CASES} cases")
    print(f"{'what':<40}  {'mean':>5}  {'most':>4}  {'lost, mean':>10}  {'most':>6}  bar")
    for title, _, _, tolerance, bar in GOALS:
        asked, losses = np.array(found[title]).T
        kept = asked.max() <= bar and losses.max() <= tolerance + 1e-9
        print(
            f"{title:<40}  {asked.mean():>5.2f}  {asked.max():>4.0f}  {losses.mean():>10.4f}  "
            f"{losses.max():>6.4f}  <= {bar}  {'ok' if kept else 'MISSED'}"
        )
    print(f"{'  plain bisection for the two models':<40}  {np.mean(plain):>5.2f}  {max(plain):>4}")


if __name__ == "__main__":
    main()
