"""How large, small and far apart costs may be; beyond that, a slip of the pen is refused."""

from __future__ import annotations

import numpy as np

from stakes.application import Application, CaseCosts, CostMatrix
from stakes.exceptions import CostError
from stakes.report.amounts import grouped
from stakes.typing import FloatArray

__all__ = [
    "refuse_beyond_reckoning",
    "refuse_beyond_squares",
    "refuse_beyond_sums",
    "refuse_beyond_volume",
]

#: Of smaller costs doubles keep fewer digits.
SMALLEST = 1e-300
#: Costs of single cases may add up to this.
MOST = 1e300
#: Fourth powers of costs up to this, and down to its inverse, are numbers.
SQUARED = 1e70
UNIT = "reckon in another unit, e.g. in thousands or in cents"
#: So many times as large may one cost be as another.
FARTHEST = 1e30


def refuse_beyond_reckoning(costs: CostMatrix) -> None:
    """Raise for costs so small or so far apart that ratios of them are no numbers."""
    _refuse_tiny(costs.values)
    if float(np.ptp(costs.values / 2)) > MOST and costs.values.min() < 0:
        raise CostError(
            f"costs must not lie further apart than {MOST:g}; got {costs.values.min():g} and "
            f"{costs.values.max():g}.",
            hint=UNIT,
        )
    gaps = costs.standardized().values
    gaps = gaps[gaps > 0]
    if gaps.size and gaps.max() / FARTHEST > gaps.min():
        raise CostError(
            f"costs may differ by a factor of {FARTHEST:g}; got {gaps.min():g} and {gaps.max():g}.",
            hint="write 0 for what costs nothing beside the rest",
        )


def refuse_beyond_squares(costs: CostMatrix) -> None:
    """Raise for costs of which variances, and what is made of these, are no numbers."""
    largest = float(np.abs(costs.values).max())
    if largest and not 1 / SQUARED <= largest <= SQUARED:
        raise CostError(
            f"the largest cost must lie between {1 / SQUARED:g} and {SQUARED:g}; got {largest:g}.",
            hint=UNIT,
        )


def refuse_beyond_sums(costs: CaseCosts) -> None:
    """Raise for costs of single cases that add up to no number."""
    _refuse_tiny(costs.values)
    cases = len(costs.values)
    largest = float(np.abs(costs.values).max(initial=0.0))
    if largest > MOST / max(1, cases):
        raise CostError(
            f"the costs of {grouped(cases)} cases add up to a number that is too large; the "
            f"largest is {largest:g}.",
            hint=UNIT,
        )


def refuse_beyond_volume(app: Application) -> None:
    """Raise where the cases of a period cost more than there are numbers for."""
    largest = float(np.abs(app.costs.values).max())
    if app.volume is not None and largest > MOST / max(1.0, app.volume):
        raise CostError(
            f"what {grouped(app.volume)} cases cost is too large a number; the largest cost is "
            f"{largest:g}.",
            hint=UNIT,
        )


def _refuse_tiny(values: FloatArray) -> None:
    """Raise for a number of which only some digits are left, or none."""
    sizes = np.abs(values)
    bad = (sizes > 0) & (sizes < SMALLEST)
    if bad.any():
        raise CostError(
            f"a cost must be 0, or {SMALLEST:g} at least; got {values[bad].flat[0]:g} "
            f"({grouped(int(bad.sum()))} of {grouped(bad.size)} costs).",
            hint=UNIT,
        )
