"""Summary + application -> number."""

from stakes.metrics.agreement import (
    class_balance_accuracy,
    geometric_mean,
    imbalance_accuracy,
    kappa,
    mcc,
    precision_recall_mean,
)
from stakes.metrics.averages import (
    f1_of_averages,
    macro_f1,
    macro_precision,
    macro_recall,
    micro_f1,
    multiclass_f_beta,
    multiclass_precision,
    multiclass_recall,
    weighted_f1,
)
from stakes.metrics.binary_cells import (
    BinaryCells,
    binary_cells,
)
from stakes.metrics.binary_rates import (
    false_discovery_rate,
    false_negative_rate,
    false_omission_rate,
    false_positive_rate,
    informedness,
    markedness,
    negative_predictive_value,
    precision,
    recall,
    specificity,
)
from stakes.metrics.case_cost import (
    CaseCost,
    case_cost,
    top_share,
)
from stakes.metrics.catalogue_mapping import (
    Catalogue,
    catalogue,
)
from stakes.metrics.constraints import (
    ConstrainedOptimum,
    constrained_optimum,
)
from stakes.metrics.cost_weighted import (
    accuracy_cost_distance,
    beta_averaged_accuracy,
    matched_beta,
    matched_beta_accuracy,
    weighted_class_accuracy,
    weighted_relative_accuracy,
)
from stakes.metrics.detection_costs import (
    DetectionCosts,
    detection_costs,
    nist_applications,
)
from stakes.metrics.diagnostics import (
    diagnostic_odds_ratio,
    negative_likelihood_ratio,
    net_benefit,
    positive_likelihood_ratio,
)
from stakes.metrics.expected_cost import (
    CostShares,
    cost_by_cell,
    expected_cost,
    normalized_expected_cost,
)
from stakes.metrics.f_scores import (
    f1,
    f_beta,
    fowlkes_mallows,
    jaccard,
    p4,
)
from stakes.metrics.h_measure import (
    h_measure,
)
from stakes.metrics.hull_points import (
    HullPoints,
    hull_points,
)
from stakes.metrics.llr_cost import (
    cllr,
    min_cllr,
)
from stakes.metrics.metric import (
    Metric,
)
from stakes.metrics.operating_points import (
    OperatingPoint,
    at_bayes_threshold,
    at_min_cost,
    at_threshold,
)
from stakes.metrics.pareto import (
    ParetoFront,
    pareto_front,
)
from stakes.metrics.profit import (
    MaximumProfit,
    expected_max_profit_churn,
    expected_max_profit_credit,
)
from stakes.metrics.proper_losses import BetaWeight
from stakes.metrics.proper_scores import (
    ScoreDecomposition,
    binary_brier_score,
    binary_cross_entropy,
    cost_over_applications,
    score_decomposition,
)
from stakes.metrics.ranking import auc, average_precision, partial_auc, pr_auc
from stakes.metrics.rate_thresholds import (
    at_equal_error,
    at_sensitivity,
    at_specificity,
    eer,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from stakes.metrics.relations import (
    f_beta_from_nec,
    likelihood_ratio_from_nec,
    mcc_from_nec,
    naive_f_beta,
    nec_from_f_beta,
    nec_from_likelihood_ratio,
    nec_from_mcc,
    nec_from_net_benefit,
    net_benefit_from_nec,
)
from stakes.metrics.score_bounds import (
    ScoreBounds,
    score_bounds,
)
from stakes.metrics.score_costs import (
    actual_cost,
    calibration_loss,
    min_cost,
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
from stakes.metrics.target_costs import (
    SensitivityCosts,
    costs_of_sensitivity,
)
from stakes.metrics.uncertain_accuracy import (
    mean_weighted_accuracy,
)
from stakes.metrics.uncertain_costs import (
    UncertainComparison,
    compare_under_uncertainty,
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
    "CaseCost",
    "Catalogue",
    "ConstrainedOptimum",
    "CostShares",
    "DetectionCosts",
    "HullPoints",
    "MaximumProfit",
    "Metric",
    "OperatingPoint",
    "ParetoFront",
    "ScoreBounds",
    "ScoreDecomposition",
    "SensitivityCosts",
    "UncertainComparison",
    "accuracy",
    "accuracy_cost_distance",
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
    "beta_averaged_accuracy",
    "binary_brier_score",
    "binary_cells",
    "binary_cross_entropy",
    "c_score",
    "calibration_loss",
    "case_cost",
    "catalogue",
    "class_balance_accuracy",
    "cllr",
    "compare_under_uncertainty",
    "constrained_optimum",
    "cost_by_cell",
    "cost_over_applications",
    "cost_weight",
    "costs_of_sensitivity",
    "detection_cost",
    "detection_costs",
    "diagnostic_odds_ratio",
    "eer",
    "error_rate",
    "expected_cost",
    "expected_max_profit_churn",
    "expected_max_profit_credit",
    "expected_weighted_accuracy",
    "f1",
    "f1_of_averages",
    "f_beta",
    "f_beta_from_nec",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "fowlkes_mallows",
    "geometric_mean",
    "h_measure",
    "hull_points",
    "imbalance_accuracy",
    "informedness",
    "jaccard",
    "kappa",
    "likelihood_ratio_from_nec",
    "macro_f1",
    "macro_precision",
    "macro_recall",
    "markedness",
    "matched_beta",
    "matched_beta_accuracy",
    "mcc",
    "mcc_from_nec",
    "mean_weighted_accuracy",
    "micro_f1",
    "min_cllr",
    "min_cost",
    "msu",
    "multiclass_f_beta",
    "multiclass_precision",
    "multiclass_recall",
    "naive_f_beta",
    "nec_from_f_beta",
    "nec_from_likelihood_ratio",
    "nec_from_mcc",
    "nec_from_net_benefit",
    "negative_likelihood_ratio",
    "negative_predictive_value",
    "net_benefit",
    "net_benefit_from_nec",
    "nist_applications",
    "normalized_expected_cost",
    "p4",
    "pareto_front",
    "partial_auc",
    "positive_likelihood_ratio",
    "pr_auc",
    "precision",
    "precision_recall_mean",
    "recall",
    "savings",
    "score_bounds",
    "score_decomposition",
    "sensitivity_at_specificity",
    "specificity",
    "specificity_at_sensitivity",
    "top_share",
    "total_classification_cost",
    "utility_yield",
    "weighted_accuracy",
    "weighted_class_accuracy",
    "weighted_f1",
    "weighted_relative_accuracy",
]
