"""`evaluate_frame` on sources: its keywords as the words of an inquiry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from stakes.application import Application, CostMatrix, as_application
from stakes.evaluation.evaluation import Evaluation
from stakes.exceptions import CostError, DataError
from stakes.inquiry.inquiry_form import Inquiry
from stakes.inquiry.ranges import answer
from stakes.sources.source import Source
from stakes.sources.table import Table


def evaluate_source(
    source: Source,
    *,
    label: str,
    application: Any,
    posteriors: Any = None,
    decisions: Any = None,
    positive: Any = None,
    by: Any = None,
    case_costs: Mapping[str, Any] | None = None,
    sample_weight: str | None = None,
    min_cases: int = 10,
) -> Evaluation:
    """Judge the models in the rows of a source; see `stakes.evaluate_frame`."""
    if not isinstance(application, (Application, CostMatrix)):
        raise CostError(
            f"rows of a source are judged at an Application or a CostMatrix; got "
            f"{type(application).__name__}.",
            hint='costs per case are formulas: case_costs={"fn": "amount", "fp": "10"}',
        )
    app = as_application(application)
    source, scores = _named(source, posteriors)
    source, taken = _named(source, decisions)
    asked: dict[str, Any] = {"costs": app}
    if case_costs is not None:
        asked = {"cost": dict(case_costs), "unit": app.unit, "volume": _volume(app)}
        asked["prevalence"] = _shares(app)
    single = len(app.classes) == 2 and not _by_class(scores, app)
    return answer(
        Inquiry(
            source=source,
            label=label,
            positive=None if positive is None else str(positive),
            scores=",".join(scores) if single else None,
            proba=None if single else ",".join(scores),
            decisions=",".join(taken),
            weight=sample_weight,
            by=_only(by),
            min_cases=min_cases,
            **asked,
        )
    )


def _named(source: Source, models: Any) -> tuple[Source, tuple[str, ...]]:
    """The columns of the models; in memory, columns may get the names that models have."""
    if models is None:
        return source, ()
    if not isinstance(models, Mapping):
        return source, (models,) if isinstance(models, str) else tuple(models)
    if not all(isinstance(column, str) for column in models.values()):
        raise DataError("a model of a source is one column.", hint='posteriors={"gbm": "gbm_p"}')
    new = {name: column for name, column in models.items() if name != column}
    if new and not isinstance(source, Table):
        raise DataError(
            "models in files that stay where they are are called after their columns.",
            hint=f"posteriors={list(models.values())!r}",
        )
    if isinstance(source, Table):
        getters = [source.getters[source.position(column)] for column in new.values()]
        names = (*source.names, *new)
        source = replace(source, names=names, getters=(*source.getters, *getters))
    return source, tuple(models)


def _by_class(columns: Sequence[str], app: Application) -> bool:
    """Whether columns are one for each class rather than one for each model."""
    names = [str(name) for name in app.classes]
    return len(columns) == len(names) and all(
        any(column.endswith(name) for column in columns) for name in names
    )


def _only(by: Any) -> str | None:
    """The one column that parts the rows."""
    if by is None or isinstance(by, str):
        return by
    if len(by) != 1:
        raise DataError(f"rows of a source are parted by one column; got {len(by)}.")
    return str(by[0])


def _volume(app: Application) -> str | None:
    """Cases in a period, as they are typed."""
    if app.volume is None:
        return None
    return f"{app.volume:.15g}" + (f"/{app.period}" if app.period else "")


def _shares(app: Application) -> str | None:
    """The share of each class, as they are typed."""
    if app.priors is None:
        return None
    pairs = zip(app.classes, app.priors.tolist(), strict=True)
    return ",".join(f"{name}={share!r}" for name, share in pairs)
