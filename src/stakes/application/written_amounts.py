"""Amounts as people write them: ``€500``, ``1.5k``, ``500EUR``, and ``250000/yr`` cases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from stakes._checks import of_kind
from stakes.exceptions import CostError
from stakes.messages.audience import either

#: Currencies that may stand beside a number. Other words may be names of columns.
_CURRENCIES = (
    "EUR USD GBP CHF JPY CNY INR SEK NOK DKK PLN CZK HUF RON CAD AUD NZD SGD HKD BRL MXN ZAR TRY "
    "KRW ILS THB"
)
_UNIT = f"[€$£¥₹]|{'|'.join(_CURRENCIES.split())}"
_NUMBER = r"\d[\d,_]*(?:\.\d+)?|\.\d+"
#: One amount: a sign or a unit before or after it, thousands and millions as k and M.
_AMOUNT = re.compile(
    rf"(?P<minus>[-+]?)\s*(?P<before>{_UNIT})?\s*(?P<number>{_NUMBER})\s*"
    rf"(?P<scale>[kKM])?\s*(?P<after>{_UNIT})?"
)
_SCALES = {"k": 3, "K": 3, "M": 6}
#: What a sign may be short for.
_SHORT_FOR = {
    "€": {"EUR"}, "£": {"GBP"}, "¥": {"JPY", "CNY"}, "₹": {"INR"},
    "$": {"USD", "AUD", "CAD", "NZD", "SGD", "HKD", "MXN"},
}  # fmt: skip
_PERIODS = {
    "yr": "year", "year": "year", "y": "year", "mo": "month", "month": "month",
    "wk": "week", "week": "week", "d": "day", "day": "day", "quarter": "quarter",
    "q": "quarter", "h": "hour", "hour": "hour",
}  # fmt: skip
_VOLUME = re.compile(r"\s*([\d_. ]+?)\s*([kKM]?)\s*(?:/\s*(\w+))?\s*")


def plain_amount(text: str) -> tuple[str, str | None]:
    """An amount, or a range of two, as plain numbers, and its unit; other text is unchanged."""
    ends = [_AMOUNT.fullmatch(end.strip()) for end in text.split("..")]
    if len(ends) > 2 or None in ends:
        return text, None
    found = [end for end in ends if end is not None]
    if len({bool(end["scale"]) for end in found}) > 1:
        raise CostError(
            f"'{text}' has k or M at one end only.", hint="write both ends in full:  5000..20000"
        )
    units = [unit for end in found for unit in (end["before"], end["after"]) if unit]
    return "..".join(_scaled(end) for end in found), one_unit(units, f"'{text}'")


def _scaled(amount: re.Match[str]) -> str:
    """The number with its k or M written out."""
    number, places = amount["number"], _SCALES.get(amount["scale"] or "", 0)
    if not places:
        return amount["minus"] + number
    whole, _, decimals = number.replace("_", "").partition(".")
    if "," in whole:
        return amount["minus"] + number  # the comma is refused where the number is read
    moved = whole + decimals[:places].ljust(places, "0") + "." + decimals[places:]
    return amount["minus"] + moved.rstrip(".")


def is_same_unit(one: Any, other: Any) -> bool:
    """Whether two units are the same, of which one may be a sign: € and EUR."""
    return one == other or other in _SHORT_FOR.get(one, ()) or one in _SHORT_FOR.get(other, ())


def one_unit(units: Iterable[str], said: str, beside: str | None = None) -> str | None:
    """The one unit of all amounts, and of `beside` if given; different units are refused."""
    found = list(dict.fromkeys(units))
    for unit in found:
        for other in [*found, *([] if beside is None else [beside])]:
            if not is_same_unit(unit, other):
                raise CostError(
                    f"{said} is in {unit}, and another amount or the unit is in {other}.",
                    hint="give all amounts in one unit",
                )
    return beside if beside is not None or not found else max(found, key=len)


def plain_words(words: Iterable[str], unit: str | None) -> tuple[tuple[str, ...], str | None]:
    """Words such as ``fn=€500`` with plain numbers, and the unit they are in."""
    plain, units = [], []
    for word in words:
        of_kind(word, "cost", str, error=CostError)
        parts = []
        for part in re.split(r",(?=\s*[A-Za-z][\w-]*\s*=)", word):
            key, sign, text = part.partition("=")
            number, found = plain_amount(text)
            units += [found] if found else []
            parts.append(f"{key}{sign}{number}" if sign else part)
        plain.append(",".join(parts))
    return tuple(plain), one_unit(units, "an amount", unit)


def plain_costs(costs: Mapping[Any, Any]) -> tuple[dict[Any, Any], str | None]:
    """A mapping from words to amounts with text such as "€500" as numbers, and their unit."""
    plain, units = dict(costs), []
    for key, amount in costs.items():
        if isinstance(amount, str):
            number, unit = plain_amount(amount)
            units += [unit] if unit else []
            if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)", number):
                plain[key] = float(number)
    return plain, one_unit(units, "an amount")


def read_volume(text: str) -> tuple[float, str | None]:
    """``250000/yr`` as a number of cases and a period."""
    match = _VOLUME.fullmatch(text)
    try:
        number = float(match[1].replace("_", "").replace(" ", "")) if match else 0.0
    except ValueError:
        match = None
    if match is None or number <= 0 or (match[3] and match[3].lower() not in _PERIODS):
        such = either('volume="250000/yr"', "--volume 250000/yr")
        hint = f"Say how many cases there are in a period:  {such}   (also /month, /week, /day)"
        raise CostError(f"I cannot read the volume '{text}'.", hint=hint)
    number *= 10.0 ** _SCALES.get(match[2], 0)
    return number, _PERIODS[match[3].lower()] if match[3] else None


def volume_and_period(volume: Any, period: str | None) -> tuple[Any, str | None]:
    """The number of cases and the period; text such as "10000/month" states both."""
    if not isinstance(volume, str):
        return volume, period
    number, said = read_volume(volume)
    if said is not None and period not in (None, said):
        raise CostError(f"`volume` is per {said}, and `period` is {period!r}.")
    return number, said or period
