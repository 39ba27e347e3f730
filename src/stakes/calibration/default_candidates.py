"""What the automatic choice tries when nothing is named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stakes.application import Application
from stakes.calibration.blending import Rank
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.cases import Cases
from stakes.calibration.choosing import class_stakes
from stakes.calibration.constant import Constant
from stakes.calibration.isotonic import Isotonic
from stakes.calibration.logistic import Beta
from stakes.calibration.matrix import Dirichlet
from stakes.calibration.per_case import Aim
from stakes.calibration.scaling import Affine, Temperature
from stakes.calibration.smooth import Smooth
from stakes.calibration.structured import CommonCurve, StructuredMatrix
from stakes.calibration.venn_abers import VennAbers
from stakes.exceptions import DataError, StakesError

__all__ = ["default_candidates", "leaders"]

#: Beyond so many classes nothing is tried whose work or need of cases grows with their square.
MANY_CLASSES = 30
#: With fewer cases a map of one parameter is averaged with the curve that goes first.
MANY_CASES = 500.0
#: A class that counts less is to count for so many cases at least.
FEW_CASES = 5.0
#: Beyond so many cases times classes squared no matrix is tried.
MUCH_WORK = 2e8


def default_candidates(cases: Cases, by: Aim = "cross_entropy") -> list[Calibrator]:
    """What is tried when nothing is named: what the classes and cases can bear.

    For a cost also the priors alone, and for two classes a curve that is sought with each class
    counted by the root of what is at stake in it, unless too little would be left of one. Those
    that go first together (`leaders`) are at the beginning.
    """
    candidates = _for_any_aim(cases)
    if not isinstance(by, Application) or len(candidates) == 1:
        return candidates
    emphasis = np.sqrt(class_stakes(by))
    enough = bool((cases.counts * emphasis >= FEW_CASES * emphasis.max()).all())
    if isinstance(candidates[0], Smooth) and emphasis[0] != emphasis[1] and enough:
        candidates.insert(1, Smooth(emphasis=emphasis.tolist()))
    return [*candidates, Constant()]


def leaders(candidates: Sequence[Calibrator], cases: Cases) -> int:
    """How many at the beginning are averaged first, before all: curves, with few cases a scale."""
    kinds = (Smooth, CommonCurve, Temperature) if _few(cases) else (Smooth,)
    others = (k for k, each in enumerate(candidates) if not isinstance(each, kinds))
    return next(others, len(candidates))


def _few(cases: Cases) -> bool:
    """Whether a single parameter is often all that the cases can bear."""
    return float(cases.counts.sum()) < MANY_CASES


def _falls(cases: Cases) -> bool:
    """Whether the best scale is negative; beside a curve that rises it would mend nothing."""
    scale = Temperature()
    try:
        scale._fit(cases)
    except StakesError:
        return False  # tried all the same, so that it is said why it fails
    return bool(scale.scales[0] < 0.0)


def _for_any_aim(cases: Cases) -> list[Calibrator]:
    """What is tried for proper scores."""
    size = cases.scores.size
    numbers = np.bincount(cases.codes, minlength=size)
    if size == 2:
        cases.need_all_classes("add cases of that class")
        if numbers.min() < 2:
            raise DataError(
                f"`y_true` has a single case of class {cases.classes[int(numbers.argmin())]}; two "
                f"of each class are needed to compare calibrators ({len(cases.codes)} cases).",
                hint="add cases of that class, or fit one calibrator: Affine()",
            )
        scale = [Temperature()] if _few(cases) and not _falls(cases) else []
        return [Smooth(), *scale, Rank(), VennAbers(), Beta(), Affine(), Isotonic()]
    if numbers.min() < 2:
        return [Temperature()]
    rows, matrix, last = len(cases.codes), list[Calibrator](), list[Calibrator]()
    if size <= MANY_CLASSES:
        matrix, last = [Dirichlet()] if rows >= size * size else [], [Isotonic()]
    elif rows * size * size <= MUCH_WORK:
        matrix = [StructuredMatrix()]
    if _few(cases):
        return [CommonCurve(), Temperature(), *matrix, Affine(), *last]
    return [*matrix, CommonCurve(), Affine(), Temperature(), *last]
