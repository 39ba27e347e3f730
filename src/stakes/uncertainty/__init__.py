"""How sure we are: intervals, paired comparison, sample sizes, optimism, switch points."""

from stakes.uncertainty.any_interval import interval
from stakes.uncertainty.intervals import Interval, rate_interval
from stakes.uncertainty.optimism import MinCostOptimism, min_cost_optimism
from stakes.uncertainty.replicates import Replicates

__all__ = [
    "Interval",
    "MinCostOptimism",
    "Replicates",
    "interval",
    "min_cost_optimism",
    "rate_interval",
]
