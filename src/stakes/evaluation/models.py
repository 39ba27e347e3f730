"""What each model says: posteriors or decisions, told apart by their type alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_posterior_array, refuse_bad_posteriors, same_length
from stakes._columns import as_column
from stakes._names import encode
from stakes.application import Application
from stakes.exceptions import DataError
from stakes.posteriors import Posteriors
from stakes.posteriors.reading import posterior_array
from stakes.typing import FloatArray

__all__ = ["Model", "read_models"]


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


def read_models(models: Any, app: Application, n_cases: int) -> tuple[Model, ...]:
    """Every model of a mapping; a single one may come without a name."""
    if not isinstance(models, Mapping):
        models = {"model": models}
    if not models:
        raise DataError("`models` is empty.", hint='evaluate(y_true, {"gbm": p}, ...)')
    return tuple(_read(str(name), said, app, n_cases) for name, said in models.items())


def _read(name: str, said: Any, app: Application, n_cases: int) -> Model:
    """One model; floats are posteriors, everything else decisions."""
    array = said.values if isinstance(said, Posteriors) else np.asarray(said)
    if array.ndim == 2 and array.shape[1] > 1:
        posteriors = posterior_array(said, app.classes)
        refuse_bad_posteriors(posteriors)
    elif array.dtype.kind == "f":
        if len(app.classes) != 2:
            raise DataError(
                f"model {name!r} is one column of floats, but there are {len(app.classes)} "
                "classes.",
                hint="posteriors have one column per class; decisions are names or integers",
            )
        second = as_posterior_array(as_column(said, name), 2)
        refuse_bad_posteriors(second)
        posteriors = np.empty((second.shape[0], 2), dtype=second.dtype)
        posteriors[:, 1] = second
        np.subtract(1, second, out=posteriors[:, 0])
    else:
        codes = encode(said, app.decisions, name)
        same_length("y_true", n_cases, name, codes.shape[0])
        return Model(name, None, codes)
    same_length("y_true", n_cases, name, posteriors.shape[0])
    return Model(name, posteriors, None)
