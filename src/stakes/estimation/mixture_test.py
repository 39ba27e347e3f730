"""Whether new scores can be a mixture of what the classes of the reference scored."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc

from stakes.estimation.share_shift import Calibrated, ClassMeans, ShareFit, covariance
from stakes.typing import FloatArray

#: Posteriors of a class are cut at this many levels; of two classes at `_LEVELS_OF_TWO`.
_LEVELS = 3
_LEVELS_OF_TWO = 9
#: With more classes only the most likely class and its posterior are looked at.
_MANY_CLASSES = 12
#: Directions with a smaller share of the largest variance are numerically none.
_FLAT = 1e-9
#: Fewer reference cases above or below a level than this, and it is not looked at.
_FEW = 5
#: A feature is looked at if so many new cases can be expected to have it, and not to have it.
_EXPECTED = 1.0
#: Scores that differ by less than this share are equal, whatever a compiled sum makes of them.
_ROUNDING = 1e-12


def score_features(reference: Calibrated, new: Calibrated) -> tuple[FloatArray, FloatArray]:
    """Whether posteriors exceed levels between which the reference has equally many cases, or
    would have if its classes were equally frequent: of a rare class all scores may lie above the
    others' highest level.
    """
    tables = [_looked_at(each.posteriors) for each in (reference, new)]
    size = tables[0].shape[1]
    levels = _LEVELS_OF_TWO if size == 1 else _LEVELS
    shares = np.arange(1, levels + 1) / (levels + 1)
    columns: list[list[FloatArray]] = [[], []]
    cases = reference.cases
    counts, balanced = cases.counts, cases.mass / cases.shares[cases.labels]
    for k in range(size):
        order = np.argsort(tables[0][:, k], kind="stable")
        sums = [np.cumsum(weights[order]) for weights in (cases.mass, balanced)]
        at = np.concatenate([np.searchsorted(each, shares * each[-1]) for each in sums])
        for cut in np.unique(tables[0][order[at], k]):
            edge = cut * (1 + _ROUNDING)
            above = [(table[:, k] > edge).astype(np.float64) for table in tables]
            number = counts @ above[0]
            if min(number, counts.sum() - number) >= _FEW:
                for column, found in zip(columns, above, strict=True):
                    column.append(found)
    if not columns[0]:  # scores that do not vary must not move
        return tables[0], tables[1]
    return np.column_stack(columns[0]), np.column_stack(columns[1])


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
    cases = reference.cases
    old, fresh = _frequent(cases.mean(looked_at[0]), cases.effective, new, looked_at)
    apart = new.cases.mean(fresh) - cases.mean(old)
    likely = covariance(old, cases.mass / cases.mass.sum())
    own = _new_spread(new, fresh, likely, cases.effective)
    return chi_squared_chance(apart, _mean_spread(reference, old) + own, np.diag(own))


def _frequent(
    means: FloatArray, worth: float, new: Calibrated, looked_at: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Features without marks that hardly any new case can be expected to have, or to lack.

    One such case would seem to be a great change. `means` are those expected, `worth` how many
    cases they come from.
    """
    old, fresh = looked_at
    marks = ((old == 0) | (old == 1)).all(axis=0)
    number = new.cases.effective
    share = (worth * means + number * new.cases.mean(fresh)) / (worth + number)
    kept = ~marks | (np.minimum(share, 1 - share) * number >= _EXPECTED)
    return old[:, kept], fresh[:, kept]


def _mean_spread(cases: Calibrated, values: FloatArray) -> FloatArray:
    """Covariance of the means of columns; cases may have unequal weights."""
    off = values - cases.cases.mean(values)
    weights = cases.cases.squares / cases.cases.mass.sum() ** 2
    return np.asarray((off * weights[:, None]).T @ off)


def _new_spread(
    new: Calibrated, values: FloatArray, likely: FloatArray, worth: float
) -> FloatArray:
    """Covariance of the means of columns over the new cases, pooled with that of the reference.

    Few new cases say too little of their own spread. `likely` is the covariance of the columns that
    the reference expects, which is worth so many cases.
    """
    number = new.cases.effective
    own = _mean_spread(new, values)
    return np.asarray((number * own + worth * likely / number) / (number + worth))


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
    mixed = means.likely @ fit.shares
    worth = means.worth(mixed)
    old, fresh = _frequent(mixed @ looked_at[0], worth, new, looked_at)
    table = means.means(old)
    explained = table @ fit.inverse
    off = new.cases.mean(fresh) - table @ fit.shares
    left_old = old - fit.tangent_old @ explained.T
    left_new = fresh - fit.tangent_new @ explained.T
    spread = _new_spread(new, left_new, covariance(left_old, mixed), worth)
    whole = np.diag(_new_spread(new, fresh, covariance(old, mixed), worth))
    return chi_squared_chance(off, spread + means.spread(left_old, fit.shares), whole)


def chi_squared_chance(apart: FloatArray, spread: FloatArray, whole: FloatArray) -> float:
    """Chance of a normal vector at least so far from 0, in the directions in which it varies.

    Of the variances `whole` of the features, `spread` is what is left to chance. Where nothing is
    left, what is apart is rounding; but features that never vary cannot be apart.
    """
    still = whole <= _FLAT**2
    if (np.abs(apart[still]) > _FLAT).any():
        return 0.0
    apart, spread, whole = apart[~still], spread[np.ix_(~still, ~still)], whole[~still]
    if not apart.size:
        return 1.0
    scale = np.sqrt(np.maximum(whole, 1e-300))
    values, vectors = np.linalg.eigh(spread / np.outer(scale, scale))
    known = values > max(_FLAT, 1e-6 * float(values.max(initial=0.0)))
    if not known.any():
        return 1.0
    along = vectors[:, known].T @ (apart / scale)
    return float(gammaincc(known.sum() / 2, float(along**2 @ (1 / values[known])) / 2))
