"""The most that calibrating could take off any cost, read off the Bayes-error curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from stakes._kernels.scores.roc import cumulative
from stakes.calibration.labelled_scores import read_cases
from stakes.calibration.score_input import read_log_scores
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.summaries import ScoreCounts


@dataclass(frozen=True, slots=True, repr=False)
class WorstCaseGain:
    """The most that calibration can save on these cases, and for whom: optimistic for others.

    What `worst_case_gain` returns.

    Attributes
    ----------
    gain : float
        Largest difference between the actual and the least cost, per case, when the costs of a
        miss and of a false alarm are weighted to add to 1 with the prior.
    log_odds : float
        Prior log odds (with costs folded in) of the application where it happens; infinite where
        the gain is only approached, as the effective prior goes to 0 or 1; 0 without a gain.
    fitting : str
        How the map was fitted that the scores are compared with.
    """

    gain: float
    log_odds: float
    fitting: str = "optimistic: fitted on the same cases"

    @property
    def effective_prior(self) -> float:
        """Effective prior of the second class of that application."""
        from scipy.special import expit

        return float(expit(self.log_odds))

    @property
    def text(self) -> str:
        """One sentence for a report."""
        if self.gain <= 1e-12:  # rounding
            return (
                "No cost and no prior could profit from calibrating on these cases "
                f"({self.fitting})."
            )
        near = "" if np.isfinite(self.log_odds) else " close to"
        return (
            f"Calibrating would save at most {self.gain:.4g} per case, where the effective prior "
            f"of the second class is{near} {self.effective_prior:.4g} ({self.fitting})."
        )

    def frame(self) -> Frame:
        """One row."""
        return Frame(
            {
                "gain": [self.gain],
                "log_odds": [self.log_odds],
                "effective_prior": [self.effective_prior],
                "fitting": [self.fitting],
            }
        )

    def __repr__(self) -> str:
        return (
            f"<WorstCaseGain {self.gain:.4g} at effective prior {self.effective_prior:.4g} "
            "(optimistic)>"
        )


def worst_case_gain(
    y_true: Any,
    scores: Any = None,
    *,
    kind: Literal["log_odds", "llr"] | None = None,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
) -> WorstCaseGain:
    r"""The most that recalibrating could save over all binary applications.

    0 means that no cost and no prior can profit from calibration; the highest gap between the two
    curves of a Bayes-error plot. Also known as calibration decision loss.

    .. math:: \max_{\tilde\pi}\ \mathrm{DCF}_u(\tilde\pi) - \mathrm{DCF}_u^{\min}(\tilde\pi)

    Parameters
    ----------
    y_true : array-like of shape (n_cases,), or ScoreCounts
        True classes. With `ScoreCounts`, of kind "llr", "log_odds" or "posterior", all else is
        left out. Log odds and posteriors are turned into LLRs by the prior they were made for,
        which is that of the data unless the summary says another.
    scores : array-like of shape (n_cases,) or (n_cases, 2), optional
        Log odds or log-likelihood ratios of the second class; log-posteriors or `Posteriors` of
        both.
    kind : {"log_odds", "llr"}, optional
        What a column of scores means; log odds if left out.
    classes : sequence of names, optional
        The two classes, the one that high scores speak for second.
    sample_weight : array-like of shape (n_cases,), optional
        Weights of the cases.

    Returns
    -------
    WorstCaseGain
        The gain, from 0 to 1, and where it happens.

    Notes
    -----
    Exact. Between two neighbouring scores the actual cost is linear in the effective prior and the
    least cost is concave, so the maximum lies at a score. At an infinite score it is the limit as
    the effective prior goes to 0 (or 1): the share of the first (second) class that is called
    impossible. The least cost is that of the best increasing map on these very cases, so the gain
    is optimistic: also calibrated scores, of a few cases, seem to leave something to gain. For what
    calibration is worth on new cases see `calibration_gain`.

    References
    ----------
    .. [1] Hu, Wu, *Calibration error for decision making*, arXiv:2404.13503, 2024.

    Examples
    --------
    >>> y_true, says = [0, 0, 0, 1, 0, 1, 1, 1], [-1.0986] * 4 + [1.0986] * 4  # log 1/3, log 3
    >>> round(worst_case_gain(y_true, says, kind="llr").gain, 3)
    0.0
    >>> round(worst_case_gain(ScoreCounts.from_scores(y_true, says, kind="llr")).gain, 3)
    0.0
    >>> worst_case_gain([0, 1, 0, 1], [-np.inf, -np.inf, np.inf, np.inf]).gain
    0.5
    """
    if isinstance(y_true, ScoreCounts):
        if any(each is not None for each in (scores, kind, classes, sample_weight)):
            raise DataError(
                "with ScoreCounts, leave the other arguments out: they know what their scores are.",
                hint="worst_case_gain(score_counts)",
            )
        return _worst_case(y_true)
    if scores is None:
        raise DataError("`scores` is missing.", hint="worst_case_gain(y_true, scores)")
    read = read_log_scores(
        scores,
        sample_weight=sample_weight,
        any_scale=kind is not None,
        instead="log odds all the same: kind='log_odds'",
    )
    kind = "log_odds" if kind is None else kind
    if kind not in ("log_odds", "llr"):
        raise DataError(
            f"`kind` must be 'log_odds' or 'llr'; got {kind!r}.",
            hint="for probabilities:  worst_case_gain(y_true, Posteriors(p))",
        )
    cases = read_cases(read, y_true, sample_weight=sample_weight, classes=classes)
    odds = cases.scores.log_odds()
    if kind == "llr" and cases.scores.table is not None:
        raise DataError("`kind` 'llr' needs one score per case; got a column for each class.")
    return _worst_case(
        ScoreCounts.from_scores(
            cases.codes, odds, kind=kind, classes=[0, 1], sample_weight=cases.sample_weight
        )
    )


def _worst_case(scores: ScoreCounts) -> WorstCaseGain:
    """The largest gain over all thresholds."""
    from scipy.special import expit

    scores.require_scale("worst_case_gain")
    scores.require_both("worst_case_gain")
    places, negatives, positives = scores.levels
    first, second = scores.class_totals
    llrs = np.asarray(places, dtype=np.float64)
    if scores.kind == "posterior":
        with np.errstate(divide="ignore"):
            llrs = np.log(llrs) - np.log1p(-llrs)
    llrs = llrs - scores.log_prior_odds()
    prior = expit(-llrs)  # 0 or 1 at an infinite score: the limit
    misses, alarms = cumulative(positives) / second, 1.0 - cumulative(negatives) / first
    lower, upper = scores.blocks()
    with np.errstate(divide="ignore"):
        steps = np.log(upper / second) - np.log(lower / first)
    best = scores.hull[np.searchsorted(steps, llrs)]
    below_first, below_second = scores.cumulated
    least = prior * (below_second[best] / second) + (1.0 - prior) * (
        1.0 - below_first[best] / first
    )
    gain = np.full(len(llrs), -np.inf)
    for shift in (0, 1):  # the threshold just below and just above each score
        index = np.arange(len(llrs)) + shift
        actual = prior * misses[index] + (1.0 - prior) * alarms[index]
        gain = np.maximum(gain, actual - least)
    k = int(gain.argmax())
    if gain[k] <= 0.0:
        return WorstCaseGain(0.0, 0.0)
    return WorstCaseGain(float(gain[k]), float(-llrs[k]))
