"""Making posteriors mean what they say."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.calibration.calibrator import Calibrator as Calibrator
    from stakes.calibration.calibrator_file import load as load
    from stakes.calibration.calibrators.affine import Affine as Affine
    from stakes.calibration.calibrators.affine import Temperature as Temperature
    from stakes.calibration.calibrators.affine import Vector as Vector
    from stakes.calibration.calibrators.automatic import Automatic as Automatic
    from stakes.calibration.calibrators.average import Average as Average
    from stakes.calibration.calibrators.average import Constant as Constant
    from stakes.calibration.calibrators.average import Rank as Rank
    from stakes.calibration.calibrators.gaussian import Gaussian as Gaussian
    from stakes.calibration.calibrators.isotonic import Histogram as Histogram
    from stakes.calibration.calibrators.isotonic import Isotonic as Isotonic
    from stakes.calibration.calibrators.isotonic import VennAbers as VennAbers
    from stakes.calibration.calibrators.logistic import Beta as Beta
    from stakes.calibration.calibrators.logistic import Logistic as Logistic
    from stakes.calibration.calibrators.matrix import CommonCurve as CommonCurve
    from stakes.calibration.calibrators.matrix import Dirichlet as Dirichlet
    from stakes.calibration.calibrators.matrix import Matrix as Matrix
    from stakes.calibration.calibrators.matrix import StructuredMatrix as StructuredMatrix
    from stakes.calibration.calibrators.smooth import Smooth as Smooth
    from stakes.calibration.cross_fit import cross_fit as cross_fit
    from stakes.calibration.cross_fit import fit_on_test as fit_on_test
    from stakes.calibration.cross_fit import stratified_folds as stratified_folds
    from stakes.calibration.measures.best_class_weights import ClassWeights as ClassWeights
    from stakes.calibration.measures.best_class_weights import WorstCaseGain as WorstCaseGain
    from stakes.calibration.measures.best_class_weights import (
        best_class_weights as best_class_weights,
    )
    from stakes.calibration.measures.best_class_weights import worst_case_gain as worst_case_gain
    from stakes.calibration.measures.calibration_errors import (
        DecisionCalibration as DecisionCalibration,
    )
    from stakes.calibration.measures.calibration_errors import Decomposition as Decomposition
    from stakes.calibration.measures.calibration_errors import (
        binned_calibration_error as binned_calibration_error,
    )
    from stakes.calibration.measures.calibration_errors import (
        decision_calibration as decision_calibration,
    )
    from stakes.calibration.measures.calibration_errors import decompose as decompose
    from stakes.calibration.measures.calibration_errors import (
        smooth_calibration_error as smooth_calibration_error,
    )
    from stakes.calibration.measures.gain import CalibrationGain as CalibrationGain
    from stakes.calibration.measures.gain import calibration_gain as calibration_gain
    from stakes.calibration.measures.reliability_table import ReliabilityTable as ReliabilityTable
    from stakes.calibration.measures.reliability_table import reliability_table as reliability_table
