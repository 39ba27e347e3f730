"""Making posteriors mean what they say."""

from stakes.calibration.automatic import Automatic
from stakes.calibration.blending import Average, Rank
from stakes.calibration.calibrator import Calibrator, load
from stakes.calibration.cross_fitting import cross_fit, fit_on_test, stratified_folds
from stakes.calibration.gaussian import Gaussian
from stakes.calibration.isotonic import Isotonic
from stakes.calibration.logistic import Beta, Logistic
from stakes.calibration.matrix import Dirichlet, Matrix
from stakes.calibration.scaling import Affine, Temperature, Vector
from stakes.calibration.venn_abers import Histogram, VennAbers

__all__ = [
    "Affine",
    "Automatic",
    "Average",
    "Beta",
    "Calibrator",
    "Dirichlet",
    "Gaussian",
    "Histogram",
    "Isotonic",
    "Logistic",
    "Matrix",
    "Rank",
    "Temperature",
    "Vector",
    "VennAbers",
    "cross_fit",
    "fit_on_test",
    "load",
    "stratified_folds",
]
