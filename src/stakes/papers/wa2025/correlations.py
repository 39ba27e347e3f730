"""Figures 1 to 5: rank correlation with the total cost, for all metrics, also with a few massive
customers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from stakes.audit import rank_correlations
from stakes.metrics import catalogue
from stakes.papers.items import Cell, Claim, Context, Item, Outcome, data_of
from stakes.papers.wa2025.case_costs import (
    EFFECTIVENESS,
    GRID,
    METRICS,
    CostsOf,
    ErrorCosts,
    as_coded,
    churn_costs,
    churn_use_case,
    credit_use_case,
    massive_revenues,
    revenues,
)
from stakes.papers.wa2025.grid import (
    PANELS,
    SAMPLES,
    Weighing,
    correlation_grid,
    heat_maps,
    outcomes_at,
    panel,
    plain_claims,
    realised_claim,
    robust_claims,
    weighted_claims,
)
from stakes.results import Frame, frame_of
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A published cell is a mean of 100 samples, and so is ours: four standard errors of their
#: difference, and half a unit of the third decimal.
SPREAD = 4 * np.sqrt(2)
_USE_CASES = {
    "churn": (churn_use_case, "telco_churn"),
    "credit": (credit_use_case, "give_me_some_credit"),
}
#: How much costs vary from customer to customer (section 4.1.1): the use case, the column of
#: `_realised`, its words; least, median and largest as printed, with half a unit of each.
_SPREADS = (
    ("churn", "miss_spread", "sd of C_FN per mean C_FP", (0.03, 0.79, 47), (0.005, 0.005, 0.5)),
    ("credit", "miss_spread", "sd of C_FN per mean C_FP", (0.0002, 0.16, 51), (5e-5, 0.005, 0.5)),
    ("credit", "alarm_spread", "sd of C_FP per mean C_FN", (0.005, 2.38, 2800), (5e-4, 0.005, 50)),
)


def _panel_cells(
    grid: Frame, metric: str, printed: FloatArray, words: str, weighing: Weighing = "plain"
) -> list[Cell]:
    """Every cell of a heat map in the authors' files beside ours; the paper prints tenths."""
    ours, error = (panel(grid, metric, weighing, c) for c in ("correlation", "standard_error"))
    within = SPREAD * error + 0.0005
    reading = f"{words}, authors' result file"
    return [
        Cell(f"r_C {GRID[i]:g} / r+ {GRID[j]:g}", float(known), float(ours[i, j]),
             float(within[i, j]), reading, source="authors")
        for (i, j), known in np.ndenumerate(printed)
        if np.isfinite(known)
    ]  # fmt: skip


def _realised(costs_of: CostsOf) -> Frame:
    """The cost ratio that the costs have against the one they were made for, and their spread."""
    rows = []
    for share in GRID:
        for ratio in GRID:
            costs = costs_of(share, ratio)
            if costs is not None:
                miss, alarm = costs.miss, costs.alarm
                spreads = miss.std(ddof=1) / alarm.mean(), alarm.std(ddof=1) / miss.mean()
                rows.append((share, ratio, costs.ratio, *spreads))
    return frame_of(("positives", "nominal", "realised", "miss_spread", "alarm_spread"), rows)


def _plain(context: Context, use_case: str) -> Outcome:
    """Figures 1 and 2."""
    costs_of = _USE_CASES[use_case][0](data_of(context))
    grid = correlation_grid(costs_of, progress=context.progress)
    costs = _realised(costs_of)
    cells = [
        cell
        for metric in ("WA", "EWA")
        if f"{use_case} {metric}" in PANELS
        for cell in _panel_cells(
            grid, as_coded(metric), PANELS[f"{use_case} {metric}"], as_coded(metric)
        )
    ]
    for name, column, words, printed, half_units in _SPREADS:
        if name == use_case:
            found = np.quantile(costs[column], [0, 0.5, 1]).tolist()
            for k, what in enumerate(("least", "median", "largest")):
                row = f"{words} / {what}"
                cells.append(Cell(row, printed[k], found[k], half_units[k], "section 4.1.1"))
    claims = (*robust_claims(grid, use_case), *plain_claims(grid, use_case))
    if use_case == "credit":
        claims += (realised_claim(costs),)
    return Outcome(tuple(cells), {"correlations": grid, "costs": costs}, _REMARKS, claims)


def _weighted(context: Context, use_case: str) -> Outcome:
    """Figures 3 and 4, in both orientations."""
    costs_of = _USE_CASES[use_case][0](data_of(context))
    grid = correlation_grid(costs_of, ("worst", "best"), progress=context.progress)
    printed = PANELS.get(f"{use_case} weighted G-mean")
    cells = []
    if printed is not None:
        words = "G-mean, weight on the worst outcomes"
        cells = _panel_cells(grid, "G-mean", printed, words, "worst")
    cells += [
        Cell(f"{metric} / weight on the {weighing}", None,
             float(np.nanmean(panel(grid, as_coded(metric), weighing))), 0.0005,
             "mean over the grid")
        for metric in METRICS
        for weighing in ("worst", "best")
    ]  # fmt: skip
    claims = weighted_claims(grid, use_case, printed)
    return Outcome(tuple(cells), {"correlations": grid}, _WEIGHTED_REMARKS, claims)


_REMARKS = (
    "All outcomes are of chance: predictions are drawn without looking at the labels.",
    "EWA and H informed are drawn as the authors' code integrates them, by trapezoids on 998 "
    "points; the table of correlations also holds both with the exact integral. Precision and NPV "
    "are drawn with the 1e-9 that the code adds to their denominators, which breaks ties.",
    "All cost ratios of one share of positives are judged on the same random outcomes.",
    "Customers who cost nothing, whether missed or alarmed, are left out of the Beta that EWA and "
    "H informed are matched to, since their share c = C_FP / (C_FP + C_FN) is 0/0.",
)
_WEIGHTED_REMARKS = (
    "The authors' code gives the largest weight to rank 1, which is the smallest value of the "
    "metric and the highest cost; for ACD, where small is good, it is the best outcome. The first "
    "figure does the same, the second puts the weight where the text says, on the best outcomes.",
)


def _draw_plain(outcome: Outcome, name: str) -> dict[str, Figure]:
    """All metrics as printed."""
    grid = outcome.tables["correlations"]
    maps = {metric: panel(grid, as_coded(metric)) for metric in METRICS}
    return {name: heat_maps(maps, "Plain Spearman correlation with the total cost")}


def _draw_weighted(outcome: Outcome, name: str) -> dict[str, Figure]:
    """Both orientations."""
    grid = outcome.tables["correlations"]
    best = {metric: panel(grid, as_coded(metric), "best") for metric in METRICS}
    worst = {metric: panel(grid, as_coded(metric), "worst") for metric in METRICS}
    printed = {**worst, "ACD": best["ACD"]}
    title = "Weighted Spearman, weight on the"
    return {
        f"{name}-as-printed": heat_maps(printed, f"{title} worst (as printed)"),
        f"{name}-as-the-text-says": heat_maps(best, f"{title} best (the text)"),
    }


def _item(number: int, use_case: str) -> Item:
    """A figure of heat maps."""
    key, plain = f"figure{number}", number <= 2
    compute, draw = (_plain, _draw_plain) if plain else (_weighted, _draw_weighted)
    words = "Spearman correlation with the total cost" if plain else "weighted Spearman correlation"
    return Item(
        key,
        f"Figure {number}: {words}, {use_case}",
        partial(compute, use_case=use_case),
        partial(draw, name=key),
        (_USE_CASES[use_case][1],),
        8.0,
    )


FIGURES = (_item(1, "churn"), _item(2, "credit"), _item(3, "churn"), _item(4, "credit"))


#: Fractions of massive customers, and of the revenue that they make.
_CUSTOMERS = (0.01, 0.02, 0.05, 0.1, 0.2)
_REVENUES = (0.2, 0.4, 0.6, 0.8, 0.99)
#: What a cell is for; and the printed worst cell with its correlation.
_PLACE = ("customers", "revenue", "positives", "cost_ratio")
_WORST = (0.01, 0.99, 0.1, 0.99, -0.71)


def _variant_costs(income: FloatArray, customers: float, revenue: float) -> list[ErrorCosts]:
    """Costs at each cost ratio where a fraction of customers makes a fraction of the revenue.

    Where the cost of a measure lies below every customer's worth, the authors' code takes the
    mean revenue before any customer became massive.
    """
    scaled = massive_revenues(income, customers, revenue)
    before = EFFECTIVENESS * float(income.mean())
    return [churn_costs(scaled, r, fallback=before * (1 - r)) for r in GRID]


def _massive_grid(context: Context) -> Frame:
    """Plain correlation of weighted accuracy with the total cost, cell by cell."""
    income = revenues(data_of(context))
    variants = {c: [_variant_costs(income, c, f) for f in _REVENUES] for c in _CUSTOMERS}
    rows = []
    for done, share in enumerate(GRID):
        outcomes = outcomes_at(share)
        accuracy = np.stack(
            [catalogue["weighted_accuracy"].fixed(weight=r).values(outcomes.tables) for r in GRID]
        ).round(12)
        for customers, costs in variants.items():
            total = outcomes.total_costs([each for row in costs for each in row])
            found = rank_correlations(accuracy, -total.reshape(len(costs), *accuracy.shape))
            mean, error = found.mean(axis=2), found.std(axis=2, ddof=1) / np.sqrt(SAMPLES)
            rows += [
                (customers, revenue, share, r, costs[i][k].ratio, mean[i, k], error[i, k])
                for i, revenue in enumerate(_REVENUES)
                for k, r in enumerate(GRID)
            ]
        context.progress((done + 1) / len(GRID))
    return frame_of((*_PLACE, "realised_ratio", "correlation", "standard_error"), rows)


def _compute(context: Context) -> Outcome:
    """All 25 heat maps, and how far the costs are from what they were made for."""
    grid = _massive_grid(context)
    *place, printed = _WORST
    at = np.logical_and.reduce([grid[c] == v for c, v in zip(_PLACE, place, strict=True)])
    worst, error = float(grid["correlation"][at][0]), float(grid["standard_error"][at][0])
    cells = (
        Cell("f_mc 0.01, f_r 0.99, r+ 0.1, r_C 0.99", printed, worst, SPREAD * error + 0.005,
             "authors' result file", source="authors"),
        *(Cell(f"f_mc {c:g} / f_r {r:g}", None, float(_panel(grid, c, r).min()), 0.005,
               "least cell of the heat map")
          for c in _CUSTOMERS for r in _REVENUES),
    )  # fmt: skip
    return Outcome(cells, {"correlations": grid}, _MASSIVE_REMARKS, _claims(grid))


def _panel(grid: Frame, customers: float, revenue: float) -> FloatArray:
    """One heat map: rows cost ratios, columns shares of positives."""
    mine = (grid["customers"] == customers) & (grid["revenue"] == revenue)
    return np.asarray(grid["correlation"][mine].reshape(len(GRID), len(GRID)).T)


def _claims(grid: Frame) -> tuple[Claim, ...]:
    """Where weighted accuracy still follows the total cost."""
    few, many = _panel(grid, 0.01, 0.99), _panel(grid, 0.2, 0.99)
    moderate = np.stack([_panel(grid, c, r) for c in _CUSTOMERS for r in (0.2, 0.4)])
    holds = few.mean() < 0.75 and min(many.mean(), moderate.mean()) > 0.9
    once = grid["positives"] == 0.5
    off = np.abs(grid["realised_ratio"] - grid["cost_ratio"])[once]
    return (
        Claim(
            "Weighted accuracy departs from the total cost where few customers make most of the "
            "revenue, and stays near it where their share is moderate or they are many.",
            None if holds and moderate.min() <= 0.5 else bool(holds),
            f"Mean correlation with 99 % of the revenue from 1 % of the customers {few.mean():.2f} "
            f"(least cell {few.min():.2f}), from 20 % of them {many.mean():.2f} ({many.min():.2f})"
            f"; with at most 40 % of the revenue {moderate.mean():.2f}. Single cells near "
            f"r_C = 1 - r+ fall to {moderate.min():.2f} even there.",
        ),
        Claim(
            "In this experiment the cost ratio has the value on the axis.",
            None,
            f"In {int((off > 0.01).sum())} of {off.size} sets of costs it is off by more than "
            f"0.01, at most by {off.max():.3f}: the mean revenue before scaling was used where "
            "a retention measure costs less than any customer is worth.",
        ),
    )


_MASSIVE_REMARKS = (
    "The largest revenues are multiplied by one factor so that they make the fraction f_r of the "
    "total. Weighted accuracy takes the nominal cost ratio.",
)


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """25 heat maps: rows fractions of customers, columns fractions of revenue, as in the paper."""
    grid = outcome.tables["correlations"]
    maps = {
        f"f_mc = {c:g}, f_r = {r:g}": _panel(grid, c, r)
        for c in _CUSTOMERS
        for r in reversed(_REVENUES)
    }
    return {"figure5": heat_maps(maps, "Weighted accuracy with massive customers, Spearman")}


FIGURE_5 = Item(
    "figure5", "Figure 5: weighted accuracy with a few massive customers",
    _compute, _draw, ("telco_churn",), 25.0,
)  # fmt: skip
