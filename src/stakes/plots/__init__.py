"""Result -> matplotlib Axes; no arithmetic. Needs the extra `plots`."""

from stakes.plots.applications import (
    application_path,
    bayes_error,
    brier_curve,
    cost,
    switch_points,
)
from stakes.plots.decided import confusion, model_costs
from stakes.plots.error_rates import det, precision_recall, roc
from stakes.plots.evidence import empirical_cross_entropy, tippett
from stakes.plots.metric_levels import level_sets
from stakes.plots.net_benefit import decision
from stakes.plots.period_plots import cost_by_segment, cost_over_periods
from stakes.plots.probabilities import abstention, reliability, threshold_sweep

__all__ = [
    "abstention",
    "application_path",
    "bayes_error",
    "brier_curve",
    "confusion",
    "cost",
    "cost_by_segment",
    "cost_over_periods",
    "decision",
    "det",
    "empirical_cross_entropy",
    "level_sets",
    "model_costs",
    "precision_recall",
    "reliability",
    "roc",
    "switch_points",
    "threshold_sweep",
    "tippett",
]
