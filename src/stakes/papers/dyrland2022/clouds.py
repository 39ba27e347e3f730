"""Figures 1 to 5: the plane of utility matrices, populations in it, and metrics against the
yield.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes import Application, CostMatrix
from stakes.application import UtilityPoint, normalized_utilities
from stakes.audit import misranking_rate, opposite_pair
from stakes.metrics import catalogue
from stakes.papers.dyrland2022.stories import UTILITIES
from stakes.papers.items import (
    COLOURS,
    LEGEND,
    TITLE,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    panels,
)
from stakes.results import Frame, frame_of
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Kind: TypeAlias = Literal["uniform", "gaussian"]


def _draw_points(rng: np.random.Generator, n: int, kind: Kind) -> FloatArray:
    """Points of the plane of figure 1: uniform, or normal with standard deviation 1/3."""
    found = np.empty((0, 2))
    while found.shape[0] < n:
        shape = (4 * n, 2)
        trial = rng.uniform(-1, 1, shape) if kind == "uniform" else rng.normal(0, 1 / 3, shape)
        inside = (np.abs(trial) <= 1).all(axis=1) & (np.abs(trial[:, 1] - trial[:, 0]) < 1)
        found = np.concatenate([found, trial[inside]])
    return found[:n]


def _good_rates(rng: np.random.Generator, n: int) -> FloatArray:
    """Rates from 1/2 to 1 with linearly growing density (section 3.3)."""
    return np.asarray(0.5 + 0.5 * np.sqrt(rng.random(n)))


def draw_pairs(
    rng: np.random.Generator, n: int, kind: Kind
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """True utilities, and pairs of tables of the same data: (n, 2, 2) each, rows true classes."""
    points = _draw_points(rng, n, kind)
    utilities = np.stack([UtilityPoint(x, y).utilities[::-1, ::-1] for x, y in points])
    share = rng.random(n)
    shares = np.stack([1 - share, share], axis=1)[:, :, None]
    tables = []
    for _ in range(2):
        right = np.stack([_good_rates(rng, n), _good_rates(rng, n)], axis=1)[:, :, None]
        tables.append(np.where(np.eye(2, dtype=bool), right, 1 - right) * shares)
    return utilities, tables[0], tables[1]


def disturbed(rng: np.random.Generator, utilities: FloatArray, sd: float) -> FloatArray:
    """Normal errors on all cells, drawn again until none leaves [0, 1] or rewards an error."""
    result = utilities.copy()
    waiting: NDArray[np.intp] = np.arange(utilities.shape[0])
    while waiting.size:
        trial = utilities[waiting] + rng.normal(0, sd, (waiting.size, 2, 2))
        fine = ((trial >= 0) & (trial <= 1)).all(axis=(1, 2))
        fine &= (trial[:, 0, 0] >= trial[:, 0, 1]) & (trial[:, 1, 1] >= trial[:, 1, 0])
        result[waiting[fine]] = trial[fine]
        waiting = waiting[~fine]
    return result


def _coordinates(utilities: FloatArray) -> FloatArray:
    """Points (n, 2) of the plane, of utilities whose rows are the true classes 0 and 1."""
    low = utilities.min(axis=(1, 2), keepdims=True)
    scaled = (utilities - low) / (utilities.max(axis=(1, 2), keepdims=True) - low)
    return np.stack([scaled[:, 1, 1] - scaled[:, 0, 0], scaled[:, 1, 0] - scaled[:, 0, 1]], axis=1)


_METRICS = {"accuracy": "accuracy", "recall": "true-positive rate", "f1": "F1", "mcc": "MCC"}
#: The two classification problems by their utilities; rows true classes 1 and 0, so that the
#: positive class 0 comes second.
_PROBLEMS = {
    "[1 0; 0 1]": CostMatrix.from_utilities([[1, 0], [0, 1]]),
    "[1 0; 0 0]": CostMatrix.from_utilities([[0, 0], [0, 1]]),
}
#: Metrics that are said to be right for every pair of a problem.
_RIGHT = {("accuracy", "[1 0; 0 1]"), ("recall", "[1 0; 0 0]")}
_POINTS = 1200


def _cloud(share: float, n: int = _POINTS, rng: int = 149) -> Frame:
    """Random tables of good classifiers: their metrics, and their yields in both problems."""
    generator = np.random.default_rng(rng)
    tpr, tnr = _good_rates(generator, n), _good_rates(generator, n)
    cells = [(1 - share) * tnr, (1 - share) * (1 - tnr), share * (1 - tpr), share * tpr]
    tables = np.stack(cells, axis=-1).reshape(n, 2, 2)
    columns = {metric: catalogue[metric].values(1000 * tables) for metric in _METRICS}
    for name, costs in _PROBLEMS.items():
        columns[name] = -(tables * costs.values).sum(axis=(1, 2))
    return Frame({"tpr": tpr, "tnr": tnr, **columns})


def _pairs(share: float) -> Frame:
    """For each metric and problem two tables that are ranked wrongly, where there are any."""
    rows = [
        (metric, problem, -pair.costs[0], pair.values[0], -pair.costs[1], pair.values[1])
        for problem, costs in _PROBLEMS.items()
        for metric in _METRICS
        if (pair := opposite_pair(metric, application=costs, priors=[1 - share, share])) is not None
    ]
    names = ("yield_preferred", "value_preferred", "yield_better", "value_better")
    return frame_of(("metric", "problem", *names), rows)


def _compute(share: float, *, n: int = 200_000) -> Outcome:
    """The cloud at a share of class 0, the pairs, and how many pairs are ranked wrongly."""
    cells, wrong = [], {}
    for problem, costs in _PROBLEMS.items():
        app = Application(costs, priors=[1 - share, share])
        for metric, words in _METRICS.items():
            rate = 100 * float(misranking_rate(metric, utilities=app, draws=n, rng=149))
            wrong[metric, problem] = rate
            known, within = (0.0, 0.0) if (metric, problem) in _RIGHT else (None, 0.05)
            cells.append(Cell(f"{words} / {problem}", known, rate, within,
                              "% of pairs ranked wrongly", source="equality"))  # fmt: skip
    rates = _cloud(share, 200_000)["tpr"]
    cells += [
        Cell(f"rates drawn, {name}", printed, float(np.quantile(rates, q)), 0.005,
             source="print" if share == 0.5 else "again")  # the same rates in both figures
        for name, q, printed in (("lower quartile", 0.25, 0.75), ("median", 0.5, 0.85),
                                 ("upper quartile", 0.75, 0.93))
    ]  # fmt: skip
    tables = {"cloud": _cloud(share), "pairs": _pairs(share)}
    return Outcome(tuple(cells), tables, _REMARKS, _claims(wrong, share))


_REMARKS = (
    "Pairs (triangles) are the most striking ones on a grid of rates: the metric prefers the one "
    "that yields less. A cross stands where a metric and the yields never disagree.",
)


def _claims(wrong: dict[tuple[str, str], float], share: float) -> tuple[Claim, ...]:
    """Which metrics are right in which problem."""
    percent = f"{100 * share:.0f} % of class 0"
    always = [wrong[metric, problem] for metric in ("f1", "mcc") for problem in _PROBLEMS]
    return (
        Claim(
            "Accuracy ranks every pair rightly with the utilities [1 0; 0 1], the true-positive "
            f"rate with [1 0; 0 0] ({percent}).",
            all(wrong[place] == 0 for place in _RIGHT),
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


def _draw(outcome: Outcome, name: str) -> dict[str, Figure]:
    """Four rows of metrics, two columns of problems."""
    points, pairs = outcome.tables["cloud"], outcome.tables["pairs"]
    figure, axes = panels(4, 2, width=3.6, height=2.5)
    for place, ax in enumerate(axes):
        metric, problem = list(_METRICS)[place // 2], list(_PROBLEMS)[place % 2]
        ax.plot(points[problem], points[metric], "o", color=COLOURS[0], markersize=1.8, alpha=0.45,
                rasterized=True)  # fmt: skip
        _mark(ax, pairs, metric, problem)
        ax.set_ylabel(_METRICS[metric])
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
        lambda _: _compute(share),
        lambda outcome: _draw(outcome, f"figure{number}"),
        seconds=3.0,
    )


FIGURE_2, FIGURE_3 = _item(2, 0.5), _item(3, 0.9)


#: Corners and sides of the plane, and its centre.
_PLACES = ((0, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (0.5, 0.5), (-0.5, -0.5))
_EDGE = np.array([(1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (1, 1)], dtype=float)

#: Utilities in the middle of the errors of figure 5, rows true classes.
_CENTRES = {"[.5 .5; 0 1]": [[0.5, 0.0], [0.5, 1.0]], "[1 0; .5 .5]": [[1.0, 0.5], [0.0, 0.5]]}
_SHOWN = 1500


def _figure_1(_: Context) -> Outcome:
    """Eqs 12-13: coordinates of the plane, with the matrices of the stories in it."""
    points = {f"({x:g}, {y:g})": UtilityPoint(x, y) for x, y in _PLACES}
    stories = {name: UtilityPoint.from_costs(UTILITIES[name]) for name in ("eq 4", "eq 5")}
    everywhere = {**points, **stories}
    rows = [(name, p.x, p.y, *p.utilities.T.ravel()) for name, p in everywhere.items()]
    names = ("matrix", "x", "y", "U00", "U01", "U10", "U11")
    table = frame_of(names, rows)
    scaled = normalized_utilities(UTILITIES["eq 4"]).T  # as the paper prints: outputs by rows
    same = normalized_utilities(UTILITIES["eq 6"]).T
    cells = tuple(
        Cell(f"eq 4 scaled by eq 12, U{i}{j}", None, float(value), 5e-5)
        for (i, j), value in np.ndenumerate(scaled)
    )
    claim = Claim(
        "The medical utilities (eq 6) are those of the factory (eq 4) plus a constant.",
        bool(np.allclose(scaled, same)),
        f"Both scale to the point x = {stories['eq 4'].x:.1f}, y = {stories['eq 4'].y:.1f}.",
    )
    remark = "Matrices are printed as in the paper, the classifier's output by rows."
    return Outcome(cells, {"points": table}, (remark,), (claim,))


def _outline(ax: Any) -> None:
    """The hexagon inside which no error is better than the right decision."""
    ax.plot(_EDGE[:, 0], _EDGE[:, 1], color="#767676", linewidth=1)
    ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")


def _draw_figure_1(outcome: Outcome) -> dict[str, Figure]:
    """The plane with matrices at their places."""
    table = outcome.tables["points"]
    figure, (ax,) = panels(1, 1, width=6.2, height=6.0)
    _outline(ax)
    for row in table.rows():
        story = row["matrix"].startswith("eq")
        ax.plot(row["x"], row["y"], "D" if story else "o", color=COLOURS[1 if story else 0],
                markersize=6 if story else 4)  # fmt: skip
        pairs = (("U00", "U01"), ("U10", "U11"))
        cells = "\n".join(f"{row[a] + 0:<4.2g} {row[b] + 0:.2g}" for a, b in pairs)
        side = -62 if row["matrix"] == "eq 5" else 6  # its neighbour is close
        ax.annotate(f"{row['matrix']}\n{cells}" if story else cells, (row["x"], row["y"]),
                    xytext=(side, 5), textcoords="offset points", fontsize=8,
                    family="monospace")  # fmt: skip
    ax.set_xlabel("x: right, correct 1 is worth more than correct 0")
    ax.set_ylabel("y: up, taking a 1 for a 0 is forgiven")
    return {"figure1": figure}


def _figures_4_5(_: Context) -> Outcome:
    """Points of the truncated gaussian, and utilities with errors around two matrices."""
    rng = np.random.default_rng(149)
    points = _draw_points(rng, _SHOWN, "gaussian")
    rows: list[tuple[str, float, float, float]] = []
    cells = []
    for name, centre in _CENTRES.items():
        for sd in (0.1, 0.2):
            true = np.tile(np.array(centre), (_SHOWN // 3, 1, 1))
            wrong = disturbed(rng, true, sd)
            place = _coordinates(wrong)
            rows += [(name, sd, x, y) for x, y in place.tolist()]
            left = float(np.sqrt(((wrong - true) ** 2).mean()))
            cells.append(Cell(f"{name} / sd {sd:g}", None, left, 0.005, "sd of the errors kept"))
    tables = {
        "gaussian": Frame({"x": points[:, 0], "y": points[:, 1]}),
        "errors": frame_of(("centre", "sd", "x", "y"), rows),
    }
    return Outcome(tuple(cells), tables)


def _draw_figures_4_5(outcome: Outcome) -> dict[str, Figure]:
    """Both pictures side by side."""
    figure, axes = panels(1, 2, width=4.4, height=4.4)
    for ax in axes:
        _outline(ax)
    points, errors = outcome.tables["gaussian"], outcome.tables["errors"]
    axes[0].plot(points["x"], points["y"], "o", color=COLOURS[0], markersize=2, alpha=0.5,
                 rasterized=True)  # fmt: skip
    axes[0].set_title("Figure 4: truncated gaussian", loc="left", fontsize=TITLE)
    for sd, color, marker in ((0.2, COLOURS[1], "s"), (0.1, COLOURS[0], "^")):
        mine = errors["sd"] == sd
        axes[1].plot(errors["x"][mine], errors["y"][mine], marker, color=color, markersize=2.4,
                     alpha=0.5, label=f"sd {sd:g}", rasterized=True)  # fmt: skip
    for centre in _CENTRES.values():
        place = _coordinates(np.array([centre]))[0]
        axes[1].plot(*place, "D", color="black", markersize=7)
    axes[1].set_title("Figure 5: errors on the utilities", loc="left", fontsize=TITLE)
    axes[1].legend(loc="lower right", **{**LEGEND, "handlelength": 1, "markerscale": 2.5})
    return {"figures4-5": figure}


FIGURE_1 = Item("figure1", "Figure 1: the plane of utility matrices", _figure_1, _draw_figure_1)
FIGURES_4_5 = Item(
    "figures4-5", "Figures 4 and 5: a population of utilities, and errors on them",
    _figures_4_5, _draw_figures_4_5,
)  # fmt: skip
