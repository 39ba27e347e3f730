"""Where cases come from: files of every kind, near or far, frames, and lists of trials.

``read("churn.csv")`` gives rows in memory, ``read("lake/*.parquet")`` rows that stay where they
are; `stakes.evaluate_frame` and a `stakes.Inquiry` take both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes._lazy import loaded_on_use

__all__ = ["FarFiles", "Source", "Table", "from_frame", "read", "read_trials"]

if TYPE_CHECKING:
    from stakes.sources.source import FarFiles, Source, from_frame, read
    from stakes.sources.table import Table
    from stakes.sources.trials import read_trials

_HOMES = {
    "source": ("FarFiles", "Source", "from_frame", "read"),
    "table": ("Table",),
    "trials": ("read_trials",),
}
__getattr__, __dir__ = loaded_on_use(__name__, _HOMES)
