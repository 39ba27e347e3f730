"""`stakes monitor`: whether costs are still what they were, and what moved."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from stakes.cli.commands import inquiry_of, settle_output
from stakes.cli.options import (
    CONDITIONS,
    ENGINES,
    FORMS,
    GROUPS,
    OFTEN,
    PAGE_OUTPUT,
    add_cost_options,
    add_data_options,
    add_group,
    add_model_options,
    add_options,
)
from stakes.cli.problems import EXIT_CODES, EXIT_GATE, EXIT_OK, warn
from stakes.messages.audience import shown

__all__ = ["configure", "run"]

FIRST_CALL = (
    "stakes monitor may.csv --time date --label churned --positive yes --scores gbm_p "
    "--reference-first 2 --cost fn=40 fp=4"
)
#: What most people need, in the order of a first call.
MOST_USED = (
    "file --label --positive --scores --time --period --reference-first --cost --costs --fail-if"
)
EXAMPLES = (
    """examples:
  stakes monitor last_month.json this_month.json --positive yes --cost fn=40 fp=4
  stakes monitor 'days/*.json' --positive yes --cost fn=40 fp=4 --fail-if alarm
  stakes monitor may.csv --time date --period week --reference-first 2 --label churned \\
         --positive yes --scores gbm_p --cost fn=40 fp=4 --plot costs.svg

The first period is the reference, or the first N together with --reference-first. Files of counts
come from  stakes eval ... --save FILE.  The chance of a needless alarm over the whole run,
however long, is 1 minus --level. Periods in which no row has a label yet are estimated from the
scores, and marked; the chance of a needless alarm among them is another 1 minus --level.
"""
    + EXIT_CODES
)


_PERIODS = {
    **ENGINES,
    "--time COLUMN": "the column with the date or period of each row, for one file",
    "--period {hour,day,week,month,quarter,year}": "how to group the dates of --time "
    "(default: the shortest period, a day or longer, with enough cases). Values that are not "
    "dates each form a period",
    **GROUPS,
    "--reference NAME": "the period to compare with (default: the first)",
    "--reference-first N": "compare with the first N periods together, which is more reliable "
    "than with one",
    "--model NAME": "which model, when there are several",
    "--level 0.95": "the probability that the whole run has no needless alarm, once for alarms by "
    "labels and once for those of estimates",
}
_ALARM = {
    "--fail-if alarm": "exit with code 1 on any alarm, also of a period without labels, or if the "
    "last period with labels meets a condition such as 'cost>0.5' or 'change>0.1'",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    parser.usage = "stakes monitor FILE [FILE ...] [options]"
    add_data_options(parser, together="")
    parser.add_argument("files", nargs="*", help="further periods, in order of time")
    add_model_options(parser)
    first = {"type": int}
    add_group(parser, "the periods", _PERIODS, memory="2GB", reference_first=first, level=0.95)
    add_cost_options(parser)
    group = parser.add_argument_group("what to print")
    forms = {**FORMS, "--quiet": "only the periods with an alarm"}
    add_options(group.add_mutually_exclusive_group(), forms)
    pictures = {"--plot FILE": "also draw the costs over the periods"}
    add_options(group, {**PAGE_OUTPUT, **pictures})
    add_group(parser, CONDITIONS, _ALARM, fail_if=OFTEN)


def run(args: argparse.Namespace) -> int:
    """Watch, draw, print, and return the exit code."""
    from pathlib import Path

    from stakes.cli.commands.gates import period_condition, period_failures
    from stakes.cli.commands.monitor.period_input import watched
    from stakes.cli.commands.monitor.watch_text import draw, json_of, show, table_of
    from stakes.cli.show.outputs import (
        list_page,
        page_in,
        refuse_unfit,
        say_written,
        write_answer,
    )

    words = [args.file, *args.files]
    while args.cost and "=" not in args.cost[-1]:
        words.insert(1, args.cost.pop())  # files stood after --cost fn=10 fp=1
    conditions = [period_condition(text) for text in args.fail_if]
    args.files = [word for word in words if word is not None]
    settle_output(args)
    name = f"monitor-{Path((args.files or ['periods'])[0]).stem}"
    asked, args.html = args.html, page_in(args.html, name)
    outputs = {"-o": args.output, "--plot": args.plot, "--html": args.html}
    refuse_unfit(outputs, inquiry_of(args), *args.files)
    found = watched(args.files, args)
    for warning in found.warnings:
        warn(warning)
    failed = period_failures(conditions, found.watch, found.alarms_without_labels)
    if args.plot:
        draw(found, args.plot)
    if args.html:
        of = {"source": f"{found.source}{f', {found.model}' if found.model else ''}"}
        found.watch.to_html(args.html, facts=of, estimates=found.estimates)
        list_page(asked, args.html)
    written = write_answer(args.output, partial(json_of, found), partial(table_of, found))
    written += [f"plot: {args.plot}"] if args.plot else []
    written += [f"report: {args.html}"] if args.html else []
    show(found, args)
    if not (args.json or args.csv or args.quiet):
        say_written(written)
    for line in failed:
        print(shown(line), file=sys.stderr)
    return EXIT_GATE if failed else EXIT_OK
