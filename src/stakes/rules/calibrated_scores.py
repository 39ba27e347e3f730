"""The scores of a rule as its calibrator reads them, and what it makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.class_scores import binary_log_posteriors
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder, told_places
from stakes.posteriors.posteriors import posterior_array
from stakes.rules.few_rows import plain_posteriors
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.calibration.score_input import Scores
    from stakes.rules.cut_points import CutPoints

#: The largest score that calibrators take.
LARGEST_SCORE = 1e100


def least_and_greatest(rule: CutPoints, kind: str) -> tuple[float, float]:
    """The least and the greatest score of a type; certain scores are decided like these."""
    number = np.finfo(np.dtype(kind))
    if rule.scores == "posterior":
        return float(number.smallest_subnormal), float(1 - number.epsneg)
    most = min(LARGEST_SCORE, float(number.max))
    return -most, most


def in_order(rule: CutPoints, posteriors: Any) -> NDArray[Any]:
    """Posteriors in the order of the classes, which arrays without names already have."""
    if (few := plain_posteriors(rule, posteriors)) is not None:
        return few
    named = told_places(posteriors, rule.classes, ClassOrder()) is not None
    order = ClassOrder(classes=rule.classes, positive=rule.classes[-1])
    return posterior_array(posteriors, rule.classes, ClassOrder() if named else order)


def _as_fitted(rule: CutPoints, scores: Any) -> Any:
    """Scores in the form on which the calibrator was fitted, as far as the rule knows it."""
    from stakes.calibration.score_kind import POSTERIORS, TABLE, UNIT_COLUMN

    assert rule.calibrator is not None
    if rule.scores == "posterior" and rule.calibrator._sort != UNIT_COLUMN:
        return Posteriors(in_order(rule, scores))  # the order in which it was fitted
    if rule.calibrator._sort in (POSTERIORS, TABLE) and rule.scores == "log_odds":
        return Posteriors.from_logits(scores)
    if rule.calibrator._sort in (POSTERIORS, TABLE) and rule.scores == "llr":
        assert rule.from_priors is not None
        return Posteriors.from_llrs(scores, rule.from_priors)
    return scores


def scores_read(rule: CutPoints, scores: Any, *, checked: bool = False) -> Scores:
    """Scores as the calibrator reads them, with columns in the order of its classes.

    `checked` numbers are not examined for what they look like.
    """
    from stakes.calibration.score_input import Scores

    found = rule.calibrator
    assert found is not None
    assert found.classes is not None
    given = _as_fitted(rule, scores)
    if checked and isinstance(given, np.ndarray):
        return Scores(given)
    return found._read_alike(given).in_order(found.classes)


def calibrated_logs(rule: CutPoints, read: Scores) -> FloatArray:
    """Calibrated log-posteriors; certain scores that cannot be calibrated count as the next."""
    assert rule.calibrator is not None
    return rule.calibrator.log_posteriors(
        _finite(rule, read) if rule.calibrator._needs_finite else read
    )


def _finite(rule: CutPoints, read: Scores) -> Scores:
    """Scores of which infinite ones are replaced by the next finite ones of their type."""
    values = np.asarray(read.values, dtype=np.float64)
    if np.isfinite(values).all():
        return read
    low, high = least_and_greatest(rule, rule.score_type)
    if rule.scores == "posterior":
        low, high = float(np.log(low)), float(np.log(high) - np.log1p(-high))
    if rule.scores == "posterior" and read.size == 2:
        certain = np.isinf(read.log_odds())
        odds = np.clip(read.log_odds()[certain], low, high)
        values = values.copy()
        values[certain] = odds if read.is_column else binary_log_posteriors(odds)
    else:
        values = np.where(np.isinf(values), np.clip(values, low, high), values)
    return replace(read, values=values)


def leave_nothing(rule: CutPoints, table: NDArray[Any], nothing: float) -> NDArray[np.bool_]:
    """Which rows leave only classes possible whose prior in the rule is 0.

    `nothing` is the score of an impossible class: 0 for probabilities, minus infinity for
    logarithms. Single scores are those of the second of two classes.
    """
    possible = rule._possible
    if not possible:
        return np.zeros(len(table), dtype=np.bool_)
    array = table if table.ndim == 2 else np.column_stack([1 - table, table])
    lost = (array[:, possible] == nothing).all(axis=1)
    if nothing == 0:
        return np.asarray(lost)
    sure = np.isposinf(array)
    return np.asarray(lost | (sure.any(axis=1) & ~sure[:, possible].any(axis=1)))
