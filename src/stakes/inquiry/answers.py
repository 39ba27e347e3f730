"""Answers: from what was asked to an evaluation, with ranges and presets, and for sources in
Python.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._checks import of_kind
from stakes.application import Application, CostMatrix, as_application
from stakes.evaluation import Evaluation
from stakes.evaluation.challenge import challenged
from stakes.exceptions import CostError, DataError, PriorError, StakesError
from stakes.inquiry.inquiry import Attended, Inquiry, plainly
from stakes.inquiry.near_answer import near_answer
from stakes.inquiry.ranges import MOST_RANGES, Ranges
from stakes.inquiry.road import said_of_road
from stakes.messages.audience import command_line
from stakes.messages.notes import Note
from stakes.sources.count_files import kept_in
from stakes.sources.table import Table

if TYPE_CHECKING:
    from stakes.sources.source import Source


def answer(inquiry: Inquiry, attended: Attended = plainly) -> Evaluation:
    r"""Read what was asked about, judge it, and say what to do; what ``stakes eval`` prints.

    Ranges of costs and shares are evaluated at their geometric mean and over their whole width.

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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> rows = ["truth,p", *["no,0.05"] * 45, *["yes,0.7"] * 12, *["no,0.6"] * 3]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "day.csv")
    ...     _ = file.write_text("\n".join(rows))
    ...     asked = Inquiry(source=str(file), label="truth", positive="yes", scores="p",
    ...                     cost={"fn": 10, "fp": 1})
    ...     ev = answer(asked)
    >>> round(ev["p"].cost, 3), ev.verdict_kind
    (0.05, 'deploy')
    """
    of_kind(inquiry, "inquiry", Inquiry)
    with command_line():  # an inquiry uses the words of the options, also in Python
        found = _answered(inquiry, attended)
        found = challenged(found, inquiry.baseline, inquiry.switching_cost)
        return replace(found, notes=(*found.notes, *said_of_road(inquiry)), inquiry=inquiry)


def _answered(inquiry: Inquiry, attended: Attended) -> Evaluation:
    """Like `answer_at`, but evaluates ranges."""
    if inquiry.preset:
        return _at_preset(inquiry, attended)
    ranges = Ranges.of(inquiry)
    if not ranges:
        return answer_at(inquiry, recalibrate=True, attended=attended)
    if len(ranges.written) > MOST_RANGES:
        raise CostError(f"at most {MOST_RANGES} ranges at a time; got {len(ranges.written)}.")
    try:
        found = answer_at(ranges.middle, recalibrate=True, attended=attended)
    except PriorError as error:
        if error.code != "shares-sum" or not any(each.is_share for each in ranges.written):
            raise
        rest = "leave one outcome out, which takes what is left:  --prevalence cat=30%..40%,dog=.3"
        raise PriorError(error.message, hint=rest) from None
    ev = ranges.doubted(found, partial(answer_at, attended=attended))
    notes = [_with_range(note, ranges) for note in ev.notes]
    return replace(ev, notes=(*notes, Note("middle-of-range", where=ranges.middle_words)))


def _with_range(note: Note, ranges: Ranges) -> Note:
    """A note that gives the shares in use, with the range in which they lie."""
    gave = ranges.shares_words
    if not gave or note.values.get("gave") is None:
        return note
    return Note(note.code, **{**note.values, "gave": f"gave {gave}, evaluated at"})


def answer_at(
    inquiry: Inquiry, *, recalibrate: bool = False, attended: Attended = plainly
) -> Evaluation:
    """The evaluation of an inquiry without ranges: from counts, from an engine, or from rows."""
    kept, rest = ([], None) if inquiry.confusion else kept_in(inquiry.source)
    if inquiry.confusion or kept:
        from stakes.inquiry.count_answer import confusion_answer, kept_answer

        if inquiry.confusion:
            return confusion_answer(inquiry)
        return kept_answer(kept, rest, inquiry, attended)
    if inquiry.is_far:
        from stakes.inquiry.far_answer import far_answer

        return far_answer(inquiry, attended)
    return near_answer(inquiry, recalibrate=recalibrate)


def _at_preset(inquiry: Inquiry, attended: Attended) -> Evaluation:
    """The evaluation at the first operating point of a preset, with a note about the others."""
    from stakes.metrics import nist_applications

    if inquiry.gives_costs or inquiry.prevalence:
        raise CostError("--preset says the costs and the shares; leave the others out.")
    try:
        applications = nist_applications(inquiry.preset or "")
    except StakesError as error:
        raise CostError(error.message, hint="--preset sre16") from None
    found: list[Evaluation] = []
    notes: list[Note] = []
    for app in applications.values():
        assert app.priors is not None
        share, costs = float(app.priors[1]), app.costs.values
        amounts = (f"fn={costs[1, 0]:.12g}", f"fp={costs[0, 1]:.12g}")
        at = inquiry.but(cost=amounts, prevalence=f"{share:.12g}", preset=None)
        found.append(answer_at(at, recalibrate=not found, attended=attended))
        best, said = found[-1][found[-1].best], f"{100 * share:g}"
        nec = "" if math.isnan(best.nec) else f" (NEC {best.nec:.3f})"
        if len(found) == 1:
            notes.append(Note("at-operating-point", preset=inquiry.preset, share=said))
        else:
            notes.append(Note("best-elsewhere", share=said, model=best.name, nec=nec))
    main = found[0]
    if len(found) > 1:
        necs = {name: [np.nan_to_num(each[name].nec) for each in found] for name in main}
        means = ", ".join(f"{name} {float(np.mean(each)):.3f}" for name, each in necs.items())
        notes.append(Note("mean-of-points", points=len(found), means=means))
    return replace(main, notes=(*main.notes, *notes))


def evaluate_source(
    source: Source,
    *,
    label: str,
    application: Any,
    posteriors: Any = None,
    decisions: Any = None,
    positive: Any = None,
    by: Any = None,
    case_costs: Mapping[str, Any] | None = None,
    sample_weight: str | None = None,
    **settings: Any,
) -> Evaluation:
    """Judge the models in the rows of a source; see `stakes.evaluate_frame`."""
    if not isinstance(application, (Application, CostMatrix)):
        got = type(application).__name__
        raise CostError(
            f"rows of a source are judged at an Application or a CostMatrix; got {got}.",
            hint='costs per case are formulas: case_costs={"fn": "amount", "fp": "10"}',
        )
    app = as_application(application)
    source, scores = _named(source, posteriors)
    source, taken = _named(source, decisions)
    asked: dict[str, Any] = {"costs": app}
    if case_costs is not None:
        asked = {"cost": dict(case_costs), "unit": app.unit}
        if app.volume is not None:  # these as they are typed
            asked["volume"] = f"{app.volume:.15g}" + (f"/{app.period}" if app.period else "")
        if app.priors is not None:
            pairs = zip(app.classes, app.priors.tolist(), strict=True)
            asked["prevalence"] = ",".join(f"{name}={share!r}" for name, share in pairs)
    # columns may be one for each class rather than one for each model
    ends = [any(column.endswith(str(name)) for column in scores) for name in app.classes]
    by_class = len(app.classes) > 2 or (len(scores) == len(ends) and all(ends))
    asked["proba" if by_class else "scores"] = ",".join(scores)
    if by is not None and not isinstance(by, str):
        if len(by) != 1:
            raise DataError(f"rows of a source are split by one column; got {len(by)}.")
        by = str(by[0])
    return answer(
        Inquiry(
            source=source,
            label=label,
            positive=None if positive is None else str(positive),
            decisions=",".join(taken),
            weight=sample_weight,
            by=by,
            **settings,
            **asked,
        )
    )


def _named(source: Source, models: Any) -> tuple[Source, tuple[str, ...]]:
    """The columns of the models; in memory, columns may get the names that models have."""
    if models is None:
        return source, ()
    if not isinstance(models, Mapping):
        return source, (models,) if isinstance(models, str) else tuple(models)
    if not all(isinstance(column, str) for column in models.values()):
        raise DataError("a model of a source is one column.", hint='posteriors={"gbm": "gbm_p"}')
    new = {name: column for name, column in models.items() if name != column}
    if new and not isinstance(source, Table):
        message = "models in files that stay where they are are called after their columns."
        raise DataError(message, hint=f"posteriors={list(models.values())!r}")
    if isinstance(source, Table):
        getters = [source.getters[source.position(column)] for column in new.values()]
        names = (*source.names, *new)
        source = replace(source, names=names, getters=(*source.getters, *getters))
    return source, tuple(models)
