"""From what was asked to findings: decide, count, price, and say what was assumed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application, CaseCosts
from stakes.application.sentences import describe_costs
from stakes.cli.asked import Asked, asked
from stakes.cli.cases import Cases
from stakes.cli.costs import CostWords, binary_case_costs
from stakes.cli.deciding import about_cuts, decide, fill_gaps, posteriors_of, rule_of, without_gaps
from stakes.cli.from_counts import findings_of_counts
from stakes.cli.models import Model, models_of
from stakes.cli.per_case import judged_per_case
from stakes.cli.place import at_place, refuse_or_name_dominated, texts
from stakes.cli.ranking import area_under_curve
from stakes.cli.remarks import (
    about_base_rate,
    about_extra_decisions,
    about_numbers,
    about_switches,
)
from stakes.cli.sureness import compared, with_intervals
from stakes.exceptions import DataError
from stakes.report import Findings, ModelFinding, judge
from stakes.summaries import ConfusionMatrix

__all__ = ["findings_of"]


def findings_of(args: Any) -> Findings:
    """Everything that was found, from rows or from confusion matrices."""
    if args.confusion:
        return findings_of_counts(args)
    question = asked(args)
    app = at_place(question.application, question.cases.priors, args)
    models = models_of(question.table, question.cases, texts(app.decisions), args)
    models, cases, gaps = without_gaps(models, question.cases, args)
    app = at_place(question.application, cases.priors, args)
    warnings = [gaps] if gaps else []
    warnings += _turned_round(models, cases, args)
    if question.words is not None:
        return _per_case(question, models, cases, app, args, warnings)
    warnings += refuse_or_name_dominated(app.costs)
    found, remarks, decided = [], [], {}
    for model in models:
        posteriors = posteriors_of(model, cases, app, args)
        codes, ranked_at = decide(model, posteriors, cases, app)
        decided[model.name] = fill_gaps(codes, model.missing, app, args)
        confusion = _counted(decided[model.name], cases, app)
        rule = rule_of(app, cases, args, ranked_at)
        found.append(
            judge(confusion, app, name=model.name, rule=rule.text, threshold=rule.threshold)
        )
        remarks.append(about_extra_decisions(found[-1], posteriors, cases, app))
    best = min(range(len(found)), key=lambda k: found[k].cost)
    switches = about_switches(found, app) if args.decisions else []
    assumed = [*about_cuts(app, cases, args), *_assumed(cases, app, args)]
    notes = (*question.notes, *assumed, *remarks[best], *switches)
    comparison = None
    if cases.weights is None and found[0].nec is not None:
        found = with_intervals(found, app, args)
        comparison = compared(decided, cases, app, args)
    judged = _gathered(question, found, cases, app, args, notes, warnings)
    return replace(judged, comparison=comparison)


def _per_case(
    question: Asked,
    models: list[Model],
    cases: Cases,
    app: Application,
    args: Any,
    warnings: list[str],
) -> Findings:
    """Findings when each case has its own costs."""
    assert question.words is not None
    if any(model.missing.any() for model in models):
        raise DataError("costs per case need every model's value: --missing drop.")
    costs: CaseCosts = binary_case_costs(question.words, cases.classes, question.table, cases.rows)
    judged = judged_per_case(models, cases, costs, app, args)
    said = _said_per_case(question.words, app, cases)
    notes = (*question.notes, *_assumed(cases, app, args), *judged.notes)
    found = _gathered(question, judged.models, cases, judged.application, args, notes, warnings)
    return replace(
        found,
        naive_decision=judged.naive_decision,
        naive_cost=judged.naive_cost,
        costs_said=said,
        facts={**found.facts, "models": len(models)},
    )


def _said_per_case(words: CostWords, app: Application, cases: Cases) -> tuple[str, ...]:
    """Costs that differ from case to case, as sentences."""
    other, positive = cases.classes
    cells = {"fn": (positive, other), "fp": (other, positive), "tp": (positive,) * 2}
    cells["tn"] = (other, other)
    unit = f" ({app.unit})" if app.unit else ""
    note = {"fn": f"   (missed '{positive}')", "fp": "   (false alarm)"}
    kind = "gains" if words.gain else "costs"
    return (
        f"{kind} I understood{unit}, for each case by its own columns:",
        *(
            f"  truth {cells[key][0]}, decision {cells[key][1]}  -> {text}{note.get(key, '')}"
            for key, text in words.amounts.items()
        ),
    )


def _gathered(
    question: Asked,
    found: list[ModelFinding],
    cases: Cases,
    app: Application,
    args: Any,
    notes: tuple[str, ...],
    warnings: list[str],
) -> Findings:
    """The findings with everything around them."""
    table = question.table
    return Findings(
        source=table.source,
        n_cases=len(cases),
        application=app,
        data_priors=cases.priors,
        naive_decision=str(app.naive_decision),
        naive_cost=app.naive_cost,
        models=tuple(found),
        class_counts=cases.totals,
        positive=cases.classes[1] if len(cases.classes) == 2 else None,
        kind="decisions" if args.decisions else "scores" if args.scores else "posteriors",
        costs_said=tuple(describe_costs(app.costs, unit=app.unit).splitlines()),
        notes=notes,
        warnings=tuple(warnings),
        facts={"label": cases.label, "form": table.form, "sha256": table.digest},
    )


def _counted(codes: NDArray[Any], cases: Cases, app: Application) -> ConfusionMatrix:
    """Cases by truth and decision."""
    return ConfusionMatrix.from_decisions(
        cases.truth,
        codes,
        classes=app.classes,
        decision_names=app.decisions,
        sample_weight=cases.weights,
    )


def _assumed(cases: Cases, app: Application, args: Any) -> list[str]:
    """What the reader must know about how this was judged."""
    kind = "decisions" if args.decisions else "scores"
    return [
        *about_base_rate(cases, app, args),
        *about_numbers(kind, cases.totals, cases.classes, args),
    ]


def _turned_round(models: list[Model], cases: Cases, args: Any) -> list[str]:
    """A warning for each column of scores that seems to mean the other outcome."""
    if not args.scores or len(cases.classes) != 2:
        return []
    n_other, n_positive = np.bincount(cases.truth, minlength=2).tolist()
    said = []
    for model in models:
        if model.scores is None or not n_other or not n_positive:
            continue
        area = area_under_curve(model.scores[~model.missing], cases.truth[~model.missing])
        chance = np.sqrt((n_other + n_positive + 1) / (12 * n_other * n_positive))
        if area < 0.5 - 3 * chance:
            negative, positive = cases.classes
            said.append(
                f"higher {model.name} goes with *fewer* '{positive}' (AUC {area:.2f}). Is the "
                f"column the probability of '{negative}'?  --flip {model.name}"
            )
    return said
