"""Cllr: one number for scores that are meant to be log-likelihood ratios."""

from __future__ import annotations

import math

import numpy as np

from stakes._kernels.scores_entropy import softplus_sum
from stakes.exceptions import UndefinedError
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.summaries.score_counts import ScoreCounts

__all__ = ["cllr", "log_odds_sums", "min_cllr"]


def cllr(scores: RankedScores) -> float:
    r"""Cost of log-likelihood ratios in bits: cross-entropy at equal priors.

    Judges LLRs for all applications at once, calibration included; lower is better. 0 is
    perfect, 1 is what LLRs of 0 (no information) get, infinite after one certain mistake.

    .. math:: \frac12 \left[ \frac1{N_1} \sum_{y=1} \log_2(1 + e^{-s})
              + \frac1{N_0} \sum_{y=0} \log_2(1 + e^{s}) \right]

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr"; log odds and posteriors are turned into LLRs by taking out the prior
        that they contain (that of the data unless the summary says another).

    Returns
    -------
    float
        In bits.

    Notes
    -----
    Equals the integral of the unnormalised actual cost over the prior log odds, divided
    by 2 ln 2.

    References
    ----------
    .. [1] N. Brummer and J. du Preez, "Application-independent evaluation of speaker
       detection", Computer Speech and Language 20, 2006.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> cllr(ScoreCounts.from_scores([0, 1], [0.0, 0.0], kind="llr"))
    1.0
    """
    require_both(scores, "cllr")
    scores.require_scale("cllr")
    sums = log_odds_sums(scores, -scores.log_prior_odds())
    first, second = np.array(sums) / scores.class_totals
    return float((first + second) / (2 * math.log(2)))


def log_odds_sums(scores: RankedScores, shift: float) -> tuple[float, float]:
    """Log losses (natural) of each class when `shift` is added to the log odds of the scores."""
    if not isinstance(scores, ScoreCounts):
        raise UndefinedError(
            "this needs every score, and bins have merged some of them.",
            hint="keep ScoreCounts",
        )
    first, second = _as_log_odds(scores.negatives, scores), _as_log_odds(scores.positives, scores)
    return (
        softplus_sum(first, 1.0, shift, scores.negative_counts),
        softplus_sum(second, -1.0, -shift, scores.positive_counts),
    )


def _as_log_odds(values: np.ndarray, scores: RankedScores) -> np.ndarray:
    """Scores as log odds (of LLRs: as they are)."""
    if scores.kind != "posterior":
        return values
    wide = values.astype(np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(wide) - np.log1p(-wide))


def min_cllr(scores: RankedScores) -> float:
    r"""Cllr after the best monotone recalibration, by isotonic regression; in bits.

    What the order of the scores is worth for all applications at once; lower is better.
    The difference to `cllr` is what calibration could save at most.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.

    Returns
    -------
    float
        Between 0 and 1 bit.

    Notes
    -----
    Isotonic regression is fitted on the data that judge it, so this is optimistic.

    References
    ----------
    .. [1] N. Brummer and J. du Preez, "Application-independent evaluation of speaker
       detection", Computer Speech and Language 20, 2006.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], kind="rank")
    >>> round(min_cllr(sc), 4)
    0.3333
    """
    require_both(scores, "min_cllr")
    first, second = (part / part.sum() for part in scores.blocks())
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.where(first > 0, first * np.log2((first + second) / first), 0.0)
        losses += np.where(second > 0, second * np.log2((first + second) / second), 0.0)
    return float(losses.sum() / 2)
