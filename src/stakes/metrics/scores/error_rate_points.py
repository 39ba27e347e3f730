"""Error rates at a point: the equal error rate, and one rate where the other is given."""

from __future__ import annotations

from stakes._kernels.roc_hull import rates_meet
from stakes.exceptions import DataError
from stakes.metrics.scores.operating_points import (
    EerMethod,
    at_equal_error,
    at_sensitivity,
    at_specificity,
)
from stakes.metrics.summary_input import of_scores
from stakes.summaries.ranked_scores import RankedScores, require_both


# The equal error rate has three names: docs/design/thresholds.md.
@of_scores
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


@of_scores
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


@of_scores
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
