"""Two periods compared: did the cost move, did the priors, did the errors, and what to do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes._kernels.limits.interval_ends import normal_quantile
from stakes.application import Application, UncertainApplication, as_application
from stakes.exceptions import DataError
from stakes.monitoring.changes import Chances, Moved, chances_of, moved
from stakes.monitoring.period_change import Part, PeriodChange
from stakes.monitoring.samples import Samples, samples_of
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray
from stakes.uncertainty import interval
from stakes.uncertainty.comparisons.differences import holm
from stakes.uncertainty.intervals.interval import as_level


def compare_periods(
    before: Any,
    after: Any,
    *,
    application: Any,
    scores: tuple[RankedScores, RankedScores] | None = None,
    level: float = 0.95,
) -> PeriodChange:
    r"""Did the cost move between two periods, and why?

    For two samples of different cases, such as last month and this one: from their summaries
    alone, whether the cost, the class shares (priors) and the decisions within each class
    (error rates) moved more than chance, and how much of the change in cost came from which.

    .. math:: C' - C = \sum_i (P'_i - P_i) \frac{r_i + r'_i}{2}
              + \sum_i \frac{P_i + P'_i}{2} (r'_i - r_i), \qquad r_i = \sum_j R_{ij} c_{ij}

    Parameters
    ----------
    before, after : ConfusionMatrix, GroupedCounts or CostTally
        What happened in each period; both of the same kind. With groups (of customers, say)
        whole groups vary instead of single cases.
    application : Application or CostMatrix
        Costs. With priors, the cost of both periods is judged at these, so that the class
        shares of the data, which are still tested, cannot move it.
    scores : pair of ScoreCounts or ScoreBins, optional
        The scores of both periods: tell whether the ranking of cases is still what it was, and
        so whether to recalibrate or to retrain.
    level : float
        An alarm happens in 1 - `level` of the cases in which nothing changed.

    Returns
    -------
    PeriodChange
        With `.alarm`, `.moved`, `.prior_part`, `.rate_part` and `.advice`; print it.

    Notes
    -----
    Probabilities are those under no change at all: of the cost by permuting the cases between
    the periods (double saddlepoint approximation), of shares and rates by likelihood ratios.
    Cases must be independent, or counted by group: then what each group adds is linearised and
    varies as groups do (Student's t and Wald's statistic). Weights are refused without groups,
    since they do not say how many cases there were. For more than two periods use `watch`,
    which keeps the false alarms of the whole run below the level.

    References
    ----------
    .. [1] E. M. Kitagawa, "Components of a difference between two rates", Journal of the
       American Statistical Association 50, 1955.
    .. [2] J. G. Booth and R. W. Butler, "Randomization distributions and saddlepoint
       approximations in generalized linear models", Biometrika 77, 1990.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> app = Application([[0, 1], [10, 0]])
    >>> found = compare_periods(ConfusionMatrix([[8600, 900], [100, 400]]),
    ...                         ConfusionMatrix([[8150, 850], [200, 800]]), application=app)
    >>> found.moved
    ('cost', 'priors')
    >>> print(found.prior_part)
    +0.09527 (+0.07775 to +0.1128)
    >>> print(found.advice)
    The share of 1 went from 5 % to 10 %; the errors within each outcome moved no more than
    chance. Estimate the priors anew and decide with them; the model can stay: on probabilities
    made for the old shares, act above 0.0452 instead of 0.0909.
    """
    app = stakes_of(application)
    first, second = (samples_of([each], app, [name])
                     for each, name in ((before, "before"), (after, "after")))  # fmt: skip
    if type(before) is not type(after):
        raise DataError("both periods must be summaries of the same kind.")
    ranking = None if scores is None else ranking_chance(*scores)
    return changes_between(first, second, app, as_level(level), ranking)[0]


def stakes_of(application: Any) -> Application:
    """The costs to judge by; uncertain ones by their expectation."""
    if isinstance(application, UncertainApplication):
        return application.expected
    return as_application(application)


def changes_between(
    before: Samples, after: Samples, app: Application, level: float, ranking: float | None = None
) -> list[PeriodChange]:
    """Each pair of samples compared; the level is that of each comparison."""
    _refuse_absent(before, after, app)
    chances = chances_of(before, after, app.priors)
    gaps = moved(before, after, app.priors, level)
    costs = before.costs_at(app.priors), after.costs_at(app.priors)
    return [
        _change(k, app, (before, after), chances, gaps, (costs[0][k], costs[1][k]), level, ranking)
        for k in range(before.counts.shape[0])
    ]


def _change(
    k: int,
    app: Application,
    samples: tuple[Samples, Samples],
    chances: Chances,
    gaps: Moved,
    costs: tuple[float, float],
    level: float,
    ranking: float | None,
) -> PeriodChange:
    """One comparison out of many."""
    before, after = samples
    names = ("cost", "priors", "rates")
    p_values = {name: float(p[k]) for name, p in zip(names, chances, strict=True)}
    adjusted = holm(list(p_values.values()))
    return PeriodChange(
        application=app,
        before=float(costs[0]),
        after=float(costs[1]),
        cost=Part(float(gaps.change[k]), float(gaps.low[k]), float(gaps.high[k])),
        prior_part=_part(gaps.prior_parts[k], gaps.prior_error[k], level),
        rate_part=_part(gaps.rate_parts[k], gaps.rate_error[k], level),
        p_values=p_values,
        adjusted={name: float(p) for name, p in zip(names, adjusted, strict=True)},
        alpha=1 - level,
        priors_before=before.shares[k],
        priors_after=after.shares[k],
        class_costs_before=before.means[k],
        class_costs_after=after.means[k],
        prior_parts=gaps.prior_parts[k],
        rate_parts=gaps.rate_parts[k],
        cases=(float(before.totals[k]), float(after.totals[k])),
        ranking=ranking,
    )


def _part(parts: FloatArray, error: float, level: float) -> Part:
    """The sum of a part over the classes with its interval."""
    value, reach = float(parts.sum()), normal_quantile(level) * float(error)
    return Part(value, value - reach, value + reach)


def _refuse_absent(before: Samples, after: Samples, app: Application) -> None:
    """With given priors, every class that costs something must occur in every sample."""
    if app.priors is None:
        return
    for samples in (before, after):
        unknown = np.isnan(samples.means) & (app.priors > 0)
        if unknown.any():
            name = app.classes[int(np.argwhere(unknown)[0][1])]
            raise DataError(
                f"no case of {name!r} in one of the samples, so its cost at the given priors is "
                "unknown.",
                hint="judge at the shares of the data: application.with_priors(None)",
            )


def ranking_chance(before: RankedScores, after: RankedScores) -> float | None:
    """Probability of so different an AUC by chance, from both intervals; None without an AUC."""
    from scipy.special import ndtr

    if any((each.class_totals == 0).any() for each in (before, after)):
        return None
    found = [interval(each, "auc", method="normal", level=0.95) for each in (before, after)]
    if any(each.too_few for each in found):
        return None
    z = normal_quantile(0.95)
    error = math.hypot(*((each.high - each.low) / (2 * z) for each in found))
    gap = abs(found[1].value - found[0].value)
    return 2 * float(ndtr(-gap / error)) if error > 0 else float(gap == 0)
