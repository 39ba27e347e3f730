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


@cache
def binary(**more: Any) -> Any:
    """Journey a: scores and known costs."""
    y, models = customers()
    app = Application(COSTS, unit="EUR", volume=250_000, period="year", **more)
    return evaluate(y, models, application=app, rng=0)


@cache
def elsewhere() -> Any:
    """Journey e: another share where it will run, correct decisions that cost something."""
    y, models = customers()
    costs = CostMatrix([[1, 4], [35, 3]], classes=["stay", "churn"], decisions=["ignore", "call"])
    return evaluate(y, models, application=Application(costs, priors=[0.97, 0.03]), rng=0)


@cache
def close() -> Any:
    """Three models that are alike, and one that is not."""
    y, models = customers()
    rng, gbm = np.random.default_rng(7), np.log(models["gbm"] / (1 - models["gbm"]))
    alike = {f"gbm{k}": 1 / (1 + np.exp(-gbm - 0.3 * rng.normal(size=len(y)))) for k in range(3)}
    return evaluate(y, alike | {"rules": models["rules"]}, application=Application(COSTS), rng=0)


@cache
def decided() -> Any:
    """Journey c: decisions only."""
    y, models = customers()
    codes = {name: (p > 0.2).astype(int) for name, p in models.items()}
    return evaluate(y, codes, application=Application(COSTS, unit="EUR"), rng=0)


@cache
def counted() -> Any:
    """Journey c: confusion matrices alone."""
    tables = {"a": [[900, 60], [5, 35]], "b": [[940, 20], [15, 25]]}
    made = {k: ConfusionMatrix(v, COSTS.classes, COSTS.decisions) for k, v in tables.items()}
    return evaluate(None, made, application=Application(COSTS, priors=[0.95, 0.05]), rng=0)


@cache
def uncertain() -> Any:
    """Journey d: costs known to a range only."""
    y, models = customers()
    costs = [[0, 1], [Between(5, 20), 0]]
    app = UncertainApplication(costs, classes=["stay", "churn"], decisions=["ignore", "call"])
    return evaluate(y, models, application=app, rng=0)


@cache
def loans(seed: int = 0) -> CaseCosts:
    """Costs per case with fees, so that the threshold differs from case to case."""
    y, _ = customers()
    amounts = np.random.default_rng(seed).lognormal(3, 1, size=len(y))
    return CaseCosts.binary(
        false_negative=0.75 * amounts,
        false_positive=0.05 * amounts + 2,
        true_positive=1.0,
        classes=["repaid", "default"],
        decisions=["lend", "refuse"],
    )


LENDING = CostMatrix([[0, 1], [1, 0]], classes=["repaid", "default"], decisions=["lend", "refuse"])


def by_amount(priors: Any = None, costs: CaseCosts | None = None) -> Any:
    """Journey f: costs per case; posteriors by three rules each, and decisions."""
    y, models = customers()
    said = {"gbm": models["gbm"], "clerk": (models["rules"] > 0.15).astype(int)}
    app = Application(LENDING, priors=priors, unit="EUR", volume=1000, period="month")
    return evaluate(y, said, application=app, case_costs=costs or loans(), rng=0)


@cache
def pets() -> Any:
    """Journey b: three classes, abstention."""
    y, models = animals()
    return evaluate(y, models, application=Application(PETS, unit="EUR"), rng=0)


@cache
def pet_bills(seed: int = 0) -> CaseCosts:
    """Costs per case of three classes: amounts differ, and being right costs a little too."""
    y, _ = animals()
    amount = np.random.default_rng(seed).lognormal(0, 1, size=len(y))[:, None]
    values = np.repeat(PETS.values[None], len(y), axis=0)
    values[:, 2, :2] *= amount
    values[:, :2, 2] *= 0.3 + 0.1 * amount
    values[:, 0, 0] = 0.2 * amount[:, 0]
    return CaseCosts(values, PETS.classes, PETS.decisions)


def pets_by_amount(priors: Any = None, costs: CaseCosts | None = None) -> Any:
    """Journeys b and f: three classes, costs per case; two rules of each model, and decisions."""
    y, models = animals()
    said = {**models, "clerk": models["tree"].argmax(axis=1)}
    app = Application(PETS, priors=priors, unit="EUR", volume=1000, period="month")
    return evaluate(y, said, application=app, case_costs=costs or pet_bills(), rng=0)


@cache
def weighed() -> Any:
    """Scores of cases that count differently; few, since drawing them takes its time."""
    y, models = customers(700, 0.2)
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    app = Application(COSTS, unit="EUR", volume=250_000, period="year")
    return evaluate(y, models, application=app, sample_weight=weights, rng=0)


@cache
def grouped() -> Any:
    """Scores of cases that belong together."""
    y, models = customers()
    groups = np.random.default_rng(0).integers(0, 300, size=len(y))
    app = Application(COSTS, unit="EUR", volume=250_000, period="year")
    return evaluate(y, models, application=app, groups=groups, rng=0)


@cache
def text_of(journey: Any, **options: Any) -> str:
    """The page of a journey, made once."""
    text: str = journey().to_html(**options)
    return text


JOURNEYS = {
    "binary": binary,
    "pets": pets,
    "pets by amount": pets_by_amount,
    "decided": decided,
    "counted": counted,
    "uncertain": uncertain,
    "elsewhere": elsewhere,
    "by amount": by_amount,
    "weighed": weighed,
}
