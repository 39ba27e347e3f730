"""How sure we are: intervals, paired comparison, sample sizes, optimism, switch points."""

from stakes.uncertainty.any_interval import interval
from stakes.uncertainty.comparison import Comparison, compare, compare_across
from stakes.uncertainty.differences import Difference
from stakes.uncertainty.intervals import Interval, rate_interval
from stakes.uncertainty.optimism import MinCostOptimism, min_cost_optimism
from stakes.uncertainty.replicates import Replicates

__all__ = [
    "Comparison",
    "Difference",
    "Interval",
    "MinCostOptimism",
    "Replicates",
    "compare",
    "compare_across",
    "interval",
    "min_cost_optimism",
    "rate_interval",
]
