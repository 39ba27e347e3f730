"""`stakes constrain`: the cheapest rules that treat slices alike, and what that costs."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from stakes.cli.commands import file_after_amounts, inquiry_of, settle_output
from stakes.cli.options import (
    FORMS,
    OUTPUT,
    add_cost_options,
    add_data_options,
    add_group,
    add_model_options,
    add_options,
)
from stakes.cli.problems import EXIT_OK, warn

if TYPE_CHECKING:
    from stakes.inquiry.inquiry import Inquiry
    from stakes.resources import ConstrainedSlices, SliceRates

FIRST_CALL = (
    "stakes constrain may.csv --label churned --positive yes --scores gbm_p --by region "
    "--cost fn=40 fp=4 --ratio 0.8"
)
#: What most people need, in the order of a first call.
MOST_USED = "file --label --positive --scores --by --cost --constraint --ratio --difference --test"
EXAMPLES = """examples:
  stakes constrain credit.csv --label bad --scores p --by age --cost fn=10 fp=1 --ratio 0.8
  stakes constrain credit.csv --label bad --scores p --by age --cost fn=10 fp=1 \\
         --constraint true_positive,false_positive --difference 0.05 --test new.csv

Each slice gets a threshold of its own, or a random mixture of two. To decide by these rules, use
Python: stakes.resources.constrained_slices(...).decide(scores, by).
"""
_LIMIT = {
    "--by COLUMN": "the slice of each case, such as a region or an age group",
    "--constraint A,B": "what must be alike: selection (default; the share acted on), "
    "true_positive, false_positive or cost; several with commas",
    "--ratio 0.8": "the value of the lowest slice must be at least this fraction of the highest",
    "--difference 0.05": "the value of the highest slice may exceed the lowest by at most this",
    "--min-cases 10": "refuse slices with fewer cases of an outcome",
}
_TEST = {"--test FILE": "also say what the rules cost on other cases, with the same columns"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.usage = "stakes constrain FILE --by COLUMN [options]"
    add_data_options(parser, together="several files")
    add_model_options(parser)
    add_cost_options(parser)
    number = {"type": float}
    add_group(parser, "the limit", _LIMIT, constraint="selection", ratio=number,
              difference=number, min_cases=10)  # fmt: skip
    group = parser.add_argument_group("what to print")
    add_options(group.add_mutually_exclusive_group(), FORMS)
    add_options(group, {**OUTPUT, **_TEST})


def run(args: argparse.Namespace) -> int:
    """Find the rules, judge them on other cases if there are any, print."""
    from stakes.cli.show.outputs import refuse_unfit, say_written, write_answer
    from stakes.cli.show.terminal import json_text
    from stakes.evaluation.model_table import as_csv
    from stakes.exceptions import DataError
    from stakes.messages.audience import speaking_of
    from stakes.resources import constrained_slices

    file_after_amounts(args)
    if args.by is None:
        raise DataError("which column holds the slices?", hint="--by COLUMN")
    settle_output(args)
    inquiry = inquiry_of(args)
    refuse_unfit({"-o": args.output}, inquiry, args.test)
    application, cases = _read(inquiry)
    limit = {name: getattr(args, name) for name in ("ratio", "difference", "min_cases")}
    options = {name: f"--{name.replace('_', '-')}" for name in (*limit, "constraint")}
    with speaking_of(by=f"'{args.by}'", **options):
        found = constrained_slices(
            **cases, costs=application, constraint=args.constraint.split(","), **limit
        )
    tested = []
    if args.test is not None:
        _, other = _read(inquiry.but(source=args.test))
        with speaking_of(by=f"'{args.by}' in {args.test}"):
            tested = [found.apply(**other), found.apply(**other, free=True)]
    table = found.frame()
    everything = partial(json_text, _facts(found, tested), infinite=True)
    columns = partial(as_csv, {name: table[name].tolist() for name in table.columns})
    written = write_answer(args.output, everything, columns)
    if args.json or args.csv:
        print((everything if args.json else columns)(), end="")
        return EXIT_OK
    _print(found, tested)
    say_written(written)
    return EXIT_OK


def _read(inquiry: Inquiry) -> tuple[Any, dict[str, Any]]:
    """The application, and the columns of the cases of a file."""
    from stakes.exceptions import CostError, DataError
    from stakes.inquiry.case_question import asked, at_place
    from stakes.inquiry.model_decisions import without_gaps
    from stakes.inquiry.model_scores import models_of
    from stakes.inquiry.truth import NO_VALUE, texts
    from stakes.sources.cells import as_text_array
    from stakes.sources.source import is_far

    if is_far(inquiry.file, rows_needed=True):
        raise DataError(
            f"stakes constrain reads files into memory by name; '{inquiry.file}' is more.",
            hint="name the files one by one",
        )
    question = asked(inquiry)
    if question.words is not None:
        raise CostError("limits between slices need costs that are the same in all cases.")
    inquiry, table = question.inquiry, question.table
    models = models_of(table, question.cases, texts(question.application.decisions), inquiry)
    models, cases, gaps = without_gaps(models, question.cases, inquiry, for_decisions=False)
    if gaps:
        warn(str(gaps))
    scores = models[0].second
    if len(models) > 1 or scores is None:
        raise DataError("rules are found for one model with scores.", hint="--scores COLUMN")
    application = at_place(question.application, cases.priors, inquiry).judged
    labels = table.labels(str(inquiry.by))
    by = as_text_array([*labels.names, NO_VALUE], len(cases.rows))[labels.codes[cases.rows]]
    columns = {"y_true": cases.truth, "scores": scores, "by": by, "sample_weight": cases.weights}
    return application, columns


def _facts(found: ConstrainedSlices, tested: list[SliceRates]) -> dict[str, Any]:
    """Everything, for JSON."""
    facts = {
        "constraint": list(found.constraint),
        **{name: getattr(found, name) for name in ("ratio", "difference", "cost", "free_cost")},
        **{name: getattr(found, name) for name in ("price", "total_price", "shadow_price")},
        "unit": found.application.unit,
        "text": found.text,
        "slices": [
            {**row, "thresholds": rule.thresholds, "mixture": rule.mixture}
            for row, rule in zip(found.frame().rows(), found.rules, strict=True)
        ],
    }
    if tested:
        kept, free = tested
        facts["test"] = {"cost": kept.average_cost, "free_cost": free.average_cost}
        facts["test"]["slices"] = kept.frame().rows()
    return facts


def _print(found: ConstrainedSlices, tested: list[SliceRates]) -> None:
    """What the limit costs, the slices, and their rules."""
    from stakes.cli.show.terminal import print_wrapped
    from stakes.messages.quantities import money

    print_wrapped(found.text)
    print()
    _print_rates(found.rates, found.free_rates)
    print()
    for rule in found.rules:
        print_wrapped(f"{rule.name}: {rule.text}", rest="  ")
    if not tested:
        print()
        print_wrapped(
            "(found and measured on these cases: optimistic; check on other cases with --test FILE)"
        )
    if tested:
        kept, free = tested
        unit = found.application.unit
        print()
        _print_rates(kept, free)
        print()
        print_wrapped(
            f"On the other cases, within the limit: {money(kept.average_cost, unit)} per case; "
            f"without it: {money(free.average_cost, unit)}."
        )


def _print_rates(rates: SliceRates, free: SliceRates) -> None:
    """Slices with their rates."""
    from stakes.cli.show.fixed_width import Column, print_columns
    from stakes.messages.quantities import aligned, grouped, percent

    shares = (
        ("selection", "acted on"),
        ("true_positive", "true\npositives"),
        ("false_positive", "false\npositives"),
    )
    print_columns(
        Column("slice", [str(name) for name in rates.names], label=True),
        Column("cases", [grouped(each) for each in rates.cases], drop=1),
        *(
            Column(title, [percent(each) for each in getattr(rates, name)])
            for name, title in shares
        ),
        Column("cost/case", aligned(rates.cost.tolist())),
        Column("cost without\nthe limit", aligned(free.cost.tolist())),
    )
