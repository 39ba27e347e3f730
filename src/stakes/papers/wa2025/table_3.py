"""Table 3: the cost of choosing by each metric, as printed, and with what the text describes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stakes.papers.items import (
    COLOURS,
    LEGEND,
    Cell,
    Claim,
    Context,
    Item,
    Outcome,
    data_of,
    panels,
)
from stakes.papers.wa2025.case_costs import (
    CUSTOMERS,
    METRICS,
    ErrorCosts,
    as_coded,
    churn_costs,
    costed_scores,
    free_scores,
    revenues,
)
from stakes.papers.wa2025.claims import TABLE_3
from stakes.results import Frame, frame_of
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Share of positives and cost ratio of the four scenarios (section 4.4.2).
_SCENARIOS = ((0.2, 0.01), (0.2, 0.99), (0.01, 0.9), (0.01, 0.1))
_TRIALS = 1000
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


def _scenario(
    income: FloatArray, positives: float, ratio: float, *, power: float = 2.0
) -> Scenario:
    """Candidates whose true positive rate is a power of the false one: 0, 0.01, ..., 0.99."""
    count = round(positives * CUSTOMERS)
    rate = np.arange(0, 1, 0.01)
    alarms, hits = np.rint(rate * (CUSTOMERS - count)), np.rint(rate**power * count)
    return Scenario(count - hits, alarms, count, churn_costs(income, ratio), ratio)


def _chosen(case: Scenario) -> dict[str, int]:
    """The candidate that each metric likes best, the first of them where several are equal."""
    tables = case.tables
    scores = {**free_scores(tables), **costed_scores(tables, case.costs, case.ratio)}
    return {metric: int(np.argmax(scores[as_coded(metric)])) for metric in METRICS}


def _gaps(
    case: Scenario, rng: np.random.Generator, *, drawn: Drawn, trials: int = _TRIALS
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


def _printed_gaps(
    cases: Sequence[Scenario],
    *,
    trials: int = _TRIALS,
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
    return {metric: float(above[k]) for metric, k in _chosen(case).items()}


def _subsets(rng: np.random.Generator, trials: int, size: int) -> NDArray[np.intp]:
    """Random orders, one in each row."""
    return rng.random((trials, size), dtype=np.float32).argsort(axis=1)


_SEED = 142
#: Reading: power of the curve, what is drawn.
_VARIANTS: dict[str, tuple[float, Drawn]] = {
    "TPR = FPR^2, positives fixed in a trial": (2.0, "positives"),
    "TPR = FPR^2, one order of the positives": (2.0, "order"),
    "corrected curve TPR = sqrt(FPR)": (0.5, "anew"),
    "corrected curve, positives fixed in a trial": (0.5, "positives"),
    "corrected curve, one order of the positives": (0.5, "order"),
}
_AS_PRINTED = "as printed"
_ONE_ORDER = "TPR = FPR^2, one order of the positives"
#: Metrics with no gap above this in any scenario are said to choose well.
_WELL = 10.0


def compute(context: Context, trials: int = 1000) -> Outcome:
    """The printed table from the authors' stream of draws, and the other readings."""
    income = revenues(data_of(context))
    cases = [_scenario(income, *place) for place in _SCENARIOS]
    found = {_AS_PRINTED: _printed_gaps(cases, trials=trials, progress=context.progress)}
    for reading, (power, drawn) in _VARIANTS.items():
        rng = np.random.default_rng(_SEED)
        found[reading] = [
            _gaps(_scenario(income, *place, power=power), rng, drawn=drawn, trials=trials)
            for place in _SCENARIOS
        ]
    cells = [
        Cell(f"{metric} / scenario {k + 1}",
             float(TABLE_3[metric][k]) if reading == _AS_PRINTED else None,
             found[reading][k][metric], 0.5, reading)
        for reading in (_AS_PRINTED, "corrected curve TPR = sqrt(FPR)",
                        "corrected curve, positives fixed in a trial")
        for metric in METRICS
        for k in range(4)
    ]  # fmt: skip
    cells += [
        Cell(f"WA / scenario {k + 1}", 0.0, found[_ONE_ORDER][k]["WA"], 0.5, _ONE_ORDER,
             "nothing is lost when the positives do not change within a trial",
             source="independent")
        for k in range(4)
    ]  # fmt: skip
    rows = [
        (reading, metric, *(case[metric] for case in gaps))
        for reading, gaps in found.items()
        for metric in METRICS
    ]
    table = frame_of(("reading", "metric", *(f"scenario_{k + 1}" for k in range(4))), rows)
    return Outcome((*cells, *_areas()), {"gaps": table}, _REMARKS, _claims(found))


def _areas() -> list[Cell]:
    """Areas under the two curves."""
    return [
        Cell("area under TPR = FPR^2", 1 / 3, _area(2.0), 1e-6, "as printed", "the text says 2/3",
             source="equality"),
        Cell("area under TPR = sqrt(FPR)", 2 / 3, _area(0.5), 1e-6, "corrected curve",
             source="equality"),
    ]  # fmt: skip


def _area(power: float) -> float:
    """Area under a curve of rates, by trapezoids on 100,001 points."""
    rate = np.linspace(0, 1, 100_001)
    height = rate**power
    return float(((height[1:] + height[:-1]) / 2 * np.diff(rate)).sum())


def _most(found: dict[str, list[dict[str, float]]], reading: str) -> dict[str, float]:
    """The largest gap of each metric over the scenarios."""
    return {metric: max(case[metric] for case in found[reading]) for metric in METRICS}


def _claims(found: dict[str, list[dict[str, float]]]) -> tuple[Claim, ...]:
    """What the section concludes."""
    corrected = "corrected curve, positives fixed in a trial"
    printed, right = _most(found, _AS_PRINTED), _most(found, corrected)
    trio = ("WA", "H informed", "EWA")
    third = {reading: found[reading][2]["WA"] for reading in found}
    return (
        Claim(
            "The candidates follow TPR = FPR^2, a curve with an area of 2/3.",
            abs(_area(2.0) - 2 / 3) < 0.005,
            "That curve has an area of 1/3, worse than chance; TPR = sqrt(FPR) has 2/3. With it "
            f"the largest gap of F1 is {right['F1']:.0f} instead of {printed['F1']:.0f}, of "
            f"accuracy {right['accuracy']:.0f} instead of {printed['accuracy']:.0f}, of NPV "
            f"{right['NPV']:.0f} instead of {printed['NPV']:.0f}.",
            erratum=3,
        ),
        Claim(
            "Only WA, H informed and EWA choose nearly the best candidate in all four scenarios.",
            {m for m, gap in right.items() if gap < _WELL} == set(trio),
            f"Largest gaps as printed: {_listed(printed, trio)}; with the corrected curve and "
            f"positives fixed in a trial: {_listed(right, trio)}. The next is "
            f"{_next(right, trio)}.",
        ),
        Claim(
            "In the third scenario even WA loses 7 on average.",
            None if third[corrected] < 1 else True,
            "That is the noise of drawing new positives for every candidate: WA loses "
            f"{third[_AS_PRINTED]:.1f} as printed, "
            f"{third['TPR = FPR^2, positives fixed in a trial']:.1f} with positives fixed in a "
            f"trial, {third[corrected]:.1f} with the corrected curve too. If all candidates cut "
            f"one score, its largest loss in any scenario is {_most(found, _ONE_ORDER)['WA']:.1f}.",
        ),
    )


def _listed(gaps_of: dict[str, float], metrics: tuple[str, ...]) -> str:
    """Metrics with their gaps."""
    return ", ".join(f"{metric} {gaps_of[metric]:.1f}" for metric in metrics)


def _next(gaps_of: dict[str, float], without: tuple[str, ...]) -> str:
    """The metric with the smallest gap among the others."""
    metric = min((m for m in gaps_of if m not in without), key=lambda m: gaps_of[m])
    return f"{metric} with {gaps_of[metric]:.0f}"


_REMARKS = (
    "The printed numbers are matched draw by draw: the authors' generator (NumPy, seed 142) is "
    "asked for the same subsets in the same order.",
    "Who is positive is drawn anew for every candidate, so the cheapest candidate of a trial is "
    "partly the luckiest one. Drawing the positives once in a trial removes that.",
)


def _draw(outcome: Outcome) -> dict[str, Figure]:
    """The gaps as printed and with the corrected curve, on a scale that shows zeros."""
    table = outcome.tables["gaps"]
    figure, axes = panels(1, 4, width=3.1, height=5.4, sharey=True)
    readings = (_AS_PRINTED, "corrected curve, positives fixed in a trial")
    names = list(METRICS)[::-1]
    for k, ax in enumerate(axes):
        for shift, (color, marker, reading) in enumerate(
            zip(COLOURS, ("o", "^"), readings, strict=False)
        ):
            values = _column(table, reading, f"scenario_{k + 1}", names)
            ax.plot(values, np.arange(len(names)) + 0.18 * (1 - 2 * shift), marker, color=color,
                    markersize=4.5, label=reading, linestyle="none")  # fmt: skip
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xlim(-0.3, 9000)
        ax.set_yticks(range(len(names)), names)
        positives, ratio = _SCENARIOS[k]
        ax.set_title(f"{k + 1}: r+ = {positives:g}, r_C = {ratio:g}", loc="left", fontsize=9)
        ax.set_xlabel("cost above the best candidate")
    handles, labels = axes[0].get_legend_handles_labels()
    said = {**LEGEND, "handletextpad": 0.3}
    figure.legend(handles, labels, loc="outside upper left", ncols=2, **said)
    return {"table3": figure}


def _column(table: Frame, reading: str, column: str, names: list[str]) -> FloatArray:
    """A column of the table for a reading, in the order of names."""
    mine = table["reading"] == reading
    found = dict(zip(table["metric"][mine], table[column][mine], strict=True))
    return np.array([found[name] for name in names])


TABLE = Item(
    "table3", "Table 3: what choosing a candidate by each metric costs",
    compute, _draw, ("telco_churn",), 20.0,
)  # fmt: skip
