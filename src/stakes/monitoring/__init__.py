"""Is it still what it was? Costs over periods and by slice: what moved more than chance."""

from stakes.monitoring.periods import Part, PeriodChange, compare_periods
from stakes.monitoring.slice_comparison import Slices, compare_slices
from stakes.monitoring.watch import Watch, watch

__all__ = [
    "Part",
    "PeriodChange",
    "Slices",
    "Watch",
    "compare_periods",
    "compare_slices",
    "watch",
]
