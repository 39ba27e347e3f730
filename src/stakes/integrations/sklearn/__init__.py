"""Costs inside scikit-learn: scorers, classifiers that decide, calibrators, displays.

Needs the extra `sklearn`. Public names of scikit-learn only, from its oldest supported release on.
"""

from stakes._lazy import LoadedOnUse
from stakes._optional import load as _load

_load("sklearn", extra="sklearn")

with LoadedOnUse(globals()):
    from stakes.integrations.sklearn.classifiers import (
        BayesDecisionClassifier as BayesDecisionClassifier,
    )
    from stakes.integrations.sklearn.classifiers import (
        CostWeightedClassifier as CostWeightedClassifier,
    )
    from stakes.integrations.sklearn.curve_displays import BayesErrorDisplay as BayesErrorDisplay
    from stakes.integrations.sklearn.curve_displays import CostCurveDisplay as CostCurveDisplay
    from stakes.integrations.sklearn.curve_displays import (
        DecisionCurveDisplay as DecisionCurveDisplay,
    )
    from stakes.integrations.sklearn.curve_displays import DetDisplay as DetDisplay
    from stakes.integrations.sklearn.curve_displays import (
        PrecisionRecallDisplay as PrecisionRecallDisplay,
    )
    from stakes.integrations.sklearn.curve_displays import ReliabilityDisplay as ReliabilityDisplay
    from stakes.integrations.sklearn.curve_displays import RocDisplay as RocDisplay
    from stakes.integrations.sklearn.scorers import CostScorer as CostScorer
    from stakes.integrations.sklearn.scorers import make_cost_scorer as make_cost_scorer
    from stakes.integrations.sklearn.transformers import (
        CalibratorTransformer as CalibratorTransformer,
    )
