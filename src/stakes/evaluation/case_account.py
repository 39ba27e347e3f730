"""Evaluate models by costs that differ from case to case, from rows or from an engine's sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_whole, same_length
from stakes._kernels.fast_loops import ordinary_scale
from stakes._kernels.interval_ends import MATTERS, too_unequal
from stakes.application import Application, CaseCosts, CostMatrix
from stakes.application.application import right_decisions
from stakes.decisions.case_rules import moved_case_rules
from stakes.engines.array_reduction import MOST_COMPARED
from stakes.evaluation.builder import build
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_evaluation import Figures, Naive
from stakes.evaluation.model_intervals import compared_by_case, nec_draws
from stakes.evaluation.model_rows import Cases, Model, Rows
from stakes.evaluation.recalibration import (
    CaseRule,
    CaseSources,
    about_scores,
    rule_on,
    scores_of,
)
from stakes.exceptions import CostError, DataError
from stakes.messages.notes import Note
from stakes.messages.quantities import grouped, money
from stakes.rules.rule_words import said_alike
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name
from stakes.uncertainty.intervals.interval import few_carry

if TYPE_CHECKING:
    from stakes.resources.model_capacity import ModelCapacity

#: Figures that are not computed if each case has its own costs.
BY_CASE = dict.fromkeys(("recalibrated_nec", "optimistic_nec", "ranges"), "costs-per-case")


def case_slice(
    whole: Evaluation,
    rows: Rows,
    inside: NDArray[Any],
    options: dict[str, Any],
    limited: ModelCapacity | None = None,
) -> Evaluation:
    """Evaluate some of the rows of an evaluation by the rules found on all of them."""
    assert whole.case_sources is not None
    costs, rules = whole.case_sources.costs, whole.case_sources.rules
    some = CaseCosts(costs.values[inside], costs.classes, costs.decisions)
    kept = [replace(r, model=r.model.part(inside), codes=r.codes[inside]) for r in rules]
    return evaluated_case_rows(rows.part(inside), some, options, limited, kept)


def evaluated_case_rows(
    rows: Rows,
    costs: CaseCosts,
    options: dict[str, Any],
    limited: ModelCapacity | None = None,
    rules: list[CaseRule] | None = None,
) -> Evaluation:
    """Every model by three rules: per case, one threshold, and average costs.

    The naive rule keeps the limits of `limited`. `rules` are given if the rows are part of the rows
    on which the rules were found.
    """
    cases, app = rows.cases, rows.application
    _refuse_others(costs, rows)
    weights = case_weights(cases, app)
    average = app.with_costs(costs.average(weights))
    each = np.arange(len(costs))
    paid = costs.values[each, cases.truth]  # (n, decisions): the true row
    least = paid.min(axis=1)
    naive, unguided, others = _naive(app, paid, weights, limited)
    if rules is None:
        found = [_rules(model, costs, average, weights, rows.said_at) for model in rows.models]
        rules = _in_digits(chain.from_iterable(found))
    excess = np.column_stack([paid[each, rule.codes] - least for rule in rules])
    draws = nec_draws(excess, others - least[:, None], rows, options)
    # costs that do not vary are summed over cases because of limits alone
    alike = limited is not None and bool((costs.values == costs.values[:1]).all())
    notes, reasons = [], {"ranges": "within-limits"} if alike else dict(BY_CASE)
    odd = [about_scores(m, scores_of(m, cases, rows.said_at), rows) for m in rows.models]
    if len(rules) > MOST_COMPARED:
        notes.append(Note("too-many-models", most=MOST_COMPARED))
        reasons["comparison"] = "too-many-models"
    if draws is not None:
        influence = excess - (unguided - least)[:, None] * draws.nec
        at_stake = weights * (paid.max(axis=1) - least)
        notes += _heavy_tail(weights[:, None] * influence, at_stake, cases, app)
    figures = []
    for k, rule in enumerate(rules):
        places = cases.truth.astype(np.intp) * len(app.decisions) + rule.codes
        parts = weights * paid[each, rule.codes]
        sums = np.bincount(places, weights=parts, minlength=app.costs.values.size)
        limits = None if draws is None else draws.interval(k)
        more: Any = {"cells": sums.reshape(app.costs.shape), "rule": rule.rule, "interval": limits}
        table, cost = cases.count(rule.codes, app), float(parts.sum())
        figures.append(case_figures(rule.name, rule.model.kind, table, naive, cost=cost, **more))
    notes += [
        note
        for rule, one in zip(rules, figures, strict=True)
        if rule.kind == "average costs"
        for note in priced_at_average(rule.model.name, one.confusion, average, one.cost)
    ]
    n_cases, priors = int(cases.counted.sum()), average.resolved_priors(cases.priors)
    inside = [cases.truth == k for k in range(len(app.classes))]
    by_class = np.array([weights[here] @ paid[here] for here in inside])
    average = average.with_costs(app.costs) if alike else costs_by_class(average, by_class)
    return build(
        figures,
        options,
        class_cases=cases.counted,
        reasons=reasons,
        notes=notes,
        warnings=(*earned_note(_earned(costs, app), len(costs)), *chain.from_iterable(odd)),
        application=average,
        n_cases=float(n_cases),
        data_priors=cases.priors,
        comparison=compared_by_case([rule.name for rule in rules], draws, n_cases),
        naive=naive,
        case_sources=CaseSources(costs, cases, tuple(rules), priors, rows.said_at),
    )


def _naive(
    app: Application, paid: FloatArray, weights: FloatArray, limited: ModelCapacity | None
) -> tuple[Naive, FloatArray, FloatArray]:
    """The best naive rule, what it costs each case, and what each rule that it beats costs."""
    constant, least = weights @ paid, paid.min(axis=1)
    always = np.ones(len(constant), dtype=bool)
    shares: Any = np.arange(len(constant)) == np.argmin(constant)
    if limited is not None:
        always, shares = limited.possible, limited.naive_shares(constant)
    unguided = paid @ shares
    perfect = (unguided == least)[weights > 0].all()  # exact, whatever the rounding
    naive = naive_of(app, constant, None if perfect else float(weights @ least), shares)
    return naive, unguided, unguided[:, None] if naive.shares else paid[:, always]


def _refuse_others(costs: CaseCosts, rows: Rows) -> None:
    """Raise if the costs have other cases, classes or decisions than the rows."""
    app = rows.application
    same_length("y_true", rows.cases.truth.shape[0], "case_costs", len(costs))
    if costs.values.shape[1:] != app.costs.shape:
        raise CostError(
            f"`case_costs` has {len(costs.decisions)} decisions for {len(costs.classes)} classes; "
            f"the application has {len(app.decisions)} for {len(app.classes)}.",
            hint="application=case_costs takes its names; priors, unit and volume go into "
            "Application(case_costs.average(), priors=...)",
        )


def naive_of(
    app: Application, constant: FloatArray, lowest: float | None, shares: Any = None
) -> Naive:
    """The best naive rule, and how much of its cost could be avoided; none if `lowest` is None.

    `shares` says how often each decision is taken where limits allow none in every case.
    """
    chosen = int(np.argmin(constant) if shares is None else np.argmax(shares))
    cost = float(constant[chosen] if shares is None else constant @ shares)
    mixed = shares is not None and shares[chosen] < 1
    taken = zip(app.decisions, shares, strict=True) if mixed else ()
    parts = tuple((name, float(share)) for name, share in taken if share > 0)
    naive = Naive(app.decisions[chosen], cost, 0.0 if lowest is None else cost - lowest, parts)
    if naive.avoidable <= 0:
        raise CostError(f"{naive.doing} is already perfect here.")
    return naive


def costs_by_class(average: Application, sums: FloatArray) -> Application:
    """The application with the average cost of each decision for a case of each class.

    `sums` is what each constant decision costs the cases of each class, at the application's
    shares, so the naive cost is that of the cases. Classes without a share get the average costs.
    """
    assert average.priors is not None
    shares = average.priors[:, None]
    values = np.divide(sums, shares, out=average.costs.values.copy(), where=shares > 0)
    return average.with_costs(CostMatrix(values, average.classes, average.decisions))


def case_figures(
    name: str, kind: str, table: ConfusionMatrix, naive: Naive, *, cost: float, **more: Any
) -> Figures:
    """The figures of one rule, with its NEC."""
    nec = 1 - (naive.cost - cost) / naive.avoidable
    return Figures(name, kind, table, cost, nec, **more)


def _rules(
    model: Model, costs: CaseCosts, average: Application, weights: FloatArray, said_at: FloatArray
) -> list[CaseRule]:
    """Each way to use a model; a model that gave decisions has only one."""
    if model.decisions is not None:
        return [CaseRule(model.name, "decisions", model, model.decisions, None)]
    assert average.priors is not None
    assert model.posteriors is not None
    priors = average.priors
    array, meant = model.posteriors, priors
    if not (priors > 0).all() or not (said_at > 0).all():
        array, meant = np.asarray(model.at(priors, said_at)), said_at
    found = moved_case_rules(array, costs, meant, said_at, weights)
    rule = rule_on(model, average, said_at)
    single = np.isfinite(found.threshold) and meant is priors
    rules = {
        "per case": replace(rule, per_case=True),
        "one threshold": replace(rule, cut=found.threshold) if single else None,
        "average costs": rule,
    }
    return [
        CaseRule(f"{model.name}, {kind}", kind, model, codes, rules[kind])
        for kind, codes in found.items()
    ]


def _in_digits(rules: Iterable[CaseRule]) -> list[CaseRule]:
    """The rules, whose cuts are printed with digits that decide the scores of all cases alike."""
    each = {one.name: one for one in rules}
    scores = {name: one.model.second for name, one in each.items()}
    known = {
        name: one.rule if one.rule is None else one.rule._learnt_on(scores[name])  # type: ignore[arg-type]
        for name, one in each.items()
    }
    alike = said_alike(known, scores)
    return [replace(one, rule=alike[name]) for name, one in each.items()]


def case_weights(cases: Cases, app: Application) -> FloatArray:
    """The weight of each case at the application's shares; weights sum to 1."""
    assert app.priors is not None
    totals = np.bincount(cases.truth, weights=cases.weight, minlength=len(app.classes))
    scale = np.divide(app.priors, totals, out=np.zeros(len(totals)), where=totals > 0)
    return np.asarray(cases.weight * scale[cases.truth])


def costliest_cases(ev: Evaluation, count: int) -> list[dict[str, Any]]:
    """The cases that cost most under the cheapest rule, as plain data, costliest first."""
    sources, app = ev.case_sources, ev.application
    if (count := as_whole(count, "costliest_cases", least=0)) == 0:
        return []
    if sources is None:
        alike = "costs are the same in every case, so no case stands out."
        far = "the rows are not in memory, so no case can be listed."
        hint = "ev.costliest(model) lists the costliest kinds of errors"
        raise DataError(alike if ev.naive is None else far, hint=hint)
    rule = next(one for one in sources.rules if one.name == ev.best)
    cases = sources.cases
    paid = sources.costs.values[np.arange(len(cases.truth)), cases.truth, rule.codes]
    parts = case_weights(cases, app) * paid
    gross = float(np.abs(parts).sum()) or 1.0
    return [
        {
            "row": k if cases.rows is None else int(cases.rows[k]),
            "id": None if cases.ids is None else str(cases.ids[k]),
            "truth": str(app.classes[cases.truth[k]]),
            "decision": str(app.decisions[rule.codes[k]]),
            "cost": float(paid[k]),
            "share": abs(float(parts[k])) / gross,
        }
        for k in np.argsort(-parts, kind="stable")[:count].tolist()
        if parts[k] > 0
    ]


def case_name(case: Mapping[str, Any]) -> str:
    """The name of a case in a list: its id, or its row number counted from 1."""
    return grouped(case["row"] + 1) if case["id"] is None else str(case["id"])


def _heavy_tail(
    influence: FloatArray, at_stake: FloatArray, cases: Cases, app: Application
) -> list[Note]:
    """Warn if the amounts of a class are so unequal that intervals are too short.

    A sample whose interval misses did not contain the large cases, so the costs that a rule paid
    in it tell little. The amounts at stake in all cases of the class tell more.
    """
    at_stake = at_stake / ordinary_scale(at_stake)  # squares of huge costs must fit
    positive = at_stake > 0
    counts, sums, squares = (
        np.bincount(cases.truth, at_stake**power * positive, len(app.classes)).astype(np.float64)
        for power in (0, 1, 2)
    )
    influence = influence / ordinary_scale(influence)
    parts = np.array([(influence[cases.truth == k] ** 2).sum(axis=0) for k in range(len(counts))])
    matters = (parts > MATTERS * parts.sum(axis=0)).any(axis=1)
    return few_carry_note(matters & too_unequal(counts, sums, squares), app.classes)


def priced_at_average(
    model: str, table: ConfusionMatrix, average: Application, cost: float
) -> list[Note]:
    """What decisions by average costs seem to cost, and what they do cost, if that differs."""
    assert average.priors is not None
    rates = np.nan_to_num(table.rates, nan=0.0)
    seeming = float((average.priors[:, None] * rates * average.costs.values).sum())
    said, paid = (money(each, average.unit) for each in (seeming, cost))
    if said == paid:
        return []
    return [Note("priced-at-average", model=model, cost=said, paid=paid)]


def _earned(costs: CaseCosts, app: Application) -> int:
    """In how many cases an error has a negative cost that is also below the right decision's."""
    if (places := right_decisions(app.classes, app.decisions)) is None:
        return 0
    right = costs.values[:, np.arange(len(places)), places]
    return int(((costs.values < 0) & (costs.values < right[:, :, None])).any(axis=(1, 2)).sum())


def earned_note(earned: int, cases: int) -> list[Note]:
    """Warn that errors are gains in some cases: refunds, or amounts with the wrong sign."""
    return [Note("errors-earn", cases=f"{grouped(earned)} of {grouped(cases)}")] if earned else []


def few_carry_note(unequal: NDArray[Any], classes: tuple[Name, ...]) -> list[Note]:
    """Warn that a few cases of some classes could carry most of the cost."""
    names = [classes[k] for k in np.flatnonzero(unequal)]
    return [Note("few-carry", sentence=few_carry(names))] if names else []
