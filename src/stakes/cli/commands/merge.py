"""`stakes merge`: add summaries that were counted apart, such as days or shards."""

from __future__ import annotations

import argparse

from stakes.cli.options import add_options
from stakes.cli.problems import EXIT_OK, warn

_COUNTED = "--label churned --positive yes --scores gbm_p --cost fn=40 fp=4"
FIRST_CALL = (
    f"stakes eval may.csv {_COUNTED} --save may.json\n"
    f"stakes eval churn.csv {_COUNTED} --save churn.json\n"
    "stakes merge may.json churn.json -o all.json"
)
EXAMPLES = """examples:
  stakes merge monday.json tuesday.json -o week.json
  stakes merge 'shards/*.json' -o all.json
  stakes eval all.json --positive yes --cost fn=40 fp=4

Files come from  stakes eval ... --save FILE,  or from summary.save(path) in Python. They must have
the same models, outcomes and decisions. If anything fails, no output file is written.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.usage = "stakes merge FILE [FILE ...] -o FILE [options]"
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="files of saved counts, or patterns such as 'shards/*.json'",
    )
    said = {"-o --output FILE": "output file, .json or .parquet", "--quiet": "print nothing"}
    add_options(parser, said, output={"required": True})


def run(args: argparse.Namespace) -> int:
    """Read, add, write."""
    from stakes.cli.show.outputs import refuse_overwriting
    from stakes.cli.show.terminal import print_wrapped
    from stakes.messages.quantities import grouped
    from stakes.sources.count_files import added, alike, listed_files
    from stakes.summaries import load_summary, save_summary
    from stakes.summaries.sliced_counts import SlicedCounts

    refuse_overwriting({"-o": args.output}, args.files)
    paths = listed_files(args.files)
    total, cases = added(paths)
    if not isinstance(total, SlicedCounts):
        full = [path for path in paths if isinstance(load_summary(path), SlicedCounts)]
        if full:
            warn(f"some files hold decisions alone, so the sum does too, unlike {full[0]}")
    for sentence in alike(paths):
        warn(sentence)
    save_summary(total, args.output)
    if not args.quiet:
        many = f"{len(paths)} file{'s' if len(paths) != 1 else ''}"
        print_wrapped(f"merged {many}, {grouped(cases)} cases, into {args.output}")
    return EXIT_OK
