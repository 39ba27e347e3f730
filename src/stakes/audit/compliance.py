"""Does a metric rank systems as some cost matrix would, whatever the data?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._checks import as_whole
from stakes._kernels.rankings import common_arc
from stakes._random import as_generator
from stakes.application import CostMatrix, as_application
from stakes.audit.compliance_witnesses import (
    TOLERANCE,
    Compliance,
    RankedPair,
    as_pair,
    costs_of_arc,
    miss_price,
    same_move_witness,
    three_pair_witness,
)
from stakes.audit.count_metric import CountMetric, as_count_metric
from stakes.audit.indifference import (
    BINARY_MOVES,
    Indifference,
    Move,
    StrictPairs,
    indifference,
    spread,
    strict_sign,
)
from stakes.results import frame_of
from stakes.typing import FloatArray

#: Level sets that leave their chord by less than this share of it count as straight.
_STRAIGHT = 1e-6
_PRIORS = (0.1, 0.3, 0.5, 0.7, 0.9)
_CASES = 1000
_SLOPES = ("prevalence", "miss_cost_low", "miss_cost_high")


# Judged by order alone: docs/design/audit.md.
def compliance(
    metric: Any, *, n_classes: int = 2, higher_is_better: bool | None = None,
    application: Any = None, rng: Any = 0,
) -> Compliance:  # fmt: skip
    r"""Decide numerically whether a metric ranks systems as an expected cost does.

    For two classes: whether it is an increasing function of the form

    .. math:: a(N, f)\,(X\,C_{00} + Y\,C_{11}) + b(N, f)

    with constants X and Y, that is, whether its level sets are parallel straight lines whose
    slope does not depend on the class frequencies f. For more classes, whether it is an
    increasing function of a linear function of the cells with constant coefficients. Only the
    order of values is used.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in the catalogue, or a function of a (K, K) array of counts, rows true
        classes.
    n_classes : int
        Number of classes, for metrics that take any.
    higher_is_better : bool, optional
        Direction of a function of one's own; yes by default.
    application : Application, optional
        Costs for catalogued metrics that need some; its priors are left aside.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Compliance
        The verdict, the costs that explain the metric or the pairs that no costs explain.

    Notes
    -----
    Slopes that differ by less than 0.00001 radian count as equal. A metric that departs
    from a cost matrix only for tables unlike those that were tried is not detected.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, eq 17.

    Examples
    --------
    >>> print(compliance("accuracy").sentence)
    Accuracy ranks models as fixed costs do: a miss counts as 1 false alarm.
    >>> print(compliance("f1").failure)
    not parallel
    >>> print(compliance("balanced_accuracy").failure)
    prevalence
    """
    app = None if application is None else as_application(application).with_priors(None)
    counted = as_count_metric(metric, higher_is_better=higher_is_better, application=app)
    if as_whole(n_classes, "n_classes", least=2, most=100) == 2:
        return _binary_compliance(counted, as_generator(rng))

    return _many_class_compliance(counted, n_classes, as_generator(rng))


def _binary_compliance(metric: CountMetric, rng: np.random.Generator) -> Compliance:
    """The verdict on a metric of two classes."""
    parts = [_at_prior(metric, prior, rng) for prior in _PRIORS]
    undefined = float(np.mean([part.undefined for part in parts]))
    slopes = frame_of(_SLOPES, [(part.prior, *part.slope_range) for part in parts])

    def verdict(failure: str | None, **more: Any) -> Compliance:
        found = {"costs": None, "slopes": slopes, "undefined_share": undefined, **more}
        return Compliance(metric.name, failure is None, failure, **found)

    useful = [part for part in parts if len(part.pairs)]
    if not useful:
        return verdict("undefined" if undefined == 1 else "constant")
    everything = StrictPairs.merged([part.pairs for part in useful])
    middle, width = common_arc(everything.angles)
    if width >= -TOLERANCE:
        tie = _tie(metric, useful, middle, width)
        costs = costs_of_arc(middle, width)
        return verdict(None if tie is None else "ties", tie=tie, costs=costs)
    failure = _broken_law(useful)
    witness = None
    if failure != "prevalence":
        bad = min(useful, key=lambda part: part.pairs.width)
        witness = same_move_witness(metric, [bad.prior])
    witness = witness or same_move_witness(metric, [part.prior for part in useful])
    return verdict(failure, witness=witness or three_pair_witness(metric, everything))


@dataclass(frozen=True)
class _AtPrior:
    """What was found at one prevalence."""

    prior: float
    pairs: StrictPairs
    bend: float
    undefined: float
    slope_range: tuple[float, float]
    tables: FloatArray


def _at_prior(metric: CountMetric, prior: float, rng: np.random.Generator) -> _AtPrior:
    """Indifference at wide and at small steps, and pairs from all over."""
    whole_only = metric.truncates(_tables(prior, 24, 0.13, rng))
    wide, near = (
        indifference(metric, _tables(prior, n, edge, rng), BINARY_MOVES, reach, whole=whole_only)
        for n, edge, reach in ((10, 0.13, 0.1), (7, 0.02, 0.01))
    )
    whole = np.rint(_tables(prior, 150, 0.02, rng))
    pairs = StrictPairs.merged([wide.pairs, near.pairs, _all_over(metric, whole)])
    normals = np.concatenate([wide.normals, near.normals])
    prices = [miss_price(math.sin(a), math.cos(a)) for a in normals[~np.isnan(normals)]]
    # To the five digits to which the angles are known.
    low, high = (float(f"{end(prices, default=math.nan):.5g}") for end in (min, max))
    undefined = float(np.isnan(metric.values(whole)).mean())
    return _AtPrior(prior, pairs, wide.bend, undefined, (low, high), whole)


def _all_over(metric: CountMetric, tables: FloatArray) -> StrictPairs:
    """Strict pairs among neighbours in a shuffled list of two-class tables."""
    scores = metric.scores(tables)
    first = np.concatenate([np.arange(tables.shape[0] - gap) for gap in (1, 2, 3)])
    second = np.concatenate([np.arange(gap, tables.shape[0]) for gap in (1, 2, 3)])
    step = (tables[first] - tables[second]) / tables.sum(axis=(1, 2))[first][:, None, None]
    steps = np.stack([step[:, 0, 0], step[:, 1, 1]], axis=1)
    both = np.stack([first, second])
    return StrictPairs.ordered(tables[both], scores[both], steps, spread(scores))


def _tables(prior: float, n: int, edge: float, rng: np.random.Generator) -> FloatArray:
    """Random two-class tables with this prevalence, rates at least `edge` from 0 and 1."""
    rates = rng.uniform(edge, 1 - edge, size=(n, 2))
    positives, negatives = prior * _CASES, (1 - prior) * _CASES
    tn, tp = rates[:, 0] * negatives, rates[:, 1] * positives
    cells = np.stack([tn, negatives - tn, positives - tp, tp], axis=1)
    return np.asarray(cells.reshape(n, 2, 2))


def _broken_law(parts: Sequence[_AtPrior | Indifference]) -> str:
    """Which of the laws is broken, given that not all of them hold together."""
    bends = [part.bend for part in parts if part.pairs.width < -TOLERANCE]
    if not bends:
        return "prevalence"
    return "not parallel" if max(bends) < _STRAIGHT else "curved"


def _tie(
    metric: CountMetric, parts: Sequence[_AtPrior], middle: float, width: float
) -> RankedPair | None:
    """Two tables that the metric ties and its own costs tell apart, if that is common.

    The costs are known only as an arc of directions; all of them must tell the two apart.
    """
    ends = np.array([middle - max(width, 0.0) / 2, middle, middle + max(width, 0.0) / 2])
    normals = np.stack([np.cos(ends), np.sin(ends)])
    best: tuple[float, FloatArray, FloatArray] | None = None
    tied = compared = 0
    for part in parts:
        scores = metric.scores(part.tables)
        gains = np.stack([part.tables[:, 0, 0], part.tables[:, 1, 1]], axis=1) @ normals / _CASES
        order = np.argsort(scores, kind="stable")
        with np.errstate(invalid="ignore"):
            same = scores[order[1:]] == scores[order[:-1]]
        gaps = gains[order[1:]] - gains[order[:-1]]
        apart = (np.abs(gaps).min(axis=1) > 1e-6) & (np.ptp(np.sign(gaps), axis=1) == 0)
        tied, compared = tied + int((same & apart).sum()), compared + same.size
        for k in np.flatnonzero(same & apart):
            size = float(np.abs(gaps[k]).min())
            if best is None or size > best[0]:
                up, down = (order[k + 1], order[k]) if gaps[k, 0] > 0 else (order[k], order[k + 1])
                best = size, part.tables[up], part.tables[down]
    if best is None or tied < 0.01 * compared:
        return None
    return as_pair(metric, best[1], best[2])


_N_PRIORS = 5
_N_TABLES = 8
_EXTRA_PLANES = 12


def _many_class_compliance(
    metric: CountMetric, n_classes: int, rng: np.random.Generator
) -> Compliance:
    """The verdict on a metric of many classes; see `stakes.audit.compliance`.

    Tables are explored in planes of two moves, each of which corrects one kind of error. In
    a plane the question is that of two classes; a metric that passes in every plane through
    the most telling move has one direction of growth everywhere.
    """
    bases = [_many_class_tables(n_classes, rng) for _ in range(_N_PRIORS)]
    moves = [Move(i, j) for i in range(n_classes) for j in range(n_classes) if i != j]
    values = metric.values(np.concatenate(bases))
    undefined = float(np.isnan(values).mean())
    nothing = frame_of(_SLOPES, [])

    def verdict(failure: str | None, **more: Any) -> Compliance:
        found = {"costs": None, "slopes": nothing, "undefined_share": undefined, **more}
        return Compliance(metric.name, failure is None, failure, **found)

    effects = np.array([_effect(metric, np.concatenate(bases), move) for move in moves])
    if not effects.any():
        return verdict("undefined" if undefined == 1 else "constant")
    lead = int(np.argmax(np.abs(effects)))
    prices = np.zeros((n_classes, n_classes))
    sign = math.copysign(1.0, effects[lead])
    prices[moves[lead].row, moves[lead].source] = sign
    for other in _planes(lead, len(moves), rng):
        plane = _Plane.explored(metric, bases, (moves[other[0]], moves[other[1]]))
        if plane.failure is not None:
            return verdict(plane.failure, witness=three_pair_witness(metric, plane.pairs))
        if other[0] == lead:
            move = moves[other[1]]
            prices[move.row, move.source] = round(sign * plane.price, 5)  # known to five digits
    return verdict(None, costs=CostMatrix(prices))


def _planes(lead: int, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Each move with the leading one, and some pairs of others."""
    planes = [(lead, k) for k in range(n) if k != lead]
    rest = [(a, b) for a in range(n) for b in range(a) if lead not in (a, b)]
    picked = rng.permutation(len(rest))[:_EXTRA_PLANES]
    return planes + [rest[k] for k in picked]


def _many_class_tables(n_classes: int, rng: np.random.Generator) -> FloatArray:
    """Random tables of one set of class shares, none of them rare, errors of every kind."""
    priors = 0.5 / n_classes + 0.5 * rng.dirichlet(np.ones(n_classes))
    rates = rng.dirichlet(np.full(n_classes, 2.0), size=(_N_TABLES, n_classes))
    rates = 0.3 / n_classes + 0.4 * rates + 0.3 * np.eye(n_classes)
    return np.asarray(_CASES * priors[:, None] * rates)


def _effect(metric: CountMetric, bases: FloatArray, move: Move) -> float:
    """How much a move raises the metric, on average; strict changes only."""
    change = move.table((bases.shape[1], bases.shape[2]))
    step = 0.5 * bases[:, move.row, move.source][:, None, None] * change
    before, after = metric.scores(bases), metric.scores(bases + step)
    with np.errstate(invalid="ignore"):
        gain = np.where(strict_sign(after, before) != 0, after - before, 0.0)
    gain = gain[np.isfinite(gain)]
    return float(gain.mean()) if gain.size else 0.0


@dataclass(frozen=True)
class _Plane:
    """What the metric does in one plane of two moves."""

    pairs: StrictPairs
    failure: str | None
    price: float

    @classmethod
    def explored(
        cls, metric: CountMetric, bases: list[FloatArray], moves: tuple[Move, Move]
    ) -> _Plane:
        """Indifference at each set of class shares, then at all of them together."""
        smallest = 0.3 / bases[0].shape[1]
        whole = metric.truncates(bases[0])
        found = [
            indifference(metric, tables, moves, 0.9 * smallest, whole=whole) for tables in bases
        ]
        useful = [each for each in found if len(each.pairs)]
        everything = StrictPairs.merged([each.pairs for each in found])
        if not useful:
            return cls(everything, None, 0.0)
        middle, width = common_arc(everything.angles)
        if width >= -TOLERANCE:
            ratio = math.tan(middle) if abs(math.cos(middle)) > TOLERANCE else math.inf
            return cls(everything, None, 0.0 if abs(ratio) < TOLERANCE else ratio)
        broken = (each.pairs for each in useful if each.pairs.width < -TOLERANCE)
        return cls(next(broken, everything), _broken_law(useful), math.nan)
