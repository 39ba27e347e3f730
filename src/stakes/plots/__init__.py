"""Result -> matplotlib Axes; no arithmetic. Needs the extra `plots`."""

from stakes.plots.applications import (
    application_path,
    bayes_error,
    brier_curve,
    cost,
    empirical_cross_entropy,
    switch_points,
    tippett,
)
from stakes.plots.cost_plots import (
    confusion,
    cost_by_slice,
    cost_over_periods,
    level_sets,
    model_costs,
)
from stakes.plots.threshold_plots import (
    abstention,
    decision,
    det,
    precision_recall,
    reliability,
    roc,
    threshold_sweep,
)

__all__ = [
    "abstention",
    "application_path",
    "bayes_error",
    "brier_curve",
    "confusion",
    "cost",
    "cost_by_slice",
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
