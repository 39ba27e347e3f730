"""`stakes audit`: what a metric rewards, and the costs it implies."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from stakes.cli.commands import file_after_amounts, inquiry_of
from stakes.cli.options import (
    CONFUSION,
    add_cost_options,
    add_data_options,
    add_group,
    add_model_options,
    add_options,
)
from stakes.cli.problems import EXIT_OK, warn

if TYPE_CHECKING:
    from stakes.application import Application
    from stakes.audit import Audit
    from stakes.inquiry.inquiry import Inquiry
    from stakes.summaries import ConfusionMatrix


EXAMPLES = """examples:
  stakes audit f1                                   in general
  stakes audit f1 --cost fn=10 fp=1 --prevalence 2% against your costs
  stakes audit f1 --cost fn=10 fp=1 churn.csv --label churned --positive yes \\
         --scores gbm_p,logreg_p                    among your models
  stakes audit f_beta:beta=2 --cost fn=10 fp=1 --plot levels.svg
  stakes audit --all --cost fn=10 fp=1              a table of every metric

`python -c "from stakes.metrics import catalogue; print(catalogue)"` lists the metrics. A metric of
your own is audited from Python: stakes.audit.audit(my_function, application=...).
"""


_PRINTED = {
    "--json": "everything, as JSON",
    "--plot FILE": "draw level sets against lines of equal cost",
    "--draws N": "random pairs for the misranking rate",
    "--seed 0": "of the random pairs",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.add_argument("metric", nargs="?", help="name of a metric, e.g. f1, mcc, f_beta:beta=2")
    add_options(parser, {"--all": "every metric of the catalogue"})
    add_data_options(parser)
    add_model_options(parser)
    add_options(parser, CONFUSION)
    add_cost_options(parser)
    add_group(parser, "what to print", _PRINTED, draws={"type": int}, seed=0)
    parser.set_defaults(min_positives=10)  # the readers of cases ask for it


def run(args: argparse.Namespace) -> int:
    """Audit, print, draw, and return the exit code."""
    from stakes.audit import audit, audit_all
    from stakes.cli.show.audit_text import print_audit, print_audit_json, print_table
    from stakes.cli.show.outputs import refuse_unfit
    from stakes.cli.show.terminal import print_json
    from stakes.exceptions import DataError
    from stakes.inquiry.ranges import spread_out
    from stakes.messages.quantities import percent

    _sort_out(args)
    if not args.all and args.metric is None:
        raise DataError("which metric? Give its name.", hint="stakes audit f1\nstakes audit --all")
    refuse_unfit({"--plot": args.plot}, inquiry_of(args))
    if args.seed < 0:
        raise DataError(f"`--seed` must not be negative; got {args.seed}.")
    if args.draws is not None and args.draws < 1:
        raise DataError(f"--draws must be 1 or more; got {args.draws}.")
    inquiry, ends = spread_out(inquiry_of(args))
    app, candidates, best, said = _at_stake(inquiry)
    drawn = {"rng": args.seed} | ({} if args.draws is None else {"draws": args.draws})
    given: dict[str, Any] = {"application": app, "matrix": best, **drawn}
    given["candidates"] = candidates if len(candidates) > 1 else None
    if args.all:
        table = audit_all(**given)
        if args.json:
            print_json({"metrics": table.rows()}, infinite=True)
            return EXIT_OK
        print_table(table, app, candidates)
        if ends:
            print("\nCosts and shares were taken in the middle of their ranges.")
        return EXIT_OK
    found = audit(args.metric, **given)
    if args.plot:
        _draw(found, args)
    notes = _tuned(args.metric, inquiry, app)
    if ends:
        there = [(where, _at_stake(end)[0]) for where, end in ends]
        judged = [(where, audit(args.metric, application=app, **drawn)) for where, app in there]
        rates = "; ".join(f"{percent(each.misranking.rate)} if {at}" for at, each in judged)
        notes.append(
            "Judged in the middle of what is unknown, on the scale of factors; at its ends the "
            f"wrong one is picked in {rates}."
        )
    if args.json:
        print_audit_json(found, notes)
        return EXIT_OK
    print_audit(found, said, notes)
    if args.plot:
        print(f"\nplot: {args.plot}")
    return EXIT_OK


def _sort_out(args: argparse.Namespace) -> None:
    """A file may stand after --cost fn=10 fp=1, and --all needs no name before it."""
    from stakes.exceptions import DataError
    from stakes.metrics import catalogue

    file_after_amounts(args)
    if args.all and args.metric is not None and args.file is None:
        args.file, args.metric = args.metric, None
    name = args.metric or args.file
    if args.all and name is not None and name.partition(":")[0] in catalogue:
        raise DataError(
            f"--all is every metric; {name!r} is one.",
            hint=f"stakes audit {name}\nstakes audit --all",
        )
    if args.all and args.plot:
        raise DataError(
            "--plot draws one metric, not all of them.", hint=f"stakes audit f1 --plot {args.plot}"
        )


def _at_stake(
    inquiry: Inquiry,
) -> tuple[Application | None, dict[str, ConfusionMatrix], ConfusionMatrix | None, tuple[str, ...]]:
    """Costs, candidates by name, the cheapest of them, and what was understood."""
    from stakes.exceptions import DataError
    from stakes.inquiry.case_question import costs_given
    from stakes.inquiry.option_words import binary_costs, shares
    from stakes.messages.quantities import plain

    if inquiry.file is not None or inquiry.confusion:
        from stakes.inquiry.answers import answer_at

        if inquiry.is_far:  # an engine would count it: the rows are not needed for it
            raise DataError(
                f"stakes audit reads one file into memory, and '{inquiry.file}' is more.",
                hint="count it first:  stakes eval ... --save counts.json\nand give the counts "
                "instead of it:  counts.json",
            )
        ev = answer_at(inquiry)
        for warning in ev.warnings:
            warn(warning)
        tables = {model.name: model.confusion for model in ev.models}
        said = ev.costs_said
        if ev.naive is not None:  # costs that differ from case to case
            (_, fp), (fn, _) = ev.application.costs.values.tolist()
            unit = f" {ev.application.unit}" if ev.application.unit else ""
            average = f"  a miss {plain(fn, 4)}{unit}, a false alarm {plain(fp, 4)}{unit}"
            counts = "a metric counts cases, so it is judged by the average costs:"
            said = (*said, counts, average)
        return ev.application, tables, ev[ev.best].confusion, said
    if not inquiry.gives_costs:
        if inquiry.prevalence:
            raise DataError(
                "--prevalence says nothing of a metric without costs.",
                hint="say what errors cost:  --cost fn=10 fp=1",
            )
        return None, {}, None, ()
    from stakes.application import Application
    from stakes.application.cost_sentences import describe_costs

    filed, words = costs_given(inquiry)
    if filed is None:
        assert words is not None
        filed = Application(binary_costs(words, ("negative", "positive")), unit=inquiry.unit)
    if inquiry.prevalence:
        filed = filed.with_priors(shares(inquiry.prevalence, tuple(map(str, filed.classes))))
    said = tuple(describe_costs(filed.costs, unit=filed.unit).splitlines())
    return filed, {}, None, said


def _tuned(metric: str, inquiry: Inquiry, app: Application | None) -> list[str]:
    """What tuning the threshold of each model for the metric would mean, for scores in a file."""
    if app is None or not inquiry.scores or inquiry.file in (None, "-") or inquiry.kind == "rank":
        return []
    from stakes.audit import best_threshold
    from stakes.inquiry.case_question import asked
    from stakes.inquiry.model_decisions import posteriors_of, without_gaps
    from stakes.inquiry.model_scores import models_of
    from stakes.inquiry.truth import texts
    from stakes.summaries import ScoreCounts

    question = asked(inquiry)
    inquiry = question.inquiry
    models = models_of(question.table, question.cases, texts(app.decisions), inquiry)
    models, cases, _ = without_gaps(models, question.cases, inquiry)
    found = []
    for model in models:
        posteriors = posteriors_of(model, cases, app.with_priors(cases.priors), inquiry)
        if posteriors is None or model.missing.any():
            continue
        column = posteriors if posteriors.ndim == 1 else posteriors[:, 1]
        scores = ScoreCounts.from_scores(
            cases.truth, column, kind="posterior", sample_weight=cases.weights
        )
        best = best_threshold(metric, scores, application=app.with_priors(None))
        found.append(f"{model.name}: {best.sentence}")
    return found


def _draw(found: Audit, args: argparse.Namespace) -> None:
    """Write the picture of the level sets."""
    from stakes.audit import level_sets
    from stakes.cli.show.outputs import write_picture
    from stakes.exceptions import DataError
    from stakes.plots import level_sets as draw
    from stakes.plots.style import axes_of_size

    app = found.application
    if app is not None and app.costs.shape != (2, 2):
        raise DataError("level sets are drawn for two outcomes and two decisions.")
    prevalence = 0.5 if app is None or app.priors is None else float(app.priors[1])
    if found.opposite is not None:
        prevalence = float(found.opposite.preferred.priors[1])
    grid = level_sets(args.metric, priors=prevalence, application=app)
    figure = draw(grid, pair=found.opposite, ax=axes_of_size(4.8, 4.8)).figure
    write_picture(figure, args.plot)
