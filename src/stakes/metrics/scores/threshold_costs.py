"""What scores cost at a threshold: as they are, at best, and what miscalibration adds."""

from __future__ import annotations

from typing import Any

from stakes.metrics.scores.operating_points import at_bayes_threshold, at_min_cost
from stakes.metrics.summary_input import of_scores
from stakes.summaries.ranked_scores import RankedScores


@of_scores
def actual_cost(scores: RankedScores, application: Any, *, normalized: bool = False) -> float:
    r"""Expected cost when the scores are taken at their word: Bayes decisions.

    What will be paid if the scores are used as they are; lower is better. In detection
    tasks it is known as the actual DCF.

    .. math:: \sum_i P_i \sum_j R_{ij}(t_{\mathrm{Bayes}})\, c_{ij}

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of kind "llr", "log_odds" or "posterior"; with bins, the Bayes threshold must be
        one of the edges.
    application : Application or CostMatrix
        Costs and priors; without priors, those of the data. Any number of decisions.
    normalized : bool
        Divide by the cost of the best naive decision (costs standardised first).

    Returns
    -------
    float
        In the unit of the costs; without unit if normalised.

    Notes
    -----
    The threshold is that of `at_bayes_threshold`.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation": actual DCF.
    .. [2] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 1-4.

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-3.0, 0.5, -0.5, 2.0], kind="llr")
    >>> actual_cost(sc, Application([[0, 1], [1, 0]], priors=[0.5, 0.5]))
    0.5
    """
    return at_bayes_threshold(scores, application).cost(application, normalized=normalized)


@of_scores
def min_cost(scores: RankedScores, application: Any, *, normalized: bool = False) -> float:
    r"""Least expected cost that thresholds on these scores could reach on these data.

    What the order of the scores is worth, calibration apart; lower is better. Optimistic
    on small data, because the threshold is chosen on them. Known as the minimum DCF.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    application : Application or CostMatrix
        Costs and priors; without priors, those of the data. Any number of decisions.
    normalized : bool
        Divide by the cost of the best naive decision (costs standardised first).

    Returns
    -------
    float
        Never above the cost of the best naive decision, which constant scores reach.

    Notes
    -----
    The threshold is that of `at_min_cost`.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation": minimum DCF.

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> app = Application([[0, 1], [1, 0]], priors=[0.5, 0.5])
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-3.0, 0.5, -0.5, 2.0], kind="llr")
    >>> min_cost(sc, app)
    0.25
    >>> min_cost(ScoreCounts.from_scores([0, 0, 1], [1.0, 1.0, 1.0], kind="llr"), app)
    0.5
    """
    return at_min_cost(scores, application).cost(application, normalized=normalized)


@of_scores
def calibration_loss(scores: RankedScores, application: Any, *, normalized: bool = False) -> float:
    """What miscalibration costs in one application: actual minus minimum cost.

    The most that recalibrating could save there; lower is better, 0 is well calibrated
    for this application.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of kind "llr", "log_odds" or "posterior".
    application : Application or CostMatrix
        Costs and priors.
    normalized : bool
        Divide by the cost of the best naive decision.

    Returns
    -------
    float
        Not negative, up to rounding. An upper bound: the minimum is optimistic.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation": loss due to miscalibration.

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [-3.0, 0.5, -0.5, 2.0], kind="llr")
    >>> calibration_loss(sc, Application([[0, 1], [1, 0]], priors=[0.5, 0.5]))
    0.25
    """
    actual = actual_cost(scores, application, normalized=normalized)
    return actual - min_cost(scores, application, normalized=normalized)
