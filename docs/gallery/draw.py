"""Draw every picture of the gallery from one made-up data set.

python docs/gallery/draw.py [folder]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from stakes import (
    Application,
    ConfusionMatrix,
    CostMatrix,
    ScoreCounts,
    audit,
    curves,
    metrics,
    monitoring,
    plots,
)

PREVALENCE = 0.08


def systems(n: int = 20_000, seed: int = 1) -> dict[str, ScoreCounts]:
    """Three systems on the same cases: good but over-confident, calibrated, and coarse."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < PREVALENCE
    common = rng.normal(size=n)
    offset = np.log(PREVALENCE / (1 - PREVALENCE))

    def calibrated(strength: float, own: float) -> np.ndarray:
        noise = (common + own * rng.normal(size=n)) / np.sqrt(1 + own**2)
        return strength * noise + strength**2 * (y - 0.5)

    sharp, plain = calibrated(2.6, 0.4), calibrated(1.9, 0.5)
    coarse = np.round(calibrated(1.6, 0.8))
    return {
        name: ScoreCounts.from_scores(y, llr + offset, kind="log_odds")
        for name, llr in (("gbm", 1.7 * sharp), ("logreg", plain), ("rules", coarse))
    }


def classes_of_three(n: int = 4000) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Three classes, and the posteriors of a calibrated and an over-confident system."""
    rng = np.random.default_rng(3)
    y = rng.choice(3, size=n, p=[0.6, 0.3, 0.1])
    x = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y]
    log_odds = 1.5 * x + np.log([0.6, 0.3, 0.1])
    found = {}
    for name, sharpness in (("calibrated", 1.0), ("over-confident", 3.0)):
        weight = np.exp(sharpness * (log_odds - log_odds.max(axis=1, keepdims=True)))
        found[name] = weight / weight.sum(axis=1, keepdims=True)
    return y, found


def weeks(n: int = 16) -> dict[str, ConfusionMatrix]:
    """A year begins quietly; from its tenth week on more customers leave than before."""
    rng = np.random.default_rng(8)
    found = {}
    for k in range(n):
        share = PREVALENCE if k < 9 else 1.8 * PREVALENCE
        size = 8000 if k == 0 else 1000  # a large reference
        cells = [(1 - share) * 0.9, (1 - share) * 0.1, share * 0.25, share * 0.75]
        found[f"w{k + 1}"] = ConfusionMatrix(rng.multinomial(size, cells).reshape(2, 2))
    return found


def regions() -> dict[str, ConfusionMatrix]:
    """Six regions, in one of which the model misses more."""
    rng = np.random.default_rng(5)
    names = ("north", "east", "south", "west", "islands", "abroad")
    return {
        name: ConfusionMatrix(
            rng.multinomial(1500, [0.92 * 0.9, 0.92 * 0.1, 0.08 * miss, 0.08 * (1 - miss)]).reshape(
                2, 2
            )
        )
        for name, miss in zip(names, (0.25, 0.25, 0.25, 0.25, 0.5, 0.25), strict=True)
    }


def pictures() -> dict[str, Callable[[Any], Any]]:
    """By file name: a function that draws on axes."""
    all_systems = systems()
    two = {name: all_systems[name] for name in ("gbm", "logreg")}
    named = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
    app = Application(named, priors=[1 - PREVALENCE, PREVALENCE])

    def each(curve: Callable[..., Any], chosen: Any = None, **options: Any) -> dict[str, Any]:
        return {n: curve(sc, **options) for n, sc in (chosen or all_systems).items()}

    sweep = curves.threshold_sweep(
        all_systems["logreg"],
        np.linspace(-6, 4, 201),
        metrics=["f1", "mcc", CostMatrix([[0, 1], [4, 0]])],
    )
    y, q = classes_of_three()
    path = [CostMatrix([[0, 1, 1], [1, 0, 1], [r, r, 0]]) for r in 2.0 ** np.arange(-6, 7)]
    along = {
        name: curves.application_path(y, p, applications=path, positions=np.arange(-6, 7))
        for name, p in q.items()
    }
    costs = {n: metrics.actual_cost(sc, app, normalized=True) for n, sc in all_systems.items()}
    about = {n: (0.96 * c, 1.04 * c) for n, c in costs.items()}
    chosen = metrics.at_bayes_threshold(all_systems["logreg"], app).confusion
    wins = curves.switch_points(all_systems, actual=True)
    best = curves.iso_cost_tangent(all_systems["gbm"], app)
    return {
        "application_path": lambda ax: plots.application_path(
            along, label="cost of missing the third class, log2", ax=ax
        ),
        "confusion": lambda ax: plots.confusion(chosen, app, ax=ax),
        "model_costs": lambda ax: plots.model_costs(costs, intervals=about, ax=ax),
        "roc": lambda ax: plots.roc(
            each(curves.roc), hulls=each(curves.roc, hull=True), tangent=best, ax=ax
        ),
        "det": lambda ax: plots.det(each(curves.det), ax=ax),
        "precision_recall": lambda ax: plots.precision_recall(each(curves.precision_recall), ax=ax),
        "bayes_error": lambda ax: plots.bayes_error(
            each(curves.bayes_error, two), priors=PREVALENCE, span=(-1.2, 0.6), ax=ax
        ),
        "bayes_error_unnormalised": lambda ax: plots.bayes_error(
            each(curves.bayes_error, two, normalized=False), ax=ax
        ),
        "switch_points": lambda ax: plots.switch_points(wins, priors=PREVALENCE, ax=ax),
        "decision": lambda ax: plots.decision(
            each(curves.decision, thresholds=np.arange(1, 61) / 100), span=(0.05, 0.2), ax=ax
        ),
        "cost": lambda ax: plots.cost(each(curves.cost), ax=ax),
        "brier_curve": lambda ax: plots.brier_curve(each(curves.brier_curve, two), ax=ax),
        "reliability": lambda ax: plots.reliability(each(curves.reliability, two, rng=0), ax=ax),
        "threshold_sweep": lambda ax: plots.threshold_sweep(sweep, ax=ax),
        "level_sets": lambda ax: plots.level_sets(
            audit.level_sets("f1", priors=PREVALENCE, application=app),
            pair=audit.opposite_pair("f1", application=app),
            ax=ax,
        ),
        "abstention": lambda ax: plots.abstention(
            {n: curves.abstention(sc, app) for n, sc in two.items()}, ax=ax
        ),
        "cost_over_periods": lambda ax: plots.cost_over_periods(
            monitoring.watch(weeks(), application=Application([[0, 1], [10, 0]])), ax=ax
        ),
        "cost_by_slice": lambda ax: plots.cost_by_slice(
            monitoring.compare_slices(regions(), application=Application([[0, 1], [10, 0]])),
            ax=ax,
        ),
        "tippett": lambda ax: plots.tippett(each(curves.tippett, two), ax=ax),
        "empirical_cross_entropy": lambda ax: plots.empirical_cross_entropy(
            each(curves.empirical_cross_entropy, two), ax=ax
        ),
    }


def main(folder: Path, kind: str = "svg") -> None:
    """Write one file per picture."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "stakes"
    for name, draw in pictures().items():
        figure: Figure = draw(None).figure
        figure.savefig(folder / f"{name}.{kind}", metadata={"Date": None} if kind == "svg" else {})
        plt.close(figure)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent, *sys.argv[2:])
