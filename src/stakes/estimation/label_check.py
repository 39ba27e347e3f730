"""`check_labels`: whether a few labels agree with what was estimated without any."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from stakes._checks import as_level, of_kind
from stakes._guesses import answers_guesses
from stakes._kernels.interval_ends import normal_quantile
from stakes.calibration.calibrator import Calibrator
from stakes.estimation.cost_estimate import LabelCheck
from stakes.estimation.decided_cases import DecidedCases
from stakes.estimation.labelled_rows import LEAST_LABELS
from stakes.estimation.no_labels import Fitted, calibrated_on, checked, fitted_to
from stakes.estimation.share_shift import Calibrated, excess, share_covariance
from stakes.exceptions import UndefinedError
from stakes.typing import FloatArray


@answers_guesses
def check_labels(
    reference: DecidedCases,
    labelled: DecidedCases,
    *,
    new: Any = None,
    change: str = "auto",
    calibrator: Calibrator | None = None,
    level: float = 0.95,
) -> LabelCheck:
    """Whether labels of some new cases agree with what is estimated for them without labels.

    A few labels show what no score can: that the same inputs now lead to other classes. They must
    be of cases drawn at random from the new ones; or with known chances, if each is weighted by one
    over its chance (``reference.alike(p, y_true=y, sample_weight=1 / chance)``).

    Parameters
    ----------
    reference : DecidedCases
        Labelled cases from before, as in `estimate_cost`.
    labelled : DecidedCases
        New cases with labels: ``reference.alike(p, y_true=y)``.
    new : DecidedCases or posteriors, optional
        All new cases, which tell the class shares better; by default the labelled ones.
    change, calibrator : optional
        As in `estimate_cost`.
    level : float
        If the estimate is right, the check fails with a chance of 1 - `level`.

    Returns
    -------
    LabelCheck
        The cost by the labels, the estimate for the same cases, and whether they agree.

    Raises
    ------
    UndefinedError
        With fewer than 10 labels.

    Notes
    -----
    Two averages are compared with what the posteriors expect: the cost, and the log of how much
    more likely than its share the posteriors call the true class. Each is tested at
    (1 - `level`) / 2. The second detects labels that no longer follow the scores even if all
    decisions cost the same.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> p = rng.random(3000)
    >>> y = rng.random(3000) < p
    >>> old = DecidedCases.from_scores(y[:2000], p[:2000], costs={"fn": 1, "fp": 1})
    >>> same = old.alike(p[2000:2200], y_true=y[2000:2200])
    >>> turned = old.alike(p[2000:2200], y_true=~y[2000:2200])
    >>> [check_labels(old, each, new=p[2000:]).agrees for each in (same, turned)]
    [True, False]
    """
    level = as_level(level)
    of_kind(labelled, "labelled", DecidedCases, hint="reference.alike(p, y_true=y)")
    labelled = checked(reference, labelled, change, "labelled")[1]
    reference, cases = checked(reference, labelled if new is None else new, change)
    if labelled.number < LEAST_LABELS:
        raise UndefinedError(
            f"{labelled.number} cases are labelled; at least {LEAST_LABELS} are needed for a check."
        )
    fitted = fitted_to(reference, cases, change, calibrator)
    _, some = calibrated_on(fitted.before.cases, labelled, calibrator)
    expected, spread = _expected(fitted, some, _costs)
    paid = labelled.cost
    surprise = _expected(fitted, some, _lift)
    said = float(labelled.mean(_taken(_lift(_moved(some, fitted)), labelled)))
    chances = [_chance(paid - expected, spread), _chance(said - surprise[0], surprise[1])]
    reach = normal_quantile(level) * spread
    chance = min(1.0, 2 * min(chances))
    ends = expected - reach, expected + reach
    return LabelCheck(paid, expected, *ends, level, chance, labelled.number)


#: Posteriors of the new place, what decisions cost, and the class shares.
_Moved = tuple[FloatArray, FloatArray, FloatArray]
#: Posteriors are mixed with this much of the class shares, so that no label is infinitely unlikely.
_MIXED = 0.1


def _moved(cases: Calibrated, fitted: Fitted) -> _Moved:
    """Posteriors of the new place, what decisions cost, and the class shares."""
    moved = cases.posteriors * fitted.factors
    return moved / moved.sum(axis=1, keepdims=True), cases.cases.paid, fitted.shares_now


def _costs(moved: _Moved) -> FloatArray:
    return moved[1]


def _lift(moved: _Moved) -> FloatArray:
    """The log of how much more likely than its share each class is called."""
    ratios = moved[0] / np.maximum(moved[2], 1e-9)
    return np.asarray(np.log(_MIXED + (1 - _MIXED) * ratios))


def _taken(table: FloatArray, cases: DecidedCases) -> FloatArray:
    """The values of the true classes."""
    return np.asarray(table[np.arange(len(cases)), cases.labels])


def _expected(fitted: Fitted, some: Calibrated, value: Any) -> tuple[float, float]:
    """What the mean of a value over labelled cases should be, and its standard error.

    The mean under the posteriors, plus what they missed in each class of the reference at the new
    shares. If values varied more in the reference than posteriors expect, so they do here.
    """
    mean, expected, _ = _means(_moved(some, fitted), value)
    before, reference = _moved(fitted.before, fitted), fitted.before.cases
    _, doubt, missed = _means(before, value)
    off = _taken(missed, reference)
    noise = some.noise(expected) * excess(reference, off, doubt, fitted.factors)
    slope = np.einsum("nk,nk->k", missed, fitted.means.members)
    noise += float(fitted.means.spread(missed[:, None, :], fitted.shares_now)[0, 0])
    if fitted.change == "shares":
        shares = share_covariance(fitted.shares, fitted.after, fitted.means)
        noise += float(slope @ shares @ slope)
    center = float(some.cases.mean(mean) + fitted.shares_now @ slope)
    return center, float(np.sqrt(noise))


def _means(moved: _Moved, value: Any) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean and variance of a value under the posteriors of each case, and how far each class is
    from that mean.
    """
    table = value(moved)
    mean = np.einsum("nk,nk->n", moved[0], table)
    apart = table - mean[:, None]
    return mean, np.einsum("nk,nk->n", moved[0], apart**2), apart


def _chance(apart: float, spread: float) -> float:
    """Two-sided chance of a normal value at least so far from 0."""
    return 2 * float(ndtr(-abs(apart) / spread)) if spread > 0 else float(apart == 0)
