"""What the automatic calibration costs against an oracle, on Give Me Some Credit.

A rule for deciding is learnt from the scores of a classifier on 500 or 2 000 development rows and
used on 30 000 others. Regret is the NEC of its decisions there minus the NEC of the best threshold
there, averaged over costs of a miss of 1, 2, 5, 10, 20, 50 and 100 false alarms. Two protocols:

* "given": out-of-fold scores of plain scikit-learn classifiers trained on 80 % of all rows, from
  which development and test rows are drawn: the noise of few rows alone;
* "grown" (with --grown): classifiers trained on the development rows themselves, out of fold, and
  refitted on all of them for the test rows; first of the logarithms of the heavy-tailed columns,
  then as they come. Rules learn from five folds; "20 folds, 3 times" is the automatic choice from
  three repetitions of twenty, `BayesDecisionClassifier(..., calibrator="auto", cv=...)`.
  "as many others" is the automatic choice from further labelled rows, as many, scored by the
  refitted classifier, which nobody has; "many rows" the best threshold for 30 000 of them,
  and "many rows, of folds" for 30 000 scored by the classifiers of the folds. "kept" decides with
  the classifiers of the folds instead of a refitted one, as `ensemble=True` does, and "kept, 5 x 5"
  with those of five repetitions of five folds; the best threshold is still that of the refitted
  classifier, which they may beat. "own oracle" compares with the best threshold for the mean score
  of those very classifiers.

Means over repetitions, with the standard deviation of one repetition in brackets. Needs
scikit-learn and the data (STAKES_DATA). By default the first 40 000 rows are used for "given";
`--large` takes all 150 000 (some minutes). `--repeats N`, `--first N` (seed).
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
AUTOMATIC = ("automatic", "20 folds, 3 times", "kept", "kept, 5 x 5")


def read() -> tuple[np.ndarray, np.ndarray]:
    """Features with missing values as nan, and the label."""
    folder = Path(os.environ["STAKES_DATA"]) / "give_me_some_credit"
    with gzip.open(folder / "creditscoring1.csv.gz", "rt") as file:
        table = np.genfromtxt(file, delimiter=",", skip_header=1)
    return table[:, 2:], table[:, 1].astype(int)


def plain(seed: int = 0) -> dict:
    """Four usual classifiers as they come; missing values become medians."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def filled(*steps: object) -> object:
        return make_pipeline(SimpleImputer(strategy="median"), *steps)

    return {
        "logistic": filled(StandardScaler(), LogisticRegression(max_iter=500)),
        "forest": filled(RandomForestClassifier(100, random_state=seed)),
        "boosting": HistGradientBoostingClassifier(random_state=seed),
        "bayes": filled(GaussianNB()),
    }


def for_few_rows(seed: int) -> dict:
    """Four classifiers for a few hundred rows with heavy tails: logarithms, and small steps."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    def logged(*steps: object) -> object:
        fill, log = SimpleImputer(strategy="median"), FunctionTransformer(np.log1p)
        return make_pipeline(fill, log, StandardScaler(), *steps)

    return {
        "logistic": logged(LogisticRegression(max_iter=1000)),
        "forest": logged(RandomForestClassifier(100, random_state=seed)),
        "boosting": HistGradientBoostingClassifier(learning_rate=0.05, random_state=seed),
        "bayes": logged(GaussianNB()),
    }


def out_of_fold(model: object, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Posteriors of the second class from five stratified folds."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return cross_val_predict(model, x, y, cv=folds, method="predict_proba")[:, 1]


def out_of_fold_and_beyond(
    model: object, x: np.ndarray, y: np.ndarray, seed: int, more: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """As `out_of_fold`, and further rows, each scored by the classifier of one fold."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    scores, far = np.empty(len(y)), np.empty(len(more))
    folds = StratifiedKFold(5, shuffle=True, random_state=seed).split(x, y)
    for k, (train, held) in enumerate(folds):
        fitted = clone(model).fit(x[train], y[train])
        scores[held] = fitted.predict_proba(x[held])[:, 1]
        far[k::5] = fitted.predict_proba(more[k::5])[:, 1]
    return scores, far


def kept(
    model: object, x: np.ndarray, y: np.ndarray, seed: int, x_test: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Posteriors for the test rows by classifiers of folds, and their mean score, by rule."""
    from sklearn.model_selection import RepeatedStratifiedKFold

    from stakes.integrations.sklearn import BayesDecisionClassifier

    found = {}
    for name, repeats in (("kept", 1), ("kept, 5 x 5", 5)):
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=seed)
        panel = BayesDecisionClassifier(model, calibrator="auto", cv=folds, ensemble=True).fit(x, y)
        scores = np.mean([one.predict_proba(x_test)[:, 1] for one in panel.estimators_], axis=0)
        found[name] = panel.predict_proba(x_test)[:, 1], scores
    return found


def repeated(
    model: object, x: np.ndarray, y: np.ndarray, seed: int, x_test: np.ndarray
) -> np.ndarray:
    """Posteriors for the test rows by the refitted classifier, calibrated by repeated folds."""
    from sklearn.model_selection import RepeatedStratifiedKFold

    from stakes.integrations.sklearn import BayesDecisionClassifier

    folds = RepeatedStratifiedKFold(n_splits=20, n_repeats=3, random_state=seed)
    fitted = BayesDecisionClassifier(model, calibrator="auto", cv=folds).fit(x, y)
    return fitted.predict_proba(x_test)[:, 1]


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


def f1_threshold(y: np.ndarray, p: np.ndarray) -> float:
    """The threshold of greatest F1 on the development rows, half-way between scores."""
    order = np.argsort(-p, kind="stable")
    labels, scores = y[order], p[order]
    f1 = 2 * np.cumsum(labels) / (np.arange(1, len(y) + 1) + y.sum())
    ends = np.append(scores[1:] != scores[:-1], True)
    best = int(np.where(ends, f1, -1.0).argmax())
    return -np.inf if best + 1 == len(p) else float(scores[best] + scores[best + 1]) / 2


def automatic(y: np.ndarray, p: np.ndarray, p_test: np.ndarray) -> np.ndarray:
    """Posteriors of the automatic choice."""
    with np.errstate(divide="ignore"):
        return Automatic().fit(logit(p), y).posteriors(logit(p_test))[:, 1]


def regrets(
    y: np.ndarray,
    p: np.ndarray,
    y_test: np.ndarray,
    p_test: np.ndarray,
    *,
    others: dict[str, np.ndarray] | None = None,
    many: dict[str, tuple[np.ndarray, np.ndarray]] | None = None,
    panels: dict[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> dict:
    """Mean regret of each rule over the costs.

    `others` are posteriors of further rules, `many` labelled scores to tune a threshold for, and
    `panels` posteriors and mean scores of classifiers that are kept.
    """
    others, many, panels = others or {}, many or {}, panels or {}
    with np.errstate(divide="ignore"):
        odds, odds_test = logit(p), logit(p_test)
    rules = {
        "affine": Affine(bound="data"),
        "isotonic": Isotonic(),
        "temperature": Temperature(bound="data"),
    }
    fitted = {"automatic": automatic(y, p, p_test)} | others
    fitted |= {name: cal.fit(odds, y).posteriors(odds_test)[:, 1] for name, cal in rules.items()}
    fitted |= {"raw": p_test} | {name: q for name, (q, _) in panels.items()}
    own = [f"{name}: own oracle" for name in panels]
    out = dict.fromkeys([*fitted, "tuned", "F1-tuned", "argmax", *many, *own], 0.0)
    highest_f1 = f1_threshold(y, p)
    for ratio in RATIOS:
        best = oracle(y_test, p_test, ratio)
        acts = {name: q > 1 / (1 + ratio) for name, q in fitted.items()}
        acts["tuned"] = p_test > tuned_threshold(y, p, ratio)
        acts["F1-tuned"] = p_test > highest_f1
        acts["argmax"] = p_test > 0.5
        acts |= {name: p_test > tuned_threshold(*seen, ratio) for name, seen in many.items()}
        for name, act in acts.items():
            out[name] += (nec(y_test, act, ratio) - best) / len(RATIOS)
        for name, (_, scores) in panels.items():
            above = nec(y_test, acts[name], ratio) - oracle(y_test, scores, ratio)
            out[f"{name}: own oracle"] += above / len(RATIOS)
    return out


def grown(x: np.ndarray, y: np.ndarray, seed: int, *, logged: bool):
    """Classifiers trained on the development rows."""
    rows = np.random.default_rng(seed).permutation(len(y))
    test, more = rows[:30_000], rows[-30_000:]
    for size in SIZES:
        dev, few = rows[30_000 : 30_000 + size], more[:size]
        models = for_few_rows(seed) if logged else plain(seed)
        for name, model in models.items():
            scores, far = out_of_fold_and_beyond(model, x[dev], y[dev], seed, x[more])
            panels = kept(model, x[dev], y[dev], seed, x[test])
            often = repeated(model, x[dev], y[dev], seed, x[test])
            model.fit(x[dev], y[dev])
            held, near = (model.predict_proba(x[part])[:, 1] for part in (test, more))
            others = {
                "20 folds, 3 times": often,
                "as many others": automatic(y[few], near[:size], held),
            }
            many = {"many rows": (y[more], near), "many rows, of folds": (y[more], far)}
            found = regrets(y[dev], scores, y[test], held, others=others, many=many, panels=panels)
            yield size, name, found


def given(scores: dict, y: np.ndarray, seed: int):
    """Ready scores of classifiers trained on most rows."""
    rows = np.random.default_rng(seed).permutation(len(y))
    test = rows[:30_000]
    for size in SIZES:
        dev = rows[30_000 : 30_000 + size]
        for name, p in scores.items():
            yield size, name, regrets(y[dev], p[dev], y[test], p[test])


def show(title: str, found: list) -> None:
    """Mean regret by rule, and of the automatic choice by classifier, with the limits."""
    print(f"\n{title}\n{'rule':<24}{'500':>16}{'2000':>16}")
    drawn = len(found) // (4 * len(SIZES))
    for rule in found[0][2]:
        cells = [
            np.reshape([r[rule] for size, _, r in found if size == n], (drawn, 4)).mean(axis=1)
            for n in SIZES
        ]
        line = f"{rule:<24}" + "".join(f"{c.mean():>8.4f} ({c.std():.3f})" for c in cells)
        if rule in AUTOMATIC:
            marks = [
                "ok" if c.mean() <= LIMITS[n] else "MISSED"
                for n, c in zip(SIZES, cells, strict=True)
            ]
            line += f"   limits 0.045 {marks[0]}, 0.012 {marks[1]}"
        print(line)
    for rule in [rule for rule in AUTOMATIC if rule in found[0][2]]:
        print(f"{rule}, by classifier, mean of both sizes (limit 0.045):")
        for name in dict.fromkeys(name for _, name, _ in found):
            cells = [
                np.mean([r[rule] for size, who, r in found if (size, who) == (n, name)])
                for n in SIZES
            ]
            mark = "ok" if np.mean(cells) <= 0.045 else "MISSED"
            print(f"  {name:<12}{cells[0]:>8.4f}{cells[1]:>8.4f}{np.mean(cells):>8.4f}  {mark}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=24)
    parser.add_argument("--first", type=int, default=200)
    parser.add_argument("--large", action="store_true", help="all rows")
    parser.add_argument("--grown", action="store_true", help="also the second protocol")
    options, _ = parser.parse_known_args()
    if not os.environ.get("STAKES_DATA"):
        print("calibration_choice: set STAKES_DATA to the folder of public data sets")
        return
    warnings.simplefilter("ignore")
    x, y = read()
    used = slice(None if options.large else 40_000)
    scores = {name: out_of_fold(model, x[used], y[used], 0) for name, model in plain().items()}
    seeds = range(options.first, options.first + options.repeats)
    show(
        f"given: scores of classifiers trained on most of {len(y[used])} rows, "
        f"{options.repeats} repetitions",
        [row for seed in seeds for row in given(scores, y[used], seed)],
    )
    for logged in (True, False) if options.grown else ():
        few = seeds[:12]
        how = "of logarithms" if logged else "as they come"
        show(
            f"grown: classifiers {how}, trained on the development rows, {len(few)} repetitions",
            [row for seed in few for row in grown(x, y, seed, logged=logged)],
        )


if __name__ == "__main__":
    main()
