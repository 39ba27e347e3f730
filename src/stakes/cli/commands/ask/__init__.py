"""`stakes ask`: find out what your errors cost by answering a few questions."""

from __future__ import annotations

import argparse
import math

from stakes.cli.commands import inquiry_of
from stakes.cli.options import add_data_options, add_group, add_model_options

__all__ = ["configure", "run"]

FIRST_CALL = (
    "stakes ask churn.csv --label churned --positive yes --scores gbm_p,logreg_p -o costs.toml"
)
#: What most people need, in the order of a first call.
MOST_USED = (
    "file --label --positive --scores --proba --prevalence --miss-is-worth "
    "--answers --output --unit"
)
EXAMPLES = """examples:
  stakes ask churn.csv --label churned --positive yes --scores gbm_p,logreg_p -o costs.toml
  stakes ask churn.csv --label churned --positive yes --scores gbm_p --acts-at 30%
  stakes ask --prevalence 5% --rank always,errs,never,errs_negatives,errs_positives
  stakes ask churn.csv --label churned --positive yes --scores gbm_p --answers costs.toml

Answers are kept with the costs, in one file that can be edited and replayed with --answers.
"""


_SAID = {
    "--miss-is-worth 5..20": "one miss is worth this many false alarms, or a range",
    "--acts-at 30%": "the probability from which you act today",
    "--number-willing 20": "cases you would act on to catch one positive",
    "--tuned f1": "the metric you tune now, on the first model",
    "--sensitivity 90%": "the share of positives that must be found",
    "--amounts fn=200..400": "amounts in money: fn= (a miss), fp= (a false alarm), also tp=, tn=; "
    "ranges allowed",
    "--rank A,B,C": "example models, the worst first: always (acts on every case), never, errs (on "
    "both outcomes), errs_negatives, errs_positives",
    "--error-share 0.6": "how often the example models err",
    "--prevalence 2%": "share of positives where the model will run, a range (2%%..5%%), or of "
    "each outcome: cat=.5,dog=.3,fox=.2",
}
_CONVERSATION = {
    "--goal {model,threshold}": "stop when the best model is known (default), or also its "
    "threshold",
    "--tolerance 0.02": "stop asking when at most this much normalised expected cost can be lost",
    "--cases 1000": "number of cases in each question",
    "--answers FILE": "reuse the answers saved in a file",
    "--answer a,b,=": "answers to the questions, for scripts",
    "--no-questions": "ask nothing; use only the options above",
    "--quick": "skip the questions about where it will be used",
    "--name NAME": "who answers, saved with the answers",
}
_RESULT = {
    "-o --output costs.toml": "save costs and answers",
    "--unit EUR": "the unit of the costs",
    "--volume 250000/yr": "number of cases per period, to compute totals",
    "--json": "the result, as JSON",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    add_data_options(parser, together="several files")
    add_model_options(parser)
    title = "what you can say without being asked"
    add_group(
        parser,
        title,
        _SAID,
        amounts={"nargs": "+", "metavar": ("fn=200..400", "fp=5..10")},
        error_share=0.6,
    )
    defaults = {"goal": "model", "tolerance": 0.02, "cases": {"type": int}, "name": ""}
    add_group(parser, "the conversation", _CONVERSATION, **defaults)
    add_group(parser, "the result", _RESULT)


def run(args: argparse.Namespace) -> int:
    """Talk, print what was learnt, keep it, and return the exit code."""
    from stakes.application.written_amounts import plain_words
    from stakes.cli.commands.ask.dialogue import (
        asked_about,
        conversation,
        fingerprint,
        said_beforehand,
        talk_through,
    )
    from stakes.cli.commands.ask.learnt_costs import keep, refuse_unanswered, show, toml_path
    from stakes.cli.show.outputs import refuse_unfit
    from stakes.elicitation.agreement import alarm_in
    from stakes.exceptions import DataError

    if args.cases is not None and args.cases < 1:
        raise DataError(f"--cases must be 1 or more; got {args.cases}.")
    if not 0 < args.tolerance < math.inf:
        raise DataError(f"--tolerance must be above 0; got {args.tolerance:g}.")
    refuse_unfit({"-o": args.output}, inquiry_of(args))  # before anybody has answered anything
    toml_path(args.output or "costs.toml")
    args.payers = ""
    if args.amounts:
        args.amounts, args.unit = plain_words(args.amounts, args.unit)
    question = asked_about(args)
    if question is not None and len(question.cases.classes) > 2:
        from stakes.cli.commands.ask.matrix_dialogue import ask_about_matrix

        return ask_about_matrix(question, args)
    talk, notes = conversation(question, args)
    if not args.json:
        for note in notes:
            print(note)
    talk = said_beforehand(fingerprint(talk, args), args)
    if args.unit:
        alarm_in(args.unit, talk.statements)  # refused before anybody has answered anything
    talk = talk_through(talk, args)
    if args.output:
        refuse_unanswered(talk)
    show(talk, args)
    if args.output:
        keep(talk, args)
    return 0
