"""Isotonic calibration: any increasing map, by pooling adjacent violators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.scores.pav import Blocks, pav_blocks
from stakes.calibration.calibrator import Calibrator, binary_log_posteriors, softmax_log_posteriors
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.persistence import Shapes, parameter
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError, FormatError
from stakes.typing import FloatArray, Priors


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
        given: Any = misleading
        plain = isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
        if not (plain and 0.0 <= float(given) < np.inf):
            raise DataError(
                f"`misleading` must be a number, 0 or more; got {misleading!r}.",
                hint="misleading=1, or misleading=0 for the plain fit",
            )
        self.maps: list[tuple[FloatArray, FloatArray]] = []

    def _fit(self, cases: Cases) -> None:
        cases.need_all_classes("add cases of that class, or drop its column")
        weights = cases.sample_weight
        if cases.scores.size == 2:
            odds, shift = cases.scores.log_odds(), cases.prior_offsets()
            blocks = self._blocks(odds, cases.codes == 1, weights)
            self.maps = [_knots(blocks, float(shift[1] - shift[0]))]
        else:
            table = _against_rest(cases.scores.columns())
            self.maps = [
                _knots(self._blocks(table[:, k], cases.codes == k, weights), 0.0)
                for k in range(cases.scores.size)
            ]
            self.offsets = cases.prior_offsets()
        self.report["blocks"] = sum(len(values) // 2 for _, values in self.maps)

    def _blocks(
        self, odds: FloatArray, positive: NDArray[np.bool_], weights: FloatArray | None
    ) -> Blocks:
        """The fit of one class against the rest."""
        return pav_blocks(odds, positive, weights, misleading=float(self.options["misleading"]))

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        if scores.size == 2:
            return binary_log_posteriors(_interpolated(scores.log_odds(), *self.maps[0]))
        table = _against_rest(scores.columns())
        moved = np.column_stack(
            [_interpolated(table[:, k], *self.maps[k]) for k in range(scores.size)]
        )
        logs = -np.logaddexp(0.0, -moved)
        logs[np.isneginf(logs).all(axis=1)] = 0.0  # no class is possible: nothing was learnt
        return softmax_log_posteriors(logs + self.offsets)

    def _parameters(self) -> dict[str, Any]:
        offsets = getattr(self, "offsets", None)
        return {"maps": [[x, y] for x, y in self.maps], "offsets": offsets}

    def _restore(self, parameters: Mapping[str, Any]) -> None:
        size = len(self.classes or ())
        self.maps = []
        for each in parameters["maps"]:
            sizes: dict[str, int] = {}
            x, y = (np.asarray(parameter("maps", part, ("n",), sizes)) for part in each)
            self.maps.append((x, y))
        if len(self.maps) != (1 if size == 2 else size):
            raise FormatError(f"the saved parameter 'maps' holds {len(self.maps)} maps.")
        if size > 2:
            given = parameter("offsets", parameters["offsets"], (size,), {})
            self.offsets = np.asarray(given)


def _against_rest(scores: NDArray[Any]) -> FloatArray:
    """Log odds of each class against all others together, (n, K)."""
    table = np.asarray(scores, dtype=np.float64)
    out = np.empty(table.shape)
    for k in range(table.shape[1]):
        rest = np.delete(table, k, axis=1)
        top = rest.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            total = safe + np.log(np.exp(rest - safe[:, None]).sum(axis=1))
        out[:, k] = table[:, k] - total
    return out


def _knots(blocks: Blocks, shift: float) -> tuple[FloatArray, FloatArray]:
    """Both ends of each block with its log odds; infinite scores are placed one unit outside."""
    with np.errstate(divide="ignore"):
        values = np.log(blocks.positives) - np.log(blocks.negatives) + shift
    places = np.column_stack([blocks.lowest, blocks.highest]).ravel()
    finite = places[np.isfinite(places)]
    edge = (finite.min() - 1.0, finite.max() + 1.0) if finite.size else (-1.0, 1.0)
    return np.clip(places, *edge), np.repeat(values, 2)


def _interpolated(scores: FloatArray, places: FloatArray, values: FloatArray) -> FloatArray:
    """Piecewise linear map; next to an infinite value the finite neighbour holds up to it."""
    finite = np.isfinite(values)
    if not finite.any():
        return np.asarray(np.where(scores < places[len(places) // 2], values[0], values[-1]))
    out: FloatArray = np.interp(scores, places[finite], values[finite])
    if np.isneginf(values[0]):
        out[scores <= places[np.isneginf(values)][-1]] = -np.inf
    if np.isposinf(values[-1]):
        out[scores >= places[np.isposinf(values)][0]] = np.inf
    return out
