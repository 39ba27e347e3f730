"""How classical metrics follow from a normalised expected cost, and back.

`priors` is the share of the positive class, or of both; `decided` the share of positive decisions.
Each function holds exactly, for every two-class table.
"""

from __future__ import annotations

import math

from stakes._checks import as_number, positive_share
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.metrics.counts.binary_rates import checked_beta, checked_threshold
from stakes.typing import Priors


def f_beta_from_nec(nec: float, *, priors: Priors, decided: float, beta: float = 1.0) -> float:
    r"""F-beta of a system from its normalised cost with c_FN = beta^2 and c_FP = 1.

    At the same cost it grows with `decided`: acting more is rewarded as such.

    .. math:: 1 - \min(\beta^2 P_2, P_1) \frac{NEC_{\beta^2}}{\beta^2 P_2 + R_{*2}}

    Parameters
    ----------
    nec : float
        Normalised expected cost under those costs and the priors of the data.
    priors : float or pair
        Share of positive cases, or of both classes.
    decided : float
        Share of positive decisions.
    beta : float
        As in `f_beta`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 16.

    Examples
    --------
    >>> round(f_beta_from_nec(0.5, priors=0.1, decided=0.2), 4)
    0.8333
    >>> round(f_beta_from_nec(0.5, priors=0.1, decided=0.3), 4)
    0.875
    """
    prior, weight = positive_share(priors), checked_beta(beta) ** 2
    decided, nec = _share(decided, "decided"), _finite(nec, "nec")
    naive = min(weight * prior, 1 - prior)
    return 1 - naive * nec / (weight * prior + decided)


def nec_from_f_beta(value: float, *, priors: Priors, decided: float, beta: float = 1.0) -> float:
    """The inverse of `f_beta_from_nec`.

    Parameters
    ----------
    value : float
        The F-beta.
    priors, decided, beta
        As in `f_beta_from_nec`.

    Examples
    --------
    >>> round(nec_from_f_beta(0.875, priors=0.1, decided=0.3), 4)
    0.5
    """
    prior, weight = positive_share(priors), checked_beta(beta) ** 2
    decided, value = _share(decided, "decided"), _finite(value, "value")
    naive = min(weight * prior, 1 - prior)
    if naive == 0:
        raise UndefinedError("the normalised cost is undefined: one of the classes has no case.")
    return (1 - value) * (weight * prior + decided) / naive


def naive_f_beta(priors: Priors, *, beta: float = 1.0) -> float:
    r"""F-beta of the best system that ignores the input: it always acts.

    Below this a system is worth nothing; this value depends on the prevalence.

    .. math:: \frac{(1 + \beta^2) P_2}{\beta^2 P_2 + 1}

    Parameters
    ----------
    priors : float or pair
        Share of positive cases, or of both classes.
    beta : float
        As in `f_beta`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.1.

    Examples
    --------
    >>> round(naive_f_beta(0.2), 3), round(naive_f_beta(0.01), 2)
    (0.333, 0.02)
    """
    prior, weight = positive_share(priors), checked_beta(beta) ** 2
    return (1 + weight) * prior / (weight * prior + 1)


def mcc_from_nec(nec: float, *, priors: Priors, decided: float) -> float:
    r"""MCC of a two-class system from its normalised balanced error rate R_12 + R_21.

    The factor grows as decisions become lopsided, so at equal cost lopsided systems win.

    .. math:: \sqrt{\frac{P_2 (1 - P_2)}{R_{*2} (1 - R_{*2})}} (1 - NEC_b)

    Parameters
    ----------
    nec : float
        False-positive plus false-negative rate.
    priors : float or pair
        Share of positive cases, or of both classes.
    decided : float
        Share of positive decisions.

    Returns
    -------
    float
        `nan` when all decisions are the same, or all cases of one class.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 18.

    Examples
    --------
    >>> mcc_from_nec(0.5, priors=0.5, decided=0.5)
    0.5
    >>> round(mcc_from_nec(0.5, priors=0.5, decided=0.75), 2)
    0.58
    """
    decided, nec = _share(decided, "decided"), _finite(nec, "nec")
    prior = positive_share(priors)
    spread, cases = decided * (1 - decided), prior * (1 - prior)
    return math.sqrt(cases / spread) * (1 - nec) if spread > 0 and cases > 0 else math.nan


def nec_from_mcc(value: float, *, priors: Priors, decided: float) -> float:
    """The inverse of `mcc_from_nec`.

    Parameters
    ----------
    value : float
        The MCC.
    priors, decided
        As in `mcc_from_nec`.

    Examples
    --------
    >>> nec_from_mcc(0.5, priors=0.5, decided=0.5)
    0.5
    """
    decided, value = _share(decided, "decided"), _finite(value, "value")
    prior = positive_share(priors)
    if not 0 < prior < 1:
        raise UndefinedError("the balanced error rate is undefined: a class has no case.")
    return 1 - value * math.sqrt(decided * (1 - decided) / (prior * (1 - prior)))


def net_benefit_from_nec(nec: float, *, priors: Priors, threshold: float) -> float:
    r"""Net benefit from the normalised cost with c_FN = 1 and c_FP = p / (1 - p).

    An affine function, so both rank systems on the same data alike.

    .. math:: P_2 - \min\left(P_2, \frac{p}{1 - p} P_1\right) NEC_p

    Parameters
    ----------
    nec : float
        Normalised expected cost under those costs.
    priors : float or pair
        Share of positive cases, or of both classes.
    threshold : float
        As in `net_benefit`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 21.

    Examples
    --------
    >>> round(net_benefit_from_nec(0.45, priors=0.1, threshold=0.2), 4)
    0.055
    """
    prior, nec = positive_share(priors), _finite(nec, "nec")
    return prior - min(prior, _odds(threshold) * (1 - prior)) * nec


def nec_from_net_benefit(value: float, *, priors: Priors, threshold: float) -> float:
    """The inverse of `net_benefit_from_nec`.

    Parameters
    ----------
    value : float
        The net benefit.
    priors, threshold
        As in `net_benefit_from_nec`.

    Examples
    --------
    >>> round(nec_from_net_benefit(0.055, priors=0.1, threshold=0.2), 4)
    0.45
    """
    prior, value = positive_share(priors), _finite(value, "value")
    naive = min(prior, _odds(threshold) * (1 - prior))
    if naive == 0:
        raise UndefinedError("the normalised cost is undefined: the naive cost is 0.")
    return (prior - value) / naive


def likelihood_ratio_from_nec(nec: float, *, false_positive_rate: float) -> float:
    r"""LR+ from the normalised balanced error rate.

    At equal cost the system with fewer false positives wins.

    .. math:: \frac{1 - NEC_b}{R_{12}} + 1

    Parameters
    ----------
    nec : float
        False-positive plus false-negative rate.
    false_positive_rate : float
        R_12.

    Returns
    -------
    float
        `nan` without false positives.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eq 23.

    Examples
    --------
    >>> round(likelihood_ratio_from_nec(0.3, false_positive_rate=0.1), 4)
    8.0
    """
    false_positive_rate = _share(false_positive_rate, "false_positive_rate")
    nec = _finite(nec, "nec")
    return (1 - nec) / false_positive_rate + 1 if false_positive_rate > 0 else math.nan


def nec_from_likelihood_ratio(value: float, *, false_positive_rate: float) -> float:
    """The inverse of `likelihood_ratio_from_nec`.

    Parameters
    ----------
    value : float
        The LR+.
    false_positive_rate : float
        R_12.

    Examples
    --------
    >>> round(nec_from_likelihood_ratio(8.0, false_positive_rate=0.1), 4)
    0.3
    """
    false_positive_rate = _share(false_positive_rate, "false_positive_rate")
    value = _finite(value, "value")
    return 1 - (value - 1) * false_positive_rate


def _share(value: float, name: str) -> float:
    """A number between 0 and 1."""
    number = as_number(value, name, PriorError)
    if not 0 <= number <= 1:
        raise PriorError(f"`{name}` must lie between 0 and 1; got {value!r}.")
    return number


def _finite(value: float, name: str) -> float:
    """A finite number."""
    number = as_number(value, name)
    if not math.isfinite(number):
        raise DataError(f"`{name}` must be finite; got {value!r}.")
    return number


def _odds(threshold: float) -> float:
    """The odds p / (1 - p) of a threshold."""
    share = checked_threshold(threshold)
    return share / (1 - share)
