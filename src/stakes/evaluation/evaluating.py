"""`evaluate`: from labels and models to an Evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._checks import as_priors, same_length
from stakes._columns import as_column, as_weights
from stakes._names import encode
from stakes.application import Application, UncertainApplication, as_application
from stakes.calibration import Affine, Calibrator
from stakes.evaluation.comparing import after_calibration, compared, nec_interval
from stakes.evaluation.evaluation import Evaluation, ModelEvaluation
from stakes.evaluation.judging import (
    Cases,
    Judged,
    Sources,
    Variant,
    as_is,
    at_its_best,
    recalibrated,
    scores_of,
)
from stakes.evaluation.models import read_models
from stakes.evaluation.switching import ranges, switches
from stakes.exceptions import DataError
from stakes.typing import FloatArray, Priors, RandomSource
from stakes.uncertainty import Comparison

__all__ = ["evaluate"]


def evaluate(
    y_true: Any,
    models: Any,
    *,
    application: Any,
    posterior_priors: Priors | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    by: Any = None,
    recalibrate: bool | Calibrator = True,
    folds: Any = 5,
    level: float = 0.95,
    min_cases: int = 10,
    rng: RandomSource = None,
) -> Evaluation:
    """Judge models by what their decisions cost, and say what to do.

    Each model is judged as it is (Bayes decisions from its posteriors taken at their word, or
    its decisions), after cross-fitted calibration, and at its best threshold on these data,
    which is optimistic. Lower is better.

    Parameters
    ----------
    y_true : column
        True classes: names of the application, or positions.
    models : mapping of str to array
        (n, K) float posteriors, (n,) float posteriors of the second of two classes, or (n,)
        decisions (names or integer positions). A single model may come without a mapping.
    application : Application, CostMatrix or UncertainApplication
        What is at stake. Uncertain costs are judged by their expectation; the verdict says
        when the choice depends on them.
    posterior_priors : shares, optional
        The base rate that the posteriors were made for; the class shares of the data if
        absent. When the application's priors differ from it, posteriors are moved to them.
    sample_weight : column, optional
        Weight of each case.
    groups : column, optional
        Cases of one group (a customer, a speaker) are not independent: whole groups are
        drawn for intervals, and kept together in folds.
    by : column, optional
        Evaluate every part of the cases with one value of this column too (`.slices`).
    recalibrate : bool or Calibrator
        Which calibrator to cross-fit; True takes `Affine`, False none.
    folds : int or column of fold numbers
        For cross-fitting.
    level : float
        Of the intervals.
    min_cases : int
        With fewer cases of a class that matters, neither interval nor verdict is given.
    rng : None, int or numpy.random.Generator
        Source of randomness, for folds and draws.

    Returns
    -------
    Evaluation
        `.verdict`, `.best`, `.frame()`, `["name"]`, `.difference(a, b)`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 2, 3 and 7.

    Examples
    --------
    >>> from stakes import Application, CostMatrix
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> llr = {"sharp": rng.normal(4 * y - 2, 2), "blunt": rng.normal(y - 0.5, 1)}
    >>> models = {name: 1 / (1 + 9 * np.exp(-s)) for name, s in llr.items()}
    >>> app = Application(CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"],
    ...                              decisions=["ignore", "call"]))
    >>> ev = evaluate(y, models, application=app, rng=0)
    >>> ev.best, ev.verdict_kind
    ('sharp', 'deploy')
    >>> round(ev["sharp"].threshold, 4)
    0.0909
    """
    uncertain = application if isinstance(application, UncertainApplication) else None
    given = as_application(application if uncertain is None else uncertain.expected)
    cases = _cases(y_true, given, sample_weight, groups)
    app = given.with_priors(given.resolved_priors(cases.priors))
    said_at = cases.priors
    if posterior_priors is not None:
        said_at = as_priors(posterior_priors, app.classes, "posterior_priors")
    seed = np.random.default_rng(rng).integers(2**32) if rng is None else rng
    calibrator = recalibrate if isinstance(recalibrate, Calibrator) else Affine()
    judged, notes = [], _assumed(given, cases, said_at)
    for model in read_models(models, app, cases.truth.shape[0]):
        after: tuple[Variant, Any] | str = "not asked for"
        if recalibrate is not False:
            after = recalibrated(model, cases, app, calibrator, folds, _seeded(seed))
            if isinstance(after, str) and model.posteriors is not None:
                notes.append(after)
        scores = scores_of(model, cases, said_at)
        judged.append(
            Judged(
                model,
                as_is(model, cases, app, said_at),
                None if isinstance(after, str) else after[0],
                at_its_best(scores, cases, app),
                None if isinstance(after, str) else after[1],
                scores,
            )
        )
    options: dict[str, Any] = {"level": level, "rng": _seeded(seed), "min_cases": min_cases}
    comparison = compared(judged, cases, given, options)
    found = [_summed(one, comparison, cases, given, app, options) for one in judged]
    refused = comparison.notes[0] if comparison is not None and comparison.too_few else ""
    slices = {}
    if by is not None:
        columns = {"sample_weight": sample_weight, "groups": groups}
        kept = {
            "application": application,
            "posterior_priors": said_at,
            "recalibrate": recalibrate,
            "level": level,
            "min_cases": min_cases,
            "rng": seed,
        }
        slices = _sliced(y_true, models, by, columns, kept)
    return Evaluation(
        application=app,
        models=tuple(found),
        n_cases=float(cases.truth.shape[0]),
        data_priors=cases.priors,
        comparison=comparison,
        switches=switches(judged, cases, app, uncertain),
        ranges=ranges(judged, cases, app),
        too_few=refused or _shortage(cases, app, min_cases),
        notes=tuple(notes),
        slices=slices,
        after=after_calibration(judged, cases, given, options),
        sources=Sources(given, cases, tuple(judged), said_at, options),
    )


def _cases(y_true: Any, app: Application, sample_weight: Any, groups: Any) -> Cases:
    """The truth as positions, with weights, groups and class shares."""
    truth = encode(y_true, app.classes, "y_true")
    if truth.shape[0] == 0:
        raise DataError("there are no cases.")
    weights = as_weights(sample_weight, truth.shape[0])
    if groups is not None:
        groups = as_column(groups, "groups")
        same_length("y_true", truth.shape[0], "groups", groups.shape[0])
    totals = np.bincount(truth, weights=weights, minlength=len(app.classes))
    return Cases(truth, weights, groups, totals / totals.sum())


def _seeded(seed: Any) -> Any:
    """The same draws wherever the seed is used; a generator goes on from where it is."""
    return seed if isinstance(seed, np.random.Generator) else int(seed)


def _assumed(given: Application, cases: Cases, said_at: FloatArray) -> list[str]:
    """What the reader must know about the base rates."""
    if given.priors is None:
        return ["class shares are those of the data"]
    if np.array_equal(given.priors, said_at):
        return []
    return [
        "posteriors were moved from the base rate of the data to that of the application, "
        "which assumes that cases within each class look alike in both places"
    ]


def _summed(
    one: Judged,
    comparison: Comparison | None,
    cases: Cases,
    given: Application,
    app: Application,
    options: dict[str, Any],
) -> ModelEvaluation:
    """One model with everything that is known about it."""
    standard = app.with_costs(app.costs.standardized())
    chance = None
    if comparison is not None:
        chance = float(comparison.probability_best[comparison.systems.index(one.model.name)])
    after, best = one.recalibrated, one.at_its_best
    return ModelEvaluation(
        name=one.model.name,
        kind="decisions" if one.model.posteriors is None else "posteriors",
        confusion=one.as_is.confusion,
        cost=one.as_is.cost,
        nec=one.as_is.nec,
        saving=standard.naive_cost * (1 - one.as_is.nec),
        interval=nec_interval(one.as_is, cases, given, options),
        probability_best=chance,
        threshold=one.as_is.threshold,
        recalibrated_nec=None if after is None else after.nec,
        recalibrated_interval=None if after is None else nec_interval(after, cases, given, options),
        best_nec=None if best is None else best.nec,
        best_threshold=None if best is None else best.threshold,
    )


def _shortage(cases: Cases, app: Application, min_cases: int) -> str:
    """Why there can be no verdict; empty when there can."""
    counts = np.bincount(cases.truth, minlength=len(app.classes))
    costly = (app.costs.values != app.costs.values[:, :1]).any(axis=1)
    short = [
        (int(count), name)
        for count, name, matters in zip(counts, app.classes, costly, strict=True)
        if matters and count < min_cases
    ]
    if not short:
        return ""
    count, name = min(short, key=lambda pair: pair[0])
    return f"only {count} cases of {name!r}"


def _sliced(
    y_true: Any, models: Any, by: Any, columns: dict[str, Any], options: dict[str, Any]
) -> dict[str, Evaluation]:
    """The same evaluation for every value of a column; `columns` are cut, `options` kept."""
    values, truth = as_column(by, "by"), as_column(y_true, "y_true")
    same_length("y_true", truth.shape[0], "by", values.shape[0])
    said = models if isinstance(models, Mapping) else {"model": models}
    found = {}
    for value in dict.fromkeys(values.tolist()):
        rows = values == value
        part = {name: np.asarray(one)[rows] for name, one in said.items()}
        cut: dict[str, Any] = {
            k: None if v is None else as_column(v, k)[rows] for k, v in columns.items()
        }
        found[str(value)] = evaluate(truth[rows], part, **cut, **options)
    return found
