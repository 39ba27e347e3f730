"""Proper scores: cross-entropy, Brier, Cllr, costs averaged over applications, and their split."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from stakes._checks import as_number, of_kind
from stakes._columns import in_brief
from stakes._guesses import AnswersGuesses
from stakes._kernels.roc_hull import softplus_sum
from stakes._names import place_of
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics.summary_input import of_scores
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.summaries.score_counts import ScoreCounts
from stakes.typing import FloatArray, Priors

#: Losses of the first and of the second class as functions of the posterior log odds.
Losses = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


class _BetaWeight(NamedTuple):
    """The fields of a Beta weight."""

    alpha: float
    beta: float
    low: float
    high: float


class BetaWeight(_BetaWeight):
    """How much each application counts: a Beta density over posterior thresholds.

    A threshold c belongs to the costs c for a false positive and 1 - c for a false
    negative, so c is small when misses are costly.

    Parameters
    ----------
    alpha, beta : float
        Parameters of the Beta density; (1, 1) is uniform.
    low, high : float
        Only thresholds in this range count: the density is cut off and rescaled.

    Examples
    --------
    >>> BetaWeight.from_cost_ratios(2, 20)
    BetaWeight(alpha=1.0, beta=1.0, low=0.047619047619047616, high=0.3333333333333333)
    """

    __slots__ = ()

    def __new__(
        cls, alpha: float = 1.0, beta: float = 1.0, low: float = 0.0, high: float = 1.0
    ) -> Self:
        """The weight; raise if the range holds no threshold."""
        alpha, beta = as_number(alpha, "alpha"), as_number(beta, "beta")
        low, high = as_number(low, "low"), as_number(high, "high")
        shape, ends = np.array([alpha, beta]), (low, high)
        if not ((shape > 0) & (shape < np.inf)).all() or not 0 <= ends[0] < ends[1] <= 1:
            raise DataError(
                "a Beta weight needs finite alpha, beta > 0 and 0 <= low < high <= 1; "
                f"got {alpha!r}, {beta!r}, {low!r} and {high!r}."
            )
        return super().__new__(cls, alpha, beta, low, high)

    @classmethod
    def from_cost_ratios(
        cls, least: float, most: float, *, alpha: float = 1.0, beta: float = 1.0
    ) -> BetaWeight:
        """Thresholds for which a miss costs as much as `least` to `most` false alarms."""
        least, most = as_number(least, "least"), as_number(most, "most")
        if not 0 < least < most:
            raise DataError(f"ratios must satisfy 0 < least < most; got {least!r}, {most!r}.")
        return cls(alpha, beta, 1 / (1 + most), 1 / (1 + least))

    def losses(self, log_odds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Average cost of a case of the first and of the second class."""
        from scipy.special import betainc, expit

        alpha, beta, low, high = self
        at = np.clip(expit(log_odds), low, high)
        mass = betainc(alpha, beta, high) - betainc(alpha, beta, low)
        raised = betainc(alpha + 1, beta, at) - betainc(alpha + 1, beta, low)
        missed = betainc(alpha, beta + 1, high) - betainc(alpha, beta + 1, at)
        total = (alpha + beta) * mass
        return np.asarray(alpha * raised / total), np.asarray(beta * missed / total)


def _mean_loss(
    losses: Losses, log_odds: FloatArray, first: FloatArray, second: FloatArray
) -> float:
    """Losses weighted by the mass of each class; no mass, no loss, even if infinite."""
    of_first, of_second = losses(log_odds)
    with np.errstate(invalid="ignore"):
        missed = np.where(second > 0, second * of_second, 0)
        return float((np.where(first > 0, first * of_first, 0) + missed).sum())


def _losses_of(rule: Any) -> Losses:
    """Losses of both classes as functions of the posterior log odds."""
    if isinstance(rule, BetaWeight):
        return rule.losses
    if place_of(rule, ("log", "brier")) is None:
        got = in_brief(rule)
        raise DataError(f"`rule` must be 'log', 'brier' or a BetaWeight; got {got}.")

    def losses(log_odds: FloatArray) -> tuple[FloatArray, FloatArray]:
        from scipy.special import expit

        if rule == "log":
            return np.logaddexp(0, log_odds), np.logaddexp(0, -log_odds)
        return expit(log_odds) ** 2, expit(-log_odds) ** 2

    return losses


def _shares_of(scores: RankedScores, priors: Priors | None, what: str) -> FloatArray:
    """The priors of both classes: given, or those of the data."""
    require_both(scores, what)
    if priors is None:
        return scores.priors
    share = scores._share_of_second(priors)
    return np.array([1 - share, share])


@of_scores
def binary_cross_entropy(scores: RankedScores, *, priors: Priors | None = None) -> float:
    r"""Mean log loss of the posteriors of two classes, in nats.

    Judges posteriors for all applications at once; lower is better.

    .. math:: -\sum_i P_i \frac1{N_i} \sum_{y=i} \log q_i

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior".
    priors : float or pair, optional
        Share of the second class, or of both, where the system will run; default, that of the data.
        LLRs, and scores that say which shares they were made for, are moved to them.

    Returns
    -------
    float
        In nats (natural logarithm); infinite after one certain mistake.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1], [0.2, 0.8], kind="posterior")
    >>> round(binary_cross_entropy(sc), 4)
    0.2231
    """
    shares = _shares_of(scores, priors, "binary_cross_entropy")
    sums = log_odds_sums(scores, scores.shift_to(shares[1]))
    return float(np.sum(shares * np.array(sums) / scores.class_totals))


@of_scores
def binary_brier_score(scores: RankedScores, *, priors: Priors | None = None) -> float:
    r"""Mean squared error of the posterior of the second class.

    A bounded proper score; lower is better, 0 is perfect.

    .. math:: \sum_i P_i \frac1{N_i} \sum_{y=i} (1 - q_i)^2

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior".
    priors : float or pair, optional
        As in `binary_cross_entropy`.

    Returns
    -------
    float
        Between 0 and 1: twice the cost averaged uniformly over all thresholds.

    References
    ----------
    .. [1] A. Buja, W. Stuetzle and Y. Shen, "Loss functions for binary class probability
       estimation and classification", 2005, section 3.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1], [0.2, 0.7], kind="posterior")
    >>> round(binary_brier_score(sc), 4)
    0.065
    """
    return score_decomposition(scores, "brier", priors=priors).total


@of_scores
def cost_over_applications(
    scores: RankedScores,
    weight: BetaWeight | None = None,
    *,
    priors: Priors | None = None,
    minimum: bool = False,
    normalized: bool = False,
) -> float:
    r"""Cost of Bayes decisions averaged over a range of applications: a proper score.

    For costs that are known only as a range: it concentrates a proper score on the cost
    ratios that matter. Lower is better.

    .. math:: \int \left[ c\, P_0\, \mathrm{FPR}(c) + (1-c)\, P_1\, \mathrm{FNR}(c) \right] w(c)\,dc

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior" (of any kind for the minimum).
    weight : BetaWeight, optional
        How much each threshold c counts; default, all alike.
    priors : float or pair, optional
        As in `binary_cross_entropy`.
    minimum : bool
        With the best threshold for each application instead of the Bayes threshold.
    normalized : bool
        Divide by the same average for the best naive decisions.

    Returns
    -------
    float
        In units in which a false positive and a false negative cost 1 together.

    Notes
    -----
    With a uniform weight this is half the Brier score; with Beta(a, a), as a tends to 0,
    it is the cross-entropy divided by the Beta function B(a, a).

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.5.
    .. [2] A. Buja, W. Stuetzle and Y. Shen, "Loss functions for binary class probability
       estimation and classification", 2005.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1], [0.2, 0.7], kind="posterior")
    >>> round(cost_over_applications(sc), 5)
    0.0325
    >>> round(cost_over_applications(sc, BetaWeight.from_cost_ratios(2, 20)), 5)
    0.03302
    """
    if weight is not None:
        of_kind(weight, "weight", BetaWeight)
    split = score_decomposition(scores, weight or BetaWeight(), priors=priors, scale=not minimum)
    value = split.refinement if minimum else split.total
    return value / split.uncertainty if normalized else value


@dataclass(frozen=True)
class ScoreDecomposition(AnswersGuesses):
    """A proper score in parts: total = miscalibration - discrimination + uncertainty.

    Parameters
    ----------
    total : float
        The score itself.
    miscalibration : float
        What isotonic recalibration would save; 0 is calibrated.
    discrimination : float
        What the recalibrated scores save next to the prior alone; larger is better.
    uncertainty : float
        The score of the prior alone.

    Examples
    --------
    >>> split = ScoreDecomposition(total=0.2, miscalibration=0.05, discrimination=0.1,
    ...                            uncertainty=0.25)
    >>> round(split.refinement, 3)
    0.15
    """

    total: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def refinement(self) -> float:
        """The score after isotonic recalibration."""
        return self.uncertainty - self.discrimination

    def frame(self) -> Frame:
        """One row: the four parts."""
        return Frame({name: [value] for name, value in asdict(self).items()})


@of_scores
def score_decomposition(
    scores: RankedScores,
    rule: Literal["log", "brier"] | BetaWeight = "log",
    *,
    priors: Priors | None = None,
    scale: bool = True,
) -> ScoreDecomposition:
    """Split a proper score into calibration and refinement by isotonic regression.

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior".
    rule : {"log", "brier"} or BetaWeight
        The proper score: log loss in nats, squared error, or a weighted cost.
    priors : float or pair, optional
        As in `binary_cross_entropy`.
    scale : bool
        If false, only the order of the scores is used; total and miscalibration are `nan`.

    Returns
    -------
    ScoreDecomposition
        All four parts are at least 0 (up to rounding), in the units of the score.

    Notes
    -----
    Isotonic regression is optimal for all proper scores at once, and is fitted on the data
    that judge it: miscalibration is an upper bound on small data.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting and A. Jordan, "Stable reliability diagrams for
       probabilistic classifiers", PNAS 118(8), 2021.
    .. [2] N. Brummer and J. du Preez, "The PAV algorithm optimizes binary proper scoring
       rules", arXiv:1304.2331.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.9], kind="posterior")
    >>> print(score_decomposition(sc, "brier").frame())
    total  miscalibration  discrimination  uncertainty
    0.205  0.08            0.125           0.25
    """
    shares = _shares_of(scores, priors, "score_decomposition")
    losses = _losses_of(rule)
    first, second = (
        share * part / part.sum() for share, part in zip(shares, scores.blocks(), strict=True)
    )
    with np.errstate(divide="ignore"):
        pooled = np.log(second) - np.log(first)
        alone = np.log(shares[1:]) - np.log(shares[:1])
    refined = _mean_loss(losses, pooled, first, second)
    uncertainty = _mean_loss(losses, alone, shares[:1], shares[1:])
    total = np.nan
    if scale and rule == "log":
        total = binary_cross_entropy(scores, priors=priors)
    elif scale:
        total = _total(scores, shares, losses)
    return ScoreDecomposition(total, total - refined, uncertainty - refined, uncertainty)


def _total(scores: RankedScores, shares: FloatArray, losses: Losses) -> float:
    """The score of the posteriors that the scores stand for."""
    from scipy.special import logit

    scores.require_scale("score_decomposition")
    values, negatives, positives = scores.levels
    log_odds = values.astype(np.float64)
    if scores.kind == "posterior":
        log_odds = logit(log_odds)
    per_case = shares / scores.class_totals
    log_odds = log_odds + scores.shift_to(shares[1])
    return _mean_loss(losses, log_odds, per_case[0] * negatives, per_case[1] * positives)


@of_scores
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
            "this needs every score, and bins have merged some of them.", hint="keep ScoreCounts"
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


@of_scores
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
