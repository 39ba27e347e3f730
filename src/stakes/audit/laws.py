"""Compliance: the verdict on whether a metric ranks as a cost matrix does, in words and numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stakes.application import CostMatrix
from stakes.audit.witness import RankedPair, Witness
from stakes.results import Frame

__all__ = ["TOLERANCE", "Compliance", "costs_of_arc", "miss_price", "price", "short"]

#: Directions closer than this (in radians) count as the same.
TOLERANCE = 1e-5
#: What can be wrong, and how a sentence says it.
FAILURES = {
    "undefined": "it has no value for any table that was tried",
    "constant": "it gives every table the same value",
    "curved": "its level sets are curved, so it trades one error for another at a price "
    "that depends on the system",
    "not parallel": "its level sets are straight but not parallel, so it trades one error for "
    "another at a price that depends on the system",
    "prevalence": "the slope of its level sets depends on the class frequencies, so the price "
    "of an error hangs on how rare the classes are in the data",
    "ties": "it cannot tell apart systems that its own costs tell apart",
}


@dataclass(frozen=True, slots=True)
class Compliance:
    """Whether a metric ranks as a cost matrix does; made by `compliance`.

    Parameters
    ----------
    metric : str
        Its name.
    compliant : bool
        Whether one cost matrix explains all rankings that were tried.
    failure : str or None
        "curved", "not parallel" (straight level sets), "prevalence", "ties", "constant" or
        "undefined".
    costs : CostMatrix or None
        The costs that explain it, up to row shifts and scale; None when there are none.
    slopes : Frame
        For two classes, the cost of a miss in false alarms at each prevalence that was
        tried, smallest and largest.
    witness : Witness or None
        Pairs that no single cost matrix explains.
    tie : RankedPair or None
        For "ties": two tables with the same value, the cheaper one first.
    undefined_share : float
        Share of the tables tried at which the metric is `nan`.
    """

    metric: str
    compliant: bool
    failure: str | None
    costs: CostMatrix | None
    slopes: Frame
    witness: Witness | None = None
    tie: RankedPair | None = None
    undefined_share: float = 0.0

    @property
    def miss_cost(self) -> float:
        """Cost of a miss in false alarms that explains a two-class metric; else `nan`."""
        if self.costs is None or self.costs.shape != (2, 2):
            return math.nan
        (tn, fp), (fn, tp) = self.costs.values.tolist()
        return miss_price(fn - tp, fp - tn)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.failure is not None:
            return f"{self.metric} ranks as no cost matrix does: {FAILURES[self.failure]}."
        text = f"{self.metric} ranks as an expected cost does"
        if self.costs is not None and self.costs.shape == (2, 2):
            text += f", with {price(self.costs)}"
        if self.undefined_share > 0:
            text += f" (where it is defined: nan at {self.undefined_share:.0%} of the tables tried)"
        return text + "."

    def frame(self) -> Frame:
        """The slopes by prevalence."""
        return self.slopes


def costs_of_arc(middle: float, width: float) -> CostMatrix:
    """The cost matrix of an arc of directions, with the shortest number that lies in it."""
    false_alarm, miss = math.cos(middle), math.sin(middle)
    slack = max(width, TOLERANCE) / 2
    if abs(false_alarm) <= slack:
        return CostMatrix([[0.0, 0.0], [math.copysign(1.0, miss), 0.0]])
    if abs(miss) <= slack:
        return CostMatrix([[0.0, math.copysign(1.0, false_alarm)], [0.0, 0.0]])
    ends = sorted(abs(math.tan(middle + turn)) for turn in (-slack, slack))
    ratio = abs(miss / false_alarm)
    short = (float(f"{ratio:.{digits}g}") for digits in range(1, 15))
    ratio = next((r for r in short if ends[0] <= r <= ends[1]), ratio)
    return CostMatrix([[0.0, math.copysign(1.0, false_alarm)], [math.copysign(ratio, miss), 0.0]])


def short(number: float, digits: int) -> str:
    """A number to so many digits, without powers of ten where people do without them."""
    text = f"{number:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(number) < 1e9 else text


def miss_price(miss: float, false_alarm: float) -> float:
    """Miss over false alarm; infinite when only misses count."""
    if abs(false_alarm) < TOLERANCE * abs(miss):
        return math.inf if miss > 0 else -math.inf
    return 0.0 if abs(miss) < TOLERANCE * abs(false_alarm) else miss / false_alarm


def price(costs: CostMatrix) -> str:
    """What two-class costs make of a miss, in words."""
    (tn, fp), (fn, tp) = costs.values.tolist()
    false_alarm, miss = fp - tn, fn - tp
    if min(false_alarm, miss) < 0:
        wanted = [n for n, c in (("false alarms", false_alarm), ("misses", miss)) if c < 0]
        return f"{' and '.join(wanted)} rewarded"
    ratio = miss_price(miss, false_alarm)
    if math.isinf(ratio):
        return "only misses counting"
    if ratio == 0:
        return "only false alarms counting"
    plural = "" if short(ratio, 4) == "1" else "s"
    return f"a miss counting as {short(ratio, 4)} false alarm{plural}"
