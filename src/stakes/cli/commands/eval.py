"""`stakes eval`: what the decisions of one or more models cost, and which to deploy."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stakes.cli.commands import file_after_amounts, inquiry_of
from stakes.cli.options import (
    add_confusion_option,
    add_cost_options,
    add_data_options,
    add_engine_options,
    add_group_option,
    add_model_options,
)
from stakes.cli.problems import EXIT_CODES, EXIT_GATE, EXIT_OK, EXIT_PROBLEM, complain, warn
from stakes.cli.show.terminal import shown

if TYPE_CHECKING:
    from stakes.evaluation import Evaluation


EXAMPLES = (
    """examples:
  stakes eval churn.csv --label churned --positive yes --scores gbm_p,logreg_p \\
         --cost fn=40 fp=4 --unit EUR --volume 250000/yr --html report.html
  stakes eval pets.csv --label species --proba 'p_*' --costs costs.toml
  stakes eval day.csv --label truth --decisions modelA,modelB --cost fn=335 fp=35
  stakes eval --confusion A.csv,B.csv --positive yes --cost fn=335 fp=35
  stakes eval 'lake/year=*/*.parquet' --label y --scores p --cost fn=10 fp=1 --engine duckdb
  stakes eval monday.csv --label truth --scores gbm_p --cost fn=40 fp=4 --save monday.json
  stakes eval --inquiry report.html --prevalence 2%

"""
    + EXIT_CODES
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    add_data_options(parser)
    add_model_options(parser)
    add_confusion_option(parser)
    parser.add_argument(
        "--trials",
        metavar="T",
        help="a list of trials (Kaldi, VoxCeleb, VOiCES, ASVspoof, NIST); --scores then names one "
        "file of scores per model, joined by the names of the recordings",
    )
    parser.add_argument(
        "--inquiry",
        metavar="Q.toml",
        help="ask again what was kept: a TOML file with the words of these options, or a report "
        "(JSON or page); options beside it take the place of what it says",
    )
    add_engine_options(parser)
    parser.add_argument("--more", metavar="B.csv", help="files with further columns of the cases")
    parser.add_argument("--join-on", metavar="id", help="the column by which --more is joined")
    add_group_option(parser)
    parser.add_argument("--by", metavar="COLUMN", help="also judge each value of it apart")
    add_cost_options(parser)
    parser.add_argument(
        "--preset",
        metavar="sre16",
        help="costs and shares of a speaker recognition evaluation of NIST: sre08, sre10, sre12, "
        "sre16, sre18-cmn2 or sre18-vast",
    )
    _add_output_options(parser)


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    """What is printed and written, and when to fail."""
    group = parser.add_argument_group("what to print")
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything, as JSON")
    form.add_argument("--csv", action="store_true", help="the table, as CSV")
    form.add_argument(
        "--quiet", action="store_true", help="only the model to deploy and its threshold"
    )
    group.add_argument("--html", metavar="PAGE", help="also write a report page")
    group.add_argument("--pdf", metavar="FILE", help="also print that page, through Chromium")
    group.add_argument(
        "--embed-posteriors",
        action="store_true",
        help="put posteriors into the page, so that models decide anew when costs are edited there",
    )
    group.add_argument(
        "--forensic",
        action="store_true",
        help="also draw how strong evidence is (Tippett plots, empirical cross-entropy)",
    )
    group.add_argument(
        "--list-costliest",
        type=int,
        default=0,
        metavar="N",
        help="with costs per case: list the costliest cases in the page, by their row",
    )
    group.add_argument(
        "--save",
        metavar="FILE",
        help="also keep what was decided, as counts, for stakes merge, monitor and eval",
    )
    group.add_argument(
        "--min-positives",
        type=int,
        default=10,
        metavar="10",
        help="with fewer cases of an outcome, print counts but no verdict",
    )
    group = parser.add_argument_group("conditions, for continuous integration")
    group.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="'nec>0.5'",
        help="exit with 1 when this holds for the best model, or for one: 'gbm:nec>0.5'",
    )
    group.add_argument(
        "--require", metavar="MODEL", help="exit with 1 unless this is to be deployed"
    )


def run(args: argparse.Namespace) -> int:
    """Evaluate, write, print, and return the exit code."""
    from stakes._files import refuse_unwritable
    from stakes.cli.commands.gates import Gate, failures
    from stakes.cli.show.outputs import files_read, refuse_overwriting, show, too_few, with_facts
    from stakes.cli.show.progress import attended
    from stakes.inquiry.answers import answer

    file_after_amounts(args)
    _refuse_idle(args)
    gates = [Gate(text) for text in args.fail_if]  # before any work: a typo should not wait
    outputs = {"--html": args.html, "--pdf": args.pdf, "--save": args.save}
    inquiry = inquiry_of(args)
    refuse_overwriting(outputs, files_read(inquiry))
    for path in filter(None, outputs.values()):
        refuse_unwritable(Path(path))
    watched = partial(attended, quiet=args.quiet)
    ev = with_facts(answer(inquiry, watched), args.command_line)
    for warning in ev.warnings:
        warn(warning)
    if args.forensic:
        _refuse_unforensic(ev)
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
    failed = failures(gates, args.require, ev)
    if args.save:
        from stakes.inquiry.count_answer import keep

        keep(ev, args.save)
    written = _write(ev, args)
    show(ev, form)
    if written and not form:
        print("\n" + shown("\n".join(written)))
    for line in failed:
        print(shown(line), file=sys.stderr)
    return EXIT_GATE if failed else EXIT_OK


def _refuse_idle(args: argparse.Namespace) -> None:
    """Raise for options that could do nothing, and for numbers that cannot be meant."""
    from stakes.exceptions import DataError

    for name in ("embed_posteriors", "forensic", "list_costliest"):
        if getattr(args, name) and not (args.html or args.pdf):
            raise DataError(
                f"--{name.replace('_', '-')} is about the page, and none is written.",
                hint="--html report.html",
            )
    for name in ("min_positives", "list_costliest"):
        if getattr(args, name) < 0:
            said = name.replace("_", "-")
            raise DataError(f"--{said} must not be negative; got {getattr(args, name)}.")


def _refuse_unforensic(ev: Evaluation) -> None:
    """Raise where there are no likelihood ratios to draw."""
    from stakes.exceptions import DataError

    two = ev.application.costs.shape[0] == 2 and ev.naive is None
    if not two or ev.kind != "posteriors":
        raise DataError(
            "--forensic draws likelihood ratios, which need probabilities of two outcomes and "
            "costs that are the same in every case.",
            hint="leave --forensic out",
        )


def _write(ev: Evaluation, args: argparse.Namespace) -> list[str]:
    """Write the page and its print, if they were asked for; a line about each."""
    if not args.html and not args.pdf:
        return []
    from stakes.cli.show.outputs import write_whole

    options = {"embed_posteriors": args.embed_posteriors}
    if args.list_costliest and ev.naive is not None:
        options["costliest_cases"] = args.list_costliest
    elif args.list_costliest:
        warn("--list-costliest is about costs per case; here every case costs alike.")
    if args.forensic:
        options["forensic"] = True
    page = ev.to_html(**options)
    said = []
    if args.html:
        said.append((args.html, write_whole(Path(args.html), page)))
    if args.pdf:
        from stakes.report.pdf import print_pdf

        print_pdf(page, args.pdf)
        said.append((args.pdf, Path(args.pdf).stat().st_size))
    return [f"report: {name} ({max(1, round(size / 1000))} kB)" for name, size in said]
