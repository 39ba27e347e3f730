"""How many questions it takes: simulated users with a hidden ratio, against plain bisection.

Each simulated user has a hidden number of false alarms that a miss is worth, log-uniform from
1:1000 to 1000:1, and answers every question by what the numbers shown would cost them. Counted:
the questions until a model is chosen, and until a threshold is pinned down so that at most 0.05 or
0.01 of normalised expected cost can be lost. Checked: that no more than that is lost.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from stakes import ScoreCounts
from stakes.elicitation import Elicitation

CASES = 20_000
SHARE = 0.078


def data(rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Two models whose ROC curves cross once, and one that both beat."""
    y = (rng.random(CASES) < SHARE).astype(np.int8)
    noise = rng.normal(size=(3, CASES))
    sharp = np.where(y == 1, 2.2 * noise[0] + 2.2, noise[0])  # finds some positives surely
    even = np.where(y == 1, 0.8 * noise[1] + 1.9, noise[1])  # misses few at many alarms
    weak = 0.7 * y + noise[2]
    return y, {"sharp": sharp, "even": even, "weak": weak}


def questions(talk: Elicitation, ratio: float) -> tuple[int, float]:
    """How many questions a user with this hidden ratio answers, and what is then lost."""
    asked = 0
    while (question := talk.question) is not None:
        talk = talk.answered("b" if ratio > question.ratio else "a")
        asked += 1
    options = talk.options
    chosen = options.names.index(talk.recommendation)
    return asked, float(options.regrets[chosen, options.position(ratio)])


def bisection(switches: np.ndarray, ratio: float) -> int:
    """Questions at the middle of the interval until no switch of the model is inside."""
    low, high, asked = math.log(1e-3), math.log(1e3), 0
    while ((switches > low) & (switches < high)).any():
        middle = (low + high) / 2
        low, high = (middle, high) if math.log(ratio) > middle else (low, middle)
        asked += 1
    return asked


def main() -> None:
    users = 1000 if "--large" in sys.argv else 200
    rng = np.random.default_rng(0)
    y, models = data(rng)
    counts = {k: ScoreCounts.from_scores(y, s, kind="rank") for k, s in models.items()}
    pair = {k: counts[k] for k in ("sharp", "even")}
    alone = {k: counts[k] for k in ("even", "weak")}
    ratios = np.exp(rng.uniform(math.log(1e-3), math.log(1e3), users))
    prior = float(y.mean())
    print(f"\n{users} simulated users, {CASES} cases, {prior:.1%} positive")
    print(f"{'what':<44}  {'mean':>5}  {'most':>4}  {'lost at most':>12}  bar")
    goals = [
        ("choose between two crossing models", pair, "model", 0.02, 1),
        ("choose when one model dominates", alone, "model", 0.02, 0),
        ("pin the threshold within 0.05", pair, "threshold", 0.05, 4),
        ("pin the threshold within 0.01", pair, "threshold", 0.01, 6),
    ]
    for title, systems, goal, tolerance, bar in goals:
        talk = Elicitation(systems, prior=prior, goal=goal, tolerance=tolerance)
        found = [questions(talk, float(ratio)) for ratio in ratios]
        asked, lost = np.array(found).T
        kept = asked.mean() <= bar and lost.max() <= tolerance + 1e-9
        print(
            f"{title:<44}  {asked.mean():>5.2f}  {asked.max():>4.0f}  {lost.max():>12.4f}  "
            f"<= {bar}  {'ok' if kept else 'MISSED'}"
        )
    talk = Elicitation(pair, prior=prior, goal="model")
    question = talk.question
    if question is not None:
        switches = np.log(np.array([question.ratio]))
        plain = [bisection(switches, float(ratio)) for ratio in ratios]
        print(f"{'  plain bisection for the two models':<44}  {np.mean(plain):>5.2f}  {max(plain):>4}")


if __name__ == "__main__":
    main()
