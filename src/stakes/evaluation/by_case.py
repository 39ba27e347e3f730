"""Evaluation when each case has its own costs, such as a loan's amount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import same_length
from stakes._kernels.heavy_tails import MATTERS, too_unequal
from stakes._kernels.intervals import in_type, moved_shares, moved_threshold
from stakes._kernels.scaling import ordinary_scale
from stakes.application import Application, CaseCosts
from stakes.decisions import case_rules
from stakes.evaluation.case_stops import CaseRule, CaseSources
from stakes.evaluation.case_sureness import compared_by_case, nec_draws
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.from_rows import Question, few_cases, rule_text
from stakes.evaluation.judging import Cases, cut_on
from stakes.evaluation.models import Model, read_models
from stakes.evaluation.parts import ModelEvaluation, Naive
from stakes.exceptions import CostError
from stakes.report.amounts import plain
from stakes.typing import FloatArray
from stakes.uncertainty.sufficiency import few_carry

__all__ = ["CaseEvaluation", "evaluated_by_case"]


@dataclass(frozen=True, eq=False, repr=False)
class CaseEvaluation(Evaluation):
    """An evaluation in which each case has its own costs; what `evaluate` returns for them.

    Parameters
    ----------
    case_sources : CaseSources or None
        What it was made from, so that its page can show it at other costs too.
    """

    case_sources: CaseSources | None = None

    def to_html(
        self,
        path: Any = None,
        *,
        facts: Mapping[str, Any] | None = None,
        title: str = "",
        embed_posteriors: bool = False,
        forensic: bool = False,
        costliest_cases: int = 0,
    ) -> str:
        """The page; see `Evaluation.to_html`.

        Parameters
        ----------
        path, facts, title, embed_posteriors, forensic
            As for any evaluation; there is no matrix to edit, and no evidence to draw.
        costliest_cases : int
            How many of the costliest cases of the cheapest rule to list, by their row. They
            are rows of the data, so none are unless you ask.

        Returns
        -------
        str
            The page.
        """
        from stakes.evaluation.showing import as_page, written

        page = as_page(
            self,
            facts=facts,
            title=title,
            embed_posteriors=embed_posteriors,
            forensic=forensic,
            costliest_cases=costliest_cases,
        )
        return written(page, path)


def evaluated_by_case(models: Any, costs: CaseCosts, question: Question) -> Evaluation:
    """Judge every model by three rules: per case, one threshold, and average costs."""
    cases, options = question.cases, question.options
    same_length("y_true", cases.truth.shape[0], "case_costs", len(costs))
    app, weights = question.application, _weights(cases, question.application)
    average = app.with_costs(costs.average(weights))
    paid = costs.values[np.arange(len(costs)), cases.truth]  # (n, decisions): the true row
    least = paid.min(axis=1)
    constant = weights @ paid
    chosen = int(np.argmin(constant))
    naive = Naive(app.decisions[chosen], float(constant[chosen]), 0.0)
    naive = Naive(naive.decision, naive.cost, naive.cost - float(weights @ least))
    perfect = (paid[:, chosen] == least)[weights > 0].all()  # whatever rounding leaves of it
    if perfect or naive.avoidable <= 0:
        raise CostError(f"always deciding '{naive.decision}' is already perfect here.")
    rules = [
        rule
        for model in read_models(models, app, len(costs), question.order)
        for rule in _rules(model, costs, average, weights, question)
    ]
    rows = np.arange(len(costs))
    excess = np.column_stack([paid[rows, rule.codes] - least for rule in rules])
    draws = nec_draws(excess, paid - least[:, None], question)
    comparison = compared_by_case([r.name for r in rules], draws, question)
    found = tuple(
        _summed(rule, paid, weights, naive, k, draws, comparison, question)
        for k, rule in enumerate(rules)
    )
    naive_excess = paid[:, chosen] - least
    notes = []
    if draws is not None:
        influence = excess - naive_excess[:, None] * draws.nec
        at_stake = weights * (paid.max(axis=1) - least)
        notes += _heavy_tail(weights[:, None] * influence, at_stake, cases, app)
    notes += _by_averages(rules, found, average)
    assert average.priors is not None
    return CaseEvaluation(
        application=average,
        models=found,
        n_cases=float(cases.counted.sum()),
        data_priors=cases.priors,
        comparison=comparison,
        too_few=few_cases(cases, average, options["min_cases"]),
        notes=tuple(notes),
        naive=naive,
        level=options["level"],
        case_sources=CaseSources(costs, cases, tuple(rules), average.priors, question.said_at),
    )


def _rules(
    model: Model, costs: CaseCosts, average: Application, weights: FloatArray, question: Question
) -> list[CaseRule]:
    """Each way to use a model; decisions can be used in one way only."""
    if model.decisions is not None:
        return [CaseRule(model.name, "decisions", model, model.decisions, None)]
    assert average.priors is not None
    priors, said_at = average.priors, question.said_at
    posteriors = model.at(priors, said_at)
    found = case_rules(posteriors, costs, classes=costs.classes, sample_weight=weights)
    cuts = {
        "per case": None,
        "one threshold": _placed(found.threshold, priors, said_at),
        "average costs": cut_on(average, priors, said_at),
    }
    return [
        CaseRule(f"{model.name}, {kind}", kind, model, codes, cuts[kind])
        for kind, codes in found.items()
    ]


def _in_words(rule: CaseRule) -> str | None:
    """When a rule acts."""
    if rule.kind == "per case":
        return "per case"
    return None if rule.threshold is None else rule_text(rule.threshold)


def _placed(threshold: float, priors: FloatArray, said_at: FloatArray) -> float | None:
    """A cut on posteriors where it will run, as one on the posteriors as they come."""
    if not np.isfinite(threshold):
        return None
    if threshold in (0.0, 1.0) or np.array_equal(priors, said_at):
        return threshold
    return in_type(moved_threshold(threshold, moved_shares(priors, said_at)))


def _weights(cases: Cases, app: Application) -> FloatArray:
    """What each case counts for, adding to 1, at the shares of the application."""
    assert app.priors is not None
    weights = np.ones(cases.truth.shape[0]) if cases.weights is None else cases.weights
    totals = np.bincount(cases.truth, weights=weights, minlength=len(app.classes))
    scale = np.divide(app.priors, totals, out=np.zeros(len(totals)), where=totals > 0)
    return np.asarray(weights * scale[cases.truth])


def _summed(
    rule: CaseRule,
    paid: FloatArray,
    weights: FloatArray,
    naive: Naive,
    place: int,
    draws: Any,
    comparison: Any,
    question: Question,
) -> ModelEvaluation:
    """One rule with its cost, its parts and its interval."""
    cases, app = question.cases, question.application
    shape = (len(app.classes), len(app.decisions))
    parts = weights * paid[np.arange(paid.shape[0]), rule.codes]
    places = cases.truth.astype(np.intp) * shape[1] + rule.codes
    sums = np.bincount(places, weights=parts, minlength=shape[0] * shape[1])
    cells = np.asarray(sums, dtype=np.float64).reshape(shape)
    cost = float(parts.sum())
    saving = naive.cost - cost
    return ModelEvaluation(
        name=rule.name,
        kind="decisions" if rule.model.posteriors is None else "posteriors",
        confusion=cases.count(rule.codes, app),
        cost=cost,
        nec=1 - saving / naive.avoidable,
        saving=saving,
        interval=None if draws is None else draws.interval(place),
        probability_best=None if comparison is None else float(comparison.probability_best[place]),
        threshold=rule.threshold,
        cells=cells,
        rule=_in_words(rule),
    )


def _heavy_tail(
    influence: FloatArray, at_stake: FloatArray, cases: Cases, app: Application
) -> list[str]:
    """A remark when the amounts of a class are so unequal that intervals are too short.

    Samples whose interval misses did not see the large cases, so what each rule happened to pay
    tells little; what was at stake in all cases of the class tells more.
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
    unequal = np.flatnonzero(matters & too_unequal(counts, sums, squares))
    if not unequal.size:
        return []
    return [few_carry([app.classes[k] for k in unequal])]


def _by_averages(
    rules: list[CaseRule], found: tuple[ModelEvaluation, ...], average: Application
) -> list[str]:
    """What the same decisions seem to cost when every case is priced at the average."""
    said = []
    for rule, model in zip(rules, found, strict=True):
        if rule.kind == "average costs":
            assert average.priors is not None
            rates = np.nan_to_num(model.confusion.rates, nan=0.0)
            seeming = float((average.priors[:, None] * rates * average.costs.values).sum())
            said.append(
                f"a confusion matrix alone, priced at average costs, would put "
                f"{rule.model.name} at {plain(seeming, 4)} per case"
            )
    return said
