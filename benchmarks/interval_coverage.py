"""How often nominal 95 % intervals hold the truth, by simulation.

    python benchmarks/interval_coverage.py               # a rough look
    python benchmarks/interval_coverage.py --sets 2000   # the tables of docs/intervals.md

Two classes with Gaussian log-likelihood ratios (d' = 2), a second system (d' = 1.6) whose errors
go along with the first's (correlation 0.7), a miss costing ten false alarms. Only data sets with
at least ten cases of each class count, since with fewer no interval is given. Costs use the
priors of the application unless the column says "data priors".
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.stats import binom, multivariate_normal, norm

from stakes import Application, ScoreCounts
from stakes._kernels.roc_hull import cross_fitted_counts
from stakes._kernels.score_test_limits import ratio_limits, score_limits
from stakes.metrics import at_min_cost
from stakes.uncertainty import interval

SIZES, PRIORS = (50, 200, 2000), (0.5, 0.1, 0.02)
SEPARATION, OTHER, CORRELATION = 2.0, 1.6, 0.7
MISS = 10.0
Z = float(norm.ppf(0.975))


def class_sizes(
    n: int, prior: float, sets: int, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Positives in each data set, at least ten of either class; and how often that happens."""
    k = np.arange(10, n - 9)
    shares = binom.pmf(k, n, prior)
    return rng.choice(k, size=sets, p=shares / shares.sum()), float(shares.sum())


def covered(low: np.ndarray, high: np.ndarray, truth: float) -> float:
    return float(np.mean((low <= truth) & (truth <= high)))


def rates_at(threshold: float, separation: float) -> tuple[float, float]:
    """False positive and false negative rate of calibrated Gaussian LLRs."""
    mean = separation**2 / 2
    return (
        float(norm.sf(threshold, -mean, separation)),
        float(norm.cdf(threshold, mean, separation)),
    )


def costs_table(n: int, prior: float, sets: int, rng: np.random.Generator) -> dict[str, float]:
    """Expected cost, normalised cost and paired difference, all data sets at once."""
    positives, _ = class_sizes(n, prior, sets, rng)
    negatives = n - positives
    threshold = float(np.log((1 - prior) / (prior * MISS)))
    fpr, fnr = rates_at(threshold, SEPARATION)
    truth = (1 - prior) * fpr + prior * MISS * fnr
    fp, fn = rng.binomial(negatives, fpr), rng.binomial(positives, fnr)
    table = np.stack([np.stack([negatives - fp, fp], 1), np.stack([fn, positives - fn], 1)], 1)
    table = table.astype(float)
    weights = np.array([[[0.0, 1 - prior], [prior * MISS, 0.0]]])
    found = {"EC score": covered(*score_limits(table, weights, Z), truth)}
    found |= {
        f"EC {k}": v for k, v in resampled(fp, negatives, fn, positives, prior, truth, rng).items()
    }
    joint, costs = table.reshape(sets, 1, 4), np.array([[[0.0, 1.0, MISS, 0.0]]])
    found["EC data priors"] = covered(*score_limits(joint, costs, Z), truth)
    naive = [np.array([[[0.0, 0.0, MISS, MISS]]]), np.array([[[1.0, 1.0, 0.0, 0.0]]])]
    ends = [ratio_limits(joint, costs, each, Z) for each in naive]
    low, high = (np.maximum(ends[0][k], ends[1][k]) for k in (0, 1))
    found["NEC data priors"] = covered(low, high, truth / min(prior * MISS, 1 - prior))
    return found | differences(negatives, positives, prior, threshold, rng)


def resampled(
    fp: np.ndarray,
    n0: np.ndarray,
    fn: np.ndarray,
    n1: np.ndarray,
    prior: float,
    truth: float,
    rng: np.random.Generator,
    draws: int = 1000,
) -> dict[str, float]:
    """The other methods for the expected cost, on the same data sets."""
    a, b = 1 - prior, prior * MISS
    p0, p1 = fp / n0, fn / n1
    value = a * p0 + b * p1
    error = np.sqrt(a * a * p0 * (1 - p0) / n0 + b * b * p1 * (1 - p1) / n1)
    found = {"normal": covered(value - Z * error, value + Z * error, truth)}
    d0 = rng.binomial(n0[:, None], p0[:, None], (len(n0), draws)) / n0[:, None]
    d1 = rng.binomial(n1[:, None], p1[:, None], (len(n1), draws)) / n1[:, None]
    drawn = a * d0 + b * d1
    found["percentile"] = covered(*np.quantile(drawn, [0.025, 0.975], axis=1), truth)
    found["bca"] = covered(*bca_limits(drawn, value, skewness(p0, n0, p1, n1, a, b)), truth)
    errors = np.sqrt(a * a * d0 * (1 - d0) / n0[:, None] + b * b * d1 * (1 - d1) / n1[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(errors > 0, (drawn - value[:, None]) / errors, np.nan)
    ratios[np.isnan(ratios).all(axis=1)] = 0.0
    t = np.nanquantile(ratios, [0.025, 0.975], axis=1)
    found["studentized"] = covered(value - t[1] * error, value - t[0] * error, truth)
    post = a * rng.beta(fp[:, None] + 0.5, (n0 - fp)[:, None] + 0.5, drawn.shape)
    post += b * rng.beta(fn[:, None] + 0.5, (n1 - fn)[:, None] + 0.5, drawn.shape)
    found["posterior"] = covered(*np.quantile(post, [0.025, 0.975], axis=1), truth)
    return found


def skewness(p0, n0, p1, n1, a: float, b: float) -> np.ndarray:
    """Acceleration of the expected cost."""
    second = a**2 * p0 * (1 - p0) / n0 + b**2 * p1 * (1 - p1) / n1
    third = (
        a**3 * p0 * (1 - p0) * (1 - 2 * p0) / n0**2 + b**3 * p1 * (1 - p1) * (1 - 2 * p1) / n1**2
    )
    return np.divide(third, 6 * second**1.5, out=np.zeros_like(third), where=second > 0)


def bca_limits(
    drawn: np.ndarray, value: np.ndarray, accelerate: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """BCa limits of each row of replicates."""
    below = (drawn < value[:, None]).mean(1) + (drawn == value[:, None]).mean(1) / 2
    bias = norm.ppf(np.clip(below, 1e-6, 1 - 1e-6))
    ordered, ends = np.sort(drawn, axis=1), []
    for end in (-Z, Z):
        moved = bias + end
        share = norm.cdf(bias + moved / (1 - accelerate * moved))
        at = np.clip((share * drawn.shape[1]).astype(int), 0, drawn.shape[1] - 1)
        ends.append(ordered[np.arange(len(value)), at])
    return ends[0], ends[1]


def joint_shares(threshold: float, sign: float) -> np.ndarray:
    """Probabilities that neither, only the second, only the first, or both systems act."""
    means = np.array([sign * SEPARATION**2 / 2, sign * OTHER**2 / 2])
    scaled = (threshold - means) / np.array([SEPARATION, OTHER])
    both = multivariate_normal(cov=[[1, CORRELATION], [CORRELATION, 1]]).cdf(scaled)
    first, second = norm.cdf(scaled)
    return np.array([both, first - both, second - both, 1 - first - second + both])


def differences(
    n0, n1, prior: float, threshold: float, rng: np.random.Generator
) -> dict[str, float]:
    """Difference in cost of two systems on the same cases."""
    shares = [joint_shares(threshold, sign) for sign in (-1.0, 1.0)]
    counts = np.stack(
        [rng.multinomial(n, p) for n, p in zip((n0, n1), shares, strict=True)], 1
    ).astype(float)
    gaps = np.array([[0.0, -1.0, 1.0, 0.0], [0.0, MISS, -MISS, 0.0]])
    weights = gaps * np.array([[1 - prior], [prior]])
    truth = float((np.stack(shares) * weights).sum())
    found = {"difference score": covered(*score_limits(counts, weights[None], Z), truth)}
    p = counts / counts.sum(2, keepdims=True)
    means = (p * weights).sum(2)
    error = np.sqrt((((p * weights**2).sum(2) - means**2) / counts.sum(2)).sum(1))
    value = means.sum(1)
    found["difference normal"] = covered(value - Z * error, value + Z * error, truth)
    found["difference posterior"] = covered(*posterior_limits(counts, weights, rng), truth)
    found["difference data priors"] = covered(
        *score_limits(counts.reshape(len(n0), 1, 8), gaps.reshape(1, 1, 8), Z), truth
    )
    return found


def posterior_limits(
    counts: np.ndarray, weights: np.ndarray, rng: np.random.Generator, draws: int = 1000
) -> tuple[np.ndarray, np.ndarray]:
    """What `compare` does: a third of a case more for each of worse, same, better."""
    kinds = np.stack([counts[..., 0] + counts[..., 3], counts[..., 1], counts[..., 2]], -1)
    low, high = [], []
    for part in np.array_split(kinds, 10):
        shares = rng.standard_gamma(np.repeat(part[:, None] + 1 / 3, draws, axis=1))
        shares /= shares.sum(-1, keepdims=True)
        ends = np.quantile((shares * weights[:, :3]).sum((-1, -2)), [0.025, 0.975], axis=1)
        low.append(ends[0])
        high.append(ends[1])
    return np.concatenate(low), np.concatenate(high)


def scores_table(n: int, prior: float, sets: int, rng: np.random.Generator) -> dict[str, float]:
    """AUC, equal error rate and minimum cost, one data set after the other."""
    positives, _ = class_sizes(n, prior, sets, rng)
    mean = SEPARATION**2 / 2
    app = Application([[0, 1], [MISS, 0]], priors=[1 - prior, prior])
    grid = np.linspace(-12, 12, 20001)
    least = (
        (1 - prior) * norm.sf(grid, -mean, SEPARATION)
        + prior * MISS * norm.cdf(grid, mean, SEPARATION)
    ).min()
    truths = {
        "auc": float(norm.cdf(SEPARATION / np.sqrt(2))),
        "eer": float(norm.cdf(-SEPARATION / 2)),
        "min_cost": float(least),
    }
    asked: list[tuple[str, Callable]] = [
        ("AUC score", lambda sc: interval(sc, "auc")),
        ("AUC delong", lambda sc: interval(sc, "auc", method="delong")),
        ("AUC normal", lambda sc: interval(sc, "auc", method="normal")),
        ("EER score", lambda sc: interval(sc, "eer")),
    ]
    inside = dict.fromkeys([name for name, _ in asked], 0)
    tables: dict[str, list[np.ndarray]] = {"apparent": [], "cross-fitted": [], "score": []}
    for n1 in positives:
        y = np.arange(n) < n1
        llrs = rng.normal(np.where(y, mean, -mean), SEPARATION)
        sc = ScoreCounts.from_scores(y, llrs, kind="llr")
        for name, function in asked:
            found = function(sc)
            inside[name] += truths[found.metric] in found
        apparent, fitted = min_cost_counts(sc, app, rng)
        for name, table in (("apparent", apparent), ("cross-fitted", fitted)):
            tables[name].append(table)
        tables["score"].append((apparent + fitted) / 2)
    covers = {name: count / sets for name, count in inside.items()}
    weights = np.array([[[0.0, 1 - prior], [prior * MISS, 0.0]]])
    for name, found in tables.items():
        limits = score_limits(np.array(found), weights, Z)
        covers[f"min cost {name}"] = covered(*limits, truths["min_cost"])
    return covers


def min_cost_counts(
    sc: ScoreCounts, app: Application, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """What `interval(sc, "min_cost")` averages: counts at the best cut, and cross-fitted ones."""
    fitted = cross_fitted_counts(
        sc.runs.negatives.astype(np.int64),
        sc.runs.positives.astype(np.int64),
        app.costs.values,
        app.priors,
        folds=10,
        draws=5,
        rng=rng,
    )
    return at_min_cost(sc, app).confusion.counts, fitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200, help="data sets in each cell")
    parser.add_argument("--only", choices=["costs", "scores"], help="half of the table")
    args = parser.parse_args()
    rows: list[tuple[str, dict[str, float]]] = []
    for n in SIZES:
        for prior in PRIORS:
            rng = np.random.default_rng([n, int(1000 * prior)])
            share = binom.sf(9, n, prior) - binom.sf(n - 10, n, prior)
            if share < 1e-4:
                print(
                    f"n = {n}, prior {prior}: ten positives in {share:.0e} of data sets, left out"
                )
                continue
            start = time.perf_counter()
            found = {} if args.only == "scores" else costs_table(n, prior, args.sets, rng)
            found |= {} if args.only == "costs" else scores_table(n, prior, args.sets, rng)
            mark = "" if share > 0.5 else f" ({share:.1%} of data sets)"
            rows.append((f"{n}, {prior}{mark}", found))
            print(f"n = {n}, prior {prior}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    names = list(rows[0][1])
    print("\n| n, prior | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for label, found in rows:
        print(f"| {label} | " + " | ".join(f"{100 * found[name]:.1f}" for name in names) + " |")


if __name__ == "__main__":
    main()
