"""What a cascade is worth: beside each stage alone, confidence thresholds, and an oracle."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_level, as_whole
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._names import one_of
from stakes.calibration import stratified_folds
from stakes.exceptions import DataError
from stakes.messages.quantities import grouped, money, percent
from stakes.resources.stage_cascade import (
    LEAST_CASES,
    Cascade,
    as_decisions,
    calibrated,
    fitted_cascade,
    walked,
)
from stakes.resources.stage_cases import Stages
from stakes.results import Frame
from stakes.typing import FloatArray, IntArray, Name, RandomSource

#: Confidences tried as thresholds of each stage, and how often each stage is tuned in turn where
#: there are more than three.
_THRESHOLDS, _ROUNDS = 25, 3
#: The rows of the table that are no stage.
CASCADE, NO_STAGE, CONFIDENCE, ORACLE = "cascade", "no stage", "confidence thresholds", "oracle"


@dataclass(frozen=True, eq=False, repr=False)
class CascadeEvaluation(AnswersGuesses):
    """What a cascade costs on cases that it was not learnt from; from `evaluate_cascade`.

    Parameters
    ----------
    cascade : Cascade
        Learnt from all the cases, to be used.
    costs : mapping of str to array of shape (n_cases,)
        What each case costs, prices included: the cascade, each stage alone, the best decision
        without any stage, thresholds on the confidence of each stage, and an oracle that asks
        only where it must.
    shares : array of shape (n_cases,)
        What each case weighs; together 1.
    asked : mapping of str to float
        Share of the cases that the cascade asks each stage.
    prices : float
        What the cascade pays per case for asking.
    level : float
        Of the intervals.
    naive_decision : name
        What is decided in all cases where no stage is asked.
    """

    cascade: Cascade
    costs: Mapping[str, FloatArray]
    shares: FloatArray
    asked: Mapping[str, float]
    prices: float
    level: float
    naive_decision: Name

    @property
    def best_stage(self) -> str:
        """The stage that is cheapest alone; "no stage" where asking none is cheaper."""
        return min((*self.cascade.stages, NO_STAGE), key=self.cost)

    def cost(self, name: str = CASCADE) -> float:
        """Cost per case, prices included."""
        return float(self.shares @ self.costs[one_of(name, "name", self.costs)])

    def saving(self, name: str | None = None) -> tuple[float, float, float]:
        """What the cascade saves per case against another row, and the interval of it.

        Against the best single stage, or none, if no row is named. Cases are paired; the interval
        is that of a mean.
        """
        other = self.best_stage if name is None else one_of(name, "name", self.costs)
        return _mean(self.costs[other] - self.costs[CASCADE], self.shares, self.level)

    @property
    def way_to_oracle(self) -> float:
        """Share of the way from the best single stage to the oracle; nan where both are alike."""
        room = self.cost(self.best_stage) - self.cost(ORACLE)
        return (self.cost(self.best_stage) - self.cost()) / room if room > 0 else float("nan")

    def frame(self) -> Frame:
        """One row for each way to decide: its cost, and what the cascade saves against it."""
        costs = {name: _mean(each, self.shares, self.level) for name, each in self.costs.items()}
        saved = {name: self.saving(name) for name in costs}
        columns: dict[str, list[Any]] = {"way": list(costs)}
        for title, values in (("cost", costs), ("cascade_saves", saved)):
            for k, end in enumerate(("", "_low", "_high")):
                columns[title + end] = [each[k] for each in values.values()]
        return Frame(columns)

    @property
    def text(self) -> str:
        """The verdict in one to four sentences."""
        app = self.cascade.application
        factor, each = 1.0, "per case"
        if app.volume is not None:
            factor = app.volume
            each = f"a {app.period}" if app.period else f"on {grouped(app.volume)} cases"
        return self._verdict(factor, each) + self._rival(factor, each)

    def _verdict(self, factor: float, each: str) -> str:
        """What to ask, and what that saves."""
        saved, low, high = (factor * value for value in self.saving())
        amount = money(saved, self.cascade.application.unit)
        ends = " to ".join(money(value, None) for value in (low, high))
        none = f"always deciding '{self.naive_decision}'"
        asking, best = f"asking only {self.best_stage}", f"Ask only {self.best_stage}"
        if self.best_stage == NO_STAGE:
            asking, best = none, f"Ask no stage: {none} costs less than asking any"
        if saved <= 0:
            return f"{best}. A cascade would save nothing: {amount} {each} ({ends})."
        if low <= 0:
            return (
                f"{best}. A cascade might save {amount} {each}, but the interval includes 0 "
                f"({ends})."
            )
        first, *others = (f"{name} in {percent(share, 0)}" for name, share in self.asked.items())
        return (
            f"Use the cascade. It saves {amount} {each} ({ends}) compared with {asking}, "
            f"{percent(self.way_to_oracle, 0)} of what an oracle that knows whom to ask would "
            f"save. It asks {', '.join([f'{first} of cases', *others])}."
        )

    def _rival(self, factor: float, each: str) -> str:
        """A sentence about confidence thresholds, if they cost less than the cascade."""
        less, high, low = (-factor * value for value in self.saving(CONFIDENCE))
        if less <= 0:
            return ""
        amount = money(less, self.cascade.application.unit)
        ends = " to ".join(money(value, None) for value in (low, high))
        doubt = "" if low > 0 else ", which may be chance"
        return f" Thresholds on confidence cost {amount} less {each} ({ends}){doubt}."

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<CascadeEvaluation of {grouped(len(self.shares))} cases: {self.cost():.4g} a case>"


@answers_guesses
def evaluate_cascade(
    y_true: Any,
    stages: Mapping[str, Any],
    *,
    prices: Mapping[str, Any],
    costs: Any = None,
    application: Any = None,
    sample_weight: Any = None,
    folds: int = 5,
    rng: RandomSource = 0,
    level: float = 0.95,
    classes: Any = None,
    positive: Any = None,
) -> CascadeEvaluation:
    """What a cascade costs, beside every single stage or none, confidence thresholds and an oracle.

    Every case is judged by a cascade that was learnt without its fold, calibration included.

    Parameters
    ----------
    y_true, stages, prices, costs, application, sample_weight, classes, positive
        As in `fit_cascade`.
    folds : int
        Number of stratified folds.
    rng : None, int or Generator
        For the folds.
    level : float
        Of the intervals.

    Returns
    -------
    CascadeEvaluation
        Printing it gives the verdict; `.frame()` the table.

    Notes
    -----
    "Confidence thresholds" asks the next stage where the greatest posterior of a stage is below a
    threshold, tuned on the same folds; it decides by least expected cost too. The oracle knows
    the truth: it takes the stage whose decision and price cost least together. It is out of reach.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.3
    >>> weak, strong = (1 / (1 + np.exp(-rng.normal(k * (2 * truth - 1), k**0.5))) for k in (1, 9))
    >>> found = evaluate_cascade(truth.astype(int), {"small": weak, "large": strong},
    ...                          prices={"small": 0, "large": 0.05}, costs={"fn": 1, "fp": 1})
    >>> found.cost() < min(found.cost("small"), found.cost("large"))
    True
    """
    given = Stages.of(
        y_true, stages, prices, costs=costs, application=application,
        sample_weight=sample_weight, classes=classes, positive=positive,
    )  # fmt: skip
    level, whole = as_level(level), fitted_cascade(given)
    folds = as_whole(folds, "folds", 2)
    clash = {CASCADE, NO_STAGE, CONFIDENCE, ORACLE} & set(given.names)
    if clash:
        raise DataError(f"a stage cannot be called {clash.pop()!r}, which is a row of the result.")
    fold = np.asarray(stratified_folds(given.labels, folds=folds, rng=rng))
    least = given.size - int(np.bincount(fold).max())
    if least < LEAST_CASES:
        raise DataError(
            f"without one of {folds} parts, {least} of {given.size} cases are left, and a cascade "
            f"is learnt from {LEAST_CASES} or more."
        )
    rows = (CASCADE, *given.names, NO_STAGE, CONFIDENCE, ORACLE)
    found = {name: np.zeros(given.size) for name in rows}
    asked, paid = np.zeros((len(given.names), given.size), dtype=bool), np.zeros(given.size)
    for k in np.unique(fold):
        inside, outside = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        cascade = fitted_cascade(given.part(outside))
        learnt, new = (
            calibrated(given.part(rows), cascade.calibrators) for rows in (outside, inside)
        )
        at, paid[inside], asked[:, inside] = walked(cascade, new)
        found[CASCADE][inside] = paid[inside] + new.realised(as_decisions(new, at))
        for name, cost in _others(learnt, new).items():
            found[name][inside] = cost
    share = given.share
    naive, found[NO_STAGE] = _naive(given)
    each = {name: min(float(share @ asked[s]), 1.0) for s, name in enumerate(given.names)}
    return CascadeEvaluation(whole, found, share, each, float(share @ paid), level, naive)


def _naive(cases: Stages) -> tuple[Name, FloatArray]:
    """The cheapest decision if all cases get the same one, and what each case then costs."""
    decisions = cases.application.decisions
    costs = [cases.realised(np.full(cases.size, j)) for j in range(len(decisions))]
    best = int(np.argmin([cases.share @ each for each in costs]))
    return decisions[best], costs[best]


def _others(learnt: Stages, new: Stages) -> dict[str, FloatArray]:
    """What new cases cost by each stage alone, by confidence thresholds, and by an oracle."""
    alone = np.stack([new.realised(d) for d in _decided(new)])
    single = {name: new.prices[s] + alone[s] for s, name in enumerate(new.names)}
    oracle = (alone + new.prices).min(axis=0)
    thresholds = _tuned(learnt)
    at = _stopped(_confidence(new), thresholds)
    rows = np.arange(new.size)
    by_confidence = new.prices.cumsum(axis=0)[at, rows] + alone[at, rows]
    return {**single, CONFIDENCE: by_confidence, ORACLE: oracle}


def _decided(cases: Stages) -> list[IntArray]:
    """The decision of least expected cost at each stage."""
    return [cases.expected(s).argmin(axis=1) for s in range(len(cases.names))]


def _confidence(cases: Stages) -> FloatArray:
    """The greatest posterior of each case at each stage."""
    return np.asarray(cases.posteriors.max(axis=2))


def _stopped(confidence: FloatArray, thresholds: Any) -> IntArray:
    """The first stage that is as sure as its threshold; the last one otherwise."""
    at = np.full(confidence.shape[1], confidence.shape[0] - 1)
    for s in reversed(range(confidence.shape[0] - 1)):
        at = np.where(confidence[s] >= thresholds[s], s, at)
    return at


def _tuned(cases: Stages) -> list[float]:
    """The thresholds of least cost: all combinations of two, in turn where there are more."""
    confidence = _confidence(cases)
    alone = np.stack([cases.realised(d) for d in _decided(cases)])
    total, share, rows = cases.prices.cumsum(axis=0) + alone, cases.share, np.arange(cases.size)
    steps = np.linspace(0, 1, _THRESHOLDS)
    grids = [[*np.unique(np.quantile(each, steps)).tolist(), np.inf] for each in confidence[:-1]]

    def cost(thresholds: Any) -> float:
        return float(share @ total[_stopped(confidence, thresholds), rows])

    if len(grids) <= 2:
        return list(min(itertools.product(*grids), key=cost))
    found = [grid[-1] for grid in grids]
    for s, grid in list(enumerate(grids)) * _ROUNDS:
        tried = [[*found[:s], value, *found[s + 1 :]] for value in grid]
        found = min(tried, key=cost)
    return found


def _mean(values: FloatArray, share: FloatArray, level: float) -> tuple[float, float, float]:
    """A weighted mean and its normal interval."""
    from scipy.special import ndtri

    mean = float(share @ values)
    spread = float(np.sqrt((share**2 * (values - mean) ** 2).sum()))
    half = float(ndtri((1 + level) / 2)) * spread
    return mean, mean - half, mean + half
