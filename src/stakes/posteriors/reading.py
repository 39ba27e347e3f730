"""Posteriors as people bring them, with one column per class in the order of the costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_posterior_array
from stakes._names import listed
from stakes.exceptions import PosteriorError
from stakes.posteriors.class_order import ClassOrder, named_places
from stakes.posteriors.posteriors import Posteriors
from stakes.typing import Name

__all__ = ["column_place", "in_class_order", "posterior_array", "read_posteriors"]


def posterior_array(
    posteriors: Any, classes: Sequence[Name], order: ClassOrder | None = None
) -> NDArray[np.floating[Any]]:
    """Posteriors as an array whose columns are `classes`, in that order.

    `Posteriors` with names, and columns of a data frame that are called like the classes, are
    matched by name. What carries no names is read as `ClassOrder` says.
    """
    known = ClassOrder() if order is None else order
    if isinstance(posteriors, Posteriors):
        read = in_class_order(posteriors, classes, known)
        exact = read.values if read.given is None else read.given
        return as_posterior_array(exact, len(classes))
    array = as_posterior_array(posteriors, len(classes))
    if array.ndim == 1:
        return array if column_place(posteriors, classes, known) == 1 else 1 - array
    places = named_places(posteriors, classes)
    if places is None:
        places = known.places(classes)
    return _taken(array, places)


def read_posteriors(
    posteriors: Any, classes: Sequence[Name], order: ClassOrder | None = None
) -> Posteriors:
    """The same as `Posteriors`, with the names of the classes."""
    if isinstance(posteriors, Posteriors):
        return in_class_order(posteriors, classes, order)
    return Posteriors(posterior_array(posteriors, classes, order), classes=tuple(classes))


def in_class_order(
    posteriors: Posteriors, classes: Sequence[Name], order: ClassOrder | None = None
) -> Posteriors:
    """The same posteriors with their columns in the order of `classes`, and these names."""
    names, wanted = posteriors.classes, tuple(classes)
    if len(names) != len(wanted):
        raise PosteriorError(
            f"`posteriors` must have shape (n, {len(wanted)}), one column per class; got "
            f"{len(names)} columns."
        )
    positions = tuple(range(len(names)))
    places: list[int] | None
    if posteriors.named and set(names) == set(wanted):
        places = [names.index(name) for name in wanted]
    elif not posteriors.named or names == positions:
        places = (ClassOrder() if order is None else order).places(wanted)
    else:
        raise PosteriorError(
            f"`posteriors` has the classes {listed(names)}; the costs have {listed(wanted)}.",
            hint="name the columns like the classes: Posteriors(values, classes=...)",
        )
    given = None if posteriors.given is None else _taken(posteriors.given, places)
    return Posteriors._made(_taken(posteriors.log_values, places), wanted, given)


def _taken(array: NDArray[Any], places: list[int] | None) -> NDArray[Any]:
    """Some columns of an array; the array itself where they are in order."""
    if places is None or places == list(range(len(places))):
        return array
    return np.asarray(array[:, places])


def column_place(column: Any, classes: Sequence[Name], order: ClassOrder) -> int:
    """Which of two classes a single column speaks of; one of a frame may be called like it."""
    called = getattr(column, "name", None)
    if order.positive is None and isinstance(called, str) and called in classes:
        return list(classes).index(called)
    return order.place(classes)
