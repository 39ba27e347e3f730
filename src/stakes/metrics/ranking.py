"""How well scores order the two classes: areas, and error rates at chosen points."""

from __future__ import annotations

from typing import Literal

import numpy as np

from stakes._kernels.roc_points import area_between, ranked_pairs, rates_meet
from stakes.exceptions import DataError
from stakes.metrics.operating_points import (
    EerMethod,
    at_equal_error,
    at_sensitivity,
    at_specificity,
)
from stakes.summaries.ranked_scores import RankedScores, require_both

__all__ = [
    "auc",
    "average_precision",
    "eer",
    "partial_auc",
    "pr_auc",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
]


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


def partial_auc(
    scores: RankedScores,
    *,
    max_fpr: float = 1.0,
    min_fpr: float = 0.0,
    standardize: bool = False,
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


def average_precision(scores: RankedScores, *, prior: float | None = None) -> float:
    r"""Precision averaged over the cases of the second class, without interpolation.

    For ranked retrieval. Higher is better; a constant score gives the prior.

    .. math:: \sum_k (R_k - R_{k-1}) P_k

    Parameters
    ----------
    scores : ScoreCounts
        Of any kind; only the order counts.
    prior : float, optional
        Share of the second class where the system will run; default, that of the data.

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
    recall, false_positives, share = _descending(scores, prior, "average_precision")
    steps = np.diff(recall, prepend=0.0)
    true, wrong = share * recall, (1 - share) * false_positives
    precision = np.divide(true, true + wrong, out=np.ones_like(true), where=true > 0)
    return float(np.sum(steps * precision))


def pr_auc(
    scores: RankedScores,
    *,
    prior: float | None = None,
    interpolation: Literal["exact", "linear"] = "exact",
) -> float:
    r"""Area under the precision-recall curve.

    Higher is better; a constant score gives the prior.

    Parameters
    ----------
    scores : ScoreCounts
        Of any kind; only the order counts.
    prior : float, optional
        Share of the second class where the system will run; default, that of the data.
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
    recall, false_positives, share = _descending(scores, prior, "pr_auc")
    x = np.concatenate(([0.0], recall))
    wrong = np.concatenate(([0.0], (1 - share) * false_positives))
    right = share * x
    dx, dw = np.diff(x), np.diff(wrong)
    if interpolation == "linear":
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
    scores: RankedScores, prior: float | None, what: str
) -> tuple[np.ndarray, np.ndarray, float]:
    """True and false positive rates from the highest score down, and the prior."""
    require_both(scores, what)
    share = float(scores.priors[1]) if prior is None else float(prior)
    if not 0 < share < 1:
        raise DataError(f"`prior` must lie between 0 and 1; got {prior!r}.")
    _, negatives, positives = scores.levels
    recall = np.cumsum(positives[::-1]) / positives.sum()
    return recall, np.cumsum(negatives[::-1]) / negatives.sum(), share


def eer(scores: RankedScores, *, method: EerMethod = "interpolated") -> float:
    r"""Equal error rate: where false positive and false negative rates meet.

    A summary of discrimination for one purpose, in which both errors are equally frequent;
    lower is better. For calibrated scores the error rate of Bayes decisions is at most the
    smaller of this and the two priors.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    method : {"interpolated", "hull", "closest"}
        "interpolated": where the ROC curve, its points joined by straight lines, meets the
        diagonal of equal rates. "hull": the same on the ROC convex hull, never larger; it
        is the largest minimum cost over all effective priors. "closest": the mean of both
        rates at the threshold where they are closest; no line is drawn.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    Programs disagree because they differ in this choice, so the method has a name here.
    The threshold is that of `at_equal_error`; it is not one to use in production.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.6.
    .. [2] N. Brummer, L. Ferrer and A. Swart, "Out of a hundred trials, how many errors
       does your speaker verifier make?", Interspeech 2021.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [0, 1, 3, 2, 4], kind="rank")
    >>> [round(eer(sc, method=m), 4) for m in ("interpolated", "hull", "closest")]
    [0.3333, 0.2, 0.4167]
    """
    require_both(scores, "eer")
    if method == "closest":
        point = at_equal_error(scores)
        return (point.false_positive_rate + point.false_negative_rate) / 2
    if method not in ("interpolated", "hull"):
        raise DataError(f"`method` must be 'interpolated', 'hull' or 'closest'; got {method!r}.")
    kept = scores.hull if method == "hull" else slice(None)
    x, y = (part[kept] for part in scores.cumulated)
    return rates_meet(x, y)[0]


def specificity_at_sensitivity(scores: RankedScores, sensitivity: float) -> float:
    """Share of the first class spared when a given share of the second must be found.

    Higher is better. Fixing a sensitivity implies a cost ratio that depends on the data:
    check it (`ferrer2025` section 3.5).

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    sensitivity : float
        The least true positive rate.

    Returns
    -------
    float
        True negative rate at the threshold of `at_sensitivity`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], kind="rank")
    >>> specificity_at_sensitivity(sc, 0.5)
    1.0
    """
    return 1 - at_sensitivity(scores, sensitivity).false_positive_rate


def sensitivity_at_specificity(scores: RankedScores, specificity: float) -> float:
    """Share of the second class found when a given share of the first must be spared.

    Higher is better.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    specificity : float
        The least true negative rate.

    Returns
    -------
    float
        True positive rate at the threshold of `at_specificity`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], kind="rank")
    >>> sensitivity_at_specificity(sc, 1.0)
    0.5
    """
    return 1 - at_specificity(scores, specificity).false_negative_rate
