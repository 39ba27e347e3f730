"""Evaluations that the pages of these tests show: one for each journey."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from stakes import Application, ConfusionMatrix, CostMatrix, evaluate
from stakes.application import Between, CaseCosts, UncertainApplication

COSTS = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
PETS = CostMatrix(
    [[0, 1, 20, 2], [1, 0, 20, 2], [30, 30, 0, 2]],
    classes=["cat", "dog", "fox"],
    decisions=["cat", "dog", "fox", "ask a person"],
)


@cache
def customers(n: int = 2500, share: float = 0.1, seed: int = 4) -> tuple[Any, dict[str, Any]]:
    """Labels, and an over-confident, a calibrated and a weak model."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    common, odds = rng.normal(size=n), np.log(share / (1 - share))
    models = {}
    for name, gap, stretch in (("gbm", 2.6, 1.6), ("logreg", 1.7, 1.0), ("rules", 0.9, 1.0)):
        llr = gap * (0.8 * common + 0.6 * rng.normal(size=n)) + gap**2 * (y - 0.5)
        models[name] = 1 / (1 + np.exp(-stretch * (llr + odds)))
    return y, models


@cache
def animals(n: int = 1200, seed: int = 5) -> tuple[Any, dict[str, Any]]:
    """Three classes, and two models."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=[0.5, 0.4, 0.1])
    x = rng.normal(size=(n, 3)) + 1.6 * np.eye(3)[y]
    models = {}
    for name, scale in (("net", 1.6), ("tree", 0.8)):
        score = np.exp(scale * x + np.log([0.5, 0.4, 0.1]))
        models[name] = score / score.sum(axis=1, keepdims=True)
    return y, models


def binary(**more: Any) -> Any:
    """Journey a: scores and known costs."""
    y, models = customers()
    app = Application(COSTS, unit="EUR", volume=250_000, period="year", **more)
    return evaluate(y, models, application=app, rng=0)


def elsewhere() -> Any:
    """Journey e: another share where it will run, correct decisions that cost something."""
    y, models = customers()
    costs = CostMatrix([[1, 4], [35, 3]], classes=["stay", "churn"], decisions=["ignore", "call"])
    return evaluate(y, models, application=Application(costs, priors=[0.97, 0.03]), rng=0)


def decided() -> Any:
    """Journey c: decisions only."""
    y, models = customers()
    codes = {name: (p > 0.2).astype(int) for name, p in models.items()}
    return evaluate(y, codes, application=Application(COSTS, unit="EUR"), rng=0)


def counted() -> Any:
    """Journey c: confusion matrices alone."""
    tables = {"a": [[900, 60], [5, 35]], "b": [[940, 20], [15, 25]]}
    made = {k: ConfusionMatrix(v, COSTS.classes, COSTS.decisions) for k, v in tables.items()}
    return evaluate(None, made, application=Application(COSTS, priors=[0.95, 0.05]), rng=0)


def uncertain() -> Any:
    """Journey d: costs known to a range only."""
    y, models = customers()
    costs = [[0, 1], [Between(5, 20), 0]]
    app = UncertainApplication(costs, classes=["stay", "churn"], decisions=["ignore", "call"])
    return evaluate(y, models, application=app, rng=0)


def by_amount() -> Any:
    """Journey f: costs per case."""
    y, models = customers()
    amounts = np.random.default_rng(0).lognormal(3, 1, size=len(y))
    costs = CaseCosts.binary(false_negative=0.75 * amounts, false_positive=0.05 * amounts)
    return evaluate(y, {"gbm": models["gbm"]}, application=costs, rng=0)


def pets() -> Any:
    """Journey b: three classes, abstention."""
    y, models = animals()
    return evaluate(y, models, application=Application(PETS, unit="EUR"), rng=0)


JOURNEYS = {
    "binary": binary,
    "pets": pets,
    "decided": decided,
    "counted": counted,
    "uncertain": uncertain,
    "elsewhere": elsewhere,
    "by amount": by_amount,
}
