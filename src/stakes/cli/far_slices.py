"""Parts of files that stay where they are, called and put together as in memory."""

from __future__ import annotations

import numpy as np

from stakes.cli.cells import as_labels
from stakes.engines import Reduction
from stakes.engines.panels import Part

__all__ = ["NO_VALUE", "with_names"]

#: What the part of the cases without a value is called.
NO_VALUE = "(empty)"


def with_names(found: Reduction) -> Reduction:
    """The same counts by the names of parts: 1 and 1.0 are one, and so is all that is no value.

    The values are few where the cases were many, so that engines need not look at each cell.
    """
    columns = []
    for values in zip(*found.slices, strict=True):
        cells = np.empty(len(values), dtype=object)
        cells[:] = values
        labels = as_labels(cells)
        names = [*labels.names, NO_VALUE]
        columns.append([names[code] for code in labels.codes.tolist()])
    parts: dict[tuple[str, ...], Part] = {}
    for key, part in zip(zip(*columns, strict=True), found.parts.values(), strict=True):
        parts[key] = parts[key] + part if key in parts else part
    return Reduction(found.request, found.kinds, parts)
