"""Calibration by blocks of scores: isotonic, Venn-Abers with its guarantee, equal-mass
histograms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._checks import as_level, as_whole, is_number
from stakes._kernels.class_scores import binary_log_posteriors, log_softmax, weighted_sums
from stakes._kernels.isotonic_blocks import (
    Blocks,
    equal_mass_cuts,
    half_way,
    pav_blocks,
    venn_abers_upper,
)
from stakes.calibration.calibrator import Calibrator, run_of
from stakes.calibration.calibrator_json import Shapes, as_parameter
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError, FormatError
from stakes.typing import FloatArray, IntArray, Priors


class Isotonic(Calibrator):
    r"""The best increasing map from score to posterior, whatever its shape.

    Use it with many cases (some hundreds of each class) when the shape of the miscalibration is
    unknown. With `misleading=0` it is optimal in the data it was fitted on, for every proper score,
    every cost and every prior at once. More than two classes are fitted one against the rest and
    renormalised, which is convenient rather than optimal.

    Takes log odds or any increasing score (n,), or log-posteriors (n, K); returns posteriors
    (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    misleading : float
        Cases of the wrong class added beyond either end of the scores. The default of 1 keeps
        every posterior away from 0 and 1, so that no new case can cost an infinite cross-entropy;
        0 is the plain fit, with infinite log odds at the ends.

    Notes
    -----
    Between the blocks of the fit the log odds are interpolated linearly. Target priors shift the
    log odds; the blocks do not depend on them.

    References
    ----------
    .. [1] Brümmer, du Preez, *The PAV algorithm optimizes binary proper scoring rules*,
       arXiv:1304.2331, 2013.

    Examples
    --------
    >>> cal = Isotonic(misleading=0).fit([-2.0, -1.0, 1.0, 2.0], [0, 1, 0, 1])
    >>> cal.posteriors([-1.0, 1.0, 5.0])[:, 1].tolist()
    [0.5, 0.5, 1.0]
    """

    kind = "isotonic"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {"maps": None, "offsets": None}

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
        misleading: float = 1.0,
    ) -> None:
        super().__init__(priors=priors, classes=classes, bound=bound, misleading=misleading)
        if not (is_number(misleading) and 0.0 <= misleading < np.inf):
            raise DataError(
                f"`misleading` must be a number, 0 or more; got {misleading!r}.",
                hint="misleading=1, or misleading=0 for the plain fit",
            )

    def _fit(self, cases: Cases) -> None:
        cases.need_all_classes("add cases of that class, or drop its column")
        two, misleading = cases.scores.size == 2, float(self.options["misleading"])
        shift = cases.prior_shift() if two else 0.0
        self.maps = []
        for k, odds in _class_odds(cases.scores):
            fit = pav_blocks(odds, cases.codes == k, cases.sample_weight, misleading=misleading)
            self.maps.append(_knots(fit, shift))
        self.offsets = None if two else cases.prior_offsets()
        self.report["blocks"] = sum(places.size // 2 for places, _ in self.maps)

    def _direction(self) -> int | None:
        return run_of(self.maps[0][1]) if self.offsets is None else None

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        pairs = zip(self.maps, _class_odds(scores), strict=True)
        moved = [_interpolated(odds, *knots) for knots, (_, odds) in pairs]
        if self.offsets is None:
            return binary_log_posteriors(moved[0])
        logs = -np.logaddexp(0.0, -np.column_stack(moved))
        logs[np.isneginf(logs).all(axis=1)] = 0.0  # no class is possible: nothing was learnt
        return log_softmax(logs + self.offsets)

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        size = len(self.classes or ())
        self.maps = [as_parameter("maps", each, (2, "n")) for each in parameters["maps"]]
        if len(self.maps) != (1 if size == 2 else size):
            raise FormatError(f"the saved parameter 'maps' holds {len(self.maps)} maps.")
        offsets = parameters["offsets"]
        self.offsets = None if size == 2 else as_parameter("offsets", offsets, (size,))


def _class_odds(scores: Scores) -> Iterator[tuple[int, FloatArray]]:
    """Log odds of each class against all others together; with two classes, of the second only."""
    if scores.size == 2:
        yield 1, scores.log_odds()
        return
    table = np.asarray(scores.columns(), dtype=np.float64)
    for k in range(scores.size):
        rest = np.delete(table, k, axis=1)
        top = rest.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            total = safe + np.log(np.exp(rest - safe[:, None]).sum(axis=1))
        yield k, table[:, k] - total


def _knots(blocks: Blocks, shift: float) -> FloatArray:
    """Both ends of each block with its log odds; infinite scores are placed one unit outside."""
    with np.errstate(divide="ignore"):
        values = np.log(blocks.positives) - np.log(blocks.negatives) + shift
    places = np.column_stack([blocks.lowest, blocks.highest]).ravel()
    finite = places[np.isfinite(places)]
    edge = (finite.min() - 1.0, finite.max() + 1.0) if finite.size else (-1.0, 1.0)
    return np.array([np.clip(places, *edge), np.repeat(values, 2)])


def _interpolated(scores: FloatArray, places: FloatArray, values: FloatArray) -> FloatArray:
    """Piecewise linear map; next to an infinite value the finite neighbour is extended."""
    finite = np.isfinite(values)
    if not finite.any():
        return np.asarray(np.where(scores < places[len(places) // 2], values[0], values[-1]))
    out: FloatArray = np.interp(scores, places[finite], values[finite])
    if np.isneginf(values[0]):
        out[scores <= places[np.isneginf(values)][-1]] = -np.inf
    if np.isposinf(values[-1]):
        out[scores >= places[np.isposinf(values)][0]] = np.inf
    return out


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
    The guarantee is for the priors of the data. Target priors move both bounds and the merged value
    afterwards, taking the class shares of the data as known. It assumes that all cases, and the
    next one, have the same weight: `bounds` needs rows of weight 1.

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
    _any_scale = True
    _shapes: ClassVar[Shapes] = {"places": ("n",), "lower": ("n",), "upper": ("n",), "shift": ()}

    def _fit(self, cases: Cases) -> None:
        odds = cases.two_class_odds()
        places, inverse = np.unique(odds, return_inverse=True)
        inverse = inverse.reshape(-1)
        totals = weighted_sums(inverse, cases.weights)
        positives = weighted_sums(inverse, cases.weights * (cases.codes == 1))
        upper = venn_abers_upper(positives, totals)
        lower = 1.0 - venn_abers_upper((totals - positives)[::-1], totals[::-1])[::-1]
        # weighted sums may round to a little more than one
        lower, upper = np.maximum(lower, 0.0), np.minimum(upper, 1.0)
        same = (np.diff(lower) == 0) & (np.diff(upper) == 0)
        kept = ~(np.append(False, same) & np.append(same, False))  # both ends of each level
        self.places, self.lower, self.upper = places[kept], lower[kept], upper[kept]
        self.shift = cases.prior_shift()
        self.report |= _row_weight(cases)

    def bounds(self, scores: Any) -> tuple[FloatArray, FloatArray]:
        """The pair (p0, p1) of probabilities of the second class, under the target priors.

        Needs rows of weight 1.
        """
        self._need_fit()
        if "row_weight" in self.report:
            raise _refused("rows of weight 1")
        low, high = self._pair(self._bounded(self._read_alike(scores), learn=False).log_odds())
        return _moved(low, self.shift), _moved(high, self.shift)

    def _pair(self, odds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Values at the nearest fitted score from below (p0) and from above (p1)."""
        below = np.searchsorted(self.places, odds, side="right") - 1
        above = np.searchsorted(self.places, odds, side="left")
        return np.append(self.lower, 0.0)[below], np.append(self.upper, 1.0)[above]

    def _direction(self) -> int | None:
        return run_of(np.array([self.lower, self.upper]))

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        lower, upper = self._pair(scores.log_odds())
        return binary_log_posteriors(np.log(upper) - np.log1p(-lower) + self.shift)


def _moved(probabilities: FloatArray, shift: float) -> FloatArray:
    """Probabilities with a shift added to their log odds."""
    from scipy.special import expit, logit

    return np.asarray(expit(logit(probabilities) + shift)) if shift else probabilities


def _row_weight(cases: Cases) -> dict[str, float | None]:
    """For the report: the weight of every row if it is the same and not 1, else None."""
    weights = cases.weights
    if (weights == 1.0).all():
        return {}
    return {"row_weight": float(weights[0]) if (weights == weights[0]).all() else None}


def _refused(needed: str) -> DataError:
    """The error for weights under which the guarantee does not hold."""
    return DataError(
        f"`bounds` needs {needed}; `sample_weight` had others, and a weighted row is one case.",
        hint="fit without sample_weight; where weights count cases, repeat the rows: "
        "np.repeat(scores, weights); for other class shares give priors",
    )


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
        Largest number of bins. Default: the cube root of the number of cases (of their total
        weight), rounded, but at least 2.

    Notes
    -----
    Bins are cut half-way between two different scores, as near to equal mass as ties allow; none
    is empty, and there may be fewer than asked for. With no more different scores than bins each
    score has a bin of its own. Of two cuts that are equally near, the one towards the middle is
    taken, and exactly in the middle the lower one; apart from that, swapping the classes and the
    sign of the scores swaps the posteriors.

    The posterior of a bin with k of n cases is (k + 1/2)/(n + 1), so never 0 or 1. The interval is
    Clopper and Pearson's, at 1 - (1 - level)/bins in each bin. It counts every row as one case and
    needs rows of equal weight. Target priors move both of its ends, taking the class shares of the
    data as known.

    References
    ----------
    .. [1] Gupta, Ramdas, *Distribution-free calibration guarantees for histogram binning without
       sample splitting*, ICML 2021.

    Examples
    --------
    >>> cal = Histogram(bins=2).fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> cal.posteriors([-1.5, 1.5])[:, 1].round(3).tolist()
    [0.167, 0.833]
    >>> low, high = cal.bounds([1.5], level=0.9)
    >>> (low.round(3).tolist(), high.tolist())  # of two cases 2: the square root of 0.1/2/2
    ([0.158], [1.0])
    """

    kind = "histogram"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {
        "edges": ("cuts",),
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
        if bins is not None:
            as_whole(bins, "bins")

    def _fit(self, cases: Cases) -> None:
        odds = cases.two_class_odds()
        places, inverse = np.unique(odds, return_inverse=True)
        inverse = inverse.reshape(-1)
        mass = weighted_sums(inverse, cases.weights)
        bins = self.options["bins"] or max(2, round(float(mass.sum()) ** (1 / 3)))
        self.edges = half_way(places, equal_mass_cuts(mass, int(bins)))
        place, size = self._place(odds), len(self.edges) + 1
        self.totals = weighted_sums(place, cases.weights, size)
        self.positives = weighted_sums(place, cases.weights * (cases.codes == 1), size)
        self.shift = cases.prior_shift()
        self.report |= _row_weight(cases)

    def bounds(self, scores: Any, *, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Ends of the simultaneous interval for the frequency in each score's bin.

        Under the target priors, if there are any. Needs rows of equal weight.
        """
        from scipy.stats import beta

        self._need_fit()
        place = self._place(self._bounded(self._read_alike(scores), learn=False).log_odds())
        k, n = self._counts()
        tail = (1 - as_level(level)) / len(n) / 2
        low = np.where(k > 0, beta.ppf(tail, np.maximum(k, 1), n - k + 1), 0.0)
        high = np.where(k < n, beta.isf(tail, k + 1, np.maximum(n - k, 1)), 1.0)
        return _moved(low, self.shift)[place], _moved(high, self.shift)[place]

    def _counts(self) -> tuple[FloatArray, FloatArray]:
        """Rows of the second class and all rows in each bin, whatever their weights."""
        weight = self.report.get("row_weight", 1.0)
        if weight is None:
            raise _refused("rows of equal weight")
        return np.rint(self.positives / weight), np.rint(self.totals / weight)

    def _place(self, odds: FloatArray) -> IntArray:
        """The bin of each score."""
        return np.searchsorted(self.edges, odds, side="right")

    def _odds(self) -> FloatArray:
        """The log odds of each bin, at the shares of the data."""
        with_half = self.positives + 0.5, self.totals - self.positives + 0.5
        return np.asarray(np.log(with_half[0]) - np.log(with_half[1]))

    def _direction(self) -> int | None:
        return run_of(self._odds())

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        return binary_log_posteriors(self._odds()[self._place(scores.log_odds())] + self.shift)

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        super()._restore(parameters)
        if len(self.edges) != len(self.totals) - 1:
            raise FormatError(f"{len(self.totals)} saved bins cannot have {len(self.edges)} edges.")
