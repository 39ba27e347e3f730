"""The grid of "Cost-Sensitive Evaluation for Binary Classifiers" (2025): ours against theirs.

The authors' code takes about 1.7 seconds for one cell of the grid and one sample: 201 outcomes of
200 customers, rated by all metrics, ranked, and correlated with the total cost. The same is written
here as a plain loop over outcomes and customers, with the same metrics, and as arrays. The bar is
that a cell and sample costs at most a hundredth of those 1.7 seconds; the whole grid shares its
random outcomes between cost ratios, so one cell alone is timed too.

The costs are simulated, so that it runs without any data.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import stats
from timing import Row, best_of, heading, table

from stakes import ConfusionMatrix, CostMatrix, metrics
from stakes.papers.wa2025.case_costs import (
    GRID,
    ErrorCosts,
    churn_costs,
    costed_scores,
    free_scores,
)
from stakes.papers.wa2025.correlations import correlation_grid, outcomes_at

AUTHORS = 1.7  # seconds per cell and sample
RATIO, SHARE = 0.5, 0.3
INCOME = np.random.default_rng(0).gamma(4.0, 16.0, 200)
POINTS = np.linspace(0, 1, 1000)[1:-1]


def costs_of(_: float, ratio: float) -> ErrorCosts:
    return churn_costs(INCOME, ratio)


def trapezoid(values: np.ndarray) -> float:
    return float(((values[1:] + values[:-1]) / 2 * np.diff(POINTS)).sum())


def rated(table: ConfusionMatrix, costs: ErrorCosts) -> dict[str, float]:
    """All metrics of one outcome, one call each; the integrals on 998 points."""
    app = CostMatrix.binary(false_positive=1.0, false_negative=RATIO / (1 - RATIO))
    (tn, fp), (fn, tp) = table.counts.tolist()
    shares = costs.shares
    alpha, beta = metrics.matched_beta(shares)
    density = stats.beta.pdf(POINTS, alpha, beta)
    paid = trapezoid(density * (fp * POINTS + fn * (1 - POINTS)))
    most = trapezoid(density * ((tn + fp) * POINTS + (tp + fn) * (1 - POINTS)))
    whole = (tp + fn) * (1 - POINTS) + (tn + fp) * POINTS
    plain = ("accuracy", "class_balance_accuracy", "imbalance_accuracy", "kappa", "informedness",
             "balanced_accuracy", "mcc", "markedness", "precision", "negative_predictive_value",
             "p4", "geometric_mean", "jaccard", "f1", "recall", "precision_recall_mean",
             "specificity", "beta_averaged_accuracy")  # fmt: skip
    found = {name: getattr(metrics, name)(table) for name in plain}
    for name in ("weighted_class_accuracy", "weighted_relative_accuracy", "accuracy_cost_distance"):
        found[name] = getattr(metrics, name)(table, app)
    found["WA"] = metrics.weighted_accuracy(table, RATIO)
    found["H informed"] = 1 - paid / most
    found["EWA"] = trapezoid(density * (tp * (1 - POINTS) + tn * POINTS) / whole)
    return found


def loop() -> dict[str, float]:
    """One cell and one sample, outcome by outcome and customer by customer."""
    rng = np.random.default_rng(1)
    costs = churn_costs(INCOME, RATIO)
    positives = set(rng.choice(200, 60, replace=False).tolist())
    totals, columns = [], {}
    for number in range(201):
        called = set(rng.choice(200, number, replace=False).tolist())
        missed = [a for a in range(200) if a in positives and a not in called]
        alarmed = [a for a in range(200) if a in called and a not in positives]
        totals.append(sum(costs.miss[a] for a in missed) + sum(costs.alarm[a] for a in alarmed))
        fn, fp = len(missed), len(alarmed)
        table = ConfusionMatrix([[140 - fp, fp], [fn, 60 - fn]])
        for name, value in rated(table, costs).items():
            columns.setdefault(name, []).append(0.0 if np.isnan(value) else value)
    return {
        name: float(stats.spearmanr(column, -np.array(totals)).statistic)
        for name, column in columns.items()
    }


def check() -> None:
    """Both ways rate the same outcomes alike."""
    tables = outcomes_at(SHARE, 1).tables[0]
    costs = churn_costs(INCOME, RATIO)
    ours = {**free_scores(tables), **costed_scores(tables, costs, RATIO)}
    one = rated(ConfusionMatrix(tables[77]), costs)
    names = {"accuracy": "accuracy", "mcc": "MCC", "WA": "WA", "EWA": "EWA as coded",
             "H informed": "H informed as coded"}  # fmt: skip
    for theirs, mine in names.items():
        assert abs(one[theirs] - ours[mine][77]) < 1e-9, (theirs, one[theirs], ours[mine][77])


def main() -> None:
    repeat = 1 if "--quick" in sys.argv else 3
    check()
    shares = GRID[::5]
    single = best_of(loop, repeat=repeat)
    cell = best_of(
        lambda: correlation_grid(costs_of, shares=(SHARE,), ratios=(RATIO,)), repeat=repeat
    )
    grid = best_of(lambda: correlation_grid(costs_of, shares=shares), repeat=repeat)
    both = best_of(
        lambda: correlation_grid(costs_of, ("worst", "best"), shares=shares), repeat=repeat
    )
    cells = 100 * len(GRID) * len(shares)
    timed = {
        "the authors' code, about": AUTHORS,
        "a loop over outcomes, metric by metric": single,
        "arrays, one cell alone": cell / 100,
        "arrays, all cost ratios": grid / cells,
        "arrays, weighted ranks, both orientations": both / cells,
    }
    print(heading("seconds per cell and sample, 24 metrics, 201 outcomes of 200 customers"))
    rows = [
        Row(name, seconds, seconds / AUTHORS, bar="<= 0.01" if "arrays" in name else "")
        for name, seconds in timed.items()
    ]
    print(table(rows))
    print(heading("the same against the loop, timed in the same run"))
    print(table([Row(name, s, s / single) for name, s in list(timed.items())[1:]]))
    whole = (121 + 84) * 100
    print(
        f"both use cases, {whole} cells and samples: {whole * AUTHORS / 3600:.1f} hours at 1.7 s, "
        f"{whole * timed['arrays, all cost ratios']:.0f} seconds here"
    )


if __name__ == "__main__":
    main()
