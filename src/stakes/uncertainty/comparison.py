"""Comparison of systems by what their decisions cost on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from stakes._checks import as_level
from stakes._columns import in_brief
from stakes._guesses import AnswersGuesses, answers_guesses
from stakes._kernels.cell_draws import posterior_cells, replicated_costs
from stakes._kernels.interval_ends import percentile
from stakes._names import listed, one_of, place_of
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import check_names
from stakes.results import Frame
from stakes.summaries import GroupedCounts, PairedCounts
from stakes.typing import FloatArray, Name, RandomSource
from stakes.uncertainty.differences import (
    Difference,
    Gap,
    adjusted,
    as_margin,
    drawn_law,
    group_gap,
    paired_p,
    score_law,
)
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums
from stakes.uncertainty.intervals.count_intervals import sum_draws
from stakes.uncertainty.intervals.group_intervals import carrying_groups, group_cases, group_draws
from stakes.uncertainty.intervals.interval import (
    MIN_CASES,
    OF_SYSTEMS,
    Draw,
    Replicates,
    refuse_weights,
    seed_of,
    shortage,
)
from stakes.uncertainty.intervals.linear_costs import Stakes, as_stakes, cost_sum, difference_sum

#: Counts of several systems on the same cases: plain, in groups, or of cases with weights.
Paired = PairedCounts | GroupedCounts | CaseRows | CellSums


def cost_draws(given: Sequence[Paired], stakes: Stakes, normalized: bool) -> Draw:
    """Joint draws of all systems' costs, each under an application drawn by its weight.

    `given` is one item with all systems on the same cases, or one item per system. Results keep
    the returned object, so it can be pickled.
    """
    return partial(_drawn_costs, tuple(given), stakes, normalized)


def _drawn_costs(
    given: Sequence[Paired],
    stakes: Stakes,
    normalized: bool,
    size: int,
    generator: np.random.Generator,
) -> FloatArray:
    """The cost of each system in each of `size` replicates."""
    cells = [_cells(given[0], stakes, size, generator)] if len(given) == 1 else []
    chosen = generator.choice(len(stakes.applications), size=size, p=stakes.weights)
    cells = cells or [_cells(one, stakes, size, generator) for one in given]
    found = [
        _costs(_joint(one), drawn, chosen, stakes, normalized)
        for one, drawn in zip(given, cells, strict=True)
    ]
    return np.concatenate(found, axis=1)


def _joint(given: Paired) -> PairedCounts:
    """The joint counts of all cases."""
    return given if isinstance(given, PairedCounts) else given.joint


def _cells(given: Paired, stakes: Stakes, size: int, generator: np.random.Generator) -> FloatArray:
    """Replicates of the joint cells, by whole groups if there are any."""
    if not isinstance(given, PairedCounts):
        return group_draws(given, size, generator)
    strata = given.cells[:, 0] if stakes.with_priors else None
    return posterior_cells(given.counts, strata, size, generator, prior=0.0)


def _costs(
    joint: PairedCounts, cells: FloatArray, chosen: Any, stakes: Stakes, normalized: bool
) -> FloatArray:
    """The cost of each system in each replicate, under the application chosen for it."""
    classes, found = joint.cells[:, 0], np.empty((len(chosen), len(joint.systems)))
    for k in np.unique(chosen):
        app, rows = stakes.applications[k], chosen == k
        table = app.costs.standardized().values if normalized else app.costs.values
        costs = table[classes[:, None], joint.cells[:, 1:]]
        values = replicated_costs(cells[rows], classes, costs, app.priors)
        if normalized and app.priors is not None:
            values = values / float((app.priors @ table).min())
        elif normalized:
            naive = replicated_costs(cells[rows], classes, table[classes], None)
            values = values / naive.min(axis=1, keepdims=True)
        found[rows] = values
    return found


def probabilities_best(costs: FloatArray) -> FloatArray:
    """How often each column is the smallest; ties are shared."""
    known = costs[np.isfinite(costs).all(axis=1)]
    least = known <= known.min(axis=1, keepdims=True)
    return np.asarray((least / least.sum(axis=1, keepdims=True)).mean(axis=0))


# docs/design/intervals.md says why chances and intervals follow one law.
def chances_by_law(
    draws: FloatArray, best: int, laws: Mapping[int, Callable[[FloatArray], FloatArray]]
) -> FloatArray:
    """How often each system costs least, if each gap to the best one follows its own law.

    `laws` are the quantiles of the cost of each other system minus that of the best. The ranks of
    the draws are kept, and with them the dependence between gaps. Systems that never differ share
    their chance.
    """
    known = draws[np.isfinite(draws).all(axis=1)]
    gaps = known - known[:, best : best + 1]
    size = float(np.abs(known).max(initial=0.0))
    for k, law in laws.items():
        if np.abs(gaps[:, k]).max(initial=0.0) > _ALIKE * size:
            shares = (np.argsort(np.argsort(gaps[:, k])) + 0.5) / len(gaps)
            found = law(shares)
            gaps[:, k] = np.where(np.isfinite(found), found, gaps[:, k])
        else:
            gaps[:, k] = 0.0
    return probabilities_best(gaps)


#: Draws of two systems that differ by less than this share differ only by rounding.
_ALIKE = 1e-13


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(AnswersGuesses):
    """What several systems cost, which is best, and how sure that is.

    What `compare`, `compare_across` and `compare_scores` return.

    Parameters
    ----------
    systems : tuple of names
        In the order given.
    costs : array of float
        The cost of each.
    probability_best : array of float
        Probability that each is the cheapest, over sampling and over uncertain costs; ties
        are shared. If two systems do not differ significantly at 95 %, neither has more than
        97.5 %, unless costs are uncertain.
    differences : tuple of Difference
        Every pair, the cheaper system first.
    notes : tuple of str
        What a reader should know.
    too_few : bool
        Whether there were too few cases for a verdict.
    replicates : Replicates
        The draws of all costs, (n_replicates, n_systems).
    rule : callable, optional
        Makes the same comparison at another level.
    best_is : str
        What the best system is called: "cheapest", or "best by" a metric.
    measure : str
        What the costs and their differences are: "NEC", "EUR per case", or a metric.
    """

    systems: tuple[Name, ...]
    costs: FloatArray
    probability_best: FloatArray
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    too_few: bool
    replicates: Replicates
    rule: AtLevel | None = None
    best_is: str = "cheapest"
    measure: str = "cost per case"

    @property
    def best(self) -> Name:
        """The system of least cost on these data."""
        return self.systems[int(np.argmin(self.costs))]

    @property
    def verdict(self) -> str:
        """The conclusion in a sentence."""
        if self.too_few:
            return f"cannot say: {self.notes[0]}"
        rivals = [d for d in self.differences if self.best in (d.first, d.second) and not d.decided]
        if not rivals:
            return f"{self.best} is {self.best_is}"
        if any(d.equivalent for d in rivals):
            names = [d.second if d.first == self.best else d.first for d in rivals]
            return f"{self.best} or {names[0]}: equivalent within the margin"
        return str(min(rivals, key=lambda d: abs(d.value)))

    def difference(self, first: Name, second: Name) -> Difference:
        """Cost of `first` minus cost of `second`."""
        for found in self.differences:
            at = place_of(first, pair := (found.first, found.second)), place_of(second, pair)
            if at in ((0, 1), (1, 0)):
                return found if at == (0, 1) else found.turned()
        raise DataError(
            f"no pair {in_brief(first)}, {in_brief(second)}; there are {listed(self.systems)}."
        )

    def at(self, level: float) -> Comparison:
        """The same comparison with intervals of another level, from the same draws."""
        if self.rule is None:
            raise DataError("this comparison keeps no rule to change its level.")
        return replace(
            self.rule(level), replicates=self.replicates, probability_best=self.probability_best
        )

    def more(self, draws: int) -> Comparison:
        """The same with this many more draws for the probabilities."""
        grown = self.replicates.more(draws)
        chances = probabilities_best if self.rule is None else self.rule.chances
        return replace(self, replicates=grown, probability_best=chances(grown.values))

    def frame(self) -> Frame:
        """One row per pair: systems, difference, interval, p-values."""
        rows = self.differences
        named = {name: [str(getattr(d, name)) for d in rows] for name in ("first", "second")}
        numbers = {
            name: [getattr(d, name) for d in rows]
            for name in ("low", "high", "p_value", "adjusted")
        }
        return Frame({**named, "difference": [d.value for d in rows], **numbers})

    def __str__(self) -> str:
        return f"{self.frame()}\n(difference in {self.measure})\n\n{self.verdict}"

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems: {self.verdict}>"


def compared(
    systems: Sequence[Name],
    costs: FloatArray,
    drawn: Replicates,
    gap: Callable[[int, int], Gap],
    short: tuple[bool, tuple[str, ...]],
    *,
    margin: float | None = None,
    simultaneous: bool = False,
    word: str = "",
    measure: str,
    mixed: bool = False,
) -> AtLevel:
    """Make the comparison at a level from the `gap` of each pair, the better system first.

    If costs are uncertain (`mixed`), the chance of being best is over them too, so no law of an
    average difference describes it.
    """
    margin, (refused, notes) = as_margin(margin), short
    pairs = [sorted(p, key=lambda k: costs[k]) for p in combinations(range(len(systems)), 2)]
    gaps = tuple(gap(first, second) for first, second in pairs)
    best = int(np.argmin(costs))
    near = {
        b: partial(_turned, each.law) for (a, b), each in zip(pairs, gaps, strict=True) if a == best
    }
    known: Any = {"systems": tuple(systems), "costs": costs}
    known |= {"notes": notes, "too_few": refused, "replicates": drawn, "measure": measure}
    return AtLevel(known, gaps, None if mixed else (best, near), margin, simultaneous, word)


@dataclass(frozen=True, slots=True, eq=False)
class AtLevel:
    """Makes the comparison of systems at any level; not a closure, because results are pickled.

    `laws` are the best system and the arguments of `chances_by_law` for the others.
    """

    known: dict[str, Any]
    gaps: tuple[Gap, ...]
    laws: tuple[int, Mapping[int, Callable[[FloatArray], FloatArray]]] | None
    margin: float | None
    simultaneous: bool
    word: str

    def chances(self, draws: FloatArray) -> FloatArray:
        """How often each system costs least."""
        return probabilities_best(draws) if self.laws is None else chances_by_law(draws, *self.laws)

    def __call__(self, level: float) -> Comparison:
        """The comparison, with intervals of this level."""
        level = as_level(level)
        reach = 1 - (1 - level) / len(self.gaps) if self.simultaneous else level
        found = [each.at(level, reach=reach, margin=self.margin) for each in self.gaps]
        if self.word:
            found = [replace(each, better=f"better by {self.word}") for each in found]
        how = f"best by {self.word}" if self.word else "cheapest"
        known = self.known | {"probability_best": self.chances(self.known["replicates"].values)}
        return Comparison(**known, differences=tuple(adjusted(found)), rule=self, best_is=how)


def _turned(law: Callable[[FloatArray], FloatArray], shares: FloatArray) -> FloatArray:
    """The quantiles of the negative of a difference."""
    return -law(1 - shares)


@answers_guesses
def compare(
    paired: PairedCounts | GroupedCounts | CaseRows | CellSums,
    application: Any,
    *,
    weights: Any = None,
    normalized: bool = False,
    method: str = "posterior",
    level: float = 0.95,
    simultaneous: bool = False,
    margin: float | None = None,
    draws: int = 4000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Comparison:
    """Which of several systems is cheapest, from their decisions on the same cases.

    Gives the difference in cost of every pair with its interval and an exact paired test, and the
    probability that each is best. If two systems err on the same cases, far fewer cases show
    their difference than their separate intervals suggest.

    Parameters
    ----------
    paired : PairedCounts or GroupedCounts
        Joint counts of the systems; with groups, whole groups are drawn. Weighted cases must be
        given as groups, one per case if they are independent, or as the sums of
        `stakes.engines.Reduction.weighted`.
    application : Application, UncertainApplication, or several
        Costs and priors. A list means that one of them holds: costs are averaged, and the
        probability of being best is taken over the applications and the sampling at once.
    weights : sequence of float, optional
        Probability of each of several applications; default, equal.
    normalized : bool
        Compare normalised costs.
    method : {"posterior", "score"}
        Intervals from the Dirichlet posterior of the joint cells, which covered best in
        simulation; or by inverting the score test, which needs no random numbers and is too
        wide if the systems differ in few cases.
    level : float
        Of each interval.
    simultaneous : bool
        Widen the intervals so that all of them hold at once at this level (Bonferroni).
    margin : float, optional
        A difference below it does not matter; systems are equivalent when the interval at
        level ``2 * level - 1`` lies within it (two one-sided tests).
    draws : int
        Draws for the probabilities, and with groups also for the intervals.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer cases (or groups) of a class that matters, no verdict is given.

    Returns
    -------
    Comparison
        With `.verdict`, `.best`, `.difference(a, b)` and `.frame()`.

    Notes
    -----
    The p-value swaps the two systems'
    decisions case by case; for equal error costs and the priors of the data it is McNemar's
    exact test. P-values are adjusted for all pairs by Holm's method. For the probability of being
    best, the difference of each system to the best one has the law of its interval; how these
    differences depend on each other comes from the Bayesian bootstrap.

    References
    ----------
    .. [1] D. D. Margineantu and T. G. Dietterich, "Bootstrap methods for the cost-sensitive
       evaluation of classifiers", ICML 2000, section 4.
    .. [2] T. Tango, "Equivalence test and confidence interval for the difference in
       proportions for the paired-sample design", Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> from stakes import Application, PairedCounts
    >>> cells = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> pc = PairedCounts(cells, [820, 60, 20, 10, 40, 50], ("a", "b"), (0, 1), (0, 1))
    >>> found = compare(pc, Application([[0, 1], [10, 0]]), method="score", rng=0)
    >>> found.verdict
    'a is cheapest'
    >>> print(found.difference("a", "b"))
    a is cheaper: -0.44 (-0.5804 to -0.3339)
    """
    stakes, seed = as_stakes(application, weights), seed_of(rng)
    joint = _checked(paired, method, stakes)
    grouped = None if isinstance(paired, PairedCounts) else paired
    tables = (joint.confusion(name).counts for name in joint.systems)
    costs = np.array([cost_sum(table, stakes, normalized=normalized).value for table in tables])
    least = 1 if grouped is None else 2
    drawn = Replicates.drawn(cost_draws([paired], stakes, normalized), draws, seed, least)
    generator = np.random.default_rng([seed, 2**32])

    def gap(a: int, b: int) -> Gap:
        names = joint.systems[a], joint.systems[b]
        two = joint.subset(names)
        total = difference_sum(two, stakes, normalized=normalized)
        if grouped is not None:
            table, cells = stakes.cell_weights(normalized=normalized), joint.cells
            one, other = (table[cells[:, 0], cells[:, 1 + k]] for k in (a, b))
            groups = carrying_groups(grouped, one - other, by_class=stakes.with_priors)
            apart = drawn.values[:, a] - drawn.values[:, b]
            return group_gap(*names, total.value, apart, groups, joint.total)
        p_value, exact = paired_p(two, stakes, generator, normalized=normalized)
        limits: Callable[[float], tuple[float, float]] = total.limits
        law = score_law(total.value, total.error, total.z_score())
        if method == "posterior":
            values = Replicates.drawn(sum_draws(total, method), draws, seed).values
            limits, law = partial(percentile, values), drawn_law(values)
        return Gap(*names, total.value, total.error, limits, p_value, joint.total, law, exact)

    cases = joint.class_totals if grouped is None else group_cases(grouped)
    refused, notes = shortage(cases, joint.classes, min_cases, stakes.matters)
    if grouped is not None and min(grouped.n_groups) < min_cases:
        refused = True
        notes = (f"too few: {min(grouped.n_groups)} groups, below {min_cases}", *notes)
    short, several = (refused, notes), len(stakes.applications) > 1
    how: Any = {"margin": margin, "simultaneous": simultaneous, "mixed": several}
    how |= {"measure": stakes.measure(normalized=normalized)}
    return compared(joint.systems, costs, drawn, gap, short, **how)(level)


def _checked(paired: Paired, method: str, stakes: Stakes) -> PairedCounts:
    """The joint counts; raise if they cannot be compared, or not by this method."""
    known = isinstance(paired, (PairedCounts, GroupedCounts, CaseRows, CellSums))
    if not known or len(_joint(paired).systems) < 2:
        found = "one" if known else type(paired).__name__
        raise DataError(
            f"`compare` needs joint counts of at least two systems; got {found}.",
            hint="PairedCounts.from_decisions(y_true, {'a': ..., 'b': ...}); for systems tried on "
            "different cases, compare_across({'a': matrix_a, 'b': matrix_b}, app)",
        )
    joint = _joint(paired)
    one_of(method, "method", ("posterior", "score"))
    check_names(joint.confusion(joint.systems[0]), stakes.applications[0])
    if joint is paired:
        counts = np.asarray(joint.counts, dtype=np.float64)
        refuse_weights(counts, "joint counts", instead=OF_SYSTEMS)
    return joint
