"""Uncertainty: intervals, paired comparison, sample sizes, optimism, switch points."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.uncertainty.bands import Band as Band
    from stakes.uncertainty.bands import band as band
    from stakes.uncertainty.bands import best_by_log_odds as best_by_log_odds
    from stakes.uncertainty.comparison import Comparison as Comparison
    from stakes.uncertainty.comparison import compare as compare
    from stakes.uncertainty.differences import Difference as Difference
    from stakes.uncertainty.intervals.any_interval import interval as interval
    from stakes.uncertainty.intervals.any_interval import refitted_interval as refitted_interval
    from stakes.uncertainty.intervals.group_intervals import (
        grouped_score_interval as grouped_score_interval,
    )
    from stakes.uncertainty.intervals.interval import Interval as Interval
    from stakes.uncertainty.intervals.interval import Replicates as Replicates
    from stakes.uncertainty.intervals.interval import rate_interval as rate_interval
    from stakes.uncertainty.intervals.weighted_intervals import (
        weighted_interval as weighted_interval,
    )
    from stakes.uncertainty.intervals.weighted_scores import (
        weighted_score_interval as weighted_score_interval,
    )
    from stakes.uncertainty.optimism import MinCostOptimism as MinCostOptimism
    from stakes.uncertainty.optimism import min_cost_optimism as min_cost_optimism
    from stakes.uncertainty.optimism import threshold_range as threshold_range
    from stakes.uncertainty.sample_plan import PowerCurve as PowerCurve
    from stakes.uncertainty.sample_plan import SamplePlan as SamplePlan
    from stakes.uncertainty.sample_plan import cases_needed as cases_needed
    from stakes.uncertainty.sample_plan import power_curve as power_curve
    from stakes.uncertainty.score_comparison import compare_across as compare_across
    from stakes.uncertainty.score_comparison import compare_scores as compare_scores
    from stakes.uncertainty.sensitivity import BestRanges as BestRanges
    from stakes.uncertainty.sensitivity import best_ranges as best_ranges
