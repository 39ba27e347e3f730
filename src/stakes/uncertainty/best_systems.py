"""Which system is best at each effective prior, when scores are taken as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._columns import as_reals
from stakes._kernels.resampling import posterior_cells
from stakes._random import as_generator
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.summaries import PairedCounts
from stakes.typing import FloatArray, RandomSource
from stakes.uncertainty.bands import normalised_cost
from stakes.uncertainty.sufficiency import OF_CURVES, refuse_weights

__all__ = ["best_by_log_odds"]


def best_by_log_odds(
    paired: PairedCounts,
    log_odds: Any,
    *,
    replicates: int = 2000,
    rng: RandomSource = None,
) -> Frame:
    """Which of several systems is best at each effective prior when LLRs are taken as they are.

    Parameters
    ----------
    paired : PairedCounts
        From `PairedCounts.from_scores` of LLRs with ``thresholds=-log_odds[::-1]``.
    log_odds : array-like of float, ascending
        Log odds of the effective prior.
    replicates : int
        Draws of the joint counts.
    rng : None, int or numpy.random.Generator
        Seed of what is drawn, 0 if None; a generator gives fresh draws.

    Returns
    -------
    Frame
        One row per log odds and system: log_odds, system, cost (normalised),
        probability_best.

    References
    ----------
    .. [1] S. Cumani, "Bayes decisions and Model evaluation": Bayes error plots.

    Examples
    --------
    >>> pc = PairedCounts.from_scores([0, 0, 1, 1] * 10, {"a": [-2.0, -1.0, 1.0, 2.0] * 10,
    ...                               "b": [-2.0, 1.0, -1.0, 2.0] * 10}, thresholds=[0.0])
    >>> best_by_log_odds(pc, [0.0], rng=0)["probability_best"]
    array([1., 0.])
    """
    x = as_reals(log_odds, "log_odds")
    if x.ndim != 1 or not np.isfinite(x).all():
        raise DataError("`log_odds` must be a column of finite numbers.")
    if len(paired.decisions) != x.shape[0] + 1 or len(paired.classes) != 2:
        raise DataError(
            f"{x.shape[0]} log odds need {x.shape[0] + 1} stretches of two classes; got "
            f"{len(paired.decisions)} of {len(paired.classes)}.",
            hint="PairedCounts.from_scores(..., thresholds=-log_odds[::-1])",
        )
    counts = np.asarray(paired.counts, dtype=np.float64)
    refuse_weights(counts, "joint counts", instead=OF_CURVES)
    value, classes = normalised_cost(x), paired.cells[:, 0]

    def costs(cells: FloatArray) -> FloatArray:
        found = np.empty((cells.shape[0], len(paired.systems), x.shape[0]))
        for s in range(len(paired.systems)):
            rates = []
            for k in (1, 0):
                inside = classes == k
                stretch = np.zeros((int(inside.sum()), len(paired.decisions)))
                stretch[np.arange(stretch.shape[0]), paired.cells[inside, 1 + s]] = 1.0
                counts = cells[:, inside] @ stretch
                share = np.cumsum(counts, axis=1)[:, :-1] / counts.sum(axis=1, keepdims=True)
                rates.append((share if k == 1 else 1 - share)[:, ::-1])
            found[:, s] = value(rates[0], rates[1])
        return found

    seen = costs(counts[None])[0]
    generator = as_generator(rng)
    wins = np.zeros(seen.shape)
    for start in range(0, replicates, 200):
        size = min(200, replicates - start)
        drawn = costs(posterior_cells(paired.counts, classes, size, generator, prior=0.0))
        least = drawn <= drawn.min(axis=1, keepdims=True)
        wins += (least / least.sum(axis=1, keepdims=True)).sum(axis=0)
    return Frame(
        {
            "log_odds": np.repeat(x, len(paired.systems)),
            "system": [str(n) for n in paired.systems] * x.shape[0],
            "cost": seen.T.ravel(),
            "probability_best": (wins / replicates).T.ravel(),
        }
    )
