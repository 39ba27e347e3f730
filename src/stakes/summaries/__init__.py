"""What happened: small summaries of the rows that merge by addition."""

from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.cost_tally import CostTally
from stakes.summaries.grouped import GroupedCounts
from stakes.summaries.multiclass_scores import one_vs_rest, pairwise
from stakes.summaries.paired import PairedCounts
from stakes.summaries.score_bins import ScoreBins, score_edges
from stakes.summaries.score_counts import ScoreCounts

__all__ = [
    "ConfusionMatrix",
    "CostTally",
    "GroupedCounts",
    "PairedCounts",
    "ScoreBins",
    "ScoreCounts",
    "one_vs_rest",
    "pairwise",
    "score_edges",
]
