"""Is the tuned rule ever worse than the best of the rules it chooses from?

On Give Me Some Credit, as in `calibration_choice.py`: classifiers trained on 500 or 2 000 rows, a
rule learnt from their out-of-fold scores, regret on 30 000 other rows against the oracle threshold,
averaged over costs of a miss of 1 to 100 false alarms. The rules: Bayes decisions of calibrated
posteriors, the exact empirical threshold, the step half-way, and what `TunedRule` picks. For each
classifier and size the pick is compared with the rule that was best there on these very seeds,
seed by seed. The claim fails ("MISSED") where a one-sided paired t-test at 5 % finds it worse by
more than .005 NEC. Not failing such a test is weak evidence with few seeds, so the 95 % upper bound
of the gap ("at most") stands beside it: where it is below .005 too, the claim is shown, not just
not refuted.

Needs scikit-learn and the data (STAKES_DATA). `--seeds N` (default 3; 12 from 300 on for the docs).
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).parent))
from calibration_choice import RATIOS, SIZES, nec, oracle, out_of_fold, read

from stakes import Application
from stakes.integrations.sklearn import TunedRule

RULES = ("Bayes", "half-way", "exact threshold", "tuned")
MARGIN, LEVEL = 0.005, 0.05


def tamed(seed: int, rows: int) -> dict:
    """Four classifiers with what a few hundred heavy-tailed rows need."""
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, QuantileTransformer, StandardScaler

    def filled(*steps: object) -> object:
        return make_pipeline(SimpleImputer(strategy="median"), *steps)

    normal = QuantileTransformer(n_quantiles=min(rows // 2, 500), output_distribution="normal")
    return {
        "logistic": filled(
            FunctionTransformer(np.log1p), StandardScaler(), LogisticRegression(max_iter=500)
        ),
        "forest": filled(RandomForestClassifier(100, min_samples_leaf=3, random_state=seed)),
        "boosting": filled(GradientBoostingClassifier(random_state=seed)),
        "bayes": filled(normal, GaussianNB()),
    }


def logs(p: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.column_stack([1 - p, p]))


def regrets(y: np.ndarray, p: np.ndarray, y_test: np.ndarray, p_test: np.ndarray) -> list[float]:
    """Regret of each rule, averaged over the costs."""
    found = np.zeros(len(RULES))
    for ratio in RATIOS:
        rule = TunedRule(Application([[0, 1], [ratio, 0]])).fit(logs(p), y)
        best = oracle(y_test, p_test, ratio)
        learnt = rule.weights
        for j, strength in enumerate((*rule.strengths, None)):
            rule.weights = learnt if strength is None else rule.best**strength
            act = rule.decisions(logs(p_test)) == 1
            found[j] += (nec(y_test, act, ratio) - best) / len(RATIOS)
    return found.tolist()


def measured(seeds: range) -> dict[tuple[int, str], np.ndarray]:
    """Regrets by size and classifier, one row per seed."""
    x, y = read()
    found: dict[tuple[int, str], list[list[float]]] = {}
    for seed in seeds:
        rows = np.random.default_rng(seed).permutation(len(y))
        test = rows[:30_000]
        for size in SIZES:
            dev = rows[30_000 : 30_000 + size]
            for name, model in tamed(seed, size).items():
                scores = out_of_fold(model, x[dev], y[dev], seed)
                held = model.fit(x[dev], y[dev]).predict_proba(x[test])[:, 1]
                row = regrets(y[dev], scores, y[test], held)
                found.setdefault((size, name), []).append(row)
    return {key: np.array(rows) for key, rows in found.items()}


def compared(gap: np.ndarray) -> tuple[float, float]:
    """p of the paired test that the gap is above the margin, and its upper bound at the level."""
    if len(gap) < 2:
        return float("nan"), float("nan")
    mean, error = gap.mean(), gap.std(ddof=1) / np.sqrt(len(gap))
    if error == 0:
        return float(mean <= MARGIN), float(mean)
    freedom = len(gap) - 1
    p = float(stats.t.sf((mean - MARGIN) / error, freedom))
    return p, float(mean + stats.t.isf(LEVEL, freedom) * error)


def show(found: dict[tuple[int, str], np.ndarray]) -> None:
    """One line per size and classifier, with the paired test against the best rule there."""
    heads = "".join(f"{rule:>17}" for rule in RULES)
    print(f"{'rows':>5} {'classifier':<11}{heads}{'above best':>12}{'at most':>9}{'p':>7}")
    for (size, name), rows in sorted(found.items()):
        means = rows.mean(axis=0)
        gap = rows[:, -1] - rows[:, int(np.argmin(means[:-1]))]
        p, bound = compared(gap)
        cells = "".join(f"{mean:>17.4f}" for mean in means)
        verdict = "MISSED" if p <= LEVEL else ("shown" if bound <= MARGIN else "not refuted")
        print(f"{size:>5} {name:<11}{cells}{gap.mean():>12.4f}{bound:>9.4f}{p:>7.2f}  {verdict}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=200)
    options = parser.parse_args()
    if not os.environ.get("STAKES_DATA"):
        print("set STAKES_DATA to the folder of public data sets")
        return
    warnings.simplefilter("ignore")
    print(f"regret in NEC on Give Me Some Credit, {options.seeds} seeds; claim: not above the best "
          f"rule by more than {MARGIN}, at {LEVEL:.0%}")  # fmt: skip
    show(measured(range(options.first, options.first + options.seeds)))


if __name__ == "__main__":
    main()
