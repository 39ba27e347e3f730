"""Names of the score columns: given, or from the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._names import as_names, listed, observed_names
from stakes.exceptions import LabelError
from stakes.typing import Name

__all__ = ["column_names"]


def column_names(
    labels: NDArray[Any], size: int, classes: Sequence[Any] | None
) -> tuple[Name, ...]:
    """Names of the score columns: given, or positions, or the sorted labels."""
    if classes is not None:
        names = as_names(classes, "classes")
    elif labels.dtype.kind in "iub":
        names = tuple(range(size))
        _refuse_strange_positions(labels, size)
    else:
        names = observed_names(labels)
    if len(names) == 1 and classes is None:
        raise LabelError(
            f"`y_true` holds a single class, {listed(names)}; the scores are about {size} "
            f"({labels.size} cases).",
            hint="add cases of the others; if they are missing by design, name all: classes=[...]",
        )
    if len(names) != size:
        raise LabelError(
            f"there are {size} score columns but {len(names)} classes {listed(names)}.",
            hint="name the columns in order: classes=[...]",
        )
    return names


def _refuse_strange_positions(labels: NDArray[Any], size: int) -> None:
    """Raise when integers cannot be positions of the score columns; say how to name those."""
    if not labels.size or (int(labels.min()) >= 0 and int(labels.max()) < size):
        return
    rows = np.flatnonzero((labels < 0) | (labels >= size))
    found = observed_names(labels)
    order = f"[{listed(found)}]" if len(found) == size else "[...]"
    raise LabelError(
        f"`y_true` holds {listed(found)}, which are not all positions of the score columns, 0 to "
        f"{size - 1}; first at row {rows[0]} ({rows.size} of {len(labels)} rows).",
        hint=f"name the score columns in order: classes={order}, as in Affine(classes={order})",
        rows=rows[:10].tolist(),
    )
