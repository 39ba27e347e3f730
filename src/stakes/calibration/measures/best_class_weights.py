"""The least cost over class weights, and the most that calibration could save at any costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_whole, frozen
from stakes._columns import in_brief, refuse_other_order
from stakes._guesses import AnswersGuesses
from stakes._kernels.bayes_rule import compared
from stakes._kernels.optimise.class_weight_descent import least_cost_weights
from stakes._kernels.roc_hull import cumulative
from stakes.application import Application
from stakes.application.application import as_application, as_cost_matrix
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.labelled_scores import read_cases
from stakes.calibration.measures.gain import calibration_gain
from stakes.calibration.score_input import read_log_scores
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import read_posteriors
from stakes.results import Frame
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray, RandomSource


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassWeights(AnswersGuesses):
    """Class weights of least cost on these cases; the cost is optimistic for others.

    What `best_class_weights` returns.

    Attributes
    ----------
    weights : ndarray
        One per class, with geometric mean 1; posteriors are multiplied by them before deciding.
    cost, actual : float
        Cost per case with these weights, and with all weights 1.
    sweeps : int
        Passes over the classes until nothing improved.
    calibrated : float or None
        Cost per case after cross-fitted calibration, if a calibrator was given.
    calibrator : str
        Which one.
    unit : str or None
        Unit of the costs.
    doubt : str
        Why nothing is known about calibration, if the weights of the cases are too small to learn
        from; empty otherwise.
    """

    weights: FloatArray
    cost: float
    actual: float
    sweeps: int
    calibrated: float | None = None
    calibrator: str = ""
    unit: str | None = None
    doubt: str = ""

    def decisions(self, posteriors: Any, costs: Any) -> Any:
        """Bayes decisions of the weighted posteriors."""
        costs = as_cost_matrix(costs)
        names = costs.classes
        return _decisions(read_posteriors(posteriors, names).values, self.weights, costs)

    def frame(self) -> Frame:
        """One row for each way to decide: as is, with these weights, and after calibration."""
        rows = [
            ("as is", self.actual, "none"),
            ("class weights of least cost", self.cost, "optimistic: fitted on the same cases"),
        ]
        if self.calibrated is not None:
            rows.append((f"{self.calibrator} calibration", self.calibrated, "cross-fitted"))
        rules, costs, fitting = zip(*rows, strict=True)
        return Frame({"rule": rules, "cost": costs, "fitting": fitting})

    @property
    def text(self) -> str:
        """The costs side by side, in a sentence or two for a report."""
        unit = f" {self.unit}" if self.unit else ""
        found = (
            f"Decisions cost {self.actual:.4g}{unit} per case as is, and {self.cost:.4g}{unit} "
            "with the class weights of least cost (optimistic: fitted on the same cases)"
        )
        if self.calibrated is None:
            return f"{found}. What calibration gives on new cases: calibrator=Affine()."
        if self.doubt:
            return f"{found}. What they cost after calibration is not known. {self.doubt}"
        return (
            f"{found}; after {self.calibrator} calibration (cross-fitted) "
            f"{self.calibrated:.4g}{unit}."
        )

    def __repr__(self) -> str:
        after = "" if self.calibrated is None else f", calibrated {self.calibrated:.4g}"
        return f"<ClassWeights: cost {self.actual:.4g} -> {self.cost:.4g} (optimistic){after}>"


def best_class_weights(
    y_true: Any,
    posteriors: Any,
    *,
    application: Application,
    sample_weight: Any = None,
    starts: int = 16,
    calibrator: Calibrator | None = None,
    folds: Any = 5,
    rng: RandomSource = 0,
    groups: Any = None,
) -> ClassWeights:
    r"""Least cost over class weights, one class at a time with an exact line search.

    For two classes it is the minimum cost over thresholds; for more it is what the minimum
    detection cost is to verification: a cost that a mere shift of log-posteriors could reach.
    Report it beside the cost after cross-fitted calibration, which `calibrator` adds. Lower is
    better.

    .. math:: \min_{w>0} \sum_n u_n\, c(y_n, d_n), \qquad
       d_n = \arg\min_j \sum_i c_{ij} w_i q_{ni}

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    posteriors : Posteriors or array-like of shape (n_cases, n_classes)
        Probabilities.
    application : Application
        Costs and priors. Its priors weight the cases; the posteriors are used as they are. A class
        with a prior must have a case.
    sample_weight : array-like of shape (n_cases,), optional
        Weights.
    starts : int
        Descents from drawn weights besides the one from weights 1, for three classes and more.
        0 is quicker, and stops at the first local minimum.
    calibrator : Calibrator, optional
        Such as `Affine()`: the result then holds the cost after calibrating the posteriors with
        it, cross-fitted, for the priors of the application. Default: none, which is quicker.
    folds, rng, groups
        Of the cross-fitting; see `cross_fit`.

    Returns
    -------
    ClassWeights
        The weights and the (optimistic) cost; `frame()` and `text` put the costs side by side.

    Notes
    -----
    Along one weight the decision of each case follows the lower envelope of its expected costs, so
    the cost is piecewise constant and its minimum exact. Over all weights together the problem is
    hard: the result is the best of the local minima from weights 1 and from drawn ones, never above
    the cost at weights 1. The draws are always the same; with more than 3000 probabilities they are
    tried on a sample, and the best of them on all cases. On 60 sets of 8 to 40 cases of three
    classes a grid of 161 by 161 weights was nowhere cheaper; it was on 17 with `starts=0`.

    References
    ----------
    .. [1] Lachiche, Flach, *Improving accuracy and cost of two-class and multi-class probabilistic
       classifiers using ROC curves*, ICML 2003.

    Examples
    --------
    >>> app = Application([[0, 1], [1, 0]])
    >>> found = best_class_weights([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], application=app)
    >>> found.actual, found.cost
    (0.5, 0.0)

    Beside the cost that calibration reaches on cases it has not seen:

    >>> from stakes.calibration import Affine
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 400)
    >>> p = 1 / (1 + np.exp(-2 * (rng.normal(size=400) + 2 * y - 1) - 2))
    >>> print(best_class_weights(y, p, application=app, calibrator=Affine()).frame())
    rule                         cost    fitting
    as is                        0.2075  none
    class weights of least cost  0.125   optimistic: fitted on the same cases
    affine calibration           0.125   cross-fitted
    """
    starts, application = as_whole(starts, "starts", least=0), as_application(application)
    refuse_other_order(y_true, {"posteriors": posteriors})
    read = read_posteriors(posteriors, application.classes, ClassOrder(labels=y_true))
    cases = read_cases(
        read,
        y_true,
        sample_weight=sample_weight,
        classes=application.classes,
        priors=application.priors,
    )
    if cases.given:
        cases.need_all_classes("add cases of that class, or leave out the priors")
    paid = application.costs.values[cases.codes] * cases.prior_shares()[:, None]
    plain = np.ones(read.values.shape[1])
    rule = compared(application.costs.values)
    found, sweeps = least_cost_weights(read.values, rule, paid, starts)
    found = found / np.exp(np.log(found).mean())
    rows = np.arange(len(paid))
    cost, actual = (
        float(paid[rows, _decisions(read.values, each, application.costs)].sum())
        for each in (found, plain)
    )
    if cost >= actual:
        found, cost = plain, actual
    plainly = ClassWeights(frozen(found), cost, actual, sweeps, unit=application.unit)
    if calibrator is None:
        return plainly
    held = {"folds": folds, "rng": rng, "groups": groups, "sample_weight": sample_weight}
    gain = calibration_gain(y_true, read, by=application, calibrator=calibrator, **held)
    return replace(plainly, calibrated=gain.after, calibrator=gain.calibrator, doubt=gain.doubt)


def _decisions(values: NDArray[Any], weights: FloatArray, costs: Any) -> Any:
    """Bayes decisions of weighted posteriors; of the posteriors themselves at weights 1."""
    names = getattr(costs, "classes", None)  # the columns are in this order already
    if (weights == 1.0).all():
        return bayes_decisions(values, costs, classes=names)
    moved = values * weights
    return bayes_decisions(moved / moved.sum(axis=1, keepdims=True), costs, classes=names)


@dataclass(frozen=True, slots=True, repr=False)
class WorstCaseGain(AnswersGuesses):
    """The most that calibration can save on these cases, and in which application.

    What `worst_case_gain` returns; optimistic for other cases.

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
        names = ("gain", "log_odds", "effective_prior", "fitting")
        return Frame({name: [getattr(self, name)] for name in names})

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

    0 means that no cost and no prior can profit from calibration. It is the largest gap between the
    two curves of a Bayes-error plot, also known as calibration decision loss.

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
        The two classes; high scores mean the second.
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
    is optimistic: even calibrated scores of a few cases seem to leave something to gain. For what
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
    if str(kind) not in ("log_odds", "llr"):  # an array would be compared cell by cell
        raise DataError(
            f"`kind` must be 'log_odds' or 'llr'; got {in_brief(kind)}.",
            hint="for probabilities:  worst_case_gain(y_true, Posteriors(p))",
        )
    cases = read_cases(read, y_true, sample_weight=sample_weight, classes=classes)
    odds = cases.scores.log_odds()
    if kind == "llr" and not cases.scores.is_column:
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
    missed, alarmed = below_second[best] / second, 1.0 - below_first[best] / first
    least = prior * missed + (1.0 - prior) * alarmed
    gain = np.full(len(llrs), -np.inf)
    for shift in (0, 1):  # the threshold just below and just above each score
        index = np.arange(len(llrs)) + shift
        actual = prior * misses[index] + (1.0 - prior) * alarms[index]
        gain = np.maximum(gain, actual - least)
    k = int(gain.argmax())
    if gain[k] <= 0.0:
        return WorstCaseGain(0.0, 0.0)
    return WorstCaseGain(float(gain[k]), float(-llrs[k]))
