"""`stakes reproduce`: recompute the tables and figures of published papers."""

from __future__ import annotations

import argparse

from stakes.cli.options import add_options

__all__ = ["configure", "run"]

FIRST_CALL = "stakes reproduce"
FOLDER = "stakes-reproduction"
EPILOG = """examples:
  stakes reproduce                      what there is, and how long it takes
  stakes reproduce ferrer2025           every table and figure of a paper
  stakes reproduce ferrer2025 table2    one of them
  stakes reproduce --all                everything

Items that read real scores look for them in the folder that STAKES_DATA names; without it they
are skipped. Results already computed from the same inputs are reused from the output folder.
The exit code is 1 if a number lies outside its tolerance or an item fails, and 2 if nothing that
was asked for could be computed.
"""


_OPTIONS = {
    "--all": "every item of every paper",
    "-o --output FOLDER": f"the folder to write to (default {FOLDER})",
    "--fresh": "compute again what was computed before",
    "--json": "print the results as JSON",
    "--quiet": "show no progress; print only the conclusions",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EPILOG
    parser.usage = "stakes reproduce [PAPER [ITEM]] [options]"
    parser.add_argument(
        "paper", nargs="?", help="a paper, such as ferrer2025; without it, list all papers"
    )
    parser.add_argument("item", nargs="?", help="one of its tables, figures or examples")
    add_options(parser, _OPTIONS, output=FOLDER)


def run(args: argparse.Namespace) -> int:
    """List, or compute and write the pages; return the exit code."""
    from pathlib import Path

    from stakes.cli.commands.reproduce.paper_folder import (
        Folder,
        data_folder,
        print_list,
        print_results,
        why_nothing,
    )
    from stakes.cli.problems import EXIT_GATE, EXIT_OK, EXIT_PROBLEM, complain
    from stakes.exceptions import DataError
    from stakes.papers.runs import item_of, paper_of, papers

    if args.all and args.paper is not None:
        raise DataError(f"--all and {args.paper!r} say two different things.", hint="leave one out")
    data = data_folder()
    folder = Folder(Path(args.output), data)
    if not args.all and args.paper is None:
        print_list(papers(), folder, as_json=args.json)
        return EXIT_OK
    if args.all:
        asked = [(paper, item) for paper in papers() for item in paper.items]
    else:
        paper = paper_of(args.paper)
        items = paper.items if args.item is None else (item_of(paper, args.item),)
        asked = [(paper, item) for item in items]
    try:
        results = folder.run(asked, fresh=args.fresh, quiet=args.quiet or args.json)
    except KeyboardInterrupt:
        complain("stopped.", f"what was computed is kept in {folder.path}: ask again to go on")
        raise
    pages = folder.write(results)
    print_results(results, pages, args, data)
    if all(each.status == "skipped" for each in results):
        complain("nothing that was asked for could be computed.", why_nothing(results, data))
        return EXIT_PROBLEM
    return EXIT_OK if all(each.good for each in results) else EXIT_GATE
