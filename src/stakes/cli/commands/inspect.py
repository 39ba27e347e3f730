"""`stakes inspect`: preview how files will be read."""

from __future__ import annotations

import argparse

from stakes.cli.commands import inquiry_of
from stakes.cli.options import add_data_options

FIRST_CALL = "stakes inspect churn.csv"
#: What most people need, in the order of a first call.
MOST_USED = "file files --label --positive"
EXAMPLES = """examples:
  stakes inspect churn.csv
  stakes inspect 'lake/**/*.parquet'
  stakes inspect days/*.json costs.toml
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.usage = "stakes inspect FILE [FILE ...] [options]"
    add_data_options(parser, together="")
    parser.add_argument("files", nargs="*", help="further files, patterns or folders")


def run(args: argparse.Namespace) -> int:
    """Describe the files and return the exit code."""
    from stakes.cli.problems import EXIT_OK
    from stakes.cli.show.inspection import inspected, kinds_of
    from stakes.exceptions import DataError

    if args.file is None:
        raise DataError("there is no file to inspect.", hint="stakes inspect data.csv")
    for k, (kind, words) in enumerate(kinds_of([args.file, *args.files])):
        if k:
            print()
        inspected(kind, words, inquiry_of(args))
    print("Nothing was evaluated.")
    return EXIT_OK
