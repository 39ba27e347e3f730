"""Table 3: what it costs to choose one of a hundred candidates by each metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes.experiments.wa2025.case_costs import CUSTOMERS, ErrorCosts, churn_costs
from stakes.experiments.wa2025.rated import METRICS, as_coded, costed_scores, free_scores
from stakes.typing import FloatArray

__all__ = ["SCENARIOS", "Drawn", "Scenario", "chosen", "gaps", "printed_gaps", "scenario"]

#: Share of positives and cost ratio of the four scenarios (section 4.4.2).
SCENARIOS = ((0.2, 0.01), (0.2, 0.99), (0.01, 0.9), (0.01, 0.1))
TRIALS = 1000
#: What is drawn anew for every candidate of a trial, or else once.
Drawn: TypeAlias = Literal["anew", "positives", "order"]


class Scenario(NamedTuple):
    """The candidates of a scenario, by their errors, and what errors cost."""

    misses: FloatArray
    alarms: FloatArray
    positives: int
    costs: ErrorCosts
    ratio: float

    @property
    def alarm_costs(self) -> FloatArray:
        """What the false alarms of each candidate cost; every alarm costs the same."""
        return np.asarray(self.alarms * self.costs.alarm[0])

    @property
    def tables(self) -> FloatArray:
        """Confusion matrices of the candidates."""
        negatives = CUSTOMERS - self.positives
        cells = np.stack(
            [negatives - self.alarms, self.alarms, self.misses, self.positives - self.misses],
            axis=-1,
        )
        return np.asarray(cells.reshape(-1, 2, 2))


def scenario(income: FloatArray, positives: float, ratio: float, *, power: float = 2.0) -> Scenario:
    """Candidates whose true positive rate is a power of the false one: 0, 0.01, ..., 0.99."""
    count = round(positives * CUSTOMERS)
    rate = np.arange(0, 1, 0.01)
    alarms, hits = np.rint(rate * (CUSTOMERS - count)), np.rint(rate**power * count)
    return Scenario(count - hits, alarms, count, churn_costs(income, ratio), ratio)


def chosen(case: Scenario) -> dict[str, int]:
    """The candidate that each metric likes best, the first of them where several are equal."""
    tables = case.tables
    scores = {**free_scores(tables), **costed_scores(tables, case.costs, case.ratio)}
    return {metric: int(np.argmax(scores[as_coded(metric)])) for metric in METRICS}


def gaps(
    case: Scenario, rng: np.random.Generator, *, drawn: Drawn, trials: int = TRIALS
) -> dict[str, float]:
    """Mean cost of each metric's choice above the cheapest candidate.

    In a trial, draw for every candidate anew who is positive ("anew", as the paper does); or draw
    the positives once, and for every candidate which of them it misses ("positives"); or draw the
    positives and one order of them once, as if all candidates cut one score ("order").
    """
    miss, totals = case.costs.miss, np.empty((trials, case.misses.size))
    at_stake = miss[_subsets(rng, trials, miss.size)[:, : case.positives]]
    for k, count in enumerate(case.misses.astype(int)):
        if drawn == "order":
            lost = at_stake[:, :count]
        elif drawn == "positives":
            which = _subsets(rng, trials, case.positives)[:, :count]
            lost = np.take_along_axis(at_stake, which, axis=1)
        else:  # a random part of random positives is a random part of all
            lost = miss[_subsets(rng, trials, miss.size)[:, :count]]
        totals[:, k] = case.alarm_costs[k] + lost.sum(axis=1)
    return _mean_gaps(case, totals)


def printed_gaps(
    cases: Sequence[Scenario],
    *,
    trials: int = TRIALS,
    progress: Callable[[float], None] = lambda _: None,
) -> list[dict[str, float]]:
    """The same, positives drawn for every candidate, from the authors' own stream of draws.

    It runs through the scenarios one after the other, so the loop cannot be turned into arrays.
    """
    rng, add = np.random.default_rng(142), np.add.reduce
    found = []
    for number, case in enumerate(cases):
        negatives, miss = CUSTOMERS - case.positives, case.costs.miss
        hits = (case.positives - case.misses).astype(int).tolist()
        alarms = case.alarms.astype(int).tolist()
        totals = np.empty((trials, len(hits)))
        for trial in range(trials):
            for k, (hit, alarm) in enumerate(zip(hits, alarms, strict=True)):
                at_stake = miss[rng.choice(CUSTOMERS, case.positives, replace=False)]
                totals[trial, k] = add(at_stake)
                if hit:
                    totals[trial, k] -= add(
                        at_stake[rng.choice(case.positives, hit, replace=False)]
                    )
                if alarm:
                    rng.choice(negatives, alarm, replace=False)  # keeps the stream in step
            if trial % 50 == 0:
                progress((number + trial / trials) / len(cases))
        found.append(_mean_gaps(case, totals + case.alarm_costs))
    return found


def _mean_gaps(case: Scenario, totals: FloatArray) -> dict[str, float]:
    """Mean over trials of the chosen candidate's cost above the least."""
    above = (totals - totals.min(axis=1, keepdims=True)).mean(axis=0)
    return {metric: float(above[k]) for metric, k in chosen(case).items()}


def _subsets(rng: np.random.Generator, trials: int, size: int) -> NDArray[np.intp]:
    """Random orders, one in each row."""
    return rng.random((trials, size), dtype=np.float32).argsort(axis=1)
