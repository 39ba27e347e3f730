"""Summary -> the data of a curve, never a drawing."""

from stakes.curves.abstention import abstention
from stakes.curves.application_path import application_path
from stakes.curves.bayes_error import bayes_error, brier_curve, cost
from stakes.curves.best_system import curve_dominance, iso_cost_tangent, switch_points
from stakes.curves.decision import decision
from stakes.curves.error_rates import det, roc
from stakes.curves.evidence import empirical_cross_entropy, tippett
from stakes.curves.precision_recall import precision_recall
from stakes.curves.reliability import reliability
from stakes.curves.sweep import threshold_sweep

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
