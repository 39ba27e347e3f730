"""How often costs that are off by some error pick the wrong one of two classifiers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._columns import as_reals
from stakes._kernels import misranking as kernels
from stakes._random import as_generator
from stakes.audit.misranking import block_sizes
from stakes.audit.populations import pair_source
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import FloatArray, RandomSource

__all__ = ["ErrorCurve", "misranking_by_error"]


@dataclass(frozen=True, slots=True)
class ErrorCurve:
    """Misranking by utilities that are off by some error; made by `misranking_by_error`.

    Parameters
    ----------
    nominal : ndarray
        Standard deviation of the error before it is cut off.
    realised : ndarray
        Standard deviation of the error that was left.
    rates, standard_errors : ndarray
        Share of pairs misranked.
    """

    nominal: FloatArray
    realised: FloatArray
    rates: FloatArray
    standard_errors: FloatArray

    def crossing(self, rate: float) -> float:
        """The realised error at which the wrong utilities misrank this share; `nan` if none."""
        above = np.flatnonzero((self.rates[:-1] <= rate) & (self.rates[1:] > rate))
        if above.size == 0:
            return math.nan
        k = int(above[0])
        part = (rate - self.rates[k]) / (self.rates[k + 1] - self.rates[k])
        return float(self.realised[k] + part * (self.realised[k + 1] - self.realised[k]))

    def frame(self) -> Frame:
        """One row per error: nominal, realised, rate, standard error."""
        return Frame(
            {
                "nominal": self.nominal,
                "realised": self.realised,
                "rate": self.rates,
                "standard_error": self.standard_errors,
            }
        )


def misranking_by_error(
    errors: Any = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), *, utilities: Any = "uniform",
    confusions: Any = None, n: int = 10**6, rng: RandomSource = None,
) -> ErrorCurve:  # fmt: skip
    """How often utilities with an error misrank, as a function of the error.

    Normal errors are added to all cells of the true utilities (scaled to [0, 1]) and drawn
    again until every cell lies in [0, 1] and no error is better than the right decision.

    Parameters
    ----------
    errors : sequence of float
        Standard deviations before that cut.
    utilities, confusions, n, rng
        As for `misranking_rate`.

    Returns
    -------
    ErrorCurve
        With the standard deviation that is left, which is the axis of the paper's figure 7.

    References
    ----------
    .. [1] K. Dyrland, A. S. Lundervold, P. G. L. Porta Mana, "Does the evaluation stand up to
       evaluation?", 2022, figure 7.

    Examples
    --------
    >>> curve = misranking_by_error([0.0, 0.1], n=20_000, rng=0)
    >>> float(curve.rates[0]), bool(curve.realised[1] < 0.1)
    (0.0, True)
    """
    nominal = np.sort(np.atleast_1d(as_reals(errors, "errors")))
    if nominal.ndim != 1 or not (np.isfinite(nominal) & (nominal >= 0)).all():
        raise DataError(f"`errors` must be a column of finite numbers from 0 on; got {errors!r}.")
    source = pair_source(utilities, confusions)
    generator = as_generator(rng)
    wrong, squares = np.zeros(nominal.size), np.zeros(nominal.size)
    cells = 1
    for size in block_sizes(n):
        gains, first, second = source.draw(generator, size)
        scaled = _to_unit(gains)
        step = second - first
        true_gap = kernels.yields(step, scaled)
        for k, sd in enumerate(nominal):
            other = kernels.disturbed(scaled, float(sd), generator)
            wrong[k] += kernels.misranked(true_gap, kernels.yields(step, other)).sum()
            squares[k] += ((other - scaled) ** 2).sum()
        cells = scaled.shape[1] * scaled.shape[2]
    rates = wrong / n
    return ErrorCurve(
        nominal, np.sqrt(squares / (n * cells)), rates, np.sqrt(rates * (1 - rates) / n)
    )


def _to_unit(gains: FloatArray) -> FloatArray:
    """Each utility matrix scaled to span 0 to 1."""
    low = gains.min(axis=(1, 2), keepdims=True)
    span = gains.max(axis=(1, 2), keepdims=True) - low
    return np.asarray((gains - low) / np.where(span > 0, span, 1.0))
