"""From the words of the command line to an Application: costs, unit, volume, shares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application, CaseCosts, CostExpression, CostMatrix, case_costs
from stakes.exceptions import CostError, DataError, PriorError
from stakes.messages.audience import speaking_of
from stakes.messages.quantities import grouped
from stakes.sources.cells import DECIMAL_COMMA
from stakes.sources.table import Table
from stakes.typing import FloatArray

#: Of smaller costs doubles keep fewer digits.
_SMALLEST = 1e-300
#: Costs of single cases may add up to this.
_MOST = 1e300
#: Fourth powers of costs up to this, and down to its inverse, are numbers.
_SQUARED = 1e70
_UNIT = "reckon in another unit, e.g. in thousands or in cents"
#: So many times as large may one cost be as another.
_FARTHEST = 1e30


def refuse_beyond_reckoning(costs: CostMatrix) -> None:
    """Raise for costs so small or so far apart that ratios of them are no numbers."""
    _refuse_tiny(costs.values)
    if float(np.ptp(costs.values / 2)) > _MOST and costs.values.min() < 0:
        raise CostError(
            f"costs must not lie further apart than {_MOST:g}; got {costs.values.min():g} and "
            f"{costs.values.max():g}.",
            hint=_UNIT,
        )
    gaps = costs.standardized().values
    gaps = gaps[gaps > 0]
    if gaps.size and gaps.max() / _FARTHEST > gaps.min():
        raise CostError(
            f"costs may differ by a factor of {_FARTHEST:g}; got {gaps.min():g} and "
            f"{gaps.max():g}.",
            hint="write 0 for what costs nothing beside the rest",
        )


def refuse_beyond_squares(costs: CostMatrix) -> None:
    """Raise for costs of which variances, and what is made of these, are no numbers."""
    largest = float(np.abs(costs.values).max())
    if largest and not 1 / _SQUARED <= largest <= _SQUARED:
        raise CostError(
            f"the largest cost must lie between {1 / _SQUARED:g} and {_SQUARED:g}; got "
            f"{largest:g}.",
            hint=_UNIT,
        )


def _refuse_beyond_sums(costs: CaseCosts) -> None:
    """Raise for costs of single cases that add up to no number."""
    _refuse_tiny(costs.values)
    cases = len(costs.values)
    largest = float(np.abs(costs.values).max(initial=0.0))
    if largest > _MOST / max(1, cases):
        raise CostError(
            f"the costs of {grouped(cases)} cases add up to a number that is too large; the "
            f"largest is {largest:g}.",
            hint=_UNIT,
        )


def refuse_beyond_volume(app: Application) -> None:
    """Raise where the cases of a period cost more than there are numbers for."""
    largest = float(np.abs(app.costs.values).max())
    if app.volume is not None and largest > _MOST / max(1.0, app.volume):
        raise CostError(
            f"what {grouped(app.volume)} cases cost is too large a number; the largest cost is "
            f"{largest:g}.",
            hint=_UNIT,
        )


def _refuse_tiny(values: FloatArray) -> None:
    """Raise for a number of which only some digits are left, or none."""
    sizes = np.abs(values)
    bad = (sizes > 0) & (sizes < _SMALLEST)
    if bad.any():
        raise CostError(
            f"a cost must be 0, or {_SMALLEST:g} at least; got {values[bad].flat[0]:g} "
            f"({grouped(int(bad.sum()))} of {grouped(bad.size)} costs).",
            hint=_UNIT,
        )


_KEYS = {
    "fn": "fn",
    "fp": "fp",
    "tp": "tp",
    "tn": "tn",
    "miss": "fn",
    "false_alarm": "fp",
    "error": "error",
}
_PERIODS = {
    "yr": "year", "year": "year", "y": "year", "mo": "month", "month": "month",
    "wk": "week", "week": "week", "d": "day", "day": "day", "quarter": "quarter",
    "q": "quarter", "h": "hour", "hour": "hour",
}  # fmt: skip
_DASH_RANGE = re.compile(r"\d+(?:\.\d+)?-\d+(?:\.\d+)?")
_GAIN = "Say:  --gain tp=40 fp=-4   (what a decision brings in, a loss with a minus)"


@dataclass(frozen=True, slots=True)
class CostWords:
    """The short form: amounts by fn, fp, tp, tn (or `error`), as numbers or expressions."""

    amounts: dict[str, str]
    gain: bool = False

    @property
    def same_for_all_errors(self) -> bool:
        """Whether only ``error=`` was given."""
        return "error" in self.amounts

    @property
    def columns(self) -> list[str]:
        """The columns that the amounts speak of; none for plain numbers."""
        return [name for text in self.amounts.values() for name in CostExpression(text).columns]


def cost_words(words: Sequence[str], gain: Sequence[str]) -> CostWords | None:
    """``fn=10 fp=1``; None when nothing was said.

    Gains take the place of costs: ``tp=40 fp=-4``, or ``("",)`` that these are gains.
    """
    amounts: dict[str, str] = {}
    alone = tuple(gain) == ("",)
    if gain and not alone:
        if words:
            raise CostError("amounts are given twice: by --gain and as costs.", hint=_GAIN)
        return _gain_words(gain)
    pairs = [_split(word) for group in words for word in _listed(group)]
    for key, text in pairs:
        if key in amounts:
            raise CostError(f"the cost '{key}' is given twice ({amounts[key]} and {text}).")
        amounts[key] = text
    if not amounts:
        return None
    if "error" in amounts and len(amounts) > 1:
        raise CostError("`error=` is the cost of every error; leave the others out.")
    if "error" not in amounts and not {"fn", "fp"} <= set(amounts):
        absent = "fp" if "fn" in amounts else "fn"
        what = {"fp": "a false alarm", "fn": "a miss"}[absent]
        raise CostError(
            f"the cost of {what} ({absent}) is missing.",
            hint="Say both:  --cost fn=10 fp=1   (write 0 if it is really free)",
        )
    return CostWords(amounts, alone)


def _gain_words(words: Sequence[str]) -> CostWords:
    """``tp=40 fp=-4``; what is not said is 0."""
    pairs = [_split(word) for group in words for word in _listed(group)]
    amounts = dict(pairs)
    if len(amounts) < len(pairs):
        raise CostError("a gain is given twice.", hint=_GAIN)
    for first, second, outcome in (("tp", "fn", "acted on"), ("tn", "fp", "left alone")):
        if not {first, second} & set(amounts):
            raise CostError(
                f"nothing is said about the outcome that should be {outcome}: {first}= or "
                f"{second}=.",
                hint=_GAIN,
            )
    return CostWords({key: amounts.get(key, "0") for key in ("fn", "fp", "tp", "tn")}, True)


def _listed(group: str) -> list[str]:
    """``fn=10,fp=1`` as its words; a comma inside a number is refused."""
    if re.fullmatch(r"[^=,]+=[-+\d.\s]*\d,\d+\s*", group):
        key, _, number = (part.strip() for part in group.partition("="))
        plain = number.replace(",", "." if DECIMAL_COMMA.fullmatch(number) else "")
        plain = "1000.5" if "." in number else plain
        raise CostError(
            f"'{group}' has a comma inside a number.",
            hint=f"with a point before decimals, and nothing between thousands:  {key}={plain}",
        )
    return group.split(",")


def _split(word: str) -> tuple[str, str]:
    """``fn=10`` as its two sides."""
    key, sign, text = word.partition("=")
    name = _KEYS.get(key.strip().lower().replace("-", "_"))
    if not sign or name is None or not text.strip():
        raise CostError(
            f"'{word}' is not a cost.",
            hint="Say:  --cost fn=10 fp=1   (also tp=, tn=; or error=1 when all errors cost the "
            "same). The file comes first:  stakes eval data.csv --cost ...",
        )
    if text.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise CostError(
            f"a cost must be a finite number; got {word}.",
            hint="an amount, or arithmetic over columns:  --cost fn=10 fp='0.05*amount'",
        )
    if _DASH_RANGE.fullmatch(text.strip()):
        low, _, high = text.strip().partition("-")
        raise CostError(
            f"'{word}' reads as {low} minus {high}.",
            hint=f"a range is written {key.strip()}={low}..{high}; a difference with a space "
            f"around its sign",
        )
    return name, text.strip()


def binary_costs(words: CostWords, classes: tuple[str, ...]) -> CostMatrix:
    """The matrix of two classes, the second of them the one that is acted on."""
    amounts = {key: _number(text) for key, text in words.amounts.items()}
    if words.same_for_all_errors:
        costs = CostMatrix.zero_one(classes).scaled(_positive(amounts["error"]))
        refuse_beyond_reckoning(costs)
        return costs
    sign = -1.0 if words.gain else 1.0
    costs = CostMatrix.binary(
        false_positive=sign * amounts["fp"],
        false_negative=sign * amounts["fn"],
        true_positive=sign * amounts.get("tp", 0.0) + 0.0,
        true_negative=sign * amounts.get("tn", 0.0) + 0.0,
        classes=classes,
    )
    refuse_beyond_reckoning(costs)
    return costs


def binary_case_costs(
    words: CostWords, classes: tuple[str, ...], table: Table, rows: Any
) -> CaseCosts:
    """One matrix per case, from formulas over the columns; `rows` are the cases that count."""
    columns = {name: _column(name, words, table)[rows] for name in words.columns}
    with speaking_of(rows=rows):
        costs = case_costs(columns, words.amounts, classes=classes, decisions=classes)
    _refuse_beyond_sums(costs)
    return CaseCosts(0.0 - costs.values, classes, classes) if words.gain else costs


def _column(name: str, words: CostWords, table: Table) -> Any:
    """A column that an amount speaks of."""
    try:
        return table.numbers(name)
    except DataError as error:
        said = next(f"{k}={text}" for k, text in words.amounts.items() if name in text)
        raise CostError(
            f"--cost {said}: {error.message}",
            hint="an amount is a number, or arithmetic over columns of numbers:  "
            "fn=10   fp='0.05*amount'",
        ) from None


def volume(text: str | None) -> tuple[float | None, str | None]:
    """``250000/yr`` as a number of cases and a period."""
    if text is None:
        return None, None
    match = re.fullmatch(r"\s*([\d_. ]+?)\s*([kKM]?)\s*(?:/\s*(\w+))?\s*", text)
    try:
        number = float(match[1].replace("_", "").replace(" ", "")) if match else 0.0
    except ValueError:
        match = None
    if match is None or number <= 0 or (match[3] and match[3].lower() not in _PERIODS):
        raise CostError(
            f"I cannot read the volume '{text}'.",
            hint="Say how many cases there are in a period:  --volume 250000/yr   "
            "(also /month, /week, /day)",
        )
    number *= {"": 1, "k": 1e3, "K": 1e3, "M": 1e6}[match[2]]
    return number, _PERIODS[match[3].lower()] if match[3] else None


def shares(text: str, classes: tuple[str, ...]) -> list[float]:
    """``0.02``, ``2%``, ``cat=.5,dog=.3,fox=.2`` or ``.5,.3,.2`` as one share per class."""
    if ".." in text:
        raise PriorError(
            f"'{text}' is a range; I need one number for each outcome.",
            hint="run once for each end of the range",
        )
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if any("=" in part for part in parts):
        return _named_shares(parts, classes, text)
    values = [_share(part, text) for part in parts]
    if len(values) == 1 and len(classes) == 2:
        return [1 - values[0], values[0]]
    if len(values) != len(classes):
        raise PriorError(
            f"'{text}' gives {len(values)} share{'s' if len(values) != 1 else ''} for "
            f"{len(classes)} outcomes.",
            hint="name them:  --prevalence " + ",".join(f"{name}=..." for name in classes),
        )
    return values


def _named_shares(parts: Sequence[str], classes: tuple[str, ...], text: str) -> list[float]:
    """Shares by name; a single missing one takes what is left."""
    given: dict[str, float] = {}
    for part in parts:
        name, _, number = part.rpartition("=")
        if name not in classes:
            raise PriorError(
                f"'{name}' in '{text}' is not an outcome; there are "
                f"{', '.join(repr(known) for known in classes)}."
            )
        given[name] = _share(number, text)
    absent = [name for name in classes if name not in given]
    if len(absent) == 1:
        given[absent[0]] = max(0.0, 1 - sum(given.values()))
    elif absent:
        raise PriorError(f"'{text}' leaves out {', '.join(repr(name) for name in absent)}.")
    return [given[name] for name in classes]


def _share(text: str, whole: str) -> float:
    """One share, as a fraction or in percent."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise PriorError(
            f"I cannot read the share '{text}' in '{whole}'.",
            hint="a share lies between 0 and 1, or ends in %:  --prevalence 2%",
        )
    return value


def _number(text: str) -> float:
    """An amount without columns."""
    amount = CostExpression(text)
    if amount.columns:
        raise CostError(
            f"'{amount.columns[0]}' is not a number, and there are no rows to take a column from.",
            hint="amounts per case need a file with one row per case",
        )
    return float(amount.value({}))


def _positive(value: float) -> float:
    """A cost above zero."""
    if value <= 0:
        raise CostError(f"`error=` must be above 0; got {value:g}.")
    return value
