"""What the automatic calibration costs against an oracle, on Give Me Some Credit.

A classifier is trained on the development rows; a rule for deciding is learnt from its out-of-fold
scores there; the classifier refitted on all development rows is then used on 30 000 other rows.
Regret is the NEC of the rule's decisions there minus the NEC of the best threshold there, averaged
over costs of a miss of 1, 2, 5, 10, 20, 50 and 100 false alarms. Two protocols are shown:

* "small": classifiers trained on the 500 or 2 000 development rows themselves, out of fold, and
  refitted on all of them for the test rows. Besides the noise of few rows, a rule suffers here from
  the difference between the classifiers of the folds and the refitted one;
* "large": out-of-fold scores of classifiers trained on 80 % of 60 000 rows, of which 500 or
  2 000 are used to learn the rule: the noise of few rows alone.

Needs scikit-learn and the data (STAKES_DATA). `--repeats N` (default 3; 12 with --large, which also
runs the second protocol, some minutes), `--first N` (seed).
"""

from __future__ import annotations

import argparse
import gzip
import os
import warnings
from pathlib import Path

import numpy as np
from scipy.special import logit

from stakes.calibration import Affine, Automatic, Isotonic, Temperature

RATIOS = (1, 2, 5, 10, 20, 50, 100)
SIZES = (500, 2000)
LIMITS = {500: 0.045, 2000: 0.012}
LARGE = 60_000


def read() -> tuple[np.ndarray, np.ndarray]:
    """Features with missing values as nan, and the label."""
    folder = Path(os.environ["STAKES_DATA"]) / "give_me_some_credit"
    with gzip.open(folder / "creditscoring1.csv.gz", "rt") as file:
        table = np.genfromtxt(file, delimiter=",", skip_header=1)
    return table[:, 2:], table[:, 1].astype(int)


def classifiers(seed: int, rows: int) -> dict:
    """Four usual ones, with the preprocessing each needs on these heavy-tailed columns."""
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
        "forest": filled(
            RandomForestClassifier(100, min_samples_leaf=3, random_state=seed, max_features=3)
        ),
        "boosting": filled(GradientBoostingClassifier(random_state=seed)),
        "bayes": filled(normal, GaussianNB()),
    }


def out_of_fold(model: object, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Posteriors of the second class from five stratified folds."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return cross_val_predict(model, x, y, cv=folds, method="predict_proba")[:, 1]


def nec(y: np.ndarray, act: np.ndarray, ratio: float) -> float:
    """Normalised cost of acting, a miss costing `ratio` false alarms."""
    share = y.mean()
    cost = ratio * share * (1 - act[y == 1].mean()) + (1 - share) * act[y == 0].mean()
    return float(cost / min(ratio * share, 1 - share))


def oracle(y: np.ndarray, p: np.ndarray, ratio: float) -> float:
    """NEC of the best threshold."""
    order = np.argsort(-p, kind="stable")
    labels, scores = y[order], p[order]
    ends = np.concatenate([[True], scores[1:] != scores[:-1], [True]])
    hits, alarms = (np.append(0, np.cumsum(part))[ends] for part in (labels, 1 - labels))
    share = y.mean()
    costs = ratio * share * (1 - hits / hits[-1]) + (1 - share) * alarms / alarms[-1]
    return float(costs.min() / min(ratio * share, 1 - share))


def tuned_threshold(y: np.ndarray, p: np.ndarray, ratio: float) -> float:
    """The cheapest threshold on the development rows, half-way between scores."""
    order = np.argsort(-p, kind="stable")
    labels, scores = y[order], p[order]
    costs = np.append(0.0, np.cumsum((1 - labels) - ratio * labels))
    ends = np.concatenate([[True], scores[1:] != scores[:-1], [True]])
    best = int(np.where(ends, costs, np.inf).argmin())
    if best == 0:
        return np.inf
    return -np.inf if best == len(p) else float(scores[best - 1] + scores[best]) / 2


def regrets(y: np.ndarray, p: np.ndarray, y_test: np.ndarray, p_test: np.ndarray) -> dict:
    """Mean regret of each rule over the costs."""
    with np.errstate(divide="ignore"):
        odds, odds_test = logit(p), logit(p_test)
    rules = {
        "automatic": Automatic(),
        "affine": Affine(bound="data"),
        "isotonic": Isotonic(),
        "temperature": Temperature(bound="data"),
    }
    fitted = {name: cal.fit(odds, y).posteriors(odds_test)[:, 1] for name, cal in rules.items()}
    fitted["raw"] = p_test
    out = dict.fromkeys([*fitted, "tuned", "argmax"], 0.0)
    for ratio in RATIOS:
        best = oracle(y_test, p_test, ratio)
        acts = {name: q > 1 / (1 + ratio) for name, q in fitted.items()}
        acts["tuned"] = p_test > tuned_threshold(y, p, ratio)
        acts["argmax"] = p_test > 0.5
        for name, act in acts.items():
            out[name] += (nec(y_test, act, ratio) - best) / len(RATIOS)
    return out


def small(x: np.ndarray, y: np.ndarray, seed: int):
    """Classifiers trained on the development rows."""
    rows = np.random.default_rng(seed).permutation(len(y))
    test = rows[:30_000]
    for size in SIZES:
        dev = rows[30_000 : 30_000 + size]
        for name, model in classifiers(seed, size).items():
            scores = out_of_fold(model, x[dev], y[dev], seed)
            held = model.fit(x[dev], y[dev]).predict_proba(x[test])[:, 1]
            yield size, name, regrets(y[dev], scores, y[test], held)


def large(scores: dict, y: np.ndarray, seed: int):
    """Scores of classifiers trained on most rows."""
    rows = np.random.default_rng(seed).permutation(LARGE)
    test = rows[:30_000]
    for size in SIZES:
        dev = rows[30_000 : 30_000 + size]
        for name, p in scores.items():
            yield size, name, regrets(y[dev], p[dev], y[test], p[test])


def show(title: str, found: list) -> None:
    """Mean regret by rule, and of the automatic choice by classifier, with the limits."""
    print(f"\n{title}\n{'rule':<14}{'500':>8}{'2000':>8}")
    names = list(found[0][2])
    for rule in names:
        cells = [np.mean([r[rule] for size, _, r in found if size == n]) for n in SIZES]
        line = f"{rule:<14}{cells[0]:>8.4f}{cells[1]:>8.4f}"
        if rule == "automatic":
            marks = [
                "ok" if c <= LIMITS[n] else "MISSED" for n, c in zip(SIZES, cells, strict=True)
            ]
            line += f"   limits 0.045 {marks[0]}, 0.012 {marks[1]}"
        print(line)
    print("automatic, by classifier, mean of both sizes (limit 0.045):")
    for name in dict.fromkeys(name for _, name, _ in found):
        cells = [
            np.mean([r["automatic"] for size, who, r in found if (size, who) == (n, name)])
            for n in SIZES
        ]
        mark = "ok" if np.mean(cells) <= 0.045 else "MISSED"
        print(f"  {name:<12}{cells[0]:>8.4f}{cells[1]:>8.4f}{np.mean(cells):>8.4f}  {mark}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--large", action="store_true", help="also the second protocol (minutes)")
    options, _ = parser.parse_known_args()
    if not os.environ.get("STAKES_DATA"):
        print("calibration_choice: set STAKES_DATA to the folder of public data sets")
        return
    warnings.simplefilter("ignore")
    x, y = read()
    repeats = options.repeats or (12 if options.large else 3)
    seeds = range(options.first, options.first + repeats)
    show(
        f"small: classifiers trained on the development rows, {repeats} repetitions",
        [row for seed in seeds for row in small(x, y, seed)],
    )
    if options.large:
        x, y = x[:LARGE], y[:LARGE]
        scores = {name: out_of_fold(m, x, y, 0) for name, m in classifiers(0, LARGE).items()}
        show(
            f"large: classifiers trained on {4 * LARGE // 5} rows, {repeats} repetitions",
            [row for seed in seeds for row in large(scores, y, seed)],
        )


if __name__ == "__main__":
    main()
