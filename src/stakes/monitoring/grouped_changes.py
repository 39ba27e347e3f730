"""The same questions when cases come in groups: whole groups vary, not single cases.

Every quantity is linearised in what each group adds to it; its variance is that of these parts
over the groups (Taylor linearisation, as for cluster samples). Vectors are tested by Wald's
statistic, referred to the F distribution because groups may be few.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.interval_limits import student_limits
from stakes.typing import FloatArray
from stakes.uncertainty.differences import two_sided

__all__ = ["GroupSample", "grouped_chances", "grouped_errors", "grouped_limits"]


class GroupSample(NamedTuple):
    """What each group adds to shares (G, K), to mean costs (G, K) and to rates (G, K, M)."""

    shares: FloatArray
    means: FloatArray
    rates: FloatArray
    filled: NDArray[np.bool_]

    @classmethod
    def of(cls, tables: FloatArray, costs: FloatArray) -> GroupSample:
        """From the counts of each group, (G, K, M)."""
        by_class = tables.sum(axis=2)
        sizes = by_class.sum(axis=1, keepdims=True)
        totals = by_class.sum(axis=0)
        filled = totals > 0
        safe = np.where(filled, totals, 1.0)
        paid = (tables * costs).sum(axis=2)
        average = paid.sum(axis=0) / safe
        rates = tables.sum(axis=0) / safe[:, None]
        return cls(
            (by_class - totals / totals.sum() * sizes) / totals.sum(),
            (paid - average * by_class) / safe,
            (tables - rates * by_class[:, :, None]) / safe[:, None],
            filled,
        )

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.shares.shape[0])

    def variance(self, parts: FloatArray) -> float:
        """Of a sum of what each group adds, (G,)."""
        return float((parts**2).sum()) * self.n_groups / max(self.n_groups - 1, 1)

    def cost(self, shares: FloatArray, means: FloatArray, priors: FloatArray | None) -> FloatArray:
        """What each group adds to the cost per case, (G,)."""
        known = np.nan_to_num(means)
        if priors is not None:
            return np.asarray((self.means * priors).sum(axis=1))
        return np.asarray((self.shares * known + self.means * shares).sum(axis=1))


def _freedom(variances: list[float], samples: tuple[GroupSample, GroupSample]) -> float:
    """Welch and Satterthwaite's degrees of freedom, from numbers of groups."""
    bottom = sum(v**2 / max(s.n_groups - 1, 1) for v, s in zip(variances, samples, strict=True))
    return sum(variances) ** 2 / bottom if bottom > 0 else np.inf


def grouped_chances(
    samples: tuple[GroupSample, GroupSample],
    change: float,
    cost_parts: tuple[FloatArray, FloatArray],
    gaps: tuple[FloatArray, FloatArray],
) -> tuple[float, float, float]:
    """Chances of the change in cost, of the gaps in shares (K,) and of those in rates (K, M)."""
    variances = [s.variance(z) for s, z in zip(samples, cost_parts, strict=True)]
    error = float(np.sqrt(sum(variances)))
    cost = two_sided(change, error, _freedom(variances, samples))
    both = samples[0].filled & samples[1].filled
    shares = _wald(samples, [s.shares[:, 1:] for s in samples], gaps[0][1:])
    inner = [s.rates[:, both, 1:].reshape(s.n_groups, -1) for s in samples]
    rates = _wald(samples, inner, gaps[1][both][:, 1:].ravel())
    return cost, shares, rates


def _wald(
    samples: tuple[GroupSample, GroupSample], parts: list[FloatArray], gap: FloatArray
) -> float:
    """Probability of so large a vector of gaps."""
    from scipy.special import fdtrc

    total = np.zeros((gap.size, gap.size))
    for sample, z in zip(samples, parts, strict=True):
        total += z.T @ z * sample.n_groups / max(sample.n_groups - 1, 1)
    rank = int(np.linalg.matrix_rank(total, hermitian=True)) if gap.size else 0
    if rank == 0:
        return 1.0
    statistic = float(gap @ np.linalg.pinv(total, hermitian=True) @ gap)
    below = sum(sample.n_groups - 1 for sample in samples)
    if below <= rank:
        return 1.0  # too few groups to tell
    scaled = statistic * (below - rank + 1) / (below * rank)
    return float(fdtrc(rank, below - rank + 1, scaled))


def grouped_limits(
    samples: tuple[GroupSample, GroupSample],
    change: float,
    cost_parts: tuple[FloatArray, FloatArray],
    level: float,
) -> tuple[float, float]:
    """Limits of the change in cost."""
    variances = [s.variance(z) for s, z in zip(samples, cost_parts, strict=True)]
    return student_limits(
        change, float(np.sqrt(sum(variances))), level, _freedom(variances, samples)
    )


def grouped_errors(
    samples: tuple[GroupSample, GroupSample], parts: tuple[FloatArray, ...]
) -> tuple[float, float]:
    """Standard errors of the part from shares and of the part from errors."""
    p, q, r, s = parts
    before, after = samples
    found = []
    for ours, tilt, signs in (
        ((r + s) / 2, (q - p) / 2, (-1.0, 1.0)),
        ((s - r) / 2, (p + q) / 2, (1.0, 1.0)),
    ):
        turn = (1.0, 1.0) if signs[0] < 0 else (-1.0, 1.0)
        variance = 0.0
        for sample, sign, bend in zip((before, after), signs, turn, strict=True):
            z = sign * (sample.shares * ours).sum(axis=1) + bend * (sample.means * tilt).sum(axis=1)
            variance += sample.variance(z)
        found.append(float(np.sqrt(variance)))
    return found[0], found[1]
