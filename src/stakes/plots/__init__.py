"""Result -> matplotlib Axes; no arithmetic. Needs the extra `plots`."""

from stakes.plots.applications import bayes_error, brier_curve, cost, decision, switch_points
from stakes.plots.error_rates import det, precision_recall, roc
from stakes.plots.evidence import empirical_cross_entropy, tippett
from stakes.plots.probabilities import abstention, reliability, threshold_sweep

__all__ = [
    "abstention",
    "bayes_error",
    "brier_curve",
    "cost",
    "decision",
    "det",
    "empirical_cross_entropy",
    "precision_recall",
    "reliability",
    "roc",
    "switch_points",
    "threshold_sweep",
    "tippett",
]
