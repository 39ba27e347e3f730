"""`stakes cascade`: whether asking a cheap stage first pays, and what it saves."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
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
from stakes.cli.problems import EXIT_CODES, EXIT_OK, warn
from stakes.exceptions import CostError, DataError, StakesError
from stakes.messages.audience import shown

if TYPE_CHECKING:
    from stakes.resources import CascadeEvaluation

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
    "--prices 0,0.5": "what asking each stage costs, in the order of the models: numbers, or "
    "arithmetic over columns, '0,0.002*tokens'",
    "--folds 5": "how many parts the cases are split into; each is judged by a cascade learnt from "
    "the others",
    "--level 0.95": "the confidence level of intervals",
    "--seed 0": "the seed for splitting the cases",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.usage = "stakes cascade FILE --prices 0,0.5 [options]"
    add_data_options(parser, together="several files")
    add_model_options(parser)
    add_group(parser, "the stages", _STAGES, folds=5, level=0.95, seed=0)
    add_cost_options(parser)
    group = parser.add_argument_group("what to print")
    add_options(group.add_mutually_exclusive_group(), FORMS)
    add_options(group, OUTPUT)


def run(args: argparse.Namespace) -> int:
    """Judge the cascade and print the verdict and the table."""
    from stakes.cli.show.outputs import refuse_unfit, say_written, write_answer
    from stakes.cli.show.terminal import json_text
    from stakes.evaluation.model_table import as_csv
    from stakes.resources import evaluate_cascade

    file_after_amounts(args)
    settle_output(args)
    refuse_unfit({"-o": args.output}, inquiry_of(args))
    given, costs_said, column = _given(args)
    names = list(given["stages"])
    prices = _prices(args.prices, names, column)
    given["prices"] = {name: price for name, (_, price) in prices.items()}
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
    _print(found, costs_said, {name: said for name, (said, _) in prices.items()})
    say_written(written)
    return EXIT_OK


def _print(found: CascadeEvaluation, costs_said: Sequence[str], prices: Mapping[str, str]) -> None:
    """The costs that were used, every way to decide, and the verdict."""
    from stakes.cli.show.fixed_width import Column, print_columns
    from stakes.cli.show.terminal import bold, print_aligned, print_wrapped
    from stakes.messages.quantities import aligned, percent
    from stakes.resources.cascade_evaluation import CASCADE, ORACLE

    unit = found.cascade.application.unit
    tail = f" {unit}" if unit else ""
    for line in costs_said:
        print_aligned(line)
    asked = ", ".join(f"{shown(name)} {said}" for name, said in prices.items())
    print_wrapped(f"price of asking{f' ({unit})' if unit else ''}: {asked}")
    print()
    rows, level = found.frame(), percent(found.level).replace(" ", "")
    words = {**{name: f"only {name}" for name in prices}, ORACLE: f"{ORACLE} (knows the truth)"}
    others = [k for k, name in enumerate(rows["way"]) if name != CASCADE]

    def interval(key: str) -> list[str]:
        ends = [aligned(rows[f"{key}_{end}"].tolist(), 3) for end in ("low", "high")]
        return [
            f"{low} to {high}" if key == "cost" or k in others else ""
            for k, (low, high) in enumerate(zip(*ends, strict=True))
        ]

    saved = aligned(rows["cascade_saves"].tolist(), 3)
    print_columns(
        Column("asked", [words.get(name, name) for name in rows["way"]], label=True),
        Column(f"cost/case{tail}", aligned(rows["cost"].tolist())),
        Column(f"{level} interval", interval("cost"), drop=2),
        Column(f"cascade\nsaves{tail}", [s if k in others else "" for k, s in enumerate(saved)]),
        Column(f"{level} interval", interval("cascade_saves"), drop=1),
    )
    print()
    print_wrapped(found.text, style=bold)


def _given(
    args: argparse.Namespace,
) -> tuple[dict[str, Any], Sequence[str], Callable[[str], Any]]:
    """What `evaluate_cascade` takes, read as `stakes eval` reads it; costs in words; columns."""
    from stakes._names import as_positions
    from stakes.application.cost_sentences import describe_costs
    from stakes.inquiry.case_question import asked, at_place
    from stakes.inquiry.model_decisions import posteriors_of, without_gaps
    from stakes.inquiry.model_scores import models_of
    from stakes.inquiry.near_answer import said_per_case
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
    models, cases, gaps = without_gaps(models, question.cases, inquiry, for_decisions=False)
    if gaps and inquiry.missing is None:
        raise DataError(
            f"a cascade is learnt from rows with the answers of all stages; {gaps.values['gaps']}",
            hint="to leave those rows out: --missing drop   (not if a stage was asked only where "
            "another was unsure: the rows left then say nothing about the others)",
        )
    if gaps:
        warn(str(gaps))
    app, _ = at_place(question.application, cases.priors, inquiry)
    costs: Any = app.with_priors(None)
    said: Sequence[str] = describe_costs(app.costs, unit=app.unit).splitlines()
    if question.words is not None:
        costs = binary_case_costs(question.words, cases.classes, table, cases.rows)
        said = said_per_case(question.words, app, cases)
    return (
        {
            "y_true": as_positions(cases.truth),
            "stages": {m.name: posteriors_of(m, cases, app, inquiry) for m in models},
            "costs": costs,
            "sample_weight": cases.weights,
        },
        said,
        lambda name: table.numbers(name)[cases.rows],
    )


def _prices(
    text: str | None, names: list[str], column: Callable[[str], Any]
) -> dict[str, tuple[str, Any]]:
    """The price of each stage, as it is said and as a number or one for each row."""
    such = f"--prices {','.join(['0', *['0.5'] * (len(names) - 1)])}"
    if text is None:
        raise CostError(f"what does asking {' and '.join(names)} cost?", hint=such)
    words = [word.strip() for word in text.split(",")]
    if len(words) != len(names):
        raise CostError(
            f"--prices has {len(words)} number{'s' * (len(words) > 1)}, and there are "
            f"{len(names)} stages: {', '.join(names)}.",
            hint=such,
        )
    return {name: _price(word, column, such) for name, word in zip(names, words, strict=True)}


def _price(word: str, column: Callable[[str], Any], such: str) -> tuple[str, Any]:
    """One price: a number, or arithmetic over columns."""
    from stakes.application import CostExpression
    from stakes.messages.quantities import plain

    try:
        return plain(float(word)), float(word)
    except ValueError:
        pass
    try:
        return word, CostExpression(word).value(column)
    except StakesError as error:
        raise CostError(
            f"--prices takes numbers, or arithmetic over columns; got '{word}': {error.message}",
            hint=f"{such}, or --prices '0,0.002*tokens'",
        ) from None
