"""Which posteriors of the second class lead to which decision, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stakes._kernels.bayes_rule import pieces, thresholds
from stakes.application import Application, CostMatrix
from stakes.exceptions import CostError
from stakes.results import Frame
from stakes.typing import Name


@dataclass(frozen=True, slots=True)
class DecisionIntervals:
    """The Bayes rule of a two-class application as stretches; see `decision_intervals`.

    Parameters
    ----------
    decisions : tuple of names
        `decisions[k]` is taken for posteriors of the second class between `cuts[k - 1]`
        and `cuts[k]`; at a cut itself the earlier column of the cost matrix wins.
    cuts : tuple of float
        The posteriors where the decision changes, ascending.
    """

    decisions: tuple[Name, ...]
    cuts: tuple[float, ...]

    def frame(self) -> Frame:
        """One row per stretch: decision, above, up_to."""
        return Frame(
            {
                "decision": list(self.decisions),
                "above": [0.0, *self.cuts],
                "up_to": [*self.cuts, 1.0],
            }
        )


def decision_intervals(costs: Any) -> DecisionIntervals:
    """Cut the posterior of the second class into stretches with one decision each.

    Works for two classes and any number of decisions: with "ask a person" there are two
    cuts, an unsure stretch between two sure ones. Decisions that never pay are absent.

    Parameters
    ----------
    costs : CostMatrix, Application or array-like of shape (2, n_decisions)
        What each decision costs for each true class.

    Returns
    -------
    DecisionIntervals
        Decisions in order of the posterior, and the cut points between them.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 28 and 32.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> rule = decision_intervals(CostMatrix.zero_one(["no", "yes"]).with_abstention(0.25))
    >>> rule.decisions, rule.cuts
    (('no', 'abstain', 'yes'), (0.25, 0.75))
    """
    matrix = costs.costs if isinstance(costs, Application) else costs
    matrix = matrix if isinstance(matrix, CostMatrix) else CostMatrix(matrix)
    if matrix.shape[0] != 2:
        raise CostError(
            f"intervals exist for two classes; got {matrix.shape[0]}.",
            hint="use stakes.bayes_decisions",
        )
    stretch = pieces(matrix.values)
    return DecisionIntervals(
        decisions=tuple(matrix.decisions[piece.decision] for piece in stretch),
        cuts=tuple(thresholds(stretch)),
    )
