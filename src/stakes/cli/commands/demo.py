"""`stakes demo`: run the bundled examples and leave report pages."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from stakes.cli.options import add_options

FIRST_CALL = "stakes demo -o demo"
FOLDER = "stakes-demo"
EXAMPLES = (
    (
        "1. Customers who may leave: three models, and what a miss and a call cost.",
        "churn.csv --label churned --positive yes --scores gbm_p,logreg_p,rules_p "
        "--cost fn=40 fp=4 --unit EUR --volume 250000/yr --html churn.html",
    ),
    (
        "2. Four kinds of animal, and a person to ask when unsure.",
        "pets.csv --label species --proba '*.p_*' --costs pets-costs.toml --html pets.html",
    ),
    (
        "3. Loans: what an error costs depends on the amount.",
        "loans.csv --label default --scores bank_p,bureau_p "
        "--cost fn=0.75*amount fp=0.02*amount+150 --unit EUR --html loans.html",
    ),
)
#: Words of the commands that name files, which lie in the folder of the demonstration.
FILES = {"churn.csv", "pets.csv", "pets-costs.toml", "loans.csv"}
#: Files for the examples in the help of other commands.
MONTHS = {"may.csv", "june.csv"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_options(
        parser, {"-o --output FOLDER": f"the folder to write to (default {FOLDER})"}, output=FOLDER
    )


def run(args: argparse.Namespace) -> int:
    """Write the files, evaluate each example, and return the worst exit code."""
    from stakes.cli.entry import main
    from stakes.cli.problems import EXIT_OK
    from stakes.cli.show.outputs import write_whole
    from stakes.cli.show.terminal import bold
    from stakes.demonstration import example_path
    from stakes.report.page_index import refuse_foreign_index, write_index

    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    refuse_foreign_index(folder)
    for name in sorted(FILES | MONTHS):
        write_whole(folder / name, example_path(name).read_text(encoding="utf-8"))
    worst = EXIT_OK
    for title, line in EXAMPLES:
        words = [
            (folder / word).as_posix() if word in FILES or word.endswith(".html") else word
            for word in shlex.split(line)
        ]
        print(bold(title))
        print(f"$ stakes eval {shlex.join(words)}\n")
        worst = max(worst, main(["eval", *words]))
        print(f"\n{'-' * 72}\n")
    index = write_index(folder).as_posix()
    print(f"The data, the costs and the three pages are in {folder}; {index} lists the pages.")
    return worst
