"""Decide a few cases in plain numbers within microseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import sum_tolerance
from stakes._kernels.bayes_rule import code_type, decide_by_cuts

if TYPE_CHECKING:
    from stakes.rules.cut_points import CutPoints

#: The most cases on this path; with more, the full checks cost less than deciding.
_FEW = 64
#: Types of scores that are used as they are. Looking up `dtype.name` would take longer.
_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.float64): "float64",
    np.dtype(np.float32): "float32",
}
#: Sums of rows farther from 1 than this get the full checks: half the tolerance.
_PLAINLY_ONE = {kind: sum_tolerance(kind) / 2 for kind in _TYPES}


# The same decisions as for many rows, or none: docs/design/rules.md.
def decided_few(rule: CutPoints, scores: Any) -> NDArray[Any] | None:
    """The decisions for a few arrays or lists of floats; None if full checks are needed.

    This function refuses nothing. Doubtful input is left to the checks, which say what is wrong.
    """
    if not rule._decides_plain_numbers or (array := _plain(scores)) is None:
        return None
    if not rule.has_cuts and np.dtype(rule.score_type).itemsize < array.dtype.itemsize:
        return None  # sums are compared in the type of the rule
    if not rule.has_cuts or (array.ndim == 2 and rule.scores == "posterior"):
        if not _is_table(rule, array):
            return None
        return decided_by_raw_cuts(rule, array[:, 1]) if rule.has_cuts else _by_sums(rule, array)
    return decided_by_raw_cuts(rule, array) if _is_single(rule, array) else None


def decided_few_posteriors(rule: CutPoints, posteriors: NDArray[Any]) -> NDArray[Any] | None:
    """The same for posteriors of more than two classes, from a calibrator or from logits."""
    if 0 in rule.factors or (array := plain_posteriors(rule, posteriors)) is None:
        return None
    return _by_sums(rule, array)


def plain_posteriors(rule: CutPoints, posteriors: Any) -> NDArray[Any] | None:
    """A few rows of posteriors, of each class or of the second of two; None for other input."""
    if (array := _plain(posteriors)) is None:
        return None
    single = len(rule.classes) == 2 and rule.scores == "posterior" and _is_single(rule, array)
    return array if single or _is_table(rule, array) else None


def _by_sums(rule: CutPoints, posteriors: NDArray[Any]) -> NDArray[Any]:
    """Compare expected costs with each other, with the tie margin of their type."""
    compared = rule._compared_in(_TYPES[posteriors.dtype])
    return compared.decide(posteriors).astype(code_type(len(rule.decisions)))


def decided_by_raw_cuts(rule: CutPoints, scores: NDArray[Any]) -> NDArray[Any]:
    """Compare single scores with the cuts in their own type."""
    at, taken = rule._cut_arrays(_TYPES.get(scores.dtype) or scores.dtype.name)
    codes = np.empty(scores.shape[0], dtype=taken.dtype)
    decide_by_cuts(scores, at, taken, codes)
    return codes


def _plain(scores: Any) -> NDArray[Any] | None:
    """A few rows of an array, or of lists that hold floats and nothing else, as an array."""
    if type(scores) is np.ndarray:
        known = scores.dtype in _TYPES and scores.ndim in (1, 2) and 0 < scores.shape[0] <= _FEW
        return scores if known else None
    if type(scores) not in (list, tuple) or not 0 < len(scores) <= _FEW:
        return None
    if all(isinstance(score, float) for score in scores):
        return np.array(scores, dtype=np.float64)
    width = len(scores[0]) if type(scores[0]) in (list, tuple) else 0
    for row in scores:
        if type(row) not in (list, tuple) or len(row) != width:
            return None
        if not all(isinstance(score, float) for score in row):
            return None
    return np.array(scores, dtype=np.float64)


def _is_table(rule: CutPoints, array: NDArray[Any]) -> bool:
    """Whether rows are clearly posteriors of all classes."""
    if array.ndim != 2 or array.shape[1] != len(rule.classes):
        return False
    off = np.abs(array.sum(axis=1) - 1).max()
    return bool(array.min() >= 0 and off <= _PLAINLY_ONE[array.dtype])


def _is_single(rule: CutPoints, scores: NDArray[Any]) -> bool:
    """Whether single scores are clearly what the rule reads."""
    if scores.ndim != 1:
        return False
    if rule.scores == "posterior":
        return bool(scores.min() >= 0 and scores.max() <= 1)
    return bool(np.isfinite(scores).all())
