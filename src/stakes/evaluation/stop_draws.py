"""How often each model is best at the stops of the sliders: the library's own draws, there.

The joint counts of all models at every stop come from one pass over the cases: each case changes
its joint decision at the stops from which its models act on it, and nowhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.evaluation.stop_sureness import Place
from stakes.evaluation.stops import System
from stakes.evaluation.verdicts import SAME_COST
from stakes.typing import FloatArray
from stakes.uncertainty.cost_draws import shares_best
from stakes.uncertainty.replicates import BLOCK, seed_of

__all__ = ["chances_by_draws", "joint_counts"]

#: As many draws as a comparison takes, and the same ones.
DRAWS = 4000
#: Fewer of them where there would be more numbers to draw than this for a page; or none.
FEWER_DRAWS = 1000
WORK = 1e7


def joint_counts(systems: list[System], truth: NDArray[Any]) -> NDArray[np.int64]:
    """Cases by stop, class and joint decision, (n_stops, 2, 2**n_systems).

    The first system is the highest binary digit of a joint decision, so that counts are in
    the order of `PairedCounts`.
    """
    firsts = np.stack([_first_acted(one) for one in systems], axis=1).astype(np.intp)
    size, (n, count) = systems[0].false_alarms.shape[0], firsts.shape
    truth = truth.astype(np.intp)  # it may come in one byte
    order = np.argsort(firsts, axis=1, kind="stable")
    shape = (size + 1, 2, 2**count)
    joint = np.zeros(shape[0] * shape[1] * shape[2], dtype=np.int64)
    joint[: shape[1] * shape[2]] += np.bincount(truth * shape[2], minlength=shape[1] * shape[2])
    before = np.zeros(n, dtype=np.intp)
    for r in range(count):
        which = order[:, r]
        stop = firsts[np.arange(n), which]
        after = before + (1 << (count - 1 - which))
        base = (stop * 2 + truth) * shape[2]
        joint += np.bincount(base + after, minlength=joint.shape[0])
        joint -= np.bincount(base + before, minlength=joint.shape[0])
        before = after
    return np.asarray(joint.reshape(shape).cumsum(axis=0)[:-1])


def _first_acted(system: System) -> NDArray[Any]:
    """The first stop at which each case is acted on."""
    assert system.first_acted is not None
    return system.first_acted


def chances_by_draws(
    joint: NDArray[np.int64],
    place: Place,
    certain: NDArray[np.bool_],
    nec: FloatArray,
    rng: Any,
) -> tuple[FloatArray, int]:
    """Probability of being best, (n_systems, n_stops), and the number of draws behind it.

    Where it is `certain`, the cheapest are best; nothing is drawn if there would be too much.
    """
    open_ = np.flatnonzero(~certain)
    cells = (joint[place.stops[open_]] > 0).sum()
    draws = next((d for d in (DRAWS, FEWER_DRAWS, BLOCK) if d * cells <= WORK), 0)
    lowest = nec <= nec.min(axis=0) * (1 + SAME_COST)
    found, count = lowest / lowest.sum(axis=0), nec.shape[0]
    if not draws:
        return found, 0
    blocks = _Blocks(seed_of(rng), draws)
    digits = np.arange(count - 1, -1, -1)
    for at in open_.tolist():
        table = joint[place.stops[at]]
        truth, codes = np.nonzero(table)
        acts = codes[:, None] >> digits & 1
        cells = blocks.gamma(table[truth, codes].astype(np.float64))
        split = int(np.searchsorted(truth, 1))  # what a system costs, up to a common factor
        alarms = cells[:, :split] @ acts[:split].astype(np.float64)
        misses = cells[:, split:] @ (1.0 - acts[split:])
        alarm, miss = 1.0, float(place.ratio[at])
        if place.given:  # classes are drawn apart
            share = float(place.share[at])
            alarms = alarms / cells[:, :split].sum(axis=1, keepdims=True)
            misses = misses / cells[:, split:].sum(axis=1, keepdims=True)
            alarm, miss = 1 - share, share * miss
        found[:, at] = shares_best(alarm * alarms + miss * misses)
    return np.asarray(found), draws


class _Blocks:
    """The numbers that `Replicates` draws for a comparison, block by block, for any cells."""

    def __init__(self, seed: int, draws: int) -> None:
        again = seed_of(seed)  # as `compare` hands it on
        self.generators = [np.random.default_rng([again, k]) for k in range(draws // BLOCK)]
        self.states = [one.bit_generator.state for one in self.generators]

    def gamma(self, counts: FloatArray) -> FloatArray:
        """One row per draw: the shares of the cells in a Bayesian bootstrap, up to a factor."""
        drawn = []
        for generator, state in zip(self.generators, self.states, strict=True):
            generator.bit_generator.state = state
            drawn.append(generator.standard_gamma(counts, (BLOCK, counts.shape[0])))
        return np.concatenate(drawn)
