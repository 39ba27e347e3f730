"""Compare two periods: what moved, and the parts of the change."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from stakes._checks import as_level, as_pair
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.interval_ends import normal_quantile
from stakes.application import Application
from stakes.application.uncertain import settled
from stakes.monitoring.change_advice import advice_on, in_per_cent
from stakes.monitoring.change_parts import Samples, chances_of, moved, samples_of
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores, require_scores
from stakes.typing import FloatArray, Name
from stakes.uncertainty import interval
from stakes.uncertainty.differences import holm


class Part(NamedTuple):
    """A part of a change in cost with its interval; see `PeriodChange`."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+.4g} ({self.low:+.4g} to {self.high:+.4g})"


@dataclass(frozen=True, eq=False, repr=False)
class PeriodChange(AnswersGuesses):
    """What moved between two periods; what `compare_periods` returns.

    Parameters
    ----------
    application : Application
        Costs, and priors if costs are evaluated at given priors.
    before, after : float
        Cost per case of each period.
    cost : Part
        The change in cost with its interval.
    prior_part, rate_part : Part
        The parts due to the class shares and to the errors within classes; they add to the change
        exactly.
    p_values, adjusted : dict
        p-values for "cost", "priors" and "rates", before and after Holm's correction for three
        questions.
    alpha : float
        An adjusted p-value of at most this raises an alarm.
    priors_before, priors_after : array
        Class shares.
    class_costs_before, class_costs_after : array
        Mean cost of a case of each class.
    prior_parts, rate_parts : array
        The two parts by class.
    cases : pair of float
        Number of cases of each period.
    ranking : float or None
        p-value of the change in AUC, if scores were given.
    """

    application: Application
    before: float
    after: float
    cost: Part
    prior_part: Part
    rate_part: Part
    p_values: dict[str, float]
    adjusted: dict[str, float]
    alpha: float
    priors_before: FloatArray
    priors_after: FloatArray
    class_costs_before: FloatArray
    class_costs_after: FloatArray
    prior_parts: FloatArray
    rate_parts: FloatArray
    cases: tuple[float, float]
    ranking: float | None = None

    @property
    def change(self) -> float:
        """Cost per case of the second period minus that of the first."""
        return self.cost.value

    @property
    def classes(self) -> tuple[Name, ...]:
        """The true classes."""
        return self.application.classes

    @property
    def moved(self) -> tuple[str, ...]:
        """Which of "cost", "priors" and "rates" moved more than chance."""
        return tuple(name for name, p in self.adjusted.items() if p <= self.alpha)

    @property
    def alarm(self) -> bool:
        """Whether anything moved more than chance."""
        return bool(self.moved)

    @property
    def advice(self) -> str:
        """What to do, in a sentence or two."""
        return advice_on(self)

    def frame(self) -> Frame:
        """One row per class: shares, costs and parts of the change."""
        return Frame(
            {
                "truth": list(self.classes),
                "share_before": self.priors_before,
                "share_after": self.priors_after,
                "cost_before": self.class_costs_before,
                "cost_after": self.class_costs_after,
                "from_shares": self.prior_parts,
                "from_errors": self.rate_parts,
            }
        )

    def __str__(self) -> str:
        said = {
            name: f"p = {p:.2g}{', moved' * (name in self.moved)}"
            for name, p in self.p_values.items()
        }
        trio = zip(self.classes, self.priors_before, self.priors_after, strict=True)
        last = [f"{name} {in_per_cent(p)} -> {in_per_cent(q)}" for name, p, q in trio][-3:]
        shares = ", ".join(last)
        return "\n".join(
            [
                f"cost per case {self.before:.4g} -> {self.after:.4g}: {self.cost}; {said['cost']}",
                f"  from the shares of the outcomes: {self.prior_part}",
                f"  from the errors within them:     {self.rate_part}",
                f"shares: {shares}; {said['priors']}",
                f"errors within each outcome: {said['rates']}",
                self.advice,
            ]
        )

    def __repr__(self) -> str:
        what = ", ".join(self.moved) if self.alarm else "nothing"
        return f"<PeriodChange: cost {self.cost}; moved: {what}>"


@answers_guesses
def compare_periods(
    before: Any,
    after: Any,
    *,
    application: Any,
    scores: tuple[RankedScores, RankedScores] | None = None,
    level: float = 0.95,
) -> PeriodChange:
    r"""Did the cost move between two periods, and why?

    Compares two samples of different cases, such as last month and this one, from their
    summaries. Says whether the cost, the class shares (priors) and the decisions within each
    class (error rates) moved more than chance, and how much each contributed to the change.

    .. math:: C' - C = \sum_i (P'_i - P_i) \frac{r_i + r'_i}{2}
              + \sum_i \frac{P_i + P'_i}{2} (r'_i - r_i), \qquad r_i = \sum_j R_{ij} c_{ij}

    Parameters
    ----------
    before, after : ConfusionMatrix, GroupedCounts or CostTally
        What happened in each period; both of the same kind. With groups (of customers, say)
        whole groups vary instead of single cases.
    application : Application or CostMatrix
        Costs. With priors, the cost of both periods is evaluated at these, so that changes in the
        class shares of the data, which are still tested, do not affect it.
    scores : pair of ScoreCounts or ScoreBins, optional
        The scores of both periods. They show whether the ranking of cases changed, and so whether
        to recalibrate or to retrain.
    level : float
        If nothing changed, an alarm happens with probability 1 - `level`.

    Returns
    -------
    PeriodChange
        With `.alarm`, `.moved`, `.prior_part`, `.rate_part` and `.advice`; print it.

    Notes
    -----
    The p-value of the cost permutes the cases between the periods (double saddlepoint
    approximation); those of shares and rates use likelihood ratios. Cases must be independent, or
    counted by group: then each group's contribution is linearised, and whole groups vary
    (Student's t and Wald's statistic). Weights are refused without groups, since they do not say
    how many cases there were. For more than two periods use `watch`, which bounds the false
    alarms of the whole run.

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
    chance. Estimate the priors again and decide with them; the model can stay: on probabilities
    made for the old shares, act above 0.0452 instead of 0.0909.
    """
    app = settled(application)
    samples = samples_of([before, after], app, ["before", "after"])
    ranking = None
    if scores is not None:
        ranking = ranking_chance(*as_pair(scores, "scores", "a pair, before and after"))
    return changes_between(samples.at(0), samples.at(1), app, as_level(level), ranking)[0]


def changes_between(
    before: Samples, after: Samples, app: Application, level: float, ranking: float | None = None
) -> list[PeriodChange]:
    """Compare each pair of samples; the level is that of each comparison."""
    chances = chances_of(before, after, app.priors)
    gaps = moved(before, after, app.priors, level)
    costs = before.costs_at(app.priors), after.costs_at(app.priors)
    found = []
    for k in range(before.counts.shape[0]):
        p_values = {name: float(p[k]) for name, p in chances._asdict().items()}
        adjusted = holm(list(p_values.values())).tolist()
        found.append(
            PeriodChange(
                application=app,
                before=float(costs[0][k]),
                after=float(costs[1][k]),
                cost=Part(float(gaps.change[k]), float(gaps.low[k]), float(gaps.high[k])),
                prior_part=_part(gaps.prior_parts[k], gaps.prior_error[k], level),
                rate_part=_part(gaps.rate_parts[k], gaps.rate_error[k], level),
                p_values=p_values,
                adjusted=dict(zip(p_values, adjusted, strict=True)),
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
        )
    return found


def _part(parts: FloatArray, error: float, level: float) -> Part:
    """The sum of a part over the classes with its interval."""
    value, reach = float(parts.sum()), normal_quantile(level) * float(error)
    return Part(value, value - reach, value + reach)


def ranking_chance(before: RankedScores, after: RankedScores) -> float | None:
    """p-value of the AUC difference, from both intervals; None if unknown."""
    from scipy.special import ndtr

    for each in (before, after):
        require_scores(each, "scores")
    if any((each.class_totals == 0).any() for each in (before, after)):
        return None
    found = [interval(each, "auc", method="normal", level=0.95) for each in (before, after)]
    if any(each.too_few for each in found):
        return None
    z = normal_quantile(0.95)
    error = math.hypot(*((each.high - each.low) / (2 * z) for each in found))
    gap = abs(found[1].value - found[0].value)
    return 2 * float(ndtr(-gap / error)) if error > 0 else float(gap == 0)
