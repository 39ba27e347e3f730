"""`stakes inspect`: say what would be read from a file, and stop."""

from __future__ import annotations

import argparse

from stakes.cli.options import add_data_options

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = "example:\n  stakes inspect churn.csv\n"
    add_data_options(parser)


def run(args: argparse.Namespace) -> int:
    """Describe the file and return the exit code."""
    from stakes.cli.description import described, suggestion
    from stakes.cli.output import page_width, print_wrapped, shown
    from stakes.cli.problems import EXIT_OK
    from stakes.cli.reading import read_table
    from stakes.cli.tables import Column, fitted
    from stakes.exceptions import DataError
    from stakes.report.amounts import grouped

    if args.file is None:
        raise DataError("there is no file to inspect.", hint="stakes inspect data.csv")
    if args.file.lower().endswith(".toml"):
        return _costs(args.file)
    table = read_table(args.file)
    columns = described(table, args.label)
    print_wrapped(f"{table.source}: {grouped(table.n_rows)} rows, {table.form}")
    print()
    text, _ = fitted(
        [
            Column("column", [each.name for each in columns], label=True),
            Column("holds", [each.holds for each in columns], label=True),
            Column("taken as", [each.role for each in columns], right=False),
        ],
        page_width(),
    )
    print(text)
    print()
    command, remark = suggestion(args.file, table, columns, args.positive)
    print_wrapped(remark)
    print(f"  {shown(command)}")
    print("Nothing was evaluated.")
    return EXIT_OK


def _costs(path: str) -> int:
    """Say back what a file of costs holds."""
    from stakes.application import read_uncertain_costs
    from stakes.application.sentences import describe_application
    from stakes.cli.output import shown
    from stakes.cli.problems import EXIT_OK

    costs = read_uncertain_costs(path)
    print(shown(describe_application(costs.expected)))
    if len(costs.corners()) > 1:
        print("(costs given as ranges are shown by their means)")
    print(f"\nTo use them:\n  stakes eval DATA.csv --label COLUMN ... --costs {shown(path)}")
    print("Nothing was evaluated.")
    return EXIT_OK
