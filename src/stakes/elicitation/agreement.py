"""The cost ratios that all statements agree on, and statements that contradict each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stakes._checks import as_number, keep_numbers, of_kind, positive_share
from stakes.application import Application, Between, CostMatrix, UncertainApplication
from stakes.application.cost_sentences import shown, spoken
from stakes.exceptions import CostError, DataError
from stakes.typing import Name, Priors


@dataclass(frozen=True, slots=True)
class RatioInterval:
    """One miss costs as much as `low` to `high` false alarms.

    With two classes and two decisions, decisions depend on the costs only through this ratio.
    It is always in false alarms per miss, because "cost ratio" can mean either direction.

    Parameters
    ----------
    low, high : float
        Both positive, the lower first; equal when the ratio is known.

    Examples
    --------
    >>> ratio = RatioInterval(5, 20)
    >>> ratio.middle, [round(end, 3) for end in ratio.weights]
    (10.0, [0.833, 0.952])
    >>> print(ratio.describe("churn"))
    one missed 'churn' costs as much as 5 to 20 false alarms
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        keep_numbers(self, "low", "high", error=CostError)
        if not (0 < self.low <= self.high < math.inf):
            raise CostError(
                f"a ratio lies between two positive ends, the lower first; got {self.low!r} and "
                f"{self.high!r}."
            )

    @property
    def middle(self) -> float:
        """The geometric middle of both ends."""
        return math.sqrt(self.low * self.high)

    @property
    def factor(self) -> float:
        """The high end divided by the low one."""
        return self.high / self.low

    @property
    def weights(self) -> tuple[float, float]:
        """The ends as cost weights C_FN / (C_FN + C_FP) (`wa2025` eq 4 and A.1)."""
        return self.low / (1 + self.low), self.high / (1 + self.high)

    def effective_priors(self, priors: Priors) -> tuple[float, float]:
        """The ends as effective priors; `priors` is the share of positives, or of both classes."""
        prior = positive_share(priors, inside=True)
        low, high = (prior * end / (prior * end + 1 - prior) for end in (self.low, self.high))
        return low, high

    def application(self, *, false_alarm: float = 1.0, **settings: Any) -> UncertainApplication:
        """An application in which a false alarm costs `false_alarm` and the miss is a range.

        `settings` are those of `UncertainApplication.binary`: priors, classes, unit and so on.
        """
        false_alarm = as_number(false_alarm, "false_alarm", CostError)
        miss = Between(self.low * false_alarm, self.high * false_alarm)
        return UncertainApplication.binary(
            false_positive=false_alarm, false_negative=miss, **settings
        )

    def middle_application(
        self,
        *,
        classes: Sequence[Any] | None = None,
        priors: Any = None,
        false_alarm: float = 1.0,
        **settings: Any,
    ) -> Application:
        """The application at the geometric middle; a false alarm costs 1 by default."""
        false_alarm = as_number(false_alarm, "false_alarm", CostError)
        miss = self.middle * false_alarm
        costs = CostMatrix.binary(false_positive=false_alarm, false_negative=miss, classes=classes)
        return Application(costs, priors, **settings)

    def describe(self, positive: Name = "positive") -> str:
        """The interval in words, in the user's own names."""
        return _ratio_words(self.low, self.high, positive)


def _ratio_words(low: float, high: float, positive: Name) -> str:
    """A ratio or range in words: the costlier error in multiples of the cheaper one."""
    missed = f"missed '{shown(positive)}'"
    if low >= 1 or (low < 1 < high and low * high >= 1):
        return f"one {missed} costs as much as {_range(low, high)} false alarms"
    return f"one false alarm costs as much as {_range(1 / high, 1 / low)} {missed}"


def _range(low: float, high: float) -> str:
    """From one number to another, with three digits."""
    first, second = (spoken(float(f"{end:.3g}")) for end in (low, high))
    if high == math.inf:
        return f"{first} or more"
    if low == 0:
        return f"at most {second}"
    return first if first == second else f"{first} to {second}"


#: Factor by which an open range extends when it lies beyond the bounds of the conversation.
_OPEN = 10.0


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement and what it implies: `low` <= ratio <= `high`.

    The ratio is the number of false alarms that one miss is worth. Statements come from routes,
    such as `ratio_between` and `ratio_from_threshold`, and from answers to questions.

    Parameters
    ----------
    low, high : float
        From 0 to infinity; low is above high if the statement contradicts itself.
    said : str
        The statement in words.
    route : str
        The kind of statement.
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
        keep_numbers(self, "low", "high", error=CostError)
        if math.isnan(self.low) or math.isnan(self.high):
            raise CostError(f"a ratio must be a number; got {self.low!r} to {self.high!r}.")

    @property
    def is_possible(self) -> bool:
        """Whether any ratio agrees with it."""
        return self.low <= self.high and self.high > 0 and self.low < math.inf

    def signed(self, name: str = "", date: str = "") -> Statement:
        """The same statement with a name and a date."""
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

    Intervals that overlap in pairs have a point in common, so if nothing is found, some ratio
    agrees with all statements.

    Parameters
    ----------
    statements : sequence of Statement
        The statements.

    Returns
    -------
    tuple of Contradiction
        Empty if all can be true.

    Examples
    --------
    >>> from stakes.elicitation import ratio_between, ratio_from_threshold
    >>> print(contradictions([ratio_between(5, 20), ratio_from_threshold(0.5)])[0])
    these two answers contradict: one miss is worth 5 to 20 false alarms (ratio 5 to 20); you act
    at 50 % (ratio 1). Which one do you keep?
    """
    statements = as_statements(statements)
    found = [
        Contradiction((k,), (each,)) for k, each in enumerate(statements) if not each.is_possible
    ]
    possible = [(k, each) for k, each in enumerate(statements) if each.is_possible]
    for (i, first), (j, second) in itertools.combinations(possible, 2):
        low, high = max(first.low, second.low), min(first.high, second.high)
        preferred = first.route == second.route == "preference"
        if low > high or (preferred and low == high):  # a preference excludes indifference
            found.append(Contradiction((i, j), (first, second)))
    return tuple(found)


def as_statements(statements: Any) -> tuple[Statement, ...]:
    """The statements as a tuple, checked."""
    given = of_kind(statements, "statements", Iterable, error=CostError)
    hint = "statements come from ratio_between(...), ratio_from_threshold(...) and their like"
    return tuple(
        of_kind(each, "statements", Statement, hint=hint, error=CostError) for each in given
    )


def agreed_ratio(
    statements: Sequence[Statement], *, low: float = 1e-3, high: float = 1e3
) -> RatioInterval:
    """The ratios that agree with all statements.

    Contradictions are not averaged away: they raise an error that shows the first of them.

    Parameters
    ----------
    statements : sequence of Statement
        The statements.
    low, high : float
        The ratios that are considered unless statements lie beyond them. A range of statements
        beyond them that is open to one side ends after a factor of ten.

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
    statements, low, high = (
        as_statements(statements),
        as_number(low, "low"),
        as_number(high, "high"),
    )
    clashes = contradictions(statements)
    if clashes:
        raise CostError(
            str(clashes[0]),
            hint="take one of them back: .without(position); "
            f"positions {', '.join(str(each.positions) for each in clashes)}",
        )
    least = max((each.low for each in statements), default=0.0)
    most = min((each.high for each in statements), default=math.inf)
    if least >= high:  # statements beyond the bounds win
        low, high = least, most if most < math.inf else least * _OPEN
    elif most <= low:
        low, high = least if least > 0 else most / _OPEN, most
    else:
        low, high = max(low, least), min(high, most)
    return RatioInterval(low, high)


def alarm_in(unit: str, statements: Sequence[Statement] = ()) -> float:
    """The cost of a false alarm in a unit, from the amounts stated last; raises without any."""
    amounts = [each.inputs for each in statements if each.route == "amounts"]
    if not amounts:
        raise CostError(
            f"what was learnt is a ratio, not an amount: a cost of 1 would read as 1 {unit}.",
            hint="leave the unit out, or state amounts in it:  --amounts fn=200..400 fp=10",
        )
    (low, high), (least, most) = amounts[-1]["fp"], amounts[-1]["tn"]
    return math.sqrt((low - most) * (high - least))


def without_some(statements: Sequence[Any], positions: Sequence[int]) -> tuple[Any, ...]:
    """The statements except those at these positions, which count from 0 and must exist."""
    count = len(statements)
    wrong = [k for k in positions if not 0 <= k < count]
    if wrong:
        said = f"there are {count}" if count else "nothing was said"
        raise DataError(f"no statement at position {wrong[0]!r}; {said}, counted from 0.")
    return tuple(each for k, each in enumerate(statements) if k not in positions)


def _implied(statement: Statement) -> str:
    """The implied range in a few characters."""
    low, high = f"{statement.low:.3g}", f"{statement.high:.3g}"
    if not statement.is_possible:
        return "no ratio agrees"
    if statement.high == math.inf:
        return f"ratio above {low}"
    if statement.low == 0:
        return f"ratio below {high}"
    return f"ratio {low}" if low == high else f"ratio {low} to {high}"
