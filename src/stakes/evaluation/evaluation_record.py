"""An evaluation as plain data: what JSON, Markdown and the page are made from."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._checks import as_whole
from stakes.application import Application
from stakes.evaluation.model_table import plain_value, rows_of
from stakes.exceptions import DataError

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation
    from stakes.evaluation.model_evaluation import Stretch


def application_record(application: Application, data_priors: Any) -> dict[str, Any]:
    """Costs by name, priors, class shares of the data, unit and volume."""
    priors = application.priors
    return {
        "classes": [str(name) for name in application.classes],
        "decisions": [str(name) for name in application.decisions],
        "costs": application.costs.values.tolist(),
        "priors": None if priors is None else priors.tolist(),
        "data_priors": np.asarray(data_priors).tolist(),
        "unit": application.unit,
        "volume": application.volume,
        "period": application.period,
    }


#: The name and version of the form; `stakes.report.schema()` describes it.
_FORM = "stakes-evaluation-2"


# The record has a schema: docs/design/command-line.md.
def record_of(
    ev: Evaluation, facts: Mapping[str, Any] | None = None, costliest: int = 0
) -> dict[str, Any]:
    """The whole evaluation as dictionaries, lists, strings and numbers.

    Nothing is rounded; undefined and infinite values are None. Costs are per case, in the unit
    of the application.
    """
    app, naive = ev.application, ev.best_naive
    assert app.priors is not None
    facts = {**ev.facts, **plain_facts(facts)}
    return {
        "form": _FORM,
        "source": facts.get("source"),
        "inquiry": None if ev.inquiry is None else ev.inquiry.plain,
        "verdict": {
            "kind": ev.verdict_kind,
            "sentence": ev.verdict,
            "remarks": [remark.record() for remark in ev.remarks],
        },
        "best": ev.best,
        "cases": ev.n_cases,
        "kind": ev.kind,
        "positive": ev.positive,
        "application": application_record(app, ev.data_priors),
        "naive": {
            "decision": str(naive.decision),
            "cost": naive.cost,
            "avoidable_cost": naive.avoidable,
            **(
                {"shares": {str(name): share for name, share in naive.shares}}
                if naive.shares
                else {}
            ),
        },
        "models": rows_of(ev),
        "absent": dict(ev.absent),
        "differences": _differences(ev),
        "switches": _stretches(ev.switches),
        "ranges": _stretches(ev.ranges),
        "doubt": _doubt(ev),
        "challenge": None if ev.challenge is None else ev.challenge.record(),
        "capacity": None if ev.capacity is None else ev.capacity.record(),
        "level": ev.level,
        "too_few": ev.too_few,
        "notes": [note.record() for note in ev.notes],
        "warnings": [warning.record() for warning in ev.warnings],
        "slices": {name: record_of(part) for name, part in ev.slices.items()},
        "facts": facts,
        **_listed(ev, costliest),
    }


def _listed(ev: Evaluation, count: int) -> dict[str, Any]:
    """The costliest cases, only on request."""
    if not as_whole(count, "costliest_cases", least=0):
        return {}
    from stakes.evaluation.case_account import costliest_cases

    return {"costliest_cases": costliest_cases(ev, count)}


def plain_facts(facts: Mapping[str, Any] | None) -> dict[str, Any]:
    """The facts about where an evaluation comes from; raise if they cannot be JSON."""
    if not isinstance(facts, Mapping | None):
        raise DataError(
            f"`facts` must be a mapping from names; got {type(facts).__name__}.",
            hint='facts={"source": "churn.csv", "seed": 0}',
        )
    found = {}
    for key, value in (facts or {}).items():
        found[str(key)] = value.item() if isinstance(value, np.generic) else value
        try:
            json.dumps(found[str(key)], allow_nan=False)
        except (TypeError, ValueError):
            raise DataError(
                "`facts` must be text, finite numbers, or lists and mappings of them; "
                f"{str(key)!r} is {reprlib.repr(found[str(key)])}.",
                hint=f"say it as text: facts={{{str(key)!r}: str(...)}}",
            ) from None
    return found


def _differences(ev: Evaluation) -> list[dict[str, Any]]:
    """Every pair of models; pairs of confusion matrices as if on different cases."""
    if ev.comparison is not None and ev.comparison.too_few:
        return []
    return [
        {
            "first": str(found.first),
            "second": str(found.second),
            "value": found.value,
            "low": plain_value(found.low),
            "high": plain_value(found.high),
            "decided": found.decided,
            "cases_needed": plain_value(found.cases_needed),
        }
        for found in ev.differences
    ]


def _stretches(stretches: Iterable[Stretch]) -> list[dict[str, Any]]:
    """Ranges of cost ratios, each with one winner."""
    return [{"winner": s.winner, "low": s.low, "high": plain_value(s.high)} for s in stretches]


#: Figures of a model over the range of unknown costs and shares.
_OF_DOUBT = (
    "middle_nec", "middle_cost", "mean_nec", "mean_cost", "worst_regret", "kept_regret",
)  # fmt: skip


def _doubt(ev: Evaluation) -> dict[str, Any] | None:
    """The models over the range of unknown costs and shares; None if all are known."""
    doubt = ev.doubt
    if doubt is None:
        return None
    ends = zip(doubt.places, doubt.applications, doubt.winners, strict=True)
    return {
        "words": doubt.words,
        "unknown": doubt.unknown,
        "places": [
            {
                "words": words,
                "costs": app.costs.values.tolist(),
                "priors": None if app.priors is None else app.priors.tolist(),
                "winner": winner,
            }
            for words, app, winner in ends
        ],
        "models": [
            {
                "name": name,
                "nec": plain_value(tuple(doubt.nec[k])),
                "cost": plain_value(tuple(doubt.cost[k])),
                **{key: plain_value(getattr(doubt, key)[k]) for key in _OF_DOUBT},
            }
            for k, name in enumerate(doubt.models)
        ],
        "best_on_average": doubt.best_on_average,
        "safest": doubt.safest,
    }
