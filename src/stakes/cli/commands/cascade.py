"""`stakes cascade`: whether asking a cheap stage first pays, and what it saves."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from stakes.cli.commands import file_after_amounts, inquiry_of
from stakes.cli.options import (
    FORMS,
    OUTPUT,
    add_cost_options,
    add_data_options,
    add_group,
    add_model_options,
    add_options,
)
from stakes.cli.problems import EXIT_CODES, EXIT_OK
from stakes.exceptions import CostError, DataError
from stakes.messages.audience import shown

__all__ = ["configure", "run"]

FIRST_CALL = (
    "stakes cascade churn.csv --label churned --positive yes --scores rules_p,gbm_p "
    "--prices 0,0.5 --cost fn=40 fp=4"
)
#: What most people need, in the order of a first call.
MOST_USED = "file --label --positive --scores --proba --prices --cost --costs --unit --volume"
EXAMPLES = (
    """examples:
  stakes cascade churn.csv --label churned --positive yes --scores rules_p,gbm_p \\
         --prices 0,0.5 --cost fn=40 fp=4
  stakes cascade answers.jsonl --label correct --proba 'small.p_*' --proba 'large.p_*' ...

The models are the stages, in the order in which they may be asked. --prices says what asking each
one costs, in the unit of the costs. Every row needs the answers of all stages.
"""
    + EXIT_CODES
)
_STAGES = {
    "--prices 0,0.5": "what asking each stage costs, in the order of the models",
    "--folds 5": "how many parts the cases are split into; each is judged by a cascade learnt from "
    "the others",
    "--level 0.95": "the confidence level of intervals",
    "--seed 0": "the seed for splitting the cases",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.usage = "stakes cascade FILE --prices 0,0.5 [options]"
    add_data_options(parser)
    add_model_options(parser)
    add_group(parser, "the stages", _STAGES, folds=5, level=0.95, seed=0)
    add_cost_options(parser)
    group = parser.add_argument_group("what to print")
    add_options(group.add_mutually_exclusive_group(), FORMS)
    add_options(group, OUTPUT)


def run(args: argparse.Namespace) -> int:
    """Judge the cascade and print the verdict and the table."""
    from stakes.cli.show.outputs import refuse_unfit, say_written, settle_output, write_answer
    from stakes.cli.show.terminal import json_text, print_wrapped
    from stakes.evaluation.model_table import as_csv
    from stakes.resources import evaluate_cascade

    file_after_amounts(args)
    settle_output(args)
    refuse_unfit({"-o": args.output}, inquiry_of(args))
    given = _given(args)
    names = list(given["stages"])
    given["prices"] = dict(zip(names, _prices(args.prices, names), strict=True))
    found = evaluate_cascade(
        given.pop("y_true"), given.pop("stages"), **given, folds=args.folds, rng=args.seed,
        level=args.level,
    )  # fmt: skip
    table = found.frame()
    record = {"verdict": found.text, "asked": dict(found.asked), "rows": table.rows()}
    everything = partial(json_text, record)
    columns = partial(as_csv, {name: table[name].tolist() for name in table.columns})
    written = write_answer(args.output, everything, columns)
    if args.json or args.csv:
        print((everything if args.json else columns)(), end="")
        return EXIT_OK
    print_wrapped(found.text)
    print(shown(f"\n{table}"))
    say_written(written)
    return EXIT_OK


def _given(args: argparse.Namespace) -> dict[str, Any]:
    """Truth, stages and costs of the rows, read as `stakes eval` reads them."""
    from stakes._names import as_positions
    from stakes.inquiry.case_question import asked, at_place
    from stakes.inquiry.model_decisions import posteriors_of, without_gaps
    from stakes.inquiry.model_scores import models_of
    from stakes.inquiry.option_words import binary_case_costs
    from stakes.inquiry.truth import texts

    question = asked(inquiry_of(args))
    inquiry, table = question.inquiry, question.table
    if inquiry.prevalence:
        raise CostError(
            "a cascade is learnt at the class mix of the file.",
            hint="leave out --prevalence, or give rows weights: --weight COLUMN",
        )
    if inquiry.decisions or inquiry.kind == "rank":
        raise DataError(
            "the stages of a cascade need probabilities.", hint="--scores small_p,large_p"
        )
    app, _ = at_place(question.application, question.cases.priors, inquiry)
    models = models_of(table, question.cases, texts(app.decisions), inquiry)
    models, cases, _ = without_gaps(models, question.cases, inquiry)
    app, _ = at_place(question.application, cases.priors, inquiry)
    costs: Any = app.with_priors(None)
    if question.words is not None:
        costs = binary_case_costs(question.words, cases.classes, table, cases.rows)
    return {
        "y_true": as_positions(cases.truth),
        "stages": {m.name: posteriors_of(m, cases, app, inquiry) for m in models},
        "costs": costs,
        "sample_weight": cases.weights,
    }


def _prices(text: str | None, names: list[str]) -> list[float]:
    """The price of each stage."""
    such = f"--prices {','.join(['0', *['0.5'] * (len(names) - 1)])}"
    if text is None:
        raise CostError(f"what does asking {' and '.join(names)} cost?", hint=such)
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        raise CostError(f"--prices takes numbers; got '{text}'.", hint=such) from None
    if len(found) != len(names):
        raise CostError(
            f"--prices has {len(found)} number{'s' * (len(found) > 1)}, and there are "
            f"{len(names)} stages: {', '.join(names)}.",
            hint=such,
        )
    return found
