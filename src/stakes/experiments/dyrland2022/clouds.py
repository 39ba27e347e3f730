"""Figures 2 and 3: metrics against the utility yield, with pairs that they rank wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import Application, CostMatrix
from stakes.audit import misranking_rate, opposite_pair
from stakes.experiments.drawing import COLOURS, TITLE, panels
from stakes.experiments.dyrland2022.population import good_rates
from stakes.experiments.items import Cell, Claim, Item, Outcome
from stakes.metrics import catalogue
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_2", "FIGURE_3", "METRICS", "cloud"]

METRICS = {"accuracy": "accuracy", "recall": "true-positive rate", "f1": "F1", "mcc": "MCC"}
#: The two classification problems by their utilities; rows true classes 1 and 0, so that the
#: positive class 0 comes second.
PROBLEMS = {
    "[1 0; 0 1]": CostMatrix.from_utilities([[1, 0], [0, 1]]),
    "[1 0; 0 0]": CostMatrix.from_utilities([[0, 0], [0, 1]]),
}
#: Metrics that are said to be right for every pair of a problem.
RIGHT = {("accuracy", "[1 0; 0 1]"), ("recall", "[1 0; 0 0]")}
POINTS = 1200


def cloud(share: float, n: int = POINTS, rng: int = 149) -> Frame:
    """Random tables of good classifiers: their metrics, and their yields in both problems."""
    generator = np.random.default_rng(rng)
    tpr, tnr = good_rates(generator, n), good_rates(generator, n)
    cells = [(1 - share) * tnr, (1 - share) * (1 - tnr), share * (1 - tpr), share * tpr]
    tables = np.stack(cells, axis=-1).reshape(n, 2, 2)
    columns = {metric: catalogue[metric].values(1000 * tables) for metric in METRICS}
    for name, costs in PROBLEMS.items():
        columns[name] = -(tables * costs.values).sum(axis=(1, 2))
    return Frame({"tpr": tpr, "tnr": tnr, **columns})


def _pairs(share: float) -> Frame:
    """For each metric and problem two tables that are ranked wrongly, where there are any."""
    rows = []
    for problem, costs in PROBLEMS.items():
        for metric in METRICS:
            pair = opposite_pair(metric, application=costs, priors=[1 - share, share])
            if pair is not None:
                rows.append((metric, problem, -pair.costs[0], pair.values[0], -pair.costs[1],
                             pair.values[1]))  # fmt: skip
    names = ("metric", "problem", "yield_preferred", "value_preferred", "yield_better",
             "value_better")  # fmt: skip
    return Frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def compute(share: float, *, n: int = 200_000) -> Outcome:
    """The cloud at a share of class 0, the pairs, and how many pairs are ranked wrongly."""
    cells, wrong = [], {}
    for problem, costs in PROBLEMS.items():
        app = Application(costs, priors=[1 - share, share])
        for metric, words in METRICS.items():
            rate = misranking_rate(metric, utilities=app, n=n, rng=149)
            wrong[metric, problem] = 100 * float(rate)
            cells.append(
                Cell(f"{words} / {problem}", 0.0 if (metric, problem) in RIGHT else None,
                     100 * float(rate), 0.0 if (metric, problem) in RIGHT else 0.05,
                     "% of pairs ranked wrongly", source="equality")
            )  # fmt: skip
    rates = cloud(share, 200_000)["tpr"]
    cells += [
        Cell(f"rates drawn, {name}", printed, float(np.quantile(rates, q)), 0.005,
             source="print" if share == 0.5 else "again")  # the same rates in both figures
        for name, q, printed in (("lower quartile", 0.25, 0.75), ("median", 0.5, 0.85),
                                 ("upper quartile", 0.75, 0.93))
    ]  # fmt: skip
    return Outcome(
        tuple(cells), {"cloud": cloud(share), "pairs": _pairs(share)}, _REMARKS,
        _claims(wrong, share),
    )  # fmt: skip


_REMARKS = (
    "Pairs (triangles) are the most striking ones on a grid of rates: the metric prefers the one "
    "that yields less. A cross stands where a metric and the yields never disagree.",
)


def _claims(wrong: dict[tuple[str, str], float], share: float) -> tuple[Claim, ...]:
    """Which metrics are right in which problem."""
    percent = f"{100 * share:.0f} % of class 0"
    always = [wrong[metric, problem] for metric in ("f1", "mcc") for problem in PROBLEMS]
    return (
        Claim(
            "Accuracy ranks every pair rightly with the utilities [1 0; 0 1], the true-positive "
            f"rate with [1 0; 0 0] ({percent}).",
            all(wrong[place] == 0 for place in RIGHT),
            "No pair of 200,000 is ranked wrongly there; with the other utilities accuracy ranks "
            f"{wrong['accuracy', '[1 0; 0 0]']:.1f} % wrongly, the true-positive rate "
            f"{wrong['recall', '[1 0; 0 1]']:.1f} %.",
        ),
        Claim(
            f"F1 and MCC rank some pairs wrongly in either problem ({percent}).",
            min(always) > 0,
            f"F1 {always[0]:.1f} % and {always[1]:.1f} %, MCC {always[2]:.1f} % and "
            f"{always[3]:.1f} % of the pairs.",
        ),
    )


def draw(outcome: Outcome, name: str) -> dict[str, Figure]:
    """Four rows of metrics, two columns of problems."""
    points, pairs = outcome.tables["cloud"], outcome.tables["pairs"]
    figure, axes = panels(4, 2, width=3.6, height=2.5)
    for place, ax in enumerate(axes):
        metric, problem = list(METRICS)[place // 2], list(PROBLEMS)[place % 2]
        ax.plot(points[problem], points[metric], "o", color=COLOURS[0], markersize=1.8, alpha=0.45,
                rasterized=True)  # fmt: skip
        _mark(ax, pairs, metric, problem)
        ax.set_ylabel(METRICS[metric])
        if place < 2:
            ax.set_title(f"utilities {problem}", loc="left", fontsize=TITLE)
        if place >= 6:
            ax.set_xlabel("utility yield")
    return {name: figure}


def _mark(ax: Any, pairs: Frame, metric: str, problem: str) -> None:
    """The pair that is ranked wrongly, joined by a line."""
    mine = (pairs["metric"] == metric) & (pairs["problem"] == problem)
    if not mine.any():
        ax.plot(0.06, 0.88, "x", color="#767676", transform=ax.transAxes, markersize=7)
        ax.text(0.1, 0.88, "never wrong", transform=ax.transAxes, fontsize=8, va="center")
        return
    x = [pairs[f"yield_{which}"][mine][0] for which in ("preferred", "better")]
    y = [pairs[f"value_{which}"][mine][0] for which in ("preferred", "better")]
    ax.plot(x, y, "^-", color=COLOURS[1], markersize=8, linewidth=1, markeredgecolor="black")


def _item(number: int, share: float) -> Item:
    """The figure for a share of class 0."""
    words = f"{100 * share:.0f} %/{100 * (1 - share):.0f} %"
    return Item(
        f"figure{number}",
        f"Figure {number}: metrics against the utility yield, classes {words}",
        lambda _: compute(share),
        lambda outcome: draw(outcome, f"figure{number}"),
        seconds=3.0,
    )


FIGURE_2, FIGURE_3 = _item(2, 0.5), _item(3, 0.9)
