"""The best line through the log odds of two classes, and infinite ones, which must be right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from stakes._kernels.newton_logistic import Line, fit_line
from stakes.calibration.cases import Cases
from stakes.calibration.impossible import impossible_truth, refuse_far_odds
from stakes.exceptions import DataError
from stakes.typing import FloatArray, IntArray

__all__ = ["FiniteCases", "finite_cases", "fit_odds"]


def fit_odds(cases: Cases, smoothing: bool | None) -> tuple[Line, dict[str, Any]]:
    """The best line through the log odds, and what to report of it."""
    kept = finite_cases(cases)
    line = fit_line(
        kept.odds,
        kept.codes == 1,
        kept.weights,
        counts=cases.counts,
        smoothing=smoothing,
        rising=kept.below or kept.above,
    )
    return line, {
        "cross_entropy": kept.share * line.value,
        "gradient": line.gradient,
        "steps": line.steps,
        "smoothed": line.smoothed,
    }


class FiniteCases(NamedTuple):
    """Log odds, classes and prior weights of the finite cases.

    `share` is theirs of the weight of all; `below` and `above` say whether others are infinite,
    also of cases that are held out.
    """

    odds: FloatArray
    codes: IntArray
    weights: FloatArray
    share: float = 1.0
    below: bool = False
    above: bool = False


def finite_cases(cases: Cases) -> FiniteCases:
    """The finite cases; infinite ones must be right.

    An infinite score on the right side costs nothing under any positive slope, and all under any
    other. So it drops out where slopes are held positive.
    """
    odds, codes, weights = cases.scores.log_odds(), cases.codes, cases.prior_weights()
    above, below = (False, False) if cases.scores.barred is None else cases.scores.barred.tolist()
    if np.isfinite(odds.min()) and np.isfinite(odds.max()):
        refuse_far_odds(odds, cases)
        return FiniteCases(odds, codes, weights, below=below, above=above)
    infinite = ~np.isfinite(odds)
    wrong = np.flatnonzero(infinite & ((odds > 0) != (codes == 1)))
    if wrong.size:
        raise impossible_truth(wrong, cases)
    keep = ~infinite
    if len(np.unique(codes[keep])) < 2:
        raise DataError(
            f"only {int(keep.sum())} cases have finite scores, not of both classes.",
            hint='use bound="data" to keep the infinite ones',
        )
    refuse_far_odds(odds, cases)
    share = float(weights[keep].sum() / weights.sum())
    below, above = below or np.isneginf(odds.min()), above or np.isposinf(odds.max())
    return FiniteCases(odds[keep], codes[keep], weights[keep], share, below, above)
