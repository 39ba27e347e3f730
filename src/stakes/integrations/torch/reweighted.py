"""Usual losses, reweighted for costs and for the place of use."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from stakes._checks import as_priors
from stakes.application import as_application, class_factors
from stakes.exceptions import DataError
from stakes.integrations.torch.batches import as_codes, refuse_bad_scores
from stakes.typing import Priors

__all__ = ["ReweightedLoss"]

Kind = Literal["cross_entropy", "hinge", "squared", "exponential"]


class ReweightedLoss(nn.Module):
    r"""A usual loss in which every case counts by the cost of its errors and by its class share.

    For models that keep their usual decision (argmax, or the sign) and should learn the costs
    instead; lower is better. Posteriors learnt this way belong to the reweighted population:
    decide with argmax, not with the Bayes rule and the same costs again.

    .. math:: \frac{\sum_a v_a k_a}{\sum_a v_a}, \qquad v_a = \frac{P_{y_a}}{P^{data}_{y_a}} c_{y_a}

    Parameters
    ----------
    kind : {"cross_entropy", "hinge", "squared", "exponential"}
        The loss :math:`k_a` of a case; see Notes.
    application : Application or CostMatrix
        Costs, the same for every wrong decision of a class, and priors where it will run.
    data_priors : sequence or mapping
        Class shares of the training data.

    Notes
    -----
    With margins :math:`m_k = s_y - s_k` of the true class over each other: cross-entropy
    :math:`\log\sum_k e^{-m_k}` (its own term included), hinge :math:`\max_{k\ne y} (1 - m_k)_+`,
    exponential :math:`\sum_{k\ne y} e^{-m_k}`. Squared: the Brier loss of the softmax. Two columns
    give the binary losses with margin :math:`s_1 - s_0`.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 8, 17, section 4.4.1.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> costs = CostMatrix([[0, 1], [3, 0]])
    >>> loss = ReweightedLoss("hinge", costs, data_priors=[0.5, 0.5])
    >>> scores = torch.tensor([[0.0, 0.0], [0.0, 2.0]])
    >>> float(loss(scores, torch.tensor([0, 1])))  # (1 * 1 + 3 * 0) / (1 + 3)
    0.25
    """

    def __init__(self, kind: Kind, application: Any, *, data_priors: Priors) -> None:
        super().__init__()
        if kind not in ("cross_entropy", "hinge", "squared", "exponential"):
            known = "'cross_entropy', 'hinge', 'squared' or 'exponential'"
            raise DataError(f"`kind` must be {known}; got {kind!r}.")
        app = as_application(application)
        shares = as_priors(data_priors, app.classes, name="data_priors")
        factors = class_factors(shares, app, target=app.priors)
        self.kind: Kind = kind
        self.register_buffer("factors", torch.tensor(np.array(factors), dtype=torch.float32))

    def forward(self, logits: Any, target: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch, a scalar.

        Parameters
        ----------
        logits : Tensor of shape (n_cases, n_classes)
            Scores of the classes.
        target : Tensor of integers, shape (n_cases,)
            Positions of the true classes.
        sample_weight : Tensor of shape (n_cases,), optional
            Weights that the cases already have.
        """
        refuse_bad_scores(logits, len(self.factors))
        target = as_codes(target, len(self.factors), len(logits))
        weights = self.factors.to(logits.dtype).index_select(0, target)
        if sample_weight is not None:
            if sample_weight.shape != weights.shape:
                raise DataError(
                    f"`sample_weight` must have shape {tuple(weights.shape)}; got "
                    f"{tuple(sample_weight.shape)}."
                )
            weights = weights * sample_weight
        return (weights * case_losses(self.kind, logits, target)).sum() / weights.sum()


def case_losses(kind: Kind, logits: Any, target: Any) -> Any:
    """The loss of each case, (n,)."""
    if kind == "cross_entropy":
        return nn.functional.cross_entropy(logits, target, reduction="none")
    own = nn.functional.one_hot(target, logits.shape[1])
    if kind == "squared":
        return (logits.softmax(dim=1) - own).square().sum(dim=1)
    behind = (logits - logits.gather(1, target[:, None])).masked_fill(own.bool(), -torch.inf)
    if kind == "hinge":
        return (1 + behind.amax(dim=1)).clamp_min(0)
    return behind.exp().sum(dim=1)
