"""Operating points: thresholds on scores, by cost or by error rate, and what each decides."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from stakes._checks import as_number
from stakes._guesses import answers_guesses
from stakes._kernels.bayes_rule import cuts, moved_shares, pieces, shares, thresholds
from stakes._kernels.label_runs import stretch_sums
from stakes._kernels.roc_hull import rates_meet
from stakes._names import listed
from stakes.application import Application, as_application
from stakes.exceptions import DataError, UndefinedError
from stakes.metrics.costs.expected_cost import expected_cost, normalized_expected_cost
from stakes.metrics.summary_input import of_scores
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores, require_both, require_scores
from stakes.typing import FloatArray, Name

EerMethod = Literal["closest", "interpolated", "hull"]


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint:
    """Thresholds, the decision on each side of them, and what came of it.

    Parameters
    ----------
    thresholds : tuple of float
        Ascending, in the units of the scores; a case belongs to the stretch below a
        threshold when its score is not above it.
    stretches : tuple of names
        The decision in each stretch of scores, from low to high: one more than thresholds.
    confusion : ConfusionMatrix
        What was decided for the cases of each class.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-2.0, 0.5, 0.1, 3.0], kind="llr")
    >>> point = at_threshold(sc, 0.3)
    >>> point
    OperatingPoint(1 if score > 0.3; false positives 0.5, false negatives 0.5)
    >>> point.confusion.counts
    array([[1., 1.],
           [1., 1.]])
    """

    thresholds: tuple[float, ...]
    stretches: tuple[Name, ...]
    confusion: ConfusionMatrix

    @property
    def threshold(self) -> float:
        """The one threshold: -inf or inf when the same decision is always taken.

        When errors cost more than right decisions, the second decision is taken above it;
        `stretches` says which in every case.
        """
        if len(self.thresholds) == 1:
            return self.thresholds[0]
        if not self.thresholds and len(self.confusion.decisions) == 2:
            return -np.inf if self.stretches[0] == self.confusion.decisions[1] else np.inf
        raise UndefinedError(f"there are {len(self.thresholds)} thresholds: see `.thresholds`.")

    @property
    def false_positive_rate(self) -> float:
        """Share of the first class for which the second decision was taken."""
        return float(self.confusion.rates[0, 1])

    @property
    def false_negative_rate(self) -> float:
        """Share of the second class for which the first decision was taken."""
        return float(self.confusion.rates[1, 0])

    @answers_guesses
    def cost(self, application: Any, *, normalized: bool = False) -> float:
        """Expected cost of these decisions; see `expected_cost` and its normalised form.

        Examples
        --------
        >>> from stakes import Application, ScoreCounts
        >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-2.0, 0.5, 0.1, 3.0], kind="llr")
        >>> at_threshold(sc, 0.3).cost(Application([[0, 1], [10, 0]]))
        2.75
        """
        app = aligned(self.confusion.classes, as_application(application))
        matrix = ConfusionMatrix(self.confusion.counts, app.classes, app.decisions)
        measure = normalized_expected_cost if normalized else expected_cost
        return measure(matrix, application=app)

    def __repr__(self) -> str:
        first, *rest = self.stretches
        rule = [
            f"{name!r} if score > {t:.6g}" for name, t in zip(rest, self.thresholds, strict=True)
        ]
        shown = "; ".join(rule) if rule else f"always {first!r}"
        if len(self.confusion.decisions) != 2:
            return f"OperatingPoint({shown})"
        return (
            f"OperatingPoint({shown}; false positives {self.false_positive_rate:.4g}, "
            f"false negatives {self.false_negative_rate:.4g})"
        )


@of_scores
def at_threshold(scores: RankedScores, threshold: float) -> OperatingPoint:
    """Act when the score is above a threshold.

    For a threshold that was fixed elsewhere, e.g. on development data.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        The summary of the scores.
    threshold : float
        In the units of the scores; -inf acts on every case, also on a score of -inf.

    Returns
    -------
    OperatingPoint
        With the two classes as decisions.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 28-29.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1, 1], [0.0, 0.0, 2.0], kind="llr")
    >>> at_threshold(sc, 0.0)
    OperatingPoint(1 if score > 0; false positives 0, false negatives 0.5)
    """
    require_scores(scores, "at_threshold")
    value = as_number(threshold, "threshold")
    counts = scores.counts_between([(value, value == -np.inf)]).T
    return OperatingPoint((value,), scores.classes, ConfusionMatrix(counts, scores.classes))


@of_scores
def at_bayes_threshold(scores: RankedScores, application: Any) -> OperatingPoint:
    """Decide as the Bayes rule does when the scores are taken at their word.

    Any two-class costs: two decisions give one threshold, abstention gives two.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of kind "llr", "log_odds" or "posterior".
    application : Application or CostMatrix
        Costs and priors; without priors, those of the data. LLRs are combined with these
        priors. Log odds and posteriors are used as they are, unless the summary says which
        shares they were made for (`from_priors`): then they are moved to the priors of the
        application.

    Returns
    -------
    OperatingPoint
        Thresholds in the units of the scores; equal costs go to the earlier decision.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 7, 28-29, 31.

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.05, 0.3, 0.2, 0.9], kind="posterior")
    >>> at_bayes_threshold(sc, Application([[0, 1], [3, 0]]))
    OperatingPoint(1 if score > 0.25; false positives 0.5, false negatives 0.5)
    """
    require_scores(scores, "at_bayes_threshold")
    scores.require_scale("at_bayes_threshold")
    app = aligned(scores.classes, as_application(application))
    factors = None
    if scores.kind == "llr":
        factors = shares(app.resolved_priors(scores.priors))
    elif scores.from_priors is not None:
        factors = moved_shares(app.resolved_priors(scores.priors), scores.from_priors)
    found = pieces(app.costs.values, factors)
    if scores.kind == "posterior":
        at = cuts(found, scores._type_for(np.array(thresholds(found))))
        above = [(cut, False) for cut in at]
    else:
        at = [_log_odds(piece.start) for piece in found[1:]]
        above = [(cut, piece.included) for cut, piece in zip(at, found[1:], strict=True)]
    return _point(app, [piece.decision for piece in found], at, scores.counts_between(above))


def _log_odds(start: Fraction) -> float:
    """A cut on the posterior as one on its log odds."""
    if start == 1:
        return float(np.inf)
    odds = start / (1 - start)
    return float(np.log(float(odds))) if odds > 0 else -np.inf


@of_scores
def at_min_cost(scores: RankedScores, application: Any) -> OperatingPoint:
    """The thresholds of least cost on these very data.

    What could be reached with perfect calibration; optimistic, since the thresholds are
    chosen on the data that judge them. Any two-class costs, so also two thresholds.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    application : Application or CostMatrix
        Costs and priors; without priors, those of the data.

    Returns
    -------
    OperatingPoint
        Always taking one decision is among the candidates, so it never costs more than
        the best naive decision. Thresholds lie halfway between neighbouring scores.

    Notes
    -----
    The blocks of isotonic regression are decided one by one, which is optimal for every
    cost matrix at once [1]_.

    References
    ----------
    .. [1] N. Brummer and J. du Preez, "The PAV algorithm optimizes binary proper scoring
       rules", arXiv:1304.2331.

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.05, 0.3, 0.2, 0.9], kind="rank")
    >>> at_min_cost(sc, Application([[0, 1], [3, 0]]))
    OperatingPoint(1 if score > 0.125; false positives 0.5, false negatives 0)
    """
    require_scores(scores, "at_min_cost")
    app = aligned(scores.classes, as_application(application))
    shares, totals = app.resolved_priors(scores.priors), scores.class_totals
    per_case = np.divide(shares, totals, out=np.zeros(2), where=totals > 0)
    blocks = np.stack(scores.blocks(), axis=1) * per_case
    chosen = np.argmin(blocks @ app.costs.values, axis=1)
    turns = np.flatnonzero(np.diff(chosen)) + 1
    vertices = scores.hull[turns]
    cuts = scores.cuts_at(vertices).tolist()
    bounds = np.concatenate(([0], vertices, scores.hull[-1:]))
    stretches = np.stack([stretch_sums(part, bounds) for part in scores.runs[:2]], axis=1)
    decisions = [int(chosen[0]), *(int(chosen[k]) for k in turns)]
    return _point(app, decisions, cuts, stretches)


def _point(
    app: Application, decisions: list[int], cuts: list[float], stretches: FloatArray
) -> OperatingPoint:
    """Count the cases of each stretch under its decision."""
    counts = np.zeros((2, len(app.decisions)))
    for decision, cases in zip(decisions, stretches, strict=True):
        counts[:, decision] += cases
    matrix = ConfusionMatrix(counts, app.classes, app.decisions)
    return OperatingPoint(tuple(cuts), tuple(app.decisions[k] for k in decisions), matrix)


def aligned(classes: tuple[Name, ...], app: Application) -> Application:
    """The application, if its classes are those of the scores in the same order."""
    if len(app.classes) != 2:
        raise DataError(
            f"scores of two classes need costs for two classes; got {len(app.classes)}.",
            hint="see stakes.summaries.one_vs_rest for more classes",
        )
    positions = (0, 1)  # also equal to (False, True)
    if app.classes in (classes, positions) or classes == positions:
        return app
    raise DataError(
        f"the scores are of the classes {listed(classes)} and the costs of {listed(app.classes)}.",
        hint="give both the same names, the one that high scores speak for second",
    )


@of_scores
def at_equal_error(scores: RankedScores, *, method: EerMethod = "closest") -> OperatingPoint:
    """The threshold at which false positive and false negative rate are closest.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    method : {"closest", "interpolated", "hull"}
        The same threshold for the first two; with "hull", the nearer of the two vertices of
        the ROC convex hull. See `eer`.

    Returns
    -------
    OperatingPoint
        Its two error rates may differ: tied scores are never split.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.6.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 0, 1, 1], [0, 1, 3, 2, 4], kind="rank")
    >>> at_equal_error(sc)
    OperatingPoint(1 if score > 2.5; false positives 0.3333, false negatives 0.5)
    """
    require_both(scores, "at_equal_error")
    if method == "hull":
        cuts, x, y = (part[scores.hull] for part in (scores.cuts, *scores.cumulated))
    else:
        cuts, x, y = scores.finest
    _, left, right, _ = rates_meet(x, y)
    gaps = [abs(y[k] / y[-1] - (x[-1] - x[k]) / x[-1]) for k in (left, right)]
    return at_threshold(scores, float(cuts[left if gaps[0] <= gaps[1] else right]))


@of_scores
def at_sensitivity(scores: RankedScores, sensitivity: float) -> OperatingPoint:
    """The highest threshold that still finds a given share of the second class.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    sensitivity : float
        The least true positive rate, between 0 and 1.

    Returns
    -------
    OperatingPoint
        Of all thresholds with at least this sensitivity, the most specific one.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], kind="posterior")
    >>> at_sensitivity(sc, 0.8)
    OperatingPoint(1 if score > 0.2; false positives 0.5, false negatives 0)
    """
    require_both(scores, "at_sensitivity")
    cuts, _, below = scores.finest
    found = below[-1] - below
    enough = found >= _count(sensitivity, "sensitivity") * found[0]
    return at_threshold(scores, float(cuts[np.flatnonzero(enough)[-1]]))


@of_scores
def at_specificity(scores: RankedScores, specificity: float) -> OperatingPoint:
    """The lowest threshold that still spares a given share of the first class.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    specificity : float
        The least true negative rate, between 0 and 1.

    Returns
    -------
    OperatingPoint
        Of all thresholds with at least this specificity, the most sensitive one.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 3.5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], kind="posterior")
    >>> at_specificity(sc, 0.5)
    OperatingPoint(1 if score > 0.2; false positives 0.5, false negatives 0)
    """
    require_both(scores, "at_specificity")
    cuts, spared, _ = scores.finest
    enough = spared >= _count(specificity, "specificity") * spared[-1]
    return at_threshold(scores, float(cuts[np.flatnonzero(enough)[0]]))


def _count(share: float, name: str) -> float:
    """A wanted share as a count, minus a tolerance for rounding."""
    if not 0 <= as_number(share, name) <= 1:
        raise DataError(f"`{name}` must lie between 0 and 1; got {share!r}.")
    return float(share) * (1 - 1e-12)
