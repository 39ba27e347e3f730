"""Cases that every stage of a cascade has judged: truth, posteriors, prices and costs, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, of_kind, same_length
from stakes._columns import as_column, as_floats, as_weights, refuse_rows
from stakes._names import encode
from stakes.application import Application, CaseCosts
from stakes.application.cost_input import stated_costs
from stakes.decisions.bayes import class_posteriors
from stakes.exceptions import CostError, DataError, StakesError
from stakes.messages.audience import either, named
from stakes.posteriors.class_order import ClassOrder, asked_order
from stakes.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """Checked input: truth, posteriors (S, n, K), prices (S, n), costs and weights of cases."""

    application: Application
    names: tuple[str, ...]
    posteriors: FloatArray
    prices: FloatArray
    case_costs: FloatArray | None = None
    truth: IntArray | None = None
    weights: FloatArray | None = None
    order: ClassOrder = field(default_factory=ClassOrder)

    @classmethod
    def of(
        cls,
        y_true: Any,
        stages: Any,
        prices: Any,
        *,
        costs: Any = None,
        application: Any = None,
        sample_weight: Any = None,
        classes: Any = None,
        positive: Any = None,
    ) -> Stages:
        """Read what is given to `fit_cascade`."""
        names = _stage_names(stages)
        stated = stated_costs(application, costs, y_true, classes=classes, positive=positive)
        if not isinstance(stated, (Application, CaseCosts)):
            raise CostError("a cascade needs costs that are known; these are ranges.")
        per_case = stated.values if isinstance(stated, CaseCosts) else None
        app = stated if isinstance(stated, Application) else Application(stated.average())
        if app.priors is not None:
            raise CostError(
                "a cascade is fitted at the class shares of its cases.",
                hint="leave out the priors, and weigh the cases instead: sample_weight=",
            )
        order = asked_order(classes, positive, _told(y_true))
        said = [_said(name, each, app.classes, order) for name, each in stages.items()]
        first, size = next(iter(stages)), len(said[0])
        for name, each in zip(stages, said, strict=True):
            same_length(f"stages[{name!r}]", len(each), f"stages[{first!r}]", size)
        truth = None
        if y_true is not None:
            column = as_column(y_true, "y_true")
            same_length("y_true", len(column), "stages", size)
            truth = np.asarray(encode(column, app.classes, "y_true"), dtype=np.intp)
        if per_case is not None:
            same_length("costs", len(per_case), "stages", size)
        paid = np.stack([_price(prices, name, size) for name in stages])
        weights, array = as_weights(sample_weight, size), np.stack(said).astype(np.float64)
        return cls(app, names, array, paid, per_case, truth, weights, order)

    @property
    def size(self) -> int:
        """How many cases there are."""
        return int(self.posteriors.shape[1])

    @property
    def share(self) -> FloatArray:
        """What each case weighs; together 1."""
        weights = np.ones(self.size) if self.weights is None else self.weights
        return np.asarray(weights / weights.sum())

    def part(self, rows: NDArray[Any], posteriors: FloatArray | None = None) -> Stages:
        """Some of the cases, perhaps with other posteriors."""
        some = {name: getattr(self, name) for name in ("case_costs", "truth", "weights")}
        some = {name: None if value is None else value[rows] for name, value in some.items()}
        said = self.posteriors[:, rows] if posteriors is None else posteriors
        prices = self.prices[:, rows]
        return Stages(self.application, self.names, said, prices, **some, order=self.order)

    def expected(self, stage: int) -> FloatArray:
        """Expected cost of each decision, (n, M), by the posteriors of a stage."""
        if self.case_costs is None:
            return np.asarray(self.posteriors[stage] @ self.application.costs.values)
        return np.asarray(np.einsum("nk,nkm->nm", self.posteriors[stage], self.case_costs))

    def costs_of(self, decisions: IntArray) -> FloatArray:
        """What decisions cost if each class is the true one, (n, K)."""
        if self.case_costs is None:
            return np.asarray(self.application.costs.values.T[decisions])
        return np.asarray(self.case_costs[np.arange(self.size), :, decisions])

    def realised(self, decisions: IntArray) -> FloatArray:
        """What decisions cost, by the labels."""
        return np.asarray(self.costs_of(decisions)[np.arange(self.size), self.labels])

    @property
    def labels(self) -> IntArray:
        """The true classes."""
        if self.truth is None:
            raise DataError("the true classes of these cases are not given.")
        return self.truth


def _stage_names(stages: Any) -> tuple[str, ...]:
    """The names of two stages or more, as different texts."""
    such = either('stages={"small": p, "large": q}', "--scores small_p,large_p")
    of_kind(stages, "stages", Mapping, hint=such)
    if len(stages) < 2:
        raise DataError(f"a cascade needs two stages or more; got {len(stages)}.", hint=such)
    names = tuple(str(name) for name in stages)
    if "" in names:
        raise DataError("a stage has an empty name.", hint=such)
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"two stages are called {name!r}.", hint="give each a name of its own")
    return names


def _told(y_true: Any) -> Any:
    """One label of each kind, which tells in what order a library sorts the classes."""
    if y_true is None:
        return None
    column = as_column(y_true, "y_true")
    return column[np.unique(column, return_index=True)[1]] if column.dtype.kind in "iub" else None


def _said(name: Any, posteriors: Any, classes: tuple[Any, ...], order: ClassOrder) -> FloatArray:
    """The posteriors of a stage; problems name the stage."""
    try:
        return class_posteriors(posteriors, classes, order)
    except StakesError as error:
        told = f"stage {str(name)!r}: {error.message}"
        raise type(error)(told, hint=error.hint, rows=error.rows, code=error.code) from None


def _price(prices: Any, name: Any, size: int) -> FloatArray:
    """The price of asking a stage, for each case."""
    such = either(f"prices={{{name!r}: 0.02, ...}}", "--prices 0,0.02")
    of_kind(prices, "prices", Mapping, hint=such)
    if name not in prices:
        raise CostError(f"{named('prices')} says nothing about stage {str(name)!r}.", hint=such)
    given = prices[name]
    must = f"the price of stage {str(name)!r} must be finite and not negative"
    if np.ndim(given) == 0:
        price = as_number(given, f"prices[{name!r}]", CostError)
        if not 0 <= price < np.inf:
            raise CostError(f"{must}; got {price:g}.")
        return np.full(size, price)
    column = as_floats(given, f"prices[{name!r}]", length=size).astype(np.float64)
    refuse_rows(~((column >= 0) & np.isfinite(column)), must, "is {:g}", column, error=CostError)
    return column
