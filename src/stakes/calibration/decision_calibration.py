"""Do decisions cost what the posteriors promise? And what is the most that could be gained?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from stakes._checks import frozen
from stakes._kernels.roc_hull import cumulative
from stakes.application import Application, CostMatrix
from stakes.calibration.cases import read_cases, read_log_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.posteriors import Posteriors
from stakes.results import Frame
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray, Name

__all__ = ["DecisionCalibration", "WorstCaseGain", "decision_calibration", "worst_case_gain"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionCalibration:
    """Per decision: cases, promised cost, actual cost, and their difference.

    What `decision_calibration` returns.

    Attributes
    ----------
    decisions : tuple of names
        The decisions, in the order of the cost matrix.
    cases : ndarray
        (Weighted) number of cases that got each decision.
    promised, actual : ndarray
        Mean expected cost by the posteriors, and mean cost; nan for a decision never taken.
    standard_error : ndarray
        Of the difference; with two cases more that cost the least and the most a decision can,
        so that errors not yet seen are not taken for impossible.
    """

    decisions: tuple[Name, ...]
    cases: FloatArray
    promised: FloatArray
    actual: FloatArray
    standard_error: FloatArray

    @property
    def difference(self) -> FloatArray:
        """`promised` - `actual`; negative where the posteriors are too hopeful."""
        return self.promised - self.actual

    @property
    def total(self) -> float:
        """Promised minus actual cost per case, over all decisions."""
        taken = self.cases > 0
        return float(self.cases[taken] @ self.difference[taken] / self.cases.sum())

    def frame(self) -> Frame:
        """One row per decision."""
        return Frame(
            {
                "decision": list(self.decisions),
                "cases": self.cases,
                "promised": self.promised,
                "actual": self.actual,
                "difference": self.difference,
                "standard_error": self.standard_error,
            }
        )

    def __repr__(self) -> str:
        return f"<DecisionCalibration: promised minus actual {self.total:.4g} per case>"


def decision_calibration(
    y_true: Any, posteriors: Any, *, costs: Any, sample_weight: Any = None
) -> DecisionCalibration:
    r"""Compare, decision by decision, the cost the posteriors promise with the cost that came.

    A classifier whose differences are all 0 can be trusted for these costs, even if it is not
    calibrated in every other sense. Look at it before believing an expected cost.

    .. math:: \mathrm{E}[c(q, d)\,|\,d] - \mathrm{E}[c(Y, d)\,|\,d]

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities; decisions are the Bayes decisions.
    costs : CostMatrix, Application or array-like
        Costs of each decision. Priors of an application are not used: promises and costs are both
        taken over these cases.
    sample_weight : array-like of shape (n_cases,), optional
        Weights.

    Returns
    -------
    DecisionCalibration
        One row per decision, in the units of the costs.

    References
    ----------
    .. [1] Zhao, Kim, Sahoo, Ma, Ermon, *Calibrating predictions to decisions*, NeurIPS 2021.

    Examples
    --------
    >>> result = decision_calibration([0, 1, 1, 1], [0.5, 0.5, 0.75, 0.75], costs=[[0, 1], [1, 0]])
    >>> result.promised.tolist(), result.actual.tolist()
    ([0.5, 0.25], [0.5, 0.0])
    """
    matrix = _matrix(costs)
    read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
    cases = read_cases(read, y_true, sample_weight=sample_weight, classes=matrix.classes)
    taken, promised = bayes_decisions(read.values, matrix, with_cost=True)
    actual = matrix.values[cases.codes, taken]
    size, weights = len(matrix.decisions), cases.weights
    mass = np.bincount(taken, weights=weights, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        said = np.bincount(taken, weights=weights * promised, minlength=size) / mass
        came = np.bincount(taken, weights=weights * actual, minlength=size) / mass
        parts = weights * (promised - actual - (said - came)[taken])
        seen = np.bincount(taken, weights=parts**2, minlength=size) / mass**2
        number = mass**2 / np.bincount(taken, weights=weights**2, minlength=size)
        ends = (came - matrix.values.min(axis=0)) ** 2 + (matrix.values.max(axis=0) - came) ** 2
        error = np.sqrt(number**2 * seen + ends) / (number + 2.0)  # with two cases more
    return DecisionCalibration(
        matrix.decisions, *(frozen(part) for part in (mass, said, came, error))
    )


def _matrix(costs: Any) -> CostMatrix:
    """The cost matrix inside whatever was given."""
    if isinstance(costs, Application):
        return costs.costs
    return costs if isinstance(costs, CostMatrix) else CostMatrix(costs)


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
