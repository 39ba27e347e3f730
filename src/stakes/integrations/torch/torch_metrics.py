"""Metrics that add up over batches: costs, proper scores, and the sums they keep.

They are metrics of torchmetrics, so that Lightning, Fabric and collections know what to do with
them: it merges their states over batches and processes, and moves them to a device.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import torch

from stakes._checks import as_number, as_priors, as_switch, as_whole
from stakes._optional import load
from stakes.application import Application, as_application
from stakes.exceptions import CostError, DataError
from stakes.integrations.torch.reductions import (
    bin_scores,
    binned_counts,
    confusion_counts,
    refuse_bad_posteriors,
    rounded_edges,
)
from stakes.integrations.torch.tensors import (
    as_codes,
    cell_counts,
    of_tensor,
    refuse_bad_labels,
    refuse_bad_scores,
)
from stakes.metrics import actual_cost, expected_cost, min_cost, normalized_expected_cost
from stakes.summaries import ConfusionMatrix, ScoreBins

load("torchmetrics", extra="torch")
from torchmetrics import Metric  # noqa: E402


def fingerprint(*what: Any) -> Any:
    """A state that tells metrics apart which count differently, 32 bytes.

    A `torchmetrics.MetricCollection` lets metrics whose states are equal after the first batch
    share them from then on. Ours share only where they count by the same rule.
    """
    digest = hashlib.sha256(repr([np.asarray(part).tolist() for part in what]).encode())
    return torch.tensor(list(digest.digest()), dtype=torch.uint8)


# Predictions come first here: docs/design/pytorch.md.
class ExpectedCost(Metric):
    """Expected cost of Bayes decisions, or of decisions given; lower is better.

    Parameters
    ----------
    application : Application or CostMatrix
        Costs and priors; without priors, those of the data seen.
    normalized : bool
        Divide by the cost of the best naive decision (NEC).
    **options
        Passed to `torchmetrics.Metric`.

    Notes
    -----
    The state is the confusion matrix, which adds over batches and processes; `summary` returns it
    for everything else that can be read off it: intervals, audits, reports.

    Examples
    --------
    >>> import torch
    >>> metric = ExpectedCost(Application([[0, 1], [10, 0]], priors=[0.9, 0.1]))
    >>> metric.update(torch.tensor([[0.99, 0.01], [0.5, 0.5]]), torch.tensor([0, 1]))
    >>> metric.update(torch.tensor([[0.8, 0.2]]), torch.tensor([0]))
    >>> round(float(metric.compute()), 3)  # half of class 0 called for nothing: 0.9 * 0.5
    0.45
    """

    higher_is_better = False
    is_differentiable = False
    full_state_update = False
    counts: Any

    def __init__(self, application: Any, *, normalized: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.application: Application = as_application(application)
        self.normalized = as_switch(normalized, "normalized")
        shape = self.application.costs.shape
        self.add_state("counts", torch.zeros(shape, dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("rule", fingerprint(self.application.costs.values), dist_reduce_fx="max")

    def update(self, preds: Any, target: Any) -> None:
        """Count a batch.

        Parameters
        ----------
        preds : Tensor
            Posteriors (n, K), or (n,) floats of the second of two classes; or integer positions
            of decisions already taken.
        target : Tensor of integers, shape (n,)
            Positions of the true classes.
        """
        shape = self.application.costs.shape
        if of_tensor(preds, "preds").dtype.is_floating_point:
            found = confusion_counts(target, preds.detach(), costs=self.application)
        else:
            refuse_bad_labels(preds, shape[1], name="preds")
            refuse_bad_labels(target, shape[0], name="target")
            codes = as_codes(target, shape[0], len(preds))
            found = cell_counts(codes, preds.to(torch.int64), shape=shape)
        self.counts = self.counts + found.to(self.counts.device)

    def summary(self) -> ConfusionMatrix:
        """What was decided so far, in this process, as a `stakes.ConfusionMatrix`."""
        app = self.application
        return ConfusionMatrix(self.counts.cpu().numpy(), app.classes, app.decisions)

    def compute(self) -> Any:
        """The cost per case, a scalar in float64."""
        measure = normalized_expected_cost if self.normalized else expected_cost
        value = measure(self.summary(), application=self.application)
        return torch.tensor(value, dtype=torch.float64, device=self.counts.device)


class _BinnedScores(Metric):
    """Binary scores in bins, with the Bayes threshold among the edges."""

    higher_is_better = False
    is_differentiable = False
    full_state_update = False
    counts: Any
    lowest: Any
    highest: Any

    def __init__(
        self,
        application: Any,
        *,
        normalized: bool = False,
        bins: int = 4096,
        reach: float = 20.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        app = as_application(application)
        if app.costs.shape != (2, 2):
            raise CostError(f"two classes and two decisions are needed; got {app.costs.shape}.")
        self.application, self.normalized = app, as_switch(normalized, "normalized")
        bins, reach = as_whole(bins, "bins", least=2), as_number(reach, "reach")
        if not 0 < reach < np.inf:
            raise DataError(f"`reach` must be positive; got {reach:g}.")
        grid = np.linspace(-reach, reach, bins - 1)
        self.edges = np.unique(np.append(grid, app.log_odds_threshold))
        size = len(self.edges) + 1
        self.add_state("counts", torch.zeros((size, 2), dtype=torch.int64), dist_reduce_fx="sum")
        ends = torch.full((size,), torch.inf, dtype=torch.float64)
        self.add_state("lowest", ends, dist_reduce_fx="min")
        self.add_state("highest", -ends, dist_reduce_fx="max")
        self.add_state("rule", fingerprint(self.edges), dist_reduce_fx="max")

    def update(self, preds: Any, target: Any) -> None:
        """Count a batch of log odds (n,) of the second class, or logits (n, 2)."""
        columns = 2 if of_tensor(preds, "preds").ndim == 2 else None
        refuse_bad_scores(preds, columns, name="preds")
        odds = (preds[:, 1] - preds[:, 0] if preds.ndim == 2 else preds).detach()
        odds = odds if odds.dtype == torch.float64 else odds.float()
        if bool(torch.isnan(odds).any()):
            raise DataError("`preds` holds NaN.")
        refuse_bad_labels(target, 2, name="target")
        codes = as_codes(target, 2, len(odds))
        edges = torch.tensor(rounded_edges(self.edges, odds.dtype), device=odds.device)
        counts, (lowest, highest) = binned_counts(codes, odds, edges)
        home = self.counts.device
        self.counts = self.counts + counts.to(home)
        self.lowest = torch.minimum(self.lowest, lowest.to(home))
        self.highest = torch.maximum(self.highest, highest.to(home))

    def summary(self) -> ScoreBins:
        """The binned log odds so far, in this process, as a `stakes.ScoreBins`."""
        ends = self.lowest, self.highest
        return bin_scores(self.counts, ends, self.edges, "log_odds", self.application.classes)

    def _value(self, measure: Any) -> Any:
        """A metric of the summary as a scalar tensor."""
        found = measure(self.summary(), self.application, normalized=self.normalized)
        return torch.tensor(found, dtype=torch.float64, device=self.counts.device)


class ActualCost(_BinnedScores):
    """Cost of two classes when log odds are taken at their word; exact, from binned scores.

    Parameters
    ----------
    application : Application or CostMatrix
        Two classes, two decisions.
    normalized : bool
        Divide by the cost of the best naive decision.
    bins : int
        Bins of equal width from `-reach` to `reach` log odds; the Bayes threshold is an edge too.
    reach : float
        Log odds beyond it share a bin.
    **options
        Passed to `torchmetrics.Metric`.

    Examples
    --------
    >>> import torch
    >>> metric = ActualCost(Application([[0, 1], [1, 0]], priors=[0.5, 0.5]))
    >>> metric.update(torch.tensor([-3.0, 0.5, -0.5, 2.0]), torch.tensor([0, 0, 1, 1]))
    >>> float(metric.compute())
    0.5
    """

    def compute(self) -> Any:
        """Cost per case of the Bayes decisions, a scalar in float64."""
        return self._value(actual_cost)


class MinimumCost(_BinnedScores):
    """Least cost that a threshold on the binned scores of two classes could reach.

    Parameters
    ----------
    application, normalized, bins, reach, **options
        As in `ActualCost`.

    Notes
    -----
    The threshold is an edge of the bins, so the value is never below the exact minimum; how far
    above it can be, `stakes.metrics.score_bounds(metric.summary())` tells.

    Examples
    --------
    >>> import torch
    >>> metric = MinimumCost(Application([[0, 1], [1, 0]], priors=[0.5, 0.5]))
    >>> metric.update(torch.tensor([-3.0, 0.5, -0.5, 2.0]), torch.tensor([0, 0, 1, 1]))
    >>> float(metric.compute())
    0.25
    """

    def compute(self) -> Any:
        """Least cost per case over the edges, a scalar in float64."""
        return self._value(min_cost)


class _ProperScore(Metric):
    """Sums of a per-case loss by class, so that target priors can weigh the classes."""

    higher_is_better = False
    is_differentiable = False
    full_state_update = False
    sums: Any
    totals: Any

    def __init__(self, n_classes: int, *, priors: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self.n_classes = n_classes = as_whole(n_classes, "n_classes", least=2)
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
