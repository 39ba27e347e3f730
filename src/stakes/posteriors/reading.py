"""Posteriors as people bring them, with one column per class in the order of the costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_posterior_array, by_class_name
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
    return by_class_name(as_posterior_array(posteriors, len(classes)), posteriors, classes)
