"""Which periods the words and options of `stakes monitor` speak of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stakes.cli.globs import needs_engine
from stakes.cli.kept_files import listed_files
from stakes.cli.monitored_far import from_far
from stakes.cli.monitored_files import from_files
from stakes.cli.monitored_rows import from_rows
from stakes.cli.monitored_watch import Watched
from stakes.exceptions import DataError

__all__ = ["watched"]


def watched(words: Sequence[str], args: Any) -> Watched:
    """The periods that the options speak of, compared with the first."""
    if args.weight:
        raise DataError("--weight is not for monitoring: weights do not say how many cases.")
    if args.time is not None and len(words) == 1:
        args.file = words[0]
        return from_far(args) if needs_engine(args) else from_rows(args)
    paths = listed_files(words) if words and args.time is None else []
    if len(paths) >= 2:
        return from_files(paths, args)
    raise DataError(
        "I need a reference and at least one later period.",
        hint="counts of each period:  stakes monitor last_month.json this_month.json "
        "--cost fn=10 fp=1\nrows with a date:  stakes monitor data.csv --time date --period "
        "week --cost fn=10 fp=1",
    )
