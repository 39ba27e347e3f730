"""An evaluation with everything around it that is printed: where it came from, what was assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes.cli.place import texts
from stakes.evaluation import Evaluation, ModelEvaluation
from stakes.report import Findings, ModelFinding

__all__ = ["findings_from"]

#: Notes of an evaluation that the command line says in words of its own.
SAID_OTHERWISE = ("class shares are", "posteriors were moved", "these are counts", "all are judged")


def findings_from(
    ev: Evaluation,
    *,
    source: str,
    kind: str,
    class_counts: Any,
    costs_said: Sequence[str],
    notes: Sequence[str],
    warnings: Sequence[str],
    facts: dict[str, Any],
) -> Findings:
    """Findings from an evaluation; its own notes come after those given."""
    classes = texts(ev.application.classes)
    naive_cost = ev.application.naive_cost if ev.naive is None else ev.naive.cost
    own = [note for note in ev.notes if not note.startswith(SAID_OTHERWISE)]
    return Findings(
        source=source,
        n_cases=ev.n_cases,
        application=ev.application,
        data_priors=ev.data_priors,
        naive_decision=str(ev.naive_decision),
        naive_cost=naive_cost,
        models=tuple(_model(model) for model in ev.models),
        class_counts=np.asarray(class_counts),
        positive=classes[1] if len(classes) == 2 else None,
        kind=kind,
        comparison=ev.comparison,
        costs_said=tuple(costs_said),
        notes=(*notes, *own),
        warnings=tuple(warnings),
        facts=facts,
        verdict=ev.verdict,
        remarks=ev.remarks,
        evaluation=ev,
    )


def _model(model: ModelEvaluation) -> ModelFinding:
    """One model as it is printed."""
    assert model.cells is not None
    return ModelFinding(
        name=model.name,
        confusion=model.confusion,
        cells=model.cells,
        cost=model.cost,
        nec=None if math.isnan(model.nec) else model.nec,
        rule=model.rule,
        threshold=model.threshold,
        interval=model.interval,
        recalibrated=model.recalibrated_nec,
    )
