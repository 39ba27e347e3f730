"""Thresholds chosen by their error rates, and the other rate that each leaves."""

from __future__ import annotations

from typing import Literal

import numpy as np

from stakes._kernels.roc_hull import rates_meet
from stakes.exceptions import DataError
from stakes.metrics.scores.operating_points import OperatingPoint, at_threshold
from stakes.summaries.ranked_scores import RankedScores, require_both

EerMethod = Literal["closest", "interpolated", "hull"]


def at_equal_error(scores: RankedScores, *, method: EerMethod = "closest") -> OperatingPoint:
    """The threshold at which false positive and false negative rate are closest.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    method : {"closest", "interpolated", "hull"}
        The same threshold for the first two; with "hull", the nearer of the two vertices of
        the ROC convex hull. See `eer`.

    Returns
    -------
    OperatingPoint
        Its two error rates may differ: tied scores are never split.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.6.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [0, 1, 3, 2, 4], kind="rank")
    >>> at_equal_error(sc)
    OperatingPoint(1 if score > 2.5; false positives 0.3333, false negatives 0.5)
    """
    require_both(scores, "at_equal_error")
    if method == "hull":
        cuts, x, y = (part[scores.hull] for part in (scores.cuts, *scores.cumulated))
    else:
        cuts, x, y = scores.finest
    _, left, right, _ = rates_meet(x, y)
    gaps = [abs(y[k] / y[-1] - (x[-1] - x[k]) / x[-1]) for k in (left, right)]
    return at_threshold(scores, float(cuts[left if gaps[0] <= gaps[1] else right]))


def at_sensitivity(scores: RankedScores, sensitivity: float) -> OperatingPoint:
    """The highest threshold that still finds a given share of the second class.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    sensitivity : float
        The least true positive rate, between 0 and 1.

    Returns
    -------
    OperatingPoint
        Of all thresholds with at least this sensitivity, the most specific one.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], kind="posterior")
    >>> at_sensitivity(sc, 0.8)
    OperatingPoint(1 if score > 0.2; false positives 0.5, false negatives 0)
    """
    require_both(scores, "at_sensitivity")
    cuts, _, below = scores.finest
    found = below[-1] - below
    enough = found >= _count(sensitivity, "sensitivity") * found[0]
    return at_threshold(scores, float(cuts[np.flatnonzero(enough)[-1]]))


def at_specificity(scores: RankedScores, specificity: float) -> OperatingPoint:
    """The lowest threshold that still spares a given share of the first class.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    specificity : float
        The least true negative rate, between 0 and 1.

    Returns
    -------
    OperatingPoint
        Of all thresholds with at least this specificity, the most sensitive one.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], kind="posterior")
    >>> at_specificity(sc, 0.5)
    OperatingPoint(1 if score > 0.2; false positives 0.5, false negatives 0)
    """
    require_both(scores, "at_specificity")
    cuts, spared, _ = scores.finest
    enough = spared >= _count(specificity, "specificity") * spared[-1]
    return at_threshold(scores, float(cuts[np.flatnonzero(enough)[0]]))


def _count(share: float, name: str) -> float:
    """A wanted share, less a breath for the rounding of share times total."""
    if not 0 <= share <= 1:
        raise DataError(f"`{name}` must lie between 0 and 1; got {share!r}.")
    return float(share) * (1 - 1e-12)


# The equal error rate has three names: docs/design/thresholds.md.
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
