"""Evaluation of rows: posteriors or decisions of every case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors, same_length
from stakes._columns import as_column, as_weights
from stakes._names import as_positions, encode
from stakes.application import Application
from stakes.calibration import Affine, Calibrator
from stakes.evaluation.comparison_part import (
    after_calibration,
    compared,
    nec_interval,
    ranges,
    worth_of_calibration,
)
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.judgement import (
    Cases,
    Judged,
    Model,
    Sources,
    Variant,
    as_is,
    at_its_best,
    read_models,
    recalibrated,
    scores_of,
)
from stakes.evaluation.model_evaluation import ModelEvaluation
from stakes.exceptions import DataError
from stakes.messages.notes import Note
from stakes.messages.quantities import cut_text
from stakes.posteriors.class_order import ClassOrder
from stakes.typing import FloatArray, Priors
from stakes.uncertainty import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Everything that was asked, besides the models."""

    given: Application
    cases: Cases
    posterior_priors: Priors | None
    recalibrate: bool | Calibrator
    folds: Any
    options: dict[str, Any]
    order: ClassOrder

    @property
    def application(self) -> Application:
        """With the priors that count filled in."""
        return self.given.with_priors(self.given.resolved_priors(self.cases.priors))

    @property
    def said_at(self) -> FloatArray:
        """The base rate that the posteriors were made for."""
        if self.posterior_priors is None:
            return self.cases.priors
        return as_priors(self.posterior_priors, self.given.classes, "posterior_priors")


def evaluated_rows(models: Any, question: Question) -> Evaluation:
    """Judge every model as it is, re-calibrated and at its best, and compare them."""
    cases, given, options = question.cases, question.given, question.options
    app, said_at = question.application, question.said_at
    _refuse_absent(cases, app)
    judged: list[Judged] = []
    notes: list[Note] = []
    for model in read_models(models, app, cases.truth.shape[0], question.order):
        one, note = _judged(model, question, app, said_at)
        judged.append(one)
        notes += note
    said = any(one.model.posteriors is not None for one in judged)
    notes = [*assumed(given, said_at, said=said), *notes, *_certain(judged)]
    comparison = compared(judged, cases, given, options)
    refused = comparison.notes[0] if comparison is not None and comparison.too_few else ""
    after = after_calibration(judged, cases, given, options)
    return Evaluation(
        application=app,
        models=tuple(_summed(one, comparison, question, app) for one in judged),
        n_cases=float(cases.counted.sum()),
        data_priors=cases.priors,
        comparison=comparison,
        ranges=ranges(judged, cases, app),
        too_few=few_cases(cases, app, options["min_cases"]) or refused,
        notes=tuple(notes),
        after=after,
        sources=Sources(given, cases, tuple(judged), said_at, options),
        worth=worth_of_calibration(judged, cases, given, options),
        level=options["level"],
    )


def _judged(
    model: Model, question: Question, app: Application, said_at: FloatArray
) -> tuple[Judged, list[Note]]:
    """One model in its variants, and why one of them is not there."""
    cases = question.cases
    after: tuple[Variant, Any] | Note | None = None
    if question.recalibrate is not False:
        wanted = question.recalibrate
        calibrator = wanted if isinstance(wanted, Calibrator) else Affine()
        seed = question.options["rng"]
        after = recalibrated(model, cases, app, calibrator, question.folds, seed)
    notes = [after] if isinstance(after, Note) else []
    variant, fitted = after if isinstance(after, tuple) else (None, None)
    scores = scores_of(model, cases, said_at)
    one = Judged(
        model,
        as_is(model, cases, app, said_at),
        variant,
        at_its_best(scores, cases, app),
        fitted,
        scores,
    )
    return one, notes


def _certain(judged: list[Judged]) -> list[Note]:
    """That certainties were softened for calibration, which could not move them."""
    names = [
        one.model.name
        for one in judged
        if one.fitted is not None and one.model.posteriors is not None
        if (one.model.posteriors == 0).any()
    ]
    return [Note("zeros-softened", models=", ".join(names))] if names else []


def read_cases(y_true: Any, app: Application, sample_weight: Any, groups: Any) -> Cases:
    """The truth as positions, with weights, groups and class shares."""
    truth = as_positions(encode(y_true, app.classes, "y_true"))
    if truth.shape[0] == 0:
        raise DataError("there are no cases.")
    weights = as_weights(sample_weight, truth.shape[0])
    if groups is not None:
        groups = as_column(groups, "groups")
        same_length("y_true", truth.shape[0], "groups", groups.shape[0])
    totals = np.bincount(truth, weights=weights, minlength=len(app.classes))
    return Cases(truth, weights, groups, totals / totals.sum())


def _refuse_absent(cases: Cases, app: Application) -> None:
    """Raise when a class that the application expects, and that matters, has no case."""
    assert app.priors is not None
    matters = (app.costs.values != app.costs.values[:, :1]).any(axis=1)
    absent = np.flatnonzero((cases.priors == 0) & (app.priors > 0) & matters)
    if absent.size:
        k = int(absent[0])
        raise DataError(
            f"no case of {app.classes[k]!r} in the data, but its prior is {app.priors[k]:g}, so "
            "the cost is unknown.",
            hint="bring cases of it, or set its prior to 0",
        )


def assumed(given: Application, said_at: FloatArray, *, said: bool = True) -> list[Note]:
    """What the reader must know about the base rates."""
    if given.priors is None:
        return [Note("shares-of-data")]
    if np.array_equal(given.priors, said_at):
        return []
    return [Note("posteriors-moved" if said else "shares-of-application")]


def _summed(
    one: Judged, comparison: Comparison | None, question: Question, app: Application
) -> ModelEvaluation:
    """One model with everything that is known about it."""
    cases, given, options = question.cases, question.given, question.options
    standard = app.with_costs(app.costs.standardized())
    chance = None
    if comparison is not None:
        chance = float(comparison.probability_best[comparison.systems.index(one.model.name)])
    now, after, best = one.as_is, one.recalibrated, one.at_its_best
    return ModelEvaluation(
        name=one.model.name,
        kind="decisions" if one.model.posteriors is None else "posteriors",
        confusion=now.confusion,
        cost=now.cost,
        nec=now.nec,
        saving=standard.naive_cost * (1 - now.nec) if now.nec == now.nec else 0.0,
        interval=nec_interval(now, cases, given, options),
        probability_best=chance,
        threshold=now.threshold,
        recalibrated_nec=None if after is None else after.nec,
        recalibrated_interval=None if after is None else nec_interval(after, cases, given, options),
        optimistic_nec=None if best is None else best.nec,
        optimistic_threshold=None if best is None else best.threshold,
        cells=now.cells,
        rule=None if now.threshold is None else rule_text(now.threshold, _second_of(one.model)),
        calibration_slope=one.slope,
    )


def rule_text(threshold: float, posteriors: Any = None) -> str:
    """When to act, with the digits that decide each of these posteriors alike."""
    return f"p > {cut_text(threshold, posteriors)}"


def _second_of(model: Model) -> NDArray[Any] | None:
    """The posteriors of the second class, if there are any."""
    return None if model.posteriors is None else model.posteriors[:, 1]


def few_cases(cases: Cases, app: Application, min_cases: int) -> str:
    """Why there can be no verdict; empty when there can."""
    return shortage_of(cases.counted, app, min_cases)


def shortage_of(counts: Any, app: Application, min_cases: int) -> str:
    """Which class that matters has too few cases; empty when none has."""
    if not min_cases >= 0:
        raise DataError(f"`min_cases` must be a number of cases, 0 or more; got {min_cases!r}.")
    costly = (app.costs.values != app.costs.values[:, :1]).any(axis=1)
    short = [
        (float(count), name)
        for count, name, matters in zip(counts, app.classes, costly, strict=True)
        if matters and count < min_cases
    ]
    if not short:
        return ""
    count, name = min(short, key=lambda pair: pair[0])
    return f"only {count:g} {'case' if count == 1 else 'cases'} of {name!r}"
