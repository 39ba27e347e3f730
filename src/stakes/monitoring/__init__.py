"""Is it still what it was? Costs over periods and by segment: what moved more than chance."""

from stakes.monitoring.periods import Part, PeriodChange, compare_periods
from stakes.monitoring.segments import Segments, compare_segments
from stakes.monitoring.watch import Watch, watch

__all__ = [
    "Part",
    "PeriodChange",
    "Segments",
    "Watch",
    "compare_periods",
    "compare_segments",
    "watch",
]
