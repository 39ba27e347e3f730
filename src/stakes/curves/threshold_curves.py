"""Curves over the threshold: ROC and its tangents, DET, precision against recall, net benefit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import of_kind
from stakes.application import Application, CostMatrix, as_application
from stakes.curves.bayes_error import (
    Tabular,
    as_grid,
    as_log_odds,
    posterior_thresholds,
)
from stakes.exceptions import CostError, DataError
from stakes.metrics import Metric, catalogue
from stakes.metrics.scores.operating_points import aligned, at_min_cost
from stakes.metrics.summary_input import of_scores
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores, require_both, require_scores
from stakes.typing import FloatArray, Priors


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


@of_scores
def roc(scores: RankedScores, *, hull: bool = False) -> RocCurve:
    r"""True positive rate against false positive rate, for every threshold that matters.

    Points inside a straight stretch, where only one class is met, are left out.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    hull : bool
        Only the vertices of the convex hull: the points that are best for some application.

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


@of_scores
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


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(Tabular):
    """Points of a precision-recall curve, from the highest threshold down."""

    threshold: FloatArray
    recall: FloatArray
    precision: FloatArray
    prior: float


@of_scores
def precision_recall(scores: RankedScores, *, priors: Priors | None = None) -> PrecisionRecallCurve:
    r"""Precision and recall at every threshold.

    .. math:: \mathrm{precision} = \frac{P_1 \mathrm{TPR}}{P_1 \mathrm{TPR} + P_0 \mathrm{FPR}}

    Parameters
    ----------
    scores : ScoreCounts
        Of any kind; only the order counts.
    priors : float or pair, optional
        Share of the second class, or of both, where the system will run; default, that of the data.
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
    share = scores._share_of_second(priors)
    cuts, below_first, below_second = (part[::-1] for part in scores.finest)
    recall = (below_second[0] - below_second) / below_second[0]
    right, wrong = share * recall, (1 - share) * (below_first[0] - below_first) / below_first[0]
    found = right + wrong > 0  # precision is undefined where no case is acted on
    precision = right[found] / (right[found] + wrong[found])
    return PrecisionRecallCurve(cuts[found], recall[found], precision, share)


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Tabular):
    """Net benefit of a system, of acting on all cases and of acting on none."""

    threshold: FloatArray
    net_benefit: FloatArray
    treat_all: FloatArray
    treat_none: FloatArray
    standardized: FloatArray
    score_threshold: FloatArray
    prior: float


@of_scores
def decision(
    scores: RankedScores, thresholds: Any = None, *, priors: Priors | None = None
) -> DecisionCurve:
    r"""Net benefit of acting above each threshold probability.

    The curve of clinical decision analysis: is the system worth using, compared with acting
    on all cases or on none? Higher is better.

    .. math:: P_1 \mathrm{TPR}(t) - P_0 \mathrm{FPR}(t) \frac{t}{1 - t}

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of kind "llr", "log_odds" or "posterior".
    thresholds : array-like, optional
        Threshold probabilities, between 0 and 1; default, 0.01 to 0.99. Restrict them to the
        plausible ones.
    priors : float or pair, optional
        Share of the second class, or of both, where the system will run; default, that of the data.

    Returns
    -------
    DecisionCurve
        Net benefits in true positives per case; `standardized` divides by the prior, so 1 is
        perfect.

    Notes
    -----
    Acting means posterior > threshold. A threshold t says that a false positive costs
    t / (1 - t) true positives; at each t the net benefit is P_1 minus the expected cost in
    these units, so both rank systems alike (`ferrer2025` section 3.3).

    References
    ----------
    .. [1] A. J. Vickers and E. B. Elkin, "Decision curve analysis", Medical Decision Making
       26(6), 2006.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], kind="posterior")
    >>> print(decision(sc, [0.2, 0.5]).frame())
    threshold  net_benefit  treat_all  treat_none  standardized  score_threshold
    0.2        0.4375       0.375      0           0.875         0.2
    0.5        0            0          0           0             0.5
    """
    require_both(scores, "decision")
    scores.require_scale("decision")
    t = as_grid(thresholds, np.round(np.arange(1, 100) * 0.01, 10), "thresholds")
    if (t < 0).any() or (t >= 1).any():
        raise DataError("`thresholds` are probabilities: at least 0 and below 1.")
    share = scores._share_of_second(priors)
    cuts = posterior_thresholds(scores, t, share)
    above = scores.counts_above_each(cuts) / scores.class_totals
    odds = t / (1 - t)
    benefit = share * above[:, 1] - (1 - share) * above[:, 0] * odds
    treat_all = share - (1 - share) * odds
    return DecisionCurve(t, benefit, treat_all, np.zeros_like(t), benefit / share, cuts, share)


@dataclass(frozen=True)
class BestThreshold:
    """The threshold that one metric likes best, and what that implies.

    `implied_cost` is the cost of a false negative, next to 1 for a false positive, for which
    this would be the Bayes threshold (`ferrer2025` eq 29).
    """

    metric: str
    threshold: float
    value: float
    implied_cost: float


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdSweep:
    """Values of several metrics at each threshold, with the share of cases acted on."""

    threshold: FloatArray
    acted_on: FloatArray
    values: Mapping[str, FloatArray]
    higher_is_better: Mapping[str, bool]
    log_odds: FloatArray

    def frame(self) -> Frame:
        """One row per threshold, one column per metric."""
        return Frame({"threshold": self.threshold, "acted_on": self.acted_on, **self.values})

    def best(self, metric: str) -> BestThreshold:
        """Where a metric is best; of equal thresholds, the lowest."""
        if metric not in self.values:
            raise DataError(f"no metric {metric!r} here; there are {', '.join(self.values)}.")
        column = self.values[metric]
        if np.isnan(column).all():
            return BestThreshold(metric, np.nan, np.nan, np.nan)
        k = int(np.nanargmax(column) if self.higher_is_better[metric] else np.nanargmin(column))
        with np.errstate(over="ignore"):
            implied = float(np.exp(-self.log_odds[k]))
        return BestThreshold(metric, float(self.threshold[k]), float(column[k]), implied)

    def __repr__(self) -> str:
        return f"ThresholdSweep({len(self.threshold)} thresholds: {', '.join(self.values)})"


@of_scores
def threshold_sweep(
    scores: RankedScores, thresholds: Any = None, *, metrics: Sequence[Any], application: Any = None
) -> ThresholdSweep:
    r"""Values of metrics at every threshold: what each of them would choose.

    Shows that the threshold which a metric likes depends on the data, where the Bayes
    threshold of a cost depends on the costs alone.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; the implied cost is `nan` for kind "rank".
    thresholds : array-like, optional
        In the units of the scores; default, every cut between distinct scores.
    metrics : sequence of str, Metric, Application or CostMatrix
        Names in `stakes.metrics.catalogue` (also "f_beta:beta=2"), entries of it, or
        applications, which stand for their normalised expected cost.
    application : Application or CostMatrix, optional
        For metrics that need costs.

    Returns
    -------
    ThresholdSweep
        `.best(name)` gives the best threshold of a metric and the costs that it implies.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, figures 1 and 2, eq 29.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [-3, -1, 0.5, 0, 2], kind="log_odds")
    >>> sweep = threshold_sweep(sc, metrics=["f1", "mcc"])
    >>> sweep.best("f1")
    BestThreshold(metric='f1', threshold=-0.5, value=0.8, implied_cost=1.6487212707001282)
    """
    require_scores(scores, "threshold_sweep")
    of_kind(metrics, "metrics", Iterable)
    if thresholds is None:
        cuts, counts = scores.finest[0], scores.finest_tables
    else:
        cuts = as_grid(thresholds, np.empty(0), "thresholds")
        counts = scores.counts_beside_each(cuts)
    values: dict[str, FloatArray] = {}
    directions: dict[str, bool] = {}
    for wanted in metrics:
        name, metric = _resolved(wanted, application, scores)
        values[name], directions[name] = metric.values(counts), metric.higher_is_better
    acted_on = counts[:, :, 1].sum(axis=1) / scores.total
    return ThresholdSweep(cuts, acted_on, values, directions, _log_odds(scores, cuts))


def _resolved(wanted: Any, application: Any, scores: RankedScores) -> tuple[str, Metric]:
    """A metric of the catalogue with its label."""
    if isinstance(wanted, CostMatrix):
        wanted = Application(wanted)
    if isinstance(wanted, Application):
        known = wanted if wanted.priors is not None else wanted.with_priors(scores.priors)
        standard = known.costs.standardized().values
        ratio = standard[1, 0] / standard[0, 1] if standard[0, 1] else np.inf
        metric = catalogue["normalized_expected_cost"].fixed(application=known)
        return f"NEC({ratio:g})", metric
    metric = (
        catalogue.find(wanted) if isinstance(wanted, str) else of_kind(wanted, "metrics", Metric)
    )
    if application is not None:
        metric = metric.with_application(application)
    return (wanted if isinstance(wanted, str) else metric.label), metric


def _log_odds(scores: RankedScores, cuts: FloatArray) -> FloatArray:
    """Thresholds as posterior log odds at the priors of the data."""
    if scores.kind == "rank":
        return np.full_like(cuts, np.nan)
    inside = np.clip(cuts, 0, 1) if scores.kind == "posterior" else cuts
    return np.asarray(as_log_odds(scores, inside) + scores.shift_to(float(scores.priors[1])))


@dataclass(frozen=True)
class Tangent:
    """The iso-cost line that touches a ROC curve: its best point, slope and intercept."""

    false_positive_rate: float
    true_positive_rate: float
    threshold: float
    slope: float
    intercept: float
    cost: float


@of_scores
def iso_cost_tangent(scores: RankedScores, application: Any) -> Tangent:
    r"""The best point of a ROC curve for one application, and the line that touches it there.

    All points of a line of this slope cost the same; of several systems the one whose
    tangent has the highest intercept is best, whatever the areas under the curves.

    .. math:: t = \frac{(U_{11} - U_{01})(1 - B)}{(U_{00} - U_{10}) B} f + \mathrm{const}

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    application : Application or CostMatrix
        Costs (or negative utilities) of two decisions, and priors.

    Returns
    -------
    Tangent
        Slope P_0 C_FP / (P_1 C_FN), intercept, the point touched and its cost.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold and P. G. L. Porta Mana, "Does the evaluation stand up
       to evaluation?", 2022, eqs 20-25 (where class 0 is the positive one).

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [1, 3, 2, 4], kind="rank")
    >>> iso_cost_tangent(sc, Application([[0, 1], [4, 0]], priors=[0.5, 0.5])).intercept
    0.875
    """
    require_scores(scores, "iso_cost_tangent")
    app = aligned(scores.classes, as_application(application))
    if app.costs.shape != (2, 2):
        raise CostError("an iso-cost line needs two decisions.")
    shares = app.resolved_priors(scores.priors)
    (a, b), (c, d) = app.costs.values.tolist()
    if not (b > a and c > d):
        raise CostError(
            "an iso-cost line needs errors that cost more than right decisions.",
            hint="check the orientation: rows are true classes, columns are decisions",
        )
    require_both(scores, "iso_cost_tangent")
    slope = float(shares[0] * (b - a) / (shares[1] * (c - d)))
    point = at_min_cost(scores, app)
    fpr, tpr = point.false_positive_rate, 1 - point.false_negative_rate
    return Tangent(fpr, tpr, point.threshold, slope, tpr - slope * fpr, point.cost(app))
