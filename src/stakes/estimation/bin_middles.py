"""One score for each bin of counted scores."""

from __future__ import annotations

import numpy as np

from stakes.exceptions import UndefinedError
from stakes.rules import DecisionRule
from stakes.summaries.ranked_scores import RankedScores
from stakes.summaries.score_bins import ScoreBins
from stakes.typing import FloatArray


def middles(bins: RankedScores, rule: DecisionRule) -> tuple[FloatArray, FloatArray]:
    """One score for each filled bin, and its cases of each class.

    It is the middle of the edges, so that a bin has the same score in the reference and among new
    cases; or the nearest score of the bin, if none reaches the middle.
    """
    if isinstance(bins, ScoreBins):
        first, second, low, high = bins.runs
        middle = _edge_middles(bins)
    else:
        low, first, second = bins.levels
        high, middle = low, low.astype(np.float64)
    for cut in rule.cuts()[0]:
        split = np.flatnonzero((low <= cut) & (cut < high))
        if split.size:
            k = int(split[0])
            raise UndefinedError(
                f"threshold {cut:g} cuts the bin of scores {low[k]:g} to {high[k]:g}, so the "
                "decisions there are unknown.",
                hint="put the threshold among the edges: score_edges(..., thresholds=[...])",
            )
    scores = np.clip(middle, low, high).astype(np.float64)
    return scores, np.column_stack([first, second]).astype(np.float64)


def _edge_middles(bins: ScoreBins) -> FloatArray:
    """The middle of each filled bin by its edges; open ends are as wide as their neighbours."""
    edges = bins.edges[np.isfinite(bins.edges)]
    if not edges.size:
        return np.asarray((bins.runs.lowest + bins.runs.highest) / 2)
    width = np.diff(edges) if edges.size > 1 else np.ones(1)
    first, last = edges[0] - width[0], edges[-1] + width[-1]
    if bins.kind == "posterior":
        first, last = min(edges[0], 0.0), max(edges[-1], 1.0)
    ends = np.concatenate(([first], edges, [last]))
    at = np.searchsorted(edges, bins.runs.highest)
    return np.asarray((ends[at] + ends[at + 1]) / 2)
