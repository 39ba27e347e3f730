"""Making posteriors mean what they say."""

from stakes.calibration.automatic import Automatic
from stakes.calibration.blending import Average, Rank
from stakes.calibration.calibration_errors import (
    binned_calibration_error,
    smooth_calibration_error,
)
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.class_weights import ClassWeights, best_class_weights
from stakes.calibration.constant import Constant
from stakes.calibration.cross_fitting import cross_fit, fit_on_test, stratified_folds
from stakes.calibration.decision_calibration import DecisionCalibration, decision_calibration
from stakes.calibration.decomposing import Decomposition, decompose
from stakes.calibration.gain import CalibrationGain
from stakes.calibration.gaussian import Gaussian
from stakes.calibration.isotonic import Isotonic
from stakes.calibration.loading import load
from stakes.calibration.logistic import Beta, Logistic
from stakes.calibration.matrix import Dirichlet, Matrix
from stakes.calibration.reliability_table import ReliabilityTable, reliability_table
from stakes.calibration.scaling import Affine, Temperature, Vector
from stakes.calibration.smooth import Smooth
from stakes.calibration.structured import CommonCurve, StructuredMatrix
from stakes.calibration.venn_abers import Histogram, VennAbers
from stakes.calibration.worst_case import WorstCaseGain, worst_case_gain
from stakes.calibration.worth import calibration_gain

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
