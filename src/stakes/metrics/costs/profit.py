"""Expected maximum profit, as defined for churn and for credit scoring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stakes._checks import as_number
from stakes.exceptions import DataError
from stakes.metrics.summary_input import of_scores
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, Priors

#: Mass and first moment, below each value, of the benefit that is uncertain.
Moments = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True)
class MaximumProfit:
    """A profit averaged over an uncertain benefit, with the best threshold for each.

    Parameters
    ----------
    value : float
        Expected maximum profit per case; higher is better.
    fraction : float
        Share of the cases that are acted on, averaged likewise.
    threshold : float
        Best threshold when the benefit has its mean value, in the units of the scores.

    Examples
    --------
    >>> MaximumProfit(value=1.5, fraction=0.2, threshold=0.7).value
    1.5
    """

    value: float
    fraction: float
    threshold: float


@of_scores
def expected_max_profit_churn(
    scores: RankedScores,
    *,
    lifetime_value: float = 200.0,
    offer: float = 10.0,
    contact: float = 1.0,
    alpha: float = 6.0,
    beta: float = 14.0,
    priors: Priors | None = None,
) -> MaximumProfit:
    r"""Expected maximum profit of a retention campaign, per customer (EMPC).

    Here the second class are customers about to leave, of whom a share that is not known
    exactly accepts the offer. Higher is better.

    .. math:: \int \max_t \{ [\gamma (V - d) - f] P_1 \mathrm{TPR}(t)
              - (d + f) P_0 \mathrm{FPR}(t) \}\, h(\gamma)\, d\gamma

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    lifetime_value, offer, contact : float
        Value V of a customer who stays, cost d of the offer, cost f of contacting someone.
    alpha, beta : float
        Of the Beta density h of the share of leavers who accept.
    priors : float or pair, optional
        Share of the second class, or of both,; default, that of the data.

    Returns
    -------
    MaximumProfit
        In the unit of the amounts, per customer.

    Notes
    -----
    A gain, kept with its sign from the literature; everything else here is a cost. The
    integral over the ROC convex hull is exact.

    References
    ----------
    .. [1] T. Verbraken, W. Verbeke and B. Baesens, "A novel profit maximizing metric for
       measuring classification performance of customer churn prediction models", IEEE TKDE
       25(5), 2013, doi:10.1109/TKDE.2012.50.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], kind="rank")
    >>> round(expected_max_profit_churn(sc).value, 4)
    26.1669
    """
    from scipy.special import betainc

    said = (lifetime_value, "lifetime_value"), (offer, "offer"), (contact, "contact")
    lifetime_value, offer, contact = (as_number(*each) for each in said)
    alpha, beta = as_number(alpha, "alpha"), as_number(beta, "beta")
    finite = np.isfinite([lifetime_value, offer, contact, alpha, beta]).all()
    possible = lifetime_value > offer > 0 and contact >= 0 and alpha > 0 and beta > 0
    if not (finite and possible):
        raise DataError(
            "a campaign needs lifetime_value > offer > 0, contact >= 0, alpha, beta > 0, all "
            f"finite; got {lifetime_value!r}, {offer!r}, {contact!r}, {alpha!r}, {beta!r}."
        )

    def moments(at: FloatArray) -> tuple[FloatArray, FloatArray]:
        mean = alpha / (alpha + beta)
        return betainc(alpha, beta, at), mean * betainc(alpha + 1, beta, at)

    def lines(hits: FloatArray, alarms: FloatArray) -> tuple[FloatArray, FloatArray]:
        return (lifetime_value - offer) * hits, -contact * hits - (offer + contact) * alarms

    return _maximum(scores, priors, lines, moments, alpha / (alpha + beta))


@of_scores
def expected_max_profit_credit(
    scores: RankedScores,
    *,
    no_loss: float = 0.55,
    full_loss: float = 0.1,
    return_on_investment: float = 0.2644,
    priors: Priors | None = None,
) -> MaximumProfit:
    r"""Expected maximum profit of credit scoring, per unit lent (EMP for credit scoring).

    Here the second class are defaulters; acting means to refuse the loan. A loss of a
    fraction lambda of the loan is then avoided, which is 0 or 1 with given probabilities and
    uniform in between. Higher is better.

    .. math:: \int \max_t \{ \lambda P_1 \mathrm{TPR}(t) - r P_0 \mathrm{FPR}(t) \}\, h(\lambda)\,
              d\lambda

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    no_loss, full_loss : float
        Probability that a defaulter pays all back, or nothing.
    return_on_investment : float
        Profit r on a unit lent and paid back.
    priors : float or pair, optional
        Share of the second class, or of both,; default, that of the data.

    Returns
    -------
    MaximumProfit
        Per unit of money lent, next to granting every loan.

    Notes
    -----
    A gain, kept with its sign from the literature. The integral is exact.

    References
    ----------
    .. [1] T. Verbraken, C. Bravo, R. Weber and B. Baesens, "Development and application of
       consumer credit scoring models using profit-based classification measures", EJOR
       238(2), 2014, doi:10.1016/j.ejor.2014.04.001.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], kind="rank")
    >>> round(expected_max_profit_credit(sc).value, 4)
    0.1197
    """
    no_loss, full_loss = as_number(no_loss, "no_loss"), as_number(full_loss, "full_loss")
    return_on_investment = as_number(return_on_investment, "return_on_investment")
    spread = 1 - no_loss - full_loss
    possible = no_loss >= 0 and full_loss >= 0 and spread >= -1e-12
    if not (possible and 0 < return_on_investment < np.inf):
        raise DataError(
            "`no_loss` and `full_loss` must be probabilities adding to at most 1, and the "
            f"return positive; got {no_loss!r}, {full_loss!r}, {return_on_investment!r}."
        )

    def moments(at: FloatArray) -> tuple[FloatArray, FloatArray]:
        inside = np.clip(at, 0, 1)
        whole = np.where(at > 1, full_loss, 0.0)  # the mass at 1 lies below anything above 1
        empty = np.where(at > 0, no_loss, 0.0)
        return empty + spread * inside + whole, spread * inside**2 / 2 + whole

    def lines(hits: FloatArray, alarms: FloatArray) -> tuple[FloatArray, FloatArray]:
        return hits, -return_on_investment * alarms

    return _maximum(scores, priors, lines, moments, spread / 2 + full_loss, top=np.nextafter(1, 2))


def _maximum(
    scores: RankedScores,
    priors: Priors | None,
    lines: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
    moments: Moments,
    mean: float,
    top: float = 1.0,
) -> MaximumProfit:
    """Integrate the upper envelope of profits that are linear in the uncertain benefit."""
    require_both(scores, "expected maximum profit")
    share = scores._share_of_second(priors)
    x, y = (part[scores.hull][::-1] for part in scores.cumulated)  # from acting on none to all
    hits, alarms = share * (1 - y / y[0]), (1 - share) * (1 - x / x[0])
    kept = np.flatnonzero(np.diff(hits, prepend=-1.0) > 0)  # more alarms alone never pay
    slope, offset = lines(hits[kept], alarms[kept])
    turns = -np.diff(offset) / np.diff(slope)
    bounds = np.clip(np.concatenate(([0.0], np.maximum.accumulate(turns), [top])), 0.0, top)
    bounds[-1] = top
    mass, moment = moments(bounds)
    weight, first = np.diff(mass), np.diff(moment)
    at_mean = int(np.argmax(slope * mean + offset))
    cut = scores.hull[::-1][kept[at_mean]]
    return MaximumProfit(
        value=float(np.sum(slope * first + offset * weight)),
        fraction=float(np.sum((hits[kept] + alarms[kept]) * weight)),
        threshold=float(scores.cuts[cut]),
    )
