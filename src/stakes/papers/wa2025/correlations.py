"""Figures 1 to 4: rank correlation with the total cost, for all metrics and both use cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from stakes.exceptions import DataError
from stakes.metrics import matched_beta
from stakes.papers.items import Cell, Context, Item, Outcome
from stakes.papers.wa2025 import published
from stakes.papers.wa2025.case_costs import (
    CUSTOMERS,
    GRID,
    CostsOf,
    churn_use_case,
    credit_use_case,
    revenues,
)
from stakes.papers.wa2025.claims import (
    plain_claims,
    realised_claims,
    robust_claims,
    weighted_claims,
)
from stakes.papers.wa2025.grid import Weighing, correlation_grid, heat_maps, panel
from stakes.papers.wa2025.rated import METRICS, as_coded, beta_density_mass
from stakes.results import Frame
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: A published cell is a mean of 100 samples, and so is ours: four standard errors of their
#: difference, and half a unit of the third decimal.
SPREAD = 4 * np.sqrt(2)
_SECTION = "section 4.1.1"
#: Where the numbers of the heat maps come from, of which the paper prints whole tenths.
_FILES = "authors' result file"
#: Least, median, largest.
Triple: TypeAlias = tuple[float, float, float]


def data_of(context: Context) -> Path:
    """The folder of data; an error where there is none."""
    if context.data is None:
        raise DataError("this item reads the churn or the credit data.", hint="set STAKES_DATA")
    return context.data


def _panel_cells(
    grid: Frame, metric: str, printed: FloatArray, reading: str, weighing: Weighing = "plain"
) -> list[Cell]:
    """Every cell of a printed heat map beside ours."""
    ours, error = (panel(grid, metric, weighing, c) for c in ("correlation", "standard_error"))
    return [
        Cell(
            f"r_C {ratio:g} / r+ {share:g}",
            float(printed[i, j]),
            float(ours[i, j]),
            float(SPREAD * error[i, j] + 0.0005),
            reading,
            source="authors",
        )
        for i, ratio in enumerate(GRID)
        for j, share in enumerate(GRID)
        if np.isfinite(printed[i, j])
    ]


def _realised(costs_of: CostsOf) -> Frame:
    """The cost ratio that the costs have against the one they were made for, with their Betas."""
    rows = []
    for share in GRID:
        for ratio in GRID:
            costs = costs_of(share, ratio)
            if costs is None:
                continue
            alpha, beta = matched_beta(costs.shares)
            miss, alarm = costs.miss, costs.alarm
            rows.append(
                (share, ratio, costs.ratio, miss.mean(), alarm.mean(),
                 miss.std(ddof=1) / alarm.mean(), alarm.std(ddof=1) / miss.mean(),
                 alpha, beta, beta_density_mass(alpha, beta))
            )  # fmt: skip
    names = ("positives", "nominal", "realised", "mean_miss", "mean_alarm", "miss_spread",
             "alarm_spread", "alpha", "beta", "trapezoid_mass")  # fmt: skip
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return Frame({name: np.array(column) for name, column in columns})


def _means(grid: Frame) -> list[Cell]:
    """Mean and least cell of each heat map of figure 1, which the paper does not print.

    Cells of one share of positives rest on the same outcomes, those of different ones do not.
    """
    cells = []
    for metric in METRICS:
        values, error = (panel(grid, as_coded(metric), column=c) for c in _WITH_ERROR)
        spread = float(np.sqrt((error.mean(axis=0) ** 2).sum())) / len(GRID)
        at_least = float(error.ravel()[values.argmin()])
        for what, known, ours, one in zip(
            ("mean", "least"), published.GRID_MEANS[metric],
            (float(values.mean()), float(values.min())), (spread, at_least), strict=True,
        ):  # fmt: skip
            within = 0.0005 if known is None else float(SPREAD * one + 0.0005)
            cells.append(Cell(f"{metric} / {what}", known, ours, within, "over the whole grid",
                              source="independent"))  # fmt: skip
    return cells


_WITH_ERROR = ("correlation", "standard_error")


def _sample(income: FloatArray, costs: Frame) -> list[Cell]:
    """The 200 customers, and at each cost ratio what a measure costs and the ratio it gives."""
    cells = [
        Cell("monthly charges / mean", 63.626, float(income.mean()), 5e-4, source="independent"),
        Cell("monthly charges / sd", 29.82806, float(income.std()), 5e-6, source="independent"),
    ]
    mine = costs["positives"] == GRID[0]  # the same for every share of positives
    for ratio, known, alarm, found in zip(
        GRID, published.RETENTION_COSTS, costs["mean_alarm"][mine], costs["realised"][mine],
        strict=True,
    ):  # fmt: skip
        cells += [
            Cell(f"nominal r_C {ratio:g} / cost M of a measure", known, float(alarm),
                 5e-4 if known > 1 else 5e-5, source="independent"),
            Cell(f"nominal r_C {ratio:g} / realised r_C", 0.5001 if ratio == 0.5 else None,
                 float(found), 5e-5, source="independent"),
        ]  # fmt: skip
    return cells


def _spreads(costs: Frame, wanted: Sequence[tuple[str, str, Triple, Triple]]) -> list[Cell]:
    """Least, median and largest of how much costs vary from customer to customer."""
    cells = []
    for column, words, numbers, tolerances in wanted:
        found = np.min(costs[column]), np.median(costs[column]), np.max(costs[column])
        for what, printed, ours, tolerance in zip(
            ("least", "median", "largest"), numbers, found, tolerances, strict=True
        ):
            cells.append(Cell(f"{words} / {what}", printed, float(ours), tolerance, _SECTION))
    return cells


def _plain_churn(context: Context) -> Outcome:
    """Figure 1."""
    costs_of = churn_use_case(data_of(context))
    grid = correlation_grid(costs_of, progress=context.progress)
    costs = _realised(costs_of)
    cells = [
        *_panel_cells(grid, "WA", published.CHURN_WA, f"WA, {_FILES}"),
        *_panel_cells(grid, "EWA as coded", published.CHURN_EWA, f"EWA as coded, {_FILES}"),
        *_means(grid),
        *_spreads(costs, [("miss_spread", "sd of C_FN per mean C_FP", (0.03, 0.79, 47),
                           (0.005, 0.005, 0.5))]),
        *_sample(revenues(data_of(context)), costs),
    ]  # fmt: skip
    claims = (*robust_claims(grid, "churn"), *plain_claims(grid, "churn"))
    return Outcome(tuple(cells), {"correlations": grid, "costs": costs}, _REMARKS, claims)


def _plain_credit(context: Context) -> Outcome:
    """Figure 2."""
    costs_of = credit_use_case(data_of(context))
    grid = correlation_grid(costs_of, progress=context.progress)
    costs = _realised(costs_of)
    cells = [
        *_panel_cells(grid, "WA", published.CREDIT_WA, f"WA, {_FILES}"),
        *_spreads(costs, [
            ("miss_spread", "sd of C_FN per mean C_FP", (0.0002, 0.16, 51), (5e-5, 0.005, 0.5)),
            ("alarm_spread", "sd of C_FP per mean C_FN", (0.005, 2.38, 2800), (5e-4, 0.005, 50)),
        ]),
        Cell("cells of the grid with costs", 84, float(costs.shape[0]), reading="of 121",
             source="independent"),
        *(Cell(f"nominal r_C 0.5 / r+ {share:g}", published.CREDIT_REALISED.get(share),
               float(_at(costs, share, 0.5)), 0.0005, "realised cost ratio", source="independent")
          for share in GRID),
    ]  # fmt: skip
    claims = (
        *robust_claims(grid, "credit"), *plain_claims(grid, "credit"), *realised_claims(costs)
    )  # fmt: skip
    remarks = (*_REMARKS, _without_costs(costs_of))
    return Outcome(tuple(cells), {"correlations": grid, "costs": costs}, remarks, claims)


def _weighted_churn(context: Context) -> Outcome:
    """Figure 3, in both orientations."""
    grid = correlation_grid(
        churn_use_case(data_of(context)), ("worst", "best"), progress=context.progress
    )
    worst = _panel_cells(grid, "G-mean", published.CHURN_GMEAN_WEIGHTED,
                        f"G-mean, weight on the worst outcomes, {_FILES}", "worst")  # fmt: skip
    return Outcome(
        (*worst, *_weighted_means(grid)), {"correlations": grid}, _WEIGHTED_REMARKS,
        weighted_claims(grid, "churn", published.CHURN_GMEAN_WEIGHTED),
    )  # fmt: skip


def _weighted_credit(context: Context) -> Outcome:
    """Figure 4, in both orientations."""
    costs_of = credit_use_case(data_of(context))
    grid = correlation_grid(costs_of, ("worst", "best"), progress=context.progress)
    return Outcome(
        tuple(_weighted_means(grid)), {"correlations": grid},
        (*_WEIGHTED_REMARKS, _without_costs(costs_of)), weighted_claims(grid, "credit"),
    )  # fmt: skip


def _without_costs(costs_of: CostsOf) -> str:
    """How many customers cost nothing either way, in how many cells, and where that matters."""
    found = [costs_of(share, ratio) for share in GRID for ratio in GRID]
    free = [int(np.count_nonzero(c.miss + c.alarm == 0)) for c in found if c is not None]
    return (
        f"In {np.count_nonzero(free)} of the {len(free)} cells of the grid with costs, up to "
        f"{max(free)} of the {CUSTOMERS} customers cost nothing, whether missed or alarmed. Their "
        "share c = C_FP / (C_FP + C_FN) is 0/0, so they are left out of the Beta that EWA and H "
        "informed are matched to; in the total cost they count with 0."
    )


def _weighted_means(grid: Frame) -> list[Cell]:
    """Mean over the grid by metric, weight on the worst outcomes and on the best."""
    return [
        Cell(f"{metric} / weight on the {weighing}", None,
             float(np.nanmean(panel(grid, as_coded(metric), weighing))), 0.0005,
             "mean over the grid")
        for metric in METRICS
        for weighing in ("worst", "best")
    ]  # fmt: skip


def _at(costs: Frame, share: float, ratio: float) -> float:
    """The realised cost ratio of a cell."""
    return float(costs["realised"][(costs["positives"] == share) & (costs["nominal"] == ratio)][0])


_REMARKS = (
    "All outcomes are of chance: predictions are drawn without looking at the labels.",
    "EWA and H informed are drawn as the authors' code integrates them, by trapezoids on 998 "
    "points; the table of correlations also holds both with the exact integral. Precision and NPV "
    "are drawn with the 1e-9 that the code adds to their denominators, which breaks ties.",
    "All cost ratios of one share of positives are judged on the same random outcomes.",
)
_WEIGHTED_REMARKS = (
    "The authors' code gives the largest weight to rank 1, which is the smallest value of the "
    "metric and the highest cost; for ACD, where small is good, it is the best outcome. The first "
    "figure does the same, the second puts the weight where the text says, on the best outcomes.",
)


def _draw_plain(outcome: Outcome, name: str) -> dict[str, Figure]:
    """All metrics as printed, and the two that change when integrated exactly."""
    grid = outcome.tables["correlations"]
    maps = {metric: panel(grid, as_coded(metric)) for metric in METRICS}
    exact = {
        f"{metric}, {how}": panel(grid, key)
        for metric in ("H informed", "EWA")
        for how, key in (("by trapezoids", f"{metric} as coded"), ("exact", metric))
    }
    return {
        name: heat_maps(maps, "Plain Spearman correlation with the total cost"),
        f"{name}-exact": heat_maps(exact, "What the trapezoid rule changes", columns=4, width=2.6),
    }


def _draw_weighted(outcome: Outcome, name: str) -> dict[str, Figure]:
    """Both orientations."""
    grid = outcome.tables["correlations"]
    printed = {
        metric: panel(grid, as_coded(metric), "best" if metric == "ACD" else "worst")
        for metric in METRICS
    }
    best = {metric: panel(grid, as_coded(metric), "best") for metric in METRICS}
    return {
        f"{name}-as-printed": heat_maps(
            printed, "Weighted Spearman, weight on the worst (as printed)"
        ),
        f"{name}-as-the-text-says": heat_maps(
            best, "Weighted Spearman, weight on the best (the text)"
        ),
    }


def _item(number: int, title: str, compute: Callable[[Context], Outcome], folder: str) -> Item:
    """A figure of heat maps."""
    key, drawing = f"figure{number}", _draw_plain if number <= 2 else _draw_weighted
    return Item(
        key,
        f"Figure {number}: {title}",
        compute,
        lambda outcome: drawing(outcome, key),
        (folder,),
        8.0,
    )


FIGURES = (
    _item(1, "Spearman correlation with the total cost, churn", _plain_churn, "telco_churn"),
    _item(2, "Spearman correlation with the total cost, credit", _plain_credit,
          "give_me_some_credit"),
    _item(3, "weighted Spearman correlation, churn", _weighted_churn, "telco_churn"),
    _item(4, "weighted Spearman correlation, credit", _weighted_credit, "give_me_some_credit"),
)  # fmt: skip
