"""Options that several commands share, so that they are called and explained alike."""

from __future__ import annotations

import argparse
from typing import Any

from stakes.sources.formats import endings


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Where the cases are: the file, the truth, weights."""
    known = endings()
    group = parser.add_argument_group("the cases")
    group.add_argument(
        "file",
        nargs="?",
        help=f"{', '.join(known[:-1])} or {known[-1]} (also .gz), one row per case; - reads CSV "
        "from standard input",
    )
    group.add_argument("--label", metavar="COLUMN", help="the column that holds the truth")
    group.add_argument("--positive", metavar="VALUE", help="the outcome you act on, e.g. yes")
    group.add_argument(
        "--weight",
        metavar="COLUMN",
        help="how much each row weighs, as in surveys and sampling; a row is one case whatever it "
        "weighs",
    )
    group.add_argument(
        "--missing",
        choices=("drop", "naive", "abstain"),
        help="cases a model says nothing about: leave them out for all models, give them the "
        "best decision that ignores the model, or the decision that is not an outcome",
    )


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Where the models are, and what their numbers mean."""
    group = parser.add_argument_group("the models (one of the first three)")
    group.add_argument(
        "--decisions", metavar="A,B", help="columns of hard decisions, one per model"
    )
    group.add_argument(
        "--scores", metavar="A,B", help="columns of p(positive), one per model (two outcomes)"
    )
    group.add_argument(
        "--proba",
        metavar="'p_*'",
        help="columns of one probability per outcome; the star is the outcome. Several models: "
        "'*.p_*', where the first star is the model",
    )
    group.add_argument(
        "--scores-are",
        choices=("posterior", "log_odds", "llr", "rank", "decision"),
        help="probabilities (default), log-odds, log-likelihood ratios, numbers whose order "
        "alone means something, or decisions (the same as --decisions)",
    )
    group.add_argument(
        "--narrow",
        action="store_true",
        help="log-odds or log-likelihood ratios that all lie between 0 and 1 are meant, and are "
        "no probabilities",
    )
    group.add_argument(
        "--flip", metavar="A,B", default="", help="columns where higher means less likely"
    )
    group.add_argument(
        "--renormalise", action="store_true", help="rescale probabilities that do not add to 1"
    )


def add_confusion_option(parser: argparse.ArgumentParser) -> None:
    """Counts in place of cases."""
    parser.add_argument(
        "--confusion",
        metavar="A.csv,B.csv",
        help="confusion matrices instead of cases; the top-left cell says 'truth' or 'decision'",
    )


def add_group_option(to: Any) -> None:
    """Which cases belong together; `to` a parser or a group."""
    to.add_argument(
        "--groups", metavar="COLUMN", help="cases that belong together, such as those of a customer"
    )


def add_engine_options(to: Any) -> None:
    """Who counts what is too large to read, and in how much memory; `to` a parser or a group."""
    to.add_argument(
        "--engine",
        choices=("duckdb", "polars", "spark"),
        help="who counts files given by a pattern, a folder or an address (default duckdb)",
    )
    to.add_argument(
        "--memory", default="2GB", metavar="2GB", help="how much memory duckdb may take for that"
    )


def add_cost_options(parser: argparse.ArgumentParser) -> None:
    """What is at stake: costs, shares, unit, volume."""
    group = parser.add_argument_group("what is at stake")
    group.add_argument(
        "--cost",
        nargs="+",
        action="extend",
        default=[],
        metavar="fn=10",
        help="fn= (a miss), fp= (a false alarm), also tp= and tn=; a number or arithmetic over "
        "columns, fn='0.75*amount'; error=1 when every error costs the same",
    )
    group.add_argument("--miss", metavar="10", help="the same as --cost fn=10")
    group.add_argument("--false-alarm", metavar="1", help="the same as --cost fp=1")
    group.add_argument(
        "--gain",
        nargs="*",
        metavar="tp=40",
        help="gains instead of costs: tp=40 fp=-4 (also tn=, fn=; what is left out is 0), or, "
        "alone, that the numbers of --cost or --costs are gains",
    )
    group.add_argument("--costs", metavar="FILE", help="costs as .toml or .csv, by name")
    group.add_argument(
        "--prevalence",
        "--priors",
        metavar="2%",
        help="share of the positive outcome where it will run, a range (2%%..5%%), or the share of "
        "each: cat=.5,dog=.3,fox=.2",
    )
    group.add_argument(
        "--posteriors-already-adjusted",
        action="store_true",
        help="the probabilities already hold for that prevalence; do not move them",
    )
    group.add_argument("--unit", metavar="EUR", help="what a cost of 1 is")
    group.add_argument("--volume", metavar="250000/yr", help="cases in a period, for totals")
