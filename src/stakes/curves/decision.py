"""Decision curves: net benefit against the threshold probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.curves.bayes_error import as_grid, posterior_thresholds
from stakes.curves.tabular import Tabular
from stakes.exceptions import DataError
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Tabular):
    """Net benefit of a system, of acting on everyone and of acting on nobody."""

    threshold: FloatArray
    net_benefit: FloatArray
    treat_all: FloatArray
    treat_none: FloatArray
    standardized: FloatArray
    score_threshold: FloatArray
    prior: float


def decision(
    scores: RankedScores, thresholds: Any = None, *, prior: float | None = None
) -> DecisionCurve:
    r"""Net benefit of acting above each threshold probability.

    The curve of clinical decision analysis: is the system worth using, next to acting on
    everyone or nobody? Higher is better.

    .. math:: P_1 \mathrm{TPR}(t) - P_0 \mathrm{FPR}(t) \frac{t}{1 - t}

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of kind "llr", "log_odds" or "posterior".
    thresholds : array-like, optional
        Threshold probabilities, between 0 and 1; default, 0.01 to 0.99. Restrict them to the
        plausible ones.
    prior : float, optional
        Share of the second class where the system will run; default, that of the data.

    Returns
    -------
    DecisionCurve
        Net benefits in true positives per case; `standardized` divides by the prior, so 1 is
        perfect.

    Notes
    -----
    Acting means posterior > threshold. A threshold t says that a false positive costs
    t / (1 - t) true positives; at each t the net benefit is P_1 minus the expected cost in
    these units, so both rank systems alike (`ferrer2025` section 3.3).

    References
    ----------
    .. [1] A. J. Vickers and E. B. Elkin, "Decision curve analysis", Medical Decision Making
       26(6), 2006.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], kind="posterior")
    >>> print(decision(sc, [0.2, 0.5]).frame())
    threshold  net_benefit  treat_all  treat_none  standardized  score_threshold
    0.2        0.4375       0.375      0           0.875         0.2
    0.5        0            0          0           0             0.5
    """
    require_both(scores, "decision")
    scores.require_scale("decision")
    t = as_grid(thresholds, np.round(np.arange(1, 100) * 0.01, 10), "thresholds")
    if (t < 0).any() or (t >= 1).any():
        raise DataError("`thresholds` are probabilities: at least 0 and below 1.")
    share = float(scores.priors[1]) if prior is None else float(prior)
    if not 0 < share < 1:
        raise DataError(f"`prior` must lie between 0 and 1; got {prior!r}.")
    cuts = posterior_thresholds(scores, t, share)
    above = scores.counts_above_each(cuts) / scores.class_totals
    odds = t / (1 - t)
    benefit = share * above[:, 1] - (1 - share) * above[:, 0] * odds
    treat_all = share - (1 - share) * odds
    return DecisionCurve(t, benefit, treat_all, np.zeros_like(t), benefit / share, cuts, share)
