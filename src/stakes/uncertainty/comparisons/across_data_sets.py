"""Comparison of systems that were tried on different data, under common priors."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from stakes.exceptions import DataError
from stakes.metrics.costs.expected_cost import check_names
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.comparisons.comparison import Comparison
from stakes.uncertainty.comparisons.cost_draws import apart_draws, shares_best
from stakes.uncertainty.comparisons.differences import (
    Difference,
    adjusted,
    as_margin,
    limited_difference,
)
from stakes.uncertainty.intervals.group_intervals import carrying_groups, group_cases
from stakes.uncertainty.intervals.interval import (
    MIN_CASES,
    OF_SYSTEMS,
    as_level,
    refuse_weights,
    shortage,
)
from stakes.uncertainty.intervals.linear_costs import CostSum, as_stakes, cost_sum
from stakes.uncertainty.intervals.replicates import Replicates


def compare_across(
    matrices: Mapping[Any, ConfusionMatrix | GroupedCounts],
    application: Any,
    *,
    weights: Any = None,
    normalize: bool = False,
    level: float = 0.95,
    margin: float | None = None,
    replicates: int = 4000,
    rng: RandomSource = None,
    min_cases: int = MIN_CASES,
) -> Comparison:
    """Which of several systems is cheapest when each was tried on data of its own.

    Data sets with different class shares are not comparable as they stand; under the priors of
    one application they are, if cases within each class are alike everywhere.

    Parameters
    ----------
    matrices : mapping from system to ConfusionMatrix or GroupedCounts
        What each system did, each on its own cases. With GroupedCounts whole groups are drawn;
        cases that weigh differently must be given so, each case its own group if need be.
    application : Application, or several
        Costs and priors; the priors must be given.
    weights, normalize, level, margin, replicates, rng, min_cases
        As in `compare`.

    Returns
    -------
    Comparison
        The p-values are those of the score test; those of Student's t where there are groups.

    References
    ----------
    .. [1] O. Miettinen and M. Nurminen, "Comparative analysis of two rates", Statistics in
       Medicine 4, 1985.

    Examples
    --------
    >>> from stakes import Application, ConfusionMatrix
    >>> app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
    >>> found = compare_across({"a": ConfusionMatrix([[450, 50], [20, 180]]),
    ...                         "b": ConfusionMatrix([[900, 100], [40, 60]])}, app, rng=0)
    >>> found.best
    'a'
    """
    stakes = as_stakes(application, weights)
    if not stakes.with_priors:
        raise DataError(
            "`application` must give the priors under which data sets are compared.",
            hint="app.with_priors([...])",
        )
    given: Any = matrices
    if not isinstance(given, Mapping) or len(given) < 2:
        raise DataError(
            "`compare_across` needs the confusion matrices of at least two systems, by name.",
            hint="compare_across({'a': matrix_a, 'b': matrix_b}, app)",
        )
    margin = as_margin(margin)
    sums: dict[Any, CostSum] = {}
    notes: list[str] = []
    refused = False
    for name, one in matrices.items():
        matrix, cases = _counted(name, one)
        check_names(matrix, stakes.applications[0])
        joint = PairedCounts.from_confusion(matrix, name)
        sums[name] = cost_sum(joint.counts, joint.cells, stakes, normalize=normalize)
        short, said = shortage(
            cases, (*matrix.classes, "groups"), min_cases, np.append(stakes.matters, True)
        )
        refused, notes = refused or short, [*notes, *(f"{name}: {text}" for text in said)]
    names = tuple(matrices)
    costs = np.array([sums[name].value for name in names])
    drawn = Replicates.drawn(apart_draws(matrices, stakes, normalize), replicates, rng)
    best = shares_best(drawn.values)
    table = stakes.cell_weights(normalize=normalize)
    groups = [
        carrying_groups(one, table[tuple(one.joint.cells.T)], by_class=True)
        for one in matrices.values()
        if isinstance(one, GroupedCounts)
    ]
    gaps = (drawn.values, min(groups)) if groups else None

    def at(reach: float) -> Comparison:
        pairs = _differences(sums, costs, as_level(reach), margin, gaps)
        return Comparison(names, costs, best, tuple(pairs), tuple(notes), refused, drawn, at)

    return at(level)


def _counted(name: Any, given: ConfusionMatrix | GroupedCounts) -> tuple[ConfusionMatrix, Any]:
    """The confusion matrix, and the cases of each class and groups behind it."""
    if isinstance(given, GroupedCounts):
        if len(given.systems) > 1:
            raise DataError(f"{name!r} must be the counts of one system; got {len(given.systems)}.")
        return given.confusion(), np.append(group_cases(given), float(min(given.n_groups)))
    counts = np.asarray(given.counts, dtype=np.float64)
    refuse_weights(counts, "confusion matrix", instead=OF_SYSTEMS)
    return given, np.append(given.class_totals, np.inf)


def _differences(
    sums: Mapping[Any, CostSum],
    costs: FloatArray,
    level: float,
    margin: float | None,
    drawn: tuple[FloatArray, float] | None,
) -> list[Difference]:
    """Every pair, the cheaper system first; from draws of whole groups if there are any."""
    from scipy.special import ndtr

    names, found = tuple(sums), []
    for pair in combinations(range(len(names)), 2):
        places = sorted(pair, key=lambda k: costs[k])
        first, second = (names[k] for k in places)
        a, b = sums[first], sums[second]
        total = CostSum(
            np.concatenate([a.counts, b.counts]),
            np.concatenate([a.weights, -b.weights]),
            a.constant - b.constant,
        )
        p_value = 2 * float(ndtr(-abs(total.z_score())))
        cases = float(total.counts.sum())
        gap, groups = None, None
        if drawn is not None:
            gap, groups = drawn[0][:, places[0]] - drawn[0][:, places[1]], drawn[1]
        found.append(
            limited_difference(
                first, second, total, level, margin, level, p_value, gap is None, cases, gap, groups
            )
        )
    return adjusted(found)
