"""Numbers as people read them: groups of three digits, amounts of money, shares."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

#: Floats from here on have lost their last digits, so these are not printed.
_VAST = 1e15


def grouped(number: float) -> str:
    """A count with its digits in groups of three, e.g. ``20 000``; weights keep one decimal."""
    if abs(number) >= _VAST:
        return f"{float(number):.2e}"
    if float(number).is_integer():
        return f"{int(number):,}".replace(",", " ")
    return f"{number:,.1f}".replace(",", " ")


def plain(number: float, digits: int = 4) -> str:
    """A number to `digits` significant digits, never in exponent form for everyday sizes."""
    if not math.isfinite(number):
        return str(number)
    if number == 0:
        return "0"
    if abs(number) >= 10**digits:
        return grouped(round(number))
    if abs(number) < 1e-4:
        return f"{number:.{digits - 1}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(number))))
    text = f"{number:,.{decimals}f}".replace(",", " ")
    return text.rstrip("0").rstrip(".") if "." in text else text


def digits_apart(numbers: Iterable[float]) -> int:
    """How many digits make all borders read differently: two, three or four."""
    ends = sorted({number for number in numbers if math.isfinite(number)})
    for digits in (2, 3):
        if len({plain(end, digits) for end in ends}) == len(ends):
            return digits
    return 4


def amount(number: float) -> str:
    """A short amount for a table: three significant digits with k, M, G or T."""
    size = abs(number)
    if size >= 0.9995 * _VAST:
        return f"{number:.2e}"
    for factor, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= 0.9995 * factor * (10 if letter == "k" else 1):
            shown = number / factor  # three significant digits
            decimals = 0 if abs(shown) >= 99.95 else 1 if abs(shown) >= 9.995 else 2
            return f"{shown:.{decimals}f} {letter}"
    return plain(number, 4 if size >= 1000 else 3)


# The one rule for the digits of thresholds: docs/design/rules.md.
def cut_text(cut: float, scores: Any = None, *, above: bool = True, including: bool = False) -> str:
    """A threshold, to three significant digits.

    With `scores`, the shortest number of at least three digits that separates them as the threshold
    does, in their type: the scores above it from the others, or those below it. With `including`,
    scores at the threshold belong to the separated ones.
    """
    if scores is None or not len(scores) or not math.isfinite(cut):
        return plain(cut, 3)
    compared = (operator.lt, operator.gt, operator.le, operator.ge)
    beyond = compared[2 * including + above]
    wanted = beyond(scores, scores.dtype.type(cut))
    for digits in range(3, 18):
        for text in _near(cut, digits):
            if (beyond(scores, scores.dtype.type(text.replace(" ", ""))) == wanted).all():
                return text
    return repr(float(cut))


def _near(number: float, digits: int) -> Iterator[str]:
    """The nearest number with this many significant digits, then the next above and below."""
    yield plain(number, digits)
    if 1e-4 <= abs(number) < 1:
        step = Decimal(1).scaleb(math.floor(math.log10(abs(number))) + 1 - digits)
        for rounding in (ROUND_CEILING, ROUND_FLOOR):
            yield str(Decimal(number).quantize(step, rounding).normalize())


def money(number: float, unit: str | None) -> str:
    """An amount for a sentence: rounded to three significant digits, with its unit."""
    if not math.isfinite(number):
        return "an unknown amount"
    if number:
        number = round(number, 2 - math.floor(math.log10(abs(number))))
    text = plain(number, 3) if abs(number) < 1000 else grouped(round(number))
    return f"{text} {unit}" if unit else text


def aligned(
    numbers: Sequence[float], digits: int = 4, like: Sequence[float] | None = None
) -> list[str]:
    """Numbers of one column with equal decimals, so that the largest has `digits` digits.

    With `like`, the decimals are those of such a column of these numbers.
    """
    column = numbers if like is None else like
    largest = max((abs(number) for number in column if math.isfinite(number)), default=0.0)
    if largest == 0 or largest >= _VAST or largest < 1e-6:
        return [plain(number, digits) for number in numbers]
    decimals = max(0, digits - 1 - math.floor(math.log10(largest)))
    return [f"{number + 0.0:,.{decimals}f}".replace(",", " ") for number in numbers]


def signed(changes: Sequence[float], like: Sequence[float] | None = None) -> list[str]:
    """Changes of one column with their sign, to three digits; nothing for those not known."""
    texts = aligned([0.0 if math.isnan(change) else change for change in changes], 3, like)
    texts = [t.lstrip("-") if not t.strip("-0.") else t for t in texts]  # zero without a sign
    return [
        "" if math.isnan(change) else t if t.startswith("-") or not t.strip("0.") else f"+{t}"
        for change, t in zip(changes, texts, strict=True)
    ]


def normalized(nec: float | None) -> str:
    """A NEC for a table: three decimals, or "undefined"."""
    return "undefined" if nec is None else f"{round(nec, 3) + 0.0:.3f}"


def between(limits: Sequence[float | None] | None) -> str:
    """An interval of a NEC for a table; empty when there is none."""
    if not limits or None in limits:
        return ""
    return " – ".join(normalized(limit) for limit in limits)


def per_case(number: float) -> str:
    """A cost per case: four significant digits."""
    return plain(number, 4)


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage, e.g. ``7.8 %``; tiny shares keep two significant digits."""
    value = 100 * share
    if value and abs(value) < 0.1:
        return f"{value:.2g} %"
    text = f"{value:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"
