"""`estimate_cost`: what decisions on unlabelled cases cost, by the simplest change that the scores
do not reject.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from stakes._checks import as_level, of_kind
from stakes._columns import in_brief
from stakes._guesses import answers_guesses
from stakes._kernels.interval_ends import normal_quantile
from stakes._names import listed, place_of
from stakes.calibration.calibrator import Calibrator, as_calibrator
from stakes.calibration.calibrators.affine import default_calibrator
from stakes.estimation.cost_estimate import CostEstimate
from stakes.estimation.decided_cases import DecidedCases
from stakes.estimation.mixture_test import mixture_chance, score_features, shares_chance
from stakes.estimation.share_shift import (
    Calibrated,
    ClassMeans,
    Estimated,
    fit_shares,
    prior_estimate,
    shifted_cost,
    unchanged_cost,
)
from stakes.exceptions import DataError, UndefinedError
from stakes.typing import FloatArray

_CHANGES = ("auto", "none", "shares")
#: Shares are taken to have changed when chance alone would move the scores less often than this.
_MOVED = 0.05
#: A mixture of the classes is rejected when chance would do so less often than this.
_REJECTED = 0.01
#: A class with fewer labelled cases than this is too little known.
_LEAST = 10


@answers_guesses
def estimate_cost(
    reference: DecidedCases,
    new: Any,
    *,
    change: str = "auto",
    calibrator: Calibrator | None = None,
    level: float = 0.95,
) -> CostEstimate:
    r"""What decisions on cases without labels cost, from the scores of labelled ones.

    .. math:: \frac1m \sum_{i=1}^m \sum_k P'(k \mid s_i)\, C_{k d_i}
              + \sum_k P'_k\, \overline{(C_{kd} - \textstyle\sum_l P'(l \mid s) C_{ld})}_k

    The first term is what calibrated posteriors expect of the new cases; the second is what they
    miss in the reference, class by class, so that it need not be taken on trust that posteriors
    are calibrated. :math:`P'` are the class shares of the new cases.

    Parameters
    ----------
    reference : DecidedCases
        Labelled cases of the same model: ``DecidedCases.from_scores(y_true, p, costs=...)``.
    new : DecidedCases, or posteriors
        The cases without labels: ``reference.alike(p_new)``, or the posteriors alone.
    change : {"auto", "none", "shares"}
        What has changed since the reference. "auto" takes the simplest that the scores do not
        reject: nothing, then the class shares.
    calibrator : Calibrator, optional
        What posteriors are calibrated with on the reference; `Affine` by default.
    level : float
        Of the interval.

    Returns
    -------
    CostEstimate
        Cost per case with its interval, what it assumes, and the tests.

    Notes
    -----
    What cannot be seen without labels: that the relation of inputs and truth has changed. If the
    same scores now go with other classes, every estimate of this kind is wrong, and no interval
    knows it.

    References
    ----------
    .. [1] Saerens, Latinne, Decaestecker, *Adjusting the outputs of a classifier to new a priori
       probabilities*, Neural Computation 14 (2002), eq. 2.9.
    .. [2] Garg, Wu, Balakrishnan, Lipton, *A unified view of label shift estimation*, NeurIPS 2020.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> def drawn(n, share):
    ...     y = rng.random(n) < share
    ...     return y, 1 / (1 + 9 * np.exp(-rng.normal(3 * y - 1.5, 1.7)))
    >>> y, p = drawn(2000, 0.1)
    >>> reference = DecidedCases.from_scores(y, p, costs={"fn": 10, "fp": 1})
    >>> y_new, p_new = drawn(2000, 0.3)
    >>> found = estimate_cost(reference, p_new)
    >>> found.change, reference.alike(p_new, y_true=y_new).cost in found
    ('shares', True)
    """
    level, new = as_level(level), _checked(reference, new, change)
    before, after = _calibrated(reference, new, calibrator)
    means = ClassMeans(before)
    fit = fit_shares(before, after, means)
    tests = {
        "shares": shares_chance(before, after),
        "mixture": mixture_chance(before, after, means, fit, score_features(before, after)),
    }
    kind = change
    if change == "auto":
        kind = "none" if tests["shares"] >= _MOVED else "shares"
        if tests["mixture"] < _REJECTED:
            raise UndefinedError(
                "the new scores are no mixture of what each class scored in the reference (chance "
                f"{tests['mixture']:.1g}), so more than the class shares has changed and the cost "
                "cannot be estimated from scores.",
                hint='label some of the new cases; or take it on trust: change="shares"',
            )
    moved = shifted_cost(before, after, means, fit)
    found = moved if kind == "shares" else _still(unchanged_cost(before, after), moved)
    low, high = _ends(found, new, level)
    shares = fit.shares if kind == "shares" else fit.old
    return CostEstimate(
        value=found.cost,
        low=low,
        high=high,
        level=level,
        change=kind,
        cases=new.number,
        reference_cases=reference.number,
        naive=_naive(new, shares),
        priors=prior_estimate(fit, after, means, level),
        tests=tests,
        effective_cases=reference.effective,
        unit=reference.application.unit,
    )


def _still(unchanged: Estimated, moved: Estimated) -> Estimated:
    """The cost if nothing has changed, in doubt also by what the scores hint at without proof."""
    hinted = (moved.cost - unchanged.cost) ** 2
    return replace(unchanged, variance=unchanged.variance + hinted)


def _checked(reference: Any, new: Any, change: Any) -> DecidedCases:
    """The new cases, if both can be meant."""
    of_kind(
        reference,
        "reference",
        DecidedCases,
        hint="DecidedCases.from_scores(y_true, posteriors, costs=...)",
    )
    if place_of(change, _CHANGES) is None:
        raise DataError(f"`change` must be one of {listed(_CHANGES)}; got {in_brief(change)}.")
    counts = np.bincount(reference.labels, minlength=len(reference.classes))
    if counts.min() < _LEAST:
        name = reference.classes[int(np.argmin(counts))]
        raise DataError(
            f"`reference` has {counts.min()} cases of {name!r}; {_LEAST} are needed to know how a "
            "class scores.",
            hint="bring more labelled cases",
        )
    cases = new if isinstance(new, DecidedCases) else reference.alike(new)
    if cases.classes != reference.classes:
        raise DataError(
            f"`new` has the classes {listed(cases.classes)}, and `reference` has "
            f"{listed(reference.classes)}.",
            hint="reference.alike(new_posteriors)",
        )
    return cases


def _calibrated(
    reference: DecidedCases, new: DecidedCases, calibrator: Calibrator | None
) -> tuple[Calibrated, Calibrated]:
    """Both with posteriors calibrated on the reference, for its class shares."""
    fresh = default_calibrator() if calibrator is None else as_calibrator(calibrator).unfitted()
    with np.errstate(divide="ignore"):  # the default bounds what is infinite
        logs = [np.log(each.posteriors) for each in (reference, new)]
    fresh.fit(logs[0], reference.labels, sample_weight=reference.mass)
    before, after = (fresh.posteriors(each) for each in logs)
    return Calibrated(reference, before), Calibrated(new, after)


def _ends(found: Estimated, new: DecidedCases, level: float) -> tuple[float, float]:
    """Ends of the interval, which no labels of these cases could lie beyond."""
    reach = normal_quantile(level) * float(np.sqrt(found.variance))
    least, most = (new.mean(edge) for edge in (new.paid.min(axis=1), new.paid.max(axis=1)))
    return max(found.cost - reach, float(least)), min(found.cost + reach, float(most))


def _naive(new: DecidedCases, shares: FloatArray) -> float:
    """Cost of the best decision that ignores the scores, at these shares."""
    return float((shares @ new.application.costs.values).min())
