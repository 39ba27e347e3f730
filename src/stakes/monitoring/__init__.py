"""Compare costs over periods and slices, and find what changed more than chance."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.monitoring.period_estimates import PeriodEstimates as PeriodEstimates
    from stakes.monitoring.period_estimates import estimate_periods as estimate_periods
    from stakes.monitoring.periods import Part as Part
    from stakes.monitoring.periods import PeriodChange as PeriodChange
    from stakes.monitoring.periods import compare_periods as compare_periods
    from stakes.monitoring.slice_comparison import Slices as Slices
    from stakes.monitoring.slice_comparison import compare_slices as compare_slices
    from stakes.monitoring.watch import Watch as Watch
    from stakes.monitoring.watch import watch as watch
