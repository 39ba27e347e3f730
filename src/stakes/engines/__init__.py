"""Rows to summaries, where the rows live: data frames, Parquet in DuckDB, a Spark cluster."""

from stakes.engines.frame_reduction import reduce_frame
from stakes.engines.reduction import Reduction
from stakes.engines.request import Request
from stakes.engines.stream import Stream

__all__ = ["Reduction", "Request", "Stream", "reduce_frame"]
