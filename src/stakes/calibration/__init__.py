"""Making posteriors mean what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.cross_fit import cross_fit, fit_on_test, stratified_folds

if TYPE_CHECKING:
    from stakes.calibration.calibrators.affine import Affine, Temperature, Vector
    from stakes.calibration.calibrators.automatic import Automatic
    from stakes.calibration.calibrators.average import Average, Constant, Rank
    from stakes.calibration.calibrators.gaussian import Gaussian
    from stakes.calibration.calibrators.isotonic import Histogram, Isotonic, VennAbers
    from stakes.calibration.calibrators.logistic import Beta, Logistic
    from stakes.calibration.calibrators.matrix import (
        CommonCurve,
        Dirichlet,
        Matrix,
        StructuredMatrix,
    )
    from stakes.calibration.calibrators.smooth import Smooth
    from stakes.calibration.measures.best_class_weights import (
        ClassWeights,
        WorstCaseGain,
        best_class_weights,
        worst_case_gain,
    )
    from stakes.calibration.measures.calibration_errors import (
        DecisionCalibration,
        Decomposition,
        binned_calibration_error,
        decision_calibration,
        decompose,
        smooth_calibration_error,
    )
    from stakes.calibration.measures.gain import CalibrationGain, calibration_gain
    from stakes.calibration.measures.reliability_table import ReliabilityTable, reliability_table
    from stakes.calibration.saved_calibrators import load

__all__ = [
    "Affine",
    "Automatic",
    "Average",
    "Beta",
    "CalibrationGain",
    "Calibrator",
    "ClassWeights",
    "CommonCurve",
    "Constant",
    "DecisionCalibration",
    "Decomposition",
    "Dirichlet",
    "Gaussian",
    "Histogram",
    "Isotonic",
    "Logistic",
    "Matrix",
    "Rank",
    "ReliabilityTable",
    "Smooth",
    "StructuredMatrix",
    "Temperature",
    "Vector",
    "VennAbers",
    "WorstCaseGain",
    "best_class_weights",
    "binned_calibration_error",
    "calibration_gain",
    "cross_fit",
    "decision_calibration",
    "decompose",
    "fit_on_test",
    "load",
    "reliability_table",
    "smooth_calibration_error",
    "stratified_folds",
    "worst_case_gain",
]

_HOMES = {
    "calibrators.affine": (
        "Affine",
        "Temperature",
        "Vector",
    ),
    "calibrators.automatic": ("Automatic",),
    "calibrators.average": (
        "Average",
        "Constant",
        "Rank",
    ),
    "calibrators.gaussian": ("Gaussian",),
    "calibrators.isotonic": (
        "Histogram",
        "Isotonic",
        "VennAbers",
    ),
    "calibrators.logistic": (
        "Beta",
        "Logistic",
    ),
    "calibrators.matrix": (
        "CommonCurve",
        "Dirichlet",
        "Matrix",
        "StructuredMatrix",
    ),
    "calibrators.smooth": ("Smooth",),
    "measures.best_class_weights": (
        "ClassWeights",
        "WorstCaseGain",
        "best_class_weights",
        "worst_case_gain",
    ),
    "measures.calibration_errors": (
        "DecisionCalibration",
        "Decomposition",
        "binned_calibration_error",
        "decision_calibration",
        "decompose",
        "smooth_calibration_error",
    ),
    "measures.gain": ("CalibrationGain", "calibration_gain"),
    "measures.reliability_table": ("ReliabilityTable", "reliability_table"),
    "saved_calibrators": ("load",),
}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
