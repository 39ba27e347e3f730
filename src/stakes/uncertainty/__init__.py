"""How sure we are: intervals, paired comparison, sample sizes, optimism, switch points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

if TYPE_CHECKING:
    from stakes.uncertainty.bands import Band, band, best_by_log_odds
    from stakes.uncertainty.comparison import Comparison, compare
    from stakes.uncertainty.differences import Difference
    from stakes.uncertainty.intervals.any_interval import interval, refitted_interval
    from stakes.uncertainty.intervals.group_intervals import grouped_score_interval
    from stakes.uncertainty.intervals.interval import Interval, Replicates, rate_interval
    from stakes.uncertainty.intervals.weighted_intervals import weighted_interval
    from stakes.uncertainty.intervals.weighted_scores import weighted_score_interval
    from stakes.uncertainty.optimism import MinCostOptimism, min_cost_optimism
    from stakes.uncertainty.sample_size import PowerCurve, SamplePlan, cases_needed, power_curve
    from stakes.uncertainty.score_comparison import compare_across, compare_scores
    from stakes.uncertainty.sensitivity import BestRanges, best_ranges

__all__ = [
    "Band",
    "BestRanges",
    "Comparison",
    "Difference",
    "Interval",
    "MinCostOptimism",
    "PowerCurve",
    "Replicates",
    "SamplePlan",
    "band",
    "best_by_log_odds",
    "best_ranges",
    "cases_needed",
    "compare",
    "compare_across",
    "compare_scores",
    "grouped_score_interval",
    "interval",
    "min_cost_optimism",
    "power_curve",
    "rate_interval",
    "refitted_interval",
    "weighted_interval",
    "weighted_score_interval",
]

#: Where each name lives; loaded on first use.
_HOMES = {
    "bands": ("Band", "band", "best_by_log_odds"),
    "comparison": ("Comparison", "compare"),
    "differences": ("Difference",),
    "intervals.any_interval": ("interval", "refitted_interval"),
    "intervals.group_intervals": ("grouped_score_interval",),
    "intervals.interval": ("Interval", "Replicates", "rate_interval"),
    "intervals.weighted_intervals": ("weighted_interval",),
    "intervals.weighted_scores": ("weighted_score_interval",),
    "optimism": ("MinCostOptimism", "min_cost_optimism"),
    "sample_size": ("PowerCurve", "SamplePlan", "cases_needed", "power_curve"),
    "score_comparison": ("compare_across", "compare_scores"),
    "sensitivity": ("BestRanges", "best_ranges"),
}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
