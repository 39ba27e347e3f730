"""Evaluation of what an engine has counted: every model, paired, and slice by slice."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.engines import Reduction
from stakes.evaluation.comparing import MOST_COMPARED
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.from_case_sums import evaluated_case_sums
from stakes.evaluation.from_rows import assumed, rule_text, shortage_of
from stakes.evaluation.judging import Variant, cut_on, priced
from stakes.evaluation.parts import ModelEvaluation
from stakes.evaluation.switching import ranges_of_counts
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.metrics import at_min_cost
from stakes.typing import FloatArray
from stakes.uncertainty import Comparison, compare, interval

__all__ = ["evaluated_reduction"]

RECALIBRATION = (
    "no model was re-calibrated: that needs the rows; take a sample of them to evaluate()"
)


def evaluated_reduction(
    found: Reduction,
    application: str | None = None,
    *,
    options: dict[str, Any],
) -> Evaluation:
    """Judge the models of a reduction at one of its applications, whole and by slice."""
    whole = _judged(found, application, options)
    if not found.request.by:
        return whole
    slices, notes = {}, list(whole.notes)
    for key in found.slices:
        name = ", ".join(str(value) for value in key)
        try:
            slices[name] = _judged(found[key], application, options)
        except (CostError, DataError) as error:
            notes.append(f"'{name}' could not be judged apart: {error.message}")
    return replace(whole, slices=slices, notes=tuple(notes))


def _judged(
    found: Reduction,
    application: str | None,
    options: dict[str, Any],
) -> Evaluation:
    """The models of one reduction, without its slices."""
    if found.request.case_costs:
        given = next(iter(found.request.applications.values()))
        return evaluated_case_sums(found, given, options)
    name = next(iter(found.request.applications)) if application is None else application
    given = found.request.applications[name]
    totals = found.class_totals
    if not totals.sum() > 0:
        raise DataError("the cases have no weight.")
    shares = np.asarray(totals / totals.sum())
    app = given.with_priors(given.resolved_priors(shares))
    said_at = found.request.posterior_priors
    variants = {model: _variant(found, model, name, app) for model in found.request.models}
    comparison = _compared(found, name, given, variants, options)
    refused = comparison.notes[0] if comparison is not None and comparison.too_few else ""
    decided = "posteriors" not in found.kinds.values()
    tables = {model: variant.confusion for model, variant in variants.items()}
    return Evaluation(
        application=app,
        models=tuple(
            _summed(found, model, variant, app, name, comparison, options)
            for model, variant in variants.items()
        ),
        n_cases=float(found.n_rows),
        data_priors=shares,
        comparison=comparison,
        ranges=ranges_of_counts(tables, app) if decided else (),
        too_few=shortage_of(found.rows_by_class, app, options["min_cases"]) or refused,
        notes=tuple(_notes(found, name, given, shares if said_at is None else said_at)),
        level=options["level"],
    )


def _variant(found: Reduction, model: str, name: str, app: Application) -> Variant:
    """What a model decided, and what that cost."""
    threshold = None
    if found.kinds[model] == "posteriors":
        assert app.priors is not None
        given, said_at = found.request.applications[name], found.request.posterior_priors
        moved = given.priors is not None and said_at is not None
        before = said_at if moved else app.priors
        threshold = cut_on(app, app.priors, before)  # type: ignore[arg-type]
    return priced(found.confusion(model, name), app, threshold=threshold)


def _compared(
    found: Reduction,
    name: str,
    given: Application,
    variants: dict[str, Variant],
    options: dict[str, Any],
) -> Comparison | None:
    """Every pair of models on the same rows; None where that was not counted."""
    first = next(iter(variants.values()))
    if not 2 <= len(variants) <= MOST_COMPARED or math.isnan(first.nec):
        return None
    try:
        paired = _joint(found, name)
    except UndefinedError:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return compare(paired, given, normalize=True, **options)


def _joint(found: Reduction, name: str) -> Any:
    """What all models decided; with weights, what they tell of how sure that is."""
    weighted = found.request.sample_weight is not None
    return found.weighted(name) if weighted else found.paired(name)


def _summed(
    found: Reduction,
    model: str,
    variant: Variant,
    app: Application,
    name: str,
    comparison: Comparison | None,
    options: dict[str, Any],
) -> ModelEvaluation:
    """One model with everything that the counts tell."""
    standard = app.with_costs(app.costs.standardized())
    defined = not math.isnan(variant.nec)
    chance = None
    if comparison is not None:
        chance = float(comparison.probability_best[comparison.systems.index(model)])
    best_nec, best_threshold = _at_its_best(found, model, app)
    return ModelEvaluation(
        name=model,
        kind=found.kinds[model],
        confusion=variant.confusion,
        cost=variant.cost,
        nec=variant.nec,
        saving=standard.naive_cost * (1 - variant.nec) if defined else 0.0,
        interval=_interval(found, model, variant, name, options) if defined else None,
        probability_best=chance,
        threshold=variant.threshold,
        best_nec=best_nec,
        best_threshold=best_threshold,
        cells=variant.cells,
        rule=None
        if variant.threshold is None
        else rule_text(variant.threshold, found._score_ends(model)),
    )


def _interval(
    found: Reduction, model: str, variant: Variant, name: str, options: dict[str, Any]
) -> tuple[float, float] | None:
    """The interval of the NEC; None for too few cases, and for weights beyond all bounds."""
    given = found.request.applications[name]
    summary: Any = variant.confusion
    if found.request.sample_weight is not None:
        try:
            summary = found.weighted(name, model=model)
        except UndefinedError:
            return None
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = interval(summary, "normalized_expected_cost", application=given, **options)
    return None if limits.too_few else (limits.low, limits.high)


def _at_its_best(
    found: Reduction, model: str, app: Application
) -> tuple[float | None, float | None]:
    """NEC and threshold at the best edge of the bins; None where scores were not binned."""
    if model not in found.whole.bins or app.costs.shape != (2, 2):
        return None, None
    bins = found.score_bins(model)
    if (bins.class_totals == 0).any():
        return None, None
    unnamed = Application(app.costs.values, priors=app.priors)
    point = at_min_cost(bins, unnamed)
    try:
        return point.cost(unnamed, normalize=True), point.threshold
    except UndefinedError:
        return math.nan, point.threshold


def _notes(found: Reduction, name: str, given: Application, said_at: FloatArray) -> list[str]:
    """What was assumed, and what the counts cannot tell."""
    request = found.request
    posteriors = "posteriors" in found.kinds.values()
    notes = assumed(given, said_at) if posteriors or given.priors is None else []
    notes += [RECALIBRATION] if posteriors else []
    lost = "models were not compared"
    try:
        if request.sample_weight is not None:
            lost = "there are no intervals"
            found.weighted(name, model=next(iter(request.models)))
            lost = "models were not compared"
        if len(request.models) > 1:
            _joint(found, name)
    except UndefinedError as error:
        notes.append(f"{lost}: {error.message}")
    if any(found.whole.bins):
        notes.append("the best threshold is the best of the edges of the bins")
    return notes
