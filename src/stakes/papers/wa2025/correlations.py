"""Figures 1 to 5: rank correlation with the total cost, for all metrics, also with a few massive
customers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from stakes.audit import rank_correlations
from stakes.metrics import catalogue, matched_beta
from stakes.papers.items import Cell, Claim, Context, Item, Outcome, data_of
from stakes.papers.wa2025 import claims as published
from stakes.papers.wa2025.case_costs import (
    CUSTOMERS,
    EFFECTIVENESS,
    GRID,
    METRICS,
    CostsOf,
    ErrorCosts,
    as_coded,
    beta_density_mass,
    churn_costs,
    churn_use_case,
    credit_use_case,
    massive_revenues,
    revenues,
)
from stakes.papers.wa2025.claims import (
    plain_claims,
    realised_at_half,
    realised_claims,
    robust_claims,
    weighted_claims,
)
from stakes.papers.wa2025.grid import (
    SAMPLES,
    Weighing,
    correlation_grid,
    heat_maps,
    outcomes_at,
    panel,
)
from stakes.results import Frame, frame_of
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
    return frame_of(names, rows)


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
               realised_at_half(costs, share), 0.0005, "realised cost ratio", source="independent")
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
    best = {metric: panel(grid, as_coded(metric), "best") for metric in METRICS}
    worst = {metric: panel(grid, as_coded(metric), "worst") for metric in METRICS}
    printed = {**worst, "ACD": best["ACD"]}
    title = "Weighted Spearman, weight on the"
    return {
        f"{name}-as-printed": heat_maps(printed, f"{title} worst (as printed)"),
        f"{name}-as-the-text-says": heat_maps(best, f"{title} best (the text)"),
    }


def _item(number: int, title: str, compute: Callable[[Context], Outcome], folder: str) -> Item:
    """A figure of heat maps."""
    key, drawing = f"figure{number}", _draw_plain if number <= 2 else _draw_weighted
    words = f"Figure {number}: {title}"
    return Item(key, words, compute, lambda outcome: drawing(outcome, key), (folder,), 8.0)


FIGURES = (
    _item(1, "Spearman correlation with the total cost, churn", _plain_churn, "telco_churn"),
    _item(2, "Spearman correlation with the total cost, credit", _plain_credit,
          "give_me_some_credit"),
    _item(3, "weighted Spearman correlation, churn", _weighted_churn, "telco_churn"),
    _item(4, "weighted Spearman correlation, credit", _weighted_credit, "give_me_some_credit"),
)  # fmt: skip


_CUSTOMER_FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2)
_REVENUE_FRACTIONS = (0.2, 0.4, 0.6, 0.8, 0.99)
#: The printed worst cell: f_mc, f_r, r+, r_C and its correlation.
_WORST = (0.01, 0.99, 0.1, 0.99, -0.71)


def _variant_costs(
    income: FloatArray, *, corrected: bool = False
) -> dict[tuple[float, float], list[ErrorCosts]]:
    """Costs at each cost ratio, by fraction of massive customers and of their revenue.

    Where the cost of a measure lies below every customer's worth, the authors' code takes the
    mean revenue before any customer became massive; `corrected` takes the mean after.
    """
    found = {}
    for customers in _CUSTOMER_FRACTIONS:
        for revenue in _REVENUE_FRACTIONS:
            scaled = massive_revenues(income, customers, revenue)
            before = EFFECTIVENESS * float(income.mean())
            found[customers, revenue] = [
                churn_costs(scaled, r, fallback=None if corrected else before * (1 - r))
                for r in GRID
            ]
    return found


def _massive_grid(
    context: Context, *, shares: Sequence[float] = GRID, samples: int = SAMPLES
) -> Frame:
    """Plain correlation of weighted accuracy with the total cost, cell by cell."""
    variants = _variant_costs(revenues(data_of(context)))
    rows = []
    for done, share in enumerate(shares):
        outcomes = outcomes_at(share, samples)
        accuracy = np.stack(
            [catalogue["weighted_accuracy"].fixed(weight=r).values(outcomes.tables) for r in GRID]
        ).round(12)
        for customers in _CUSTOMER_FRACTIONS:
            costs = [variants[customers, revenue] for revenue in _REVENUE_FRACTIONS]
            total = outcomes.total_costs([each for row in costs for each in row])
            found = rank_correlations(accuracy, -total.reshape(len(costs), *accuracy.shape))
            mean, error = found.mean(axis=2), found.std(axis=2, ddof=1) / np.sqrt(samples)
            rows += [
                (customers, revenue, share, r, costs[i][k].ratio, mean[i, k], error[i, k])
                for i, revenue in enumerate(_REVENUE_FRACTIONS)
                for k, r in enumerate(GRID)
            ]
        context.progress((done + 1) / len(shares))
    names = ("customers", "revenue", "positives", "cost_ratio", "realised_ratio", "correlation",
             "standard_error")  # fmt: skip
    return frame_of(names, rows)


def _compute(context: Context) -> Outcome:
    """All 25 heat maps, and how far the costs are from what they were made for."""
    grid = _massive_grid(context)
    *place, printed = _WORST
    columns = ("customers", "revenue", "positives", "cost_ratio")
    at = np.logical_and.reduce([grid[c] == v for c, v in zip(columns, place, strict=True)])
    worst, error = float(grid["correlation"][at][0]), float(grid["standard_error"][at][0])
    once = grid["positives"] == 0.5
    off = np.abs(grid["realised_ratio"] - grid["cost_ratio"])[once]
    farthest = grid["realised_ratio"][once][off.argmax()]
    cells = (
        Cell("f_mc 0.01, f_r 0.99, r+ 0.1, r_C 0.99", printed, worst, SPREAD * error + 0.005,
             "authors' result file", source="authors"),
        Cell("sets of costs with a realised ratio off by more than 0.01", 21,
             float((off > 0.01).sum()), 0.0, "of 275", source="independent"),
        Cell("realised cost ratio farthest from the nominal one", 0.959, float(farthest), 0.0005,
             "at f_mc 0.01, f_r 0.6, nominal r_C 0.9", source="independent"),
        *(Cell(f"f_mc {c:g} / f_r {r:g}", None, float(_panel(grid, c, r).min()), 0.005,
               "least cell of the heat map")
          for c in _CUSTOMER_FRACTIONS for r in _REVENUE_FRACTIONS),
    )  # fmt: skip
    return Outcome(cells, {"correlations": grid}, _MASSIVE_REMARKS, _claims(grid, off))


def _panel(grid: Frame, customers: float, revenue: float) -> FloatArray:
    """One heat map: rows cost ratios, columns shares of positives."""
    mine = (grid["customers"] == customers) & (grid["revenue"] == revenue)
    return np.asarray(grid["correlation"][mine].reshape(len(GRID), len(GRID)).T)


def _claims(grid: Frame, off: FloatArray) -> tuple[Claim, ...]:
    """Where weighted accuracy still follows the total cost."""

    def least(customers: float, revenue: float) -> float:
        return float(_panel(grid, customers, revenue).min())

    few, many = (float(np.mean(_panel(grid, c, 0.99))) for c in (0.01, 0.2))
    moderate = [_panel(grid, c, r) for c in _CUSTOMER_FRACTIONS for r in (0.2, 0.4)]
    mean, lowest = float(np.mean(moderate)), float(np.min(moderate))
    holds = few < 0.75 and min(many, mean) > 0.9
    return (
        Claim(
            "Weighted accuracy departs from the total cost where few customers make most of the "
            "revenue, and stays near it where their share is moderate or they are many.",
            holds if lowest > 0.5 or not holds else None,
            f"Mean correlation with 99 % of the revenue from 1 % of the customers {few:.2f} (least "
            f"cell {least(0.01, 0.99):.2f}), from 20 % of them {many:.2f} "
            f"({least(0.2, 0.99):.2f}); with at most 40 % of the revenue {mean:.2f}. Single cells "
            f"near r_C = 1 - r+ fall to {lowest:.2f} even there.",
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
        for c in _CUSTOMER_FRACTIONS
        for r in reversed(_REVENUE_FRACTIONS)
    }
    return {"figure5": heat_maps(maps, "Weighted accuracy with massive customers, Spearman")}


FIGURE_5 = Item(
    "figure5", "Figure 5: weighted accuracy with a few massive customers",
    _compute, _draw, ("telco_churn",), 25.0,
)  # fmt: skip
