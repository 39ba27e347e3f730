"""Labels that predictions save, and whether intervals hold: few labels, and a judge's labels.

    STAKES_DATA=... python benchmarks/few_labels.py [labels] [judge] [elsewhere] [--draws 1000]

- labels: of every set 300 cases are labelled, at random and with the chances of `plan_labels`.
  "needed" is the number of labels for the same variance, per label of plain sampling; "bound" what
  calibrated posteriors allow, 1 - R^2 at random and (E sqrt v)^2 / Var with chances. "held" is the
  share of 95 % intervals that hold the cost of all labels. Every error costs 1, or a miss of the
  last class 10. Errors are compared with those of the posteriors' own predictions, corrected by the
  same labels, whose variance over all draws is known: most of the chance in a ratio cancels.
- judge: simulated judges that are right in 70 to 95 % of the cases of a set, 300 of which are
  labelled twice; "needed" as above, against the truth of the 300 cases alone.
- elsewhere: the same judges, with errors counted over 300 other cases.

Posteriors are calibrated by cross-fitting, and by isotonic regression on top where that lowers the
log loss of unseen cases. Needs scikit-learn and pandas.
"""

from __future__ import annotations

import argparse
import os

import numpy as np
from before_labels import SIZES, any_set

from stakes.calibration import Automatic, Isotonic, cross_fit
from stakes.estimation import DecidedCases, cost_from_judge, cost_from_labels, plan_labels
from stakes.exceptions import UndefinedError

LABELS = 300
MOST_CASES = 20_000


def calibrated_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """At most 20,000 cases of a set, with posteriors calibrated on other folds."""
    posteriors, truth = any_set(name)
    rng = np.random.default_rng(0)
    kept = rng.permutation(len(truth))[:MOST_CASES]
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(posteriors[kept], 1e-30))
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    labels = truth[kept]
    fitted = cross_fit(labels, logs, calibrator=Automatic(), rng=1)
    once = np.log(np.maximum(fitted, 1e-30))
    twice = cross_fit(labels, once, calibrator=Isotonic(), rng=2)
    said = [np.maximum(each[np.arange(len(labels)), labels], 1e-30) for each in (fitted, twice)]
    better = np.log(said[1]).mean() > np.log(said[0]).mean()
    return (twice if better else fitted), labels


def costs_of(classes: int, miss: float) -> np.ndarray:
    costs = 1.0 - np.eye(classes)
    costs[-1] *= miss
    return costs


def labels(draws: int, sets: list[str]) -> None:
    head = f"{'set':<20} {'miss':>4}  {'random: needed':>14} {'bound':>6} {'held':>6}"
    print(f"{head}  {'chances: needed':>15} {'bound':>6} {'held':>6}  {'plain held':>10}")
    for name in sets:
        posteriors, truth = calibrated_set(name)
        for miss in (1.0, 10.0):
            print(f"{name:<20} {miss:>4g}  {_row(posteriors, truth, miss, draws)}", flush=True)


def _row(posteriors: np.ndarray, truth: np.ndarray, miss: float, draws: int) -> str:
    costs = costs_of(posteriors.shape[1], miss)
    cases = DecidedCases.from_scores(truth, posteriors, costs=costs)
    size, all_labels = len(truth), cases.cost
    paid = cases.paid[np.arange(size), truth]
    mean = (cases.paid * cases.posteriors).sum(axis=1)
    spread = (cases.posteriors * (cases.paid - mean[:, None]) ** 2).sum(axis=1)
    plan, rng = plan_labels(cases, labels=LABELS), np.random.default_rng(2)
    # variance of plain sampling, of these cases without replacement
    plain = paid.var() / LABELS * (1 - LABELS / size)
    whole, off = spread.mean() + mean.var(), paid - mean
    cells, simple = [], 0
    for active in (False, True):
        chances = plan.chances if active else np.full(size, LABELS / size)
        errors, held = [], 0
        for _ in range(draws):
            picked = plan.draw(rng) if active else rng.choice(size, LABELS, replace=False)
            known = np.full(size, np.nan)
            known[picked] = truth[picked]
            found = cost_from_labels(known, cases, chances=chances if active else None)
            weight = LABELS / size / chances[picked]
            fixed = mean.mean() + (weight * off[picked]).mean()
            errors.append((found.value - all_labels, fixed - all_labels))
            held += all_labels in found
            simple += (found.plain[1] <= all_labels <= found.plain[2]) and not active
        apart = (off - off.mean()) ** 2
        exact = (apart * (1 / chances - 1)).sum() / size**2
        ours, theirs = (np.array(errors) ** 2).mean(axis=0)
        bound = np.sqrt(spread).mean() ** 2 / whole if active else spread.mean() / whole
        needed = ours / theirs * exact / plain
        cells.append(f"{needed:>14.2f} {bound:>6.2f} {held / draws:>6.1%}")
    return f"{cells[0]}  {cells[1]:>29}  {simple / draws:>10.1%}"


JUDGED = ("credit", "sst2_gpt2", "agnews_gpt2", "cifar10_resnet-20")


def judge(draws: int, elsewhere: bool = False) -> None:
    where = "counted in 300 other cases" if elsewhere else "of 300 of the cases"
    print(f"Judges; errors {where}")
    print(f"{'set':<20} {'miss':>4} {'judge right':>11} {'held':>7} {'needed':>7} {'refused':>8}")
    for name in JUDGED:
        posteriors, truth = calibrated_set(name)
        classes = posteriors.shape[1]
        for miss in (1.0, 10.0):
            costs = costs_of(classes, miss)
            decided = (posteriors @ costs).argmin(axis=1)
            for right in (0.7, 0.8, 0.9, 0.95):
                told = _judged(truth, decided, costs, (right, draws, elsewhere))
                print(f"{name:<20} {miss:>4g} {right:>11.0%} {told}", flush=True)


def _judged(truth, decided, costs, setting) -> str:
    (right, draws, elsewhere), classes = setting, len(costs)
    rng, size = np.random.default_rng(3), len(truth)
    paid = costs[truth, decided]
    held, refused, errors = 0, 0, []
    for _ in range(draws):
        wrong = (truth + rng.integers(1, classes, size)) % classes
        said = np.where(rng.random(size) < right, truth, wrong)
        twice = rng.permutation(size) < LABELS
        rest = ~twice if elsewhere else np.ones(size, dtype=bool)
        known, errors_of = np.where(twice, truth.astype(float), np.nan), None
        if elsewhere:
            errors_of, known = np.zeros((classes, classes)), np.full(size, np.nan)
            np.add.at(errors_of, (truth[twice], said[twice]), 1.0)
        try:
            found = cost_from_judge(
                known[rest], said[rest], decisions=decided[rest], costs=costs, errors=errors_of,
            )  # fmt: skip
        except UndefinedError:
            refused += 1
        else:
            held += paid[rest].mean() in found
            errors.append(found.value - paid[rest].mean())
    told = max(draws - refused, 1)
    needed = np.mean(np.square(errors)) / (paid.var() / LABELS * (1 - LABELS / size))
    return f"{held / told:>7.1%} {needed:>7.2f} {refused:>8}"


def main() -> None:
    if not os.environ.get("STAKES_DATA"):
        print("few_labels: set STAKES_DATA to the folder of public data sets")
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["labels", "judge"])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--sets", default=",".join(SIZES), help="of the part `labels`")
    options = parser.parse_args()
    for part in options.parts:
        if part == "labels":
            labels(options.draws, options.sets.split(","))
        else:
            judge(options.draws, elsewhere=part == "elsewhere")


if __name__ == "__main__":
    main()
