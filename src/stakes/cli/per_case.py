"""Judging when each case has its own costs, such as a loan's amount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application, CaseCosts
from stakes.cli.cases import Cases
from stakes.cli.deciding import posteriors_of, rule_of
from stakes.cli.models import Model
from stakes.decisions import bayes_decisions
from stakes.exceptions import CostError
from stakes.report import ModelFinding, judge
from stakes.report.amounts import per_case, percent
from stakes.summaries import ConfusionMatrix

__all__ = ["JudgedPerCase", "judged_per_case"]

#: Say so when one in a hundred cases carries more than this share of the cost.
HEAVY_TAIL = 0.1


@dataclass(frozen=True, slots=True)
class JudgedPerCase:
    """Models judged by what each case cost; `application` holds the average costs."""

    models: list[ModelFinding]
    application: Application
    naive_decision: str
    naive_cost: float
    notes: list[str]


def judged_per_case(
    models: list[Model], cases: Cases, costs: CaseCosts, app: Application, args: Any
) -> JudgedPerCase:
    """Two rules per model with scores: a threshold for each case, and one for all."""
    assert app.priors is not None
    weights = _weights(cases, app)
    average = app.with_costs(costs.average(cases.weights))
    paid = costs.values[np.arange(len(cases)), cases.truth]  # (n, decisions): the true row
    naive = weights @ paid
    standard = weights @ (paid - paid.min(axis=1, keepdims=True))
    best = int(np.argmin(naive))
    if standard.min() <= 0:
        raise CostError(f"always deciding '{app.decisions[best]}' is already perfect here.")
    found: list[tuple[ModelFinding, NDArray[Any]]] = []
    notes = []
    lowest = float(weights @ paid.min(axis=1))
    for model in models:
        for name, codes, rule in _rules(model, cases, costs, average, args):
            cells = _cells(codes, paid, weights, cases, average)
            cost = float(cells.sum())
            nec = (cost - lowest) / float(standard.min())
            confusion = _counted(codes, cases, average)
            found.append((ModelFinding(name, confusion, cells, cost, nec, *rule), codes))
            if rule[0] != "by case" and not args.decisions:
                notes.append(_by_averages(model, confusion, average))
    winner, codes = min(found, key=lambda each: each[0].cost)
    notes += _heavy_tail(winner, weights * paid[np.arange(len(cases)), codes])
    judged = [finding for finding, _ in found]
    return JudgedPerCase(judged, average, str(app.decisions[best]), float(naive[best]), notes)


def _rules(
    model: Model, cases: Cases, costs: CaseCosts, average: Application, args: Any
) -> list[tuple[str, NDArray[Any], tuple[str | None, float | None]]]:
    """Each way to use a model: its name, its decisions, when it acts."""
    if model.decisions is not None:
        return [(model.name, model.decisions, (None, None))]
    posteriors = posteriors_of(model, cases, average, args)
    if posteriors is None:
        raise CostError("costs per case need probabilities, not ranks.")
    one = rule_of(average, cases, args, None)
    each = bayes_decisions(posteriors, costs)
    same = bayes_decisions(posteriors, average.costs)
    return [
        (f"{model.name}, case by case", each, ("by case", None)),
        (f"{model.name}, one for all", same, (one.text, one.threshold)),
    ]


def _weights(cases: Cases, app: Application) -> NDArray[np.float64]:
    """What each case counts for, adding to 1, at the shares of the application."""
    assert app.priors is not None
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    scale = np.divide(
        app.priors, cases.totals, out=np.zeros(len(cases.classes)), where=cases.totals > 0
    )
    return np.asarray(weights * scale[cases.truth])


def _cells(
    codes: NDArray[Any],
    paid: NDArray[np.float64],
    weights: NDArray[np.float64],
    cases: Cases,
    app: Application,
) -> NDArray[np.float64]:
    """Cost per case by truth and decision."""
    n_decisions = len(app.decisions)
    sums = np.bincount(
        cases.truth * n_decisions + codes,
        weights=weights * paid[np.arange(len(cases)), codes],
        minlength=len(app.classes) * n_decisions,
    )
    return np.asarray(sums, dtype=np.float64).reshape(len(app.classes), n_decisions)


def _counted(codes: NDArray[Any], cases: Cases, app: Application) -> ConfusionMatrix:
    """Cases by truth and decision."""
    return ConfusionMatrix.from_decisions(
        cases.truth,
        codes,
        classes=app.classes,
        decision_names=app.decisions,
        sample_weight=cases.weights,
    )


def _by_averages(model: Model, confusion: ConfusionMatrix, average: Application) -> str:
    """What the same decisions seem to cost when every case is priced at the average."""
    seeming = judge(confusion, average, name=model.name)
    return (
        f"priced at average costs, {model.name} with one threshold would seem to cost "
        f"{per_case(seeming.cost)} per case"
    )


def _heavy_tail(winner: ModelFinding, paid: NDArray[np.float64]) -> list[str]:
    """A remark when few cases carry much of the cost."""
    parts = np.sort(np.abs(paid))[::-1]
    top = max(1, parts.size // 100)
    share = float(parts[:top].sum() / parts.sum()) if parts.sum() else 0.0
    if share <= HEAVY_TAIL:
        return []
    return [f"1 % of the cases carry {percent(share, 0)} of the cost of {winner.name}"]
