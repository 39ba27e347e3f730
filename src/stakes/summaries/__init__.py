"""What happened: small summaries of the rows that merge by addition."""

from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.cost_tally import CostTally
from stakes.summaries.joint_counts import GroupedCounts, PairedCounts
from stakes.summaries.score_bins import ScoreBins, score_edges
from stakes.summaries.score_counts import ScoreCounts, one_vs_rest, pairwise
from stakes.summaries.stored_file import load_summary, merge_summaries, save_summary

__all__ = [
    "ConfusionMatrix",
    "CostTally",
    "GroupedCounts",
    "PairedCounts",
    "ScoreBins",
    "ScoreCounts",
    "load_summary",
    "merge_summaries",
    "one_vs_rest",
    "pairwise",
    "save_summary",
    "score_edges",
]
