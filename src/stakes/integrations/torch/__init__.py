"""Costs on tensors: decisions, summaries, losses and metrics, on the CPU and the GPU.

Needs the extra `torch`. Rows stay on their device; what comes back is a summary.
"""

from stakes._optional import load as _load

_load("torch", extra="torch")

from stakes.integrations.torch.losses import (
    BinaryExpectedCostLoss,
    ExpectedCostLoss,
    ReweightedLoss,
    annealed_temperature,
    soft_decisions,
)
from stakes.integrations.torch.reductions import (
    bayes_decisions,
    confusion_counts,
    confusion_matrix,
    score_bins,
    score_counts,
)
from stakes.integrations.torch.torch_metrics import (
    ActualCost,
    BrierScore,
    CrossEntropy,
    ExpectedCost,
    MinimumCost,
)

__all__ = [
    "ActualCost",
    "BinaryExpectedCostLoss",
    "BrierScore",
    "CrossEntropy",
    "ExpectedCost",
    "ExpectedCostLoss",
    "MinimumCost",
    "ReweightedLoss",
    "annealed_temperature",
    "bayes_decisions",
    "confusion_counts",
    "confusion_matrix",
    "score_bins",
    "score_counts",
    "soft_decisions",
]
