"""Making posteriors mean what they say."""

from stakes.calibration.calibrator import Calibrator
from stakes.calibration.calibrators.affine import Affine, Temperature, Vector
from stakes.calibration.calibrators.automatic import Automatic
from stakes.calibration.calibrators.average import Average, Rank
from stakes.calibration.calibrators.constant import Constant
from stakes.calibration.calibrators.gaussian import Gaussian
from stakes.calibration.calibrators.isotonic import Isotonic
from stakes.calibration.calibrators.logistic import Beta, Logistic
from stakes.calibration.calibrators.matrix import Dirichlet, Matrix
from stakes.calibration.calibrators.smooth import Smooth
from stakes.calibration.calibrators.structured import CommonCurve, StructuredMatrix
from stakes.calibration.calibrators.venn_abers import Histogram, VennAbers
from stakes.calibration.cross_fit import cross_fit, fit_on_test, stratified_folds
from stakes.calibration.measures.best_class_weights import ClassWeights, best_class_weights
from stakes.calibration.measures.calibration_errors import (
    binned_calibration_error,
    smooth_calibration_error,
)
from stakes.calibration.measures.decision_calibration import (
    DecisionCalibration,
    decision_calibration,
)
from stakes.calibration.measures.decomposition import Decomposition, decompose
from stakes.calibration.measures.gain import CalibrationGain, calibration_gain
from stakes.calibration.measures.reliability_table import ReliabilityTable, reliability_table
from stakes.calibration.measures.worst_case import WorstCaseGain, worst_case_gain
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
