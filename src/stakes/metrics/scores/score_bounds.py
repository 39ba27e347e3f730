"""Bounds on rank statistics when scores are known only by bin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels.scores.label_runs import Runs
from stakes.metrics.scores.detection_costs import min_cllr
from stakes.metrics.scores.rate_thresholds import eer
from stakes.metrics.scores.score_costs import min_cost
from stakes.metrics.scores.score_ranking import auc
from stakes.results import Frame
from stakes.summaries import ScoreBins
from stakes.summaries.ranked_scores import RankedScores, require_both


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBounds:
    """What each rank statistic can be, whatever the order inside the bins.

    Parameters
    ----------
    names : tuple of str
        The statistics.
    low, high : array
        Their least and greatest possible value.

    Examples
    --------
    >>> ScoreBounds(("auc",), np.array([0.7]), np.array([0.8]))["auc"]
    (0.7, 0.8)
    """

    names: tuple[str, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __getitem__(self, name: str) -> tuple[float, float]:
        k = self.names.index(name)
        return float(self.low[k]), float(self.high[k])

    def frame(self) -> Frame:
        """One row per statistic: low, high, width."""
        columns = {"statistic": list(self.names), "low": self.low, "high": self.high}
        return Frame({**columns, "width": self.high - self.low})

    def __repr__(self) -> str:
        parts = (f"{n} {a:.4g} to {b:.4g}" for n, a, b in zip(self.names, self.low, self.high,
                                                             strict=True))  # fmt: skip
        return f"ScoreBounds({', '.join(parts)})"


class _Reordered(RankedScores):
    """Bins with the cases of one class moved below those of the other."""

    def __init__(self, bins: ScoreBins, *, negatives_first: bool) -> None:
        self.classes, self.kind, self.prior = bins.classes, bins.kind, bins.prior
        self._bins, self._negatives_first = bins, negatives_first

    @cached_property
    def runs(self) -> Runs:
        """Each bin that may hold several scores, in two: one class, then the other."""
        source, exact = self._bins.runs, self._bins.exact
        pairs = np.where(exact, source.negatives, 0), np.where(exact, source.positives, 0)
        alone = np.where(exact, 0, source.negatives), np.where(exact, 0, source.positives)
        none = np.zeros_like(source.negatives)
        lower = (pairs[0] + alone[0], pairs[1]) if self._negatives_first else (
            pairs[0], pairs[1] + alone[1])  # fmt: skip
        upper = (none, alone[1]) if self._negatives_first else (alone[0], none)
        parts = [np.stack(p, axis=1).ravel() for p in zip(lower, upper, strict=True)]
        ends = [np.repeat(e, 2) for e in (source.lowest, source.highest)]
        filled = parts[0] + parts[1] > 0
        return Runs(*(part[filled] for part in (*parts, *ends)))


def score_bounds(scores: ScoreBins, application: Any = None) -> ScoreBounds:
    r"""The range of AUC, EER, minimum Cllr and minimum cost that binned scores allow.

    Use it to see whether the bins are fine enough: a width of 0 means that nothing was
    lost. Only bins that hold more than one score widen the range.

    .. math:: |\Delta \mathrm{AUC}| \le \tfrac12 \sum_b \pi_b \nu_b

    Parameters
    ----------
    scores : ScoreBins
        The binned scores.
    application : Application or CostMatrix, optional
        For the minimum cost.

    Returns
    -------
    ScoreBounds
        In the units of each statistic: `auc`, `eer` (interpolated and by the hull),
        `min_cllr` in bits, `min_cost` in the unit of the costs.

    Notes
    -----
    The extremes are reached when, inside each bin, all cases of one class score below all
    of the other. Costs at edges need no bounds: they are exact.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27,
       2006, section 5: equal scores bound the curve.

    Examples
    --------
    >>> from stakes import ScoreCounts
    >>> sc = ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9], kind="posterior")
    >>> score_bounds(sc.binned([0.5]))
    ScoreBounds(auc 0.25 to 0.75, eer 0.5 to 0.5, eer_hull 0.25 to 0.5, min_cllr 0.5 to 1)
    """
    require_both(scores, "score_bounds")
    best = _Reordered(scores, negatives_first=True)
    worst = _Reordered(scores, negatives_first=False)
    ranges = {
        "auc": (auc(worst), auc(best)),
        "eer": (eer(best), eer(worst)),
        "eer_hull": (eer(best, method="hull"), eer(scores, method="hull")),
        "min_cllr": (min_cllr(best), min_cllr(scores)),
    }
    if application is not None:
        ranges["min_cost"] = min_cost(best, application), min_cost(scores, application)
    low, high = np.array(list(ranges.values())).T
    return ScoreBounds(tuple(ranges), low, high)
