"""Rows in memory: read, judged, and what was assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stakes._names import as_positions
from stakes.application import Application
from stakes.evaluation import Evaluation, evaluate
from stakes.evaluation.builder import with_rules
from stakes.exceptions import CostError, DataError
from stakes.inquiry.assumptions import (
    about_learnt_here,
    assumptions,
    calibrating,
    refuse_many_slices,
    told,
)
from stakes.inquiry.case_question import (
    Asked,
    Placed,
    asked,
    at_place,
    group_labels,
    groups_of,
    refuse_or_name_dominated,
)
from stakes.inquiry.inquiry import Inquiry, judging_options
from stakes.inquiry.model_decisions import (
    on_columns,
    rule_kind,
    rule_of,
    said_by,
    turned_round,
    without_gaps,
)
from stakes.inquiry.model_scores import Model, models_of
from stakes.inquiry.option_words import CostWords, binary_case_costs
from stakes.inquiry.truth import NO_VALUE, Cases, texts
from stakes.messages.audience import speaking_of
from stakes.rules import DecisionRule
from stakes.rules.rule_parts import converted
from stakes.rules.rule_words import said_alike
from stakes.sources.cells import as_text_array


def near_answer(inquiry: Inquiry, *, recalibrate: bool) -> Evaluation:
    """The evaluation of rows in memory, and what was assumed."""
    question = asked(inquiry)
    inquiry, table, words = question.inquiry, question.table, question.words
    app, _ = at_place(question.application, question.cases.priors, inquiry)
    with speaking_of(ids=question.cases.ids):
        models = models_of(table, question.cases, texts(app.decisions), inquiry)
    free = inquiry.capacity is None  # within limits, rows are ranked by what the model says
    models, cases, gaps = without_gaps(models, question.cases, inquiry, for_decisions=free)
    place = at_place(question.application, cases.priors, inquiry)
    warnings = [gaps] if gaps else []
    if inquiry.file is not None:
        names = [model.name for model in models]
        warnings += about_learnt_here(table, cases.label, names, inquiry.file)
    decided = [model for model in models if inquiry.kind == "rank" or model.missing.any()]
    warnings += turned_round(decided, cases, inquiry)  # evaluate says it of the others
    if words is None:
        warnings += refuse_or_name_dominated(place.app.costs)
    ev = _evaluated(question, models, cases, place, recalibrate)
    rounded = [model.note for model in models if model.note is not None]
    notes = [
        *question.notes,
        *rounded,
        *assumptions(ev, place, cases, inquiry, alike=words is None),
    ]
    facts: dict[str, Any] = {"source": table.source, "label": cases.label, "form": table.form}
    facts |= {"sha256": table.digest, "models": len(models), "weight": inquiry.weight}
    return told(
        ev,
        notes,
        {**facts, "calibrate": calibrating(ev, question, inquiry)},
        inquiry,
        class_counts=cases.counted,
        case_costs_said=said_per_case(words, place.app, cases) if words else (),
        warnings=tuple(warnings),
        group_names=group_labels(table, inquiry.groups).names if inquiry.groups else None,
    )


def _evaluated(
    question: Asked, models: list[Model], cases: Cases, place: Placed, recalibrate: bool
) -> Evaluation:
    """The evaluation, with thresholds in the terms of the file."""
    inquiry, table, app = question.inquiry, question.table, place.app
    case_costs = None
    if question.words is not None:
        if any(model.missing.any() for model in models):
            raise DataError("costs per case need every model's value: --missing drop.")
        if inquiry.kind == "rank" and not inquiry.decisions:
            raise CostError("costs per case need probabilities, not ranks.")
        case_costs = binary_case_costs(question.words, cases.classes, table, cases.rows)
    by = None
    if inquiry.by is not None:
        labels = table.labels(inquiry.by)
        refuse_many_slices(inquiry.by, len(labels.names))
        by = as_text_array([*labels.names, NO_VALUE], len(cases.rows))[labels.codes[cases.rows]]
    said, cuts = {}, {}
    for model in models:
        with speaking_of(rows=cases.rows, ids=cases.ids, y_true=f"'{cases.label}'"):
            said[model.name], cuts[model.name] = said_by(model, cases, app, inquiry)
    ev = evaluate(
        as_positions(cases.truth),
        said,
        application=place.judged,
        case_costs=case_costs,
        from_priors=app.priors if inquiry.posteriors_already_adjusted else None,
        sample_weight=cases.weights,
        groups=groups_of(table, cases, inquiry.groups),
        by=by,
        ids=None if cases.ids is None else cases.ids[cases.rows],
        capacity=inquiry.capacity,
        recalibrate=recalibrate,
        **judging_options(inquiry),
    )
    if ev.case_sources is not None:
        listed = replace(ev.case_sources.cases, rows=cases.rows)
        ev = replace(ev, case_sources=replace(ev.case_sources, cases=listed))
    if question.words is not None:
        columns = {model.name: model.columns for model in models}
        near = {model.name: _on_second(model, said[model.name], inquiry) for model in models}
        return ruled_by_case(ev, columns, near, question.words, rule_kind(inquiry))
    limited = {} if ev.capacity is None else ev.capacity.optima
    prices = {name: found.prices for name, found in limited.items()}
    near = {m.name: _on_second(m, said[m.name], inquiry) for m in models}
    rules = {
        m.name: rule_of(app, cases, inquiry, cuts[m.name], near[m.name], prices.get(m.name))
        for m in models
    }
    rules = {m.name: on_columns(rules[m.name], m.columns) for m in models}
    return with_rules(ev, said_alike(rules, near))


def _on_second(model: Model, said: Any, inquiry: Inquiry) -> Any:
    """The scores that the rule of a model compares with its cuts."""
    if not inquiry.proba or inquiry.kind == "posterior":
        return model.second
    array = np.asarray(said)
    return array[:, 1] if array.ndim == 2 else None


def ruled_by_case(
    ev: Evaluation,
    columns: Mapping[str, Any],
    scores: Mapping[str, Any],
    words: CostWords,
    kind: str,
) -> Evaluation:
    """Rules in the terms of the file, with the formulas of the costs that differ by case."""
    told: dict[str, DecisionRule | None] = {}
    near: dict[str, Any] = {}
    for name, rule in ((model.name, model.rule) for model in ev.models):
        told[name] = None
        if rule is not None:
            near[name] = scores.get(str(rule.model))
            if near[name] is None and kind != rule.scores:
                near[name] = _around(rule, kind)
            there = _in_digits(rule.on(kind), near[name], words)
            told[name] = on_columns(there, columns.get(str(rule.model)))
    return with_rules(ev, said_alike(told, near))


def _in_digits(rule: DecisionRule, scores: Any, words: CostWords) -> DecisionRule:
    """The rule with its formulas, or with digits that decide all scores alike."""
    if rule.per_case:
        return replace(rule, case_costs=words.table)
    return rule if scores is None else rule.rounded_for(scores)


def _around(rule: DecisionRule, kind: str) -> Any:
    """Scores of another kind that tell how many digits one cut needs: no case has scores between
    the cut and what is printed for it.
    """
    if rule.cut_texts is None or len(rule.cut_texts) != 1:
        return None
    ends = np.sort([*rule.thresholds, float(rule.cut_texts[0])])
    low, high = converted(ends, rule.scores, kind, rule.from_priors)
    return np.array([low, np.nextafter(high, np.inf)])


def said_per_case(words: CostWords, app: Application, cases: Cases) -> tuple[str, ...]:
    """Costs that differ from case to case, as sentences."""
    other, positive = cases.classes
    truth = {"fn": positive, "fp": other, "tp": positive, "tn": other}
    decided = {"fn": other, "fp": positive, "tp": positive, "tn": other}
    note = {"fn": f"   (missed '{positive}')", "fp": "   (false alarm)"}
    kind = "Gains" if words.gain else "Costs"
    unit = f" ({app.unit})" if app.unit else ""
    return (
        f"{kind} used{unit}, computed for each case from its columns:",
        *(
            f"  truth {truth[key]}, decision {decided[key]}  -> {text}{note.get(key, '')}"
            for key, text in words.amounts.items()
        ),
    )
