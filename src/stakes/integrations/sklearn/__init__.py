"""Costs inside scikit-learn: scorers, classifiers that decide, calibrators, displays.

Needs the extra `sklearn`. Public names of scikit-learn only, from its oldest supported release on.
"""

from stakes._optional import load as _load

_load("sklearn", extra="sklearn")

from stakes.integrations.sklearn.classifiers import BayesDecisionClassifier, CostWeightedClassifier
from stakes.integrations.sklearn.scorers import (
    BayesErrorDisplay,
    CostCurveDisplay,
    CostScorer,
    DecisionCurveDisplay,
    DetDisplay,
    PrecisionRecallDisplay,
    ReliabilityDisplay,
    RocDisplay,
    make_cost_scorer,
)
from stakes.integrations.sklearn.transformers import CalibratorTransformer

__all__ = [
    "BayesDecisionClassifier",
    "BayesErrorDisplay",
    "CalibratorTransformer",
    "CostCurveDisplay",
    "CostScorer",
    "CostWeightedClassifier",
    "DecisionCurveDisplay",
    "DetDisplay",
    "PrecisionRecallDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "make_cost_scorer",
]
