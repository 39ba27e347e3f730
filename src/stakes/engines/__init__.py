"""Rows to summaries, where the rows live: data frames, Parquet in DuckDB, a Spark cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

__all__ = ["Reduction", "Request", "Stream", "reduce_frame"]

if TYPE_CHECKING:
    from stakes.engines.frame_reduction import reduce_frame
    from stakes.engines.reduction import Reduction
    from stakes.engines.request import Request
    from stakes.engines.stream import Stream

_HOMES = {
    "frame_reduction": ("reduce_frame",),
    "reduction": ("Reduction",),
    "request": ("Request",),
    "stream": ("Stream",),
}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
