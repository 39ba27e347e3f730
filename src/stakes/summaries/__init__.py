"""What happened: small summaries of the rows that merge by addition."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.summaries.confusion import ConfusionMatrix as ConfusionMatrix
    from stakes.summaries.cost_tally import CostTally as CostTally
    from stakes.summaries.joint_counts import GroupedCounts as GroupedCounts
    from stakes.summaries.joint_counts import PairedCounts as PairedCounts
    from stakes.summaries.score_bins import ScoreBins as ScoreBins
    from stakes.summaries.score_bins import score_edges as score_edges
    from stakes.summaries.score_counts import ScoreCounts as ScoreCounts
    from stakes.summaries.score_counts import one_vs_rest as one_vs_rest
    from stakes.summaries.score_counts import pairwise as pairwise
    from stakes.summaries.sliced_counts import SlicedCounts as SlicedCounts
    from stakes.summaries.stored_file import load_summary as load_summary
    from stakes.summaries.stored_file import merge_summaries as merge_summaries
    from stakes.summaries.stored_file import save_summary as save_summary
