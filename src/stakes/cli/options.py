"""Options as tables, and those that several commands share, so that they are explained alike."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from stakes.sources.formats import endings

#: What writes a rule.
RULE_WRITER = "stakes eval FILE --label COLUMN --scores A,B --cost fn=10 fp=1 --rule rule.json"


def add_options(to: Any, said: Mapping[str, str], **more: Any) -> None:
    """Add options to a parser or a group: each as its help shows it, and what it is for.

    ``--weight COLUMN`` takes a value, ``--missing {drop,naive}`` one of these, ``--json`` none.
    `more` holds, by name, the default of an option, or what else `add_argument` is to be given.
    """
    for written, meaning in said.items():
        names = [word for word in written.split() if word.startswith("-")]
        value = written.removeprefix(" ".join(names)).strip()
        name = next(word for word in names if word.startswith("--")).removeprefix("--")
        given = more.get(name.replace("-", "_"), {})
        settings = given if isinstance(given, dict) else {"default": given, "type": type(given)}
        if not value:
            settings = {"action": "store_true", **settings}
        elif value.startswith("{"):
            settings = {"choices": tuple(value.strip("{}").split(",")), **settings}
        else:
            settings = {"metavar": value, **settings}
        to.add_argument(*names, help=meaning, **settings)


def add_group(parser: Any, title: str, said: Mapping[str, str], **more: Any) -> Any:
    """Add options under a title; the group, for further ones."""
    group = parser.add_argument_group(title)
    add_options(group, said, **more)
    return group


_CASES = {
    "--label COLUMN": "the column that holds the truth",
    "--positive VALUE": "the outcome you act on, e.g. yes",
    "--weight COLUMN": "the weight of each row, as in surveys and sampling; each row still counts "
    "as one case in the intervals",
    "--missing {drop,naive,abstain}": "what to do with cases for which a model has no value: drop "
    "them for all models (drop), give them the best decision that needs no model (naive), or "
    "abstain",
}
_MODELS = {
    "--decisions A,B": "columns of hard decisions, one per model",
    "--scores A,B": "columns of p(positive), one per model (two outcomes)",
    "--proba 'p_*'": "probability columns, one per outcome; the star stands for the outcome. "
    "Several models: '*.p_*', where the first star stands for the model",
    "--scores-are {posterior,log_odds,llr,rank,decision}": "what the scores are: probabilities "
    "(default), log-odds, log-likelihood ratios, numbers that only rank cases, or decisions (the "
    "same as --decisions)",
    "--narrow": "treat values in 0-1 as log-odds or log-likelihood ratios",
    "--flip A,B": "columns in which a higher value means less likely",
    "--renormalise": "rescale probabilities that do not add to 1",
}
_COSTS = {
    "--cost fn=10": "fn= (a miss), fp= (a false alarm), also tp= and tn=; a number (10, 1.5k, "
    "500EUR) or arithmetic over columns, fn='0.75*amount'; error=1 when every error costs the same",
    "--miss 10": "the same as --cost fn=10",
    "--false-alarm 1": "the same as --cost fp=1",
    "--gain tp=40": "gains instead of costs: tp=40 fp=-4 (also tn=, fn=; those left out are 0). "
    "Without a value: the numbers of --cost or --costs are gains",
    "--costs FILE": "a file of costs, .toml or .csv; see stakes costs",
    "--prevalence --priors 2%": "share of positives where the model will run, a range "
    "(2%%..5%%), or the share of each outcome: cat=.5,dog=.3,fox=.2",
    "--posteriors-already-adjusted": "the probabilities are already adjusted to that prevalence; "
    "do not adjust them",
    "--unit EUR": "the unit of the costs",
    "--volume 250000/yr": "number of cases per period, to compute totals",
}
#: For -o: a hyphen prints, as leaving the option out does.
PRINTABLE = {"type": lambda path: None if path == "-" else path}
#: Counts in place of cases.
CONFUSION = {
    "--confusion A.csv,B.csv": "confusion matrices instead of cases; the top-left cell says "
    "'truth' or 'decision'",
}
#: Where to write the answer: the same in every command that gives one.
PAGE_OUTPUT = {
    "-o --output FILE": "write the answer: a page (.html), everything (.json) or the table (.csv)",
    "--html PAGE": "also write a report page",
}
OUTPUT = {"-o --output FILE": "write the answer: everything (.json) or the table (.csv)"}
#: In which form to print, and when to fail.
FORMS = {"--json": "everything, as JSON", "--csv": "the table, as CSV"}
OFTEN = {"action": "append", "default": []}
CONDITIONS = "conditions, for continuous integration"
#: Which cases belong together.
GROUPS = {
    "--groups COLUMN": "rows with the same value here belong together, such as those of a customer"
}
#: The engine that counts files too large to read, and its memory.
ENGINES = {
    "--engine {duckdb,polars,spark,memory}": "the engine that counts large files, and files "
    "given by a pattern, a folder or an address (default duckdb); memory: read large files into "
    "memory",
    "--memory 2GB": "how much memory duckdb may use",
}


def add_data_options(
    parser: argparse.ArgumentParser, *, together: str = "several files, a pattern or a folder"
) -> None:
    """Where the cases are: the file, or what is read `together`; the truth, weights."""
    known = endings()
    group = parser.add_argument_group("the cases")
    forms = f"{', '.join(known[:-1])} or {known[-1]} (also .gz), one row per case"
    forms += f"; {together} are read together" if together else ""
    group.add_argument("file", nargs="?", help=f"{forms}; - reads CSV from standard input")
    add_options(group, _CASES)


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Where the models are, and what their numbers mean."""
    add_group(parser, "the models (one of the first three)", _MODELS, flip={"default": ""})


def add_cost_options(parser: argparse.ArgumentParser) -> Any:
    """What is at stake: costs, shares, unit, volume; the group, for further options."""
    amounts = {"nargs": "+", "metavar": ("fn=10", "fp=1"), "action": "extend", "default": []}
    return add_group(parser, "what is at stake", _COSTS, cost=amounts, gain={"nargs": "*"})
