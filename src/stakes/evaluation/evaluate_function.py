"""`evaluate`: from labels and models in memory to an Evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._columns import as_array, refuse_other_order
from stakes._guesses import answers_guesses
from stakes._names import as_name, as_positions, encode
from stakes._random import as_seed
from stakes.application import (
    Application,
    CaseCosts,
    UncertainApplication,
    as_application,
)
from stakes.application.application import refuse_paid_errors
from stakes.application.cost_input import stated_costs
from stakes.calibration import Calibrator
from stakes.evaluation.challenge import challenged
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_rows import (
    Cases,
    Model,
    Rows,
    at_places,
    read_models,
    repeated,
    said_of,
    tables_of_models,
)
from stakes.evaluation.reduction_account import (
    evaluated_counts,
    evaluated_rows,
)
from stakes.evaluation.slices import rows_by_value, with_slices
from stakes.exceptions import CostError, DataError
from stakes.messages.audience import named
from stakes.messages.notes import Note
from stakes.posteriors.class_order import asked_order
from stakes.resources import ModelCapacity
from stakes.rules import DecisionRule
from stakes.rules.rule_words import said_alike
from stakes.summaries import ConfusionMatrix
from stakes.typing import Priors, RandomSource

#: What else can be typed if columns have no names.
_ASKED = '; or the fitted estimator: evaluate(y_true, {"lr": clf}, X=X, ...)'


@answers_guesses
def evaluate(
    y_true: Any,
    models: Any,
    *,
    costs: Any = None,
    application: Any = None,
    priors: Priors | None = None,
    unit: str | None = None,
    volume: float | str | None = None,
    period: str | None = None,
    X: Any = None,
    classes: Any = None,
    positive: Any = None,
    case_costs: CaseCosts | None = None,
    from_priors: Priors | None = None,
    sample_weight: Any = None,
    counts: Any = None,
    groups: Any = None,
    by: Any = None,
    ids: Any = None,
    capacity: Any = None,
    recalibrate: bool | Calibrator = True,
    folds: Any = 5,
    level: float = 0.95,
    min_cases: int = 10,
    baseline: str | None = None,
    switching_cost: float | str | None = None,
    rng: RandomSource = None,
) -> Evaluation:
    """Judge models by what their decisions cost, and say what to do.

    Each model is evaluated in three ways: as it is (Bayes decisions from its posteriors, or its
    decisions), after cross-fitted calibration, and at its best threshold on these data, which is
    optimistic. Lower is better.

    Parameters
    ----------
    y_true : column or None
        True classes: names of the application, or positions. None with confusion matrices.
    models : mapping of str to array, estimator or ConfusionMatrix
        (n, K) float posteriors, (n,) float posteriors of one of two classes, (n,) decisions
        (names or integer positions), or a fitted estimator, with `X`. `Posteriors` with names
        and data frames with a column for each class are matched by name. A single model may
        come without a mapping; other columns of a data frame are models, by their names. Or
        confusion matrices, without the rows: on the same cases or each on its own.
    costs : mapping, nested list, CostMatrix, data frame, path or CaseCosts
        What errors cost: ``{"fn": 500, "fp": 20}`` (also ``"€500"`` or ``"1.5k"``, which state
        the unit), a table whose rows are true classes, or a file that `read_costs` reads. Costs
        that name no classes take the names of the labels, the positive one second.
    application : Application, UncertainApplication, or as `costs`
        Costs, priors, unit and volume in one object, instead of `costs` and the four that
        follow. Uncertain costs and priors are evaluated at their expectation and over their
        whole range (`.doubt`); the verdict says when the choice depends on them.
    priors, unit, volume, period : optional
        As in `Application`, beside `costs`; ``volume="10000/month"`` states the period too.
    X : array or data frame, optional
        The cases, for models that are fitted estimators: `predict_proba(X)` is matched to the
        application by `classes_`. An estimator that decides by cost gives its decisions.
    classes : sequence of names, optional
        The order of the columns of arrays, such as ``clf.classes_``. Without it they are read
        in the order of the application, if that is the sorted order of the labels or the
        labels are positions; otherwise they are refused.
    positive : name, optional
        The class whose probability a single column holds. By default the second, if the
        classes are in sorted order.
    case_costs : CaseCosts, optional
        Costs that differ from case to case; the application then gives priors, unit and
        volume. Every model is evaluated with three rules: each case by its own costs, one
        threshold for all, and average costs.
    from_priors : shares, optional
        The base rate that the posteriors were made for; the class shares of the data if
        absent. When the application's priors differ from it, posteriors are moved to them.
    sample_weight : column, optional
        Weight of each case, as in surveys and sampling. A row is one case whatever its weight,
        even if weights are whole numbers, and only their proportions matter. Rows of weight
        zero are left out of every count. Point values equal those of repeated rows; intervals
        do not.
    counts : column, optional
        How often each row occurred, in whole numbers: exactly as if the row were repeated.
        Not with `sample_weight`.
    groups : column, optional
        Cases of one group (a customer, a speaker) are not independent: whole groups are
        drawn for intervals, and kept together in folds.
    by : column, optional
        Evaluate every slice too: the cases with one value of this column (`.slices`). With
        costs per case, slices use the thresholds found on all cases.
    ids : column, optional
        The name of each case, for lists of cases (`.costliest_cases`).
    capacity : mapping, text or list, optional
        How often decisions may be taken: ``{"review": 200}``, ``"review=200/day"``; see
        `stakes.resources.read_limits`. Each model then takes the cheapest decisions within the
        limits, and `.capacity` tells what one more is worth.
    recalibrate : bool or Calibrator
        Which calibrator to cross-fit. True means `Affine`, as in `stakes calibrate`; False none.
    folds : int or column of fold numbers
        Folds of cross-fitting.
    level : float
        Confidence level of the intervals.
    min_cases : int
        With fewer cases of a class that affects costs, there is no interval and no verdict.
    baseline : str, optional
        The model in use. The verdict keeps it unless another one surely saves more than
        switching costs (`.challenge`).
    switching_cost : float or str, optional
        What replacing that model costs, once; to be saved over one period of `volume`.
    rng : None, int or numpy.random.Generator
        Seed of the random draws, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Evaluation
        `.verdict`, `.best`, `.frame()`, `["name"]`, `.difference(a, b)`, `.doubt`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 2, 3 and 7.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> llr = {"sharp": rng.normal(4 * y - 2, 2), "blunt": rng.normal(y - 0.5, 1)}
    >>> models = {name: 1 / (1 + 9 * np.exp(-s)) for name, s in llr.items()}
    >>> ev = evaluate(y, models, costs={"fn": 10, "fp": 1}, unit="EUR")
    >>> ev.best, ev.verdict_kind
    ('sharp', 'deploy')
    >>> round(ev["sharp"].threshold, 4)
    0.0909
    """
    _refuse_settings(recalibrate, folds, case_costs)
    positive = as_name(positive, "positive")
    tables = models if isinstance(models, Mapping) else {"model": models}
    settings = {"priors": priors, "unit": unit, "volume": volume, "period": period}
    labels = _labels(y_true, tables)
    if costs is None and application is None and isinstance(case_costs, CaseCosts):
        costs = case_costs.average()
    told = {"classes": classes, "positive": positive, **settings}
    stated = stated_costs(application, costs, labels, **told)
    if isinstance(stated, CaseCosts):
        case_costs, stated = stated, Application(stated.average())
    uncertain = stated if isinstance(stated, UncertainApplication) else None
    given = as_application(stated if uncertain is None else uncertain.expected)
    refuse_paid_errors(given)
    options, switch = options_of(level, rng, min_cases), (baseline, switching_cost)
    if y_true is not None:
        models = tables_of_models(models, given)
        tables = models if isinstance(models, Mapping) else tables
    if tables and all(isinstance(each, ConfusionMatrix) for each in tables.values()):
        if y_true is not None:
            raise DataError("confusion matrices hold the truth already.", hint="y_true=None")
        per_case = {"sample_weight": sample_weight, "groups": groups, "by": by, "X": X}
        per_case |= {"counts": counts, "ids": ids, "capacity": capacity}
        said = {"classes": classes, "positive": positive}
        if positive == given.classes[-1] and not has_names(costs, application):
            del said["positive"]  # which costs by fn and fp asked for
        refuse_columns(per_case | said, "confusion matrices")
        found = doubted(evaluated_counts(tables, given, options), uncertain)
        return with_inquiry(found, options, switch)
    if y_true is None:
        raise DataError("`y_true` may be None only for confusion matrices.")
    columns = {"sample_weight": sample_weight, "counts": counts, "groups": groups, "by": by}
    refuse_other_order(y_true, {**tables, **columns, "ids": ids, "case_costs": case_costs})
    said, order = said_of(models, X, given), asked_order(classes, positive, y_true, _ASKED)
    truth = as_positions(encode(y_true, given.classes, "y_true"))
    cases = Cases.of(truth, given, sample_weight, groups, ids)
    read = read_models(said, given, truth.shape[0], order)
    if counts is not None:
        at = repeated(counts, sample_weight, truth)
        cases, read = cases.part(at, given), tuple(model.part(at) for model in read)
        each = partial(at_places, at, truth.shape[0])
        by, folds, case_costs = each("by", by), each("folds", folds), each("", case_costs)
    rows = Rows(given, cases, read, from_priors, recalibrate, folds)
    limited, asked = None, rows
    if capacity is not None:
        rows, limited = _within_capacity(rows, case_costs, capacity, options)
    found = _judged(rows, case_costs, by, uncertain, options, limited)
    if limited is not None:
        found = _with_capacity(found, limited, asked, per_case=case_costs is not None)
        if uncertain is not None:
            again = {"sample_weight": sample_weight, "groups": groups, "counts": counts, "X": X}
            again |= {"classes": classes, "positive": positive, "from_priors": from_priors}
            again |= {"capacity": capacity, "recalibrate": False, **options}
            again_at = partial(evaluate, y_true, models, **again)
            found = _doubted_within(found, uncertain, again_at)
    if case_costs is not None:
        return with_inquiry(found, options, switch)
    return with_inquiry(about_columns(found, positive), options, switch, positive=positive)


def _judged(
    rows: Rows,
    case_costs: CaseCosts | None,
    by: Any,
    uncertain: Any,
    options: dict[str, Any],
    limited: ModelCapacity | None,
) -> Evaluation:
    """Evaluate every model on all rows, and on those of each slice."""
    slices = {} if by is None else rows_by_value(by, rows)
    if case_costs is not None:
        from stakes.evaluation.case_account import case_slice, evaluated_case_rows

        whole = evaluated_case_rows(rows, case_costs, options, limited)

        def judge_part(key: Any) -> Evaluation:
            return case_slice(whole, rows, slices[key], options, limited)

        return with_slices(whole, slices, judge_part)

    def judge(part: Rows) -> Evaluation:
        if limited is not None:
            return _judged_within(part, limited, options)
        return doubted(evaluated_rows(part, options), uncertain)

    return with_slices(judge(rows), slices, lambda key: judge(rows.part(slices[key])))


def _judged_within(rows: Rows, limited: ModelCapacity, options: dict[str, Any]) -> Evaluation:
    """Evaluate decisions within limits beside the best naive rule that keeps them, too."""
    from stakes.evaluation.case_account import evaluated_case_rows

    app = rows.application
    if limited.possible[app.decisions.index(app.naive_decision)]:
        found = evaluated_rows(rows, options)
        return replace(found, ranges=(), absent={**found.absent, "ranges": "within-limits"})
    # counts would be compared with a decision that the limits forbid, so cases are summed
    values = np.repeat(app.costs.values[None], rows.cases.truth.shape[0], axis=0)
    same = CaseCosts(values, app.classes, app.decisions)
    return evaluated_case_rows(rows, same, options, limited)


def _within_capacity(
    rows: Rows, case_costs: CaseCosts | None, capacity: Any, options: Mapping[str, Any]
) -> tuple[Rows, ModelCapacity]:
    """The rows with each model's decisions within the limits, and what the limits cost."""
    from stakes.evaluation.case_account import case_weights
    from stakes.resources.model_capacity import model_capacity, refuse_beyond

    app, cases = rows.application, rows.cases
    said = [model for model in rows.models if model.posteriors is not None]
    if not said:
        raise DataError(
            f"{named('capacity')} needs probabilities; decisions cannot be taken back.",
            hint=f"leave out {named('capacity')}",
        )
    if case_costs is not None:
        same_length("y_true", cases.truth.shape[0], "case_costs", len(case_costs))
    alike = cases.weights is None and np.array_equal(app.priors, cases.priors)  # type: ignore[arg-type]
    limited = model_capacity(
        {model.name: np.asarray(model.at(app.priors, rows.said_at)) for model in said},  # type: ignore[arg-type]
        cases.truth,
        capacity,
        costs=app,
        case_costs=case_costs,
        weights=None if alike else case_weights(cases, app),
        level=options["level"],
    )
    for model in rows.models:
        if model.decisions is not None:
            refuse_beyond(limited, model.name, model.decisions)
    models = tuple(
        Model(model.name, None, limited[model.name].decisions) if model in said else model
        for model in rows.models
    )
    return replace(rows, models=models), limited


def _doubted_within(
    found: Evaluation, uncertain: UncertainApplication, at: Callable[..., Evaluation]
) -> Evaluation:
    """The evaluation over the range of uncertain costs: limits are met anew at each of them."""
    from stakes.evaluation.unknown_costs_builder import application_at, possible_of, with_doubt

    possible = possible_of(uncertain, few=True)
    nodes = range(len(possible.weights))
    each = [at(application=application_at(found, possible, node)) for node in nodes]
    return with_doubt(found, possible, each)


def _with_capacity(
    found: Evaluation, limited: ModelCapacity, rows: Rows, *, per_case: bool
) -> Evaluation:
    """The evaluation with the cost of the limits, and rules that keep to them."""
    from stakes.evaluation.builder import with_rules

    rules = {
        name: DecisionRule(
            found.application,
            from_priors=rows.said_at,
            per_case=per_case,
            prices=one.prices,
            model=name,
        )._learnt_on(rows[name].second)  # type: ignore[arg-type]
        for name, one in limited.optima.items()
    }
    alike = said_alike(rules, {name: rows[name].second for name in rules})
    found = with_rules(found, {model.name: alike.get(model.name) for model in found.models})
    notes = limited.notes(found.best)
    absent = {**found.absent, "sliders": "sliders-within-limits"}
    return replace(found, capacity=limited, absent=absent, notes=(*found.notes, *notes))


def _labels(y_true: Any, tables: Mapping[str, Any]) -> Any:
    """The labels from which costs without names take class names; for tables, the first table."""
    first = next(iter(tables.values()), None)
    if y_true is None and isinstance(first, ConfusionMatrix) and first.classes == first.decisions:
        return first
    return y_true


def about_columns(found: Evaluation, positive: Any) -> Evaluation:
    """Warn if the rule is about the other class than the one whose probability was given."""
    classes = found.application.classes
    if positive is None or len(classes) != 2 or positive != classes[0]:
        return found
    note = Note("rule-of-second", second=classes[1], positive=positive)
    return replace(found, warnings=(*found.warnings, note))


def with_inquiry(
    found: Evaluation, options: Mapping[str, Any], switch: Sequence[Any], **words: Any
) -> Evaluation:
    """The evaluation with the inquiry that produced it; arrays and frames have no file name."""
    from stakes.inquiry.inquiry import Inquiry

    known = {k: word for k, word in words.items() if word is not None and np.ndim(word) == 0}
    said: dict[str, Any] = {k: str(word) for k, word in known.items()}
    said |= {"seed": options["rng"], "level": options["level"], "min_cases": options["min_cases"]}
    found = replace(found, inquiry=Inquiry(costs=found.application, **said))
    return challenged(found, *switch)


def options_of(level: float, rng: RandomSource, min_cases: Any) -> dict[str, Any]:
    """Options for intervals and verdicts."""
    whole = isinstance(min_cases, (int, np.integer)) and not isinstance(min_cases, bool)
    if not whole or min_cases < 0:
        raise DataError(f"`min_cases` must be a whole number from 0 on; got {min_cases!r}.")
    return {"level": level, "rng": as_seed(rng), "min_cases": min_cases}


def _refuse_settings(recalibrate: Any, folds: Any, case_costs: Any) -> None:
    """Raise for settings that make no sense."""
    if case_costs is not None and not isinstance(case_costs, CaseCosts):
        raise CostError(
            f"`case_costs` must be a CaseCosts; got {type(case_costs).__name__}.",
            hint="CaseCosts.binary(false_negative=amounts, false_positive=1.0); for costs that "
            "are the same in every case, application=CostMatrix.binary(...)",
        )
    if as_array(folds, "folds").ndim == 0 and not (
        isinstance(folds, (int, np.integer)) and folds >= 2
    ):
        raise DataError(
            f"`folds` must be 2 or more, or a column of fold numbers; got {folds!r}.",
            hint="folds=5; recalibrate=False needs none",
        )
    if not isinstance(recalibrate, (bool, Calibrator)):
        raise DataError(
            f"`recalibrate` must be True, False or a calibrator; got {recalibrate!r}.",
            hint="recalibrate=stakes.calibration.Isotonic()",
        )


def refuse_columns(columns: dict[str, Any], what: str) -> None:
    """Raise for columns that would be ignored."""
    for name, column in columns.items():
        if column is not None:
            hint = f"leave out {named(name)}"
            hint += ", and evaluate the rows of each slice apart" if name == "by" else ""
            raise DataError(f"{named(name)} cannot be used with {what}.", hint=hint)


def doubted(found: Evaluation, uncertain: UncertainApplication | None) -> Evaluation:
    """The evaluation over the whole range of uncertain costs and shares."""
    if uncertain is None:
        return found
    from stakes.evaluation.unknown_costs_builder import is_cheap, possible_of, with_doubt

    possible = possible_of(uncertain, few=True)
    if is_cheap(found, possible):
        possible = possible_of(uncertain, few=False)
    return with_doubt(found, possible)


def has_names(costs: Any, application: Any) -> bool:
    """Whether costs name their classes, so that the labels need not be read."""
    given = getattr(costs if application is None else application, "classes", None)
    return given is not None and tuple(given) != tuple(range(len(given)))
