"""ROC, its convex hull, and DET: the two error rates traded against each other."""

from __future__ import annotations

from dataclasses import dataclass

from stakes.curves.tabular import Tabular
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(Tabular):
    """Points of a ROC curve, from acting on nothing to acting on everything."""

    threshold: FloatArray
    false_positive_rate: FloatArray
    true_positive_rate: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class DetCurve(Tabular):
    """Points of a DET curve: both error rates, their probits, and the number of errors."""

    threshold: FloatArray
    false_positive_rate: FloatArray
    false_negative_rate: FloatArray
    probit_false_positive: FloatArray
    probit_false_negative: FloatArray
    false_positives: FloatArray
    false_negatives: FloatArray


def _traded(scores: RankedScores, hull: bool, what: str) -> tuple[FloatArray, ...]:
    """Thresholds and cases acted on, from the highest threshold down."""
    require_both(scores, what)
    parts = (scores.cuts, *scores.cumulated)
    if hull:
        parts = tuple(part[scores.hull] for part in parts)  # type: ignore[assignment]
    cuts, below_first, below_second = (part[::-1] for part in parts)
    return cuts, below_first[0] - below_first, below_second[0] - below_second


def roc(scores: RankedScores, *, hull: bool = False) -> RocCurve:
    r"""True positive rate against false positive rate, for every threshold that matters.

    Points inside a straight stretch, where only one class is met, are left out.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    hull : bool
        Only the vertices of the convex hull: the points that some application wants.

    Returns
    -------
    RocCurve
        From (0, 0), threshold inf, to (1, 1), threshold -inf. Acting means score > threshold.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.6.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8], kind="posterior")
    >>> print(roc(sc).frame())
    threshold  false_positive_rate  true_positive_rate
    inf        0                    0
    0.6        0                    0.5
    0.35       0.5                  0.5
    0.2        0.5                  1
    -inf       1                    1
    """
    cuts, first, second = _traded(scores, hull, "roc")
    return RocCurve(cuts, first / first[-1], second / second[-1])


def det(scores: RankedScores, *, hull: bool = False) -> DetCurve:
    """False negative rate against false positive rate, with both on the probit scale too.

    Straight for Gaussian scores of equal variance, and readable where errors are rare.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    hull : bool
        Only the vertices of the ROC convex hull.

    Returns
    -------
    DetCurve
        With the number of errors at each point, since rates that rest on fewer than about
        30 errors are not to be trusted.

    References
    ----------
    .. [1] A. Martin et al., "The DET curve in assessment of detection task performance",
       Eurospeech 1997.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8], kind="posterior")
    >>> det(sc).frame()["probit_false_positive"]
    array([-inf, -inf,   0.,   0.,  inf])
    """
    from scipy.special import ndtri

    cuts, first, second = _traded(scores, hull, "det")
    fpr, missed = first / first[-1], second[-1] - second
    fnr = missed / second[-1]
    return DetCurve(
        cuts, fpr, fnr, ndtri(fpr), ndtri(fnr), first.astype(float), missed.astype(float)
    )
