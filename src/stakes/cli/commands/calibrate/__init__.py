"""`stakes calibrate`: learn a calibration, say what it is worth, save it, apply it."""

from __future__ import annotations

import argparse
from typing import Any

from stakes.cli.commands import file_after_amounts, inquiry_of
from stakes.cli.options import add_cost_options, add_data_options, add_group, add_model_options
from stakes.cli.problems import EXIT_OK, warn

__all__ = ["configure", "run"]

#: Every calibrator, as the help lists them.
KINDS = (
    "automatic, affine, temperature, vector, matrix, dirichlet, logistic, beta, gaussian, "
    "isotonic, venn-abers, histogram, rank, smooth, average, common-curve, structured-matrix"
)
FIRST_CALL = (
    "stakes calibrate churn.csv --label churned --positive yes --model gbm_p -o gbm_cal.json"
)
#: What most people need, in the order of a first call.
MOST_USED = "file --label --positive --model --proba --cost --kind --output --apply --plot"
EXAMPLES = """examples:
  stakes calibrate churn.csv --label churned --positive yes --model gbm_p \\
         --cost fn=40 fp=4 --unit EUR -o gbm_cal.json --plot reliability.svg
  stakes calibrate --apply gbm_cal.json new.csv -o out.csv
  stakes calibrate --apply gbm_cal.json new.csv --prevalence 2% -o out.csv
  stakes calibrate --apply gbm_cal.json new.csv --prevalence estimate -o out.csv
  stakes calibrate pets.csv --label species --proba 'large.p_*' --kind dirichlet -o pets.json

Without costs every error costs 1. The costs after calibration are cross-fitted: each case is
calibrated by a map that was fitted without it, and up to 2000 cases also chosen without it.
`--prevalence estimate` takes the shares of new cases from their scores; the truth is not needed,
as long as only the shares have changed.
"""


_CALIBRATION = {
    "--model COLUMN": "the column of p(positive) to calibrate",
    "--kind KIND": "which calibrator (default affine, as in stakes eval; automatic tries all that "
    f"fit the data): {KINDS}",
    "--choose-by cost": "choose automatically by this: cross-entropy (default), brier, or cost (of "
    "the decisions under the given costs)",
    "--bound 50": "lowest log-score, relative to the best class of a case; lower scores are raised "
    "to it (default: a little below the lowest finite one)",
    "--folds 5": "folds for cross-fitting",
    "--groups COLUMN": "rows that stay in one fold",
    "--seed 0": "the seed of the folds",
    "--apply CAL.json": "apply a saved calibration to the file, to the columns saved with it. Give "
    "the share of positives in the file with --prevalence, or let --prevalence estimate find it",
}
_WRITTEN = {
    "-o --output FILE": "the calibration, or with --apply the new table (CSV, or .parquet)",
    "--plot FILE": "also draw reliability before and after",
    "--json": "print everything, as JSON",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = EXAMPLES
    add_data_options(parser, together="several files")
    add_model_options(parser)
    add_cost_options(parser)
    kind = {"choices": tuple(KINDS.split(", "))}
    by = {"choices": ("cross-entropy", "brier", "cost")}
    numbers = {"bound": "data", "folds": 5, "seed": 0}
    add_group(parser, "the calibration", _CALIBRATION, kind=kind, choose_by=by, **numbers)
    add_group(parser, "what to write", _WRITTEN)


def run(args: argparse.Namespace) -> int:
    """Learn or apply, print, write, and return the exit code."""
    from stakes.cli.show.outputs import refuse_ending, refuse_unfit
    from stakes.exceptions import DataError

    file_after_amounts(args)
    if args.model:
        args.scores = args.model if not args.scores else f"{args.scores},{args.model}"
    if args.apply and args.plot:
        raise DataError(
            "--plot needs the truth, which --apply does not ask for.",
            hint="draw when the calibration is learnt:  stakes calibrate data.csv ... --plot r.svg",
        )
    refuse_unfit({"-o": args.output, "--plot": args.plot}, inquiry_of(args), args.apply)
    if not args.apply:
        refuse_ending("-o", args.output, (".json",))
    if args.seed < 0:
        raise DataError(f"--seed must be 0 or more; got {args.seed}.")
    if args.apply:
        from stakes.cli.commands.calibrate.saved_calibration import apply_calibration

        return apply_calibration(args)
    return _learn(args)


def _learn(args: Any) -> int:
    """Fit, judge, print and save."""
    from stakes.calibration.calibrators.affine import default_calibrator
    from stakes.cli.commands.calibrate.calibration_fit import learn
    from stakes.cli.commands.calibrate.calibration_input import save
    from stakes.cli.commands.calibrate.calibration_text import draw, sentences, show, why
    from stakes.cli.commands.calibrate.saved_calibration import ESTIMATE
    from stakes.cli.show.progress import Telling
    from stakes.exceptions import DataError

    if args.prevalence == ESTIMATE:
        raise DataError(
            "--prevalence estimate is for cases without the truth; here the shares of the file "
            "are known, and taken.",
            hint="leave it out; later:  stakes calibrate --apply cal.json new.csv "
            "--prevalence estimate -o out.csv",
        )
    if args.posteriors_already_adjusted:
        raise DataError(
            "--posteriors-already-adjusted says nothing here: a calibration learns from the "
            "cases at hand what the scores mean.",
            hint="leave it out; --prevalence says where it will run",
        )
    if args.choose_by and args.kind not in (None, "automatic"):
        raise DataError(
            f"--choose-by says how to choose, and --kind {args.kind} leaves nothing to choose.",
            hint="leave one of them out",
        )
    if args.file is None:
        raise DataError(
            "there is no file to read.",
            hint="stakes calibrate data.csv --label y --model model_a -o model_a_cal.json",
        )
    named = args.kind is not None
    args.kind = args.kind or ("automatic" if args.choose_by else default_calibrator().kind)
    inquiry = inquiry_of(args)
    args.costs_assumed = not inquiry.gives_costs
    if args.costs_assumed:
        inquiry = inquiry.but(cost=("error=1",))
    with Telling() as telling:
        learnt = learn(inquiry, args, telling)
        said = {"why": why(learnt, named=named), "sentences": sentences(learnt)}
    for warning in learnt.warnings:
        warn(warning)
    written = save(learnt, args) if args.output else []
    if args.plot:
        with Telling() as telling:
            telling.say(f"drawing {args.plot}")
            drawn = draw(learnt, args.plot)
        if not drawn:
            warn(f"{args.plot} was not drawn: the most probable class is always right.")
    show(learnt, said, args)
    if not args.json:
        print("\n".join(written or ["to keep it: -o calibration.json"]))
    return EXIT_OK
