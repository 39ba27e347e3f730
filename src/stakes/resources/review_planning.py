"""Who should see which case, and what another or a better reviewer is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_level, as_switch, as_whole, of_kind, same_length
from stakes._guesses import AnswersGuesses
from stakes._names import as_names, one_of
from stakes._random import as_generator
from stakes.application.application import as_application
from stakes.decisions.bayes import class_posteriors
from stakes.exceptions import CostError, DataError
from stakes.posteriors.class_order import asked_order
from stakes.resources.capacity import CapacityOptimum, costs_of_cases, optimum
from stakes.resources.limit import Limit
from stakes.resources.reviewer import Reviewer
from stakes.results import Frame
from stakes.typing import FloatArray, Name, RandomSource

#: Up to so many cases that a reviewer sees are drawn again one by one.
_RESAMPLED = 5_000


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
        Who can be asked, and how long. Reviewers that keep names of classes are matched to the
        costs by these names; others must have their errors in the order of the costs.
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
    array, values, names, unit, known = _cases(posteriors, costs, classes, positive)
    _refuse_odd(people, names, len(known))
    given, people = people, tuple(one.in_order(known) for one in people)
    at_once = np.einsum("nk,nkm->nm", array, values)
    as_switch(final, "final")
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
    return ReviewPlan(found.decisions, shown, given, found, saves, intervals, another, perfect)


def _cases(
    posteriors: Any, costs: Any, classes: Any, positive: Any
) -> tuple[FloatArray, FloatArray, tuple[Name, ...], str | None, tuple[Name, ...]]:
    """Posteriors (n, K), costs (n, K, M), the decisions, the unit, and the classes."""
    order = asked_order(classes, positive)
    cases = costs_of_cases(costs)
    known = as_application(costs).classes if cases is None else cases.classes
    array = class_posteriors(posteriors, known, order).astype(np.float64, copy=False)
    if cases is not None:
        same_length("costs", len(cases), "posteriors", len(array))
        return array, cases.values, cases.decisions, None, cases.classes
    app = as_application(costs)
    values = np.broadcast_to(app.costs.values, (len(array), *app.costs.shape))
    return array, values, app.decisions, app.unit, app.classes


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
