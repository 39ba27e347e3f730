"""Summary -> the data of a curve, never a drawing."""

from stakes.curves.bayes_error import application_path, bayes_error, brier_curve, cost
from stakes.curves.best_system import curve_dominance, iso_cost_tangent, switch_points
from stakes.curves.evidence import empirical_cross_entropy, tippett
from stakes.curves.posterior_curves import abstention, reliability
from stakes.curves.threshold_curves import decision, det, precision_recall, roc, threshold_sweep

__all__ = [
    "abstention",
    "application_path",
    "bayes_error",
    "brier_curve",
    "cost",
    "curve_dominance",
    "decision",
    "det",
    "empirical_cross_entropy",
    "iso_cost_tangent",
    "precision_recall",
    "reliability",
    "roc",
    "switch_points",
    "threshold_sweep",
    "tippett",
]
