"""How far each metric ranks random outcomes as their total cost does, over the grid of the paper.

All cost ratios, and both ways of weighing ranks, are judged on the same random outcomes of each
share of positives, so that differences along that axis are not chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from stakes.audit import rank_correlations
from stakes.experiments.wa2025.case_costs import CUSTOMERS, GRID, CostsOf, ErrorCosts
from stakes.experiments.wa2025.outcomes import Outcomes, draw_outcomes
from stakes.experiments.wa2025.rated import costed_scores, free_scores
from stakes.results import Frame
from stakes.typing import FloatArray

__all__ = ["SAMPLES", "Weighing", "correlation_grid", "outcomes_at", "panel"]

SAMPLES = 100
#: Seed of the draws, as in the authors' code; the stream of draws is our own.
SEED = 142
COLUMNS = ("metric", "positives", "cost_ratio", "weighing", "correlation", "standard_error")
#: Whether ranks weigh alike, or most at the best, or at the worst, outcomes.
Weighing: TypeAlias = Literal["plain", "best", "worst"]


def outcomes_at(positives: float, samples: int = SAMPLES) -> Outcomes:
    """Random outcomes for a share of positives, always the same ones."""
    count = round(CUSTOMERS * positives)
    return draw_outcomes(np.random.default_rng([SEED, count]), count, samples=samples)


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
    rows: dict[str, list[object]] = {name: [] for name in COLUMNS}
    for done, share in enumerate(shares):
        known = [(r, costs) for r in ratios if (costs := costs_of(share, r)) is not None]
        if known:
            found = _correlations(outcomes_at(share, samples), known, weighings)
            for weighing, values in found.items():
                for name, per_ratio in values.items():
                    for (ratio, _), sample in zip(known, per_ratio, strict=True):
                        line = (name, share, ratio, weighing, float(sample.mean()),
                                float(sample.std(ddof=1) / np.sqrt(samples)))  # fmt: skip
                        for column, value in zip(rows.values(), line, strict=True):
                            column.append(value)
        progress((done + 1) / len(shares))
    return Frame(rows)


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
