"""Choosing on curves: the tangent of one application, and who is never worse at any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import as_application
from stakes.curves.bayes_error import best_rates
from stakes.curves.switching import jumps
from stakes.exceptions import CostError
from stakes.metrics.operating_points import aligned, at_min_cost
from stakes.results import Frame
from stakes.summaries.ranked_scores import RankedScores, require_both

__all__ = ["Dominance", "Tangent", "curve_dominance", "iso_cost_tangent"]


@dataclass(frozen=True)
class Tangent:
    """The iso-cost line that touches a ROC curve: its best point, slope and intercept."""

    false_positive_rate: float
    true_positive_rate: float
    threshold: float
    slope: float
    intercept: float
    cost: float


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


@dataclass(frozen=True, eq=False, repr=False)
class Dominance:
    """`matrix[i, j]` says whether system i is at least as good as j for every application."""

    names: tuple[str, ...]
    matrix: NDArray[np.bool_]

    @property
    def undominated(self) -> tuple[str, ...]:
        """Systems that no other system beats everywhere."""
        strictly = self.matrix & ~self.matrix.T
        return tuple(n for k, n in enumerate(self.names) if not strictly[:, k].any())

    def frame(self) -> Frame:
        """One row per ordered pair."""
        n = len(self.names)
        return Frame(
            {
                "system": [a for a in self.names for _ in range(n)],
                "other": list(self.names) * n,
                "at_least_as_good": self.matrix.ravel(),
            }
        )

    def __repr__(self) -> str:
        return f"Dominance(not beaten everywhere by another: {', '.join(self.undominated)})"


def curve_dominance(systems: Mapping[str, RankedScores]) -> Dominance:
    """Which systems are at least as good as others whatever the costs and the prevalence.

    Compares the ROC convex hulls, that is, each system at its best thresholds. A system
    that is dominated need not be considered.

    Parameters
    ----------
    systems : mapping of str to ScoreCounts
        The systems, by name, on the same data.

    Returns
    -------
    Dominance
        A table of pairs; `.undominated` are the systems worth keeping.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold and P. G. L. Porta Mana, "Does the evaluation stand up
       to evaluation?", 2022, section 5.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> y = [0, 0, 1, 1]
    >>> good = ScoreCounts.from_scores(y, [1, 2, 3, 4], kind="rank")
    >>> poor = ScoreCounts.from_scores(y, [1, 3, 2, 4], kind="rank")
    >>> curve_dominance({"good": good, "poor": poor}).undominated
    ('good',)
    """
    names, size = tuple(systems), len(systems)
    corners = [jumps(sc, False) for sc in systems.values()]
    x = np.unique(np.concatenate([*corners, [-50.0, 50.0]]))
    prior, other = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
    costs = []
    for sc in systems.values():
        fpr, fnr, _ = best_rates(sc, x)
        costs.append(prior * fnr + other * fpr)
    table = np.array(costs)
    least = (table[:, None, :] <= table[None, :, :] + 1e-12).all(axis=2)
    return Dominance(names, least.reshape(size, size))
