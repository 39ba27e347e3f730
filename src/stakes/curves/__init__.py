"""Summary -> the data of a curve, never a drawing."""

from stakes.curves.bayes_error import bayes_error, brier_curve, cost
from stakes.curves.decision import decision
from stakes.curves.error_rates import det, roc
from stakes.curves.evidence import empirical_cross_entropy, tippett
from stakes.curves.precision_recall import precision_recall

__all__ = [
    "bayes_error",
    "brier_curve",
    "cost",
    "decision",
    "det",
    "empirical_cross_entropy",
    "precision_recall",
    "roc",
    "tippett",
]
