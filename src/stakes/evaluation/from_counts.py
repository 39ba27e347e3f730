"""Evaluation of confusion matrices alone, when nobody has the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes.application import Application
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.from_rows import shortage_of
from stakes.evaluation.judging import Variant, priced
from stakes.evaluation.models import refuse_same_names
from stakes.evaluation.parts import ModelEvaluation
from stakes.evaluation.switching import ranges_of_counts
from stakes.exceptions import DataError, StakesError
from stakes.summaries import ConfusionMatrix
from stakes.uncertainty import Difference, interval

__all__ = ["UNSHARED", "evaluated_counts"]

#: What to know about differences between confusion matrices.
UNSHARED = "counts do not tell which cases are shared: differences are as if none were"


def evaluated_counts(
    tables: Mapping[Any, ConfusionMatrix],
    given: Application,
    options: dict[str, Any],
) -> Evaluation:
    """Judge tables of counts at the priors of the application, or else of the first of them."""
    refuse_same_names(tables)
    ordered = {str(name): _ordered(table, given, str(name)) for name, table in tables.items()}
    first = next(iter(ordered.values()))
    app = given.with_priors(given.resolved_priors(first.priors))
    notes = ["these are counts of decisions: no threshold can be moved"]
    sampled = given
    if given.priors is None:
        others = [n for n, t in ordered.items() if not np.allclose(t.priors, first.priors)]
        if others:
            sampled = app  # intervals at the same shares for all
            notes.append(f"all are judged at the class shares of {next(iter(ordered))}")
    if len(ordered) > 1:
        notes.append(UNSHARED)
    judged = {name: priced(table, app) for name, table in ordered.items()}
    least = np.min([table.class_totals for table in ordered.values()], axis=0)
    models = tuple(_summed(n, v, sampled, app, options) for n, v in judged.items())
    return Evaluation(
        application=app,
        models=models,
        n_cases=float(first.total),
        data_priors=first.priors,
        ranges=ranges_of_counts(ordered, app),
        too_few=shortage_of(least, app, options["min_cases"]),
        notes=tuple(notes),
        level=options["level"],
        unpaired=tuple(_unpaired(models, float(first.total), options["level"])),
    )


def _unpaired(
    models: tuple[ModelEvaluation, ...], cases: float, level: float
) -> Iterator[Difference]:
    """Every pair as if on cases of its own, limits from those of each (Zou and Donner 2008).

    Tables do not tell which cases they share; on the same cases, systems mostly err together,
    and the difference is surer than this.
    """
    for one, other in combinations(sorted(models, key=lambda model: model.cost), 2):
        if one.interval is None or other.interval is None:
            continue
        value = one.nec - other.nec
        below = math.hypot(one.nec - one.interval[0], other.interval[1] - other.nec)
        above = math.hypot(one.interval[1] - one.nec, other.nec - other.interval[0])
        half = (below + above) / 2
        z = NormalDist().inv_cdf((1 + level) / 2)
        p_value = 2 * NormalDist().cdf(-abs(value) * z / half) if half else float(value == 0)
        needed = math.inf if value == 0 else cases * (half / value) ** 2
        yield Difference(
            one.name,
            other.name,
            value,
            value - below,
            value + above,
            p_value,
            p_value,
            False,
            level,
            None,
            needed,
        )


def _ordered(table: ConfusionMatrix, app: Application, name: str) -> ConfusionMatrix:
    """The counts in the order of the application; decisions that never occur are added."""
    if set(table.classes) != set(app.classes) or not set(table.decisions) <= set(app.decisions):
        raise DataError(
            f"{name!r} counts {list(table.classes)} by {list(table.decisions)}; the application "
            f"has {list(app.classes)} by {list(app.decisions)}."
        )
    counts = np.zeros(app.costs.shape, dtype=table.counts.dtype)
    rows = [table.classes.index(outcome) for outcome in app.classes]
    for j, decision in enumerate(app.decisions):
        if decision in table.decisions:
            counts[:, j] = table.counts[rows, table.decisions.index(decision)]
    return ConfusionMatrix(counts, app.classes, app.decisions)


def _summed(
    name: str, variant: Variant, sampled: Application, app: Application, options: dict[str, Any]
) -> ModelEvaluation:
    """One table with its cost and interval."""
    standard = app.with_costs(app.costs.standardized())
    defined = not math.isnan(variant.nec)
    return ModelEvaluation(
        name=name,
        kind="decisions",
        confusion=variant.confusion,
        cost=variant.cost,
        nec=variant.nec,
        saving=standard.naive_cost * (1 - variant.nec) if defined else 0.0,
        interval=_interval(variant, sampled, options) if defined else None,
        probability_best=None,
        threshold=None,
        cells=variant.cells,
    )


def _interval(
    variant: Variant, sampled: Application, options: dict[str, Any]
) -> tuple[float, float] | None:
    """The interval of the NEC; None for weights and for too few cases."""
    try:
        found = interval(
            variant.confusion, "normalized_expected_cost", application=sampled, **options
        )
    except StakesError:
        return None  # weights do not tell how many cases there were
    return None if found.too_few else (found.low, found.high)
