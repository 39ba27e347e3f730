"""Rows in memory: read, judged, and what was assumed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import as_positions
from stakes.application import Application
from stakes.evaluation import Evaluation, evaluate
from stakes.evaluation.builder import with_rules
from stakes.exceptions import CostError, DataError
from stakes.inquiry.case_question import (
    Asked,
    Placed,
    asked,
    at_place,
    groups_of,
    refuse_or_name_dominated,
)
from stakes.inquiry.inquiry import Inquiry, judging_options
from stakes.inquiry.model_columns import Model, models_of
from stakes.inquiry.model_decisions import (
    in_terms_of_file,
    rule_of,
    said_by,
    turned_round,
    without_gaps,
)
from stakes.inquiry.option_words import CostWords, binary_case_costs
from stakes.inquiry.remarks import assumptions, calibrating, refuse_many_slices, with_story
from stakes.inquiry.truth import NO_VALUE, Cases, texts
from stakes.messages.audience import speaking_of


def near_answer(inquiry: Inquiry, *, recalibrate: bool) -> Evaluation:
    """The evaluation of rows in memory, and what was assumed."""
    question = asked(inquiry)
    inquiry = question.inquiry
    app, _ = at_place(question.application, question.cases.priors, inquiry)
    models = models_of(question.table, question.cases, texts(app.decisions), inquiry)
    models, cases, gaps = without_gaps(models, question.cases, inquiry)
    app, judged = at_place(question.application, cases.priors, inquiry)
    warnings = [gaps] if gaps else []
    warnings += [each.note for each in turned_round(models, cases, inquiry)]
    if question.words is None:
        warnings += refuse_or_name_dominated(app.costs)
    place, alike = Placed(app, judged), question.words is None
    ev = _evaluated(question, models, cases, place, recalibrate)
    notes = [*question.notes, *assumptions(ev, place, cases, inquiry, alike=alike)]
    command = calibrating(ev, question, inquiry)
    found = with_story(
        ev,
        source=question.table.source,
        class_counts=cases.counted,
        case_costs_said=_said_per_case(question.words, app, cases) if question.words else (),
        notes=notes,
        warnings=warnings,
        facts={
            "label": cases.label,
            "form": question.table.form,
            "sha256": question.table.digest,
            "models": len(models),
            **({"weight": inquiry.weight} if inquiry.weight else {}),
            **({} if command is None else {"calibrate": command}),
        },
    )
    names = question.table.labels(inquiry.groups).names if inquiry.groups else None
    return replace(found, group_names=names)


def _evaluated(
    question: Asked,
    models: list[Model],
    cases: Cases,
    place: Placed,
    recalibrate: bool,
) -> Evaluation:
    """The evaluation, with thresholds in the terms of the file."""
    inquiry, app = question.inquiry, place.app
    case_costs = None
    if question.words is not None:
        if any(model.missing.any() for model in models):
            raise DataError("costs per case need every model's value: --missing drop.")
        if inquiry.kind == "rank" and not inquiry.decisions:
            raise CostError("costs per case need probabilities, not ranks.")
        rows = cases.rows
        case_costs = binary_case_costs(question.words, cases.classes, question.table, rows)
    said, cuts = {}, {}
    for model in models:
        with speaking_of(rows=cases.rows, y_true=f"'{cases.label}'"):
            said[model.name], cuts[model.name] = said_by(model, cases, app, inquiry)
    ev = evaluate(
        as_positions(cases.truth),
        said,
        application=place.judged,
        case_costs=case_costs,
        from_priors=app.priors if inquiry.posteriors_already_adjusted else None,
        sample_weight=cases.weights,
        groups=groups_of(question.table, cases, inquiry.groups),
        by=_slices(question, cases, inquiry),
        recalibrate=recalibrate,
        **judging_options(inquiry),
    )
    if case_costs is not None:
        own = {m.name: m.rule and in_terms_of_file(m.rule, inquiry) for m in ev.models}
        return with_rules(ev, own)
    return with_rules(
        ev, {m.name: rule_of(app, cases, inquiry, cuts[m.name], m.second) for m in models}
    )


def _slices(question: Asked, cases: Cases, inquiry: Inquiry) -> NDArray[Any] | None:
    """The column whose values are judged apart too."""
    name = inquiry.by
    if name is None:
        return None
    labels = question.table.labels(name)
    refuse_many_slices(name, len(labels.names))
    names = np.array([*labels.names, NO_VALUE])
    return np.asarray(names[labels.codes[cases.rows]])


def _said_per_case(words: CostWords, app: Application, cases: Cases) -> list[str]:
    """Costs that differ from case to case, as sentences."""
    other, positive = cases.classes
    cells = {"fn": (positive, other), "fp": (other, positive), "tp": (positive,) * 2}
    cells["tn"] = (other, other)
    unit = f" ({app.unit})" if app.unit else ""
    note = {"fn": f"   (missed '{positive}')", "fp": "   (false alarm)"}
    kind = "gains" if words.gain else "costs"
    return [
        f"{kind} I understood{unit}, for each case by its own columns:",
        *(
            f"  truth {cells[key][0]}, decision {cells[key][1]}  -> {text}{note.get(key, '')}"
            for key, text in words.amounts.items()
        ),
    ]
