"""The same evaluation for parts of the cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from stakes._checks import same_length
from stakes._columns import as_column
from stakes._names import as_positions
from stakes.evaluation.evaluation import Evaluation
from stakes.evaluation.models import Model, alike_in_text
from stakes.exceptions import DataError, LabelError, PosteriorError

__all__ = ["sliced"]


def sliced(
    evaluate: Callable[..., Evaluation],
    whole: Evaluation,
    rows: tuple[Any, Any],
    columns: dict[str, Any],
    options: dict[str, Any],
) -> Evaluation:
    """The same evaluation for every value of a column; `columns` are cut, `options` kept."""
    y_true, by = rows
    values, truth = as_column(by, "by"), as_column(y_true, "y_true")
    same_length("y_true", truth.shape[0], "by", values.shape[0])
    assert whole.sources is not None
    said = {one.model.name: _as_read(one.model) for one in whole.sources.judged}
    found, notes = {}, list(whole.notes)
    apart = dict.fromkeys(values.tolist())
    if (twice := alike_in_text(apart)) is not None:
        raise DataError(
            f"`by` holds {twice} both as text and as a number.", hint="by = [str(b) for b in by]"
        )
    for value in apart:
        inside = values == value
        part = {name: one[inside] for name, one in said.items()}
        cut = {k: None if v is None else as_column(v, k)[inside] for k, v in columns.items()}
        try:
            found[str(value)] = evaluate(truth[inside], part, **cut, **options)
        except (LabelError, PosteriorError):
            raise
        except DataError as error:
            notes.append(f"'{value}' could not be judged apart: {error.message}")
    return replace(whole, slices=found, notes=tuple(notes))


def _as_read(model: Model) -> NDArray[Any]:
    """What a model says, its columns in order already."""
    if model.posteriors is not None:
        return model.posteriors
    return as_positions(model.decisions)
