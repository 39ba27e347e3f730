"""Figure 5: weighted accuracy where a few massive customers make most of the revenue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from stakes.audit import rank_correlations
from stakes.metrics import catalogue
from stakes.papers.items import Cell, Claim, Context, Item, Outcome
from stakes.papers.wa2025.case_costs import (
    EFFECTIVENESS,
    GRID,
    ErrorCosts,
    churn_costs,
    massive_revenues,
    revenues,
)
from stakes.papers.wa2025.correlations import SPREAD, data_of
from stakes.papers.wa2025.grid import SAMPLES, heat_maps, outcomes_at
from stakes.results import Frame
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
                (
                    customers,
                    revenue,
                    share,
                    r,
                    costs[i][k].ratio,
                    float(mean[i, k]),
                    float(error[i, k]),
                )
                for i, revenue in enumerate(_REVENUE_FRACTIONS)
                for k, r in enumerate(GRID)
            ]
        context.progress((done + 1) / len(shares))
    names = ("customers", "revenue", "positives", "cost_ratio", "realised_ratio", "correlation",
             "standard_error")  # fmt: skip
    return Frame(
        {n: np.array(column) for n, column in zip(names, zip(*rows, strict=True), strict=True)}
    )


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
    return Outcome(cells, {"correlations": grid}, _REMARKS, _claims(grid, off))


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


_REMARKS = (
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
