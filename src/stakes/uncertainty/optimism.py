"""Optimism: the least cost over thresholds is too low on the data that chose the threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._checks import as_level, as_whole
from stakes._guesses import AnswersGuesses
from stakes._kernels.interval_ends import percentile
from stakes._kernels.roc_hull import best_decisions, cross_fitted_counts
from stakes._kernels.run_bootstrap import draw_runs
from stakes._names import one_of
from stakes._random import as_generator
from stakes.application import Application, as_application
from stakes.exceptions import DataError
from stakes.metrics import at_min_cost
from stakes.metrics.summary_input import of_scores
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.intervals.count_intervals import Asked
from stakes.uncertainty.intervals.interval import OF_SCORES, Interval, refuse_weights, seed_of
from stakes.uncertainty.intervals.linear_costs import as_stakes, cost_sum

#: NumPy cannot divide more cases into folds, and their optimism is far below rounding.
_LARGEST = 10**9
#: Largest product of runs and draws of a bootstrap; it takes a few seconds.
_WORK = 2e7
#: Counts of negatives and of positives, run by run.
Runs = tuple[Any, Any]


@dataclass(frozen=True, repr=False)
class MinCostOptimism(AnswersGuesses):
    """The least cost on the data, and what to expect on new data.

    What `min_cost_optimism` returns.

    Parameters
    ----------
    apparent : float
        Least cost on these very data: too low.
    new_data : float
        Cost to expect on new cases if the threshold is chosen on data like these: what a
        user will pay.
    least : float
        Estimate of the least cost of any threshold in the population: halfway between both,
        because the first is about as much too low as the second is too high.
    method : str
        How `new_data` was found.
    threshold : float or None
        The threshold of least cost on these data; None if there is not a single one.
    threshold_range : pair of float or None
        Its 95 % range if the cases were drawn again; see `threshold_range`.
    """

    apparent: float
    new_data: float
    least: float
    method: str
    threshold: float | None = None
    threshold_range: tuple[float, float] | None = None

    @property
    def optimism(self) -> float:
        """How much more the chosen threshold costs on new cases than on these data."""
        return self.new_data - self.apparent

    def __repr__(self) -> str:
        where = ""
        if self.threshold is not None and self.threshold_range is not None:
            low, high = self.threshold_range
            where = f"; threshold {self.threshold:.4g}, on other draws {low:.4g} to {high:.4g}"
        return (
            f"<MinCostOptimism: looks like {self.apparent:.4g}, will be {self.new_data:.4g} on new "
            f"cases{where}>"
        )

    def frame(self) -> Frame:
        """One row: apparent, new_data, least, optimism."""
        names = ("apparent", "new_data", "least", "optimism")
        return Frame({name: [getattr(self, name)] for name in names})


# docs/design/intervals.md says why the least cost is corrected halfway.
@of_scores
def min_cost_optimism(
    scores: RankedScores,
    application: Any,
    *,
    method: str = "cross_fit",
    normalized: bool = False,
    folds: int = 10,
    draws: int | None = None,
    rng: RandomSource = None,
) -> MinCostOptimism:
    """How much of a minimum cost is due to choosing the threshold on the same data.

    Show `new_data` to people who will choose their threshold on these data, `least` to people
    who want to know what the scores are worth. With few positives the apparent minimum alone
    is misleading: with 16 of them, some 0.1 too low in normalised cost.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    application : Application or CostMatrix
        Costs and priors; without priors, those of the data.
    method : {"cross_fit", "bootstrap"}
        Choose thresholds on all folds but one and count their cost on that one; or choose them
        on replicates and compare their cost there and on the data [1]_, which finds only about a
        third of the optimism.
    normalized : bool
        Divide by the cost of the best naive decision.
    folds : int
        Parts into which the cases of each class are divided at random.
    draws : int, optional
        Number of random divisions to average, by default 5, fewer for large data; or number of
        bootstrap replicates, by default 200.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    MinCostOptimism
        In the unit of the costs.

    References
    ----------
    .. [1] B. Efron, "Estimating the error rate of a prediction rule: improvement on
       cross-validation", JASA 78, 1983.

    Examples
    --------
    >>> from stakes import Application, ScoreCounts
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 10 == 0
    >>> sc = ScoreCounts.from_scores(y, rng.normal(2.0 * y), kind="rank")
    >>> found = min_cost_optimism(sc, Application([[0, 1], [10, 0]]), rng=0)
    >>> found.apparent < found.least < found.new_data
    True
    """
    search = _Search.of(scores, application, normalized)
    apparent = search.cost(search.best)
    if one_of(method, "method", ("cross_fit", "bootstrap")) == "cross_fit":
        new = search.cost(search.cross_fitted(folds, draws, rng))
    else:
        new = apparent + search.bootstrap_gap(200 if draws is None else draws, rng)
    if search.app.costs.shape != (2, 2):
        return MinCostOptimism(apparent, new, (apparent + new) / 2, method)
    moved = search.threshold_range(as_level(0.95), None, rng)
    best = at_min_cost(scores, search.app).threshold
    return MinCostOptimism(apparent, new, (apparent + new) / 2, method, best, moved)


@of_scores
def threshold_range(
    scores: RankedScores,
    application: Any,
    *,
    level: float = 0.95,
    draws: int | None = None,
    rng: RandomSource = None,
) -> tuple[float, float]:
    """The range of the threshold of least cost if the cases were drawn again.

    The cost is flat around its minimum, so a threshold tuned on few cases may lie anywhere in a
    wide range. The threshold that follows from the costs (`Application.posterior_threshold`) does
    not vary at all, but needs calibrated posteriors.

    Parameters
    ----------
    scores : ScoreCounts or ScoreBins
        Of any kind; only the order counts.
    application : Application or CostMatrix
        Costs of two decisions, and priors; without priors, those of the data.
    level : float
        Share of the draws inside the range.
    draws : int, optional
        Bootstrap draws of the cases of each class, by default 400, fewer for large data.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    tuple of float
        Both ends, in the units of the scores; infinite where some draws always, or never, act.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(2000) % 10 == 0
    >>> low, high = threshold_range(y, rng.normal(2.0 * y), {"fn": 10, "fp": 1})
    >>> low < 1 < high
    True
    """
    search = _Search.of(scores, application, normalized=False)
    if search.app.costs.shape != (2, 2):
        raise DataError(f"one threshold separates 2 decisions; got {search.app.costs.shape[1]}.")
    return search.threshold_range(as_level(level), draws, rng)


@dataclass(frozen=True, eq=False)
class _Search:
    """A search for the best threshold: scores, costs and priors, and what to divide by."""

    scores: RankedScores
    app: Application
    priors: FloatArray
    divisor: float

    @classmethod
    def of(cls, scores: RankedScores, application: Any, normalized: bool) -> _Search:
        """Check the arguments, and standardise the costs if they are to be normalised."""
        if application is None:
            raise DataError("`min_cost` needs costs.", hint="application=stakes.Application(...)")
        app = as_application(application)
        require_both(scores, "min_cost")
        refuse_weights(np.concatenate(scores.runs[:2]).astype(np.float64), instead=OF_SCORES)
        priors = app.resolved_priors(scores.priors)
        if not normalized:
            return cls(scores, app, priors, 1.0)
        app = app.with_costs(app.costs.standardized())
        return cls(scores, app, priors, float((priors @ app.costs.values).min()))

    @property
    def best(self) -> FloatArray:
        """Counts by class and decision at the best threshold on these data."""
        return np.asarray(at_min_cost(self.scores, self.app).confusion.counts)

    def cost(self, counts: FloatArray) -> float:
        """Expected cost of (possibly fractional) counts."""
        rates = ConfusionMatrix(counts, self.app.classes, self.app.decisions).rates
        return float((self.priors[:, None] * rates * self.app.costs.values).sum()) / self.divisor

    def chosen(self, runs: Runs) -> Any:
        """The decision of least cost for each run, of negatives and positives."""
        return best_decisions(*runs, self.app.costs.values, self.priors)

    def decided(self, runs: Runs, chosen: Any) -> float:
        """The cost when each run gets its decision."""
        n = len(self.app.decisions)
        return self.cost(np.stack([np.bincount(chosen, cases, minlength=n) for cases in runs]))

    def cross_fitted(self, folds: int, draws: int | None, rng: RandomSource) -> FloatArray:
        """Counts by class and decision, each case decided without its fold."""
        scores, fewest = self.scores, int(self.scores.class_totals.min())
        folds = as_whole(folds, "folds")
        if folds < 2 or fewest < 2:
            raise DataError(
                "cross-fitting needs at least 2 folds and 2 cases of each class; got "
                f"{folds} folds and {fewest} cases."
            )
        if scores.total >= _LARGEST:
            return self.best  # the optimism is negligible
        usual = 5 if scores.total <= 20_000 else 2
        draws = usual if draws is None else as_whole(draws, "draws")
        first, second = (np.asarray(counts, dtype=np.int64) for counts in scores.runs[:2])
        costs, how = self.app.costs.values, {"folds": min(folds, fewest), "draws": draws}
        return cross_fitted_counts(first, second, costs, self.priors, **how, rng=as_generator(rng))

    def threshold_range(
        self, level: float, draws: int | None, rng: RandomSource
    ) -> tuple[float, float]:
        """The range of the best threshold over draws of the cases of each class."""
        first, second = self.scores.runs[:2]
        if draws is None:
            draws = int(np.clip(_WORK / first.shape[0], 50, 400))
        (tn, fp), (fn, tp) = self.app.costs.values
        alarm, miss = self.priors * (fp - tn, fn - tp) / self.scores.class_totals
        generator, cuts = as_generator(rng), []
        for _ in range(as_whole(draws, "draws")):
            a, b = (generator.multinomial(int(c.sum()), c / c.sum()) for c in (first, second))
            lost = miss * np.concatenate(([0.0], np.cumsum(b)))
            cuts.append(int(np.argmin(lost - alarm * np.concatenate(([0.0], np.cumsum(a))))))
        found = self.scores.cuts_at(np.asarray(cuts, dtype=np.intp))
        ends = [(1 - level) / 2, (1 + level) / 2]
        low, high = np.quantile(found, ends, method="inverted_cdf").tolist()
        return low, high

    def bootstrap_gap(self, draws: int, rng: RandomSource) -> float:
        """Mean cost of the replicates' thresholds on the data, minus that on the replicates."""
        here, generator, gaps = self.scores.runs[:2], as_generator(rng), []
        for _ in range(as_whole(draws, "draws")):
            a, b = (generator.multinomial(int(c.sum()), c / c.sum()) for c in here)
            chosen = self.chosen((a, b))
            gaps.append(self.decided(here, chosen) - self.decided((a, b), chosen))
        return float(np.mean(gaps))


def min_cost_interval(scores: RankedScores, asked: Asked, method: str) -> Interval:
    """Interval of the least cost in the population; see `stakes.uncertainty.interval`.

    "score": the score interval of the counts halfway between those of the best threshold on
    the data and the cross-fitted ones. "percentile": replicates of the minimum, moved up by
    their own bias.
    """
    search = _Search.of(scores, asked.application, asked.normalized)
    asked = replace(asked, rng=seed_of(asked.rng))  # divisions and draws from one seed
    counts = (search.best + search.cross_fitted(10, None, asked.rng)) / 2
    apparent, least = search.cost(search.best), search.cost(counts)
    notes = (f"optimism corrected: {apparent:.4g} on these very data",)
    cases = scores.class_totals, scores.classes
    if method == "score":
        total = cost_sum(counts, as_stakes(search.app), normalized=asked.normalized)
        return asked.found(method, total.value, total.limits, cases, notes=notes)

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        pairs = draw_runs(*scores.runs[:2], size, generator)
        return np.array([search.decided(pair, search.chosen(pair)) for pair in pairs])

    def rule(at: float, values: FloatArray) -> tuple[float, float]:
        shift = 2 * (apparent - float(values.mean()))
        low, high = percentile(values, at)
        return low + shift, high + shift

    return asked.found(method, least, rule, cases, notes=notes, replicates=asked.drawn(draw))
