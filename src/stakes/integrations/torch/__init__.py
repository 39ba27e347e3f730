"""Costs on tensors: decisions, summaries, losses and metrics, on the CPU and the GPU.

Needs the extra `torch`. Rows stay on their device; what comes back is a summary.
"""

from stakes._optional import load as _load

_load("torch", extra="torch")

from stakes.integrations.torch.losses import (  # noqa: E402
    BinaryExpectedCostLoss,
    ExpectedCostLoss,
)
from stakes.integrations.torch.metrics import (  # noqa: E402
    ActualCost,
    ExpectedCost,
    MinimumCost,
)
from stakes.integrations.torch.proper_scores import BrierScore, CrossEntropy  # noqa: E402
from stakes.integrations.torch.reductions import (  # noqa: E402
    bayes_decisions,
    confusion_counts,
    confusion_matrix,
)
from stakes.integrations.torch.relaxation import (  # noqa: E402
    annealed_temperature,
    soft_decisions,
)
from stakes.integrations.torch.reweighted import ReweightedLoss  # noqa: E402
from stakes.integrations.torch.scores import score_bins, score_counts  # noqa: E402

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
