"""Coverage against cost when hard cases may be handed over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import as_application
from stakes.curves.bayes_error import as_grid
from stakes.curves.tabular import Tabular
from stakes.exceptions import CostError
from stakes.metrics.scores.operating_points import aligned, at_bayes_threshold
from stakes.summaries.ranked_scores import RankedScores
from stakes.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class AbstentionCurve(Tabular):
    """Coverage and cost for each cost of abstaining."""

    abstention_cost: FloatArray
    coverage: FloatArray
    cost: FloatArray
    cost_when_decided: FloatArray
    lower_threshold: FloatArray
    upper_threshold: FloatArray


def abstention(
    scores: RankedScores, application: Any, *, abstention_costs: Any = None
) -> AbstentionCurve:
    """What is decided, and at which cost, as abstaining becomes dearer.

    For choosing how many cases to hand to a person.

    Parameters
    ----------
    scores : ScoreCounts
        Of kind "llr", "log_odds" or "posterior".
    application : Application or CostMatrix
        Costs of the two decisions (without abstention) and priors.
    abstention_costs : array-like, optional
        What one abstention costs, in the unit of the costs; default, 101 values from 0 to
        the cost at which nobody abstains any more.

    Returns
    -------
    AbstentionCurve
        `coverage` is the share decided, at the priors of the application; `cost` counts
        abstentions at their price; `cost_when_decided` is the mean cost of the decided
        cases, `nan` when there is none. Between the thresholds, the case is handed over.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section A.3, eq 31.

    Examples
    --------
    >>> from stakes import CostMatrix, ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9], kind="posterior")
    >>> print(abstention(sc, CostMatrix.zero_one(2), abstention_costs=[0.2, 0.45]).frame())
    abstention_cost  coverage  cost  cost_when_decided  lower_threshold  upper_threshold
    0.2              0.5       0.1   0                  0.2              0.8
    0.45             1         0     0                  0.45             0.55
    """
    app = aligned(scores.classes, as_application(application))
    costs = app.costs
    if costs.shape != (2, 2):
        raise CostError("give the costs of the two decisions; abstention is added here.")
    grid = as_grid(abstention_costs, np.linspace(0, _useless_from(costs.values), 101), "costs")
    shares = app.resolved_priors(scores.priors)
    rows = [_row(scores, app, shares, float(price)) for price in grid]
    return AbstentionCurve(grid, *np.array(rows).reshape(-1, 5).T)


def _useless_from(values: FloatArray) -> float:
    """The price from which abstaining is never best: that of the case which costs most to decide.

    The better decision costs most where both cost the same, or for a sure case.
    """
    (a, b), (c, d) = values.tolist()
    slope = (b - a) + (c - d)
    alike = (b - a) / slope if slope else 0.0
    uncertain = a + alike * (c - a) if 0 < alike < 1 else 0.0
    return float(max(min(a, b), min(c, d), uncertain, 0.0))


def _row(scores: RankedScores, app: Any, shares: FloatArray, price: float) -> list[float]:
    """Coverage, cost, cost of the decided, and both thresholds at one price."""
    name = "abstain" if "abstain" not in app.decisions else "abstain (here)"
    wider = app.with_costs(app.costs.with_abstention(price, name=name))
    point = at_bayes_threshold(scores, wider)
    joint = shares[:, None] * point.confusion.rates
    decided = float(joint[:, :2].sum())
    paid = float((joint[:, :2] * app.costs.values).sum())
    cuts = point.thresholds
    if name in point.stretches:
        k = point.stretches.index(name)
        low = cuts[k - 1] if k > 0 else -np.inf
        high = cuts[k] if k < len(cuts) else np.inf
    else:
        low = high = cuts[0] if cuts else np.nan
    mean = paid / decided if decided > 0 else np.nan
    return [decided, paid + price * (1 - decided), mean, low, high]
