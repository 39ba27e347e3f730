"""Fitted estimators as models: what they say of the cases, with the names of their classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._columns import refuse_masked
from stakes._names import encode
from stakes.application import Application
from stakes.exceptions import DataError
from stakes.typing import Name


def said_of(models: Any, X: Any, app: Application) -> Any:
    """The models, with estimators replaced by what they say of `X`."""
    each = models if isinstance(models, Mapping) else {"model": models}
    fitted = {name: one for name, one in each.items() if _is_estimator(one)}
    if X is None and fitted:
        raise DataError(
            f"model {str(next(iter(fitted)))!r} is an estimator, so I need the cases to ask it "
            "about.",
            hint="evaluate(y_true, models, X=X, ...)",
        )
    if X is not None and not fitted:
        raise DataError("`X` is for fitted estimators; none of the models is one.")
    if not fitted:
        return models
    refuse_masked(X, "X")
    said = {
        name: _said(one, X, str(name), app) if name in fitted else one for name, one in each.items()
    }
    return said if isinstance(models, Mapping) else said["model"]


def decides_by_cost(estimator: Any) -> bool:
    """Whether an estimator, or the last step of a pipeline or search, decides by cost itself."""
    while estimator is not None:
        if hasattr(estimator, "decides_by_cost"):
            return True
        estimator = inside(estimator)
    return False


def inside(estimator: Any) -> Any:
    """What a fitted search found, or the last step of a pipeline; None for anything else."""
    if hasattr(estimator, "best_estimator_"):
        return estimator.best_estimator_
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else None


def _is_estimator(model: Any) -> bool:
    """Whether a model can be asked about cases."""
    return callable(getattr(model, "predict", None))


def _said(estimator: Any, X: Any, name: str, app: Application) -> Any:
    """Posteriors in the order of the application; decisions of what decides by cost."""
    if decides_by_cost(estimator):
        return np.asarray(estimator.predict(X))
    kind = type(estimator).__name__
    if not hasattr(estimator, "predict_proba"):
        raise DataError(
            f"model {name!r}: {kind} gives no probabilities.",
            hint=f"its decisions: {{{name!r}: model.predict(X)}}",
        )
    if not hasattr(estimator, "classes_"):
        raise DataError(
            f"model {name!r}: {kind} does not say which column is which class.",
            hint=f"{{{name!r}: model.predict_proba(X)}} with classes=[...], the order of its "
            "columns",
        )
    codes = encode(np.asarray(estimator.classes_), app.classes, "classes_")
    return _of_classes(np.asarray(estimator.predict_proba(X)), codes, name, app)


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    """Posteriors with the names of their columns, in the type in which they came."""

    said: NDArray[Any]
    columns: tuple[Name, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.said if dtype is None else self.said.astype(dtype)


def _of_classes(said: NDArray[Any], codes: NDArray[Any], name: str, app: Application) -> _Named:
    """Columns put where the application has them; a class never seen has probability 0."""
    if said.ndim != 2 or said.shape[1] != codes.shape[0]:
        raise DataError(
            f"model {name!r} must give one column for each of its {codes.shape[0]} classes; got "
            f"shape {said.shape}."
        )
    full = np.zeros((said.shape[0], len(app.classes)), dtype=said.dtype)
    full[:, codes] = said
    return _Named(full, app.classes)
