"""Limits between slices against fairlearn, and what they cost: credit, by age.

    STAKES_DATA=... python benchmarks/slice_constraints.py [--seeds 5]

A logistic regression is fitted to a third of the 150,000 cases, rules are found on the second
third and judged on the last. Slices are five age groups.

- equal: every error costs 1. Errors per 1,000 of `constrained_slices` and of fairlearn's
  `ThresholdOptimizer` (accuracy, grid of 1,000) at the same limit, on the cases that the rules were
  found on, and the widest gap between slices there. "most" is the largest excess of ours over
  fairlearn's among the seeds.
- unequal: a miss costs 10 or 30. Cost per 1,000 cases on cases that no rule has seen. fairlearn
  knows no costs: "accuracy" and "balanced" are its two objectives, "repeated" gets each positive
  as often as a miss costs, which leaves true- and false-positive rates as they are but not
  selection. The saving (with its standard error over seeds) and fairlearn's gap are those of the
  cheapest of the three.

Needs fairlearn, scikit-learn and pandas.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import warnings
from pathlib import Path

import numpy as np

from stakes.resources import constrained_slices

EDGES = [35, 45, 55, 65]
GROUPS = np.array(["under 35", "35 to 44", "45 to 54", "55 to 64", "65 and over"])
#: fairlearn's name, ours, and the largest difference.
LIMITS = [
    ("demographic_parity", "selection", 0.0),
    ("demographic_parity", "selection", 0.02),
    ("true_positive_rate_parity", "true_positive", 0.0),
    ("true_positive_rate_parity", "true_positive", 0.05),
    ("false_positive_rate_parity", "false_positive", 0.0),
    ("equalized_odds", ("true_positive", "false_positive"), 0.0),
]


def given():
    """A classifier whose input is its probability."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Given(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def fit(self, x, y):
            return self

        def predict_proba(self, x):
            return np.column_stack([1 - np.asarray(x)[:, 0], np.asarray(x)[:, 0]])

    return Given()


def parts(seed: int):
    """Truth, probability and age group of the cases to find rules on, and of those to judge on."""
    import pandas as pd
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    folder = Path(os.environ["STAKES_DATA"]) / "give_me_some_credit"
    rows = pd.read_csv(folder / "creditscoring1.csv.gz").drop(columns="id")
    y = rows.pop("SeriousDlqin2yrs").to_numpy().astype(int)
    by = GROUPS[np.searchsorted(EDGES, rows["age"].to_numpy(), side="right")]
    model = make_pipeline(
        SimpleImputer(strategy="median"),
        FunctionTransformer(np.log1p),
        StandardScaler(),
        LogisticRegression(max_iter=1000),
    )
    learnt, found, judged = np.array_split(np.random.default_rng(seed).permutation(len(y)), 3)
    model.fit(rows.iloc[learnt], y[learnt])
    p = model.predict_proba(rows)[:, 1]
    return [(y[at], p[at], by[at]) for at in (found, judged)]


def fairlearn_rule(cases, name, tol, objective="accuracy_score", times=1):
    """fairlearn's rule, as a function from cases to the chance of acting."""
    from fairlearn.postprocessing import ThresholdOptimizer

    y, p, by = cases
    rows = np.concatenate([np.arange(y.size), *[np.flatnonzero(y == 1)] * (times - 1)])
    rule = ThresholdOptimizer(
        estimator=given(),
        constraints=name,
        objective=objective,
        tol=tol or None,
        prefit=True,
        predict_method="predict_proba",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.fit(p[rows, None], y[rows], sensitive_features=by[rows])
    return lambda some: rule._pmf_predict(some[1][:, None], sensitive_features=some[2])[:, 1]


def per_thousand(cases, chances, miss=1.0) -> float:
    y = cases[0]
    return 1000 * float(np.mean(np.where(y == 1, miss * (1 - chances), chances)))


def gap(cases, chances, constraint) -> float:
    """The largest difference between slices."""
    y, _, by = cases
    widest = 0.0
    for rate in (constraint,) if isinstance(constraint, str) else constraint:
        of = {"selection": y >= 0, "true_positive": y == 1, "false_positive": y == 0}[rate]
        widest = max(widest, np.ptp([chances[of & (by == g)].mean() for g in GROUPS]))
    return widest


def ours(cases, constraint, difference, miss=1.0):
    y, p, by = cases
    found = constrained_slices(
        y, p, by=by, costs={"fn": miss, "fp": 1}, constraint=constraint, difference=difference
    )
    return found, lambda some: np.choose(
        np.searchsorted(sorted(GROUPS), some[2]), [rule.chances(some[1]) for rule in found.rules]
    )


def equal(sets) -> None:
    print(
        f"{'limit':<42} {'ours':>8} {'fairlearn':>9} {'most':>7}   gap: ours fairlearn", flush=True
    )
    for name, constraint, tol in LIMITS:
        rows = []
        for found, _ in sets:
            chances = ours(found, constraint, tol)[1](found)
            theirs = fairlearn_rule(found, name, tol)(found)
            errors = [per_thousand(found, each) for each in (chances, theirs)]
            rows.append([*errors, *(gap(found, each, constraint) for each in (chances, theirs))])
        mean, rows = np.mean(rows, axis=0), np.array(rows)
        most = (rows[:, 0] - rows[:, 1]).max()
        said = f"{name} within {tol:g}"
        print(f"{said:<42} {mean[0]:>8.3f} {mean[1]:>9.3f} {most:>+9.5f}   "
              f"{mean[2]:>9.6f} {mean[3]:>9.6f}", flush=True)  # fmt: skip


def unequal(sets) -> None:
    kinds = {
        "accuracy": {},
        "balanced": {"objective": "balanced_accuracy_score"},
        "repeated": {"times": None},
    }
    head = " ".join(f"{kind:>9}" for kind in kinds)
    print(f"\n{'limit':<36} {'miss':>4} {'free':>7} {'ours':>7} {head} {'saved':>7} {'+-':>6}   "
          f"gap: ours fairlearn", flush=True)  # fmt: skip
    for (name, constraint, tol), miss in [(each, miss) for each in LIMITS for miss in (10, 30)]:
        if tol:
            continue
        rows, gaps = [], []
        for found, judged in sets:
            best, rule = ours(found, constraint, tol, miss)
            free = best.apply(judged[0], judged[1], by=judged[2], free=True).average_cost
            costs, wide = [1000 * free, per_thousand(judged, rule(judged), miss)], []
            for options in kinds.values():
                asked = {"times": miss} if "times" in options else options
                chances = fairlearn_rule(found, name, tol, **asked)(judged)
                costs.append(per_thousand(judged, chances, miss))
                wide.append(gap(judged, chances, constraint))
            rows.append(costs)
            gaps.append([gap(judged, rule(judged), constraint), *wide])
        rows, gaps = np.array(rows), np.mean(gaps, axis=0)
        mean = rows.mean(axis=0)
        rival = int(np.argmin(mean[2:]))
        saved = rows[:, 2 + rival] - rows[:, 1]
        error = saved.std(ddof=1) / np.sqrt(len(saved)) if len(saved) > 1 else np.nan
        ends = " ".join(f"{each:>7.1f}" for each in mean[:2])
        theirs = " ".join(f"{each:>9.1f}" for each in mean[2:])
        print(
            f"{name:<36} {miss:>4} {ends} {theirs} {saved.mean():>7.1f} {error:>6.1f}   "
            f"{gaps[0]:>9.4f} {gaps[1 + rival]:>9.4f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    if importlib.util.find_spec("fairlearn") is None or "STAKES_DATA" not in os.environ:
        print("needs fairlearn, and STAKES_DATA: the folder of data sets")
        return
    sets = [parts(seed) for seed in range(parser.parse_args().seeds)]
    print(f"{len(sets)} splits, {len(sets[0][0][0])} cases to find rules on", flush=True)
    equal(sets)
    unequal(sets)


if __name__ == "__main__":
    main()
