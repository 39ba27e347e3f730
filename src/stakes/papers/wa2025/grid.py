"""How far each metric ranks random outcomes as their total cost does, over a grid; the numbers
published of it, and what the paper concludes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from stakes.audit import rank_correlations
from stakes.papers.items import DPI, Claim, published_rows
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
    # Fixed margins, because fitting them takes most of the time with many panels.
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


#: Cells on the line r_C = 1 - r+, where a balanced sample and the costs agree (eq 15).
_DIAGONAL = np.eye(len(GRID), dtype=bool)[::-1]
_STRONG = 0.8


def _where(values: FloatArray) -> str:
    """The least cell in words."""
    i, j = np.unravel_index(int(np.nanargmin(values)), values.shape)
    return f"least {np.nanmin(values):.2f} at r+ = {GRID[j]:g}, r_C = {GRID[i]:g}"


def _summary(grid: Frame, metric: str) -> str:
    """Mean and least of a heat map in words."""
    values = panel(grid, metric)
    return f"mean {np.nanmean(values):.3f}, {_where(values)}"


def robust_claims(grid: Frame, use_case: str) -> tuple[Claim, ...]:
    """Which metrics follow the total cost everywhere."""
    least = {
        metric: float(np.nanmin(panel(grid, metric)))
        for metric in ("WA", "H informed", "EWA", "EWA as coded")
    }
    return (
        Claim(
            f"Weighted accuracy keeps a strong rank correlation with the total cost ({use_case}).",
            least["WA"] > _STRONG,
            f"WA: {_summary(grid, 'WA')}.",
        ),
        Claim(
            "H informed and EWA are robust across all tested scenarios, as weighted accuracy is "
            f"({use_case}).",
            min(least["H informed"], least["EWA as coded"]) > _STRONG,
            f"Both fail in some cells. H informed: {_summary(grid, 'H informed as coded')}. EWA: "
            f"{_summary(grid, 'EWA as coded')}; integrated exactly: {_summary(grid, 'EWA')}.",
        ),
    )


def plain_claims(grid: Frame, use_case: str) -> tuple[Claim, ...]:
    """What rebalancing metrics and accuracy do."""
    mcc, informedness = panel(grid, "MCC"), panel(grid, "informedness")
    on, off = (float(np.nanmean(informedness[cells])) for cells in (_DIAGONAL, ~_DIAGONAL))
    accuracy = panel(grid, "accuracy")
    ratio, share = np.meshgrid(GRID, GRID, indexing="ij")
    alike = (ratio - 0.5) * (share - 0.5) > 0  # both small or both large
    unlike = (ratio - 0.5) * (share - 0.5) < 0
    return (
        Claim(
            "Metrics that make up for class imbalance agree with the total cost only near "
            f"r_C = 1 - r+ ({use_case}).",
            on > _STRONG > 0.5 > off,
            f"Informedness: mean correlation {on:.2f} on that line, {off:.2f} elsewhere; MCC "
            f"{np.nanmean(mcc[_DIAGONAL]):.2f} and {np.nanmean(mcc[~_DIAGONAL]):.2f}.",
        ),
        Claim(
            "Accuracy agrees with the total cost where the larger class also has the larger "
            f"cost of an error ({use_case}).",
            float(np.nanmin(accuracy[alike])) > _STRONG,
            f"Mean correlation {np.nanmean(accuracy[alike]):.2f} there, least "
            f"{np.nanmin(accuracy[alike]):.2f}; {np.nanmean(accuracy[unlike]):.2f} where it is "
            "the smaller class.",
        ),
    )


def realised_claim(costs: Frame) -> Claim:
    """Whether the credit costs have the ratio that they were made for."""
    gap = np.abs(costs["realised"] - costs["nominal"])
    far = int((gap > 0.01).sum())
    half = costs["nominal"] == 0.5
    at = dict(zip(costs["positives"][half], costs["realised"][half], strict=True))
    return Claim(
        "The loss given default is tuned so that the cost ratio has the value on the axis.",
        far == 0,
        "The formula leaves out that negative costs of a false alarm are set to 0. At a nominal "
        f"0.5 the realised ratio is {at[0.01]:.3f} for r+ = 0.01, {at[0.2]:.3f} for 0.2 and "
        f"{at[0.5]:.3f} for 0.5; {far} of {gap.size} cells are off by more than 0.01.",
        erratum=7,
    )


def weighted_claims(
    grid: Frame, use_case: str, printed: FloatArray | None = None
) -> tuple[Claim, ...]:
    """Where the weight lies, and what depends on it."""
    claims = []
    if printed is not None:
        off = {w: float(np.nanmean(np.abs(panel(grid, "G-mean", w) - printed))) for w in _BOTH}
        claims.append(
            Claim(
                "The weighted correlation gives more weight to the best outcomes.",
                off["best"] < off["worst"],
                "The printed panel of G-mean is matched with the weight on the worst outcomes "
                f"(mean difference {off['worst']:.3f}), not with the weight on the best "
                f"({off['best']:.3f}).",
                erratum=4,
            )
        )
    for metric in ("G-mean", "P4"):
        claims.append(_reversed_pattern(grid, metric, use_case))
    least = {w: panel(grid, "WA", w) for w in _BOTH}
    claims.append(
        Claim(
            f"Weighted accuracy also follows the total cost under weighted ranks ({use_case}).",
            min(float(np.nanmin(values)) for values in least.values()) > _STRONG,
            f"Weight on the worst: {_where(least['worst'])}; on the best: {_where(least['best'])}.",
        )
    )
    return tuple(claims)


_BOTH: tuple[Weighing, ...] = ("worst", "best")


def _reversed_pattern(grid: Frame, metric: str, use_case: str) -> Claim:
    """Low on the line r_C = 1 - r+ and higher elsewhere?"""
    means = {
        w: tuple(float(np.nanmean(panel(grid, metric, w)[c])) for c in (_DIAGONAL, ~_DIAGONAL))
        for w in _BOTH
    }
    return Claim(
        f"With weighted ranks {metric} agrees least with the total cost near r_C = 1 - r+, and "
        f"better elsewhere ({use_case}).",
        means["best"][0] < means["best"][1],
        f"Weight on the worst outcomes (as printed): {means['worst'][0]:.2f} on that line, "
        f"{means['worst'][1]:.2f} elsewhere; on the best (as the text says): "
        f"{means['best'][0]:.2f} and {means['best'][1]:.2f}.",
    )


#: Table 3: mean cost above the best candidate in the four scenarios.
TABLE_3 = {
    row.pop("metric"): tuple(map(int, row.values()))
    for row in published_rows("wa2025", "table_3.csv")
}


def _panels() -> dict[str, FloatArray]:
    """The authors' heat maps by use case and metric; `nan` where no costs exist."""
    found: dict[str, list[list[float]]] = {}
    for row in published_rows("wa2025", "heat_maps.csv"):  # one for each share of positives
        column = [float(row[f"{ratio:g}"] or "nan") / 1000 for ratio in GRID]
        found.setdefault(row["panel"], []).append(column)
    return {name: np.array(columns).T for name, columns in found.items()}


#: Plain correlation with TCC of figures 1 and 2, and weighted correlation of figure 3.
PANELS = _panels()
