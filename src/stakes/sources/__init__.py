"""Where cases come from: files of every kind, near or far, frames, and lists of trials.

``read("churn.csv")`` reads rows into memory; ``read("lake/*.parquet")`` leaves rows in their files
for an engine. `stakes.evaluate_frame` and a `stakes.Inquiry` take both.
"""

from stakes._lazy import LoadedOnUse

with LoadedOnUse(globals()):
    from stakes.sources.count_files import SavedCounts as SavedCounts
    from stakes.sources.source import FarFiles as FarFiles
    from stakes.sources.source import Source as Source
    from stakes.sources.source import from_frame as from_frame
    from stakes.sources.source import read as read
    from stakes.sources.table import Table as Table
    from stakes.sources.trials import read_trials as read_trials
