"""Findings from rows that are counted where they lie: files of any number and size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.application.sentences import describe_costs
from stakes.cli.cases import Cases
from stakes.cli.deciding import about_cuts, rule_of
from stakes.cli.evaluated import findings_from
from stakes.cli.far_counts import Counted, counted_far
from stakes.cli.parts import about_parts, refuse_many_parts
from stakes.cli.place import judged_at
from stakes.cli.remarks import (
    about_base_rate,
    about_extra_decisions,
    about_numbers,
    about_switches,
)
from stakes.engines import Reduction
from stakes.evaluation import Evaluation
from stakes.evaluation.from_reduction import evaluated_reduction
from stakes.exceptions import StakesError
from stakes.report import Findings
from stakes.summaries import ConfusionMatrix, PairedCounts

__all__ = ["findings_at_scale"]

#: How an evaluation of counts says what it could not do; the command line says what to do then.
NOT_AGAIN = "no model was re-calibrated"


def findings_at_scale(args: Any) -> Findings:
    """Count the files in their engine, and judge the counts."""
    found = counted_far(args)
    if args.subset:
        refuse_many_parts(args.subset, len(found.reduction.slices))
    ev = _evaluated(found.reduction, found.application, found.cases, args)
    args.joint = _joint(found.reduction, found.application)
    return _findings(ev, found, args)


def _evaluated(reduction: Reduction, app: Application, cases: Cases, args: Any) -> Evaluation:
    """The verdict on the counts, with names as text and rules in the terms of the files."""
    least = max(1, getattr(args, "min_positives", 10))
    ev = evaluated_reduction(reduction, options={"level": 0.95, "rng": 0, "min_cases": least})
    ends = [reduction._score_ends(model) for model in reduction.request.models]
    known = [scores for scores in ends if scores is not None]
    rule = rule_of(app, cases, args, None, np.concatenate(known) if known else None)
    return _in_text(ev, app, rule.text, rule.threshold)


def _in_text(
    ev: Evaluation, app: Application, rule: str | None, threshold: float | None
) -> Evaluation:
    """The same evaluation, whole and in its slices, over names as text."""
    named = Application(app.costs, ev.application.priors, app.unit, app.volume, app.period)
    models = tuple(
        replace(
            model,
            confusion=ConfusionMatrix(model.confusion.counts, app.classes, app.decisions),
            rule=rule,
            threshold=threshold,
        )
        for model in ev.models
    )
    slices = {name: _in_text(part, app, rule, threshold) for name, part in ev.slices.items()}
    return replace(ev, application=named, models=models, slices=slices)


def _joint(reduction: Reduction, app: Application) -> PairedCounts | None:
    """What all models decided together, over names as text; None where that was not counted."""
    try:
        joint = reduction.paired()
    except StakesError:
        return None
    return PairedCounts(joint.cells, joint.counts, joint.systems, app.classes, app.decisions)


def _findings(ev: Evaluation, found: Counted, args: Any) -> Findings:
    """Everything that is printed."""
    app, cases, files, notes = found.application, found.cases, found.files, list(found.notes)
    notes += about_cuts(app, cases, args)
    notes += about_base_rate(cases, app, args)
    notes += about_numbers("decisions" if args.decisions else "scores", cases, args)
    notes += about_extra_decisions(ev)
    notes += about_switches(ev) if args.decisions else []
    notes += about_parts(ev, judged_at(app, args))
    if any(note.startswith(NOT_AGAIN) for note in ev.notes):
        notes.append(f"{NOT_AGAIN}: that needs the rows in memory, such as a sample in one file")
        kept = tuple(note for note in ev.notes if not note.startswith(NOT_AGAIN))
        ev = replace(ev, notes=kept)
    many = len(files.paths)
    form = f"{many} {files.form} file{'s' if many != 1 else ''}, counted by {found.engine}"
    result = findings_from(
        ev,
        source=files.title,
        kind="decisions" if args.decisions else "scores" if args.scores else "posteriors",
        class_counts=found.reduction.rows_by_class if args.weight else cases.totals,
        costs_said=describe_costs(app.costs, unit=app.unit).splitlines(),
        notes=notes,
        warnings=found.warnings,
        facts={
            "label": cases.label,
            "form": form,
            "models": len(ev),
            **({"weight": args.weight} if args.weight else {}),
        },
    )
    return replace(result, n_cases=int(ev.n_cases))
