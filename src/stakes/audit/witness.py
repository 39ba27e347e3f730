"""Witness: a few pairs of tables that no single cost matrix ranks as the metric does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stakes._kernels.half_planes import balance, triple_around_zero
from stakes.audit.count_metric import CountMetric
from stakes.audit.slopes import StrictPairs, strict_sign
from stakes.results import Frame
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

__all__ = ["RankedPair", "Witness", "same_move_witness", "three_pair_witness"]


@dataclass(frozen=True, slots=True)
class RankedPair:
    """Two tables of the same data, better first in the eyes of the metric.

    Part of what `audit` and `compliance` return.

    Parameters
    ----------
    better, worse : ConfusionMatrix
        The tables; they have the same class totals.
    better_value, worse_value : float
        What the metric says of them.
    """

    better: ConfusionMatrix
    worse: ConfusionMatrix
    better_value: float
    worse_value: float

    @property
    def step(self) -> FloatArray:
        """Better minus worse, in shares of all cases."""
        return np.asarray((self.better.counts - self.worse.counts) / self.better.total)

    def __repr__(self) -> str:
        return (
            f"RankedPair({self.better.counts.tolist()} at {self.better_value:.6g} over "
            f"{self.worse.counts.tolist()} at {self.worse_value:.6g})"
        )


@dataclass(frozen=True, slots=True)
class Witness:
    """Pairs ranked by the metric, whose steps cancel: no cost matrix can rank them so.

    With costs C the metric would have to say that each step lowers the expected cost. But
    the steps, weighed by `weights`, add up to nothing, and so do their costs. Part of what
    `compliance` returns.

    Parameters
    ----------
    pairs : tuple of RankedPair
        Two or three.
    weights : ndarray
        One per pair, not negative, adding to one.
    """

    pairs: tuple[RankedPair, ...]
    weights: FloatArray

    @property
    def residual(self) -> float:
        """Largest cell of the weighed sum of steps: 0 up to rounding."""
        steps = np.stack([pair.step for pair in self.pairs])
        return float(np.abs(np.tensordot(self.weights, steps, axes=1)).max())

    def frame(self) -> Frame:
        """One row per pair: the counts, row by row, and what the metric says of them."""
        return Frame(
            {
                "better": [str(pair.better.counts.tolist()) for pair in self.pairs],
                "better_value": [pair.better_value for pair in self.pairs],
                "worse": [str(pair.worse.counts.tolist()) for pair in self.pairs],
                "worse_value": [pair.worse_value for pair in self.pairs],
                "weight": self.weights,
            }
        )


def as_pair(
    metric: CountMetric, better: FloatArray, worse: FloatArray, classes: Sequence[Name] | None
) -> RankedPair:
    """The pair with its values."""
    values = metric.values(np.stack([better, worse]))
    return RankedPair(
        _table(better, classes), _table(worse, classes), float(values[0]), float(values[1])
    )


def _table(counts: FloatArray, classes: Sequence[Name] | None) -> ConfusionMatrix:
    """Whole counts as integers."""
    whole = np.rint(counts)
    table = whole.astype(np.int64) if np.allclose(whole, counts, atol=1e-9) else counts
    return ConfusionMatrix(table, classes)


#: Steps tried as the same change in different places, in cases of 1000.
AMOUNTS = (10, 20, 40, 80, 150)


def same_move_witness(
    metric: CountMetric, priors: Sequence[float], *, cases: int = 1000,
    classes: Sequence[Name] | None = None,
) -> Witness | None:  # fmt: skip
    """The same change of two cells, praised at one table and blamed at another.

    Both tables are whole counts of two classes. Of all such changes the one with the
    largest smaller margin is taken.
    """
    moves = [(a, s * b) for a in AMOUNTS for b in AMOUNTS for s in (-1, 1)]
    starts = np.concatenate([_whole_tables(prior, cases) for prior in priors])
    at_start = metric.scores(starts)
    finite = at_start[np.isfinite(at_start)]
    spread = float(np.ptp(finite)) if finite.size else 0.0
    best: tuple[float, FloatArray, FloatArray, FloatArray] | None = None
    for negative, positive in moves:
        step = np.array([[negative, -negative], [-positive, positive]], dtype=np.float64)
        fits = ((starts + step) >= 0).all(axis=(1, 2))
        tables, before = starts[fits], at_start[fits]
        if tables.shape[0] < 2:
            continue
        after = metric.scores(tables + step)
        sign = strict_sign(after, before)
        with np.errstate(invalid="ignore"):
            gain = np.where(sign != 0, (after - before) / (spread or 1.0), 0.0)
        up, down = int(np.nanargmax(gain)), int(np.nanargmin(gain))
        worst = min(gain[up], -gain[down])
        if worst > 1e-6 and (best is None or worst > best[0]):
            best = worst, step, tables[up], tables[down]
    if best is None:
        return None
    _, step, up_at, down_at = best
    pairs = (
        as_pair(metric, up_at + step, up_at, classes),
        as_pair(metric, down_at, down_at + step, classes),
    )
    return Witness(pairs, np.array([0.5, 0.5]))


def three_pair_witness(
    metric: CountMetric, pairs: StrictPairs, classes: Sequence[Name] | None = None
) -> Witness | None:
    """Three pairs in one plane whose steps have nothing in their middle but zero."""
    found = triple_around_zero(pairs.angles, pairs.margins)
    if found is None:
        return None
    chosen = list(found)
    steps = pairs.steps[chosen]
    order = np.argsort(np.mod(np.arctan2(steps[:, 1], steps[:, 0]), 2 * np.pi))
    chosen = [chosen[k] for k in order]
    weights = balance(pairs.steps[chosen])
    ranked = tuple(as_pair(metric, pairs.better[k], pairs.worse[k], classes) for k in chosen)
    return Witness(ranked, weights)


def _whole_tables(prior: float, cases: int) -> FloatArray:
    """Tables of whole counts with the rates 0.5 to 0.9 in both classes."""
    positives = round(prior * cases)
    negatives = cases - positives
    tables = []
    for specificity in (0.5, 0.7, 0.9):
        for recall in (0.5, 0.7, 0.9):
            tn, tp = round(specificity * negatives), round(recall * positives)
            tables.append([[tn, negatives - tn], [positives - tp, tp]])
    return np.array(tables, dtype=np.float64)
