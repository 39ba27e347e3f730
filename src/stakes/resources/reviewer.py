"""Reviewers: people as second classifiers, with a fee, hours and an error matrix of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, as_number, as_whole, frozen, of_kind, same_length
from stakes._columns import as_reals
from stakes._guesses import AnswersGuesses
from stakes._names import as_names, listed, one_of
from stakes._random import as_generator
from stakes.application import CaseCosts
from stakes.application.application import as_application
from stakes.decisions.bayes import class_posteriors
from stakes.exceptions import CostError, DataError
from stakes.posteriors.class_order import asked_order
from stakes.resources.capacity import CapacityOptimum, optimum
from stakes.resources.limit import Limit
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name, RandomSource

#: What is added to each count, before anything was seen (Jeffreys).
_BEFORE = 0.5
#: Up to so many cases that a reviewer sees are drawn again one by one.
_RESAMPLED = 5_000


@dataclass(frozen=True, eq=False)
class Reviewer:
    """A person who looks at a case and says which class it is.

    Parameters
    ----------
    name : str
        What the reviewer is called in plans.
    errors : array-like of shape (n_classes, n_classes)
        How often each class (rows) is called each class (columns); rows add to 1.
    fee : float
        What a review costs, in the unit of the costs.
    minutes : float
        What a review takes.
    hours : float
        How many hours there are for this batch; without an end if infinite.
    counts : array-like of shape (n_classes, n_classes), optional
        The doubly labelled cases that `errors` come from, so that their doubt is known.

    Examples
    --------
    >>> anna = Reviewer.from_labels("Anna", [0] * 50 + [1] * 50, [0] * 48 + [1] * 50 + [0] * 2,
    ...                             fee=4, minutes=6, hours=8)
    >>> anna.errors.round(3)
    array([[0.951, 0.049],
           [0.049, 0.951]])
    >>> anna.cases
    80
    """

    name: str
    errors: FloatArray
    fee: float = 0.0
    minutes: float = 1.0
    hours: float = math.inf
    counts: FloatArray | None = None

    def __post_init__(self) -> None:
        keep = object.__setattr__
        of_kind(self.name, "name", str)
        table = as_reals(self.errors, "errors", DataError)
        square = table.ndim == 2 and table.shape[0] == table.shape[1] and table.size > 0
        if not square or not (table >= 0).all() or not np.allclose(table.sum(axis=1), 1, atol=1e-6):
            raise DataError(
                f"`errors` of {self.name!r} must have a row for each class that adds to 1; got "
                f"{table.tolist()}.",
                hint="Reviewer.from_labels(name, y_true, said) counts doubly labelled cases",
            )
        keep(self, "errors", frozen(table))
        for name in ("fee", "minutes", "hours"):
            keep(self, name, as_number(getattr(self, name), name))
        if not (math.isfinite(self.fee) and 0 < self.minutes < math.inf and self.hours >= 0):
            raise DataError(
                f"{self.name!r} has a fee of {self.fee:g}, {self.minutes:g} minutes per case and "
                f"{self.hours:g} hours, which cannot be meant."
            )
        if self.counts is not None:
            counts = as_reals(self.counts, "counts", DataError)
            if counts.shape != table.shape or not (counts >= 0).all():
                raise DataError(f"`counts` of {self.name!r} must be those of {table.shape}.")
            keep(self, "counts", frozen(counts))

    @classmethod
    def from_labels(
        cls, name: str, y_true: Any, said: Any, *, classes: Any = None, **terms: Any
    ) -> Reviewer:
        """A reviewer whose errors are counted on doubly labelled cases.

        Parameters
        ----------
        name : str
            What the reviewer is called.
        y_true, said : column
            The truth, and what the reviewer said.
        classes : sequence of names, optional
            All classes, in order; those that occur if absent.
        **terms
            `fee`, `minutes` and `hours`.

        Returns
        -------
        Reviewer
            Its errors are the expected ones after the counts (Jeffreys prior).
        """
        table = ConfusionMatrix.from_decisions(y_true, said, classes=classes)
        if table.classes != table.decisions:
            raise DataError(f"{name!r} must say one of the classes {listed(table.classes)}.")
        counts = np.asarray(table.counts, dtype=np.float64)
        smooth = counts + _BEFORE
        return cls(name, smooth / smooth.sum(axis=1, keepdims=True), counts=counts, **terms)

    @classmethod
    def perfect(cls, name: str, classes: int = 2, **terms: Any) -> Reviewer:
        """An expert who is always right, as `CostMatrix.with_abstention` assumes."""
        return cls(name, np.eye(as_whole(classes, "classes", most=1000)), **terms)

    @property
    def cases(self) -> float:
        """How many cases the hours suffice for; infinite without an end."""
        found = self.hours * 60 / self.minutes
        return found if math.isinf(found) else math.floor(found + 1e-9)

    def drawn(self, rng: np.random.Generator) -> FloatArray:
        """Errors as they may be, by what the counts leave open; without counts they are known."""
        if self.counts is None:
            return self.errors
        draws = rng.standard_gamma(self.counts + _BEFORE)
        return np.asarray(draws / draws.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False, repr=False)
class ReviewPlan(AnswersGuesses):
    """Who sees which case; made by `review_plan`.

    Parameters
    ----------
    decisions : array of shape (n_cases,)
        Positions in `names`: a decision taken at once, or a reviewer who is asked.
    names : tuple of names
        The decisions, then the reviewers.
    optimum : CapacityOptimum
        Costs and prices.
    saves : mapping of str to float
        What the cases that each reviewer sees save together, against deciding them at once.
    intervals : mapping of str to pair of float
        The same in other batches from the same source, by what doubly labelled cases leave open
        about the reviewers' errors.
    another, perfect : mapping of str to float
        What a second reviewer of the same kind would save besides, and the same person without
        errors.
    """

    decisions: NDArray[Any]
    names: tuple[Name, ...]
    reviewers: tuple[Reviewer, ...]
    optimum: CapacityOptimum
    saves: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    another: dict[str, float]
    perfect: dict[str, float]

    @property
    def cost(self) -> float:
        """Expected cost per case, fees included."""
        return self.optimum.cost

    def hour_price(self, reviewer: str) -> float:
        """What one more hour of a reviewer is worth."""
        names = [one.name for one in self.reviewers]
        at = names.index(one_of(reviewer, "reviewer", names))
        return self.optimum.limits[at].price * 60 / self.reviewers[at].minutes

    def frame(self) -> Frame:
        """One row per reviewer: cases, saves, low, high, hour, another, perfect."""
        names = [one.name for one in self.reviewers]
        return Frame(
            {
                "reviewer": names,
                "cases": [each.used for each in self.optimum.limits],
                "saves": [self.saves[name] for name in names],
                "low": [self.intervals[name][0] for name in names],
                "high": [self.intervals[name][1] for name in names],
                "hour": [self.hour_price(name) for name in names],
                "another": [self.another[name] for name in names],
                "perfect": [self.perfect[name] for name in names],
            }
        )

    def __repr__(self) -> str:
        seen = ", ".join(
            f"{one.name} sees {each.used:g}"
            for one, each in zip(self.reviewers, self.optimum.limits, strict=True)
        )
        return f"ReviewPlan(expected per case {self.cost:.4g}; {seen})"


def review_plan(
    posteriors: Any,
    costs: Any,
    *,
    reviewers: Any,
    final: bool = False,
    classes: Any = None,
    positive: Any = None,
    level: float = 0.95,
    draws: int = 1000,
    rng: RandomSource = None,
) -> ReviewPlan:
    r"""Who should see which case, and what another or a better reviewer is worth.

    A reviewer is asked where what the answer is expected to save exceeds the fee and the price
    of the reviewer's time. What the reviewer says is weighed against the model: with posteriors
    p, errors R and costs C a review costs

    .. math:: f + \sum_s \min_d \sum_k p_k R_{ks} C_{kd}

    Parameters
    ----------
    posteriors, costs, classes, positive
        As in `capacity_optimum`.
    reviewers : Reviewer or sequence of Reviewer
        Who can be asked, and how long.
    final : bool
        That the reviewer's word counts whatever the model said: the decision is the best one for
        that class.
    level : float
        Of the intervals.
    draws : int
        How many batches and errors are drawn for the intervals.
    rng : None, int or numpy.random.Generator
        Their seed.

    Returns
    -------
    ReviewPlan
        Decisions and reviewers of all cases, and what each reviewer is worth.

    Notes
    -----
    What reviewer and model get wrong is taken to be independent within each class. A perfect
    reviewer with a fee and endless hours is `CostMatrix.with_abstention`.

    Examples
    --------
    >>> p = [0.01, 0.2, 0.5, 0.97]
    >>> anna = Reviewer("Anna", [[0.9, 0.1], [0.1, 0.9]], fee=1, minutes=30, hours=1)
    >>> plan = review_plan(p, [[0, 10], [20, 0]], reviewers=anna)
    >>> [plan.names[k] for k in plan.decisions]
    [0, 'Anna', 'Anna', 1]
    """
    people = (
        (reviewers,)
        if isinstance(reviewers, Reviewer)
        else tuple(of_kind(reviewers, "reviewers", Sequence))
    )
    level, count = as_level(level), as_whole(draws, "draws")
    array, values, names, unit = _cases(posteriors, costs, classes, positive)
    _refuse_odd(people, names, array.shape[1])
    at_once = np.einsum("nk,nkm->nm", array, values)
    of_kind(final, "final", bool)
    asked = [_answers(array, values, one.errors, final=final) for one in people]

    def solve(who: Sequence[Reviewer], reviewed: Sequence[FloatArray]) -> CapacityOptimum:
        called = as_names([*names, *(f"{k}" for k in range(len(who)))], "reviewers")
        columns = [at_once, *(each[:, None] for each in reviewed)]
        limits = [Limit(called[len(names) + k], one.cases) for k, one in enumerate(who)]
        return optimum(np.hstack(columns), called, tuple(limits), None)

    costs_of = [one.fee + found[0] for one, found in zip(people, asked, strict=True)]
    found = solve(people, costs_of)
    size = len(array)

    def saved(k: int, one: Reviewer, reviewed: FloatArray, *, add: bool) -> float:
        """What the batch saves with a reviewer more, or with one in place of another."""
        who = [*people, one] if add else [*people[:k], one, *people[k + 1 :]]
        columns = [*costs_of, reviewed] if add else [*costs_of[:k], reviewed, *costs_of[k + 1 :]]
        return size * (found.cost - solve(who, columns).cost)

    ideal = _answers(array, values, np.eye(array.shape[1]), final=final)[0]
    generator = as_generator(rng)
    saves, intervals, another, perfect = {}, {}, {}, {}
    for k, one in enumerate(people):
        inside = found.decisions == len(names) + k
        saves[one.name] = float((at_once[inside].min(axis=1) - costs_of[k][inside]).sum())
        parts = _parts(array[inside], values[inside], asked[k][1][inside])
        alone = at_once[inside].min(axis=1) - one.fee
        price = float(found.prices[len(names) + k])
        drawn = _drawn_savings(alone, parts, one, price, size, count, generator)
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
        intervals[one.name] = (low, high)
        another[one.name] = saved(k, one, costs_of[k], add=True)
        better = replace(one, errors=np.eye(array.shape[1]), counts=None)
        perfect[one.name] = saved(k, better, one.fee + ideal, add=False)
    shown = (*names, *(one.name for one in people))
    found = replace(found, names=shown, unit=unit)
    return ReviewPlan(found.decisions, shown, people, found, saves, intervals, another, perfect)


def _cases(
    posteriors: Any, costs: Any, classes: Any, positive: Any
) -> tuple[FloatArray, FloatArray, tuple[Name, ...], str | None]:
    """Posteriors (n, K), costs (n, K, M), the decisions and the unit."""
    order = asked_order(classes, positive)
    if isinstance(costs, CaseCosts):
        array = class_posteriors(posteriors, costs.classes, order).astype(np.float64, copy=False)
        same_length("costs", len(costs), "posteriors", len(array))
        return array, costs.values, costs.decisions, None
    app = as_application(costs)
    array = class_posteriors(posteriors, app.classes, order).astype(np.float64, copy=False)
    values = np.broadcast_to(app.costs.values, (len(array), *app.costs.shape))
    return array, values, app.decisions, app.unit


def _refuse_odd(people: tuple[Any, ...], names: tuple[Name, ...], n_classes: int) -> None:
    """Raise for what is no reviewer, or not one of these classes."""
    if not people:
        raise DataError("there is no reviewer.")
    for one in people:
        of_kind(one, "reviewers", Reviewer)
        if len(one.errors) != n_classes:
            raise CostError(f"{one.name!r} knows {len(one.errors)} classes; there are {n_classes}.")
    called = [*map(str, names), *(one.name for one in people)]
    if len(set(called)) < len(called):
        raise CostError("reviewers need names of their own, other than those of decisions.")


def _answers(
    array: FloatArray, values: FloatArray, errors: FloatArray, *, final: bool
) -> tuple[FloatArray, NDArray[np.intp]]:
    """What a review is expected to cost without its fee, and the decision after each answer."""
    total = np.zeros(len(array))
    after = np.empty((len(array), errors.shape[1]), dtype=np.intp)
    rows = np.arange(len(array))
    for s in range(errors.shape[1]):
        expected = np.einsum("nk,k,nkm->nm", array, errors[:, s], values)
        after[:, s] = values[:, s].argmin(axis=1) if final else expected.argmin(axis=1)
        total += expected[rows, after[:, s]]
    return total, after


def _parts(array: FloatArray, values: FloatArray, after: NDArray[np.intp]) -> FloatArray:
    """What the answers of a reviewer cost, by case, class and answer: errors times this."""
    rows = np.arange(len(array))[:, None]
    by_class = [array[:, k, None] * values[rows, k, after] for k in range(array.shape[1])]
    return np.stack(by_class, axis=1)


def _drawn_savings(
    alone: FloatArray,
    parts: FloatArray,
    one: Reviewer,
    price: float,
    size: int,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """What a reviewer may save in other batches of `size`, with errors as they may be.

    Cases that are seen are drawn again, and the reviewer's errors by what the counts leave open.
    In a batch with more of them the hours do not suffice: each then costs their price.
    """
    seen = len(alone)
    table = np.column_stack([alone, np.ones(seen), parts.reshape(seen, one.errors.size)])
    if seen <= _RESAMPLED:
        chances = np.append(np.full(seen, 1 / size), 1 - seen / size)
        sums = np.array([rng.multinomial(size, chances)[:-1] @ table for _ in range(draws)])
    else:  # of so many the sums are normal
        total = table.sum(axis=0)
        covariance = table.T @ table - np.outer(total, total) / size
        sums = rng.multivariate_normal(total, covariance, draws, check_valid="ignore")
    errors = np.array([one.drawn(rng).ravel() for _ in range(draws)])
    paid = (errors * sums[:, 2:]).sum(axis=1)
    return np.asarray(sums[:, 0] - paid - price * (sums[:, 1] - seen))
