"""Curves of forensic evaluation: Tippett plots and empirical cross-entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._kernels.roc_hull import softplus
from stakes.curves.bayes_error import Tabular, as_grid, as_log_odds, block_llrs, both_shares
from stakes.exceptions import DataError
from stakes.metrics.scores.proper_scores import log_odds_sums
from stakes.metrics.summary_input import of_scores
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class TippettCurve(Tabular):
    """Share of each class with a likelihood ratio above each value."""

    log10_lr: FloatArray
    negatives_above: FloatArray
    positives_above: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class CrossEntropyCurve(Tabular):
    """Cross-entropy in bits against the prior odds: system, recalibrated, and no evidence."""

    log10_odds: FloatArray
    actual: FloatArray
    minimum: FloatArray
    neutral: FloatArray


@of_scores
def tippett(scores: RankedScores, log10_lr: Any = None) -> TippettCurve:
    """Share of each class whose likelihood ratio is above each value.

    Shows how often evidence misleads, and how strongly.

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior" (freed of the prior they contain).
    log10_lr : array-like, optional
        Decimal logarithms of likelihood ratios; default, every step of the two curves.

    Returns
    -------
    TippettCurve
        Shares between 0 and 1.

    References
    ----------
    .. [1] D. Meuwly, "Reconnaissance de locuteurs en sciences forensiques", 2001; after
       C. F. Tippett et al., 1968.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1], [-2.302585, 4.60517], kind="llr")
    >>> print(tippett(sc, [-2, 0, 2.5]).frame())
    log10_lr  negatives_above  positives_above
    -2        1                1
    0         0                1
    2.5       0                0
    """
    require_both(scores, "tippett")
    scores.require_scale("tippett")
    if log10_lr is None:
        cuts = scores.levels[0].astype(np.float64)
        x = (as_log_odds(scores, cuts) - scores.log_prior_odds()) / np.log(10)
    else:
        x = as_grid(log10_lr, np.empty(0), "log10_lr")
        with np.errstate(over="ignore"):  # beyond every score
            cuts = scores.from_llrs(x * np.log(10))
    above = scores.counts_above_each(cuts) / scores.class_totals
    return TippettCurve(x, above[:, 0], above[:, 1])


@of_scores
def empirical_cross_entropy(scores: RankedScores, log10_odds: Any = None) -> CrossEntropyCurve:
    r"""Cross-entropy of the posteriors that LLRs give at each prior, in bits.

    Below the neutral curve evidence helps on average; the distance to the recalibrated
    curve is what calibration would save. Lower is better.

    .. math:: \frac{\pi}{N_1}\sum_{y=1}\log_2\!\left(1 + \frac{1-\pi}{\pi} e^{-s}\right)
              + \frac{1-\pi}{N_0}\sum_{y=0}\log_2\!\left(1 + \frac{\pi}{1-\pi} e^{s}\right)

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior" (freed of the prior they contain).
    log10_odds : array-like, optional
        Decimal logarithms of the prior odds; default, -2.5 to 2.5 in steps of 0.05.

    Returns
    -------
    CrossEntropyCurve
        In bits; at even odds `actual` is Cllr and `minimum` the minimum Cllr.

    References
    ----------
    .. [1] D. Ramos and J. Gonzalez-Rodriguez, "Reliable support: measuring calibration of
       likelihood ratios", Forensic Science International 230, 2013.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1], [0.0, 0.0], kind="llr")
    >>> empirical_cross_entropy(sc, [0.0]).actual
    array([1.])
    """
    require_both(scores, "empirical_cross_entropy")
    scores.require_scale("empirical_cross_entropy")
    x = as_grid(log10_odds, np.round(np.arange(-50, 51) * 0.05, 10), "log10_odds")
    if not x.size:
        raise DataError("`log10_odds` is empty.", hint="log10_odds=[0.0]")
    if (np.abs(x) > 300).any():
        raise DataError("`log10_odds` must lie within 300 of 0; larger odds are beyond floats.")
    log_odds = x * np.log(10)
    prior, other = both_shares(log_odds)
    sums = np.array([log_odds_sums(scores, z - scores.log_prior_odds()) for z in log_odds])
    first, second = (sums / scores.class_totals).T
    actual = other * first + prior * second
    neutral = other * softplus(log_odds) + prior * softplus(-log_odds)
    minimum = _recalibrated(scores, log_odds, prior, other)
    bits = np.log(2)
    return CrossEntropyCurve(x, actual / bits, minimum / bits, neutral / bits)


def _recalibrated(
    scores: RankedScores, log_odds: FloatArray, prior: FloatArray, other: FloatArray
) -> FloatArray:
    """Cross-entropy of isotonic LLRs at each prior, in nats."""
    first, second = (part / part.sum() for part in scores.blocks())
    llr = block_llrs(scores)
    found = []
    for z, p, q in zip(log_odds, prior, other, strict=True):
        with np.errstate(invalid="ignore"):
            of_first = np.where(first > 0, first * softplus(llr + z), 0.0).sum()
            of_second = np.where(second > 0, second * softplus(-llr - z), 0.0).sum()
        found.append(q * of_first + p * of_second)
    return np.array(found)
