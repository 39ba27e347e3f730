"""Classification outcomes at random: who is positive, who is called, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stakes.experiments.wa2025.case_costs import CUSTOMERS, ErrorCosts
from stakes.typing import FloatArray

__all__ = ["Outcomes", "draw_outcomes"]

#: Differences below this, in the unit of the costs, are rounding; outcomes that cost the same tie.
DECIMALS = 9


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Samples of customers, each with one outcome for every number of predicted positives.

    `tables` are the confusion matrices, rows negative and positive, of shape (samples, n + 1, 2, 2)
    for n customers; `missed` and `alarmed` mark the customers on whom each outcome is wrong.
    """

    tables: FloatArray
    missed: NDArray[np.bool_]
    alarmed: NDArray[np.bool_]

    def total_costs(self, costs: list[ErrorCosts]) -> FloatArray:
        """TCC of every outcome under every set of costs (eq 1): (sets, samples, outcomes)."""
        misses = np.stack([each.miss for each in costs], axis=1)
        alarms = np.stack([each.alarm for each in costs], axis=1)
        total = self.missed.reshape(-1, CUSTOMERS).astype(np.float64) @ misses
        if (alarms == alarms[:1]).all():  # the same for every customer: only their number matters
            total += self.tables[..., 0, 1].reshape(-1, 1) * alarms[:1]
        else:
            total += self.alarmed.reshape(-1, CUSTOMERS).astype(np.float64) @ alarms
        shaped = np.round(total, DECIMALS).reshape(*self.tables.shape[:2], len(costs))
        return np.ascontiguousarray(np.moveaxis(shaped, -1, 0))


def draw_outcomes(
    rng: np.random.Generator, positives: int, *, samples: int = 100, size: int = CUSTOMERS
) -> Outcomes:
    """Random positives and, for each number of predicted positives, a random set of that size.

    As in section 4.1: predictions do not depend on the labels, so every outcome is one of chance.
    """
    label = rng.random((samples, size), dtype=np.float32).argsort(axis=1) < positives
    order = rng.random((samples, size + 1, size), dtype=np.float32).argsort(axis=2)
    called = order < np.arange(size + 1)[:, None]
    missed, alarmed = label[:, None] & ~called, ~label[:, None] & called
    fn, fp = missed.sum(axis=2), alarmed.sum(axis=2)
    cells = np.stack([size - positives - fp, fp, fn, positives - fn], axis=-1)
    tables = cells.reshape(samples, size + 1, 2, 2).astype(np.float64)
    return Outcomes(tables, missed, alarmed)
