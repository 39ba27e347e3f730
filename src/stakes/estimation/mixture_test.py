"""Whether new scores can be a mixture of what the classes of the reference scored."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc

from stakes.estimation.share_shift import Calibrated, ClassMeans, ShareFit
from stakes.typing import FloatArray

#: Posteriors of a class are cut at this many levels; of two classes at `_LEVELS_OF_TWO`.
_LEVELS = 3
_LEVELS_OF_TWO = 9
#: With more classes only the most likely class and its posterior are looked at.
_MANY_CLASSES = 12
#: Directions with a smaller share of the largest variance are numerically none.
_FLAT = 1e-9
#: Fewer cases above or below a level than this, and it is not looked at.
_FEW = 5


def score_features(reference: Calibrated, new: Calibrated) -> tuple[FloatArray, FloatArray]:
    """Whether posteriors exceed levels between which the reference has equally many cases."""
    tables = [_looked_at(each.posteriors) for each in (reference, new)]
    size = tables[0].shape[1]
    levels = _LEVELS_OF_TWO if size == 1 else _LEVELS
    shares = np.arange(1, levels + 1) / (levels + 1)
    columns: list[list[FloatArray]] = [[], []]
    for k in range(size):
        order = np.argsort(tables[0][:, k], kind="stable")
        summed = np.cumsum(reference.cases.mass[order])
        at = np.searchsorted(summed, shares * summed[-1])
        for cut in np.unique(tables[0][order[at], k]):
            above = [(table[:, k] > cut).astype(np.float64) for table in tables]
            if min(above[0].sum(), len(above[0]) - above[0].sum()) >= _FEW:
                for column, found in zip(columns, above, strict=True):
                    column.append(found)
    old, fresh = (
        np.column_stack([np.zeros((len(t), 0)), *c]) for t, c in zip(tables, columns, strict=True)
    )
    return old, fresh


def _looked_at(posteriors: FloatArray) -> FloatArray:
    """The posteriors whose distribution is compared."""
    size = posteriors.shape[1]
    if size == 2:
        return posteriors[:, 1:]
    if size <= _MANY_CLASSES:
        return posteriors
    return np.asarray(posteriors.max(axis=1, keepdims=True))


def shares_chance(reference: Calibrated, new: Calibrated) -> float:
    """Chance of posteriors that differ so much on average, if nothing had changed."""
    return mean_chance(reference, new, (reference.posteriors[:, 1:], new.posteriors[:, 1:]))


def mean_chance(
    reference: Calibrated, new: Calibrated, looked_at: tuple[FloatArray, FloatArray]
) -> float:
    """Chance of features that differ so much on average, if both were of one population."""
    old, fresh = looked_at
    apart = new.cases.mean(fresh) - reference.cases.mean(old)
    return chi_squared_chance(apart, _mean_spread(reference, old) + _mean_spread(new, fresh))


def _mean_spread(cases: Calibrated, values: FloatArray) -> FloatArray:
    """Covariance of the means of columns; cases may have unequal weights."""
    off = values - cases.cases.mean(values)
    weights = cases.cases.squares / cases.cases.mass.sum() ** 2
    return np.asarray((off * weights[:, None]).T @ off)


def mixture_chance(
    new: Calibrated,
    means: ClassMeans,
    fit: ShareFit,
    looked_at: tuple[FloatArray, FloatArray],
) -> float:
    """Chance of features that differ so much from the nearest mixture of the classes.

    Shares were fitted to the slopes of the likelihood, so what the slopes explain of the features
    is taken off before their variance is reckoned.
    """
    old, fresh = looked_at
    table = means.means(old)
    explained = table @ fit.inverse
    off = new.cases.mean(fresh) - table @ fit.shares
    left_old = old - fit.tangent_old @ explained.T
    left_new = fresh - fit.tangent_new @ explained.T
    spread = _mean_spread(new, left_new) + means.spread(left_old, fit.shares)
    return chi_squared_chance(off, spread)


def chi_squared_chance(apart: FloatArray, spread: FloatArray) -> float:
    """Chance of a normal vector at least so far from 0, in the directions in which it varies."""
    if not apart.size:
        return 1.0
    scale = np.sqrt(np.maximum(np.diag(spread), 1e-300))
    values, vectors = np.linalg.eigh(spread / np.outer(scale, scale))
    known = values > max(_FLAT, 1e-6 * float(values.max(initial=0.0)))
    if not known.any():
        return 1.0
    along = vectors[:, known].T @ (apart / scale)
    return float(gammaincc(known.sum() / 2, float(along**2 @ (1 / values[known])) / 2))
