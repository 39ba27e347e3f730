"""Re-calibrated models as cuts on their scores, by fold: an engine can apply them to its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from stakes.engines import Request
from stakes.engines.column_types import ColumnTypes
from stakes.evaluation.far.score_bin_account import BinRows


class Stretches(NamedTuple):
    """What is decided between cuts, from the lowest score to the highest: positions."""

    cuts: tuple[float, ...]
    decisions: tuple[int, ...]


#: The stretches of each fold.
FoldCuts = Mapping[int, Stretches]


def cuts_by_fold(rows: BinRows, codes: NDArray[Any]) -> FoldCuts:
    """What was decided on the middles of the bins, for all scores of their fold.

    A cut is the greatest score of the last bin below it, so that no bin is cut.
    """
    found = {}
    for fold in np.unique(rows.fold).tolist():
        here = np.flatnonzero(rows.fold == fold)
        here = here[np.argsort(rows.score[here], kind="stable")]
        last = np.flatnonzero(np.diff(codes[here]))
        first = np.concatenate(([0], last + 1))
        cuts = rows.top[here[last]].tolist()
        found[int(fold)] = Stretches(tuple(cuts), tuple(codes[here[first]].tolist()))
    return found


def score_of(frame: Any, request: Request, model: str) -> Any:
    """The posterior of the second class, as engines read it."""
    types = ColumnTypes.of(frame, request)
    score = nw.col(request.models[model][-1]).cast(nw.Float64)
    return 1.0 - score if request.turned(model, types.labels(request.label)) else score


def decided_by(score: Any, fold: str, cuts: FoldCuts) -> Any:
    """The position of the decision in each row, as an expression; 0 in other folds."""
    found: Any = nw.lit(0)
    for number, each in cuts.items():
        decision: Any = nw.lit(each.decisions[0])
        for cut, above in zip(each.cuts, each.decisions[1:], strict=True):
            decision = nw.when(score > cut).then(nw.lit(above)).otherwise(decision)
        found = nw.when(nw.col(fold) == number).then(decision).otherwise(found)
    return found


def decided_in(
    score: Any,
    fold: str,
    by: Mapping[str, Any],
    slices: Sequence[tuple[Sequence[tuple[Any, ...]], FoldCuts]],
) -> Any:
    """The same where each slice has cuts of its own; a slice may have several values of `by`.

    `by` has the types of its columns.
    """
    found: Any = nw.lit(0)
    for keys, cuts in slices:
        for key in keys:
            inside = nw.all_horizontal(*map(_holds, by, by.values(), key), ignore_nulls=False)
            found = nw.when(inside).then(decided_by(score, fold, cuts)).otherwise(found)
    return found


def _holds(name: str, kind: Any, value: Any) -> Any:
    """That a column has a value, or none."""
    column = nw.col(name)
    if value is not None:
        return column.is_in([value]).fill_null(False)
    return (
        column.is_null() | column.is_nan().fill_null(True) if kind.is_float() else column.is_null()
    )
