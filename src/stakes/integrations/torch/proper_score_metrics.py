"""Proper scores as metrics for training loops: sums by class, which add exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from stakes._checks import as_priors
from stakes.exceptions import DataError
from stakes.integrations.torch.reductions import refuse_bad_posteriors
from stakes.integrations.torch.states import Metric, fingerprint, synced
from stakes.integrations.torch.tensors import as_codes, refuse_bad_labels


class _ProperScore(Metric):
    """Sums of a per-case loss by class, so that target priors can weigh the classes."""

    higher_is_better = False
    is_differentiable = False
    full_state_update = False
    sums: Any
    totals: Any

    def __init__(self, n_classes: int, *, priors: Any = None, **options: Any) -> None:
        super().__init__(**options)
        if n_classes < 2:
            raise DataError(f"`n_classes` must be at least 2; got {n_classes}.")
        self.n_classes = n_classes
        self.priors = None if priors is None else as_priors(priors, tuple(range(n_classes)))
        for name in ("sums", "totals"):
            zeros = torch.zeros(n_classes, dtype=torch.float64)
            self.add_state(name, zeros, dist_reduce_fx="sum")
        self.add_state("rule", fingerprint(type(self).__name__), dist_reduce_fx="max")

    def update(self, preds: Any, target: Any) -> None:
        """Take in posteriors (n, K) and positions of the true classes (n,).

        Parameters
        ----------
        preds : Tensor of shape (n, K)
            Posteriors; or (n,), of the second of two classes.
        target : Tensor of integers, shape (n,)
            Positions of the true classes.
        """
        refuse_bad_labels(target, self.n_classes, name="target")
        refuse_bad_posteriors(preds, self.n_classes)
        codes = as_codes(target, self.n_classes, len(preds))
        wide = preds.detach().double()
        wide = torch.stack([1 - wide, wide], dim=1) if wide.ndim == 1 else wide
        losses = self._losses(wide, codes)
        home = self.sums.device
        self.sums = self.sums + torch.bincount(codes, losses, minlength=self.n_classes).to(home)
        self.totals = self.totals + torch.bincount(codes, minlength=self.n_classes).to(home)

    def _losses(self, posteriors: Any, target: Any) -> Any:
        """The loss of each case."""
        raise NotImplementedError

    def compute(self) -> Any:
        """The average loss under the priors, a scalar in float64."""
        with synced(self):
            sums, totals = self.sums, self.totals
        if not bool(totals.any()):
            raise DataError("there are no cases, so there is no average loss.")
        if self.priors is None:
            return sums.sum() / totals.sum()
        priors = torch.tensor(np.array(self.priors), device=sums.device)
        if bool(((totals == 0) & (priors > 0)).any()):
            raise DataError("a class with a prior has no case, so its loss is unknown.")
        return (priors * sums / totals.clamp_min(1)).sum()


class CrossEntropy(_ProperScore):
    """Mean of minus the log posterior of the true class, in nats; lower is better.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    priors : sequence of float, optional
        Class shares where the system will run; default: those of the data.
    **options
        Passed to `torchmetrics.Metric`.

    Examples
    --------
    >>> import torch
    >>> metric = CrossEntropy(2)
    >>> metric.update(torch.tensor([[0.5, 0.5], [0.5, 0.5]]), torch.tensor([0, 1]))
    >>> round(float(metric.compute()), 4)  # log 2
    0.6931
    """

    def _losses(self, posteriors: Any, target: Any) -> Any:
        return -posteriors.gather(1, target[:, None])[:, 0].log()


class BrierScore(_ProperScore):
    """Mean squared distance of the posteriors from the truth; lower is better.

    Summed over the classes, so it goes from 0 to 2; for two classes it is twice the binary score.

    Parameters
    ----------
    n_classes, priors, **options
        As in `CrossEntropy`.

    Examples
    --------
    >>> import torch
    >>> metric = BrierScore(2)
    >>> metric.update(torch.tensor([[0.5, 0.5]]), torch.tensor([0]))
    >>> float(metric.compute())
    0.5
    """

    def _losses(self, posteriors: Any, target: Any) -> Any:
        own = torch.nn.functional.one_hot(target, self.n_classes)
        return (posteriors - own).square().sum(dim=1)
