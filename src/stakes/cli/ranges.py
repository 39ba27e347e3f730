"""Ranges on the command line, such as ``--prevalence 2%..5%`` or ``--cost fn=5..20``.

The models are judged in the middle of each range, on the scale of factors, and at everything
between the ends: how much they cost there, and which of them is the safest choice.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from stakes.application import Application, Between
from stakes.cli.asked import costs_given
from stakes.cli.costs import binary_costs, shares
from stakes.cli.judging import findings_of
from stakes.cli.place import texts
from stakes.cli.presets import findings_at_preset
from stakes.cli.ranged_costs import RangedCosts, ranged_costs
from stakes.evaluation import Evaluation
from stakes.evaluation.doubting import is_cheap, with_doubt, with_evaluations
from stakes.evaluation.possible import FEW, MANY, Axis, Possible, axis, grid
from stakes.exceptions import CostError, DataError, PriorError
from stakes.report import Findings

__all__ = ["findings_over", "spread_out"]

_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)(%?)"
_RANGE = re.compile(rf"(?<![\w.]){_NUMBER}\.\.{_NUMBER}(?![\w.])")
MOST_RANGES = 3
#: Nodes along each range where the whole evaluation is done again at each of them.
AGAIN = 3
_CALLED = {
    "fn": "a miss costs",
    "miss": "a miss costs",
    "fp": "a false alarm costs",
    "false_alarm": "a false alarm costs",
}


@dataclass(frozen=True, slots=True)
class _Written:
    """A range as it was written, what it is about, and its ends."""

    text: str
    name: str
    ends: Between
    is_share: bool


def findings_over(args: Any) -> Findings:
    """See `findings_of`; with ranges, at their middle, and with all that they hold."""
    if getattr(args, "preset", None):
        return findings_at_preset(args)
    spread = ranged_costs(args.costs) if args.costs else None
    written = _written(args)
    if not written and spread is None:
        return findings_of(args, recalibrate=True)
    if len(written) > MOST_RANGES:
        raise CostError(f"at most {MOST_RANGES} ranges at a time; got {len(written)}.")
    middle = _middle(written, spread)
    with _about_shares(written):
        found = findings_of(_put(args, middle, len(written), spread), recalibrate=True)
    ev = _doubted(found.evaluation, written, spread, args)
    where = ", ".join(each.text for each in written) if spread is None else "the range"
    note = f"judged in the middle of {where}, on the scale of factors"
    return replace(
        found, evaluation=ev, verdict=ev.verdict, remarks=ev.remarks, notes=(*found.notes, note)
    )


@contextmanager
def _about_shares(written: list[_Written]) -> Iterator[None]:
    """Say how to write a range of shares, where shares do not add to 1 within it."""
    try:
        yield
    except PriorError as error:
        if not any(each.is_share for each in written) or "add to 1" not in error.message:
            raise
        raise PriorError(
            error.message,
            hint="leave one outcome out, which takes what is left:  --prevalence "
            "cat=30%..40%,dog=.3",
        ) from None


def spread_out(args: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """The options in the middle of all ranges, and at every combination of ends, by name."""
    spread = ranged_costs(args.costs) if args.costs else None
    written = _written(args)
    if not written and spread is None:
        return args, []
    axes = _axes(written, spread, 3)
    if len(axes) > MOST_RANGES:
        raise CostError(f"at most {MOST_RANGES} ranges at a time; got {len(axes)}.")
    if args.file == "-":
        raise DataError("a range needs a file that can be read more than once, not standard input.")
    ends = []
    for values in itertools.product(*((a.values[0], a.values[-1]) for a in axes)):
        pairs = zip(axes, values, strict=True)
        label = ", ".join(f"{each.name} {each.said(float(value))}" for each, value in pairs)
        ends.append((label, _put(args, values, len(written), spread)))
    return _put(args, _middle(written, spread), len(written), spread), ends


def _doubted(
    ev: Evaluation, written: list[_Written], spread: RangedCosts | None, args: Any
) -> Evaluation:
    """The evaluation with what its models cost between all ends."""
    count = len(written) + (0 if spread is None else len(spread.unknown))
    again = args.scores_are == "rank" or (ev.sources is None and not args.confusion)
    if again and args.file == "-":
        raise DataError("a range needs a file that can be read more than once, not standard input.")
    if not again:
        return with_doubt(ev, _possible(args, written, spread, ev, count))
    axes = _axes(written, spread, AGAIN, ev.application)
    at: list[Evaluation] = []

    def evaluated(values: tuple[float, ...]) -> tuple[Any, Any]:
        found = findings_of(_put(args, values, len(written), spread))
        at.append(found.evaluation)
        return found.application.costs.values, found.application.priors

    possible: Possible = grid(axes, evaluated)
    return with_evaluations(ev, possible, at)


def _possible(
    args: Any, written: list[_Written], spread: RangedCosts | None, ev: Evaluation, count: int
) -> Possible:
    """All that the ranges hold, in many nodes where each costs next to nothing."""

    def nodes(size: int) -> Possible:
        axes = _axes(written, spread, size, ev.application)
        return grid(axes, lambda values: _at(args, values, written, spread, ev))

    few = nodes(FEW[count])
    return nodes(MANY[count]) if is_cheap(ev, few) else few


def _axes(
    written: list[_Written],
    spread: RangedCosts | None,
    size: int,
    names: Application | None = None,
) -> list[Axis]:
    """Every range with its nodes."""
    axes = [axis(each.ends, size, each.name, is_share=each.is_share) for each in written]
    return axes if spread is None else axes + spread.axes(size, names)


def _at(
    args: Any,
    values: tuple[float, ...],
    written: list[_Written],
    spread: RangedCosts | None,
    ev: Evaluation,
) -> tuple[Any, Any]:
    """Costs and shares for values of the ranges."""
    put, app = _put(args, values, len(written), spread), ev.application
    filed, words = costs_given(put)
    if filed is not None:
        costs = filed.costs.values
    else:
        assert words is not None
        costs = binary_costs(words, texts(app.classes)).values
    priors: Any = None if filed is None else filed.priors
    if put.prevalence:
        priors = shares(put.prevalence, texts(app.classes))
    return costs, priors


def _middle(written: list[_Written], spread: RangedCosts | None) -> tuple[float, ...]:
    """The middle of every range, on the scale of factors."""
    axes = _axes(written, spread, 3)
    return tuple(float(f"{each.values[each.values.shape[0] // 2]:.6g}") for each in axes)


def _written(args: Any) -> list[_Written]:
    """Every range among the options, in the order in which they are put back."""
    found = []
    for key, text in _texts(args):
        for match in _RANGE.finditer(text):
            is_share = key == "prevalence"
            name = f"gain {key}" if args.gain else _CALLED.get(key, key)
            if not is_share and text.partition("=")[2].strip() not in ("", match[0]):
                name = f"x in {text.replace(match[0], 'x', 1)} is"
            if is_share:
                named = re.search(r"([^,=]+)=[^,]*$", text[: match.start()])
                name = f"'{named[1] if named else args.positive or 'positives'}'"
            found.append(_Written(match[0], name, _ends(match, is_share), is_share))
    return found


def _texts(args: Any) -> list[tuple[str, str]]:
    """Every text in which a range may stand, in a fixed order, with what it is about."""
    words = [*args.cost, *(args.gain or [])]
    costs = [(word.partition("=")[0].strip().lower(), word) for word in words]
    rest = ("miss", args.miss), ("false_alarm", args.false_alarm), ("prevalence", args.prevalence)
    return [*costs, *((key, text or "") for key, text in rest)]


def _put(args: Any, values: Sequence[float], count: int, spread: RangedCosts | None) -> Any:
    """The options with each range replaced by one value; the rest of the values is the file's."""
    left = iter(values[:count])

    def put(text: str | None) -> str | None:
        return text and _RANGE.sub(lambda _: f"{next(left):.15g}", text)

    changed = copy.copy(args)
    changed.cost = [put(word) for word in args.cost]
    changed.gain = args.gain and [put(word) for word in args.gain]
    changed.miss, changed.false_alarm = put(args.miss), put(args.false_alarm)
    changed.prevalence = put(args.prevalence)
    if spread is not None:
        costs: Application = spread.at(tuple(values[count:]))
        changed.costs = costs
    return changed


def _ends(match: re.Match[str], is_share: bool) -> Between:
    """Both ends as plain numbers; ``2..5%`` means per cent on both sides."""
    low, high = float(match[1]), float(match[3])
    if match[4]:
        low, high = low / 100, high / 100
    elif match[2]:
        low /= 100
    if is_share and not (0 < low < high < 1):
        raise PriorError(
            f"'{match[0]}' is not a range of shares.",
            hint="the lower end first, both above 0 and below 1 (100 %):  --prevalence 2%..5%",
        )
    if not 0 < low < high:
        raise CostError(
            f"'{match[0]}' is not a range.", hint="the lower end first, both above 0:  5..20"
        )
    return Between(low, high)
