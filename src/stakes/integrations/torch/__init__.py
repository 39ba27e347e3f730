"""Costs on tensors: decisions, summaries, losses and metrics, on the CPU and the GPU.

Needs the extra `torch`. Rows stay on their device; what comes back is a summary.
"""

from stakes._optional import load as _load

_load("torch", extra="torch")

from stakes.integrations.torch.reductions import (  # noqa: E402
    bayes_decisions,
    confusion_counts,
    confusion_matrix,
)
from stakes.integrations.torch.scores import score_bins, score_counts  # noqa: E402

__all__ = [
    "bayes_decisions",
    "confusion_counts",
    "confusion_matrix",
    "score_bins",
    "score_counts",
]
