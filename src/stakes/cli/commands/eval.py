"""`stakes eval`: what the decisions of one or more models cost, and which to deploy."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stakes.cli.commands import file_after_amounts, inquiry_of, settle_output
from stakes.cli.options import (
    CONDITIONS,
    CONFUSION,
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
from stakes.cli.problems import EXIT_CODES, EXIT_GATE, EXIT_OK, EXIT_PROBLEM, complain, warn
from stakes.messages.audience import shown

if TYPE_CHECKING:
    from stakes.evaluation import Evaluation
    from stakes.inquiry.inquiry import Inquiry


FIRST_CALL = (
    "stakes eval churn.csv --label churned --positive yes --scores gbm_p,logreg_p --cost fn=40 fp=4"
)
#: What most people need, in the order of a first call.
MOST_USED = "file --label --positive --scores --proba --cost --costs --unit --volume --html"
EXAMPLES = (
    """examples:
  stakes eval churn.csv --label churned --positive yes --scores gbm_p,logreg_p \\
         --cost fn=40 fp=4 --unit EUR --volume 250000/yr --html report.html
  stakes eval pets.csv --label species --proba '*.p_*' --costs pets-costs.toml
  stakes eval day.csv --label truth --decisions modelA,modelB --cost fn=335 fp=35
  stakes eval --confusion A.csv,B.csv --positive yes --cost fn=335 fp=35
  stakes eval 'lake/year=*/*.parquet' --label y --scores p --cost fn=10 fp=1 --engine duckdb
  stakes eval monday.csv --label truth --scores gbm_p --cost fn=40 fp=4 --save monday.json
  stakes eval --inquiry report.html --prevalence 2%

"""
    + EXIT_CODES
)


_READ = {
    "--trials T": "a list of trials (Kaldi, VoxCeleb, VOiCES, ASVspoof, NIST); --scores then names "
    "one file of scores per model, joined by the names of the recordings",
    "--inquiry Q.toml": "repeat an evaluation: a TOML file with these options, or a report (JSON "
    "or page); options given beside it override it",
    **ENGINES,
    "--more B.csv": "files with more columns for the same cases",
    "--join-on id": "the column that matches the rows of --more",
    **GROUPS,
    "--by COLUMN": "also evaluate each value of this column by itself",
    "--id COLUMN": "the column that names the cases, for --list-costliest and for errors",
}
_PRESET = {
    "--preset sre16": "costs and shares of a speaker recognition evaluation of NIST: sre08, sre10, "
    "sre12, sre16, sre18-cmn2 or sre18-vast",
}
_CHALLENGE = {
    "--capacity review=200/day": "how often a decision may be taken: 200, a share (5%%), a range "
    "(50..200), or a number per period of --volume (200/day); several with commas",
    "--baseline MODEL": "the model in use; keep it unless another one clearly saves more than "
    "switching costs",
    "--switching-cost 20000": "the one-off cost of replacing that model, which the savings of "
    "one period of --volume must exceed (default 0)",
}
_WRITTEN = {
    **PAGE_OUTPUT,
    "--pdf FILE": "also print that page, through Chromium",
    "--embed-posteriors": "put the probabilities into the page, so that models decide again when "
    "costs are edited there",
    "--forensic": "also draw the strength of evidence (Tippett plots, empirical cross-entropy)",
    "--list-costliest N": "with costs per case: list the N costliest cases, by --id or by row",
    "--save FILE": "also save the counts, for stakes merge, monitor and eval. Saved counts can be "
    "added to new files:  stakes eval monday.json tuesday.parquet",
    "--rule FILE": "also write the decision rule that the verdict deploys, for stakes decide",
    "--rule-of MODEL": "write the rule of this model instead",
    "--recalibrated": "write that rule with a calibration of the scores learnt from all cases",
    "--min-positives 10": "with fewer cases of an outcome, print counts but no verdict",
    "--level 0.95": "the confidence level of intervals",
    "--seed 0": "the seed of random draws",
}
_CONDITIONS = {
    "--fail-if 'nec>0.5'": "exit with 1 when this holds for the best model, or for the "
    "one named: 'gbm:nec>0.5'",
    "--require MODEL": "exit with 1 unless the verdict is to deploy this model; with --baseline, "
    "unless it is to switch to this model or to keep it",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    add_data_options(parser)
    add_model_options(parser)
    add_group(parser, "more about the cases", {**CONFUSION, **_READ}, memory="2GB")
    add_options(add_cost_options(parser), _PRESET)
    add_group(parser, "limits, and a model that is in use", _CHALLENGE)
    group = parser.add_argument_group("what to print")
    forms = {**FORMS, "--quiet": "only the model to deploy and its threshold"}
    add_options(group.add_mutually_exclusive_group(), forms)
    add_options(group, _WRITTEN, list_costliest=0, min_positives=10, level=0.95, seed=0)
    add_group(parser, CONDITIONS, _CONDITIONS, fail_if=OFTEN)


def run(args: argparse.Namespace) -> int:
    """Evaluate, write, print, and return the exit code."""
    from stakes.cli.commands.gates import condition, failures
    from stakes.cli.show.outputs import (
        list_page,
        page_in,
        refuse_unfit,
        say_written,
        show,
        table_text,
        too_few,
        with_facts,
        write_answer,
    )

    file_after_amounts(args)
    _refuse_idle(args)
    conditions = [condition(text) for text in args.fail_if]  # a typo should not wait for work
    settle_output(args)
    asked, args.html = args.html, page_in(args.html, Path(args.file or "report").stem)
    outputs = {f"--{word}": getattr(args, word) for word in ("html", "pdf", "save", "rule")}
    inquiry = inquiry_of(args)
    refuse_unfit({"-o": args.output, **outputs}, inquiry)
    ev = with_facts(_answered(inquiry, args), args.command_line)
    for warning in ev.warnings:
        warn(warning)
    _refuse_unfit_lists(ev, args)
    form = next((form for form in ("json", "csv", "quiet") if getattr(args, form)), "")
    few = too_few(ev, args.min_positives)
    if few is not None:
        count, said = few
        show(replace(ev, too_few=ev.too_few or f"only {said}"), form, counts_only=True)
        complain(
            f"{said}. I will print counts but no interval and no verdict. "
            f"Override: --min-positives {int(count)}"
        )
        return EXIT_PROBLEM
    failed = failures(conditions, args.require, ev)
    if args.save:
        from stakes.inquiry.count_answer import keep

        keep(ev, args.save)
    listed = args.list_costliest
    everything, table = partial(ev.to_json, costliest_cases=listed), partial(table_text, ev)
    written = write_answer(args.output, everything, table)
    written += [*_write(ev, args), *_write_rule(ev, args)]
    list_page(asked, args.html)
    show(ev, form, listed=listed)
    if not form:
        say_written(written)
    for line in failed:
        print(shown(line), file=sys.stderr)
    return EXIT_GATE if failed else EXIT_OK


def _refuse_idle(args: argparse.Namespace) -> None:
    """Raise for options that could do nothing, and for numbers that cannot be meant."""
    from stakes.exceptions import DataError

    page = ("embed-posteriors", "forensic")
    for name in (*page, "list-costliest", "min-positives", "seed"):
        value = getattr(args, name.replace("-", "_"))
        if value and name in page and not (args.html or args.pdf):
            said = f"--{name} is about the page, and none is written."
            raise DataError(said, hint="--html report.html")
        if value < 0:
            raise DataError(f"--{name} must not be negative; got {value}.")
    if (args.rule_of or args.recalibrated) and not args.rule:
        idle = "--rule-of" if args.rule_of else "--recalibrated"
        raise DataError(f"{idle} is about the rule, and none is written.", hint="--rule rule.json")
    if args.list_costliest and (args.csv or args.quiet) and not (args.html or args.pdf):
        said = "--list-costliest goes into the text, the JSON and the page, and none is written."
        raise DataError(said, hint="--html report.html")
    if not 0 < args.level < 1:
        raise DataError(f"--level must lie between 0 and 1; got {args.level:g}.")


def _answered(inquiry: Inquiry, args: argparse.Namespace) -> Evaluation:
    """The evaluation, with its rows in memory where the page shows single rows."""
    from stakes.cli.show.progress import attended
    from stakes.inquiry.answers import answer
    from stakes.inquiry.road import in_memory

    single = {"--embed-posteriors": args.embed_posteriors, "--list-costliest": args.list_costliest}
    wanted = [option for option, value in {**single, "--forensic": args.forensic}.items() if value]
    inquiry, notes = in_memory(inquiry, wanted[0]) if wanted else (inquiry, [])
    ev = answer(inquiry, partial(attended, quiet=args.quiet))
    return replace(ev, notes=(*ev.notes, *notes))


def _write_rule(ev: Evaluation, args: argparse.Namespace) -> list[str]:
    """Write the rule to deploy, if it was asked for; a line about it."""
    if not args.rule:
        return []
    from stakes.exceptions import DataError
    from stakes.messages.audience import command_line
    from stakes.rules.rule_words import model_in_words

    with command_line():
        rule = ev.rule(args.rule_of, recalibrated=True if args.recalibrated else None)
    if rule.columns is None:
        raise DataError(
            f"no column of the file holds the scores of {rule.model!r} as the rule reads them.",
            hint="write them into a column first; with --flip, as 1 - p",
        )
    rule.save(args.rule)
    return [f"rule of {shown(str(model_in_words(rule)))} ({rule}): {args.rule}"]


def _refuse_unfit_lists(ev: Evaluation, args: argparse.Namespace) -> None:
    """Raise or warn where what is to be drawn or listed does not exist for such costs."""
    from stakes.exceptions import DataError

    two = ev.application.costs.shape[0] == 2 and not ev.by_case
    if args.forensic and not (two and ev.kind == "posteriors"):
        raise DataError(
            "--forensic draws likelihood ratios, which need probabilities of two outcomes and "
            "costs that are the same in every case.",
            hint="leave --forensic out",
        )
    if args.list_costliest and not ev.by_case:
        warn("--list-costliest is about costs per case; here every case costs alike.")
        args.list_costliest = 0


def _write(ev: Evaluation, args: argparse.Namespace) -> list[str]:
    """Write the page and its print, if they were asked for; a line about each."""
    if not args.html and not args.pdf:
        return []
    from stakes.cli.show.outputs import write_whole

    options = {"embed_posteriors": args.embed_posteriors, "forensic": args.forensic}
    page = ev.to_html(**options, costliest_cases=args.list_costliest)
    said = []
    if args.html:
        said.append((args.html, write_whole(Path(args.html), page)))
    if args.pdf:
        from stakes.report.pdf import print_pdf

        print_pdf(page, args.pdf)
        said.append((args.pdf, Path(args.pdf).stat().st_size))
    return [f"report: {name} ({max(1, round(size / 1000))} kB)" for name, size in said]
