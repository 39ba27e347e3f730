"""Builds the Evaluation from the figures of any kind of input."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.engines import Reduction
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_evaluation import Figures, ModelEvaluation
from stakes.exceptions import DataError
from stakes.messages.notes import Note
from stakes.rules import DecisionRule
from stakes.typing import FloatArray

#: Figures that only posteriors have.
_OF_POSTERIORS = ("threshold", "recalibrated_nec", "optimistic_nec")


# One builder for every road: docs/design/verdict.md.
def build(
    figures: Sequence[Figures],
    options: Mapping[str, Any],
    *,
    class_cases: Any,
    reasons: Mapping[str, str],
    notes: Iterable[Note] = (),
    **told: Any,
) -> Evaluation:
    """Build the Evaluation from the models' figures; add savings and chances of being best.

    `class_cases` is the number of cases of each class. `reasons` maps a figure that this kind of
    input lacks to the code of a note. `told` are further fields of the Evaluation.
    """
    app, naive, comparison = told["application"], told.get("naive"), told.get("comparison")
    standard = app.with_costs(app.costs.standardized()).naive_cost if naive is None else 0.0
    chances: dict[Any, float] = {}
    refused = ""
    if comparison is not None:
        best = comparison.probability_best.tolist()
        chances = dict(zip(comparison.systems, best, strict=True))
        refused = comparison.notes[0] if comparison.too_few else ""

    def saving(model: Figures) -> float:
        """Saving per case against the best naive decision; 0 where nothing can be saved."""
        if naive is not None:
            return float(naive.cost - model.cost)
        return 0.0 if math.isnan(model.nec) else standard * (1 - model.nec)

    models = tuple(
        ModelEvaluation(
            saving=saving(each),
            probability_best=chances.get(each.name),
            total_saving=None if app.volume is None else saving(each) * app.volume,
            **{part.name: getattr(each, part.name) for part in fields(each)},
        )
        for each in figures
    )
    told |= {"models": models, "notes": (*notes, *_several_cuts(models)), "level": options["level"]}
    short = shortage_of(class_cases, app, options["min_cases"])
    if reasons.get("interval") == "few-groups":
        refused = refused or "there are too few groups of cases for an interval"
    ev = Evaluation(too_few=short or refused, **told)
    there = {
        name: any(getattr(model, name) is not None for model in models)
        for name in ("interval", *_OF_POSTERIORS)
    }
    there |= {"comparison": comparison is not None, "ranges": bool(ev.ranges)}
    absent = {name: _reason(name, ev, reasons) for name, known in there.items() if not known}
    return replace(ev, absent=absent)


def shares_of(found: Reduction) -> FloatArray:
    """The share of each class; that of the first model if each model has its own cases."""
    totals = found.class_totals
    if not totals.sum() > 0:
        raise DataError("the cases have no weight.")
    return np.asarray(totals / totals.sum())


def with_rules(ev: Evaluation, rules: Mapping[str, DecisionRule | None]) -> Evaluation:
    """The same evaluation with other rules, such as rules on the raw scores of a file."""
    models = tuple(replace(model, rule=rules[model.name]) for model in ev.models)
    notes = [note for note in ev.notes if note.code != "several-cuts"]
    slices = {name: with_rules(part, rules) for name, part in ev.slices.items()}
    return replace(ev, models=models, notes=(*notes, *_several_cuts(models)), slices=slices)


def _several_cuts(models: Iterable[ModelEvaluation]) -> list[Note]:
    """Notes on rules with several cuts, which do not fit into a table; each names its models."""
    said: dict[str, list[str]] = {}
    named = [(model.name, model.rule) for model in models if model.rule is not None]
    for name, rule in named:
        if rule.act_when not in (None, str(rule)):
            said.setdefault(str(rule), []).append(name)
    if len(said) == 1 and len(next(iter(said.values()))) == len(named):
        return [Note("several-cuts", rule=rule) for rule in said]
    return [Note("several-cuts", rule=f"{', '.join(of)}: {rule}") for rule, of in said.items()]


#: Why a figure is absent, though this kind of input usually has it.
_OTHERWISE = {
    "interval": "too-few-cases",
    "comparison": "too-few-cases",
    "threshold": "no-single-cut",
    "optimistic_nec": "class-without-cases",
    "ranges": "class-without-cases",
}


def _reason(figure: str, ev: Evaluation, reasons: Mapping[str, str]) -> str:
    """Why no model has a figure: the request, then the kind of input, then the cases."""
    if figure == "comparison" and len(ev) == 1:
        return "one-model"
    if figure in ("interval", "comparison") and math.isnan(ev.models[0].nec):
        return "nec-undefined"
    two = ev.application.costs.shape == (2, 2)
    if figure in ("threshold", "optimistic_nec", "ranges") and not two:
        return "two-classes-only"
    if figure in reasons:
        return reasons[figure]
    decisions = ev.kind == "decisions" and figure in _OF_POSTERIORS
    return "decisions-only" if decisions else _OTHERWISE[figure]


def shortage_of(counts: Any, app: Application, min_cases: int) -> str:
    """Which class that affects costs has too few cases; empty if none has."""
    costly = (app.costs.values != app.costs.values[:, :1]).any(axis=1)
    count, k = min((float(count), k) for k, count in enumerate(np.where(costly, counts, np.inf)))
    if count >= min_cases:
        return ""
    return f"only {count:g} {'case' if count == 1 else 'cases'} of {app.classes[k]!r}"
