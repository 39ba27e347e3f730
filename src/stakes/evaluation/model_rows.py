"""The cases and models in memory: asked, read, checked, and cut into slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_priors, same_length
from stakes._columns import as_array, as_column, as_frame, as_weights, refuse_masked, weighed_rows
from stakes._names import as_positions, encode
from stakes.application import Application, CaseCosts
from stakes.calibration import Calibrator
from stakes.engines.stream import read_model
from stakes.exceptions import DataError, StakesError
from stakes.messages.quantities import grouped
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import ClassOrder
from stakes.posteriors.posteriors import are_certain, refuse_decisions
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name, Priors

#: Folds of cross-fitting where nothing else is asked.
_FOLDS = 5


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
        return Posteriors(self.posteriors).with_priors(priors, from_priors=said_at).values

    @property
    def kind(self) -> str:
        """What it gave."""
        return "decisions" if self.posteriors is None else "posteriors"

    @property
    def second(self) -> NDArray[Any] | None:
        """The posteriors of the second class, if there are any."""
        return None if self.posteriors is None else self.posteriors[:, 1]

    def part(self, inside: NDArray[Any]) -> Model:
        """What it says of some of the cases."""
        said, chosen = (
            None if each is None else each[inside] for each in (self.posteriors, self.decisions)
        )
        return Model(self.name, said, chosen)


def read_models(
    models: Any, app: Application, n_cases: int, order: ClassOrder
) -> tuple[Model, ...]:
    """Every model of a mapping; a single one may come without a name.

    Where it cannot be one, how to pass several. Floats are posteriors, everything else decisions.
    """

    def read(name: str, said: Any) -> Model:
        array = read_model(said, name, app, n_cases, order)
        if array.ndim == 1:
            return Model(name, None, array)
        if not isinstance(said, (Posteriors, _Named)) and are_certain(array):
            _refuse_certain(name, said, array, app)
        return Model(name, array, None)

    if isinstance(models, Mapping):
        if not models:
            raise DataError("`models` is empty.", hint='evaluate(y_true, {"gbm": p}, ...)')
        refuse_same_names(models)
        return tuple(read(str(name), said) for name, said in models.items())
    try:
        return (read("model", models),)
    except StakesError as error:
        if (passed := _passed_apart(models)) is None:
            raise
        hint = f"if these are several models: evaluate(y_true, {{{passed}}}, ...)"
        both = hint if error.hint is None else f"{error.hint}\n{hint}"
        raise type(error)(error.message, hint=both, rows=error.rows) from None


def tables_of_models(models: Any, app: Application) -> Any:
    """The columns of a data frame as models, unless they are those of one model; a named column.

    One model of two classes has a column for each, called like it or adding to one with the other.
    """
    name, names = getattr(models, "name", None), getattr(models, "columns", None)
    if isinstance(name, str) and name and len(getattr(models, "shape", ())) == 1:
        return {name: models}
    if names is None or callable(names) or isinstance(models, Posteriors) or not len(names):
        return models
    as_frame(models, "models", pass_through=True)  # no two columns may have the same name
    spelt = [str(name) for name in names]
    ends = all(any(each.endswith(str(name)) for each in spelt) for name in app.classes)
    if ends or len(app.classes) != 2 or _adds_to_one(models, names):
        return models
    return {name: models[name] for name in names}


def _adds_to_one(frame: Any, names: Any) -> bool:
    """Whether two columns of numbers add to one in every row, as those of two classes do."""
    if len(names) != 2:
        return False
    with suppress(TypeError, ValueError):
        first, second = (np.asarray(frame[name], dtype=np.float64) for name in names)
        return bool(np.allclose(first + second, 1, atol=1e-3))
    return False


def _refuse_certain(name: str, said: Any, read: NDArray[Any], app: Application) -> None:
    """Raise for floats that all are 0 or 1, with the line to type."""
    given = np.asarray(said)
    if given.ndim == 2 and given.shape[1] > 1:
        decisions = "p.argmax(axis=1)"
    else:
        turned = not np.array_equal(np.ravel(given).astype(np.float64), read[:, 1])
        decisions = "(1 - p).astype(int)" if turned else "p.astype(int)"
    if app.costs.shape[0] != app.costs.shape[1]:
        decisions = "their names, or their positions as integers"
    refuse_decisions(name, f"{{{name!r}: {decisions}}}", f"{{{name!r}: stakes.Posteriors(p)}}")


def _passed_apart(said: Any) -> str | None:
    """How columns of a frame or an array would be passed as models; None where there are none."""
    if hasattr(said, "columns"):
        parts = [f'"{name}": frame["{name}"]' for name in said.columns]
    elif isinstance(said, (list, tuple)) and said and hasattr(said[0], "__len__"):
        parts = [f'"{chr(97 + k)}": models[{k}]' for k in range(min(len(said), 3))]
    elif getattr(said, "ndim", 0) == 2:
        parts = [f'"{chr(97 + k)}": models[:, {k}]' for k in range(min(said.shape[1], 3))]
    else:
        return None
    return ", ".join([*parts[:2], *(["..."] if len(parts) > 2 else [])])


def refuse_same_names(models: Mapping[Any, Any]) -> None:
    """Raise when two models are called alike in text, such as 1 and "1"."""
    if (twice := alike_in_text(models)) is not None:
        raise DataError(f"two models are called {twice!r}.", hint="give each a name of its own")


def alike_in_text(values: Iterable[Any]) -> str | None:
    """The first text that two different values share, such as 1 and "1"; None without any."""
    counted = Counter(map(str, values))
    return next((text for text, times in counted.items() if times > 1), None)


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The truth, as positions, with the weights and groups of the cases.

    `ids` are their names in lists; `rows` are their places in what was given, if some were left
    out or repeated.
    """

    truth: NDArray[Any]
    weights: FloatArray | None
    groups: NDArray[Any] | None
    priors: FloatArray
    ids: NDArray[Any] | None = None
    rows: NDArray[Any] | None = None

    @property
    def counted(self) -> NDArray[Any]:
        """Number of cases of each class: rows of positive weight, whatever they weigh."""
        truth = self.truth if self.weights is None else self.truth[self.weights > 0]
        return np.bincount(truth, minlength=self.priors.shape[0])

    @property
    def weight(self) -> FloatArray:
        """What each case counts for."""
        return np.ones(self.truth.shape[0]) if self.weights is None else self.weights

    @property
    def plain(self) -> bool:
        """Whether cases count once each and are independent."""
        return self.weights is None and self.groups is None

    @classmethod
    def of(
        cls,
        truth: NDArray[Any],
        app: Application,
        weights: Any = None,
        groups: Any = None,
        ids: Any = None,
    ) -> Cases:
        """Positions of true classes, with weights, groups and ids, and the class shares of all."""
        if truth.shape[0] == 0:
            raise DataError("there are no cases.")
        weights = as_weights(weights, truth.shape[0])
        if groups is not None:
            groups = as_column(groups, "groups")
            same_length("y_true", truth.shape[0], "groups", groups.shape[0])
        if ids is not None:
            ids = as_column(ids, "ids")
            same_length("y_true", truth.shape[0], "ids", ids.shape[0])
        totals = np.bincount(truth, weights=weights, minlength=len(app.classes))
        return cls(truth, weights, groups, totals / totals.sum(), ids)

    def part(self, inside: NDArray[Any], app: Application) -> Cases:
        """Some of the cases."""
        rows = np.arange(self.truth.shape[0]) if self.rows is None else self.rows
        weights, groups, ids = (
            None if each is None else each[inside] for each in (self.weights, self.groups, self.ids)
        )
        return replace(
            Cases.of(as_positions(self.truth[inside]), app, weights, groups, ids), rows=rows[inside]
        )

    def count(self, codes: NDArray[Any], app: Application) -> ConfusionMatrix:
        """Cases by truth and decision."""
        return ConfusionMatrix.from_decisions(
            as_positions(self.truth),
            as_positions(codes),
            classes=app.classes,
            decision_names=app.decisions,
            sample_weight=self.weights,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Cases and models in memory, and what is asked of them; what counts alone cannot tell."""

    given: Application
    cases: Cases
    models: tuple[Model, ...]
    from_priors: Priors | None
    recalibrate: bool | Calibrator
    folds: Any

    @property
    def application(self) -> Application:
        """With the priors that count filled in."""
        return self.given.with_priors(self.given.resolved_priors(self.cases.priors))

    @property
    def said_at(self) -> FloatArray:
        """The base rate that the posteriors were made for."""
        if self.from_priors is None:
            return self.cases.priors
        return as_priors(self.from_priors, self.given.classes, "from_priors")

    def __getitem__(self, name: str) -> Model:
        return next(model for model in self.models if model.name == name)

    def part(self, inside: NDArray[Any]) -> Rows:
        """Some of the rows, by the rule of them all.

        Where shares are those of the data, a slice is judged at its own. Folds are drawn anew.
        """
        said_at = self.from_priors
        if said_at is None and self.given.priors is not None:
            said_at = self.said_at
        models = tuple(model.part(inside) for model in self.models)
        cases = self.cases.part(inside, self.given)
        return Rows(self.given, cases, models, said_at, self.recalibrate, _FOLDS)


#: More rows than this are not made of counted ones.
_MOST_ROWS = 10**8


def repeated(counts: Any, sample_weight: Any, truth: Any) -> NDArray[np.intp]:
    """The place of each row, as often as it occurred."""
    times, (places,) = weighed_rows(counts, sample_weight, np.arange(truth.shape[0]))
    assert times is not None
    if (total := int(times.sum())) > _MOST_ROWS:
        raise DataError(
            f"`counts` add to {grouped(total)} cases; at most {grouped(_MOST_ROWS)} are made.",
            hint="confusion matrices take counts of any size: "
            "ConfusionMatrix.from_decisions(y, decisions, counts=counts)",
        )
    return np.repeat(places, times)


def at_places(places: NDArray[np.intp], size: int, name: str, given: Any) -> Any:
    """What was given for each row, for every place; anything else as it is."""
    if isinstance(given, CaseCosts):
        same_length("y_true", size, "case_costs", len(given))
        return given[places]
    if given is None or as_array(given, name).ndim == 0:
        return given
    column = as_column(given, name)
    same_length("y_true", size, name, column.shape[0])
    return column[places]


def said_of(models: Any, X: Any, app: Application) -> Any:
    """The models, with estimators replaced by what they say of `X`."""
    each = models if isinstance(models, Mapping) else {"model": models}
    fitted = [name for name, one in each.items() if callable(getattr(one, "predict", None))]
    if X is None and fitted:
        raise DataError(
            f"model {str(fitted[0])!r} is an estimator, so I need the cases to ask it about.",
            hint="evaluate(y_true, models, X=X, ...)",
        )
    if X is not None and not fitted:
        raise DataError("`X` is for fitted estimators; none of the models is one.")
    if not fitted:
        return models
    refuse_masked(X, "X")
    said = {**each, **{name: _said(each[name], X, str(name), app) for name in fitted}}
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
    said = np.asarray(estimator.predict_proba(X))
    if said.ndim != 2 or said.shape[1] != codes.shape[0]:
        raise DataError(
            f"model {name!r} must give one column for each of its {codes.shape[0]} classes; got "
            f"shape {said.shape}."
        )
    full = np.zeros((said.shape[0], len(app.classes)), dtype=said.dtype)
    full[:, codes] = said  # a class never seen has probability 0
    return _Named(full, app.classes)


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    """Posteriors with the names of their columns, in the type in which they came."""

    said: NDArray[Any]
    columns: tuple[Name, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.said if dtype is None else self.said.astype(dtype)
