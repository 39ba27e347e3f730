"""Cascades: ask a cheap stage first, and a dearer one only where that is expected to pay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import as_number, of_kind, same_length
from stakes._columns import as_column, as_floats, as_weights, refuse_rows
from stakes._names import encode, one_of
from stakes.application import Application, CaseCosts
from stakes.application.cost_input import stated_costs
from stakes.calibration import Affine, Calibrator, Smooth
from stakes.decisions.bayes import class_posteriors
from stakes.exceptions import CostError, DataError
from stakes.posteriors.class_order import asked_order
from stakes.typing import FloatArray, IntArray

#: With fewer labelled cases nothing can be said about what a further stage would change.
LEAST_CASES = 100
#: Bins over which an expected saving is averaged, and those for its correction by the labels.
_BINS, _CORRECTING_BINS = 30, 8
#: Cases in each of these bins, at least.
_IN_A_BIN, _IN_A_CORRECTING_BIN = 40, 100
_TINY = 1e-15


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
        of_kind(stages, "stages", Mapping, hint='stages={"small": p, "large": q}')
        if len(stages) < 2:
            raise DataError("a cascade needs two stages or more.", hint='{"small": p, "large": q}')
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
        order = asked_order(classes, positive, y_true)
        said = [class_posteriors(each, app.classes, order) for each in stages.values()]
        size = len(said[0])
        for name, each in zip(stages, said, strict=True):
            same_length(f"stages[{name!r}]", len(each), "the first stage", size)
        truth = None
        if y_true is not None:
            column = as_column(y_true, "y_true")
            same_length("y_true", len(column), "stages", size)
            truth = np.asarray(encode(column, app.classes, "y_true"), dtype=np.intp)
        if per_case is not None:
            same_length("costs", len(per_case), "stages", size)
        names = tuple(str(name) for name in stages)
        paid = np.stack([_price(prices, name, size) for name in stages])
        weights = as_weights(sample_weight, size)
        return cls(app, names, np.stack(said).astype(np.float64), paid, per_case, truth, weights)

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
        return Stages(self.application, self.names, said, self.prices[:, rows], **some)

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


def _price(prices: Any, name: Any, size: int) -> FloatArray:
    """The price of asking a stage, for each case."""
    of_kind(prices, "prices", Mapping, hint=f"prices={{{name!r}: 0.02, ...}}")
    if name not in prices:
        raise CostError(
            f"`prices` says nothing about stage {name!r}.", hint=f"prices={{{name!r}: 0.02, ...}}"
        )
    given = prices[name]
    if np.ndim(given) == 0:
        return np.full(size, as_number(given, f"prices[{name!r}]", CostError))
    column = as_floats(given, f"prices[{name!r}]", length=size).astype(np.float64)
    refuse_rows(~np.isfinite(column), f"`prices[{name!r}]` must be finite", "is {:g}", column)
    return column


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """From one stage to a later one: what asking it is expected to save, net of its price."""

    to: int
    places: FloatArray
    gains: FloatArray

    def gain(self, place: FloatArray) -> FloatArray:
        """The expected saving of cases at these places."""
        return np.asarray(np.interp(place, self.places, self.gains))


@dataclass(frozen=True, eq=False, repr=False)
class Cascade:
    """When to stop, and whom to ask next; from `fit_cascade`.

    Parameters
    ----------
    application : Application
        Costs, names and unit.
    stages : tuple of str
        The stages, in the order in which they may be asked.
    first : str
        The stage that every case is asked.
    calibrators : tuple of Calibrator
        One for each stage.
    per_case : bool
        Whether costs differ from case to case.
    """

    application: Application
    stages: tuple[str, ...]
    first: str
    calibrators: tuple[Calibrator, ...]
    per_case: bool
    _routes: tuple[tuple[Route, ...], ...]

    def step(
        self, stage: str, posteriors: Any, *, costs: CaseCosts | None = None
    ) -> tuple[IntArray, NDArray[Any]]:
        """What to decide now, and which stage to ask instead, for cases that are at a stage.

        Parameters
        ----------
        stage : str
            The stage that has just answered.
        posteriors : array-like of shape (n_cases, n_classes) or (n_cases,)
            What it said.
        costs : CaseCosts, optional
            Of these cases, where costs differ from case to case.

        Returns
        -------
        decisions : array of int
            Positions of the decisions, if one stops here.
        following : array of str
            The stage to ask next; empty where one stops.
        """
        s = self.stages.index(one_of(stage, "stage", self.stages))
        said = class_posteriors(posteriors, self.application.classes, asked_order(None, None))
        values = None if costs is None else of_kind(costs, "costs", CaseCosts).values
        if values is not None:
            same_length("costs", len(values), "posteriors", len(said))
        if self.per_case and values is None:
            raise CostError("costs differ from case to case.", hint="step(..., costs=CaseCosts())")
        fitted = self.calibrators[s].posteriors(logarithms(said))
        prices = np.zeros((1, len(said)))
        cases = Stages(self.application, (stage,), fitted[None], prices, values)
        following = best_route(self._routes[s], place(cases, 0))
        names = np.array([*self.stages, ""])
        return cases.expected(0).argmin(axis=1), names[following]

    def __repr__(self) -> str:
        return f"<Cascade of {len(self.stages)} stages from {self.first}>"


def fit_cascade(
    y_true: Any,
    stages: Mapping[str, Any],
    *,
    prices: Mapping[str, Any],
    costs: Any = None,
    application: Any = None,
    sample_weight: Any = None,
    classes: Any = None,
    positive: Any = None,
) -> Cascade:
    """Learn when asking a further stage pays, from cases of which every stage has spoken.

    Stages are classifiers: a rule, a small and a large model, a laboratory test, a person. The
    saving of asking a later stage is what the decision taken now costs less what the decision
    taken then costs, by the later posteriors and the labels. From the last stage backwards, it is
    averaged over cases that look alike now. A case goes on while that saving exceeds the price.
    Stages may be skipped.

    Parameters
    ----------
    y_true : column
        True classes.
    stages : mapping of str to posteriors
        What each stage says of every case, in the order in which they may be asked.
    prices : mapping of str to float or column
        What asking each stage costs, in the unit of the costs; a column where it differs, as by
        tokens.
    costs, application : optional
        What errors cost, in any form that `stakes.evaluate` takes; `CaseCosts` where they differ.
    sample_weight : column, optional
        A sampling weight.
    classes, positive : optional
        The order of the columns, as in `stakes.bayes_decisions`.

    Returns
    -------
    Cascade
        To be applied step by step; `evaluate_cascade` says what it is worth.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.3
    >>> weak, strong = (1 / (1 + np.exp(-rng.normal(k * (2 * truth - 1), k**0.5))) for k in (1, 9))
    >>> cascade = fit_cascade(truth.astype(int), {"small": weak, "large": strong},
    ...                       prices={"small": 0, "large": 0.05}, costs={"fn": 1, "fp": 1})
    >>> decisions, following = cascade.step("small", [0.001, 0.5])
    >>> following.tolist()
    ['', 'large']
    """
    given = Stages.of(
        y_true, stages, prices, costs=costs, application=application,
        sample_weight=sample_weight, classes=classes, positive=positive,
    )  # fmt: skip
    return fitted_cascade(given)


def fitted_cascade(given: Stages) -> Cascade:
    """A cascade from checked input."""
    if given.size < LEAST_CASES:
        raise DataError(f"a cascade is learnt from {LEAST_CASES} cases or more; got {given.size}.")
    calibrators = tuple(_calibrator(given, s) for s in range(len(given.names)))
    cases = calibrated(given, calibrators)
    routes, first = _backwards(cases)
    names, per_case = given.names, given.case_costs is not None
    return Cascade(given.application, names, names[first], calibrators, per_case, routes)


def logarithms(posteriors: FloatArray) -> FloatArray:
    """Log posteriors with a floor, so that certainties can be calibrated."""
    found = np.log(np.maximum(posteriors, _TINY))
    return np.asarray(found - np.log(np.exp(found).sum(axis=1, keepdims=True)))


def _calibrator(given: Stages, stage: int) -> Calibrator:
    """The calibrator of a stage. A saving depends on the shape near the cut, not on two numbers."""
    unfitted: Calibrator = Smooth() if len(given.application.classes) == 2 else Affine()
    scores = logarithms(given.posteriors[stage])
    return unfitted.fit(scores, given.labels, sample_weight=given.weights)


def calibrated(given: Stages, calibrators: tuple[Calibrator, ...]) -> Stages:
    """The same cases with calibrated posteriors."""
    said = [
        calibrators[s].posteriors(logarithms(given.posteriors[s])) for s in range(len(given.names))
    ]
    return given.part(np.arange(given.size), np.stack(said))


def place(cases: Stages, stage: int) -> FloatArray:
    """Where a case stands at a stage: its log odds, or with more classes its expected cost."""
    said = cases.posteriors[stage]
    if said.shape[1] == 2 and cases.case_costs is None:
        floored = np.clip(said, _TINY, None)
        return np.asarray(np.log(floored[:, 1] / floored[:, 0]))
    return np.asarray(cases.expected(stage).min(axis=1))


def best_route(routes: tuple[Route, ...], places: FloatArray) -> IntArray:
    """The stage that is expected to save most at each place; -1 where none saves anything."""
    best, found = np.zeros(places.shape), np.full(places.shape, -1, dtype=np.intp)
    for route in routes:
        gain = route.gain(places)
        found = np.where(gain > best, route.to, found)
        best = np.maximum(gain, best)
    return found


def _backwards(cases: Stages) -> tuple[tuple[tuple[Route, ...], ...], int]:
    """The routes of each stage, the last stage first, and the stage to begin with."""
    number, size = len(cases.names), cases.size
    rows = np.arange(size)
    decided = np.stack([cases.expected(s).argmin(axis=1) for s in range(number)])
    end = np.tile(np.arange(number)[:, None], size)  # where a case ends that reaches a stage
    spent = np.zeros((number, size))  # and what it pays from there on
    routes: list[tuple[Route, ...]] = [()] * number
    for s in reversed(range(number - 1)):
        here, at = place(cases, s), cases.costs_of(decided[s])
        found = []
        for t in range(s + 1, number):
            last = end[t]
            change = at - cases.costs_of(decided[last, rows])  # (n, K): zero where none
            expected = (cases.posteriors[last, rows] * change).sum(axis=1)
            real = change[rows, cases.labels]
            price = cases.prices[t] + spent[t]
            found.append(_route(t, here, (expected, real, price), cases.share))
        routes[s] = tuple(found)
        following = best_route(routes[s], here)
        for t in range(s + 1, number):
            goes = following == t
            end[s][goes] = end[t][goes]
            spent[s][goes] = cases.prices[t][goes] + spent[t][goes]
    totals = [
        float(cases.share @ (cases.prices[s] + spent[s] + cases.realised(decided[end[s], rows])))
        for s in range(number)
    ]
    return tuple(routes), int(np.argmin(totals))


# Why the expected saving is corrected in few bins: docs/design/resources.md.
def _route(to: int, here: FloatArray, parts: tuple[FloatArray, ...], share: FloatArray) -> Route:
    """The net saving as a line through bins: expected by posteriors, corrected by labels."""
    expected, real, price = parts
    fine = max(5, min(_BINS, len(here) // _IN_A_BIN))
    coarse = max(2, min(_CORRECTING_BINS, len(here) // _IN_A_CORRECTING_BIN))
    places, net = _bin_means(here, expected - price, share, fine)
    at, missed = _bin_means(here, real - expected, share, coarse)
    return Route(to, places, net + np.interp(places, at, missed))


def _bin_means(
    here: FloatArray, values: FloatArray, share: FloatArray, bins: int
) -> tuple[FloatArray, FloatArray]:
    """Mean place and mean value in bins of equally many cases, none of which parts equal places."""
    first = np.searchsorted(np.sort(here), here)  # the rank of the first case at the same place
    number = first * bins // len(here)
    mass = np.bincount(number, share, bins)
    some = mass > 0
    places = np.bincount(number, share * here, bins)[some] / mass[some]
    means = np.bincount(number, share * values, bins)[some] / mass[some]
    kept, first = np.unique(places, return_index=True)
    return kept, means[first]


def walked(cascade: Cascade, cases: Stages) -> tuple[IntArray, FloatArray, NDArray[np.bool_]]:
    """Where each case ends, what it has paid, and which stages (S, n) it was asked."""
    rows, at = np.arange(cases.size), np.full(cases.size, cascade.stages.index(cascade.first))
    asked = np.zeros((len(cases.names), cases.size), dtype=bool)
    asked[at, rows] = True
    for s in range(len(cases.names)):
        following = best_route(cascade._routes[s], place(cases, s))
        goes = (at == s) & (following >= 0)
        at = np.where(goes, following, at)
        asked[at, rows] = True
    return at, (cases.prices * asked).sum(axis=0), asked


def as_decisions(cases: Stages, at: IntArray) -> IntArray:
    """The decision of least expected cost at the stage where each case ends."""
    decided = np.stack([cases.expected(s).argmin(axis=1) for s in range(len(cases.names))])
    return np.asarray(decided[at, np.arange(cases.size)])
