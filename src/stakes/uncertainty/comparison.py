"""Comparison of systems by what their decisions cost on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from stakes._kernels.cell_draws import posterior_cells, replicated_costs
from stakes._names import listed
from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import check_names
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts
from stakes.typing import FloatArray, Name, RandomSource
from stakes.uncertainty.differences import (
    Difference,
    adjusted,
    as_margin,
    limited_difference,
    pair_difference,
    paired_p,
)
from stakes.uncertainty.intervals.case_rows import CaseRows, CellSums
from stakes.uncertainty.intervals.count_intervals import sum_draws
from stakes.uncertainty.intervals.group_intervals import carrying_groups, group_cases, group_draws
from stakes.uncertainty.intervals.interval import (
    MIN_CASES,
    OF_SYSTEMS,
    Replicates,
    as_level,
    refuse_weights,
    seed_of,
    shortage,
)
from stakes.uncertainty.intervals.linear_costs import CostSum, Stakes, as_stakes, cost_sum


def cost_draws(
    joint: PairedCounts,
    grouped: GroupedCounts | CaseRows | CellSums | None,
    stakes: Stakes,
    normalized: bool,
) -> Any:
    """Draws of all systems' costs at once, each under an application drawn with its weight."""
    classes = joint.cells[:, 0]
    strata = classes if stakes.with_priors else None
    tables = [
        a.costs.standardized().values if normalized else a.costs.values for a in stakes.applications
    ]

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        if grouped is None:
            cells = posterior_cells(joint.counts, strata, size, generator, prior=0.0)
        else:
            cells = group_draws(grouped, size, generator)
        chosen = generator.choice(len(tables), size=size, p=stakes.weights)
        found = np.empty((size, len(joint.systems)))
        for k in np.unique(chosen):
            rows = chosen == k
            costs = tables[k][classes[:, None], joint.cells[:, 1:]]
            priors = stakes.applications[k].priors
            values = replicated_costs(cells[rows], classes, costs, priors)
            if normalized:
                values = values / _naive(cells[rows], classes, tables[k], priors)[:, None]
            found[rows] = values
        return found

    return draw


def _naive(cells: Any, classes: Any, table: FloatArray, priors: FloatArray | None) -> FloatArray:
    """Cost of the best naive decision in each replicate."""
    if priors is not None:
        return np.full(cells.shape[0], float((priors @ table).min()))
    return np.asarray(replicated_costs(cells, classes, table[classes], None).min(axis=1))


def apart_draws(
    given: Mapping[Any, ConfusionMatrix | GroupedCounts], stakes: Stakes, normalized: bool
) -> Any:
    """Draws of the costs of systems on data of their own."""

    def draw(size: int, generator: np.random.Generator) -> FloatArray:
        chosen = generator.choice(len(stakes.applications), size=size, p=stakes.weights)
        found = np.empty((size, len(given)))
        for s, one in enumerate(given.values()):
            if isinstance(one, GroupedCounts):
                joint = one.joint
                cells = group_draws(one, size, generator)
            else:
                joint = PairedCounts.from_confusion(one)
                cells = posterior_cells(joint.counts, joint.cells[:, 0], size, generator, prior=0.0)
            classes = joint.cells[:, 0]
            for k in np.unique(chosen):
                app = stakes.applications[k]
                costs = app.costs.standardized().values if normalized else app.costs.values
                rows, by_cell = chosen == k, costs[classes, joint.cells[:, 1]][:, None]
                values = replicated_costs(cells[rows], classes, by_cell, app.priors)[:, 0]
                naive = _naive(cells[rows], classes, costs, app.priors) if normalized else 1.0
                found[rows, s] = values / naive
        return found

    return draw


def shares_best(costs: FloatArray) -> FloatArray:
    """How often each column is the least, ties shared."""
    known = costs[np.isfinite(costs).all(axis=1)]
    least = known <= known.min(axis=1, keepdims=True)
    return np.asarray((least / least.sum(axis=1, keepdims=True)).mean(axis=0))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
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
        are shared.
    differences : tuple of Difference
        Every pair, the cheaper system first.
    notes : tuple of str
        What a reader should know.
    too_few : bool
        Whether a verdict was refused for want of cases.
    replicates : Replicates
        The draws of all costs, (n_replicates, n_systems).
    rule : callable, optional
        Makes the same comparison at another level.
    best_is : str
        What the best system is called: "cheapest", or "best by" a metric.
    """

    systems: tuple[Name, ...]
    costs: FloatArray
    probability_best: FloatArray
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    too_few: bool
    replicates: Replicates
    rule: Callable[[float], Comparison] | None = None
    best_is: str = "cheapest"

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
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                return found.turned()
        raise DataError(f"no pair {first!r}, {second!r}; there are {listed(self.systems)}.")

    def at(self, level: float) -> Comparison:
        """The same comparison with intervals of another level, from the same draws."""
        if self.rule is None:
            raise DataError("this comparison keeps no rule to change its level.")
        return replace(
            self.rule(level), replicates=self.replicates, probability_best=self.probability_best
        )

    def more(self, draws: int) -> Comparison:
        """The same with this many more draws behind the probabilities."""
        grown = self.replicates.more(draws)
        return replace(self, replicates=grown, probability_best=shares_best(grown.values))

    def frame(self) -> Frame:
        """One row per pair: systems, difference, interval, p-values."""
        rows = self.differences
        return Frame(
            {
                "first": [str(d.first) for d in rows],
                "second": [str(d.second) for d in rows],
                "difference": [d.value for d in rows],
                "low": [d.low for d in rows],
                "high": [d.high for d in rows],
                "p_value": [d.p_value for d in rows],
                "adjusted": [d.adjusted for d in rows],
            }
        )

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems: {self.verdict}>"


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

    The difference in cost of every pair with its interval and an exact paired test, and the
    probability that each is best. Two systems that err on the same cases are told apart much
    sooner than their separate intervals suggest.

    Parameters
    ----------
    paired : PairedCounts or GroupedCounts
        Joint counts of the systems; with groups, whole groups are drawn. Cases that weigh
        differently must be given as groups, each case its own where they do not belong together,
        or as `stakes.engines.Reduction.weighted` has added them up.
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
        wide when few cases tell the systems apart.
    level : float
        Of each interval.
    simultaneous : bool
        Widen the intervals so that all of them hold at once at this level (Bonferroni).
    margin : float, optional
        A difference below it does not matter; systems are equivalent when the interval at
        level ``2 * level - 1`` lies within it (two one-sided tests).
    draws : int
        Draws behind the probabilities, and behind the intervals when there are groups.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.
    min_cases : int
        With fewer cases (or groups) of a class that matters no verdict is given.

    Returns
    -------
    Comparison
        With `.verdict`, `.best`, `.difference(a, b)` and `.frame()`.

    Notes
    -----
    The p-value swaps the two systems'
    decisions case by case; for equal error costs and the priors of the data it is McNemar's
    exact test. P-values are adjusted for all pairs by Holm's method. The probability of being
    best uses the Bayesian bootstrap.

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
    options: dict[str, Any] = {
        "normalized": normalized,
        "method": method,
        "simultaneous": simultaneous,
        "margin": margin,
        "draws": draws,
        "min_cases": min_cases,
    }
    return _compared(paired, as_stakes(application, weights), seed_of(rng), level, **options)


def _compared(
    paired: PairedCounts | GroupedCounts | CaseRows | CellSums,
    stakes: Stakes,
    seed: int,
    level: float,
    **options: Any,
) -> Comparison:
    """See `compare`; the same seed gives the same draws, whatever the level."""
    normalized, method = options["normalized"], options["method"]
    margin = as_margin(options["margin"])
    draws, level = options["draws"], as_level(level)
    if not isinstance(paired, (PairedCounts, GroupedCounts, CaseRows, CellSums)):
        raise DataError(
            f"`compare` needs joint counts of several systems; got {type(paired).__name__}.",
            hint="PairedCounts.from_decisions(y_true, {'a': ..., 'b': ...}); for systems tried on "
            "different cases, compare_across({'a': matrix_a, 'b': matrix_b}, app)",
        )
    grouped = None if isinstance(paired, PairedCounts) else paired
    joint = paired if isinstance(paired, PairedCounts) else paired.joint
    if len(joint.systems) < 2:
        raise DataError(
            "`compare` needs joint counts of at least two systems.",
            hint="PairedCounts.from_decisions(y_true, {'a': ..., 'b': ...})",
        )
    if method not in ("posterior", "score"):
        raise DataError(f"`method` must be 'posterior' or 'score'; got {method!r}.")
    check_names(joint.confusion(joint.systems[0]), stakes.applications[0])
    if grouped is None:
        counts = np.asarray(joint.counts, dtype=np.float64)
        refuse_weights(counts, "joint counts", instead=OF_SYSTEMS)
    costs = np.array([_cost(joint, name, stakes, normalized).value for name in joint.systems])
    drawn = Replicates.drawn(cost_draws(joint, grouped, stakes, normalized), draws, seed)
    pairs = [
        tuple(joint.systems[k] for k in sorted(pair, key=lambda k: costs[k]))
        for pair in combinations(range(len(joint.systems)), 2)
    ]
    reach = 1 - (1 - level) / len(pairs) if options["simultaneous"] else level
    generator = np.random.default_rng([seed, 2**32])
    differences = []
    for first, second in pairs:
        total = pair_difference(joint, first, second, stakes, normalized=normalized)
        p_value, exact = paired_p(
            joint, first, second, stakes, normalized=normalized, draws=20_000, rng=generator
        )
        gap, groups = None, None
        if grouped is not None:
            places = joint.position(first), joint.position(second)
            gap = drawn.values[:, places[0]] - drawn.values[:, places[1]]
            table, cells = stakes.cell_weights(normalized=normalized), joint.cells
            one, other = (table[cells[:, 0], cells[:, 1 + place]] for place in places)
            groups = carrying_groups(grouped, one - other, by_class=stakes.with_priors)
        elif method == "posterior":
            gap = Replicates.drawn(sum_draws(total, method), draws, seed).values
        differences.append(
            limited_difference(
                first, second, total, reach, margin, level, p_value, exact, joint.total, gap, groups
            )
        )
    found = _result(joint, costs, stakes, drawn, differences, grouped, options["min_cases"])
    return replace(found, rule=partial(_compared, paired, stakes, seed, **options))


def _cost(joint: PairedCounts, name: Name, stakes: Stakes, normalized: bool) -> CostSum:
    """The cost of one system."""
    cells = joint.cells[:, [0, 1 + joint.position(name)]]
    return cost_sum(joint.counts, cells, stakes, normalized=normalized)


def _result(
    joint: PairedCounts,
    costs: FloatArray,
    stakes: Stakes,
    drawn: Replicates,
    differences: list[Difference],
    grouped: GroupedCounts | CaseRows | CellSums | None,
    min_cases: int,
) -> Comparison:
    """Put the parts together."""
    cases = joint.class_totals if grouped is None else group_cases(grouped)
    refused, notes = shortage(cases, joint.classes, min_cases, stakes.matters)
    if grouped is not None and min(grouped.n_groups) < min_cases:
        refused = True
        notes = (f"too few: {min(grouped.n_groups)} groups, below {min_cases}", *notes)
    return Comparison(
        joint.systems,
        costs,
        shares_best(drawn.values),
        tuple(adjusted(differences)),
        notes,
        refused,
        drawn,
    )
