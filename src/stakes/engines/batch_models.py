"""Models of one batch, told apart by their type alone: what they decide, bins of their scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_posterior_array, refuse_bad_posteriors, same_length
from stakes._columns import as_column
from stakes._kernels.bayes_rule import cuts, thresholds
from stakes._names import encode
from stakes.application import Application, CaseCosts
from stakes.decisions import bayes_decisions
from stakes.decisions.bayes import moved_decisions
from stakes.engines.bins import Bins
from stakes.exceptions import DataError, PosteriorError, PriorError
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder, column_place
from stakes.posteriors.posteriors import posterior_array
from stakes.rules import DecisionRule
from stakes.typing import FloatArray


def read_model(
    said: Any, name: str, app: Application, n_cases: int, order: ClassOrder
) -> NDArray[Any]:
    """(n, K) posteriors, or (n,) codes of decisions: floats are posteriors, all else is decided."""
    array = said.values if isinstance(said, Posteriors) else np.asarray(said)
    if array.dtype == object and array.ndim == 1 and array.size and isinstance(array[0], float):
        array = as_column(said, name)  # floats in a column that could hold anything
    posteriors: NDArray[Any]
    if array.ndim == 2 and array.shape[1] > 1:
        with _of(name):
            if not isinstance(said, Posteriors):  # what it is comes before whose it is
                refuse_bad_posteriors(as_posterior_array(said, len(app.classes)))
            posteriors = posterior_array(said, app.classes, order)
    elif array.dtype.kind == "f":
        if len(app.classes) != 2:
            raise DataError(
                f"model {name!r} is one column of floats, but there are {len(app.classes)} "
                "classes.",
                hint="posteriors have one column per class; decisions are names or integers",
            )
        with _of(name):
            second = as_posterior_array(as_column(said, name), 2)
            refuse_bad_posteriors(second)
            if column_place(said, app.classes, order) == 0:
                second = 1 - second
        posteriors = np.empty((second.shape[0], 2), dtype=second.dtype)
        posteriors[:, 1] = second
        np.subtract(1, second, out=posteriors[:, 0])
    else:
        codes = encode(said, app.decisions, name)
        same_length("y_true", n_cases, name, codes.shape[0])
        return codes
    same_length("y_true", n_cases, name, posteriors.shape[0])
    return posteriors


def decisions_of(
    said: NDArray[Any], app: Application, said_at: FloatArray | None, case_costs: CaseCosts | None
) -> NDArray[Any]:
    """Decisions as given, or the Bayes decisions of posteriors that were made for `said_at`."""
    if said.ndim == 1:
        return said
    if app.priors is not None:
        if said_at is None:
            raise PriorError(
                "the application has priors, so I need to know the base rate that the "
                "posteriors were made for.",
                hint="Stream(app, posterior_priors=[...]); app.priors when they already hold there",
            )
        if not np.array_equal(app.priors, said_at):
            if case_costs is None and (app.priors > 0).all() and (said_at > 0).all():
                return moved_decisions(said, app.costs, app.priors, said_at)
            said = Posteriors(said).with_priors(app.priors, old=said_at).values
    table = app.costs if case_costs is None else case_costs
    return bayes_decisions(said, table, classes=table.classes)


@contextmanager
def _of(name: str) -> Iterator[None]:
    """Say which model it is whose posteriors are refused."""
    try:
        yield
    except PosteriorError as error:
        raise PosteriorError(
            f"model {name!r}: {error.message}", hint=error.hint, rows=error.rows
        ) from None


def score_edges_of(app: Application, said_at: FloatArray | None, n_bins: int) -> FloatArray:
    """Fine bins of a posterior, with the cuts of the Bayes rule among the edges, in any type."""
    positive = said_at is None or (said_at > 0).all()
    rule = DecisionRule(application=app, from_priors=said_at if positive else None)
    found, kinds = rule.stretches, ("float64", "float32")
    every = [*(thresholds(found, kind) for kind in kinds), *(cuts(found, kind) for kind in kinds)]
    return Bins.fitting(n_bins, [cut for at in every for cut in at]).edges
