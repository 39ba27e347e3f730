"""`stakes audit`: what a metric rewards, and the costs it implies."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from stakes.cli.commands import file_after_amounts, inquiry_of, settle_output
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
    from stakes.audit import Audit, BestThreshold, ScoreAudit
    from stakes.inquiry.inquiry import Inquiry
    from stakes.summaries import ConfusionMatrix, ScoreCounts


FIRST_CALL = (
    "stakes audit f1 churn.csv --label churned --positive yes --scores gbm_p --cost fn=40 fp=4"
)
#: What most people need, in the order of a first call.
MOST_USED = "metric file --label --positive --scores --cost --prevalence --all --plot --html"
EXAMPLES = """examples:
in general, and a table of every metric:
  stakes audit f1
  stakes audit --all --cost fn=10 fp=1
on your data, and among your models:
  stakes audit f1 churn.csv --label churned --positive yes --scores gbm_p
  stakes audit f1 churn.csv --label churned --positive yes --scores gbm_p,logreg_p \\
         --cost fn=10 fp=1
against your costs, without data:
  stakes audit f1 --cost fn=10 fp=1 --prevalence 2%
  stakes audit f2 --cost fn=10 fp=1 --plot levels.svg

`python -c "from stakes.metrics import catalogue; print(catalogue)"` lists the metrics. A metric of
your own is audited from Python: stakes.audit.audit(my_function, application=...).
"""


_PRINTED = {
    "--json": "everything, as JSON",
    "-o --output FILE": "write the answer: a page (.html) or everything (.json)",
    "--html PAGE": "also write a report page",
    "--plot FILE": "also draw lines on which the metric is the same, and lines of equal cost",
    "--draws N": "number of random pairs behind the misranking rate",
    "--seed 0": "the seed of the random pairs",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.usage = "stakes audit METRIC [FILE] [options]"
    parser.add_argument("metric", nargs="?", help="name of a metric, e.g. f1, f2, mcc, auc")
    add_options(parser, {"--all": "every metric of the catalogue"})
    add_data_options(parser, together="several files")
    add_model_options(parser)
    add_options(parser, CONFUSION)
    add_cost_options(parser)
    add_group(parser, "what to print", _PRINTED, draws={"type": int}, seed=0)
    parser.set_defaults(min_positives=10)  # the readers of cases ask for it


def run(args: argparse.Namespace) -> int:
    """Audit, print, draw, and return the exit code."""
    from stakes.audit import Audit, audit
    from stakes.cli.show.audit_text import audit_json, print_audit
    from stakes.cli.show.outputs import (
        list_page,
        page_in,
        refuse_unfit,
        say_written,
        write_answer,
    )
    from stakes.exceptions import DataError
    from stakes.inquiry.ranges import spread_out

    _sort_out(args)
    if not args.all and args.metric is None:
        raise DataError("which metric? Give its name.", hint="stakes audit f1\nstakes audit --all")
    asked, args.html = args.html, page_in(args.html, f"audit-{args.metric}")
    outputs = {"-o": args.output, "--plot": args.plot, "--html": args.html}
    refuse_unfit(outputs, inquiry_of(args))
    if args.seed < 0:
        raise DataError(f"`--seed` must not be negative; got {args.seed}.")
    if args.draws is not None and args.draws < 1:
        raise DataError(f"--draws must be 1 or more; got {args.draws}.")
    inquiry, ends = spread_out(inquiry_of(args))
    here = _at_stake(inquiry, args.metric)
    drawn = {"rng": args.seed} | ({} if args.draws is None else {"draws": args.draws})
    if args.all:
        return _all_metrics(here, drawn, args, ranges=bool(ends))
    scored = _kind_of(args.metric) == "scores"
    given: dict[str, Any] = {"application": here.application, "matrix": here.matrix, **drawn}
    several: Any = here.scores if scored else here.tables
    if here.application is not None and len(several) > 1:
        given["candidates"] = several
    found = audit(args.metric, **given)
    if isinstance(found, Audit):
        found = replace(found, point=here.point)
    if args.plot:
        _draw(found, args)
    notes = [f"{name}: {best.sentence}" for name, best in here.tuned.items()]
    if scored:
        notes = _values(args.metric, here.scores)
    if ends and not scored:
        notes.append(_at_ends(args.metric, ends, drawn))
    if args.html:
        found.to_html(args.html, facts={"source": inquiry.file}, more=notes)
        list_page(asked, args.html)
    written = write_answer(args.output, partial(audit_json, found, notes))
    written += [f"plot: {args.plot}"] if args.plot else []
    written += [f"report: {args.html}"] if args.html else []
    if args.json:
        print(audit_json(found, notes), end="")
        return EXIT_OK
    print_audit(found, here.costs_said, notes)
    say_written(written)
    return EXIT_OK


def _at_ends(metric: str, ends: Any, drawn: dict[str, Any]) -> str:
    """How often the metric is wrong at the ends of ranges."""
    from stakes.audit import Audit, audit
    from stakes.messages.quantities import percent

    there = [(where, _at_stake(end, metric).application) for where, end in ends]
    judged = [(where, audit(metric, application=app, **drawn)) for where, app in there]
    rates = "; ".join(
        f"{percent(each.misranking.rate)} if {at}" for at, each in judged if isinstance(each, Audit)
    )
    return (
        "Evaluated at the geometric mean of each range; at the ends, the wrong classifier is "
        f"picked in {rates}."
    )


def _values(metric: str, scores: dict[str, ScoreCounts]) -> list[str]:
    """What a metric of scores says of each model."""
    from stakes.metrics import catalogue
    from stakes.metrics.metric_catalogue import spoken

    entry = catalogue.find(metric)
    if entry.missing:
        return []
    return [f"{name}: {spoken(entry.label)} {entry(each):.4f}" for name, each in scores.items()]


def _all_metrics(
    here: _Here, drawn: dict[str, Any], args: argparse.Namespace, *, ranges: bool
) -> int:
    """The table of every metric."""
    from stakes.audit import audit_all
    from stakes.cli.show.audit_text import print_table
    from stakes.cli.show.outputs import say_written, write_answer
    from stakes.cli.show.terminal import json_text

    several = here.tables if here.application is not None and len(here.tables) > 1 else None
    table = audit_all(application=here.application, matrix=here.matrix, candidates=several, **drawn)
    everything = partial(json_text, {"metrics": table.rows()}, infinite=True)
    written = write_answer(args.output, everything)
    if args.json:
        print(everything(), end="")
        return EXIT_OK
    print_table(table, here.application, here.tables)
    if ranges:
        print("\nCosts and shares were taken in the middle of their ranges.")
    say_written(written)
    return EXIT_OK


def _sort_out(args: argparse.Namespace) -> None:
    """A file may stand after --cost fn=10 fp=1, and --all needs no name before it."""
    from stakes.exceptions import DataError
    from stakes.metrics import catalogue

    file_after_amounts(args)
    settle_output(args, table=False)
    if args.all and args.metric is not None and args.file is None:
        args.file, args.metric = args.metric, None
    name = args.metric or args.file
    if args.all and name is not None and name.partition(":")[0] in catalogue:
        raise DataError(
            f"--all is every metric; {name!r} is one.",
            hint=f"stakes audit {name}\nstakes audit --all",
        )
    for option in ("plot", "html"):
        if args.all and (path := getattr(args, option)):
            raise DataError(
                f"--{option} {'draws' if option == 'plot' else 'is about'} one metric, not all of "
                "them.",
                hint=f"stakes audit f1 --{option} {path}",
            )


@dataclass(frozen=True)
class _Here:
    """What a metric is judged by: costs, models, and the operating point."""

    application: Application | None = None
    tables: dict[str, ConfusionMatrix] = field(default_factory=dict)
    matrix: ConfusionMatrix | None = None
    point: str = ""
    costs_said: tuple[str, ...] = ()
    scores: dict[str, ScoreCounts] = field(default_factory=dict)
    tuned: dict[str, BestThreshold] = field(default_factory=dict)


def _at_stake(inquiry: Inquiry, metric: str | None) -> _Here:
    """Costs and models, as far as they were given."""
    from stakes.exceptions import DataError
    from stakes.inquiry.case_question import costs_given
    from stakes.inquiry.option_words import binary_costs, shares
    from stakes.sources.source import is_far

    if inquiry.file is not None or inquiry.confusion:
        if is_far(inquiry.file, rows_needed=True):  # an engine would count it
            raise DataError(
                f"stakes audit reads files into memory by name, and '{inquiry.file}' is more.",
                hint="name the files one by one, or count them first:  stakes eval ... --save "
                "counts.json\nand give the counts instead of them:  counts.json",
            )
        if inquiry.gives_costs:
            return _of_models(inquiry, metric)
    if not inquiry.gives_costs and inquiry.prevalence:
        raise DataError(
            "--prevalence says nothing of a metric without costs.",
            hint="say what errors cost:  --cost fn=10 fp=1",
        )
    if inquiry.file is not None or inquiry.confusion:
        return _without_costs(inquiry.but(cost=("error=1",)), metric)
    if not inquiry.gives_costs:
        return _Here()
    from stakes.application import Application
    from stakes.application.cost_sentences import describe_costs

    filed, words = costs_given(inquiry)
    if filed is None:
        assert words is not None
        filed = Application(binary_costs(words, ("negative", "positive")), unit=inquiry.unit)
    if inquiry.prevalence:
        filed = filed.with_priors(shares(inquiry.prevalence, tuple(map(str, filed.classes))))
    said = tuple(describe_costs(filed.costs, unit=filed.unit).splitlines())
    return _Here(filed, costs_said=said)


def _of_models(inquiry: Inquiry, metric: str | None) -> _Here:
    """Models judged by their costs; the operating point is the cheapest of them."""
    from stakes.inquiry.answers import answer_at
    from stakes.messages.quantities import plain

    ev = answer_at(inquiry)
    for warning in ev.warnings:
        warn(warning)
    said = ev.costs_said
    if ev.by_case:
        (_, fp), (fn, _) = ev.application.costs.values.tolist()
        unit = f" {ev.application.unit}" if ev.application.unit else ""
        average = f"  a miss {plain(fn, 4)}{unit}, a false alarm {plain(fp, 4)}{unit}"
        counts = "a metric counts cases, so it is judged by the average costs:"
        said = (*said, counts, average)
    tables = {model.name: model.confusion for model in ev.models}
    best = ev[ev.best]
    cut = "" if best.threshold is None else f" at {best.act_when}"
    cheapest = ", the cheapest of your models" if len(tables) > 1 else ""
    scores = {} if inquiry.file == "-" else _scores_of(inquiry)
    tuned = _tuned(metric, scores, ev.application)
    point = f" ({best.name}{cut}{cheapest})"
    return _Here(ev.application, tables, best.confusion, point, said, scores, tuned)


def _without_costs(inquiry: Inquiry, metric: str | None) -> _Here:
    """Models as they are; those that give scores, at the threshold that the metric likes best.

    Every error counts the same in `inquiry`, which is what decisions follow where no metric
    can choose a threshold.
    """
    from stakes.audit.count_metric import as_count_metric
    from stakes.inquiry.answers import answer_at
    from stakes.metrics.metric_catalogue import spoken
    from stakes.summaries import ConfusionMatrix

    scores = _scores_of(inquiry)
    tuned = _tuned(metric, scores, None)
    if tuned:
        ranked = as_count_metric(metric)
        name = max(tuned, key=lambda each: float(ranked.scores(tuned[each].matrix.counts)))
        cut = f"{tuned[name].threshold:.3g}"
        point = f" ({name} above {cut}, where {spoken(tuned[name].metric)} is best)"
        tables = {each: best.matrix for each, best in tuned.items()}
        return _Here(None, tables, tables[name], point, (), scores, tuned)
    if scores and metric is not None:  # a metric of scores: only the shares count
        shares = ConfusionMatrix(next(iter(scores.values())).finest_tables[0])
        return _Here(None, matrix=shares, scores=scores)
    ev = answer_at(inquiry)
    for warning in ev.warnings:
        warn(warning)
    tables = {model.name: model.confusion for model in ev.models}
    fewest = " with fewest errors" if len(tables) > 1 else ""
    return _Here(None, tables, ev[ev.best].confusion, f" ({ev.best}{fewest})")


def _tuned(
    metric: str | None, scores: dict[str, ScoreCounts], app: Application | None
) -> dict[str, BestThreshold]:
    """What tuning the threshold of each model for the metric would mean."""
    if metric is None or _kind_of(metric) == "scores":
        return {}
    from stakes.audit import best_threshold

    judged = None if app is None else app.with_priors(None)
    return {name: best_threshold(metric, each, application=judged)
            for name, each in scores.items()}  # fmt: skip


def _kind_of(metric: str) -> str:
    """Whether a metric is of scores or of a table of decisions."""
    from stakes.metrics import catalogue

    return catalogue.find(metric).of


def _scores_of(inquiry: Inquiry) -> dict[str, ScoreCounts]:
    """The scores of each model in a file of rows with two outcomes."""
    from stakes.summaries.stored_file import is_summary

    file = inquiry.file
    counted = file is None or file.endswith(".json") or is_summary(file)
    if counted or inquiry.decisions or inquiry.kind == "rank":
        return {}
    from stakes.inquiry.case_question import asked
    from stakes.inquiry.model_decisions import posteriors_of, without_gaps
    from stakes.inquiry.model_scores import models_of
    from stakes.inquiry.truth import texts
    from stakes.summaries import ScoreCounts

    question = asked(inquiry)
    app, inquiry = question.application, question.inquiry
    if app.costs.shape != (2, 2):
        return {}
    models = models_of(question.table, question.cases, texts(app.decisions), inquiry)
    models, cases, _ = without_gaps(models, question.cases, inquiry)
    found = {}
    for model in models:
        posteriors = posteriors_of(model, cases, app.with_priors(cases.priors), inquiry)
        if posteriors is None or model.missing.any():
            continue
        column = posteriors if posteriors.ndim == 1 else posteriors[:, 1]
        found[model.name] = ScoreCounts.from_scores(
            cases.truth, column, kind="posterior", sample_weight=cases.weights
        )
    return found


def _draw(found: Audit | ScoreAudit, args: argparse.Namespace) -> None:
    """Write the picture of the level sets."""
    from stakes.audit import Audit, level_sets
    from stakes.cli.show.outputs import write_picture
    from stakes.exceptions import DataError
    from stakes.plots import level_sets as draw
    from stakes.plots.style import axes_of_size

    if not isinstance(found, Audit):
        raise DataError(
            f"--plot draws metrics of decisions; {found.metric} is one of scores.",
            hint=f"stakes audit balanced_accuracy --plot {args.plot}",
        )
    app = found.application
    if app is not None and app.costs.shape != (2, 2):
        raise DataError("level sets are drawn for two outcomes and two decisions.")
    prevalence = 0.5 if app is None or app.priors is None else float(app.priors[1])
    if found.opposite is not None:
        prevalence = float(found.opposite.preferred.priors[1])
    grid = level_sets(args.metric, priors=prevalence, application=app)
    figure = draw(grid, pair=found.opposite, ax=axes_of_size(4.8, 4.8)).figure
    write_picture(figure, args.plot)
