"""How sure we are: intervals, paired comparison, sample sizes, optimism, switch points."""

from stakes.uncertainty.bands import Band, band, best_by_log_odds
from stakes.uncertainty.comparisons.across_data_sets import compare_across
from stakes.uncertainty.comparisons.comparison import Comparison, compare
from stakes.uncertainty.comparisons.differences import Difference
from stakes.uncertainty.comparisons.score_comparison import compare_scores
from stakes.uncertainty.intervals.any_interval import interval
from stakes.uncertainty.intervals.grouped_scores import grouped_score_interval
from stakes.uncertainty.intervals.interval import Interval, rate_interval
from stakes.uncertainty.intervals.refit_interval import refitted_interval
from stakes.uncertainty.intervals.replicates import Replicates
from stakes.uncertainty.intervals.weighted_intervals import weighted_interval
from stakes.uncertainty.intervals.weighted_scores import weighted_score_interval
from stakes.uncertainty.optimism import MinCostOptimism, min_cost_optimism
from stakes.uncertainty.sample_size import PowerCurve, SamplePlan, cases_needed, power_curve
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
