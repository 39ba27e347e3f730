"""From what was asked to findings: decide, count, price, and say what was assumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application, CaseCosts, CostMatrix, dominated_decisions
from stakes.application.sentences import describe_costs
from stakes.cli.asked import Asked, asked, costs_given, text_names
from stakes.cli.cases import Cases, quoted
from stakes.cli.confusions import read_confusion
from stakes.cli.costs import CostWords, binary_case_costs, binary_costs, shares, volume
from stakes.cli.deciding import decide, fill_gaps, posteriors_of, rule_of, without_gaps
from stakes.cli.models import Model, models_of
from stakes.cli.per_case import judged_per_case
from stakes.cli.ranking import area_under_curve
from stakes.cli.remarks import (
    about_base_rate,
    about_extra_decisions,
    about_numbers,
    about_switches,
)
from stakes.exceptions import CostError, DataError
from stakes.report import Findings, ModelFinding, judge
from stakes.summaries import ConfusionMatrix

__all__ = ["findings_of"]


def findings_of(args: Any) -> Findings:
    """Everything that was found, from rows or from confusion matrices."""
    if args.confusion:
        return _from_confusions(args)
    question = asked(args)
    app = _at_place(question.application, question.cases.priors, args)
    models = models_of(question.table, question.cases, _texts(app.decisions), args)
    models, cases, gaps = without_gaps(models, question.cases, args)
    app = _at_place(question.application, cases.priors, args)
    warnings = [gaps] if gaps else []
    warnings += _turned_round(models, cases, args)
    if question.words is not None:
        return _per_case(question, models, cases, app, args, warnings)
    warnings += _refuse_or_name_dominated(app.costs)
    found, remarks = [], []
    for model in models:
        posteriors = posteriors_of(model, cases, app, args)
        codes, ranked_at = decide(model, posteriors, cases, app)
        confusion = _counted(fill_gaps(codes, model.missing, app, args), cases, app)
        rule = rule_of(app, cases, args, ranked_at)
        found.append(
            judge(confusion, app, name=model.name, rule=rule.text, threshold=rule.threshold)
        )
        remarks.append(about_extra_decisions(found[-1], posteriors, cases, app))
    best = min(range(len(found)), key=lambda k: found[k].cost)
    switches = about_switches(found, app) if args.decisions else []
    notes = (*question.notes, *_assumed(cases, app, args), *remarks[best], *switches)
    return _gathered(question, found, cases, app, args, notes, warnings)


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


def _from_confusions(args: Any) -> Findings:
    """Findings from tables of counts alone."""
    if args.file is not None:
        raise DataError("--confusion takes the place of the file of cases; leave one of them out.")
    paths = [path for path in args.confusion.split(",") if path]
    matrices = {Path(path).stem: read_confusion(path) for path in paths}
    if len(matrices) < len(paths):
        raise DataError("two confusion matrices have the same file name.")
    first = next(iter(matrices.values()))
    app = _over_names(first, args)
    app = _at_place(app, _ordered(first, app, paths[0]).priors, args)
    warnings = _refuse_or_name_dominated(app.costs)
    ordered = {name: _ordered(each, app, name) for name, each in matrices.items()}
    totals = next(iter(ordered.values())).class_totals
    if app.priors is not None and not args.prevalence:
        for name, each in ordered.items():
            if not np.allclose(each.priors, app.priors, rtol=1e-9):
                warnings.append(
                    f"{name} has other shares of the outcomes than {next(iter(ordered))}; all are "
                    "judged at the shares of the first. --prevalence says otherwise"
                )
    found = [judge(each, app, name=name) for name, each in ordered.items()]
    classes = _texts(app.classes)
    return Findings(
        source=", ".join(Path(path).name for path in paths),
        n_cases=float(totals.sum()),
        application=app,
        data_priors=np.asarray(totals / totals.sum()),
        naive_decision=str(app.naive_decision),
        naive_cost=app.naive_cost,
        models=tuple(found),
        class_counts=totals,
        positive=classes[1] if len(classes) == 2 else None,
        kind="decisions",
        costs_said=tuple(describe_costs(app.costs, unit=app.unit).splitlines()),
        notes=(
            *about_numbers("decisions", totals, classes, args),
            *about_switches(found, app),
        ),
        warnings=tuple(warnings),
        facts={"label": "truth", "form": "confusion matrix"},
    )


def _over_names(matrix: ConfusionMatrix, args: Any) -> Application:
    """The costs over the names of a confusion matrix."""
    filed, words = costs_given(args)
    number, period = volume(args.volume)
    if filed is not None:
        filed = text_names(filed)
        return Application(
            filed.costs, filed.priors, args.unit or filed.unit, number or filed.volume,
            period or filed.period,
        )  # fmt: skip
    assert words is not None
    classes = _texts(matrix.classes)
    if not words.same_for_all_errors:
        if len(classes) != 2:
            raise CostError(
                f"--cost fn= fp= needs two outcomes; there are {quoted(classes)}.",
                hint="Use --costs costs.toml, or --cost error=1",
            )
        if args.positive is not None:
            if args.positive not in classes:
                raise CostError(f"'{args.positive}' is not among the outcomes {quoted(classes)}.")
            classes = (*(c for c in classes if c != args.positive), args.positive)
        elif set(classes) != {"0", "1"}:
            raise CostError(
                "I cannot tell which outcome is the one you act on. The outcomes are "
                f"{quoted(classes)}.",
                hint=f"Say: --positive {classes[1]}",
            )
    return Application(binary_costs(words, classes), None, args.unit, number, period)


def _ordered(matrix: ConfusionMatrix, app: Application, name: str) -> ConfusionMatrix:
    """The counts in the order of the costs, decisions that never occur added with 0."""
    rows, columns = _texts(matrix.classes), _texts(matrix.decisions)
    if set(rows) != set(app.classes) or not set(columns) <= set(app.decisions):
        raise DataError(
            f"{name} has outcomes {quoted(rows)} and decisions {quoted(columns)}; the costs have "
            f"{quoted(app.classes)} and {quoted(app.decisions)}."
        )
    counts = np.zeros(app.costs.shape)
    for j, decision in enumerate(_texts(app.decisions)):
        if decision in columns:
            for i, outcome in enumerate(_texts(app.classes)):
                counts[i, j] = matrix.counts[rows.index(outcome), columns.index(decision)]
    whole = bool((counts == np.floor(counts)).all())
    return ConfusionMatrix(counts.astype(np.int64) if whole else counts, app.classes, app.decisions)


def _at_place(app: Application, data_priors: NDArray[Any], args: Any) -> Application:
    """The application with its shares filled in: those given, or else those of the data."""
    classes = _texts(app.classes)
    if args.prevalence:
        return app.with_priors(shares(args.prevalence, classes))
    return app.with_priors(app.resolved_priors(data_priors))


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


def _refuse_or_name_dominated(costs: CostMatrix) -> list[str]:
    """Raise when one decision is never worse than all others; name the other wasted ones."""
    found = dominated_decisions(costs)
    if found and len(found) == len(costs.decisions) - 1:
        raise CostError(str(found[0]), hint="check the costs: rows are the truth")
    return [str(each) for each in found]


def _texts(names: tuple[Any, ...]) -> tuple[str, ...]:
    """Names as text."""
    return tuple(str(name) for name in names)
