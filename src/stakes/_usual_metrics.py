"""What other libraries call the metrics of the catalogue."""

from __future__ import annotations

#: Other names of metrics of the catalogue.
METRICS = {
    "accuracy_score": "accuracy",
    "auroc": "auc",
    "ba": "balanced_accuracy",
    "balanced_accuracy_score": "balanced_accuracy",
    "b_roc": "precision_recall_mean",
    "cba": "class_balance_accuracy",
    "cohen_kappa": "kappa",
    "cohen_kappa_score": "kappa",
    "csi": "jaccard",
    "dcf": "detection_cost",
    "dice": "f1",
    "dor": "diagnostic_odds_ratio",
    "ec": "expected_cost",
    "equal_error_rate": "eer",
    "ewa": "expected_weighted_accuracy",
    "f1_score": "f1",
    "fbeta": "f_beta",
    "fbeta_score": "f_beta",
    "fdr": "false_discovery_rate",
    "fnr": "false_negative_rate",
    "fpr": "false_positive_rate",
    "g_mean": "geometric_mean",
    "iam": "imbalance_accuracy",
    "iou": "jaccard",
    "jaccard_score": "jaccard",
    "lr+": "positive_likelihood_ratio",
    "lr-": "negative_likelihood_ratio",
    "matthews": "mcc",
    "matthews_corrcoef": "mcc",
    "nec": "normalized_expected_cost",
    "npv": "negative_predictive_value",
    "ppv": "precision",
    "precision_score": "precision",
    "recall_score": "recall",
    "roc_auc": "auc",
    "roc_auc_score": "auc",
    "se_at_sp": "sensitivity_at_specificity",
    "sensitivity": "recall",
    "sp_at_se": "specificity_at_sensitivity",
    "tnr": "specificity",
    "tpr": "recall",
    "wa": "weighted_accuracy",
    "wca": "weighted_class_accuracy",
    "wra": "weighted_relative_accuracy",
    "youden": "informedness",
    "zero_one_loss": "error_rate",
}
#: Metrics of scores, not of decisions.
OF_SCORES = ("auc", "eer", "sensitivity_at_specificity", "specificity_at_sensitivity")
#: Metrics that are the same whichever class is the positive one.
EITHER_WAY = ("accuracy", "balanced_accuracy", "class_balance_accuracy", "error_rate",
              "expected_cost", "geometric_mean", "kappa", "mcc",
              "normalized_expected_cost")  # fmt: skip
#: What metrics ask for besides the cases.
NEEDS = dict.fromkeys(
    ("expected_cost", "normalized_expected_cost", "weighted_class_accuracy",
     "weighted_relative_accuracy"), "costs=costs",
) | {
    "detection_cost": "priors=0.1", "expected_weighted_accuracy": "alpha=2, beta=3",
    "f_beta": "beta=2", "sensitivity_at_specificity": "specificity=0.9",
    "specificity_at_sensitivity": "sensitivity=0.9", "weighted_accuracy": "weight=0.5",
}  # fmt: skip
