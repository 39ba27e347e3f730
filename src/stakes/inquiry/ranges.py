"""Ranges on the command line, such as ``--prevalence 2%..5%``, in files of costs, and NIST's
presets.
"""

from __future__ import annotations

import itertools
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
    with_evaluations,
)
from stakes.exceptions import CostError, DataError, PriorError, StakesError
from stakes.inquiry.case_question import costs_given
from stakes.inquiry.cost_words import binary_costs, shares
from stakes.inquiry.far_counts import Attended, plainly
from stakes.inquiry.inquiry_form import Inquiry
from stakes.inquiry.place import texts
from stakes.inquiry.row_findings import findings_of
from stakes.messages.notes import Note
from stakes.messages.reader import command_line
from stakes.metrics import nist_applications


def _findings_at_preset(inquiry: Inquiry, attended: Attended) -> Evaluation:
    """Findings at the first operating point of a preset, with a note about the others."""
    if inquiry.gives_costs or inquiry.prevalence:
        raise CostError("--preset says the costs and the shares; leave the others out.")
    try:
        applications = nist_applications(inquiry.preset or "")
    except StakesError as error:
        raise CostError(error.message, hint="--preset sre16") from None
    points = [
        (float(app.priors[1]), app.costs.values)
        for app in applications.values()
        if app.priors is not None
    ]
    found: list[tuple[float, Evaluation]] = []
    for share, costs in points:
        amounts = (f"fn={costs[1, 0]:.12g}", f"fp={costs[0, 1]:.12g}")
        at = inquiry.but(cost=amounts, prevalence=f"{share:.12g}", preset=None)
        found.append((share, findings_of(at, recalibrate=not found, attended=attended)))
    main = found[0][1]
    notes = [Note("at-operating-point", preset=inquiry.preset, share=f"{100 * points[0][0]:g}")]
    for share, other in found[1:]:
        best = other[other.best]
        nec = "" if math.isnan(best.nec) else f" (NEC {best.nec:.3f})"
        notes.append(Note("best-elsewhere", share=f"{100 * share:g}", model=best.name, nec=nec))
    if len(found) > 1:
        means = {
            name: float(np.mean([np.nan_to_num(f[name].nec) for _, f in found])) for name in main
        }
        said = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
        notes.append(Note("mean-of-points", points=len(found), means=said))
    return replace(main, notes=(*main.notes, *notes))


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


def _ranged_costs(path: Any) -> RangedCosts | None:
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
_MOST_RANGES = 3
#: Nodes along each range where the whole evaluation is done again at each of them.
_AGAIN = 3
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


def answer(inquiry: Inquiry, attended: Attended = plainly) -> Evaluation:
    """Read what was asked about, judge it, and say what to do; what ``stakes eval`` prints.

    Costs and shares that are ranges are judged in the middle, and at all that they hold.

    Parameters
    ----------
    inquiry : Inquiry
        What was asked.
    attended : callable, optional
        Does long work while somebody watches it.

    Returns
    -------
    Evaluation
        As from `stakes.evaluate`; `.inquiry` is what was asked.
    """
    with command_line():  # an inquiry is in the words of the options, whoever asks
        return replace(_answered(inquiry, attended), inquiry=inquiry)


def _answered(inquiry: Inquiry, attended: Attended) -> Evaluation:
    """See `findings_of`; with ranges, at their middle, and with all that they hold."""
    if inquiry.preset:
        return _findings_at_preset(inquiry, attended)
    spread = _ranged_costs(inquiry.costs) if isinstance(inquiry.costs, str) else None
    written = _written(inquiry)
    if not written and spread is None:
        return findings_of(inquiry, recalibrate=True, attended=attended)
    if len(written) > _MOST_RANGES:
        raise CostError(f"at most {_MOST_RANGES} ranges at a time; got {len(written)}.")
    middle = _middle(written, spread)
    with _about_shares(written):
        at = _put(inquiry, middle, len(written), spread)
        found = findings_of(at, recalibrate=True, attended=attended)
    ev = _doubted(found, written, spread, inquiry, attended)
    where = ", ".join(each.text for each in written) if spread is None else "the range"
    return replace(ev, notes=(*ev.notes, Note("middle-of-range", where=where)))


@contextmanager
def _about_shares(written: list[_Written]) -> Iterator[None]:
    """Say how to write a range of shares, where shares do not add to 1 within it."""
    try:
        yield
    except PriorError as error:
        if not any(each.is_share for each in written) or error.code != "shares-sum":
            raise
        raise PriorError(
            error.message,
            hint="leave one outcome out, which takes what is left:  --prevalence "
            "cat=30%..40%,dog=.3",
        ) from None


def spread_out(inquiry: Inquiry) -> tuple[Any, list[tuple[str, Any]]]:
    """The options in the middle of all ranges, and at every combination of ends, by name."""
    spread = _ranged_costs(inquiry.costs) if isinstance(inquiry.costs, str) else None
    written = _written(inquiry)
    if not written and spread is None:
        return inquiry, []
    axes = _axes(written, spread, 3)
    if len(axes) > _MOST_RANGES:
        raise CostError(f"at most {_MOST_RANGES} ranges at a time; got {len(axes)}.")
    if inquiry.file == "-":
        raise DataError("a range needs a file that can be read more than once, not standard input.")
    ends = []
    for values in itertools.product(*((a.values[0], a.values[-1]) for a in axes)):
        pairs = zip(axes, values, strict=True)
        label = ", ".join(f"{each.name} {each.said(float(value))}" for each, value in pairs)
        ends.append((label, _put(inquiry, values, len(written), spread)))
    return _put(inquiry, _middle(written, spread), len(written), spread), ends


def _doubted(
    ev: Evaluation,
    written: list[_Written],
    spread: RangedCosts | None,
    inquiry: Inquiry,
    attended: Attended,
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
        found = findings_of(_put(inquiry, values, len(written), spread), attended=attended)
        at.append(found)
        return found.application.costs.values, found.application.priors

    possible: Possible = grid(axes, evaluated)
    return with_evaluations(ev, possible, at)


def _possible(
    inquiry: Inquiry,
    written: list[_Written],
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
    written: list[_Written],
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
    written: list[_Written],
    spread: RangedCosts | None,
    ev: Evaluation,
) -> tuple[Any, Any]:
    """Costs and shares for values of the ranges."""
    put, app = _put(inquiry, values, len(written), spread), ev.application
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


def _written(inquiry: Inquiry) -> list[_Written]:
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
            found.append(_Written(match[0], name, _ends(match, is_share), is_share))
    return found


def _texts(inquiry: Inquiry) -> list[tuple[str, str]]:
    """Every text in which a range may stand, in a fixed order, with what it is about."""
    words = [*inquiry.cost, *inquiry.gain]
    costs = [(word.partition("=")[0].strip().lower(), word) for word in words]
    return [*costs, ("prevalence", inquiry.prevalence or "")]


def _put(
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
