"""Labels that predictions save, and whether intervals hold: few labels, and a judge's labels.

    STAKES_DATA=... python benchmarks/few_labels.py [labels] [judge] [--draws 1000]

- labels: of every set 300 cases are labelled, at random and with the chances of `plan_labels`.
  "needed" is the number of labels for the same variance, per label of plain sampling; "bound" what
  calibrated posteriors allow, 1 - R^2 at random and (E sqrt v)^2 / Var with chances. "held" is the
  share of 95 % intervals that hold the cost of all labels. Every error costs 1, or a miss of the
  last class 10.
- judge: simulated judges that are right in 70 to 95 % of the cases of a set, 300 of which are
  labelled twice.

Posteriors are calibrated by cross-fitting. Needs scikit-learn and pandas.
"""

from __future__ import annotations

import argparse
import os

import numpy as np
from before_labels import SIZES, any_set

from stakes.calibration import Automatic, cross_fit
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
    fitted = cross_fit(truth[kept], logs, calibrator=Automatic(), rng=1)
    return fitted, truth[kept]


def costs_of(classes: int, miss: float) -> np.ndarray:
    costs = 1.0 - np.eye(classes)
    costs[-1] *= miss
    return costs


def labels(draws: int) -> None:
    head = f"{'set':<20} {'miss':>4}  {'random: needed':>14} {'bound':>6} {'held':>6}"
    print(f"{head}  {'chances: needed':>15} {'bound':>6} {'held':>6}  {'plain held':>10}")
    for name in SIZES:
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
    cells, simple = [], 0
    for active in (False, True):
        values, held = [], 0
        for _ in range(draws):
            if active:
                drawn = np.zeros(size, dtype=bool)
                drawn[plan.draw(rng)] = True
            else:
                drawn = np.zeros(size, dtype=bool)
                drawn[rng.choice(size, LABELS, replace=False)] = True
            known = np.where(drawn, truth.astype(float), np.nan)
            found = cost_from_labels(known, cases, chances=plan.chances if active else None)
            values.append(found.value)
            held += all_labels in found
            simple += (found.plain[1] <= all_labels <= found.plain[2]) and not active
        needed = np.mean((np.array(values) - all_labels) ** 2) / plain
        whole = spread.mean() + mean.var()
        bound = np.sqrt(spread).mean() ** 2 / whole if active else spread.mean() / whole
        cells.append(f"{needed:>14.2f} {bound:>6.2f} {held / draws:>6.1%}")
    return f"{cells[0]}  {cells[1]:>29}  {simple / draws:>10.1%}"


def judge(draws: int) -> None:
    print(f"{'set':<20} {'miss':>4} {'judge right':>11} {'held':>7} {'refused':>8}")
    for name in ("credit", "sst2_gpt2", "agnews_gpt2", "cifar10_resnet-20"):
        posteriors, truth = calibrated_set(name)
        classes = posteriors.shape[1]
        for miss in (1.0, 10.0):
            cases = DecidedCases.from_scores(truth, posteriors, costs=costs_of(classes, miss))
            decided = (posteriors @ costs_of(classes, miss)).argmin(axis=1)
            for right in (0.7, 0.8, 0.9, 0.95):
                held, refused = _judged(truth, decided, cases, (right, miss, draws))
                told = max(draws - refused, 1)
                print(
                    f"{name:<20} {miss:>4g} {right:>11.0%} {held / told:>7.1%} {refused:>8}",
                    flush=True,
                )


def _judged(truth, decided, cases, setting) -> tuple[int, int]:
    (right, miss, draws), classes, rng = setting, len(cases.classes), np.random.default_rng(3)
    held = refused = 0
    for _ in range(draws):
        said = np.where(
            rng.random(len(truth)) < right,
            truth,
            (truth + rng.integers(1, classes, len(truth))) % classes,
        )
        twice = rng.permutation(len(truth)) < LABELS
        known = np.where(twice, truth.astype(float), np.nan)
        try:
            found = cost_from_judge(
                known, said, decisions=decided, costs=costs_of(classes, miss),
            )  # fmt: skip
        except UndefinedError:
            refused += 1
        else:
            held += cases.cost in found
    return held, refused


def main() -> None:
    if not os.environ.get("STAKES_DATA"):
        print("few_labels: set STAKES_DATA to the folder of public data sets")
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["labels", "judge"])
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    for part in options.parts:
        {"labels": labels, "judge": judge}[part](options.draws)


if __name__ == "__main__":
    main()
