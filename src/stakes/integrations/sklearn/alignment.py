"""Classes of an estimator (sorted labels) against those of an application (as named there)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable

from stakes._names import encode
from stakes.application import Application, CostMatrix, as_application
from stakes.calibration import Automatic
from stakes.exceptions import PriorError
from stakes.typing import FloatArray, IntArray

__all__ = [
    "decision_array",
    "in_application_order",
    "in_class_order",
    "resolve",
    "rows_of",
    "shifted",
]


def resolve(application: Any, classes: NDArray[Any]) -> tuple[Application, IntArray]:
    """The application (0-1 costs if none) and the row in it of each class of the estimator."""
    if application is None:
        names = [name.item() if isinstance(name, np.generic) else name for name in classes]
        return Application(CostMatrix.zero_one(names)), np.arange(len(names))
    app = as_application(application)
    return app, np.asarray(encode(classes, app.classes, "y"), dtype=np.intp)


def in_class_order(calibrator: Any, classes: NDArray[Any]) -> Any:
    """A choice by the costs of an application, with its rows in the order of the classes.

    Calibrators are given positions of the sorted labels, which have no names.
    """
    by = calibrator.options["by"] if isinstance(calibrator, Automatic) else None
    names = classes.tolist()
    if not isinstance(by, Application) or set(by.classes) != set(names):
        return calibrator
    rows = [by.classes.index(name) for name in names]
    costs = CostMatrix(by.costs.values[rows], decisions=by.decisions)
    found = calibrator.unfitted()
    found.options["by"] = Application(costs, None if by.priors is None else by.priors[rows])
    return found


def in_application_order(
    probabilities: Any, codes: IntArray, app: Application
) -> NDArray[np.floating[Any]]:
    """Columns in the order of the application; a class the estimator never saw has probability 0.

    float32 stays float32, so that rows are judged by the rounding of their own type.
    """
    given = np.asarray(probabilities)
    given = given if given.dtype == np.float32 else given.astype(np.float64)
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
