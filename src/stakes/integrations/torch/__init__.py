"""Costs on tensors: decisions, summaries, losses and metrics, on the CPU and the GPU.

Needs the extra `torch`. Rows stay on their device; what comes back is a summary.
"""

from stakes._lazy import LoadedOnUse
from stakes._optional import load as _load

_load("torch", extra="torch")

with LoadedOnUse(globals()):
    from stakes.integrations.torch.losses import BinaryExpectedCostLoss as BinaryExpectedCostLoss
    from stakes.integrations.torch.losses import ExpectedCostLoss as ExpectedCostLoss
    from stakes.integrations.torch.losses import ReweightedLoss as ReweightedLoss
    from stakes.integrations.torch.losses import annealed_temperature as annealed_temperature
    from stakes.integrations.torch.losses import soft_decisions as soft_decisions
    from stakes.integrations.torch.reductions import bayes_decisions as bayes_decisions
    from stakes.integrations.torch.reductions import confusion_counts as confusion_counts
    from stakes.integrations.torch.reductions import confusion_matrix as confusion_matrix
    from stakes.integrations.torch.reductions import score_bins as score_bins
    from stakes.integrations.torch.reductions import score_counts as score_counts
    from stakes.integrations.torch.torch_metrics import ActualCost as ActualCost
    from stakes.integrations.torch.torch_metrics import BrierScore as BrierScore
    from stakes.integrations.torch.torch_metrics import CrossEntropy as CrossEntropy
    from stakes.integrations.torch.torch_metrics import ExpectedCost as ExpectedCost
    from stakes.integrations.torch.torch_metrics import MinimumCost as MinimumCost
