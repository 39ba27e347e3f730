"""What each case costs: proper scores, and the Bayes decisions of an application."""

from __future__ import annotations

import numpy as np

from stakes.application import Application
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.typing import FloatArray, IntArray

__all__ = ["case_losses", "loss_name"]

_SCORES = ("cross_entropy", "brier")


def case_losses(log_posteriors: FloatArray, codes: IntArray, by: str | Application) -> FloatArray:
    """Loss of each case: minus the log-posterior of its class, squared error, or cost."""
    index = np.arange(len(codes))
    if isinstance(by, Application):
        decisions = bayes_decisions(np.exp(log_posteriors), by.costs)
        costs: FloatArray = by.costs.values[codes, decisions]
        return costs
    if by == "cross_entropy":
        return -log_posteriors[index, codes]
    posteriors = np.exp(log_posteriors)
    own: FloatArray = posteriors[index, codes]
    squares: FloatArray = np.einsum("ij,ij->i", posteriors, posteriors)
    return squares - 2.0 * own + 1.0


def loss_name(by: str | Application) -> str:
    """The loss in words; raises when it is not one."""
    if isinstance(by, Application):
        return "cost"
    if by not in _SCORES:
        raise DataError(
            f"`by` must be an Application or one of {', '.join(map(repr, _SCORES))}; got {by!r}."
        )
    return {"cross_entropy": "cross-entropy", "brier": "Brier score"}[by]
