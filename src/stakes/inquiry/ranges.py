"""Ranges of costs and shares, such as ``--prevalence 2%..5%``, in files of costs, and NIST's
presets.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stakes.application import (
    Application,
    Between,
    CostMatrix,
    UncertainApplication,
    read_costs,
    uncertain_costs_from_toml,
)
from stakes.application.toml_reader import cost_table
from stakes.evaluation import Evaluation
from stakes.evaluation.unknown_costs_builder import (
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
from stakes.messages.quantities import percent

_MOST_UNKNOWN = 4
MOST_RANGES = 3
#: Nodes along each range where the whole evaluation is done again at each of them.
_AGAIN = 3
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)(%?)"
_RANGE = re.compile(rf"(?<![\w.]){_NUMBER}\.\.{_NUMBER}(?![\w.])")
_POSITIVES = "positive"
_MISS, _ALARM = "a miss costs", "a false alarm costs"
_CALLED = {"fn": _MISS, "miss": _MISS, "fp": _ALARM, "false_alarm": _ALARM}


@dataclass(frozen=True, slots=True)
class _RangedCosts:
    """What is unknown in a file of costs, in which cell, and the application for values of it.

    The cell is None for a ratio that was asked for.
    """

    unknown: tuple[tuple[tuple[int, int] | None, Between], ...]
    at: Callable[[Sequence[float]], Application]


def _ranged_costs(path: Any) -> _RangedCosts | None:
    """The ranges of a file of costs; None if it has none, or more than can be looked at."""
    file = Path(path)
    if file.suffix.lower() != ".toml" or not file.is_file():
        return None
    try:
        text = file.read_bytes().decode("utf-8-sig")
        table = cost_table(text)
    except ValueError:
        return None  # reading the file for its costs reports what is wrong with it
    answers = table.get("elicitation")
    if isinstance(answers, dict) and "miss" in answers:
        return _elicited(read_costs(file), answers["miss"])
    amounts = [table.get(key) for key in ("fn", "fp", "tp", "tn")]
    rows = table.get("cost")
    for row in rows.values() if isinstance(rows, dict) else ():
        amounts += row.values() if isinstance(row, dict) else ()
    if not any(isinstance(value, list) for value in amounts):
        return None
    return _between(uncertain_costs_from_toml(text, source=str(path)))


def _elicited(app: Application, ends: Any) -> _RangedCosts | None:
    """Costs that were asked for: the range of false alarms a miss is worth, as it was kept."""
    known = isinstance(ends, list) and len(ends) == 2 and app.costs.shape == (2, 2)
    if not known or not 0 < ends[0] < ends[1] < np.inf:
        return None
    values = app.costs.values

    def at(ratios: Sequence[float]) -> Application:
        moved = values.copy()
        moved[1, 0] = values[1, 1] + ratios[0] * (values[0, 1] - values[0, 0])
        return app.with_costs(CostMatrix(moved, app.classes, app.decisions))

    return _RangedCosts(((None, Between(*ends)),), at)


def _between(uncertain: UncertainApplication) -> _RangedCosts | None:
    """Costs of which some are ranges."""
    terms, app = uncertain.terms, uncertain.expected
    if not 0 < len(terms) <= _MOST_UNKNOWN:
        return None

    def at(values: Sequence[float]) -> Application:
        moved = sum(value * term.direction for value, term in zip(values, terms, strict=True))
        return app.with_costs(CostMatrix(uncertain.base + moved, app.classes, app.decisions))

    cells = [tuple(np.argwhere(term.direction)[0].tolist()) for term in terms]
    ends = [Between(term.amount.low, term.amount.high) for term in terms]
    return _RangedCosts(tuple(zip(cells, ends, strict=True)), at)


class Written(NamedTuple):
    """A range as it was written, what it is about, and its ends."""

    text: str
    name: str
    ends: Between
    is_share: bool


@dataclass(frozen=True, slots=True)
class Ranges:
    """The ranges of an inquiry: those `written` among its options, and those of its costs file."""

    inquiry: Inquiry
    written: tuple[Written, ...]
    filed: _RangedCosts | None

    @classmethod
    def of(cls, inquiry: Inquiry) -> Ranges:
        """Every range, in the order in which they are put back."""
        filed = _ranged_costs(inquiry.costs) if isinstance(inquiry.costs, str) else None
        words = [*inquiry.cost, *inquiry.gain]
        texts = [(word.partition("=")[0].strip().lower(), word) for word in words]
        texts.append(("prevalence", inquiry.prevalence or ""))
        found = [
            Written(match[0], _name(key, text, match, inquiry), *_ends(match, key == "prevalence"))
            for key, text in texts
            for match in _RANGE.finditer(text)
        ]
        return cls(inquiry, tuple(found), filed)

    def __bool__(self) -> bool:
        return bool(self.written) or self.filed is not None

    def axes(self, size: int, names: Application | None = None) -> list[Axis]:
        """Every range with its nodes, cells of costs called by the names of an application."""
        axes = [axis(each.ends, size, each.name, is_share=each.is_share) for each in self.written]
        if names is not None and len(names.classes) == 2:
            named = f"'{names.classes[1]}'"
            axes = [replace(one, name=named) if one.name == _POSITIVES else one for one in axes]
        for cell, ends in () if self.filed is None else self.filed.unknown:
            one = axis(ends, size, "a miss is worth")
            if cell is None:
                one = replace(one, after=" false alarms, by the answers in the file")
            elif names is not None:
                truth, decision = names.classes[cell[0]], names.decisions[cell[1]]
                one = replace(one, name=f"deciding '{decision}' for '{truth}' costs")
            axes.append(one)
        return axes

    @property
    def middle(self) -> Inquiry:
        """The inquiry in the middle of every range: at its geometric mean, if it has one."""
        return self.at([_middle(each) for each in self.axes(3)])

    @property
    def middle_words(self) -> str:
        """Where the middle is, e.g. "the geometric mean of the range, 1.7 %"."""
        axes = self.axes(3)
        kind = "geometric mean" if all(each.values[0] > 0 for each in axes) else "middle"
        of = "the range" if len(axes) == 1 else "each range"
        return f"the {kind} of {of}, {' and '.join(each.said(_middle(each)) for each in axes)}"

    @property
    def shares_words(self) -> str:
        """The ranges of shares as they were given, e.g. "2-5 %"; empty without any."""
        shares = [each for each in self.written if each.is_share]
        said = [f"{percent(s.ends.low).removesuffix(' %')}-{percent(s.ends.high)}" for s in shares]
        named = "=" in (self.inquiry.prevalence or "")
        pairs = zip(shares, said, strict=True)
        return ", ".join(f"{each.name} {text}" if named else text for each, text in pairs)

    def at(self, values: Sequence[float]) -> Inquiry:
        """The inquiry with each range replaced by one value; the last values are the file's."""
        left = iter(values)

        def put(text: str) -> str:
            return _RANGE.sub(lambda _: f"{next(left):.15g}", text)

        cost, gain = (tuple(map(put, words)) for words in (self.inquiry.cost, self.inquiry.gain))
        share = None if self.inquiry.prevalence is None else put(self.inquiry.prevalence)
        costs = self.inquiry.costs if self.filed is None else self.filed.at(list(left))
        return self.inquiry.but(cost=cost, gain=gain, prevalence=share, costs=costs)

    def doubted(self, ev: Evaluation, answer_at: Callable[[Inquiry], Evaluation]) -> Evaluation:
        """The evaluation with what its models cost between all ends."""
        inquiry = self.inquiry
        alone = ev.sources is None and not inquiry.confusion
        if inquiry.kind == "rank" or alone or ev.capacity is not None:
            self.refuse_stream()
            at: list[Evaluation] = []

            def evaluated(values: tuple[float, ...]) -> tuple[Any, Any]:
                at.append(answer_at(self.at(values)))
                return at[-1].application.costs.values, at[-1].application.priors

            possible = grid(self.axes(_AGAIN, ev.application), evaluated)
            return with_doubt(ev, possible, at)

        def nodes(size: int) -> Possible:
            app = ev.application
            return grid(
                self.axes(size, app), lambda values: _prices(self.at(values), texts(app.classes))
            )

        count = len(self.written) + (0 if self.filed is None else len(self.filed.unknown))
        few = nodes(FEW[count])  # many where each costs next to nothing
        return with_doubt(ev, nodes(MANY[count]) if is_cheap(ev, few) else few)

    def refuse_stream(self) -> None:
        """Raise for standard input, which flows only once."""
        if self.inquiry.file == "-":
            raise DataError(
                "a range needs a file that can be read more than once, not standard input."
            )


def spread_out(inquiry: Inquiry) -> tuple[Inquiry, list[tuple[str, Inquiry]]]:
    """The options in the middle of all ranges, and at every combination of ends, by name."""
    ranges = Ranges.of(inquiry)
    if not ranges:
        return inquiry, []
    axes = ranges.axes(3)
    if len(axes) > MOST_RANGES:
        raise CostError(f"at most {MOST_RANGES} ranges at a time; got {len(axes)}.")
    ranges.refuse_stream()
    ends = []
    for values in itertools.product(*((a.values[0], a.values[-1]) for a in axes)):
        pairs = zip(axes, values, strict=True)
        label = ", ".join(f"{each.name} {each.said(float(value))}" for each, value in pairs)
        ends.append((label, ranges.at(values)))
    return ranges.middle, ends


def _middle(way: Axis) -> float:
    """The node in the middle, to six digits."""
    return float(f"{way.values[way.values.shape[0] // 2]:.6g}")


def _prices(inquiry: Inquiry, classes: tuple[str, ...]) -> tuple[Any, Any]:
    """Costs and shares of an inquiry without ranges."""
    filed, words = costs_given(inquiry)
    costs = binary_costs(words, classes) if filed is None else filed.costs  # type: ignore[arg-type]
    priors: Any = None if filed is None else filed.priors
    return costs.values, shares(inquiry.prevalence, classes) if inquiry.prevalence else priors


def _name(key: str, text: str, match: re.Match[str], inquiry: Inquiry) -> str:
    """What a range is about."""
    if key == "prevalence":
        named = re.search(r"([^,=]+)=[^,]*$", text[: match.start()])
        positive = named[1] if named else inquiry.positive
        return f"'{positive}'" if positive else _POSITIVES
    if text.partition("=")[2].strip() not in ("", match[0]):
        return f"x in {text.replace(match[0], 'x', 1)} is"
    return f"gain {key}" if inquiry.gain else _CALLED.get(key, key)


def _ends(match: re.Match[str], is_share: bool) -> tuple[Between, bool]:
    """Both ends as plain numbers, and whether they are shares; ``2..5%`` is per cent twice."""
    low, high = float(match[1]), float(match[3])
    if match[4]:
        low, high = low / 100, high / 100
    elif match[2]:
        low /= 100
    if is_share and not (0 < low < high < 1):
        hint = "the lower end first, both above 0 and below 1 (100 %):  --prevalence 2%..5%"
        raise PriorError(f"'{match[0]}' is not a range of shares.", hint=hint)
    if not 0 < low < high:
        raise CostError(
            f"'{match[0]}' is not a range.", hint="the lower end first, both above 0:  5..20"
        )
    return Between(low, high), is_share
