"""`stakes ask`: find out what your errors cost by answering a few questions."""

from __future__ import annotations

import argparse
import math

from stakes.cli.commands import inquiry_of
from stakes.cli.options import add_data_options, add_model_options

__all__ = ["configure", "run"]

EXAMPLES = """examples:
  stakes ask churn.csv --label churned --positive yes --scores gbm_p,logreg_p -o costs.toml
  stakes ask churn.csv --label churned --positive yes --scores gbm_p --acts-at 30% --tuned f1
  stakes ask --prevalence 5% --rank always,errs,never,errs_negatives,errs_positives
  stakes ask churn.csv --label churned --positive yes --scores gbm_p --answers costs.toml

Answers are kept with the costs, in one file that can be edited and replayed with --answers.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    add_data_options(parser)
    add_model_options(parser)
    group = parser.add_argument_group("what you can say without being asked")
    group.add_argument(
        "--miss-is-worth",
        metavar="5..20",
        help="one miss is worth this many false alarms, or a range",
    )
    group.add_argument("--acts-at", metavar="30%", help="the probability from which you act today")
    group.add_argument(
        "--number-willing", metavar="20", help="cases you would act on to catch one positive"
    )
    group.add_argument("--tuned", metavar="f1", help="the metric you tune now, on the first model")
    group.add_argument(
        "--sensitivity", metavar="90%", help="the share of positives that must be found"
    )
    group.add_argument(
        "--amounts",
        nargs="+",
        metavar="fn=200..400",
        help="amounts in money: fn= (a miss), fp= (a false alarm), also tp=, tn=; ranges allowed",
    )
    group.add_argument(
        "--rank",
        metavar="A,B,C",
        help="emblematic models, the worst first: always, never (acting on all, on nobody), errs "
        "(in both), errs_negatives, errs_positives",
    )
    group.add_argument(
        "--error-share", type=float, default=0.6, metavar="0.6", help="how often those err"
    )
    group.add_argument(
        "--prevalence",
        metavar="2%",
        help="share of positives where it will run, a range (2%%..5%%), or of each outcome: "
        "cat=.5,dog=.3,fox=.2",
    )
    _add_conversation_options(parser)


def _add_conversation_options(parser: argparse.ArgumentParser) -> None:
    """How long to talk, with answers from where, and what to keep."""
    group = parser.add_argument_group("the conversation")
    group.add_argument(
        "--goal",
        choices=("model", "threshold"),
        default="model",
        help="stop when the best model is known (default), or also its threshold",
    )
    group.add_argument(
        "--tolerance",
        type=float,
        default=0.02,
        metavar="0.02",
        help="normalised expected cost that may be lost by asking no more",
    )
    group.add_argument("--cases", type=int, metavar="1000", help="cases that questions speak of")
    group.add_argument("--answers", metavar="FILE", help="replay the answers kept in a file")
    group.add_argument("--answer", metavar="a,b,=", help="answers to the questions, for scripts")
    group.add_argument("--no-questions", action="store_true", help="only use what was said")
    group.add_argument("--quick", action="store_true", help="skip the questions about the place")
    group.add_argument("--name", default="", metavar="NAME", help="who answers, kept with them")
    group = parser.add_argument_group("the result")
    group.add_argument("-o", "--output", metavar="costs.toml", help="keep costs and answers")
    group.add_argument("--unit", metavar="EUR", help="what a cost of 1 is")
    group.add_argument("--volume", metavar="250000/yr", help="cases in a period, for totals")
    group.add_argument("--json", action="store_true", help="the result, as JSON")


def run(args: argparse.Namespace) -> int:
    """Talk, print what was learnt, keep it, and return the exit code."""
    from stakes._files import refuse_unwritable
    from stakes.cli.commands.ask.dialogue import (
        asked_about,
        conversation,
        fingerprint,
        said_beforehand,
        talk_through,
    )
    from stakes.cli.commands.ask.learnt_costs import keep, show, toml_path
    from stakes.cli.show.outputs import files_read, refuse_overwriting
    from stakes.exceptions import DataError

    if args.cases is not None and args.cases < 1:
        raise DataError(f"--cases must be 1 or more; got {args.cases}.")
    if not 0 < args.tolerance < math.inf:
        raise DataError(f"--tolerance must be above 0; got {args.tolerance:g}.")
    refuse_overwriting({"-o": args.output}, files_read(inquiry_of(args)))
    if args.output:  # before anybody has answered anything
        refuse_unwritable(toml_path(args.output))
    args.payers = ""
    question = asked_about(args)
    if question is not None and len(question.cases.classes) > 2:
        from stakes.cli.commands.ask.matrix_dialogue import ask_about_matrix

        return ask_about_matrix(question, args)
    talk, notes = conversation(question, args)
    if not args.json:
        for note in notes:
            print(note)
    talk = said_beforehand(fingerprint(talk, args), args)
    talk = talk_through(talk, args)
    show(talk, args)
    if args.output:
        keep(talk, args)
    return 0
