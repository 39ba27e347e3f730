"""Judging when each case has its own costs, such as a loan's amount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application, CaseCosts
from stakes.cli.cases import Cases
from stakes.cli.deciding import Rule, posteriors_of, rule_above, rule_of
from stakes.cli.models import Model
from stakes.decisions import case_rules
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
    """Three rules per model with scores: per case, one threshold, and average costs."""
    weights = _weights(cases, app)
    average = app.with_costs(costs.average(weights))
    paid = costs.values[np.arange(len(cases)), cases.truth]  # (n, decisions): the true row
    naive = weights @ paid
    lowest = float(weights @ paid.min(axis=1))
    best = int(np.argmin(naive))
    spread = float(naive[best]) - lowest
    if spread <= 0:
        raise CostError(f"always deciding '{app.decisions[best]}' is already perfect here.")
    found: list[tuple[ModelFinding, NDArray[np.float64]]] = []
    notes = []
    for model in models:
        for name, codes, rule in _rules(model, cases, costs, average, weights, args):
            parts = weights * paid[np.arange(len(cases)), codes]
            cells = _by_cell(parts, codes, cases, average)
            confusion = _counted(codes, cases, average)
            cost = float(cells.sum())
            nec = (cost - lowest) / spread
            found.append(
                (ModelFinding(name, confusion, cells, cost, nec, rule.text, rule.threshold), parts)
            )
            if name.endswith("average costs"):
                notes.append(_by_averages(model, confusion, average))
    winner, parts = min(found, key=lambda each: each[0].cost)
    notes += _heavy_tail(winner, parts)
    judged = [finding for finding, _ in found]
    return JudgedPerCase(judged, average, str(app.decisions[best]), float(naive[best]), notes)


def _rules(
    model: Model,
    cases: Cases,
    costs: CaseCosts,
    average: Application,
    weights: NDArray[np.float64],
    args: Any,
) -> list[tuple[str, NDArray[Any], Rule]]:
    """Each way to use a model: its name, its decisions, when it acts."""
    if model.decisions is not None:
        return [(model.name, model.decisions, Rule())]
    posteriors = posteriors_of(model, cases, average, args)
    if posteriors is None:
        raise CostError("costs per case need probabilities, not ranks.")
    rules = case_rules(posteriors, costs, sample_weight=weights)
    said = {
        "per case": Rule("per case"),
        "one threshold": rule_above(rules.threshold, average, cases, args),
        "average costs": rule_of(average, cases, args, None),
    }
    return [(f"{model.name}, {name}", codes, said[name]) for name, codes in rules.items()]


def _weights(cases: Cases, app: Application) -> NDArray[np.float64]:
    """What each case counts for, adding to 1, at the shares of the application."""
    assert app.priors is not None
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    scale = np.divide(
        app.priors, cases.totals, out=np.zeros(len(cases.classes)), where=cases.totals > 0
    )
    return np.asarray(weights * scale[cases.truth])


def _by_cell(
    parts: NDArray[np.float64], codes: NDArray[Any], cases: Cases, app: Application
) -> NDArray[np.float64]:
    """Cost per case by truth and decision."""
    n_decisions = len(app.decisions)
    sums = np.bincount(
        cases.truth * n_decisions + codes,
        weights=parts,
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
        f"a confusion matrix alone, priced at average costs, would put {model.name} at "
        f"{per_case(seeming.cost)} per case"
    )


def _heavy_tail(winner: ModelFinding, parts: NDArray[np.float64]) -> list[str]:
    """A remark when few cases carry much of the cost."""
    ranked = np.sort(np.abs(parts))[::-1]
    top = max(1, ranked.size // 100)
    share = float(ranked[:top].sum() / ranked.sum()) if ranked.any() else 0.0
    if share <= HEAVY_TAIL:
        return []
    return [f"1 % of the cases carry {percent(share, 0)} of the cost of '{winner.name}'"]
