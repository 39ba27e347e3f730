"""What happened: small summaries of the rows that merge by addition."""

from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.multiclass_scores import one_vs_rest, pairwise
from stakes.summaries.score_bins import ScoreBins
from stakes.summaries.score_counts import ScoreCounts

__all__ = [
    "ConfusionMatrix",
    "ScoreBins",
    "ScoreCounts",
    "one_vs_rest",
    "pairwise",
]
