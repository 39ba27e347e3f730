"""Compliance of metrics of more than two classes: a linear function of the cells, or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stakes._kernels.half_planes import common_arc
from stakes.application import CostMatrix
from stakes.audit.complying import CASES, STRAIGHT
from stakes.audit.count_metric import CountMetric
from stakes.audit.laws import TOLERANCE, Compliance
from stakes.audit.slopes import Move, StrictPairs, indifference, strict_sign
from stakes.audit.witness import Witness, three_pair_witness
from stakes.results import Frame
from stakes.typing import FloatArray

__all__ = ["many_class_compliance"]

N_PRIORS = 5
N_TABLES = 8
EXTRA_PLANES = 12


def many_class_compliance(
    metric: CountMetric, n_classes: int, rng: np.random.Generator
) -> Compliance:
    """The verdict on a metric of many classes; see `stakes.audit.compliance`.

    Tables are explored in planes of two moves, each of which corrects one kind of error. In
    a plane the question is that of two classes; a metric that passes in every plane through
    the most telling move has one direction of growth everywhere.
    """
    bases = [_tables(n_classes, rng) for _ in range(N_PRIORS)]
    moves = [Move(i, j, i) for i in range(n_classes) for j in range(n_classes) if i != j]
    values = metric.values(np.concatenate(bases))
    undefined = float(np.isnan(values).mean())
    nothing = Frame({"prevalence": [], "miss_cost_low": [], "miss_cost_high": []})

    def verdict(failure: str | None, costs: CostMatrix | None = None,
                witness: Witness | None = None) -> Compliance:  # fmt: skip
        return Compliance(metric.name, failure is None, failure, costs, nothing, witness,
                          undefined_share=undefined)  # fmt: skip

    if undefined == 1:
        return verdict("undefined")
    effects = np.array([_effect(metric, np.concatenate(bases), move) for move in moves])
    if not effects.any():
        return verdict("constant")
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
            prices[move.row, move.source] = round(sign * plane.price, 5)  # as far as known
    return verdict(None, costs=CostMatrix(prices))


def _planes(lead: int, n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Each move with the leading one, and some pairs of others."""
    planes = [(lead, k) for k in range(n) if k != lead]
    rest = [(a, b) for a in range(n) for b in range(a) if lead not in (a, b)]
    picked = rng.permutation(len(rest))[:EXTRA_PLANES]
    return planes + [rest[k] for k in picked]


def _tables(n_classes: int, rng: np.random.Generator) -> FloatArray:
    """Random tables of one set of class shares, none of them rare, errors of every kind."""
    priors = 0.5 / n_classes + 0.5 * rng.dirichlet(np.ones(n_classes))
    rates = rng.dirichlet(np.full(n_classes, 2.0), size=(N_TABLES, n_classes))
    rates = 0.3 / n_classes + 0.4 * rates + 0.3 * np.eye(n_classes)
    return np.asarray(CASES * priors[:, None] * rates)


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
        broken = [each for each in useful if common_arc(each.pairs.angles)[1] < -TOLERANCE]
        if not broken:
            return cls(everything, "prevalence", math.nan)
        bends = np.concatenate([each.bends for each in broken])
        bends = bends[np.isfinite(bends)]
        straight = bends.size == 0 or bends.max() < STRAIGHT
        return cls(broken[0].pairs, "not parallel" if straight else "curved", math.nan)
