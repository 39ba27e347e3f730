"""A condition such as ``cost>0.5``, or ``gbm:nec>0.5`` about one model."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import NamedTuple

from stakes.exceptions import DataError

__all__ = ["Condition", "read_condition"]

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


class Condition(NamedTuple):
    """One figure, of what is named or of what is usual, compared with a limit."""

    about: str | None
    figure: str
    sign: str
    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value of the figure is on the side that is meant; one that is undefined is."""
        return math.isnan(value) or _COMPARISONS[self.sign](value, self.limit)


def read_condition(text: str, *figures: str) -> Condition | None:
    """The condition that a text says about one of the figures; None if it says none."""
    known = "|".join(figures)
    match = re.fullmatch(rf"\s*(?:(.+):)?\s*({known})\s*(>=|<=|>|<)\s*([-+.\w]+)\s*", text)
    try:
        limit = float(match[4]) if match else math.nan
    except ValueError:
        limit = math.nan
    if match is not None and math.isinf(limit):
        raise DataError(
            f"the limit of '{text}' is not finite, so that the condition could never change.",
            hint=f"give a number:  '{match[2]}{match[3]}0.5'",
        )
    if match is None or math.isnan(limit):  # nothing is above or below nan
        return None
    return Condition(match[1], match[2], match[3], limit)
