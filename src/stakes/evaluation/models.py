"""What each model says: posteriors or decisions, told apart by their type alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.engines.batch_models import read_model
from stakes.exceptions import DataError, StakesError
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.typing import FloatArray

__all__ = ["Model", "alike_in_text", "read_models", "refuse_other_order", "refuse_same_names"]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """One model: (n, K) posteriors, or (n,) positions of decisions."""

    name: str
    posteriors: NDArray[Any] | None
    decisions: NDArray[Any] | None

    def at(self, priors: FloatArray, said_at: FloatArray) -> NDArray[Any] | None:
        """The posteriors moved from the base rate they were made for to another."""
        if self.posteriors is None or np.array_equal(priors, said_at):
            return self.posteriors
        return Posteriors(self.posteriors).with_priors(priors, old=said_at).values


def read_models(
    models: Any, app: Application, n_cases: int, order: ClassOrder
) -> tuple[Model, ...]:
    """Every model of a mapping; a single one may come without a name."""
    if not isinstance(models, Mapping):
        return (_read_alone(models, app, n_cases, order),)
    if not models:
        raise DataError("`models` is empty.", hint='evaluate(y_true, {"gbm": p}, ...)')
    refuse_same_names(models)
    return tuple(_read(str(name), said, app, n_cases, order) for name, said in models.items())


def _read_alone(said: Any, app: Application, n_cases: int, order: ClassOrder) -> Model:
    """A model without a name; where it cannot be one, how to pass several."""
    try:
        return _read("model", said, app, n_cases, order)
    except StakesError as error:
        if (passed := _passed_apart(said)) is None:
            raise
        hint = f"if these are several models: evaluate(y_true, {{{passed}}}, ...)"
        both = hint if error.hint is None else f"{error.hint}\n{hint}"
        raise type(error)(error.message, hint=both, rows=error.rows) from None


def _passed_apart(said: Any) -> str | None:
    """How columns of a frame or an array would be passed as models; None where there are none."""
    if hasattr(said, "columns"):
        names = [str(name) for name in said.columns]
        parts = [f'"{name}": frame["{name}"]' for name in names]
    elif np.ndim(said) == 2 and isinstance(said, (list, tuple)):
        parts = [f'"{chr(97 + k)}": models[{k}]' for k in range(min(len(said), 3))]
    elif np.ndim(said) == 2:
        parts = [f'"{chr(97 + k)}": models[:, {k}]' for k in range(min(np.shape(said)[1], 3))]
    else:
        return None
    return ", ".join([*parts[:2], *(["..."] if len(parts) > 2 else [])])


def refuse_same_names(models: Mapping[Any, Any]) -> None:
    """Raise when two models are called alike in text, such as 1 and "1"."""
    if (twice := alike_in_text(models)) is not None:
        raise DataError(f"two models are called {twice!r}.", hint="give each a name of its own")


def alike_in_text(values: Iterable[Any]) -> str | None:
    """The first text that two different values share, such as 1 and "1"; None without any."""
    seen = set()
    for text in map(str, values):
        if text in seen:
            return text
        seen.add(text)
    return None


def refuse_other_order(y_true: Any, columns: Mapping[str, Any]) -> None:
    """Raise when a pandas column has the same row labels as `y_true` in another order.

    Columns are taken by position, so that rows of such a column would meet the wrong truth.
    """
    labels: Any = getattr(y_true, "index", None)
    if not hasattr(labels, "sort_values"):
        return
    for name, column in columns.items():
        other: Any = getattr(column, "index", None)
        if not hasattr(other, "sort_values") or len(other) != len(labels) or labels.equals(other):
            continue
        if (told := _sorted(labels)) is not None and told == _sorted(other):
            raise DataError(
                f"`{name}` has the row labels of `y_true` in another order.",
                hint=f"{name}.reindex(y_true.index) if the labels say which rows belong together; "
                ".to_numpy() on both if the order does",
            )


def _sorted(labels: Any) -> list[Any] | None:
    """Row labels in order; None where they have none, or name several rows alike."""
    try:
        return list(labels.sort_values()) if labels.is_unique else None
    except TypeError:
        return None


def _read(name: str, said: Any, app: Application, n_cases: int, order: ClassOrder) -> Model:
    """One model; floats are posteriors, everything else decisions."""
    array = read_model(said, name, app, n_cases, order)
    return Model(name, array, None) if array.ndim == 2 else Model(name, None, array)
