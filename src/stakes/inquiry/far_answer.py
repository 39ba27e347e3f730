"""Files that stay where they are: counted by an engine, judged, and what was assumed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stakes.application import Application
from stakes.evaluation import Evaluation
from stakes.evaluation.builder import with_rules
from stakes.evaluation.reduction_account import evaluated_reduction
from stakes.exceptions import StakesError
from stakes.inquiry.assumptions import assumptions, refuse_many_slices, told
from stakes.inquiry.case_question import Placed
from stakes.inquiry.far_counts import Counted, counted_far
from stakes.inquiry.inquiry import Attended, Inquiry, judging_options, plainly
from stakes.inquiry.model_decisions import rule_of
from stakes.messages.notes import Note
from stakes.summaries import ConfusionMatrix, PairedCounts


def far_answer(inquiry: Inquiry, attended: Attended = plainly) -> Evaluation:
    """Count the files in their engine, and judge the counts."""
    found = counted_far(inquiry, attended)
    inquiry, reduction, app = found.inquiry, found.reduction, found.application
    if inquiry.by:
        refuse_many_slices(inquiry.by, len(reduction.slices))
    ev = evaluated_reduction(reduction, options=judging_options(inquiry))
    ends = [reduction._score_ends(model) for model in reduction.request.models]
    known = [scores for scores in ends if scores is not None]
    rule = rule_of(app, found.cases, inquiry, None, np.concatenate(known) if known else None)
    ev = _in_text(with_rules(ev, {model.name: rule for model in ev.models}), app)
    try:  # what all models decided together, where that was counted
        pairs = reduction.paired()
        joint = PairedCounts(pairs.cells, pairs.counts, pairs.systems, app.classes, app.decisions)
    except StakesError:
        joint = None
    return _told(ev, found, joint)


def _in_text(ev: Evaluation, app: Application) -> Evaluation:
    """The same evaluation, whole and in its slices, over names as text."""
    named = Application(app.costs, ev.application.priors, app.unit, app.volume, app.period)
    models = tuple(
        replace(m, confusion=ConfusionMatrix(m.confusion.counts, app.classes, app.decisions))
        for m in ev.models
    )
    slices = {name: _in_text(part, app) for name, part in ev.slices.items()}
    return replace(ev, application=named, models=models, slices=slices)


def _told(ev: Evaluation, found: Counted, joint: PairedCounts | None) -> Evaluation:
    """The evaluation with where it comes from and what was assumed."""
    cases, files, inquiry = found.cases, found.files, found.inquiry
    place = Placed(found.application, found.judged)
    notes = [*found.notes, *assumptions(ev, place, cases, inquiry)]
    kept = tuple(note for note in ev.notes if note.code != "recalibration-needs-rows")
    if len(kept) < len(ev.notes):  # said with what to do then on the command line
        notes.append(Note("recalibration-needs-memory"))
        ev = replace(ev, notes=kept)
    many = len(files.paths)
    form = f"{many} {files.form} file{'s' if many != 1 else ''}, counted by {found.engine}"
    facts = {"source": files.title, "label": cases.label, "form": form, "models": len(ev)}
    counts = found.reduction.rows_by_class if inquiry.weight else cases.totals
    more = {"class_counts": counts, "warnings": found.warnings, "joint": joint}
    return told(ev, notes, {**facts, "weight": inquiry.weight}, **more)
