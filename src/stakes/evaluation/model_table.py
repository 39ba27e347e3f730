"""An evaluation as text: the table of its models, and the words under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.results import Frame

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


def model_table(ev: Evaluation) -> Frame:
    """One row per model, cheapest first."""
    ranked = sorted(ev.models, key=lambda model: model.cost)
    volume = ev.application.volume
    columns: dict[str, list[Any]] = {
        "model": [m.name for m in ranked],
        "nec": [m.nec for m in ranked],
        "low": [np.nan if m.interval is None else m.interval[0] for m in ranked],
        "high": [np.nan if m.interval is None else m.interval[1] for m in ranked],
        "recalibrated": [_or_nan(m.recalibrated_nec) for m in ranked],
        "best_on_data": [_or_nan(m.best_nec) for m in ranked],
        "threshold": [_or_nan(m.threshold) for m in ranked],
        "cost": [m.cost for m in ranked],
        "saving": [m.saving for m in ranked],
        "probability_best": [_or_nan(m.probability_best) for m in ranked],
    }
    if volume is not None:
        columns["total_saving"] = [m.saving * volume for m in ranked]
    return Frame(columns)


def as_text(ev: Evaluation) -> str:
    """The table, the verdict, remarks and notes."""
    table = [str(ev.frame()), ""]
    if ev.doubt is not None:
        table += [f"unknown: {ev.doubt.words}", str(ev.doubt.frame()), ""]
    lines = [*table, ev.verdict, *(f"! {remark}" for remark in ev.remarks)]
    return "\n".join(lines + [f"- {note}" for note in ev.notes])


def _or_nan(value: float | None) -> float:
    """A number, or nan for an absent one."""
    return np.nan if value is None else value
