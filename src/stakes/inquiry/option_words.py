"""From the words of the command line to an Application: costs, unit, volume, shares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes.application import Application, CaseCosts, CostExpression, CostMatrix, case_costs
from stakes.application.written_amounts import read_volume
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
#: The largest ratio of two costs.
_FARTHEST = 1e30


def refuse_beyond_reckoning(costs: CostMatrix) -> None:
    """Raise for costs so small or so far apart that ratios of them are no numbers."""
    _refuse_tiny(costs.values)
    low, high = costs.values.min(), costs.values.max()
    if low < 0 and float(high / 2 - low / 2) > _MOST:
        apart = f"costs must not lie further apart than {_MOST:g}"
        raise CostError(f"{apart}; got {low:g} and {high:g}.", hint=_UNIT)
    gaps = costs.standardized().values
    gaps = gaps[gaps > 0]
    if gaps.size and gaps.max() / _FARTHEST > gaps.min():
        got = f"got {gaps.min():g} and {gaps.max():g}"
        hint = "write 0 for what costs nothing beside the rest"
        raise CostError(f"costs may differ by a factor of {_FARTHEST:g}; {got}.", hint=hint)


def refuse_beyond_squares(costs: CostMatrix) -> None:
    """Raise for costs of which variances, and what is made of these, are no numbers."""
    largest = float(np.abs(costs.values).max())
    if largest and not 1 / _SQUARED <= largest <= _SQUARED:
        wanted = f"the largest cost must lie between {1 / _SQUARED:g} and {_SQUARED:g}"
        raise CostError(f"{wanted}; got {largest:g}.", hint=_UNIT)


def refuse_beyond_volume(app: Application) -> None:
    """Raise where the cases of a period cost more than there are numbers for."""
    if app.volume is not None:
        said = f"what {grouped(app.volume)} cases cost is too large a number; the largest cost is"
        _refuse_large(app.costs.values, app.volume, said)


def _refuse_large(values: FloatArray, cases: float, said: str) -> None:
    """Raise where costs times the volume exceed what a float can hold."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > _MOST / max(1.0, cases):
        raise CostError(f"{said} {largest:g}.", hint=_UNIT)


def _refuse_tiny(values: FloatArray) -> None:
    """Raise for a number of which only some digits are left, or none."""
    bad = (values != 0) & (np.abs(values) < _SMALLEST)
    if bad.any():
        many = f"({grouped(int(bad.sum()))} of {grouped(bad.size)} costs)"
        got = f"got {values[bad].flat[0]:g} {many}"
        raise CostError(f"a cost must be 0, or {_SMALLEST:g} at least; {got}.", hint=_UNIT)


_KEYS = {name: name for name in ("fn", "fp", "tp", "tn", "error")}
_KEYS |= {"miss": "fn", "false_alarm": "fp"}
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

    @property
    def table(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """The amounts as costs: rows are true classes, columns decisions."""
        sign = "-" if self.gain else ""
        other = self.amounts.get("error", "0")
        said = {"fn": other, "fp": other, "tn": "0", "tp": "0"} | self.amounts
        made = {key: f"{sign}({text})" if sign else text for key, text in said.items()}
        return (made["tn"], made["fp"]), (made["fn"], made["tp"])


# Nothing that changes a number is guessed: docs/design/command-line.md.
def cost_words(words: Sequence[str], gain: Sequence[str]) -> CostWords | None:
    """``fn=10 fp=1``; None when nothing was said.

    Gains take the place of costs: ``tp=40 fp=-4``, or ``("",)`` that these are gains.
    """
    alone = tuple(gain) == ("",)
    if gain and not alone:
        if words:
            raise CostError("amounts are given twice: by --gain and as costs.", hint=_GAIN)
        return _gain_words(gain)
    amounts: dict[str, str] = {}
    for key, text in _pairs(words):
        if key in amounts:
            raise CostError(f"the cost '{key}' is given twice ({amounts[key]} and {text}).")
        amounts[key] = text
    if not amounts:
        return None
    if "error" in amounts and len(amounts) > 1:
        raise CostError("`error=` is the cost of every error; leave the others out.")
    if "error" not in amounts and not {"fn", "fp"} <= set(amounts):
        absent = "a false alarm (fp)" if "fn" in amounts else "a miss (fn)"
        both = "Say both:  --cost fn=10 fp=1   (write 0 if it is really free)"
        raise CostError(f"the cost of {absent} is missing.", hint=both)
    return CostWords(amounts, alone)


def _gain_words(words: Sequence[str]) -> CostWords:
    """``tp=40 fp=-4``; what is not said is 0."""
    pairs = _pairs(words)
    amounts = dict(pairs)
    if len(amounts) < len(pairs):
        raise CostError("a gain is given twice.", hint=_GAIN)
    for first, second, outcome in (("tp", "fn", "acted on"), ("tn", "fp", "left alone")):
        if not {first, second} & set(amounts):
            said = f"no gain is given for the outcome that should be {outcome}"
            raise CostError(f"{said}: {first}= or {second}=.", hint=_GAIN)
    return CostWords({key: amounts.get(key, "0") for key in ("fn", "fp", "tp", "tn")}, True)


def _pairs(groups: Sequence[str]) -> list[tuple[str, str]]:
    """``fn=10,fp=1`` as names and amounts; a comma inside a number is refused."""
    for group in groups:
        if re.fullmatch(r"[^=,]+=[-+\d.\s]*\d,\d+\s*", group):
            key, _, number = (part.strip() for part in group.partition("="))
            plain = number.replace(",", "." if DECIMAL_COMMA.fullmatch(number) else "")
            plain = "1000.5" if "." in number else plain
            points = "with a point before decimals, and nothing between thousands"
            hint = f"{points}:  {key}={plain}"
            raise CostError(f"'{group}' has a comma inside a number.", hint=hint)
    return [_split(word) for group in groups for word in group.split(",")]


def _split(word: str) -> tuple[str, str]:
    """``fn=10`` as its two sides."""
    key, sign, text = word.partition("=")
    name = _KEYS.get(key.strip().lower().replace("-", "_"))
    if name is None and key.strip().lower() in ("abstain", "abstention", "reject", "ask"):
        raise CostError(
            f"'{word}' costs a third decision, which --cost does not know.",
            hint="stakes costs --template FILE --label COLUMN --positive VALUE --abstain ask "
            "-o costs.toml\n"
            "then --costs costs.toml in place of --cost",
        )
    if not sign or name is None or not text.strip():
        raise CostError(
            f"'{word}' is not a cost.",
            hint="Say:  --cost fn=10 fp=1   (also tp=, tn=; or error=1 when all errors cost the "
            "same). The file comes first:  stakes eval data.csv --cost ...",
        )
    if text.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
        hint = "an amount, or arithmetic over columns:  --cost fn=10 fp='0.05*amount'"
        raise CostError(f"a cost must be a finite number; got {word}.", hint=hint)
    if _DASH_RANGE.fullmatch(text.strip()):
        low, _, high = text.strip().partition("-")
        written = f"a range is written {key.strip()}={low}..{high}"
        hint = f"{written}; a difference with a space around its sign"
        raise CostError(f"'{word}' reads as {low} minus {high}.", hint=hint)
    return name, text.strip()


def binary_costs(words: CostWords, classes: tuple[str, ...]) -> CostMatrix:
    """The matrix of two classes, the second of them the one that is acted on."""
    given = {key: CostExpression(text) for key, text in words.amounts.items()}
    if words.columns:
        raise CostError(
            f"'{words.columns[0]}' is not a number, and there are no rows to take a column from.",
            hint="amounts per case need a file with one row per case",
        )
    amounts = {key: float(each.value({})) for key, each in given.items()}
    if words.same_for_all_errors:
        if amounts["error"] <= 0:
            raise CostError(f"`error=` must be above 0; got {amounts['error']:g}.")
        costs = CostMatrix.zero_one(classes).scaled(amounts["error"])
    else:
        sign = -1.0 if words.gain else 1.0
        tn, fp, fn, tp = (sign * amounts.get(key, 0.0) for key in ("tn", "fp", "fn", "tp"))
        costs = CostMatrix([[tn + 0.0, fp], [fn, tp + 0.0]], classes, classes)
    refuse_beyond_reckoning(costs)
    return costs


def binary_case_costs(
    words: CostWords, classes: tuple[str, ...], table: Table, rows: Any
) -> CaseCosts:
    """One matrix per case, from formulas over the columns; `rows` are the cases that count."""
    columns = {name: _column(name, words, table)[rows] for name in words.columns}
    with speaking_of(rows=rows):
        costs = case_costs(columns, words.amounts, classes=classes, decisions=classes)
    _refuse_tiny(costs.values)
    many = f"the costs of {grouped(len(costs.values))} cases"
    said = f"{many} add up to a number that is too large; the largest is"
    _refuse_large(costs.values, len(costs.values), said)
    return CaseCosts(0.0 - costs.values, classes, classes) if words.gain else costs


def _column(name: str, words: CostWords, table: Table) -> Any:
    """A column that an amount speaks of."""
    try:
        return table.numbers(name)
    except DataError as error:
        said = next(f"{k}={text}" for k, text in words.amounts.items() if name in text)
        numbers = "an amount is a number, or arithmetic over columns of numbers"
        hint: str | None = f"{numbers}:  fn=10   fp='0.05*amount'"
        hint = error.hint if error.code == "number-written-otherwise" else hint
        raise CostError(f"--cost {said}: {error.message}", hint=hint) from None


def volume(text: str | None) -> tuple[float | None, str | None]:
    """``250000/yr`` as a number of cases and a period."""
    return (None, None) if text is None else read_volume(text)


def shares(text: str, classes: tuple[str, ...]) -> list[float]:
    """``0.02``, ``2%``, ``cat=.5,dog=.3,fox=.2`` or ``.5,.3,.2`` as one share per class."""
    if ".." in text:
        hint = "run once for each end of the range"
        raise PriorError(f"'{text}' is a range; I need one number for each outcome.", hint=hint)
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if any("=" in part for part in parts):
        return _named_shares(parts, classes, text)
    values = [_share(part, text) for part in parts]
    if len(values) == 1 and len(classes) == 2:
        return [1 - values[0], values[0]]
    if len(values) != len(classes):
        many = f"{len(values)} share{'s' if len(values) != 1 else ''}"
        named = "name them:  --prevalence " + ",".join(f"{name}=..." for name in classes)
        raise PriorError(f"'{text}' gives {many} for {len(classes)} outcomes.", hint=named)
    return values


def _named_shares(parts: Sequence[str], classes: tuple[str, ...], text: str) -> list[float]:
    """Shares by name; a single missing one takes what is left."""
    given: dict[str, float] = {}
    for part in parts:
        name, _, number = part.rpartition("=")
        if name not in classes:
            there = ", ".join(map(repr, classes))
            raise PriorError(f"'{name}' in '{text}' is not an outcome; there are {there}.")
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
        hint = "a share lies between 0 and 1, or ends in %:  --prevalence 2%"
        raise PriorError(f"I cannot read the share '{text}' in '{whole}'.", hint=hint)
    return value
