"""Calibrators that come with a guarantee: Venn-Abers and equal-mass histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._kernels.class_scores import weighted_sums
from stakes._kernels.pav_blocks import venn_abers_upper
from stakes.calibration.calibrator import Calibrator, binary_log_posteriors
from stakes.calibration.cases import Cases, Scores, read_scores
from stakes.calibration.saved_form import Shapes
from stakes.exceptions import DataError
from stakes.typing import FloatArray, Priors

__all__ = ["Histogram", "VennAbers"]


class VennAbers(Calibrator):
    r"""Two isotonic fits per case, one for each class it might have: a pair that is calibrated.

    One of the two probabilities of `bounds` is perfectly calibrated whatever the distribution,
    provided that the cases are exchangeable; their distance shows how much the data leave open.
    `posteriors` merges them to the value of least worst-case log loss.

    .. math:: p = \frac{p_1}{1 - p_0 + p_1}

    Takes log odds or any increasing score (n,), or log-posteriors (n, 2); returns posteriors
    (n, 2), never exactly 0 or 1.

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.

    Notes
    -----
    The guarantee is for the priors of the data; target priors move the merged value afterwards.

    References
    ----------
    .. [1] Vovk, Petej, Fedorova, *Large-scale probabilistic predictors with and without
       guarantees of validity*, NeurIPS 2015.

    Examples
    --------
    >>> cal = VennAbers().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> low, high = cal.bounds([3.0])
    >>> (low.round(3).tolist(), high.tolist())
    ([0.667], [1.0])
    """

    kind = "venn-abers"
    _shapes: ClassVar[Shapes] = {"places": ("n",), "lower": ("n",), "upper": ("n",), "shift": ()}

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
    ) -> None:
        super().__init__(priors=priors, classes=classes, bound=bound)
        self.places: FloatArray = np.empty(0)
        self.lower: FloatArray = np.empty(0)
        self.upper: FloatArray = np.empty(0)
        self.shift = 0.0

    def _fit(self, cases: Cases) -> None:
        odds = cases.scores.log_odds()
        cases.need_all_classes("two classes are needed")
        places, inverse = np.unique(odds, return_inverse=True)
        inverse = inverse.reshape(-1)
        totals = weighted_sums(inverse, cases.weights)
        positives = weighted_sums(inverse, cases.weights * (cases.codes == 1))
        keep = totals > 0
        places, totals, positives = places[keep], totals[keep], positives[keep]
        upper = venn_abers_upper(positives, totals)
        lower = 1.0 - venn_abers_upper((totals - positives)[::-1], totals[::-1])[::-1]
        self.places, self.lower, self.upper = _corners(places, lower, upper)
        offsets = cases.prior_offsets()
        self.shift = float(offsets[1] - offsets[0])

    def bounds(self, scores: Any) -> tuple[FloatArray, FloatArray]:
        """The pair (p0, p1) of probabilities of the second class, under the data's priors."""
        self._need_fit()
        return self._pair(self._bounded(read_scores(scores), learn=False).log_odds())

    def _pair(self, odds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values at the nearest fitted score from below (p0) and from above (p1)."""
        below = np.searchsorted(self.places, odds, side="right") - 1
        above = np.searchsorted(self.places, odds, side="left")
        lower = np.append(self.lower, 0.0)[below]
        upper = np.append(self.upper, 1.0)[above]
        return lower, upper

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        lower, upper = self._pair(scores.log_odds())
        merged = np.log(upper) - np.log1p(-lower)
        return binary_log_posteriors(merged + self.shift)

    def _parameters(self) -> dict[str, Any]:
        return {
            "places": self.places,
            "lower": self.lower,
            "upper": self.upper,
            "shift": self.shift,
        }


def _corners(
    places: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Only the scores at which either bound changes: the first and last of each level."""
    if len(places) < 3:
        return places, lower, upper
    same = (np.diff(lower) == 0) & (np.diff(upper) == 0)
    inner = np.concatenate([[False], same[:-1] & same[1:], [False]])
    return places[~inner], lower[~inner], upper[~inner]


class Histogram(Calibrator):
    r"""Frequencies in bins of equal mass, with an interval that holds for all bins at once.

    Coarse but honest: the frequency in each bin is estimated from that bin alone, so `bounds`
    covers the true frequencies of all bins together with the stated confidence, whatever the
    classifier and the distribution.

    Takes log odds or any increasing score (n,), or log-posteriors (n, 2); returns posteriors
    (n, 2).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    bins : int, optional
        Number of bins of equal mass. Default: the cube root of the number of cases (of their
        total weight), rounded, but at least 2.

    Notes
    -----
    The posterior of a bin with k of n cases is (k + 1/2)/(n + 1), so never 0 or 1. The interval is
    Clopper and Pearson's, at 1 - (1 - level)/bins in each bin; it needs unit weights.

    References
    ----------
    .. [1] Gupta, Ramdas, *Distribution-free calibration guarantees for histogram binning without
       sample splitting*, ICML 2021.

    Examples
    --------
    >>> cal = Histogram(bins=2).fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> cal.posteriors([-1.5, 1.5])[:, 1].round(3).tolist()
    [0.167, 0.833]
    """

    kind = "histogram"
    _shapes: ClassVar[Shapes] = {
        "edges": ("n-1",),
        "positives": ("n",),
        "totals": ("n",),
        "shift": (),
    }

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
        bins: int | None = None,
    ) -> None:
        super().__init__(priors=priors, classes=classes, bound=bound, bins=bins)
        if bins is not None and not bins >= 1:
            raise DataError(f"`bins` must be at least 1; got {bins!r}.")
        self.edges: FloatArray = np.empty(0)
        self.positives: FloatArray = np.empty(0)
        self.totals: FloatArray = np.empty(0)
        self.shift = 0.0

    def _fit(self, cases: Cases) -> None:
        odds = cases.scores.log_odds()
        cases.need_all_classes("two classes are needed")
        order = np.argsort(odds)
        below = np.cumsum(cases.weights[order])
        bins = self.options["bins"] or max(2, round(float(below[-1]) ** (1 / 3)))
        inner = np.searchsorted(below, np.arange(1, bins) * (below[-1] / bins), side="right")
        self.edges = np.unique(odds[order][np.minimum(inner, len(odds) - 1)])
        place = np.searchsorted(self.edges, odds, side="right")
        size = len(self.edges) + 1
        self.totals = weighted_sums(place, cases.weights, size)
        self.positives = weighted_sums(place, cases.weights * (cases.codes == 1), size)
        offsets = cases.prior_offsets()
        self.shift = float(offsets[1] - offsets[0])

    def bounds(self, scores: Any, *, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Ends of the simultaneous interval for the frequency in each score's bin."""
        from scipy.stats import beta

        self._need_fit()
        place = np.searchsorted(
            self.edges, self._bounded(read_scores(scores), learn=False).log_odds(), side="right"
        )
        tail = (1 - level) / len(self.totals) / 2
        k, n = self.positives, self.totals
        with np.errstate(invalid="ignore"):
            low = np.where(k > 0, beta.ppf(tail, np.maximum(k, 1e-9), n - k + 1), 0.0)
            high = np.where(k < n, beta.isf(tail, k + 1, np.maximum(n - k, 1e-9)), 1.0)
        return low[place], high[place]

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        place = np.searchsorted(self.edges, scores.log_odds(), side="right")
        odds = np.log(self.positives + 0.5) - np.log(self.totals - self.positives + 0.5)
        return binary_log_posteriors(odds[place] + self.shift)

    def _parameters(self) -> dict[str, Any]:
        return {
            "edges": self.edges,
            "positives": self.positives,
            "totals": self.totals,
            "shift": self.shift,
        }
