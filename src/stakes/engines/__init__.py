"""Rows to summaries, where the rows live: data frames, Parquet in DuckDB, a Spark cluster."""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.engines.frame_reduction import reduce_frame as reduce_frame
    from stakes.engines.reduction import Reduction as Reduction
    from stakes.engines.request import Request as Request
    from stakes.engines.stream import Stream as Stream
