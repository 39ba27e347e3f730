"""`stakes estimate`: what decisions cost before their labels arrive."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from shlex import quote
from typing import Any

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
MOST_USED = "file --reference --label --positive --scores --proba --judge --plan --cost --costs"
EXAMPLES = (
    """examples:
no labels yet, and a file with labels from before:
  stakes estimate june.csv --reference may.csv --label churned --positive yes \\
         --scores gbm_p --cost fn=40 fp=4 --unit EUR
which rows to label, and the cost once some cells of `churned` are filled in:
  stakes estimate june.csv --plan 300 --scores gbm_p --cost fn=40 fp=4 -o plan.csv
  stakes estimate plan.csv --label churned --positive yes --scores gbm_p \\
         --chances chance --cost fn=40 fp=4
a judge labelled every row, and `churned` holds the truth of some:
  stakes estimate june.csv --label churned --positive yes --judge llm \\
         --decisions called --cost fn=40 fp=4

Without labels, no estimate can see whether the same inputs now lead to other outcomes. Label some
new cases at random to check.
"""
    + EXIT_CODES
)
_REFERENCE = {
    "--reference OLD.csv": "a file with labels and the same columns",
    "--inputs A,B": "columns that the model saw; if their mix has changed, the reference is "
    "re-weighted to the new mix",
    "--change {auto,none,shares,inputs}": "what has changed since the reference (default auto: the "
    "simplest that the scores do not reject)",
    "--by COLUMN": "also estimate each value of this column by itself",
    "--level 0.95": "the confidence level of intervals",
}
_SOME = {
    "--chances COLUMN": "the probability with which each row was chosen to be labelled (default: "
    "the same for all)",
    "--judge COLUMN": "labels for every row by a person or a model that makes mistakes; --label "
    "then holds the truth of some rows. Needs --decisions",
    "--judge-errors OTHER.csv": "with --judge: count its mistakes in another file with the same "
    "columns, if this one does not have the truth of a random part",
    "--plan N": "choose which rows to label, if you can get about N labels",
    "--plan-width W": "the same, for an interval of this width",
    "--seed 0": "the seed for drawing these rows",
}
_PRINTED = {
    "--json": "everything, as JSON",
    "-o --output FILE": "write the answer: everything (.json); with --plan the rows (.csv or "
    ".jsonl), with the `chance` of each and 1 in `drawn` for those to label",
}
#: Which options belong to which question, by their names in Python.
_OF_REFERENCE, _OF_PLAN, _OF_COSTS = ("inputs", "change"), ("seed",), ("by", "volume")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    add_data_options(parser)
    add_group(parser, "without labels (with --reference)", _REFERENCE, change="auto", level=0.95,
              inputs={"default": ""})  # fmt: skip
    numbers = {"plan": {"type": int}, "plan_width": {"type": float}, "seed": 0}
    add_group(parser, "with labels for some rows (without --reference)", _SOME, **numbers)
    add_model_options(parser)
    add_cost_options(parser)
    add_group(parser, "what to print", _PRINTED)


def run(args: argparse.Namespace) -> int:
    """Find out which question it is, answer it, print."""
    from stakes.cli.show.outputs import refuse_ending, refuse_unfit
    from stakes.exceptions import DataError

    file_after_amounts(args)
    some = args.label or args.plan is not None or args.plan_width is not None
    if args.file is None or (args.reference is None and not some):
        raise DataError(
            "I need a file with labels and one without, or a file with labels in some rows.",
            hint="stakes estimate NEW.csv --reference OLD.csv --label COLUMN --positive VALUE "
            "--scores A --cost fn=10 fp=1\n"
            "stakes estimate PARTLY.csv --label COLUMN --positive VALUE --scores A --cost fn=10 "
            "fp=1\nwhich rows to label:  stakes estimate NEW.csv --plan 300 --positive VALUE "
            "--scores A --cost fn=10 fp=1",
        )
    _refuse_together(args)
    planned = args.plan is not None or args.plan_width is not None
    refuse_ending("-o", args.output, (".csv", ".jsonl") if planned else (".json",))
    refuse_unfit({"-o": args.output}, inquiry_of(args), args.reference)
    if args.reference is not None:
        return _without_labels(args)
    return _planned(args) if planned else _with_some(args)


def _refuse_together(args: argparse.Namespace) -> None:
    """Raise for options of different questions."""
    from stakes.exceptions import DataError

    questions = ("reference", "judge", "plan", "plan_width")
    asked = [name for name in questions if getattr(args, name) is not None]
    given = {
        "chances": args.chances is not None,
        "judge_errors": args.judge_errors is not None,
        "inputs": bool(args.inputs),
        "change": args.change != "auto",
        "seed": args.seed != 0,
        "by": args.by is not None,
        "volume": args.volume is not None,
    }
    of_judge = "chances" if args.judge_errors is None else "judge_errors"
    beside: dict[str, tuple[str, ...]] = {
        "reference": (*_OF_REFERENCE, *_OF_COSTS), "plan": _OF_PLAN, "plan_width": _OF_PLAN,
        "judge": (of_judge, *_OF_COSTS),
    }  # fmt: skip
    passes = ("chances", *_OF_COSTS) if not asked else beside[asked[0]]
    unfit = [*asked[1:], *(name for name, is_given in given.items() if is_given and
                           name not in passes)]  # fmt: skip
    if unfit:
        names = [f"--{name.replace('_', '-')}" for name in (*asked[:1], *unfit[:1])]
        if len(names) == 1:
            needed = "--reference OLD.csv" if unfit[0] in _OF_REFERENCE else "--plan N"
            needed = "--judge COLUMN" if unfit[0] == "judge_errors" else needed
            raise DataError(f"{names[0]} goes with {needed}, which is missing.")
        raise DataError(f"{names[0]} and {names[1]} do not go together.", hint="leave one out")


def _without_labels(args: argparse.Namespace) -> int:
    """An estimate from a labelled file."""
    from stakes.cli.commands.estimate.estimate_text import print_estimates
    from stakes.cli.commands.estimate.file_estimates import estimate_files
    from stakes.cli.show.progress import attended

    found = estimate_files(
        inquiry_of(args),
        reference=args.reference,
        inputs=args.inputs,
        change=args.change,
        attended=attended,
    )
    sources = {"source": found.source, "reference": found.reference}
    return _told(found, args, sources, print_estimates)


def _with_some(args: argparse.Namespace) -> int:
    """The cost from the labels of some rows, or from those of a judge."""
    from stakes.cli.commands.estimate.estimate_text import print_part
    from stakes.cli.commands.estimate.partly_labelled import cost_by_judge, cost_of_part

    inquiry = inquiry_of(args)
    if args.judge is not None:
        found = cost_by_judge(
            inquiry, judge=args.judge, errors=args.judge_errors, chances=args.chances
        )
    else:
        found = cost_of_part(inquiry, chances=args.chances)
    less = {"differences": _records(found.differences, found)}
    return _told(found, args, {"source": found.source}, print_part, less)


def _records(estimates: Any, found: Any) -> dict[str, Any]:
    """Estimates as plain data, with totals if a volume was given."""
    from stakes.cli.commands.estimate.file_estimates import total_of

    app = found.application
    return {name: {**each.record(), **total_of(each, app)} for name, each in estimates.items()}


def _told(
    found: Any, args: argparse.Namespace, sources: Any, say: Callable[[Any], None], more: Any = None
) -> int:
    """Say the notes; write everything if that was asked for; print it as JSON or in words."""
    from stakes.cli.show.outputs import say_written, write_answer
    from stakes.cli.show.terminal import json_text

    for note in found.notes:
        warn(note)
    models = _records(found.estimates, found)
    everything = partial(json_text, {**sources, "models": models, **(more or {})})
    written = write_answer(args.output, everything)
    if args.json:
        print(everything(), end="")
        return EXIT_OK
    say(found)
    say_written(written)
    return EXIT_OK


def _planned(args: argparse.Namespace) -> int:
    """Which rows to label; written beside the rows, if a file is named."""
    from stakes.cli.commands.estimate.estimate_text import print_plan
    from stakes.cli.commands.estimate.partly_labelled import plan_of_file, write_plan
    from stakes.cli.show.terminal import print_json, print_wrapped
    from stakes.exceptions import DataError
    from stakes.messages.quantities import grouped

    if args.seed < 0:
        raise DataError(f"--seed must be 0 or more; got {args.seed}.")
    found = plan_of_file(inquiry_of(args), labels=args.plan, width=args.plan_width)
    for note in found.notes:
        warn(note)
    drawn = write_plan(found, args.output, args.seed) if args.output else None
    if args.json:
        print_json({"source": found.table.source, "models": list(found.models),
                    **found.plan.record(), "drawn": drawn})  # fmt: skip
        return EXIT_OK
    print_plan(found)
    if drawn is not None:
        print_wrapped(
            f"{args.output}: all rows with their `chance`; {grouped(drawn)} rows to label are "
            "marked drawn = 1. Fill in their labels, then:"
        )
        print_wrapped(f"stakes estimate {quote(args.output)} --label COLUMN --chances chance ...",
                      first="  ", rest="    ")  # fmt: skip
    return EXIT_OK
