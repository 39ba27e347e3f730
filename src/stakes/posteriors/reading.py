"""Posteriors as people bring them, with one column per class in the order of the costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_posterior_array
from stakes._names import listed
from stakes.exceptions import PosteriorError
from stakes.posteriors.posteriors import Posteriors
from stakes.typing import Name

__all__ = ["posterior_array"]


def posterior_array(posteriors: Any, classes: Sequence[Name]) -> NDArray[np.floating[Any]]:
    """Posteriors as an array whose columns are `classes`, in that order.

    Columns of a data frame that carry the names of the classes are put in order by name;
    with other names they are taken as they stand. A `Posteriors` with names must agree.
    """
    if isinstance(posteriors, Posteriors):
        names = posteriors.classes
        if names not in (tuple(range(len(names))), tuple(classes)):
            raise PosteriorError(
                f"`posteriors` has the classes {listed(names)}; the costs have {listed(classes)}.",
                hint="name the columns in the order of the costs: Posteriors(values, classes=...)",
            )
        return as_posterior_array(posteriors.values, len(classes))
    columns = _column_names(posteriors)
    array = as_posterior_array(posteriors, len(classes))
    if array.ndim == 2 and columns != list(classes) and _same_names(columns, classes):
        return array[:, [columns.index(name) for name in classes]]
    return array


def _column_names(table: Any) -> list[Any]:
    """The column names of a data frame, or nothing."""
    for attribute in ("column_names", "columns"):
        names = getattr(table, attribute, None)
        if names is not None and not callable(names):
            return list(names)
    return []


def _same_names(columns: list[Any], classes: Sequence[Name]) -> bool:
    """Whether the columns are called as the classes are, in whatever order."""
    return len(columns) == len(classes) and all(name in columns for name in classes)
