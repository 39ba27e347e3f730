"""Precision against recall, at the prior of the data or another."""

from __future__ import annotations

from dataclasses import dataclass

from stakes.curves.tabular import Tabular
from stakes.exceptions import DataError
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Tabular):
    """Points of a precision-recall curve, from the highest threshold down."""

    threshold: FloatArray
    recall: FloatArray
    precision: FloatArray
    prior: float


def precision_recall(scores: RankedScores, *, prior: float | None = None) -> PrecisionRecallCurve:
    r"""Precision and recall at every threshold.

    .. math:: \mathrm{precision} = \frac{P_1 \mathrm{TPR}}{P_1 \mathrm{TPR} + P_0 \mathrm{FPR}}

    Parameters
    ----------
    scores : ScoreCounts
        Of any kind; only the order counts.
    prior : float, optional
        Share of the second class where the system will run; default, that of the data.
        Precision depends on it, recall does not.

    Returns
    -------
    PrecisionRecallCurve
        Without the point that acts on nothing, where precision is undefined.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.6.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8], kind="posterior")
    >>> print(precision_recall(sc).frame())
    threshold  recall  precision
    0.6        0.5     1
    0.35       0.5     0.5
    0.2        1       0.666667
    -inf       1       0.5
    """
    require_both(scores, "precision_recall")
    share = float(scores.priors[1]) if prior is None else float(prior)
    if not 0 < share < 1:
        raise DataError(f"`prior` must lie between 0 and 1; got {prior!r}.")
    cuts, below_first, below_second = (part[::-1] for part in scores.finest)
    recall = (below_second[0] - below_second) / below_second[0]
    right, wrong = share * recall, (1 - share) * (below_first[0] - below_first) / below_first[0]
    found = right + wrong > 0  # where nobody is found there is no precision
    precision = right[found] / (right[found] + wrong[found])
    return PrecisionRecallCurve(cuts[found], recall[found], precision, share)
