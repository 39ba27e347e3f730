"""Summary + application -> number."""

from stakes.metrics.expected_cost import (
    CostShares,
    cost_by_cell,
    expected_cost,
    normalized_expected_cost,
)

__all__ = ["CostShares", "cost_by_cell", "expected_cost", "normalized_expected_cost"]
