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

_SUCH = "review=200/day, review=5%, or review=50..200 for both ends"


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
                said = "is not known" if volume is None else f"is known for a {period} alone"
                raise CostError(
                    f"'{self.decision}' is limited for each {self.period}, but how many cases "
                    f"come in a {self.period} {said}.",
                    hint=either(f'volume="10000/{self.period}"', f"--volume 10000/{self.period}"),
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
    found = tuple(_as_limit(decision, said, names) for decision, said in _pairs(capacity, names))
    if not found:
        raise CostError("no limit is given.", hint=_SUCH)
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
        for name, sign, said in parts:
            if not sign and len(parts) == 1 and said[:1].isdigit():
                raise _of_nothing(capacity, said, decisions)
            if not (name and sign and said):
                raise CostError(f"I cannot read the capacity '{capacity}'.", hint=_SUCH)
        return [(name.strip(), said.strip()) for name, _, said in parts]
    if isinstance(capacity, (int, float)):
        raise _of_nothing(capacity, f"{float_of(capacity):g}", decisions)
    several = of_kind(capacity, "capacity", Iterable, hint=_SUCH, error=CostError)
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
    place = place_of(decision, decisions)
    if place is None:
        texts = [str(name) for name in decisions]
        place = texts.index(str(decision)) if texts.count(str(decision)) == 1 else None
    if place is None:
        raise CostError(
            f"the capacity is about '{decision}', which is not a decision here.",
            hint=f"the decisions are {listed(decisions)}:  {decisions[-1]}=200",
        )
    name = decisions[place]
    if isinstance(said, Limit):
        return Limit(name, said.at_most, said.at_least, said.share, said.period)
    if isinstance(said, str):
        return _of_text(name, said)
    if isinstance(said, (tuple, list)) and len(said) == 2:
        low, high = said
        return Limit(name, math.inf if high is None else high, 0.0 if low is None else low)
    return Limit(name, as_number(said, f"capacity of {name}", CostError))


def _of_text(name: Name, text: str) -> Limit:
    """``200``, ``200/day``, ``5%``, ``50..200``, ``50..`` or ``..200``."""
    amounts, slash, period = text.partition("/")
    low, dots, high = (part.strip() for part in amounts.partition(".."))
    share = (high or low).endswith("%")  # the first of two numbers may leave it out
    mixed = low.endswith("%") and not share
    low, high = low.removesuffix("%"), high.removesuffix("%")
    try:
        if mixed:
            raise CostError("one end is a share and the other is not.")
        at_least = _number(low) if dots and low else 0.0
        at_most = _number(high if dots else low) if (high or not dots) else math.inf
        per = read_volume(f"1/{period}")[1] if slash else None
        if share and per:
            raise CostError("a share holds for every period.")
    except StakesError:
        raise CostError(f"I cannot read the capacity '{name}={text}'.", hint=_SUCH) from None
    scale = 0.01 if share else 1.0
    return Limit(name, at_most * scale, at_least * scale, share, per)


def _number(text: str) -> float:
    """A number as people write it, 0 included."""
    return 0.0 if re.fullmatch(r"\s*0+(\.0*)?\s*", text) else read_volume(text)[0]


def refuse_impossible(limits: Sequence[Limit], total: float) -> None:
    """Raise where no decisions keep the limits, with what stands against it."""
    said = "; ".join(map(str, limits))
    raise UndefinedError(
        f"no decisions for {grouped(total)} cases keep all limits: {said}.",
        hint="loosen one of them",
    )
