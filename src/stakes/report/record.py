"""Findings as plain data, for JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes.report.application_record import application_record
from stakes.report.findings import Findings, ModelFinding

__all__ = ["record"]


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
