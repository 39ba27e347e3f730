"""Ranges on the command line, such as ``--prevalence 2%..5%`` or ``--cost fn=5..20``.

The models are judged in the middle of each range, on the scale of factors, and at all ends; a note
says whether the choice depends on where the truth lies.
"""

from __future__ import annotations

import copy
import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stakes.application import Application
from stakes.cli.judging import findings_of
from stakes.cli.ranged_costs import ranged_costs
from stakes.exceptions import CostError, DataError
from stakes.report import Findings, ModelFinding

__all__ = ["findings_over"]

_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)(%?)"
_RANGE = re.compile(rf"(?<![\w.]){_NUMBER}\.\.{_NUMBER}(?![\w.])")
MOST_RANGES = 3


def findings_over(args: Any) -> Findings:
    """See `findings_of`; with ranges, at their middle, with a note about their ends."""
    spread = ranged_costs(args.costs) if args.costs else None
    ranges = [match for text in _texts(args) for match in _RANGE.finditer(text)]
    if not ranges and spread is None:
        return findings_of(args, recalibrate=True)
    if len(ranges) > MOST_RANGES:
        raise CostError(f"at most {MOST_RANGES} ranges at a time; got {len(ranges)}.")
    if args.file == "-":
        raise DataError("a range needs a file that can be read more than once, not standard input.")
    ends = [_ends(match) for match in ranges]
    middle = _with(args, [f"{math.sqrt(low * high):.12g}" for low, high in ends])
    places = [
        (
            [_as_written(value, match) for value, match in zip(values, ranges, strict=True)],
            _with(args, [f"{value:.12g}" for value in values]),
        )
        for values in itertools.product(*ends)
    ]
    written = [match[0] for match in ranges]
    if spread is not None:
        middle.costs = spread.middle
        written.append(spread.said)
        places = [
            ([*labels, label], _costing(each, costs))
            for labels, each in places
            for label, costs in spread.ends
        ]
    found = findings_of(middle)
    corners = [(", ".join(labels), findings_of(each)) for labels, each in places]
    return replace(found, notes=(*found.notes, *_note(found, corners, written)))


def _costing(args: Any, costs: Application) -> Any:
    """The options with other costs."""
    changed = copy.copy(args)
    changed.costs = costs
    return changed


def _texts(args: Any) -> list[str]:
    """Every text in which a range may stand, in a fixed order."""
    return [*args.cost, args.miss or "", args.false_alarm or "", args.prevalence or ""]


def _with(args: Any, values: list[str]) -> Any:
    """The options with each range replaced by one value."""
    left = iter(values)

    def put(text: str | None) -> str | None:
        return text and _RANGE.sub(lambda _: next(left), text)

    changed = copy.copy(args)
    changed.cost = [put(word) for word in args.cost]
    changed.miss, changed.false_alarm = put(args.miss), put(args.false_alarm)
    changed.prevalence = put(args.prevalence)
    return changed


def _ends(match: re.Match[str]) -> tuple[float, float]:
    """Both ends as plain numbers; ``2..5%`` means per cent on both sides."""
    low, high = float(match[1]), float(match[3])
    if match[4]:
        low, high = low / 100, high / 100
    elif match[2]:
        low /= 100
    if not 0 < low < high:
        raise CostError(
            f"'{match[0]}' is not a range.", hint="the lower end first, both above 0:  5..20"
        )
    return low, high


def _as_written(value: float, match: re.Match[str]) -> str:
    """An end as the user wrote it."""
    return f"{100 * value:.6g} %" if match[4] else f"{value:.6g}"


def _note(
    found: Findings, corners: list[tuple[str, Findings]], written: list[str]
) -> Iterator[str]:
    """Whether the choice holds over the whole range."""
    where = ", ".join(written)
    best = _best(found)
    elsewhere = [(at, _best(each)) for at, each in corners]
    yield f"judged in the middle of {where}, on the scale of factors"
    said = "; ".join(f"at {at} {model.name} is best{_nec(model)}" for at, model in elsewhere)
    if all(model.name == best.name for _, model in elsewhere):
        yield f"{best.name} is best at all ends of the range: {said}"
    else:
        yield f"which model is best depends on where the truth lies: {said}"


def _best(findings: Findings) -> ModelFinding:
    """The model of least cost."""
    return min(findings.models, key=lambda model: model.cost)


def _nec(model: ModelFinding) -> str:
    """Its normalised cost, where that exists."""
    return "" if model.nec is None else f" (NEC {model.nec:.3f})"
