"""Applying a saved calibration to the rows of a file."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.calibration import Calibrator
from stakes.calibration.loading import read_saved
from stakes.cli.calibration_elsewhere import as_facts, moved, said_of_shares
from stakes.cli.calibration_input import Input, agreed, as_taken, input_of, values_from
from stakes.cli.calibration_record import as_json
from stakes.cli.calibration_scale import UNKNOWN, about_unknown, look_at, seen_in_fit
from stakes.cli.calibration_written import as_csv, refuse_other_forms, write_table
from stakes.cli.output import print_wrapped
from stakes.cli.problems import EXIT_OK
from stakes.cli.reading import Table, read_table
from stakes.cli.sources import said_what_scores_are
from stakes.cli.streams import printing_is_the_output
from stakes.exceptions import DataError, StakesError
from stakes.report.amounts import grouped

__all__ = ["apply_calibration"]

#: What can be said of the place where a calibration is applied, and of the result.
HONOURED = {"file", "scores", "model", "scores_are", "narrow", "flip", "renormalise", "prevalence",
            "apply", "output", "plot", "json"}  # fmt: skip
#: What the command line itself keeps among the options.
ABOUT_THE_RUN = {"command", "command_line", "completion", "parser", "run"}


def apply_calibration(args: Any) -> int:
    """Read, calibrate, write the table with new columns."""
    if args.file is None:
        raise DataError(
            "there is no file to calibrate.",
            hint="stakes calibrate --apply cal.json new.csv -o out.csv",
        )
    _refuse_idle_options(args)
    saved = read_saved(args.apply)
    learnt = _calibrator(saved, args.apply)
    assert learnt.classes is not None
    kept = input_of(saved, learnt.classes, args.apply)
    source = agreed(kept, learnt, args)
    table = read_table(args.file)
    scores = _scores(table, source, kept, learnt, args)
    calibrator, found = moved(learnt, scores, args.prevalence, table.source)
    columns = _new_columns(kept, calibrator, calibrator.posteriors(scores))
    said = [] if found is None else said_of_shares(found, learnt, table.source)
    numbers = () if "matrix" in source.columns else source.columns.values()
    if args.output is None:
        for sentence in said:
            print(sentence, file=sys.stderr)
        printing_is_the_output()
        print(as_csv(table, columns, numbers), end="")
        return EXIT_OK
    write_table(args.output, args.file, table, columns, scores=numbers)
    if args.json:
        facts = {"rows": len(scores), "source": table.source, "output": args.output}
        shown = {"columns": list(columns), **as_facts(found, learnt, calibrator)}
        print(as_json({**facts, **shown}))
        return EXIT_OK
    for sentence in said:
        print_wrapped(sentence, rest="  ")
    print(f"calibrated {grouped(len(scores))} rows of {table.source}: {args.output}")
    return EXIT_OK


def _scores(
    table: Table, source: Input, kept: Input, learnt: Calibrator, args: Any
) -> NDArray[np.float64]:
    """The scores as the calibrator takes them, looked at before."""
    said, whence = said_what_scores_are(args), ""
    unknown = kept.scores_are is None and learnt._sort is None and not said
    if unknown:
        whence = f"{UNKNOWN}, so they are read as probabilities"
    elif kept.scores_are is None and said:
        whence = "--scores-are prob, but these are none"
    elif kept.scores_are is None:
        whence = f"{args.apply} was fitted in Python on posteriors, so probabilities are read"
    values = values_from(table, source, learnt, whence=whence)
    seen = seen_in_fit(learnt, source.scores_are, bool(source.flip), source.priors)
    look_at(values, source.scores_are, learnt, seen, source=table.source, narrow=args.narrow)
    if unknown:
        about_unknown(args.apply)
    return as_taken(values, source, learnt._sort)


def _calibrator(saved: dict[str, Any], path: str) -> Calibrator:
    """The calibrator of a file; what is wrong is said of the file."""
    try:
        return Calibrator.from_dict(saved)
    except StakesError as error:
        hint = error.hint or "a calibration is written by:  stakes calibrate data.csv ... -o FILE"
        raise type(error)(f"{path}: {error.message}", hint=hint) from None


def _refuse_idle_options(args: Any) -> None:
    """Raise for what was settled when the calibration was learnt, and for other kinds of file."""
    for name in vars(args):
        word = f"--{name.replace('_', '-')}"
        written = any(each.split("=")[0] == word for each in args.command_line)
        given = getattr(args, name) != args.parser.get_default(name)
        if name not in HONOURED and name not in ABOUT_THE_RUN and (given or written):
            raise DataError(
                f"{word} does nothing with --apply.",
                hint="leave it out; it belongs to where the calibration is learnt",
            )
    if args.json and not args.output:
        raise DataError(
            "--json with --apply says what was written, and there is no file to write.",
            hint="-o out.csv",
        )
    if args.output:
        refuse_other_forms(args.output)


def _new_columns(
    source: Input, calibrator: Calibrator, posteriors: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Names for the calibrated probabilities."""
    assert calibrator.classes is not None
    if "score" in source.columns and posteriors.shape[1] == 2:
        return {f"{source.model}_calibrated": posteriors[:, 1]}
    return {f"calibrated.p_{name}": posteriors[:, k] for k, name in enumerate(calibrator.classes)}
