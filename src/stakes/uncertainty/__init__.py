"""How sure we are: intervals, paired comparison, sample sizes, optimism, switch points."""

from stakes.uncertainty.across_data_sets import compare_across
from stakes.uncertainty.any_interval import interval
from stakes.uncertainty.bands import Band, band
from stakes.uncertainty.best_systems import best_by_log_odds
from stakes.uncertainty.comparison import compare
from stakes.uncertainty.comparison_result import Comparison
from stakes.uncertainty.differences import Difference
from stakes.uncertainty.grouped_scores import grouped_score_interval
from stakes.uncertainty.intervals import Interval, rate_interval
from stakes.uncertainty.optimism import MinCostOptimism, min_cost_optimism
from stakes.uncertainty.planning import PowerCurve, SamplePlan, cases_needed, power_curve
from stakes.uncertainty.refitting import refitted_interval
from stakes.uncertainty.replicates import Replicates
from stakes.uncertainty.score_comparison import compare_scores
from stakes.uncertainty.sensitivity import BestRanges, best_ranges
from stakes.uncertainty.weighted_intervals import weighted_interval
from stakes.uncertainty.weighted_scores import weighted_score_interval

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
