"""How sure the border is at which one choice takes over from another."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes.application import Application, CostMatrix
from stakes.summaries import ConfusionMatrix, PairedCounts
from stakes.typing import Name
from stakes.uncertainty.linear_costs import CostSum, as_stakes, cost_sum, difference_sum

__all__ = ["border_limits", "choice_gap"]


def choice_gap(
    systems: Any,
    matrices: dict[Name, ConfusionMatrix],
    names: list[Any],
    left: int,
    right: int,
) -> tuple[CostSum, CostSum]:
    """The difference of two choices, split into its false positives and false negatives."""
    like, parts = next(iter(matrices.values())), []
    for values in ([[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]):
        app = Application(CostMatrix(values, like.classes, like.decisions), priors=[0.5, 0.5])
        stakes = as_stakes(app)
        if isinstance(systems, PairedCounts) and max(left, right) < len(matrices):
            two = systems.subset([names[left], names[right]])
            parts.append(difference_sum(two.counts, two.cells, stakes))
            continue
        sums = []
        for k in (left, right):
            matrix = matrices.get(names[k]) if k < len(matrices) else None
            if matrix is None:
                sums.append(_constant(k - len(matrices), values))
            else:
                joint = PairedCounts.from_confusion(matrix)
                sums.append(cost_sum(joint.counts, joint.cells, stakes))
        parts.append(
            CostSum(
                np.concatenate([sums[0].counts, sums[1].counts]),
                np.concatenate([sums[0].weights, -sums[1].weights]),
            )
        )
    return parts[0], parts[1]


def _constant(decision: int, values: Any) -> CostSum:
    """A decision that ignores the input: its errors are known, as if from endless cases."""
    costs = np.asarray(values)[:, decision : decision + 1] / 2
    return CostSum(np.full((2, 2), 1e12), np.repeat(costs, 2, axis=1))


def border_limits(parts: tuple[CostSum, CostSum], border: float, z: float) -> tuple[float, float]:
    """Effective priors around a border at which the two choices cannot be told apart."""
    alarms, misses = parts

    def gap(log_odds: float) -> float:
        u = 1 / (1 + np.exp(-log_odds))
        weights = (1 - u) * alarms.weights + u * misses.weights
        return abs(CostSum(alarms.counts, weights).z_score())

    centre = float(np.log(border / (1 - border)))
    ends = []
    for sign in (-1.0, 1.0):
        near, far = 0.0, 40.0
        if gap(centre + sign * far) < z:
            ends.append(0.0 if sign < 0 else 1.0)
            continue
        for _ in range(40):
            middle = (near + far) / 2
            near, far = (middle, far) if gap(centre + sign * middle) < z else (near, middle)
        ends.append(float(1 / (1 + np.exp(-(centre + sign * near)))))
    return ends[0], ends[1]
