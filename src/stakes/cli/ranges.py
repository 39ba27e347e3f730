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
from stakes.evaluation import Evaluation
from stakes.evaluation.switching import within
from stakes.exceptions import CostError, DataError
from stakes.metrics import nist_applications
from stakes.report import Findings, ModelFinding

__all__ = ["findings_over"]

_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)(%?)"
_RANGE = re.compile(rf"(?<![\w.]){_NUMBER}\.\.{_NUMBER}(?![\w.])")
MOST_RANGES = 3


def findings_over(args: Any) -> Findings:
    """See `findings_of`; with ranges, at their middle, with a note about their ends."""
    if getattr(args, "preset", None):
        return _at_preset(args)
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
    found = findings_of(middle, recalibrate=True)
    corners = [(", ".join(labels), findings_of(each)) for labels, each in places]
    if not _RANGE.search(args.prevalence or ""):
        found = _depending(found, [each for _, each in corners])
    return replace(found, notes=(*found.notes, *_note(found, corners, written)))


def _depending(found: Findings, corners: list[Findings]) -> Findings:
    """The verdict over the whole range of what a miss costs; two outcomes and two decisions."""
    ratios = [_ratio(each.application) for each in corners]
    if found.application.costs.shape != (2, 2) or None in ratios:
        return found
    known = [ratio for ratio in ratios if ratio is not None]
    ev: Evaluation = found.evaluation
    ev = replace(ev, switches=within(ev.ranges, (min(known), max(known))))
    return replace(found, evaluation=ev, verdict=ev.verdict, remarks=ev.remarks)


def _ratio(app: Application) -> float | None:
    """How many false alarms a miss costs as much as."""
    if app.costs.shape != (2, 2):
        return None
    (tn, fp), (fn, tp) = app.costs.values
    return float((fn - tp) / (fp - tn)) if fp > tn and fn > tp else None


def _costing(args: Any, costs: Application) -> Any:
    """The options with other costs."""
    changed = copy.copy(args)
    changed.costs = costs
    return changed


def _at_preset(args: Any) -> Findings:
    """Findings at the first operating point of a preset, with a note about the others."""
    if args.cost or args.costs or args.miss or args.false_alarm or args.prevalence:
        raise CostError("--preset says the costs and the shares; leave the others out.")
    points = [
        (float(app.priors[1]), app.costs.values)
        for app in nist_applications(args.preset).values()
        if app.priors is not None
    ]
    found: list[tuple[float, Findings]] = []
    for share, costs in points:
        at = copy.copy(args)
        at.cost = [f"fn={costs[1, 0]:.12g}", f"fp={costs[0, 1]:.12g}"]
        at.prevalence, at.preset = f"{share:.12g}", None
        found.append((share, findings_of(at, recalibrate=not found)))
    main = found[0][1]
    notes = [f"{args.preset}: judged where {100 * points[0][0]:g} % are targets"]
    for share, other in found[1:]:
        best = _best(other)
        notes.append(f"where {100 * share:g} % are targets, {best.name} is best{_nec(best)}")
    if len(found) > 1:
        names = [model.name for model in main.models]
        means = {
            name: sum(m.nec or 0.0 for _, f in found for m in f.models if m.name == name)
            / len(found)
            for name in names
        }
        said = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
        notes.append(f"mean NEC over the {len(found)} operating points: {said}")
    return replace(main, notes=(*main.notes, *notes))


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
