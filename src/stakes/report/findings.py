"""Findings: what an evaluation found, before anybody shows it, and as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.application import Application
from stakes.evaluation.evaluation_record import application_record
from stakes.exceptions import UndefinedError
from stakes.metrics import cost_by_cell, normalized_expected_cost
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.uncertainty import Comparison


@dataclass(frozen=True, slots=True)
class ModelFinding:
    """What one model's decisions cost; made by `judge`.

    `cells` is the cost per case by true class (rows) and decision (columns) at the priors
    that count; `cost` is their sum. `nec` is None where it is undefined. `interval` is None
    as long as nobody has computed one, and so is `recalibrated`, the NEC after cross-fitted
    calibration.
    """

    name: str
    confusion: ConfusionMatrix
    cells: FloatArray
    cost: float
    nec: float | None
    rule: str | None = None
    threshold: float | None = None
    interval: tuple[float, float] | None = None
    recalibrated: float | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """All models side by side, at one application; made from the parts that `judge` returns.

    `application` has its priors filled in. `data_priors` are the shares in the data, which
    differ from those when a prevalence was given. `comparison` says whether the best model
    can be told from the others, where that was asked. `costs_said` are the costs as sentences;
    `notes` say what was assumed, `warnings` what looks wrong, `facts` how it was computed;
    `verdict` and `remarks` what to do. `evaluation` is what all of it was made from.
    `joint` is what all models decided together, where that is known without the rows.
    """

    source: str
    n_cases: float
    application: Application
    data_priors: FloatArray
    naive_decision: str
    naive_cost: float
    models: tuple[ModelFinding, ...]
    class_counts: FloatArray
    positive: str | None = None
    kind: str = "decisions"
    comparison: Comparison | None = None
    costs_said: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""
    remarks: tuple[str, ...] = ()
    evaluation: Any = None
    joint: Any = None
    group_names: tuple[str, ...] | None = None

    @property
    def best(self) -> ModelFinding:
        """The model that costs least; between equals the one named first."""
        return min(self.models, key=lambda model: model.cost)

    @property
    def ranked(self) -> tuple[ModelFinding, ...]:
        """The models, cheapest first."""
        return tuple(sorted(self.models, key=lambda model: model.cost))

    def best_in(self, model: ModelFinding) -> float | None:
        """Probability that a model is the best; None where models were not compared."""
        if self.comparison is None:
            return None
        return float(self.comparison.probability_best[self.comparison.systems.index(model.name)])

    def saving(self, model: ModelFinding) -> float:
        """What a model saves per case against the best decision that ignores it."""
        saved = self.naive_cost - model.cost
        return 0.0 if abs(saved) <= 1e-12 * abs(self.naive_cost) else saved

    def per_thousand(self, model: ModelFinding) -> FloatArray:
        """Cases by true class and decision, out of 1000 where the system will run."""
        assert self.application.priors is not None
        rates = np.nan_to_num(model.confusion.rates, nan=0.0)
        return np.asarray(1000 * self.application.priors[:, None] * rates)

    def costliest(self, model: ModelFinding, limit: int = 5) -> list[tuple[str, str, float, float]]:
        """The cells that cost most: truth, decision, cost per case, share of the total."""
        gross = float(np.abs(model.cells).sum())
        order = np.argsort(-np.abs(model.cells), axis=None, kind="stable")[:limit]
        app, n_decisions = self.application, model.cells.shape[1]
        return [
            (
                str(app.classes[k // n_decisions]),
                str(app.decisions[k % n_decisions]),
                float(model.cells.flat[k]),
                abs(float(model.cells.flat[k])) / gross,
            )
            for k in order.tolist()
            if model.cells.flat[k] != 0
        ]

    def frame(self) -> Frame:
        """One row per model, cheapest first: model, nec, cost, saving, act when."""
        volume = self.application.volume
        columns: dict[str, list[Any]] = {
            "model": [model.name for model in self.ranked],
            "nec": [np.nan if model.nec is None else model.nec for model in self.ranked],
            "cost": [model.cost for model in self.ranked],
            "saving": [self.saving(model) for model in self.ranked],
        }
        if volume is not None:
            columns["total_saving"] = [self.saving(m) * volume for m in self.ranked]
        columns["act_when"] = [model.rule or "" for model in self.ranked]
        return Frame(columns)


def judge(
    confusion: ConfusionMatrix,
    application: Application,
    *,
    name: str,
    rule: str | None = None,
    threshold: float | None = None,
) -> ModelFinding:
    """What one model's decisions cost at this application.

    Lower is better. The priors of the application, or else those of the data, weigh the
    classes.

    Parameters
    ----------
    confusion : ConfusionMatrix
        What was decided, over the names of the application.
    application : Application
        Costs and priors.
    name : str
        What to call the model.
    rule, threshold : str and float, optional
        How the decisions were taken, e.g. ``"p > 0.091"`` and 0.091.

    Returns
    -------
    ModelFinding
        Cost per case in the unit of the costs, its parts, and the NEC (None where the best
        naive decision is already perfect, so that the NEC is undefined).

    Examples
    --------
    >>> finding = judge(ConfusionMatrix([[90, 5], [1, 4]]), Application([[0, 1], [10, 0]]),
    ...                 name="gbm")
    >>> round(finding.cost, 2), round(finding.nec, 2)
    (0.15, 0.3)
    """
    shares = cost_by_cell(confusion, application)
    try:
        nec: float | None = normalized_expected_cost(confusion, application=application)
    except UndefinedError:
        nec = None
    return ModelFinding(
        name=name,
        confusion=confusion,
        cells=shares.costs.reshape(application.costs.shape),
        cost=shares.total,
        nec=nec,
        rule=rule,
        threshold=threshold,
    )


def record(findings: Findings) -> dict[str, Any]:
    """Everything that was found, as dictionaries, lists, strings and numbers.

    For programs: nothing is rounded, and undefined numbers are None.

    Parameters
    ----------
    findings : Findings
        All models at one application.

    Returns
    -------
    dict
        Ready for `json.dumps`. Costs are per case, in the unit of the application.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> from stakes.report import Findings, judge
    >>> app = Application([[0, 1], [10, 0]], priors=[0.95, 0.05])
    >>> cm = ConfusionMatrix([[90, 5], [1, 4]])
    >>> found = Findings("t.csv", 100, app, cm.priors, "0", 0.5,
    ...                  (judge(cm, app, name="gbm"),), cm.class_totals)
    >>> record(found)["models"][0]["name"]
    'gbm'
    """
    app = findings.application
    return {
        "source": findings.source,
        "cases": findings.n_cases,
        "kind": findings.kind,
        "positive": findings.positive,
        "application": application_record(app, findings.data_priors),
        "naive": {"decision": findings.naive_decision, "cost": findings.naive_cost},
        "best": findings.best.name,
        "verdict": findings.verdict,
        "remarks": list(findings.remarks),
        "models": [_model(findings, model) for model in findings.ranked],
        "notes": list(findings.notes),
        "warnings": list(findings.warnings),
        "facts": dict(findings.facts),
    }


def _finite(number: float | None) -> float | None:
    """A number that JSON can hold, or None."""
    return number if number is not None and math.isfinite(number) else None


def _model(findings: Findings, model: ModelFinding) -> dict[str, Any]:
    """One model as plain data."""
    volume = findings.application.volume
    saving = findings.saving(model)
    return {
        "name": model.name,
        "nec": model.nec,
        "best_in": findings.best_in(model),
        "interval": None if model.interval is None else list(model.interval),
        "recalibrated": _finite(model.recalibrated),
        "cost": model.cost,
        "saving": saving,
        "total_saving": None if volume is None else saving * volume,
        "rule": model.rule,
        "threshold": _finite(model.threshold),
        "counts": model.confusion.counts.tolist(),
        "cost_by_cell": np.asarray(model.cells).tolist(),
    }
