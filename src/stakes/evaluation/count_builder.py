"""Evaluation of counts: confusion matrices, and what an engine has counted or added up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes._kernels.interval_ends import MATTERS, too_unequal
from stakes.application import Application
from stakes.engines import Reduction
from stakes.evaluation.comparison_part import MOST_COMPARED, ranges_of_counts
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.judgement import Variant, cut_on, priced, refuse_same_names
from stakes.evaluation.model_evaluation import ModelEvaluation, Naive
from stakes.evaluation.row_builder import assumed, rule_text, shortage_of
from stakes.exceptions import CostError, DataError, StakesError, UndefinedError
from stakes.messages.notes import Note
from stakes.metrics import at_min_cost
from stakes.summaries import ConfusionMatrix, CostTally
from stakes.typing import FloatArray
from stakes.uncertainty import Comparison, Difference, compare, interval
from stakes.uncertainty.intervals.interval import few_carry


def evaluated_counts(
    tables: Mapping[Any, ConfusionMatrix],
    given: Application,
    options: dict[str, Any],
) -> Evaluation:
    """Judge tables of counts at the priors of the application, or else of the first of them."""
    refuse_same_names(tables)
    ordered = {str(name): _ordered(table, given, str(name)) for name, table in tables.items()}
    first = next(iter(ordered.values()))
    app = given.with_priors(given.resolved_priors(first.priors))
    notes = [Note("counts-only")]
    sampled = given
    if given.priors is None:
        others = [n for n, t in ordered.items() if not np.allclose(t.priors, first.priors)]
        if others:
            sampled = app  # intervals at the same shares for all
            notes.append(Note("shares-of-first", model=next(iter(ordered))))
    if len(ordered) > 1:
        notes.append(Note("cases-unshared"))
    judged = {name: priced(table, app) for name, table in ordered.items()}
    least = np.min([table.class_totals for table in ordered.values()], axis=0)
    models = tuple(_summed(n, v, sampled, app, options) for n, v in judged.items())
    return Evaluation(
        application=app,
        models=models,
        n_cases=float(first.total),
        data_priors=first.priors,
        ranges=ranges_of_counts(ordered, app),
        too_few=shortage_of(least, app, options["min_cases"]),
        notes=tuple(notes),
        level=options["level"],
        unpaired=tuple(_unpaired(models, float(first.total), options["level"])),
    )


def _unpaired(
    models: tuple[ModelEvaluation, ...], cases: float, level: float
) -> Iterator[Difference]:
    """Every pair as if on cases of its own, limits from those of each (Zou and Donner 2008).

    Tables do not tell which cases they share; on the same cases, systems mostly err together,
    and the difference is surer than this.
    """
    for one, other in combinations(sorted(models, key=lambda model: model.cost), 2):
        if one.interval is None or other.interval is None:
            continue
        value = one.nec - other.nec
        below = math.hypot(one.nec - one.interval[0], other.interval[1] - other.nec)
        above = math.hypot(one.interval[1] - one.nec, other.nec - other.interval[0])
        half = (below + above) / 2
        z = NormalDist().inv_cdf((1 + level) / 2)
        p_value = 2 * NormalDist().cdf(-abs(value) * z / half) if half else float(value == 0)
        needed = math.inf if value == 0 else cases * (half / value) ** 2
        yield Difference(
            one.name,
            other.name,
            value,
            value - below,
            value + above,
            p_value,
            p_value,
            False,
            level,
            None,
            needed,
        )


def _ordered(table: ConfusionMatrix, app: Application, name: str) -> ConfusionMatrix:
    """The counts in the order of the application; decisions that never occur are added."""
    if set(table.classes) != set(app.classes) or not set(table.decisions) <= set(app.decisions):
        raise DataError(
            f"{name!r} counts {list(table.classes)} by {list(table.decisions)}; the application "
            f"has {list(app.classes)} by {list(app.decisions)}."
        )
    counts = np.zeros(app.costs.shape, dtype=table.counts.dtype)
    rows = [table.classes.index(outcome) for outcome in app.classes]
    for j, decision in enumerate(app.decisions):
        if decision in table.decisions:
            counts[:, j] = table.counts[rows, table.decisions.index(decision)]
    return ConfusionMatrix(counts, app.classes, app.decisions)


def _summed(
    name: str, variant: Variant, sampled: Application, app: Application, options: dict[str, Any]
) -> ModelEvaluation:
    """One table with its cost and interval."""
    standard = app.with_costs(app.costs.standardized())
    defined = not math.isnan(variant.nec)
    return ModelEvaluation(
        name=name,
        kind="decisions",
        confusion=variant.confusion,
        cost=variant.cost,
        nec=variant.nec,
        saving=standard.naive_cost * (1 - variant.nec) if defined else 0.0,
        interval=_interval(variant, sampled, options) if defined else None,
        probability_best=None,
        threshold=None,
        cells=variant.cells,
    )


def _interval(
    variant: Variant, sampled: Application, options: dict[str, Any]
) -> tuple[float, float] | None:
    """The interval of the NEC; None for weights and for too few cases."""
    try:
        found = interval(
            variant.confusion, "normalized_expected_cost", application=sampled, **options
        )
    except StakesError:
        return None  # weights do not tell how many cases there were
    return None if found.too_few else (found.low, found.high)


def _evaluated_case_sums(
    found: Reduction, given: Application, options: dict[str, Any]
) -> Evaluation:
    """Judge models that decide each case by its own costs."""
    totals = found.class_totals
    if not totals.sum() > 0:
        raise DataError("the cases have no weight.")
    shares = np.asarray(totals / totals.sum())
    app = given.with_priors(given.resolved_priors(shares))
    assert app.priors is not None
    scale = np.divide(app.priors, totals, out=np.zeros(len(totals)), where=totals > 0)
    naive = _naive(found, app, scale)
    average = app.with_costs(found.average_costs())
    models = tuple(
        _summed_cases(model, found.kinds[model], found.tally(model), found, naive, scale)
        for model in found.request.models
    )
    return Evaluation(
        application=average,
        models=models,
        n_cases=float(found.n_rows),
        data_priors=shares,
        too_few=shortage_of(found.rows_by_class, average, options["min_cases"]),
        notes=(
            Note("one-threshold-needs-rows"),
            Note("case-intervals-need-rows"),
            *_unequal(found, scale),
        ),
        naive=naive,
        level=options["level"],
    )


def _naive(found: Reduction, app: Application, scale: FloatArray) -> Naive:
    """The best constant decision, and what of its cost could be avoided."""
    constant = scale @ found.naive_tally().sums
    chosen = int(np.argmin(constant))
    cost = float(constant[chosen])
    avoidable = cost - float(scale @ found.least_cost)
    if avoidable <= 0:
        raise CostError(f"always deciding '{app.decisions[chosen]}' is already perfect here.")
    return Naive(app.decisions[chosen], cost, avoidable)


def _unequal(found: Reduction, scale: FloatArray) -> tuple[Note, ...]:
    """A note on classes whose amounts are so unequal that an interval would be too short."""
    stake = found.naive_tally()
    dearest = np.argmax(np.abs(stake.sums), axis=1)[:, None]
    amounts = (
        np.take_along_axis(table, dearest, axis=1)[:, 0]
        for table in (stake.counts, np.abs(stake.sums), stake.squares)
    )
    paid = [scale**2 * found.tally(model).squares.sum(axis=1) for model in found.request.models]
    matters = np.any([each > MATTERS * each.sum() for each in paid], axis=0)
    rows = np.flatnonzero(matters & too_unequal(*amounts))
    if not rows.size:
        return ()
    return (Note("few-carry", sentence=few_carry([found.request.classes[k] for k in rows])),)


def _summed_cases(
    model: str,
    kind: str,
    tally: CostTally,
    found: Reduction,
    naive: Naive,
    scale: FloatArray,
) -> ModelEvaluation:
    """One model with its cost and its parts."""
    cells = scale[:, None] * tally.sums
    cost = float(cells.sum())
    saving = naive.cost - cost
    per_case = kind == "posteriors"
    return ModelEvaluation(
        name=f"{model}, per case" if per_case else model,
        kind=kind,
        confusion=found.confusion(model, "per case"),
        cost=cost,
        nec=1 - saving / naive.avoidable,
        saving=saving,
        interval=None,
        probability_best=None,
        threshold=None,
        cells=cells,
        rule="per case" if per_case else None,
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
            notes.append(Note("not-judged-apart", slice=name, why=error.message))
    return replace(whole, slices=slices, notes=tuple(notes))


def _judged(
    found: Reduction,
    application: str | None,
    options: dict[str, Any],
) -> Evaluation:
    """The models of one reduction, without its slices."""
    if found.request.case_costs:
        given = next(iter(found.request.applications.values()))
        return _evaluated_case_sums(found, given, options)
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
            _summed_slices(found, model, variant, app, name, comparison, options)
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


def _summed_slices(
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
    optimistic_nec, optimistic_threshold = _at_its_best(found, model, app)
    return ModelEvaluation(
        name=model,
        kind=found.kinds[model],
        confusion=variant.confusion,
        cost=variant.cost,
        nec=variant.nec,
        saving=standard.naive_cost * (1 - variant.nec) if defined else 0.0,
        interval=_reduction_interval(found, model, variant, name, options) if defined else None,
        probability_best=chance,
        threshold=variant.threshold,
        optimistic_nec=optimistic_nec,
        optimistic_threshold=optimistic_threshold,
        cells=variant.cells,
        rule=None
        if variant.threshold is None
        else rule_text(variant.threshold, found._score_ends(model)),
    )


def _reduction_interval(
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


def _notes(found: Reduction, name: str, given: Application, said_at: FloatArray) -> list[Note]:
    """What was assumed, and what the counts cannot tell."""
    request = found.request
    posteriors = "posteriors" in found.kinds.values()
    notes = assumed(given, said_at) if posteriors or given.priors is None else []
    notes += [Note("recalibration-needs-rows")] if posteriors else []
    lost = "not-compared"
    try:
        if request.sample_weight is not None:
            lost = "no-intervals"
            found.weighted(name, model=next(iter(request.models)))
            lost = "not-compared"
        if len(request.models) > 1:
            _joint(found, name)
    except UndefinedError as error:
        notes.append(Note(lost, why=error.message))
    if any(found.whole.bins):
        notes.append(Note("best-of-bin-edges"))
    return notes
