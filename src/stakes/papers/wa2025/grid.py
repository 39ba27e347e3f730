"""How far each metric ranks random outcomes as their total cost does, over the grid of the
paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from stakes.audit import rank_correlations
from stakes.papers.items import DPI
from stakes.papers.wa2025.case_costs import (
    CUSTOMERS,
    GRID,
    CostsOf,
    ErrorCosts,
    Outcomes,
    costed_scores,
    draw_outcomes,
    free_scores,
)
from stakes.results import Frame, frame_of
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SAMPLES = 100
#: Seed of the draws, as in the authors' code; the stream of draws is our own.
_SEED = 142
_COLUMNS = ("metric", "positives", "cost_ratio", "weighing", "correlation", "standard_error")
#: Whether ranks weigh alike, or most at the best, or at the worst, outcomes.
Weighing: TypeAlias = Literal["plain", "best", "worst"]


def outcomes_at(positives: float, samples: int = SAMPLES) -> Outcomes:
    """Random outcomes for a share of positives, always the same ones."""
    count = round(CUSTOMERS * positives)
    return draw_outcomes(np.random.default_rng([_SEED, count]), count, samples=samples)


def correlation_grid(
    costs_of: CostsOf,
    weighings: Sequence[Weighing] = ("plain",),
    *,
    shares: Sequence[float] = GRID,
    ratios: Sequence[float] = GRID,
    samples: int = SAMPLES,
    progress: Callable[[float], None] = lambda _: None,
) -> Frame:
    """Mean rank correlation with TCC, and its standard error, by metric, cell and weighing."""
    rows: list[tuple[object, ...]] = []
    for done, share in enumerate(shares):
        known = [(r, costs) for r in ratios if (costs := costs_of(share, r)) is not None]
        if known:
            found = _correlations(outcomes_at(share, samples), known, weighings)
            for weighing, values in found.items():
                for name, per_ratio in values.items():
                    for (ratio, _), sample in zip(known, per_ratio, strict=True):
                        error = float(sample.std(ddof=1) / np.sqrt(samples))
                        rows.append((name, share, ratio, weighing, float(sample.mean()), error))
        progress((done + 1) / len(shares))
    return frame_of(_COLUMNS, rows)


def panel(
    grid: Frame, metric: str, weighing: Weighing = "plain", column: str = "correlation"
) -> FloatArray:
    """One heat map of the grid: rows cost ratios, columns shares of positives; `nan` where none."""
    table = np.full((len(GRID), len(GRID)), np.nan)
    mine = (grid["metric"] == metric) & (grid["weighing"] == weighing)
    places = zip(grid["cost_ratio"][mine], grid["positives"][mine], grid[column][mine], strict=True)
    for ratio, share, value in places:
        table[GRID.index(float(ratio)), GRID.index(float(share))] = value
    return table


def _correlations(
    outcomes: Outcomes, known: list[tuple[float, ErrorCosts]], weighings: Sequence[Weighing]
) -> dict[str, dict[str, FloatArray]]:
    """Correlations by weighing and metric, of shape (cost ratios, samples)."""
    value = -outcomes.total_costs([costs for _, costs in known])
    free = free_scores(outcomes.tables)
    costed = [costed_scores(outcomes.tables, costs, ratio) for ratio, costs in known]
    apart = np.stack(list(free.values()))[:, None]
    each = np.stack([list(scores.values()) for scores in costed], axis=1)
    found = {}
    for weighing in weighings:
        rows = [*_agreement(apart, value, weighing), *_agreement(each, value, weighing)]
        found[str(weighing)] = dict(zip((*free, *costed[0]), rows, strict=True))
    return found


def _agreement(scores: FloatArray, value: FloatArray, weighing: Weighing) -> FloatArray:
    """Rank correlation of scores with minus the cost, for both higher is better."""
    if weighing == "plain":
        return rank_correlations(scores, value)
    return rank_correlations(
        scores, value, kind="weighted", top="high" if weighing == "best" else "low"
    )


#: Red for opposite orders, blue for equal ones: told apart with any kind of colour vision.
_MAP = "RdBu"
#: Size of the numbers in the cells, in points.
_FONT = 4.8


def heat_maps(maps: Mapping[str, FloatArray], title: str, *, columns: int = 5) -> Figure:
    """One panel per entry, rows cost ratios from below; each cell printed in tenths."""
    from matplotlib.figure import Figure

    rows = -(-len(maps) // columns)
    # Fixed margins: to fit them takes most of the time with so many panels.
    across, up = 2.35 * columns, 2.35 * 0.88 * rows + 1.5
    figure = Figure(figsize=(across, up), dpi=DPI)
    margins = {"left": 0.5 / across, "right": 1 - 0.05 / across, "bottom": 1.0 / up,
               "top": 1 - 0.55 / up, "wspace": 0.06, "hspace": 0.16}  # fmt: skip
    axes = figure.subplots(rows, columns, squeeze=False, gridspec_kw=margins).ravel()
    drawn: Any = None
    for place, (name, values) in enumerate(maps.items()):
        drawn = _panel(axes[place], name, values)
        _ticks(axes[place], below=place // columns == rows - 1, left=place % columns == 0)
    for ax in axes[len(maps) :]:
        ax.set_visible(False)
    figure.text(0.12 / across, 1 - 0.12 / up, title, fontsize=11, va="top")
    bar = figure.colorbar(drawn, cax=figure.add_axes((0.3, 0.42 / up, 0.4, 0.1 / up)),
                          orientation="horizontal")  # fmt: skip
    bar.set_label("mean rank correlation with minus the total cost (in cells: tenths)", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    bar.ax.grid(visible=False)
    return figure


def _ticks(ax: Any, *, below: bool, left: bool) -> None:
    """Numbers and words at the outer panels only."""
    shown, places = [f"{value:g}" for value in GRID], range(len(GRID))
    ax.set_xticks(places, shown if below else [])
    ax.set_yticks(places, shown if left else [])
    ax.tick_params(labelsize=6, length=2, axis="x", rotation=90)
    ax.tick_params(labelsize=6, length=2, axis="y")
    if below:
        ax.set_xlabel("share of positives r+", fontsize=7)
    if left:
        ax.set_ylabel("cost ratio r_C", fontsize=7)


def _panel(ax: Any, name: str, values: FloatArray) -> Any:
    """One panel; cells without costs stay grey."""
    ax.set_facecolor("#cfcfcf")
    ax.grid(visible=False)
    drawn = ax.imshow(values, origin="lower", cmap=_MAP, vmin=-1, vmax=1, aspect="auto")
    tenths = np.round(10 * values)
    for number in np.unique(tenths[np.isfinite(tenths)]):
        i, j = np.nonzero(tenths == number)
        shape, size = _digits(f"{number + 0:.0f}")
        ink = "#fafafa" if abs(number) > 7 else "#222222"  # a page hides pure white
        ax.plot(j, i, linestyle="none", marker=shape, markersize=size, color=ink,
                markeredgewidth=0, scalex=False, scaley=False)  # fmt: skip
    ax.set_title(name, fontsize=9, loc="left", pad=3)
    return drawn


@cache
def _digits(text: str) -> tuple[Any, float]:
    """A number as a marker, and its size: drawn for many cells at once, unlike text."""
    from matplotlib.path import Path
    from matplotlib.textpath import TextPath

    outline = TextPath((0, 0), text, size=1)
    corners = np.asarray(outline.vertices)
    centred = corners - (corners.min(axis=0) + corners.max(axis=0)) / 2
    return Path(centred, outline.codes), float(2 * np.abs(centred).max() * _FONT)
