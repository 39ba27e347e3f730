"""Cascades: ask a cheap stage first, and a dearer one only where that is expected to pay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import of_kind, same_length
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._names import one_of
from stakes.application import Application, CaseCosts
from stakes.calibration import Affine, Calibrator, Smooth
from stakes.decisions.bayes import class_posteriors
from stakes.exceptions import CostError, DataError
from stakes.posteriors.class_order import ClassOrder
from stakes.resources.stage_cases import Stages
from stakes.typing import FloatArray, IntArray

#: With fewer labelled cases nothing can be said about what a further stage would change.
LEAST_CASES = 100
#: Bins over which an expected saving is averaged, and those for its correction by the labels.
_BINS, _CORRECTING_BINS = 30, 8
#: Cases in each of these bins, at least.
_IN_A_BIN, _IN_A_CORRECTING_BIN = 40, 100
_TINY = 1e-15


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
class Cascade(AnswersGuesses):
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
    _order: ClassOrder = field(default_factory=ClassOrder)

    @answers_guesses
    def step(
        self, stage: str, posteriors: Any, *, costs: CaseCosts | None = None
    ) -> tuple[IntArray, NDArray[Any]]:
        """What to decide now, and which stage to ask instead, for cases that are at a stage.

        Parameters
        ----------
        stage : str
            The stage that has just answered.
        posteriors : array-like of shape (n_cases, n_classes) or (n_cases,)
            What it said; columns in the order that `fit_cascade` was given.
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
        said = class_posteriors(posteriors, self.application.classes, self._order)
        values = None if costs is None else of_kind(costs, "costs", CaseCosts).values
        if values is not None:
            same_length("costs", len(values), "posteriors", len(said))
        if self.per_case and values is None:
            raise CostError("costs differ from case to case.", hint="step(..., costs=CaseCosts())")
        if values is not None and not self.per_case:
            raise CostError(
                "this cascade was fitted with the same costs in every case.",
                hint="leave out `costs`, or fit_cascade(..., costs=CaseCosts(...))",
            )
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
    counting = np.count_nonzero(given.share)
    if counting < LEAST_CASES:
        raise DataError(f"a cascade is learnt from {LEAST_CASES} cases or more; got {counting}.")
    calibrators = tuple(_calibrator(given, s) for s in range(len(given.names)))
    cases = calibrated(given, calibrators)
    routes, first = _backwards(cases)
    names, per_case = given.names, given.case_costs is not None
    app, start = given.application, names[first]
    return Cascade(app, names, start, calibrators, per_case, routes, given.order)


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
