"""Summary + application -> number."""

from stakes.metrics.binary_cells import BinaryCells, binary_cells
from stakes.metrics.expected_cost import (
    CostShares,
    cost_by_cell,
    expected_cost,
    normalized_expected_cost,
)
from stakes.metrics.special_cases import (
    accuracy,
    alpha_cost,
    balanced_accuracy,
    balanced_error_rate,
    detection_cost,
    error_rate,
    savings,
    utility_yield,
)
from stakes.metrics.weighted_accuracy import (
    c_score,
    cost_weight,
    expected_weighted_accuracy,
    msu,
    total_classification_cost,
    weighted_accuracy,
)

__all__ = [
    "BinaryCells",
    "CostShares",
    "accuracy",
    "alpha_cost",
    "balanced_accuracy",
    "balanced_error_rate",
    "binary_cells",
    "c_score",
    "cost_by_cell",
    "cost_weight",
    "detection_cost",
    "error_rate",
    "expected_cost",
    "expected_weighted_accuracy",
    "msu",
    "normalized_expected_cost",
    "savings",
    "total_classification_cost",
    "utility_yield",
    "weighted_accuracy",
]
