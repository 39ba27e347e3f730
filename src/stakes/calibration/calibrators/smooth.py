"""Calibration by a smooth curve over ranks and scores, as smooth as the cases make likely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._checks import is_number
from stakes._kernels.class_scores import binary_log_posteriors
from stakes._kernels.optimise.monotone_curve import likely_curve, mean_log_odds
from stakes.calibration.calibrator import Calibrator, run_of
from stakes.calibration.calibrator_json import Shapes
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError
from stakes.typing import FloatArray, Priors

_KNOTS = 2049


def mid_ranks(odds: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Increasing scores and their ranks in (0, 1), at up to 2049 of them.

    The rank is the mass below plus half the mass at a score plus one half, over the whole mass
    plus one. Infinite scores are placed one unit beyond the finite ones.
    """
    places, inverse = np.unique(odds, return_inverse=True)
    mass = np.bincount(inverse.reshape(-1), weights=weights)
    ranks = (np.cumsum(mass) - mass / 2 + 0.5) / (float(mass.sum()) + 1)
    if len(places) > _KNOTS:
        kept = np.unique(np.round(np.linspace(0, len(places) - 1, _KNOTS)).astype(int))
        places, ranks = places[kept], ranks[kept]
    finite = places[np.isfinite(places)]
    if not finite.size:
        finite = np.zeros(1)
    return np.clip(places, finite.min() - 1.0, finite.max() + 1.0), ranks


def _rank_log_odds(ranks: FloatArray) -> FloatArray:
    """Logarithm of the rank from below over the rank from above."""
    return np.asarray(np.log(ranks) - np.log1p(-ranks))


#: Cells into which places along the curve are rounded; the curve is kept at their centres.
_CELLS = 401
#: The share of the rank in a place; the rest is the score.
_RANK_PARTS = (1.0, 0.5, 0.0)
#: The largest allowed ratio of the two numbers of an emphasis.
_MOST = 1e6


class Smooth(Calibrator):
    r"""A smooth increasing curve of any shape, over ranks, scores or both.

    For two classes when the shape of the miscalibration is unknown and cases are not many: less
    rigid than `Beta` and `Rank`, less jumpy than `Isotonic`. How smooth the curve is and along what
    it is smooth follow from the cases themselves. Where cases are few, posteriors stay nearer to
    one half than the best curve does, because they are a mean over all likely curves.

    .. math:: \mathrm{logit}\,p = \sum_j \beta_j B_j(x), \qquad
              \lambda \sum_j (\beta_j - 2\beta_{j+1} + \beta_{j+2})^2 \text{ as penalty}

    Takes log odds or any increasing score (n,), or log-posteriors (n, 2); returns posteriors
    (n, 2), never exactly 0 or 1. The unit of the scores does not matter. Infinite scores are placed
    just beyond the finite ones.

    Parameters
    ----------
    emphasis : sequence of two floats, optional
        How much a case of each class counts while the curve is fitted, such as the root of what an
        error on it costs: the curve is then most precise where posteriors multiplied by them are
        equal. The class with the larger number counts in full, so no case stands for more than one.
        The posteriors still hold for the cases as they are, if enough is left of the other class:
        where it counts for some ten cases or fewer they lean towards it, and below one case `fit`
        raises. Default: all cases count alike.
    priors, classes, bound
        See `Calibrator`.

    Notes
    -----
    Cubic B-splines with 11 equal pieces in x, which is the log odds of the mid-rank, the score, or
    their mean, each from 0 to 1. Thirteen values of :math:`\lambda` and the three kinds of x are
    weighted by their marginal likelihood (Laplace) and averaged. A curve of variance v rests on
    :math:`1/(v\,p(1-p))` cases, at most on all, and enters with c more cases of each class. c is 1,
    or less if the log odds spread more than those of Beta(1, 1); Beta(c, c) then has their
    variance. One extra case with the average class shares, spread over all, keeps separable data
    finite. Stretches that still decrease are pooled. Target priors shift the log odds; the curve
    does not depend on them. The work after sorting does not grow with the cases.

    References
    ----------
    .. [1] Eilers, Marx, *Flexible smoothing with B-splines and penalties*, Statistical Science
       11, 1996.
    .. [2] MacKay, *The evidence framework applied to classification networks*, Neural
       Computation 4, 1992.

    Examples
    --------
    >>> cal = Smooth().fit([-9.0, -1.0, 2.0, 1.0, 3.0, -2.0], [0, 0, 0, 1, 1, 1])
    >>> low, high = cal.posteriors([-5.0, 5.0])[:, 1]
    >>> bool(low < 0.5 < high)
    True
    """

    kind = "smooth"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {
        "places": ("n",),
        "ranks": ("n",),
        "ends": (2,),
        "curves": (len(_RANK_PARTS), _CELLS),
        "log_shares": (len(_RANK_PARTS),),
        "shift": (),
    }

    def __init__(
        self,
        *,
        emphasis: Sequence[float] | None = None,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
    ) -> None:
        parts = None if emphasis is None else _two_numbers(emphasis)
        super().__init__(priors=priors, classes=classes, bound=bound, emphasis=parts)

    def _fit(self, cases: Cases) -> None:
        odds = cases.two_class_odds()
        emphasis = np.array(self.options["emphasis"] or (1.0, 1.0))
        parts = emphasis / emphasis.max()
        _refuse_nothing_left(cases, parts)
        weights = cases.weights * parts[cases.codes]
        self.places, self.ranks = mid_ranks(odds, weights)
        self.ends = _ends(odds)
        offsets = cases.prior_offsets() - np.log(emphasis)
        self.shift = float(offsets[1] - offsets[0])
        found = []
        for part in _RANK_PARTS:
            at = np.rint(self._along(part, odds)).astype(np.intp)
            totals = np.bincount(at, weights=weights, minlength=_CELLS)
            positives = np.bincount(at, weights=weights * (cases.codes == 1), minlength=_CELLS)
            share, extra = float(positives.sum() / totals.sum()), totals / totals.sum()
            found.append(likely_curve(positives + share * extra, totals + extra))
        self.curves = np.array([curve.log_odds for curve in found])
        evidence = np.array([curve.evidence for curve in found])
        self.log_shares = evidence - np.logaddexp.reduce(evidence)

    def _along(self, part: float, odds: FloatArray) -> FloatArray:
        """Place of each score along the cells, not rounded."""
        first, last = _rank_log_odds(self.ranks[[0, -1]])
        ranked = _rank_log_odds(np.interp(odds, self.places, self.ranks)) - first
        low, high = self.ends / 2.0  # halves, whose difference cannot overflow
        scored = (np.clip(odds / 2.0, low, high) - low) / (high - low)
        mean = part * ranked / (last - first or 1.0) + (1.0 - part) * scored
        return np.asarray(mean * (_CELLS - 1))

    def _direction(self) -> int | None:
        return run_of(self.curves)

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        odds, cells = scores.log_odds(), np.arange(_CELLS)
        rows = [
            np.interp(self._along(part, odds), cells, curve)
            for part, curve in zip(_RANK_PARTS, self.curves, strict=True)
        ]
        return binary_log_posteriors(mean_log_odds(np.array(rows), self.log_shares) + self.shift)


def _two_numbers(emphasis: Any) -> list[float]:
    """The emphasis as two plain numbers, checked."""
    given = np.asarray(emphasis, dtype=object)
    plain = given.shape == (2,) and all(map(is_number, given))
    first, second = given if plain else (0.0, 0.0)
    if not (0.0 < first <= _MOST * second and 0.0 < second <= _MOST * first < np.inf):
        raise DataError(
            f"`emphasis` must be two positive numbers of which none is more than {_MOST:g} times "
            f"the other; got {emphasis!r}."
        )
    return [float(part) for part in given]


def _refuse_nothing_left(cases: Cases, parts: FloatArray) -> None:
    """Raise when a class with cases would have a weight below one case."""
    counted = cases.counts * parts
    lost = np.flatnonzero((counted < 1.0) & (cases.counts >= 1.0))
    if lost.size:
        raise DataError(
            f"`emphasis` must leave at least one case of each class; the "
            f"{cases.counts[lost[0]]:g} of class {cases.classes[lost[0]]!r} would count for "
            f"{counted[lost[0]]:.2g}.",
            hint="give numbers nearer to each other, such as their roots",
        )


def _ends(odds: FloatArray) -> FloatArray:
    """The least and the greatest score; infinite ones a twentieth of the range beyond the rest."""
    finite = odds[np.isfinite(odds)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    beyond = high / 20.0 - low / 20.0 or 1.0
    left, right = bool(np.isneginf(odds).any()), bool(np.isposinf(odds).any())
    if high == low:
        left = right = True
    return np.array([low - beyond * left, high + beyond * right])
