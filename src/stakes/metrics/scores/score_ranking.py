"""How well scores order the two classes: areas under curves, and Hand's H-measure."""

from __future__ import annotations

from typing import Literal

import numpy as np

from stakes._checks import as_number
from stakes._kernels.roc_hull import area_between, ranked_pairs
from stakes._names import one_of
from stakes.exceptions import DataError
from stakes.metrics.scores.proper_scores import BetaWeight, cost_over_applications
from stakes.metrics.summary_input import of_scores
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import Priors


@of_scores
def auc(scores: RankedScores) -> float:
    r"""Area under the ROC curve: how often a positive scores above a negative, ties half.

    For early development, when no costs are known: it averages over all thresholds,
    whatever they cost. Higher is better; 0.5 is chance.

    .. math:: P(s_1 > s_0) + \tfrac12 P(s_1 = s_0)

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.

    Returns
    -------
    float
        Between 0 and 1. From bins, within the bounds of `score_bounds`.

    Notes
    -----
    Integer counts are summed exactly. Says nothing about the threshold that will be used
    (`dyrland2022` section 5).

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.6.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> auc(ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8], kind="rank"))
    0.875
    """
    require_both(scores, "auc")
    return ranked_pairs(scores.runs.negatives, scores.runs.positives)


@of_scores
def partial_auc(
    scores: RankedScores, *, max_fpr: float = 1.0, min_fpr: float = 0.0, standardize: bool = False
) -> float:
    r"""Area under the ROC curve between two false positive rates.

    When only a range of false positive rates is affordable. Higher is better.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    max_fpr, min_fpr : float
        The range of false positive rates.
    standardize : bool
        Rescale so that chance is 0.5 and perfection 1 (McClish 1989).

    Returns
    -------
    float
        The area, at most ``max_fpr - min_fpr``; or the rescaled area.

    References
    ----------
    .. [1] D. K. McClish, "Analyzing a portion of the ROC curve", Medical Decision Making
       9(3), 1989.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8], kind="rank")
    >>> partial_auc(sc, max_fpr=0.5)
    0.25
    """
    require_both(scores, "partial_auc")
    min_fpr, max_fpr = as_number(min_fpr, "min_fpr"), as_number(max_fpr, "max_fpr")
    if not 0 <= min_fpr < max_fpr <= 1:
        raise DataError(
            "`min_fpr` and `max_fpr` must satisfy 0 <= min < max <= 1; got "
            f"{min_fpr!r}, {max_fpr!r}."
        )
    below_first, below_second = scores.cumulated
    fpr, tpr = 1 - below_first / below_first[-1], 1 - below_second / below_second[-1]
    area = area_between(fpr[::-1], tpr[::-1], min_fpr, max_fpr)
    if not standardize:
        return area
    chance = (max_fpr**2 - min_fpr**2) / 2
    return (1 + (area - chance) / (max_fpr - min_fpr - chance)) / 2


@of_scores
def average_precision(scores: RankedScores, *, priors: Priors | None = None) -> float:
    r"""Precision averaged over the cases of the second class, without interpolation.

    For ranked retrieval. Higher is better; a constant score gives the prior.

    .. math:: \sum_k (R_k - R_{k-1}) P_k

    Parameters
    ----------
    scores : ScoreCounts
        Of any kind; only the order counts.
    priors : float or pair, optional
        Share of the second class, or of both, where the system will run; default, that of the data.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    A sum of steps; `pr_auc` is the area under the interpolated curve, which is another
    number. Tied scores make one step.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.6.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], kind="rank")
    >>> round(average_precision(sc), 4)
    0.8333
    """
    recall, false_positives, share = _descending(scores, priors, "average_precision")
    steps = np.diff(recall, prepend=0.0)
    true, wrong = share * recall, (1 - share) * false_positives
    precision = np.divide(true, true + wrong, out=np.ones_like(true), where=true > 0)
    return float(np.sum(steps * precision))


@of_scores
def pr_auc(
    scores: RankedScores,
    *,
    priors: Priors | None = None,
    interpolation: Literal["exact", "linear"] = "exact",
) -> float:
    r"""Area under the precision-recall curve.

    Higher is better; a constant score gives the prior.

    Parameters
    ----------
    scores : ScoreCounts
        Of any kind; only the order counts.
    priors : float or pair, optional
        Share of the second class, or of both, where the system will run; default, that of the data.
    interpolation : {"exact", "linear"}
        Between neighbouring scores: "exact" follows the straight line of the ROC curve, on
        which precision is a ratio [1]_; "linear" joins the points by straight lines, which
        is too optimistic but common.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    .. [1] J. Davis and M. Goadrich, "The relationship between precision-recall and ROC
       curves", ICML 2006, section 4.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], kind="rank")
    >>> round(pr_auc(sc), 4), round(pr_auc(sc, interpolation="linear"), 4)
    (0.7973, 0.7917)
    """
    recall, false_positives, share = _descending(scores, priors, "pr_auc")
    x = np.concatenate(([0.0], recall))
    wrong = np.concatenate(([0.0], (1 - share) * false_positives))
    right = share * x
    dx, dw = np.diff(x), np.diff(wrong)
    if one_of(interpolation, "interpolation", ("exact", "linear")) == "linear":
        precision = np.divide(right, right + wrong, out=np.zeros_like(right), where=x > 0)
        precision[0] = 1.0
        return float(np.sum(dx * (precision[1:] + precision[:-1]) / 2))
    moves = dx > 0
    dx, dw, a, b = dx[moves], dw[moves], right[:-1][moves], (right + wrong)[:-1][moves]
    rise, run = share * dx, share * dx + dw
    # mean over t in [0, 1] of (a + rise t) / (b + run t)
    growth = np.log1p(np.divide(run, b, out=np.zeros_like(b), where=b > 0))
    bent = (a - rise * b / run) * growth / run
    return float(np.sum(dx * (rise / run + np.where(b > 0, bent, 0.0))))


def _descending(
    scores: RankedScores, priors: Priors | None, what: str
) -> tuple[np.ndarray, np.ndarray, float]:
    """True and false positive rates from the highest score down, and the prior."""
    require_both(scores, what)
    share = scores._share_of_second(priors)
    _, negatives, positives = scores.levels
    recall = np.cumsum(positives[::-1]) / positives.sum()
    return recall, np.cumsum(negatives[::-1]) / negatives.sum(), share


@of_scores
def h_measure(
    scores: RankedScores,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    priors: Priors | None = None,
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
    priors : float or pair, optional
        Share of the second class, or of both; default, that of the data.

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
    share = scores._share_of_second(priors)
    weight = BetaWeight(1 + share if alpha is None else alpha, 2 - share if beta is None else beta)
    return 1 - cost_over_applications(scores, weight, priors=priors, minimum=True, normalized=True)
