"""What was assumed, as notes, and the command to type next."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.calibration.calibrator_file import read_saved
from stakes.evaluation import Evaluation
from stakes.evaluation.verdict import AFTER
from stakes.exceptions import CostError, DataError, StakesError
from stakes.inquiry.case_question import Asked, Placed
from stakes.inquiry.column_roles import class_columns, words_of
from stakes.inquiry.inquiry import Inquiry
from stakes.inquiry.model_decisions import about_cuts, retold
from stakes.inquiry.option_words import refuse_beyond_squares
from stakes.inquiry.proposal import command, file_words, given, option
from stakes.inquiry.truth import Cases, quoted
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped, money, percent, plain
from stakes.posteriors import Posteriors
from stakes.sources.table import Table

#: The probability that shows how far a base rate moves the others.
_EXAMPLE = 0.3


#: Notes of an evaluation that the command line says in words of its own.
_SAID_OTHERWISE = {f"shares-of-{whose}" for whose in ("data", "application", "first")}
_SAID_OTHERWISE |= {"posteriors-moved", "counts-only", "several-cuts"}


def told(
    ev: Evaluation,
    notes: Sequence[Note],
    facts: dict[str, Any],
    inquiry: Inquiry,
    *,
    warnings: Sequence[Note] = (),
    **more: Any,
) -> Evaluation:
    """The evaluation with where it comes from; its own notes come after those given."""
    own = [note for note in ev.notes if note.code not in _SAID_OTHERWISE]
    facts = {name: value for name, value in facts.items() if value is not None}
    turned = [note for note in ev.warnings if note.code == "turned-round"]
    others = [note for note in ev.warnings if note.code != "turned-round"]
    odd = (*warnings, *retold(turned, inquiry), *others)
    return replace(ev, notes=(*notes, *own), facts=facts, warnings=odd, **more)


#: More slices than this are not judged apart: a table of them says nothing to anybody.
_MOST_SLICES = 200


def refuse_many_slices(name: str, count: int) -> None:
    """Raise for a column that makes no slices, such as an id or an amount."""
    if count > _MOST_SLICES:
        raise DataError(
            f"'{name}' has {grouped(count)} values; at most {_MOST_SLICES} slices are judged "
            "apart.",
            hint="give a column with fewer values, such as a region or an age group\n"
            f"cases that belong together, such as those of a customer:  --groups {name}",
        )


def _about_slices(ev: Evaluation, app: Application) -> list[Note]:
    """A sentence about the slices of the best model, with the number of slices allowed for."""
    tables = {name: part[ev.best].confusion for name, part in ev.slices.items()}
    if len(tables) < 2:
        return []
    try:
        refuse_beyond_squares(app.costs)
    except CostError as error:
        return [Note("slices-not-compared", why=error.message)]
    from stakes.monitoring import compare_slices

    try:
        found = compare_slices(tables, application=app)
    except StakesError:  # weights, or a class that a slice does not have
        return []
    level = f"{100 * found.level:g} %"
    values = {"model": ev.best, "level": level, "slices": len(tables), "verdict": found.verdict}
    return [Note("slices-compared", **values)]


def assumptions(
    ev: Evaluation, place: Placed, cases: Cases, inquiry: Inquiry, *, alike: bool = True
) -> list[Note]:
    """What was assumed and what to know, near or far; `alike` says that all cases cost alike."""
    return [
        *(about_cuts(place.app, cases, inquiry) if alike else ()),
        _about_base_rate(cases, place.app, inquiry),
        *_about_moved_fits(ev, cases, place.app),
        *([Note("decisions-alone")] if inquiry.decisions else ()),
        *([Note("ranks-cross-fitted")] if inquiry.kind == "rank" and not inquiry.decisions else ()),
        *about_absent(cases.classes, cases.totals),
        *_about_extra_decisions(ev),
        *(about_switches(ev) if inquiry.decisions else ()),
        *_about_slices(ev, place.judged),
    ]


def _about_base_rate(cases: Cases, app: Application, inquiry: Inquiry) -> Note:
    """How shares that differ from those of the data were taken into account."""
    assert app.priors is not None
    if np.array_equal(app.priors, cases.priors):
        return Note("shares-of-file")
    said = both_shares(cases, app)
    if inquiry.decisions:
        return Note("rates-weighed", **said)
    if inquiry.posteriors_already_adjusted:
        return Note("adjusted-already", **said)
    if inquiry.kind in ("llr", "rank"):
        return Note("threshold-moved", **said)
    example = ""  # one probability before and after the move
    if len(cases.classes) == 2 and (cases.priors > 0).all():
        moved = Posteriors([_EXAMPLE]).with_priors(app.priors, from_priors=cases.priors)
        example = f" ({_EXAMPLE:.2f} -> {float(moved.values[0, 1]):.2g})"
    code = "columns-moved" if inquiry.scores else "probabilities-moved"
    return Note(code, **said, example=example)


def _about_moved_fits(ev: Evaluation, cases: Cases, app: Application) -> list[Note]:
    """That calibrations were moved to other shares, where fitting for them gives other figures."""
    assert app.priors is not None
    fitted = any(model.recalibrated_nec is not None for model in ev.models)
    moved = not np.array_equal(app.priors, cases.priors)
    return [Note("calibrated-then-moved")] if fitted and moved else []


def both_shares(cases: Cases, app: Application) -> dict[str, str]:
    """The shares of the file and those that were given, as values of a note."""
    assert app.priors is not None
    if len(cases.classes) == 2:
        here, there = percent(cases.priors[1]), percent(app.priors[1])
        here += f" '{cases.classes[1]}'"
    else:
        here, there = (_spread(cases.classes, each) for each in (cases.priors, app.priors))
    return {"here": here, "gave": "said", "there": there}


def _spread(classes: tuple[str, ...], shares: NDArray[Any]) -> str:
    """Shares by name, e.g. cat 50 %, dog 30 %."""
    pairs = [f"{name} {percent(share)}" for name, share in zip(classes, shares, strict=True)]
    return ", ".join(pairs[:6]) + (f" and {len(pairs) - 6} more" if len(pairs) > 6 else "")


def about_absent(classes: Sequence[Any], totals: Any) -> list[Note]:
    """Which outcomes do not occur."""
    absent = [name for name, total in zip(classes, totals, strict=True) if total == 0]
    return [Note("outcome-absent", outcomes=quoted(absent))] if absent else []


def about_switches(ev: Evaluation) -> list[Note]:
    """For which costs the best of several deciders stops being it; two outcomes, two decisions."""
    app = ev.application
    if app.costs.shape != (2, 2) or len(ev) < 2:
        return []
    assert app.priors is not None
    best = ev[ev.best]
    said = []
    for other in ev.models:
        misses = app.priors[1] * (other.confusion.rates[1, 0] - best.confusion.rates[1, 0])
        alarms = app.priors[0] * (other.confusion.rates[0, 1] - best.confusion.rates[0, 1])
        if misses * alarms >= 0:
            continue  # one is never worse than the other
        ratio, more = plain(float(-alarms / misses), 3), "more" if misses > 0 else "less"
        values = {"best": best.name, "other": other.name, "more": more, "ratio": ratio}
        alarms_said = "alarm" if ratio == "1" else "alarms"
        said.append(Note("beats-at-ratio", **values, alarms=alarms_said))
    return said


def _about_extra_decisions(ev: Evaluation) -> list[Note]:
    """How often a decision that is not an outcome is taken, what it costs and what it saves."""
    app = ev.application
    extra = [j for j, name in enumerate(app.decisions) if name not in app.classes]
    if not extra or len(extra) == len(app.decisions) or len(app.decisions) < 3:
        return []
    used = ev.use(ev.best)
    said = []
    for j in extra:
        values = {"model": ev.best, "decision": app.decisions[j]}
        values |= {
            "share": percent(used["share"][j], 0),
            "cost": money(float(used["cost"][j]), app.unit),
        }
        if used["share"][j] == 0:
            said.append(Note("extra-decision-never", **values))
        elif np.isnan(used["saves"][j]):
            said.append(Note("extra-decision", **values))
        else:
            saves = money(float(used["saves"][j]), app.unit)
            said.append(Note("extra-decision-saves", **values, saves=saves))
    return said


def calibrating(ev: Evaluation, question: Asked, inquiry: Inquiry) -> str | None:
    """The command that re-calibrates the best model, or the one that is best after that.

    None where calibration is no matter, or where `stakes calibrate` cannot read the same cases.
    """
    name = _to_recalibrate(ev)
    if name is None or inquiry.file in (None, "-") or inquiry.more:
        return None
    model = _model(name, question, inquiry)
    if model is None:
        return None
    words = [
        "stakes",
        "calibrate",
        *file_words(inquiry.file),
        *given(inquiry, "label", "positive"),
        *model,
    ]
    words += given(inquiry, "weight", "groups")
    # gaps are filled by decisions, of which a calibration knows nothing
    words += ["--missing", "drop"] if inquiry.missing == "drop" else []
    typed = shlex.join([*words, *_prices(ev, inquiry), "-o", f"{_as_file(name)}_cal.json"])
    return typed if typed.isprintable() else None


def _to_recalibrate(ev: Evaluation) -> str | None:
    """The model that gains by it: the best one, or the one that is best afterwards."""
    after = ev.best_recalibrated if ev.verdict_kind == AFTER else None
    if after is not None:
        return after.name
    return None if ev.worth is None else ev.best


def _as_file(name: str) -> str:
    """The name of a model as that of a file."""
    return re.sub(r"[^\w.-]+", "_", name).lstrip("-") or "model"


def recalibrating_far(ev: Evaluation, inquiry: Inquiry) -> str | None:
    """The command that writes the re-calibrated rule of that model, learnt by an engine.

    None where there is no such rule.
    """
    name = _to_recalibrate(ev)
    if name is None or inquiry.file is None:
        return None
    try:
        if ev.rule(name, recalibrated=True).columns is None:
            return None
    except StakesError:
        return None
    more = given(inquiry, "groups", "posteriors_already_adjusted", "engine")
    more += [*option("rule-of", name), "--recalibrated", "--rule", f"{_as_file(name)}_rule.json"]
    typed = command("eval", inquiry, *_prices(ev, inquiry), *more)
    return typed if typed.isprintable() else None


#: Files of more bytes are no calibrations.
_LARGEST_CALIBRATION = 10_000_000


def about_learnt_here(table: Table, label: str, models: Iterable[str], file: Any) -> list[Note]:
    """Which calibrated columns were learnt on these very rows, by the calibrations at hand.

    Those are looked for beside the file. Nobody can know it of others, nor of rows that were
    sorted or left out since.
    """
    named = {name for name in models if name == "calibrated" or name.endswith("_calibrated")}
    found = []
    for path in sorted(Path(file).parent.glob("*.json")) if named and file != "-" else ():
        with suppress(StakesError, OSError):
            if path.stat().st_size > _LARGEST_CALIBRATION:
                continue
            given = read_saved(path).get("input", {})
            columns = tuple(given.get("columns", {}).values())
            model = f"{given['model']}_calibrated" if "score" in given["columns"] else "calibrated"
            if model not in named or not {*columns} <= {*table.names}:
                continue
            if table._columns_digest((label, *columns)) == given.get("rows_sha256"):
                values = {"model": model, "file": path.name, "before": given["model"]}
                found.append(Note("learnt-here", **values))
    return found


def _model(name: str, question: Asked, inquiry: Inquiry) -> list[str] | None:
    """Which model, and what its numbers mean; None where it cannot be named alone."""
    words = option("scores-are", inquiry.kind) if inquiry.kind != "posterior" else []
    words += ["--narrow"] if inquiry.narrow else []
    words += ["--renormalise"] if inquiry.renormalise else []
    if inquiry.scores:
        turned = option("flip", name) if name in words_of(inquiry.flip) else []
        return [*words, *turned, *option("model", name)]
    proba = inquiry.proba or ""
    apart = (question.cases.label, inquiry.id)
    models = {found.model: found for found in class_columns(question.table, proba, *apart)}
    if len(models) == 1:
        return [*words, *option("proba", proba)]
    mine = models[name]
    starred = proba.replace("*", name, 1) if proba.count("*") > 1 else f"{name}.{proba}"
    for alone in (mine.matrix or starred, ",".join(mine.by_class.values())):
        with suppress(StakesError):
            found = class_columns(question.table, alone, *apart)
            if [(each.matrix, each.by_class) for each in found] == [(mine.matrix, mine.by_class)]:
                return [*words, *option("proba", alone)]
    return None


def _prices(ev: Evaluation, inquiry: Inquiry) -> list[str]:
    """The costs and shares as they were given; costs of single cases lead to no calibration."""
    if not isinstance(inquiry.costs, Application):
        return given(inquiry, "cost", "gain", "costs", "unit", "volume", "prevalence")
    app = ev.application  # in the middle of the ranges of a file
    if app.costs.shape != (2, 2):
        return []
    (tn, fp), (fn, tp) = app.costs.values.tolist()
    cells = {"fn": fn, "fp": fp, "tp": tp, "tn": tn}
    words = [f"{name}={cost:.15g}" for name, cost in cells.items() if cost or name[0] == "f"]
    words = ["--cost", *words, *(option("unit", app.unit) if app.unit else [])]
    if inquiry.prevalence or inquiry.costs.priors is None:
        return words + given(inquiry, "prevalence")
    named = zip(inquiry.costs.classes, inquiry.costs.priors, strict=True)
    shares = ",".join(f"{name}={share:.15g}" for name, share in named)
    return words + option("prevalence", shares)
