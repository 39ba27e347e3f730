"""Limits on how often a decision may be taken, as people write them: ``review=200/day``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stakes._checks import as_number, float_of, of_kind
from stakes._columns import in_brief
from stakes._names import as_name, as_names, listed, place_of
from stakes.application.written_amounts import read_volume
from stakes.exceptions import CostError, StakesError, UndefinedError
from stakes.messages.audience import either, named
from stakes.messages.quantities import grouped, percent
from stakes.typing import Name

#: A number of cases or a share, perhaps for each period.
_AMOUNT = re.compile(r"[\d.]+%?(/\w+)?")


def _such(decision: Any) -> str:
    """How a limit on a decision is written."""
    return f"{decision}=200/day, {decision}=5%, or {decision}=50..200 for both ends"


@dataclass(frozen=True, slots=True)
class Limit:
    """How often one decision may be taken, and how often it must be.

    Parameters
    ----------
    decision : name
        Which decision is limited.
    at_most, at_least : float
        Number of cases; shares from 0 to 1 if `share`.
    share : bool
        Whether the ends are shares of all cases.
    period : str, optional
        That the ends hold for each "day", "week", ...; how many cases come in one is the
        `volume` of the application.

    Examples
    --------
    >>> Limit("review", at_most=200, period="day")
    Limit(decision='review', at_most=200.0, at_least=0.0, share=False, period='day')
    >>> str(Limit("review", 0.05, 0.01, share=True))
    'review at least 1 % and at most 5 % of cases'
    """

    decision: Name
    at_most: float = math.inf
    at_least: float = 0.0
    share: bool = False
    period: str | None = None

    def __post_init__(self) -> None:
        as_name(self.decision, "decision")
        of_kind(self.share, "share", bool)
        if self.period is not None:
            of_kind(self.period, "period", str)
        most, least = as_number(self.at_most, "at_most"), as_number(self.at_least, "at_least")
        if not 0 <= least <= most:
            raise CostError(
                f"a limit on '{self.decision}' from {least:g} to {most:g} cannot be meant.",
                hint="0 <= at_least <= at_most",
            )
        if self.share and (least > 1 or 1 < most < math.inf):
            wrong = least if least > 1 else most
            raise CostError(f"a share of cases is at most 100 %; got {percent(wrong)}.")
        object.__setattr__(self, "at_most", most)
        object.__setattr__(self, "at_least", least)

    def ends(self, total: float, volume: float | None, period: str | None) -> tuple[float, float]:
        """At least and at most how many of `total` cases; infinite where there is no end.

        A limit for each period is the same share of the cases as of those of a period.
        """
        factor = 1.0
        if self.share:
            factor = total
        elif self.period is not None:
            if volume is None or period != self.period:
                said = "is not known" if period is None else f"is not known, only in a {period}"
                such = "10000" if volume is None or period is not None else f"{volume:g}"
                raise CostError(
                    f"'{self.decision}' is limited for each {self.period}, but how many cases "
                    f"come in a {self.period} {said}.",
                    hint=either(f'volume="{such}/{self.period}"', f"--volume {such}/{self.period}"),
                )
            factor = total / volume
        return self.at_least * factor, self.at_most * factor

    @property
    def ends_words(self) -> str:
        """How often, without the decision."""
        shown = percent if self.share else grouped
        of = " of cases" if self.share else f" per {self.period}" if self.period else ""
        said = [f"at least {shown(self.at_least)}"] if self.at_least > 0 else []
        said += [f"at most {shown(self.at_most)}"] if self.at_most < math.inf else []
        return f"{' and '.join(said) or 'without a limit'}{of}"

    def __str__(self) -> str:
        return f"{self.decision} {self.ends_words}"


def read_limits(capacity: Any, decisions: Sequence[Name]) -> tuple[Limit, ...]:
    """Limits in any form that people give them, each on one of the decisions.

    Parameters
    ----------
    capacity : mapping, text, Limit, or a list of texts or limits
        ``{"review": 200}``, ``{"review": (50, 200)}``, ``{"review": "5%"}``,
        ``"review=200/day"``, or `Limit` itself.
    decisions : sequence of names
        What can be decided.

    Returns
    -------
    tuple of Limit
        In the order in which they were given.

    Examples
    --------
    >>> read_limits("review=50..200/day", ["pay", "review"])[0].at_least
    50.0
    >>> [str(each) for each in read_limits({"review": "5%", "pay": (10, None)}, ["pay", "review"])]
    ['review at most 5 % of cases', 'pay at least 10']
    """
    names = as_names(decisions, "decisions")
    if not names:
        raise CostError("`decisions` must name what can be decided; got none.")
    if len(names) == 1:
        raise CostError(f"'{names[0]}' is the only decision, so nothing can be limited.")
    found = tuple(_as_limit(decision, said, names) for decision, said in _pairs(capacity, names))
    if not found:
        raise CostError("no limit is given.", hint=_such(names[-1]))
    for limit in found:
        _refuse_parts(limit)
    seen = [limit.decision for limit in found]
    if len(set(seen)) < len(seen):
        twice = next(name for name in seen if seen.count(name) > 1)
        raise CostError(f"'{twice}' is limited twice.", hint=f"{twice}=50..200 has both ends")
    return found


def _pairs(capacity: Any, decisions: Sequence[Name]) -> list[tuple[Any, Any]]:
    """Decisions, and what was said of each."""
    if isinstance(capacity, Limit):
        return [(capacity.decision, capacity)]
    if isinstance(capacity, Mapping):
        return list(capacity.items())
    if isinstance(capacity, str):
        parts = [each.strip().rpartition("=") for each in capacity.split(",")]
        for name, sign, amount in parts:
            if not sign and len(parts) == 1 and _AMOUNT.fullmatch(amount):
                raise _of_nothing(capacity, amount, decisions)
            if not (name and sign and amount):
                lacks = "number after" if name else "decision before"
                why = f"the {lacks} = is missing" if sign else "there is no = before the number"
                raise _unreadable(capacity, why, decisions[-1])
        return [(name.strip(), amount.strip()) for name, _, amount in parts]
    if isinstance(capacity, (int, float)):
        raise _of_nothing(capacity, f"{float_of(capacity):g}", decisions)
    such = _such(decisions[-1])
    several = of_kind(capacity, "capacity", Iterable, hint=such, error=CostError)
    return [pair for each in several for pair in _pairs(each, decisions)]


def _of_nothing(capacity: Any, amount: str, decisions: Sequence[Name]) -> CostError:
    """That an amount is given, but not the decision that it limits."""
    said = f"{decisions[-1]}={amount}"
    return CostError(
        f"{named('capacity')} says how often which decision may be taken; "
        f"got {in_brief(capacity)} alone.",
        hint=either(f'capacity="{said}"', f"--capacity {said}"),
    )


def _as_limit(decision: Any, said: Any, decisions: Sequence[Name]) -> Limit:
    """One limit, on a decision that exists."""
    name = decisions[decision_place(decision, decisions, "the capacity")]
    if isinstance(said, Limit):
        return Limit(name, said.at_most, said.at_least, said.share, said.period)
    if isinstance(said, str):
        return _of_text(name, said)
    if isinstance(said, (tuple, list)) and len(said) == 2:
        low, high = said
        return Limit(name, math.inf if high is None else high, 0.0 if low is None else low)
    return Limit(name, as_number(said, f"capacity of {name}", CostError))


def decision_place(decision: Any, decisions: Sequence[Name], what: str) -> int:
    """The position of a decision, also by its name as text; raise if there is none."""
    place = place_of(decision, decisions)
    texts = [str(name) for name in decisions]
    if place is None and texts.count(str(decision)) == 1:
        place = texts.index(str(decision))
    if place is None:
        raise CostError(
            f"{what} is about '{decision}', which is not a decision here.",
            hint=f"the decisions are {listed(decisions)}:  {decisions[-1]}=200",
        )
    return place


def _refuse_parts(limit: Limit) -> None:
    """Raise where a limit allows less than a case, which is usually meant as a share."""
    for end in (limit.at_least, limit.at_most):
        if 0 < end < 1 and not limit.share and limit.period is None:
            raise CostError(
                f"a limit of {end:g} cases on '{limit.decision}' is less than one case.",
                hint=f"did you mean {percent(end)} of cases?  {limit.decision}={100 * end:g}%",
            )


def _unreadable(capacity: Any, why: str, decision: Any) -> CostError:
    """That a capacity cannot be read, and why."""
    return CostError(f"I cannot read the capacity '{capacity}': {why}.", hint=_such(decision))


def _of_text(name: Name, text: str) -> Limit:
    """``200``, ``200/day``, ``5%``, ``50..200``, ``50..`` or ``..200``."""
    amounts, slash, period = text.partition("/")
    low, dots, high = (part.strip() for part in amounts.partition(".."))
    share = (high or low).endswith("%")  # the first of two numbers may leave it out
    mixed = low.endswith("%") and not share
    low, high = low.removesuffix("%"), high.removesuffix("%")
    try:
        if mixed:
            raise CostError("one end is a share and the other is not")
        at_least = _number(low) if dots and low else 0.0
        at_most = _number(high if dots else low) if (high or not dots) else math.inf
        per = _period(period) if slash else None
        if share and per:
            raise CostError("a share holds for every period, so it has none")
    except StakesError as error:
        raise _unreadable(f"{name}={text}", error.message, name) from None
    scale = 0.01 if share else 1.0
    return Limit(name, at_most * scale, at_least * scale, share, per)


def _number(text: str) -> float:
    """A number as people write it, 0 included."""
    try:
        return 0.0 if re.fullmatch(r"\s*0+(\.0*)?\s*", text) else read_volume(text)[0]
    except CostError:
        raise CostError(
            f"'{text}' is not a number of cases" if text else "a number is missing"
        ) from None


def _period(text: str) -> str | None:
    """A day, week, month or year."""
    try:
        return read_volume(f"1/{text}")[1]
    except CostError:
        raise CostError(f"'{text}' is not a day, week, month or year") from None


def refuse_impossible(limits: Sequence[Limit], total: float) -> None:
    """Raise where no decisions keep the limits, with what stands against it."""
    said = "; ".join(f"'{limit.decision}' {limit.ends_words}" for limit in limits)
    raise UndefinedError(
        f"no decisions for {grouped(total)} case{'s' * (total != 1)} keep all limits: {said}.",
        hint="loosen one of them",
    )
