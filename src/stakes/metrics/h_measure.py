"""Hand's H-measure: the minimum cost averaged over a fixed distribution of costs."""

from __future__ import annotations

from stakes.metrics.proper_losses import BetaWeight
from stakes.metrics.proper_scores import cost_over_applications
from stakes.summaries.ranked_scores import RankedScores, require_both

__all__ = ["h_measure"]


def h_measure(
    scores: RankedScores,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    prior: float | None = None,
) -> float:
    r"""Share of the naive cost that the best thresholds save, averaged over costs.

    An alternative to the AUC whose distribution of costs is the same for all systems.
    Higher is better; 0 is useless, 1 is perfect.

    .. math:: 1 - \frac{\int \min_t [c P_0 \mathrm{FPR}(t) + (1-c) P_1 \mathrm{FNR}(t)] u(c) dc}
                       {\int \min(c P_0, (1-c) P_1)\, u(c)\, dc}

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    alpha, beta : float, optional
        Of the Beta density u over c, the relative cost of a false positive. By default
        1 + P_1 and 1 + P_0, centred near equal weight of both classes [2]_; 2 and 2 is the
        original proposal [1]_.
    prior : float, optional
        Share of the second class, P_1; default, that of the data.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    Integrated exactly over the ROC convex hull. The quantity called H in `wa2025` has no
    minimum over thresholds and is another one.

    References
    ----------
    .. [1] D. J. Hand, "Measuring classifier performance: a coherent alternative to the area
       under the ROC curve", Machine Learning 77, 2009, doi:10.1007/s10994-009-5119-5.
    .. [2] D. J. Hand and C. Anagnostopoulos, "A better Beta for the H measure of
       classification performance", Pattern Recognition Letters 40, 2014.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], kind="rank")
    >>> round(h_measure(sc), 4), round(h_measure(sc, alpha=2, beta=2), 4)
    (0.6667, 0.6667)
    """
    require_both(scores, "h_measure")
    share = float(scores.priors[1]) if prior is None else prior
    weight = BetaWeight(1 + share if alpha is None else alpha, 2 - share if beta is None else beta)
    return 1 - cost_over_applications(scores, weight, prior=prior, minimum=True, normalize=True)
