"""`stakes estimate`: what decisions cost before their labels arrive."""

from __future__ import annotations

import argparse

from stakes.cli.commands import file_after_amounts, inquiry_of
from stakes.cli.options import (
    add_cost_options,
    add_data_options,
    add_group,
    add_model_options,
)
from stakes.cli.problems import EXIT_CODES, EXIT_OK, warn

FIRST_CALL = (
    "stakes estimate june.csv --reference may.csv --label churned --positive yes --scores gbm_p "
    "--cost fn=40 fp=4"
)
#: What most people need, in the order of a first call.
MOST_USED = "file --reference --label --positive --scores --proba --inputs --cost --costs"
EXAMPLES = (
    """examples:
  stakes estimate june.csv --reference may.csv --label churned --positive yes \\
         --scores gbm_p --cost fn=40 fp=4 --unit EUR
  stakes estimate june.csv --reference may.csv --label churned --positive yes \\
         --scores gbm_p --inputs age,contract --cost fn=40 fp=4

The reference has labels; the other file needs none. What no estimate without labels can see: that
the same inputs now lead to other outcomes. Label some new cases at random to check that.
"""
    + EXIT_CODES
)
_REFERENCE = {
    "--reference OLD.csv": "a file with labels and the same columns",
    "--inputs A,B": "columns that the model saw; the reference is weighted by them if their mix "
    "has changed",
    "--change {auto,none,shares,inputs}": "what has changed since the reference (default auto: the "
    "simplest that the scores do not reject)",
    "--by COLUMN": "also estimate each value of this column by itself",
    "--level 0.95": "the confidence level of intervals",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    add_data_options(parser)
    add_group(parser, "the reference", _REFERENCE, change="auto", level=0.95,
              inputs={"default": ""})  # fmt: skip
    add_model_options(parser)
    add_cost_options(parser)
    add_group(parser, "what to print", {"--json": "everything, as JSON"})


def run(args: argparse.Namespace) -> int:
    """Read both files, estimate, print."""
    from stakes.cli.commands.estimate.estimate_text import print_estimates
    from stakes.cli.commands.estimate.file_estimates import estimate_files
    from stakes.cli.show.terminal import print_json
    from stakes.exceptions import DataError

    file_after_amounts(args)
    if args.file is None or args.reference is None:
        raise DataError(
            "I need a file with labels and one without.",
            hint="stakes estimate NEW.csv --reference OLD.csv --label COLUMN --scores A "
            "--cost fn=10 fp=1",
        )
    found = estimate_files(
        inquiry_of(args), reference=args.reference, inputs=args.inputs, change=args.change
    )
    for note in found.notes:
        warn(note)
    if args.json:
        models = {name: each.record() for name, each in found.estimates.items()}
        sources = {"source": found.source, "reference": found.reference}
        print_json({**sources, "models": models})
    else:
        print_estimates(found)
    return EXIT_OK
