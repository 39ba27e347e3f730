"""Classes and costs of an application under the names of an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable

from stakes._checks import as_posterior_array
from stakes._columns import as_reals, as_weights
from stakes._names import encode
from stakes.application import Application, CaseCosts, CostMatrix, as_application
from stakes.application.application import refuse_paid_errors
from stakes.calibration import Automatic, Calibrator
from stakes.exceptions import CostError, DataError, PriorError
from stakes.metrics import case_cost, expected_cost, normalized_expected_cost
from stakes.typing import FloatArray, IntArray


def resolve(application: Any, classes: NDArray[Any]) -> tuple[Application, IntArray]:
    """The application (0-1 costs if none) and the row in it of each class of the estimator."""
    if application is None:
        names = [name.item() if isinstance(name, np.generic) else name for name in classes]
        return Application(CostMatrix.zero_one(names)), np.arange(len(names))
    app = as_application(application)
    refuse_paid_errors(app)
    return app, np.asarray(encode(classes, app.classes, "y"), dtype=np.intp)


def unfitted(calibrator: Any, classes: NDArray[Any], folds: int) -> Calibrator:
    """A fresh copy of a calibrator; "auto" is the automatic choice, with `folds` folds.

    Calibrators are given positions of the sorted labels, which have no names; a choice by the costs
    of an application has its rows put into that order.
    """
    if isinstance(calibrator, str) and calibrator == "auto":
        return Automatic(folds=folds)
    if not isinstance(calibrator, Calibrator):
        raise DataError(f"`calibrator` must be a Calibrator or 'auto'; got {calibrator!r}.")
    found = calibrator.unfitted()
    by = found.options["by"] if isinstance(found, Automatic) else None
    if isinstance(by, Application) and set(by.classes) == set(classes.tolist()):
        rows = [by.classes.index(name) for name in classes.tolist()]
        costs = CostMatrix(by.costs.values[rows], decisions=by.decisions)
        found.options["by"] = Application(costs, None if by.priors is None else by.priors[rows])
    return found


def in_application_order(
    probabilities: Any, codes: IntArray, app: Application
) -> NDArray[np.floating[Any]]:
    """Columns in the order of the application; a class the estimator never saw has probability 0.

    Small types are kept, so that rows are judged by the rounding of their own type.
    """
    given = as_posterior_array(probabilities)
    if given.ndim == 1:
        given = np.column_stack([1 - given, given])
    if codes.shape[0] == len(app.classes) and (codes == np.arange(codes.shape[0])).all():
        return given
    full = np.zeros((given.shape[0], len(app.classes)), dtype=given.dtype)
    full[:, codes] = given
    return full


def shifted(
    posteriors: NDArray[Any], target: FloatArray, old: FloatArray, classes: Sequence[Any]
) -> NDArray[Any]:
    """Posteriors moved from the `old` class shares to those of `target`; see `shift_priors`."""
    unseen = (old == 0) & (target > 0)
    if unseen.any():
        raise PriorError(
            f"class {classes[int(np.flatnonzero(unseen)[0])]!r} has no case in the training data "
            f"but a prior of {target[unseen][0]:g}; posteriors cannot be moved there.",
            hint="bring cases of it, or give it a prior of 0",
        )
    factors = np.divide(target, old, out=np.zeros(len(old)), where=old > 0)
    moved = posteriors.astype(np.float64) * factors
    sums = moved.sum(axis=1, keepdims=True)
    if (sums == 0).any():
        raise PriorError("some cases belong, for certain, to classes with a new prior of 0.")
    return np.asarray(moved / sums)


def decision_array(names: tuple[Any, ...], classes: NDArray[Any] | None = None) -> NDArray[Any]:
    """Decision names as an array to take from: of the type of the labels where it can hold them."""
    if classes is not None and list(names) == list(classes):
        return np.asarray(classes)
    if len({type(name) for name in names}) == 1:
        return np.asarray(names)
    mixed = np.empty(len(names), dtype=object)
    mixed[:] = names
    return mixed


def rows_of(values: Any, rows: IntArray) -> Any:
    """Some rows of an array, a sparse matrix, a frame or a list."""
    values = np.asarray(values) if isinstance(values, (list, tuple)) else values
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return indexable(values)[0][rows]


def as_case_costs(costs: Any, app: Application) -> CaseCosts:
    """Costs per case in the order, and under the names, of the application."""
    names = (app.classes, app.decisions)
    if not isinstance(costs, CaseCosts):
        return CaseCosts(_of_shape(as_reals(costs, "costs", CostError), app), *names)
    values = _of_shape(costs.values, app)
    if (costs.classes, costs.decisions) == names:
        return costs
    for axis, (own, wanted) in enumerate(
        zip((costs.classes, costs.decisions), names, strict=True), start=1
    ):
        if set(own) == set(wanted):
            values = np.take(values, [own.index(name) for name in wanted], axis=axis)
        elif own != tuple(range(len(own))):
            raise CostError(
                f"`costs` names {list(own)}, the application {list(wanted)}.",
                hint="name both alike, or give the plain array costs.values",
            )
    return CaseCosts(values, *names)


def cost_per_case(
    app: Application,
    y: Any,
    decisions: Any,
    *,
    sample_weight: Any = None,
    costs: Any = None,
    normalized: bool = False,
) -> float:
    """(Normalised) expected cost of decisions; with `costs`, of cases that have their own."""
    if costs is None:
        measure = normalized_expected_cost if normalized else expected_cost
        return measure(y, decisions, application=app, sample_weight=sample_weight)
    table = as_case_costs(costs, app)
    if sample_weight is not None:
        table = _weighted(table, y, sample_weight, app)
    found = case_cost(y, decisions, costs=table, priors=app.priors)
    return found.normalized if normalized else found.per_case


def _of_shape(values: Any, app: Application) -> Any:
    """Values as they are, if there is one table of the right shape per case."""
    shape = (len(app.classes), len(app.decisions))
    if values.ndim != 3 or values.shape[1:] != shape:
        raise CostError(
            f"`costs` must have shape (n_cases, {shape[0]}, {shape[1]}), one table per case; got "
            f"{values.shape}."
        )
    return values


def _weighted(table: CaseCosts, y: Any, sample_weight: Any, app: Application) -> CaseCosts:
    """Costs times weights that average to 1: over all cases, or in each class if priors count."""
    weights = np.asarray(as_weights(sample_weight, len(table)))
    if app.priors is None:
        factors = weights / np.mean(weights)
    else:
        codes = np.asarray(encode(y, table.classes, "y_true"), dtype=np.intp)
        counts, mass = (np.bincount(codes, w, len(table.classes)) for w in (None, weights))
        weightless = (mass == 0) & (counts > 0) & (app.priors > 0)
        if weightless.any():
            name = table.classes[int(np.argmax(weightless))]
            raise DataError(
                f"`sample_weight` is zero for every case of {name!r}, which has a prior."
            )
        factors = weights * np.divide(counts, mass, out=np.zeros(len(mass)), where=mass > 0)[codes]
    return CaseCosts(table.values * factors[:, None, None], table.classes, table.decisions)
