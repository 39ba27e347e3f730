"""Summary + application -> number."""

from stakes.metrics.binary_cells import BinaryCells, binary_cells
from stakes.metrics.expected_cost import (
    CostShares,
    cost_by_cell,
    expected_cost,
    normalized_expected_cost,
)
from stakes.metrics.h_measure import h_measure
from stakes.metrics.llr_cost import cllr, min_cllr
from stakes.metrics.operating_points import (
    OperatingPoint,
    at_bayes_threshold,
    at_equal_error,
    at_min_cost,
    at_sensitivity,
    at_specificity,
    at_threshold,
)
from stakes.metrics.profit import (
    MaximumProfit,
    expected_max_profit_churn,
    expected_max_profit_credit,
)
from stakes.metrics.proper_scores import (
    BetaWeight,
    ScoreDecomposition,
    binary_brier_score,
    binary_cross_entropy,
    cost_over_applications,
    score_decomposition,
)
from stakes.metrics.ranking import (
    auc,
    average_precision,
    eer,
    partial_auc,
    pr_auc,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from stakes.metrics.score_bounds import ScoreBounds, score_bounds
from stakes.metrics.score_costs import (
    DetectionCosts,
    actual_cost,
    calibration_loss,
    detection_costs,
    min_cost,
    nist_applications,
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
    "BetaWeight",
    "BinaryCells",
    "CostShares",
    "DetectionCosts",
    "MaximumProfit",
    "OperatingPoint",
    "ScoreBounds",
    "ScoreDecomposition",
    "accuracy",
    "actual_cost",
    "alpha_cost",
    "at_bayes_threshold",
    "at_equal_error",
    "at_min_cost",
    "at_sensitivity",
    "at_specificity",
    "at_threshold",
    "auc",
    "average_precision",
    "balanced_accuracy",
    "balanced_error_rate",
    "binary_brier_score",
    "binary_cells",
    "binary_cross_entropy",
    "c_score",
    "calibration_loss",
    "cllr",
    "cost_by_cell",
    "cost_over_applications",
    "cost_weight",
    "detection_cost",
    "detection_costs",
    "eer",
    "error_rate",
    "expected_cost",
    "expected_max_profit_churn",
    "expected_max_profit_credit",
    "expected_weighted_accuracy",
    "h_measure",
    "min_cllr",
    "min_cost",
    "msu",
    "nist_applications",
    "normalized_expected_cost",
    "partial_auc",
    "pr_auc",
    "savings",
    "score_bounds",
    "score_decomposition",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
    "total_classification_cost",
    "utility_yield",
    "weighted_accuracy",
]
