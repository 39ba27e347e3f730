"""Cases whose true class the scores call impossible, by -inf or by a number as good as that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.class_scores import ClassScores, lay_out, median
from stakes._kernels.optimise.affine_fit import fit_scaling
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError
from stakes.typing import FloatArray, IntArray

#: Minus the log of a posterior that is 0 for all purposes: below 1e-300.
IMPOSSIBLE = 690.0
#: A true class farther below the best than so many usual leads is looked at.
_FAR = 1000.0
_SAMPLE = 500


def refuse_impossible_truth(scores: ClassScores, cases: Cases) -> None:
    """Raise when a true class has posterior 0, which no scaling can repair."""
    index = np.arange(len(cases.codes))
    if scores.barred is not None:
        rows = np.flatnonzero(scores.barred[cases.codes, index])
        if rows.size:
            raise impossible_truth(rows, cases)
    if scores.centres is None and float(scores.values.min(initial=0.0)) >= -_FAR / 100 * scores.far:
        return  # no score is far below the best
    own = scores.values[cases.codes, index]
    if scores.centres is not None:
        own = own + scores.centres[cases.codes]
    _refuse_far_truth(-own, _usual_lead(scores, cases), cases)


def refuse_far_odds(odds: FloatArray, cases: Cases) -> None:
    """Raise when finite log odds are so far on the wrong side that they call the truth impossible.

    Most often the least and the greatest say that none is.
    """
    usual = _usual(np.abs(odds[_some(cases)]), cases)
    if max(-float(odds.min()), float(odds.max())) > _FAR * usual:
        _refuse_far_truth(np.where(cases.codes == 1, -odds, odds), usual, cases)


def _some(cases: Cases) -> slice:
    """Some of the cases, enough to tell what is usual."""
    return slice(None, None, 1 + len(cases.codes) // _SAMPLE)


def _usual(leads: FloatArray, cases: Cases) -> float:
    """The median of the leads of some cases; infinite where none is ahead."""
    ahead = np.isfinite(leads) & (leads > 0.0)
    if not ahead.any():
        return np.inf
    weights = cases.sample_weight
    return median(leads[ahead], None if weights is None else weights[_some(cases)][ahead])


def _usual_lead(scores: ClassScores, cases: Cases) -> float:
    """How far the best score usually is above the second."""
    part = scores.values[:, _some(cases)]
    if scores.centres is not None:
        part = part + scores.centres[:, None]
    second, first = np.partition(part, len(part) - 2, axis=0)[-2:]
    return _usual(np.asarray(first - second), cases)


def refuse_marks(scores: ClassScores, spread: float, cases: Cases) -> None:
    """Raise when marks such as -1e9 make up the spread, beside which ordinary scores vanish."""
    usual = _usual_lead(scores, cases)
    if spread <= _FAR * usual:
        return
    far = scores.values < -_FAR * usual
    rows = cases.scores.given_rows(np.flatnonzero(far.any(axis=0)))
    enough = max(float(-scores.values[~far].min()), 10.0 * usual)
    raise DataError(
        f"`scores` must be of like size; some are {-scores.values.min():.3g} below the best of "
        f"their case, in row {rows[0]} and in {rows.size} of {len(cases.codes)} rows, and the "
        "others vanish beside them.",
        hint=f"say how far such a score is to be trusted: bound={_above(enough):g}",
        rows=rows[:10].tolist(),
    )


def impossible_truth(wrong: IntArray, cases: Cases) -> DataError:
    """The error for cases whose true class was called impossible."""
    rows = cases.scores.given_rows(wrong)
    return DataError(
        f"`scores` give the true class a posterior of 0, in row {rows[0]} and in {rows.size} of "
        f"{len(cases.codes)} rows, so the cross-entropy is infinite whatever the calibration.",
        hint='say how far an infinite score is to be trusted: bound="data", or a number',
        rows=rows[:10].tolist(),
    )


def refuse_turned(turned: NDArray[np.bool_], scores: Scores) -> None:
    """Raise when a negative scale would make certain of what infinite scores call impossible."""
    found = np.flatnonzero(turned)
    if not found.size:
        return
    rows = scores.given_rows(found)
    raise DataError(
        f"`scores` are infinite in row {rows[0]} and in {rows.size} of {len(scores)} rows, and the "
        "calibrator, which saw none of that kind, has a negative scale: it would call certain what "
        "they call impossible.",
        hint='say in advance how far an infinite score is to be trusted: bound="data", or a number',
        rows=rows[:10].tolist(),
    )


def _refuse_far_truth(distances: FloatArray, usual: float, cases: Cases) -> None:
    """Raise when finite scores put a true class so far below that it is as good as impossible.

    `distances` are those of the true class below the best of its case, `usual` is that of the best
    above the second. Far cases count as impossible where the scale of best fit to the others
    gives them a posterior below 1e-300: one of them would outweigh all others.
    """
    if not distances.max() > _FAR * usual:
        return
    far = distances > _FAR * usual
    others = np.flatnonzero(~far)
    if not others.size:
        return
    scale = _scale_of(cases, others)
    wrong = np.flatnonzero(far & (scale * distances > IMPOSSIBLE))
    if not wrong.size:
        return
    rows = cases.scores.given_rows(wrong)
    enough = max(float(distances[others].max()), 10.0 * usual)
    raise DataError(
        f"`scores` put the true class {distances[wrong[0]]:.3g} below the best, as if it were "
        f"impossible, in row {rows[0]} and in {rows.size} of {len(cases.codes)} rows; one such "
        "case outweighs all others.",
        hint=f"say how far such a score is to be trusted: bound={_above(enough):g}",
        rows=rows[:10].tolist(),
    )


def _scale_of(cases: Cases, rows: IntArray) -> float:
    """The scale of least cross-entropy in some of the cases."""
    size = cases.scores.size
    codes = cases.codes[rows]
    found = fit_scaling(
        "temperature",
        lay_out(cases.scores.take(rows).columns()),
        codes,
        np.ascontiguousarray(cases.weights[rows]),
        counts=np.bincount(codes, minlength=size).astype(np.float64),
        offsets=np.zeros(size),
        smoothing=False,
    )
    return float(found.scales[0])


def _above(number: float) -> float:
    """The next number above of two digits."""
    unit = 10.0 ** (np.floor(np.log10(number)) - 1)
    return float(np.ceil(number / unit) * unit)
