"""What scores must be before they are counted: of two classes, with a prior, within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._columns import as_column
from stakes._names import as_names, encode, listed, observed_names
from stakes.exceptions import DataError, LabelError, PriorError
from stakes.summaries.ranked_scores import ScoreKind
from stakes.typing import Name

__all__ = ["checked_prior", "refuse_outside", "second_class_of"]


def second_class_of(
    y_true: Any, classes: Sequence[Any] | None
) -> tuple[NDArray[np.bool_], tuple[Name, ...]]:
    """Which cases are of the second class, and the names of both."""
    column = as_column(y_true, "y_true")
    if classes is not None:
        names = as_names(classes, "classes")
    elif column.dtype == bool:
        return column, (False, True)
    elif column.dtype.kind in "iuf" and column.size and column.min() >= 0 and column.max() <= 1:
        names = (0, 1)
    else:
        names = observed_names(column)
    if len(names) != 2:
        raise LabelError(
            f"`y_true` must have two classes; got {len(names)}: {listed(names)}.",
            hint="give both: classes=['no', 'yes'], the one that high scores speak for second; "
            "for more classes see stakes.summaries.one_vs_rest",
        )
    codes = encode(column, names, "y_true")
    return codes.view(np.bool_) if codes.dtype.itemsize == 1 else codes != 0, names


def checked_prior(prior: float | None, kind: ScoreKind) -> float | None:
    """The prior that scores contain, when it can be one."""
    if prior is None:
        return None
    if kind not in ("log_odds", "posterior"):
        raise PriorError(f"`prior` has no meaning for scores of kind {kind!r}.")
    if not 0 < prior < 1:
        raise PriorError(f"`prior` must lie between 0 and 1; got {prior!r}.")
    return float(prior)


def refuse_outside(scores: NDArray[np.floating[Any]]) -> None:
    """Raise when posteriors are not probabilities."""
    if scores.size and not (scores.min() >= 0 and scores.max() <= 1):
        rows = np.flatnonzero((scores < 0) | (scores > 1))
        raise DataError(
            f"`scores` of kind 'posterior' must lie between 0 and 1; row {rows[0]} is "
            f"{scores[rows[0]]:g} ({rows.size} of {scores.size} rows).",
            hint="log odds (logits): kind='log_odds'; log-likelihood ratios: kind='llr'; "
            "only the order means something: kind='rank'",
            rows=rows[:10].tolist(),
        )
