"""Statements about the cost ratio, and what happens when two of them cannot both be true."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stakes.elicitation.ratio import RatioInterval
from stakes.exceptions import CostError, DataError

__all__ = ["Contradiction", "Statement", "agreed_ratio", "contradictions", "refuse_positions"]

#: How many times further an open end is thought of, beyond the bounds of the conversation.
OPEN = 10.0


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was said, and what it implies: `low` <= ratio <= `high`.

    The ratio is the number of false alarms that one miss is worth. Made by the routes, such
    as `ratio_between` and `ratio_from_threshold`, and by answers to questions.

    Parameters
    ----------
    low, high : float
        From 0 to infinity; low above high when the statement contradicts itself.
    said : str
        What was said, in words.
    route : str
        The way by which it was found.
    inputs : mapping
        What the route was given, so that it can be replayed.
    name, date : str
        Who said it and when, if it was noted.

    Examples
    --------
    >>> Statement(5, 20, "a miss is worth 5 to 20 false alarms", "ratio")
    Statement('a miss is worth 5 to 20 false alarms': ratio from 5 to 20)
    """

    low: float
    high: float
    said: str
    route: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        if math.isnan(self.low) or math.isnan(self.high):
            raise CostError(f"a ratio must be a number; got {self.low!r} to {self.high!r}.")

    @property
    def is_possible(self) -> bool:
        """Whether some ratio agrees with it."""
        return self.low <= self.high and self.high > 0 and self.low < math.inf

    def signed(self, name: str = "", date: str = "") -> Statement:
        """The same statement with who said it and when."""
        return replace(self, name=name, date=date)

    def __repr__(self) -> str:
        if not self.is_possible:
            return f"Statement({self.said!r}: no ratio agrees)"
        return f"Statement({self.said!r}: ratio from {self.low:.6g} to {self.high:.6g})"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Statements that cannot all be true; found by `contradictions`.

    Parameters
    ----------
    positions : tuple of int
        Which of the statements: one that contradicts itself, or two.
    statements : tuple of Statement
        The statements themselves.
    """

    positions: tuple[int, ...]
    statements: tuple[Statement, ...]

    def __str__(self) -> str:
        first = self.statements[0]
        if len(self.statements) == 1:
            return f"this answer contradicts itself: {first.said} ({_implied(first)})."
        second = self.statements[1]
        return (
            f"these two answers contradict: {first.said} ({_implied(first)}); {second.said} "
            f"({_implied(second)}). Which one do you keep?"
        )


def contradictions(statements: Sequence[Statement]) -> tuple[Contradiction, ...]:
    """All statements that contradict themselves, and all pairs that contradict each other.

    Intervals that meet in pairs have a point in common, so when nothing is found, some ratio
    agrees with everything that was said.

    Parameters
    ----------
    statements : sequence of Statement
        What was said.

    Returns
    -------
    tuple of Contradiction
        Empty when all can be true.

    Examples
    --------
    >>> from stakes.elicitation import ratio_between, ratio_from_threshold
    >>> print(contradictions([ratio_between(5, 20), ratio_from_threshold(0.5)])[0])
    these two answers contradict: one miss is worth 5 to 20 false alarms (ratio 5 to 20); you act
    at 50 % (ratio 1). Which one do you keep?
    """
    found = [
        Contradiction((k,), (each,)) for k, each in enumerate(statements) if not each.is_possible
    ]
    possible = [(k, each) for k, each in enumerate(statements) if each.is_possible]
    for (i, first), (j, second) in itertools.combinations(possible, 2):
        if max(first.low, second.low) > min(first.high, second.high):
            found.append(Contradiction((i, j), (first, second)))
    return tuple(found)


def agreed_ratio(
    statements: Sequence[Statement], *, low: float = 1e-3, high: float = 1e3
) -> RatioInterval:
    """The ratios that agree with everything that was said.

    Contradictions are not averaged away: they are an error that shows the first of them.

    Parameters
    ----------
    statements : sequence of Statement
        What was said.
    low, high : float
        The ratios that are thought of at all; what was said wins over them. Where it lies beyond
        them and is open to one side, ten times more is thought of.

    Returns
    -------
    RatioInterval
        False alarms per miss.

    Examples
    --------
    >>> from stakes.elicitation import ratio_between, ratio_from_threshold
    >>> agreed_ratio([ratio_between(5, 20), ratio_from_threshold(0.1, 0.125)])
    RatioInterval(low=7.0, high=9.0)
    """
    clashes = contradictions(statements)
    if clashes:
        raise CostError(
            str(clashes[0]),
            hint="take one of them back: .without(position); "
            f"positions {', '.join(str(each.positions) for each in clashes)}",
        )
    least = max((each.low for each in statements), default=0.0)
    most = min((each.high for each in statements), default=math.inf)
    if least >= high:  # beyond the bounds of the conversation: what was said wins
        low, high = least, most if most < math.inf else least * OPEN
    elif most <= low:
        low, high = least if least > 0 else most / OPEN, most
    else:
        low, high = max(low, least), min(high, most)
    return RatioInterval(low, high)


def refuse_positions(positions: Sequence[int], count: int) -> None:
    """Raise unless each position is that of a statement, counted from 0."""
    wrong = [k for k in positions if not 0 <= k < count]
    if wrong:
        said = f"there are {count}" if count else "nothing was said"
        raise DataError(f"no statement at position {wrong[0]!r}; {said}, counted from 0.")


def _implied(statement: Statement) -> str:
    """The range in few characters."""
    low, high = f"{statement.low:.3g}", f"{statement.high:.3g}"
    if not statement.is_possible:
        return "no ratio agrees"
    if statement.high == math.inf:
        return f"ratio above {low}"
    if statement.low == 0:
        return f"ratio below {high}"
    return f"ratio {low}" if low == high else f"ratio {low} to {high}"
