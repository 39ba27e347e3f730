"""Convert cuts on calibrated posteriors to cuts on raw scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.float_search import last_number
from stakes.exceptions import CostError
from stakes.rules.calibrated_scores import (
    LARGEST_SCORE,
    calibrated_logs,
    least_and_greatest,
    scores_read,
)
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.rules.cut_points import CutPoints

#: The types that scores of a rule can have.
SCORE_TYPES = ("float64", "float32", "float16")
#: A posterior that falls by less, relatively, falls by rounding alone.
_ROUNDING = 1e-9


def last_rounded_to(cut: float, narrow: str, wide: str) -> float:
    """The last number of a wide type that is a cut of a narrow type, or below it, once rounded."""
    small, large = np.dtype(narrow).type, np.dtype(wide).type
    with np.errstate(over="ignore"):  # after the largest number comes infinity
        after = float(np.nextafter(small(cut), small(np.inf)))
    if not (np.isfinite(cut) and np.isfinite(after)):
        return cut
    middle = large((cut + after) / 2)  # exact; it is rounded to the even one of the two
    return float(middle if small(middle) <= cut else np.nextafter(middle, large(-np.inf)))


# The cut is the rule: docs/design/rules.md.
def cuts_before_calibration(rule: CutPoints, kind: str) -> tuple[list[float], list[int]]:
    """See `DecisionRule.raw_cuts`: each cut is moved to the last score below it."""
    assert rule.calibrator is not None
    direction = rule._run
    if direction is None:
        raise CostError(
            f"after {rule.calibrator.kind} calibration a higher score may mean a lower "
            "probability, so there are no cuts on the raw scores.",
            hint="use a calibrator that keeps the order, such as Affine() or Isotonic()",
        )
    at, taken = rule.cuts("float64")  # calibrated posteriors are always float64
    low, high = least_and_greatest(rule, kind)
    if direction < 0:
        at, taken = at[::-1], taken[::-1]
    found: list[tuple[float | None, int]] = []
    for cut, decision in zip(at, taken[1:], strict=True):

        def stays(scores: NDArray[Any], cut: float = cut) -> NDArray[np.bool_]:
            above = calibrated_second(rule, scores) > cut
            return ~above if direction > 0 else above

        found.append((last_number(stays, low, high, kind), decision))
    return _that_occur(found, taken[0], high)


def _that_occur(
    found: list[tuple[float | None, int]], first: int, high: float
) -> tuple[list[float], list[int]]:
    """The cuts, without those that have no score below or above them."""
    at, taken = list[float](), [first]
    for cut, decision in found:
        if cut is None or (at and cut <= at[-1]):  # nothing between: the next replaces it
            taken[-1] = decision
        elif cut < high:
            at.append(cut)
            taken.append(decision)
    return at, taken


# A cut that the search cannot bracket would be lost: docs/design/rules.md.
def run_of_scores(rule: CutPoints) -> int | None:
    """The direction that the calibrator states, if its posteriors keep to it at many scores.

    None if they do not, as where large numbers cancel: cases are then calibrated one by one.
    """
    assert rule.calibrator is not None
    direction = rule.calibrator._direction()
    if direction is None:
        return None
    along = calibrated_second(rule, _rungs(rule)) * direction
    falls = np.maximum.accumulate(along) - along
    return direction if (falls <= _ROUNDING * np.abs(along)).all() else None


def _rungs(rule: CutPoints) -> FloatArray:
    """Ascending scores: over the whole range, and closely where the calibrator was fitted."""
    assert rule.calibrator is not None
    low, high = least_and_greatest(rule, "float64")
    small = np.logspace(-3, np.log10(LARGEST_SCORE), 413)
    odds = np.concatenate([-small, [0.0], small])
    spread = rule.calibrator._spread
    if spread is not None:
        odds = np.concatenate([odds, np.linspace(spread[0], spread[-1], 201)])
    if rule.scores == "posterior":
        with np.errstate(over="ignore"):
            odds = np.append(1 / (1 + np.exp(-odds)), np.linspace(0.0, 1.0, 201))
    return np.unique(np.clip(np.append(odds, (low, high)), low, high))


def calibrated_second(rule: CutPoints, scores: NDArray[Any]) -> FloatArray:
    """The calibrated posterior of the second class for scores in order."""
    read = scores_read(rule, scores.astype(np.float64), checked=True)
    return np.asarray(np.exp(calibrated_logs(rule, read)[:, 1]))
