"""Figures 1, 4 and 5: the plane of utility matrices, a population in it, and errors in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.application import UtilityPoint, normalized_utilities
from stakes.experiments.drawing import COLOURS, LEGEND, TITLE, panels
from stakes.experiments.dyrland2022.population import coordinates, disturbed, draw_points
from stakes.experiments.dyrland2022.stories import UTILITIES
from stakes.experiments.items import Cell, Claim, Context, Item, Outcome
from stakes.results import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES_4_5", "FIGURE_1"]

#: Corners and sides of the plane, and its centre.
PLACES = ((0, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (0.5, 0.5), (-0.5, -0.5))
EDGE = np.array([(1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1), (1, 0), (1, 1)], dtype=float)
#: Utilities in the middle of the errors of figure 5, rows true classes.
CENTRES = {"[.5 .5; 0 1]": [[0.5, 0.0], [0.5, 1.0]], "[1 0; .5 .5]": [[1.0, 0.5], [0.0, 0.5]]}
SHOWN = 1500


def figure_1(_: Context) -> Outcome:
    """Eqs 12-13: coordinates of the plane, with the matrices of the stories in it."""
    points = {f"({x:g}, {y:g})": UtilityPoint(x, y) for x, y in PLACES}
    stories = {name: UtilityPoint.from_costs(UTILITIES[name]) for name in ("eq 4", "eq 5")}
    everywhere = {**points, **stories}
    rows = [(name, p.x, p.y, *p.utilities.T.ravel()) for name, p in everywhere.items()]
    names = ("matrix", "x", "y", "U00", "U01", "U10", "U11")
    table = Frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    scaled = normalized_utilities(UTILITIES["eq 4"]).T  # as the paper prints: outputs by rows
    same = normalized_utilities(UTILITIES["eq 6"]).T
    cells = tuple(
        Cell(f"eq 4 scaled by eq 12, U{i}{j}", None, float(scaled[i, j]), 5e-5)
        for i in range(2)
        for j in range(2)
    )
    claim = Claim(
        "The medical utilities (eq 6) are those of the factory (eq 4) plus a constant.",
        bool(np.allclose(scaled, same)),
        f"Both scale to the point x = {stories['eq 4'].x:.1f}, y = {stories['eq 4'].y:.1f}.",
    )
    return Outcome(cells, {"points": table}, _REMARKS, (claim,))


_REMARKS = ("Matrices are printed as in the paper, the classifier's output by rows.",)


def _outline(ax: Any) -> None:
    """The hexagon inside which no error is better than the right decision."""
    ax.plot(EDGE[:, 0], EDGE[:, 1], color="#767676", linewidth=1)
    ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal", xlabel="x", ylabel="y")


def draw_figure_1(outcome: Outcome) -> dict[str, Figure]:
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


def figures_4_5(_: Context) -> Outcome:
    """Points of the truncated gaussian, and utilities with errors around two matrices."""
    rng = np.random.default_rng(149)
    points = draw_points(rng, SHOWN, "gaussian")
    rows: dict[str, list[Any]] = {"centre": [], "sd": [], "x": [], "y": []}
    cells = []
    for name, centre in CENTRES.items():
        for sd in (0.1, 0.2):
            true = np.tile(np.array(centre), (SHOWN // 3, 1, 1))
            wrong = disturbed(rng, true, sd)
            place = coordinates(wrong)
            rows["centre"] += [name] * len(place)
            rows["sd"] += [sd] * len(place)
            rows["x"] += place[:, 0].tolist()
            rows["y"] += place[:, 1].tolist()
            left = float(np.sqrt(((wrong - true) ** 2).mean()))
            cells.append(Cell(f"{name} / sd {sd:g}", None, left, 0.005, "sd of the errors kept"))
    tables = {
        "gaussian": Frame({"x": points[:, 0], "y": points[:, 1]}),
        "errors": Frame(rows),
    }
    return Outcome(tuple(cells), tables)


def draw_figures_4_5(outcome: Outcome) -> dict[str, Figure]:
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
    for centre in CENTRES.values():
        place = coordinates(np.array([centre]))[0]
        axes[1].plot(*place, "D", color="black", markersize=7)
    axes[1].set_title("Figure 5: errors on the utilities", loc="left", fontsize=TITLE)
    axes[1].legend(loc="lower right", markerscale=2.5, **{**LEGEND, "handlelength": 1})
    return {"figures4-5": figure}


FIGURE_1 = Item("figure1", "Figure 1: the plane of utility matrices", figure_1, draw_figure_1)
FIGURES_4_5 = Item(
    "figures4-5", "Figures 4 and 5: a population of utilities, and errors on them",
    figures_4_5, draw_figures_4_5,
)  # fmt: skip
