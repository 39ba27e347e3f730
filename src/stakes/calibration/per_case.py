"""What each case costs: proper scores, and the Bayes decisions of an application."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from stakes.application import Application
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.metrics import BetaWeight
from stakes.typing import FloatArray, IntArray

__all__ = ["Aim", "case_losses", "loss_name"]

#: What posteriors are judged by: a proper score, or the cost of an application.
Aim: TypeAlias = str | BetaWeight | Application

_SCORES = {"cross_entropy": "cross-entropy", "brier": "Brier score"}


def case_losses(log_posteriors: FloatArray, codes: IntArray, by: Aim) -> FloatArray:
    """Loss of each case: minus the log-posterior of its class, squared error, or cost."""
    index = np.arange(len(codes))
    loss_name(by, size=log_posteriors.shape[1])
    if isinstance(by, Application):
        decisions = bayes_decisions(np.exp(log_posteriors), by.costs.values)
        costs: FloatArray = by.costs.values[codes, decisions]
        return costs
    if isinstance(by, BetaWeight):
        of_first, of_second = by.losses(log_posteriors[:, 1] - log_posteriors[:, 0])
        return np.where(codes == 1, of_second, of_first)
    if by == "cross_entropy":
        return -log_posteriors[index, codes]
    posteriors = np.exp(log_posteriors)
    own: FloatArray = posteriors[index, codes]
    squares: FloatArray = np.einsum("ij,ij->i", posteriors, posteriors)
    return squares - 2.0 * own + 1.0


def loss_name(by: Aim, *, size: int | None = None) -> str:
    """The loss in words; raises when it is not one, or not for so many classes."""
    if isinstance(by, Application):
        return "cost"
    if isinstance(by, BetaWeight):
        if size is not None and size != 2:
            raise DataError(
                f"`by` is {by!r}, a proper score of two classes; there are {size}.",
                hint="by='cross_entropy', by='brier' or an Application",
            )
        by.losses(np.zeros(1))
        return "average cost"
    given: Any = by
    if not isinstance(given, str) or given not in _SCORES:
        raise DataError(
            "`by` must be an Application, a proper score of two classes such as "
            f"stakes.metrics.BetaWeight(2, 2), or one of {', '.join(map(repr, _SCORES))}; "
            f"got {by!r}."
        )
    return _SCORES[by]
