"""`stakes costs`: show what a file of costs says, or write one to fill in."""

from __future__ import annotations

import argparse

from stakes.cli.options import add_options

FIRST_CALL = "stakes costs pets-costs.toml"
EXAMPLES = """examples:
  stakes costs pets-costs.toml
  stakes costs --template pets.csv --label species -o costs.toml
  stakes costs --template churn.csv --label churned --positive yes --abstain 'ask a person'

In the file that --template writes every error costs 1, so that it can be used at once:
  stakes eval pets.csv --label species --proba '*.p_*' --costs costs.toml
"""

_OPTIONS = {
    "--template DATA.csv": "write a file of costs for the outcomes of these cases",
    "--label COLUMN": "the column of that file that holds the truth",
    "--positive VALUE": "of two outcomes, the one you act on",
    "--abstain NAME": "add a decision that is not one of the outcomes, such as 'ask a person'",
    "-o --output FILE": "where to write it (.toml); without this it is printed",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.add_argument("file", nargs="?", help="costs, as .toml or .csv")
    add_options(parser, _OPTIONS)


def run(args: argparse.Namespace) -> int:
    """Show the costs, or write the file."""
    from stakes.cli.problems import EXIT_OK
    from stakes.cli.show.cost_table import print_costs
    from stakes.exceptions import DataError

    if args.template is None:
        if args.file is None:
            raise DataError(
                "there is no file of costs to show.",
                hint="stakes costs costs.toml\nto get one:  stakes costs --template data.csv "
                "--label COLUMN -o costs.toml",
            )
        for option in ("label", "positive", "abstain", "output"):
            if getattr(args, option):
                said = f"--{option} is for writing a file, and {args.file} is shown."
                raise DataError(said, hint="leave it out, or:  stakes costs --template data.csv")
        print_costs(args.file)
        return EXIT_OK
    if args.file is not None:
        said = f"--template {args.template} writes a file, and {args.file} would be shown."
        raise DataError(said, hint="leave one of them out")
    return _write(args)


def _write(args: argparse.Namespace) -> int:
    """Write or print the file to fill in."""
    from pathlib import Path

    from stakes.application import costs_template
    from stakes.cli.problems import EXIT_OK
    from stakes.cli.show.outputs import refuse_unfit, write_whole
    from stakes.cli.show.terminal import print_wrapped
    from stakes.inquiry.case_question import outcomes_in
    from stakes.inquiry.inquiry import Inquiry

    inquiry = Inquiry(source=args.template, label=args.label, positive=args.positive)
    refuse_unfit({"-o": args.output}, inquiry)
    label, outcomes = outcomes_in(inquiry)
    text = costs_template(outcomes, abstain=args.abstain, about=f"'{label}' in {args.template}")
    if args.output is None:
        print(text, end="")
        return EXIT_OK
    write_whole(Path(args.output), text)
    said = "every error costs 1 in it: put in your own costs, then give it to stakes eval as"
    print_wrapped(f"costs: {args.output} ({len(outcomes)} outcomes); {said} --costs {args.output}")
    return EXIT_OK
