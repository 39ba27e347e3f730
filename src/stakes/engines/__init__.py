"""Rows to summaries, where the rows live: data frames, Parquet in DuckDB, a Spark cluster."""

from stakes.engines.batches import Stream
from stakes.engines.reducing import reduce_frame
from stakes.engines.reduction import Reduction
from stakes.engines.request import Request

__all__ = ["Reduction", "Request", "Stream", "reduce_frame"]
