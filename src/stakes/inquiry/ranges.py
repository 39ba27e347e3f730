"""Ranges of costs and shares, such as ``--prevalence 2%..5%``, in files of costs, and NIST's
presets.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from stakes.application import (
    Application,
    Between,
    CostMatrix,
    UncertainApplication,
    read_costs,
    uncertain_costs_from_toml,
)
from stakes.evaluation import Evaluation
from stakes.evaluation.doubt_builder import (
    FEW,
    MANY,
    Axis,
    Possible,
    axis,
    grid,
    is_cheap,
    with_doubt,
)
from stakes.exceptions import CostError, DataError, PriorError
from stakes.inquiry.case_question import costs_given
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.option_words import binary_costs, shares
from stakes.inquiry.truth import texts

_MOST_UNKNOWN = 4


@dataclass(frozen=True, slots=True)
class RangedCosts:
    """What is unknown, in which cell, and the application for values of it.

    The cell is None for a ratio that was asked for.
    """

    unknown: tuple[tuple[tuple[int, int] | None, Between], ...]
    at: Callable[[tuple[float, ...]], Application]

    def axes(self, size: int, names: Application | None = None) -> list[Axis]:
        """Every range with its nodes, called by the names of an application."""
        found = []
        for cell, ends in self.unknown:
            one = axis(ends, size, "a miss is worth")
            if cell is None:
                one = replace(one, after=" false alarms, by the answers in the file")
            elif names is not None:
                truth, decision = names.classes[cell[0]], names.decisions[cell[1]]
                one = replace(one, name=f"'{truth}' decided '{decision}'")
            found.append(one)
        return found


def ranged_costs(path: Any) -> RangedCosts | None:
    """The ranges of a file of costs; None if it has none, or more than can be looked at."""
    file = Path(path)
    if file.suffix.lower() != ".toml" or not file.is_file():
        return None
    try:
        text = file.read_bytes().decode("utf-8-sig")
        table = tomllib.loads(text)
    except ValueError:
        return None  # whoever reads the file for its costs says what is wrong with it
    answers = table.get("elicitation")
    if isinstance(answers, dict) and "miss" in answers:
        return _elicited(read_costs(file), answers["miss"])
    if not any(isinstance(value, list) for value in _amounts(table)):
        return None
    return _between(uncertain_costs_from_toml(text, source=str(path)))


def _amounts(table: dict[str, Any]) -> list[Any]:
    """Every cost of the file, whether by name or in the short form."""
    found = [table[key] for key in ("fn", "fp", "tp", "tn") if key in table]
    rows = table.get("cost")
    if isinstance(rows, dict):
        found += [v for row in rows.values() if isinstance(row, dict) for v in row.values()]
    return found


def _elicited(app: Application, ends: Any) -> RangedCosts | None:
    """Costs that were asked for: the range of false alarms a miss is worth, as it was kept."""
    known = isinstance(ends, list) and len(ends) == 2 and app.costs.shape == (2, 2)
    if not known or not 0 < ends[0] < ends[1] < np.inf:
        return None
    values = app.costs.values

    def at(ratios: tuple[float, ...]) -> Application:
        moved = values.copy()
        moved[1, 0] = values[1, 1] + ratios[0] * (values[0, 1] - values[0, 0])
        return _with(app, moved)

    return RangedCosts(((None, Between(*ends)),), at)


def _between(uncertain: UncertainApplication) -> RangedCosts | None:
    """Costs of which some are ranges."""
    terms, app = uncertain.terms, uncertain.expected
    if not 0 < len(terms) <= _MOST_UNKNOWN:
        return None
    cells = [np.argwhere(term.direction)[0].tolist() for term in terms]

    def at(values: tuple[float, ...]) -> Application:
        moved = uncertain.base + sum(
            value * term.direction for value, term in zip(values, terms, strict=True)
        )
        return _with(app, moved)

    ends = [Between(term.amount.low, term.amount.high) for term in terms]
    return RangedCosts(tuple(zip(map(tuple, cells), ends, strict=True)), at)


def _with(app: Application, values: Any) -> Application:
    """The same application with other costs."""
    return app.with_costs(CostMatrix(values, app.classes, app.decisions))


_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)(%?)"
_RANGE = re.compile(rf"(?<![\w.]){_NUMBER}\.\.{_NUMBER}(?![\w.])")
MOST_RANGES = 3
#: Nodes along each range where the whole evaluation is done again at each of them.
_AGAIN = 3
_CALLED = {
    "fn": "a miss costs",
    "miss": "a miss costs",
    "fp": "a false alarm costs",
    "false_alarm": "a false alarm costs",
}


@dataclass(frozen=True, slots=True)
class Written:
    """A range as it was written, what it is about, and its ends."""

    text: str
    name: str
    ends: Between
    is_share: bool


def spread_out(inquiry: Inquiry) -> tuple[Any, list[tuple[str, Any]]]:
    """The options in the middle of all ranges, and at every combination of ends, by name."""
    spread = ranged_costs(inquiry.costs) if isinstance(inquiry.costs, str) else None
    written = written_ranges(inquiry)
    if not written and spread is None:
        return inquiry, []
    axes = _axes(written, spread, 3)
    if len(axes) > MOST_RANGES:
        raise CostError(f"at most {MOST_RANGES} ranges at a time; got {len(axes)}.")
    if inquiry.file == "-":
        raise DataError("a range needs a file that can be read more than once, not standard input.")
    ends = []
    for values in itertools.product(*((a.values[0], a.values[-1]) for a in axes)):
        pairs = zip(axes, values, strict=True)
        label = ", ".join(f"{each.name} {each.said(float(value))}" for each, value in pairs)
        ends.append((label, put_values(inquiry, values, len(written), spread)))
    return put_values(inquiry, middle_of(written, spread), len(written), spread), ends


def doubted(
    ev: Evaluation,
    written: list[Written],
    spread: RangedCosts | None,
    inquiry: Inquiry,
    answer_at: Callable[[Inquiry], Evaluation],
) -> Evaluation:
    """The evaluation with what its models cost between all ends."""
    count = len(written) + (0 if spread is None else len(spread.unknown))
    again = inquiry.kind == "rank" or (ev.sources is None and not inquiry.confusion)
    if again and inquiry.file == "-":
        raise DataError("a range needs a file that can be read more than once, not standard input.")
    if not again:
        return with_doubt(ev, _possible(inquiry, written, spread, ev, count))
    axes = _axes(written, spread, _AGAIN, ev.application)
    at: list[Evaluation] = []

    def evaluated(values: tuple[float, ...]) -> tuple[Any, Any]:
        found = answer_at(put_values(inquiry, values, len(written), spread))
        at.append(found)
        return found.application.costs.values, found.application.priors

    possible: Possible = grid(axes, evaluated)
    return with_doubt(ev, possible, at)


def _possible(
    inquiry: Inquiry,
    written: list[Written],
    spread: RangedCosts | None,
    ev: Evaluation,
    count: int,
) -> Possible:
    """All that the ranges hold, in many nodes where each costs next to nothing."""

    def nodes(size: int) -> Possible:
        axes = _axes(written, spread, size, ev.application)
        return grid(axes, lambda values: _at(inquiry, values, written, spread, ev))

    few = nodes(FEW[count])
    return nodes(MANY[count]) if is_cheap(ev, few) else few


def _axes(
    written: list[Written],
    spread: RangedCosts | None,
    size: int,
    names: Application | None = None,
) -> list[Axis]:
    """Every range with its nodes."""
    axes = [axis(each.ends, size, each.name, is_share=each.is_share) for each in written]
    return axes if spread is None else axes + spread.axes(size, names)


def _at(
    inquiry: Inquiry,
    values: tuple[float, ...],
    written: list[Written],
    spread: RangedCosts | None,
    ev: Evaluation,
) -> tuple[Any, Any]:
    """Costs and shares for values of the ranges."""
    put, app = put_values(inquiry, values, len(written), spread), ev.application
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


def middle_of(written: list[Written], spread: RangedCosts | None) -> tuple[float, ...]:
    """The middle of every range, on the scale of factors."""
    axes = _axes(written, spread, 3)
    return tuple(float(f"{each.values[each.values.shape[0] // 2]:.6g}") for each in axes)


def written_ranges(inquiry: Inquiry) -> list[Written]:
    """Every range among the options, in the order in which they are put back."""
    found = []
    for key, text in _texts(inquiry):
        for match in _RANGE.finditer(text):
            is_share = key == "prevalence"
            name = f"gain {key}" if inquiry.gain else _CALLED.get(key, key)
            if not is_share and text.partition("=")[2].strip() not in ("", match[0]):
                name = f"x in {text.replace(match[0], 'x', 1)} is"
            if is_share:
                named = re.search(r"([^,=]+)=[^,]*$", text[: match.start()])
                name = f"'{named[1] if named else inquiry.positive or 'positives'}'"
            found.append(Written(match[0], name, _ends(match, is_share), is_share))
    return found


def _texts(inquiry: Inquiry) -> list[tuple[str, str]]:
    """Every text in which a range may stand, in a fixed order, with what it is about."""
    words = [*inquiry.cost, *inquiry.gain]
    costs = [(word.partition("=")[0].strip().lower(), word) for word in words]
    return [*costs, ("prevalence", inquiry.prevalence or "")]


def put_values(
    inquiry: Inquiry, values: Sequence[float], count: int, spread: RangedCosts | None
) -> Inquiry:
    """The inquiry with each range replaced by one value; the rest of the values is the file's."""
    left = iter(values[:count])

    def put(text: str) -> str:
        return _RANGE.sub(lambda _: f"{next(left):.15g}", text)

    cost = tuple(put(word) for word in inquiry.cost)
    gain = tuple(put(word) for word in inquiry.gain)
    share = None if inquiry.prevalence is None else put(inquiry.prevalence)
    costs = inquiry.costs if spread is None else spread.at(tuple(values[count:]))
    return inquiry.but(cost=cost, gain=gain, prevalence=share, costs=costs)


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
