"""Slices: the same evaluation for every value of a column, in one order whatever the input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from stakes._checks import same_length
from stakes._columns import as_column
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.model_rows import Rows, alike_in_text
from stakes.exceptions import CostError, DataError
from stakes.messages.notes import Note
from stakes.messages.steps import steps


def rows_by_value(by: Any, rows: Rows) -> dict[tuple[Any, ...], NDArray[Any]]:
    """Which rows have each value of a column."""
    values = as_column(by, "by")
    same_length("y_true", rows.cases.truth.shape[0], "by", values.shape[0])
    apart = dict.fromkeys(values.tolist())
    if (twice := alike_in_text(apart)) is not None:
        raise DataError(
            f"`by` holds {twice} both as text and as a number.", hint="by = [str(b) for b in by]"
        )
    return {(value,): values == value for value in apart}


# Slices keep the decisions of the whole: docs/design/verdict.md.
def with_slices(
    whole: Evaluation, keys: Iterable[tuple[Any, ...]], judge: Callable[[Any], Evaluation]
) -> Evaluation:
    """The evaluation with that of each slice; a slice that cannot be judged becomes a note."""
    slices, notes = {}, list(whole.notes)
    order = sorted(keys, key=lambda key: [placed(str(value)) for value in key])
    for key in steps("judging slices", order):
        name = ", ".join(str(value) for value in key)
        try:
            slices[name] = judge(key)
        except (CostError, DataError) as error:
            notes.append(Note("not-judged-apart", slice=name, why=error.message))
    return replace(whole, slices=slices, notes=tuple(notes))


def placed(text: str) -> tuple[bool, float, str]:
    """Numbers by their size, also as text, then texts by their letters: the same for all input."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    known = math.isfinite(number)
    return not known, number if known else 0.0, text
