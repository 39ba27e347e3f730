"""A saved calibration applied to the rows of a file, also in another place, and the table
written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from stakes import _files
from stakes._optional import load
from stakes.application.toml_text import located
from stakes.calibration import Calibrator
from stakes.calibration.calibrator_file import read_saved
from stakes.cli.commands.calibrate.calibration_input import agreed, input_of, scores_from
from stakes.cli.problems import EXIT_OK, printing_is_the_output, warn, written_by
from stakes.cli.show.terminal import print_json, print_wrapped
from stakes.exceptions import DataError, PriorError, UndefinedError
from stakes.inquiry.option_words import shares
from stakes.messages.quantities import grouped, percent
from stakes.posteriors import Posteriors, PriorEstimate, estimate_priors
from stakes.sources.formats import endings
from stakes.sources.table import Table
from stakes.sources.table_file import read_table
from stakes.sources.table_output import csv_of, parquet_of
from stakes.typing import FloatArray

#: Calibrated probabilities by the names of their columns.
Columns = dict[str, FloatArray]
#: The value of `--prevalence` for unknown shares.
ESTIMATE = "estimate"
#: A share below this is none.
LEAST = 1e-6
#: An interval wider than this says nothing.
WIDEST = 0.9


def estimated(calibrator: Calibrator, scores: FloatArray, source: str) -> PriorEstimate:
    """The shares of each outcome among the cases of a file."""
    assert calibrator.priors is not None
    assert calibrator.classes is not None
    posteriors = Posteriors(calibrator.posteriors(scores), classes=calibrator.classes)
    size = f"{grouped(len(posteriors))} case{'s' if len(posteriors) != 1 else ''}"
    hint = "say it yourself:  --prevalence 2%"
    try:
        found = estimate_priors(posteriors, calibrator.priors)
    except (UndefinedError, PriorError) as error:
        said = f"the shares in {source} cannot be estimated: {error.message}"
        raise DataError(said, hint=hint) from None
    if (found.high - found.low > WIDEST).any():
        raise DataError(
            f"{source} does not tell what the shares of the outcomes are, by the scores of {size}.",
            hint=f"more cases, or {hint}",
        )
    if (found.priors < LEAST).any():
        k = int((found.priors < LEAST).argmax())
        raise DataError(
            f"the scores in {source} look like no case of '{found.classes[k]}' at all (at most "
            f"{percent(float(found.high[k]))}), and then all probabilities of it would be 0.",
            hint="say its share yourself, such as that limit, with --prevalence",
        )
    return found


def said_of_shares(found: PriorEstimate, calibrator: Calibrator, source: str) -> list[str]:
    """The estimated share of each outcome, or of the second of two, with what it was before."""
    assert calibrator.priors is not None
    out = []
    for k, name in list(enumerate(found.classes))[1 if len(found.classes) == 2 else 0 :]:
        share, low, high = (percent(float(x[k])) for x in (found.priors, found.low, found.high))
        said = f"{share} ({low.removesuffix(' %')} to {high.removesuffix(' %')})"
        if found.low[k] == 0:  # there may be none
            said = f"at most {high}, perhaps none (most likely {share})"
        before = float(calibrator.priors[k])
        chance = ", a difference within chance" * bool(found.low[k] <= before <= found.high[k])
        out.append(
            f"Estimated share of '{name}' in {source}: {said}, used for calibration; "
            f"{percent(before)} when learnt{chance}."
        )
    return out


#: Endings of files that are neither CSV nor Parquet.
OTHERS = {*endings(), ".gz", ".xlsx", ".json"} - {".csv", ".parquet"}
PARQUET = ".parquet"


#: What can be said of the place where a calibration is applied, and of the result.
HONOURED = {"file", "scores", "model", "scores_are", "narrow", "renormalise", "prevalence",
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
    with written_by("stakes calibrate FILE --label COLUMN --model A -o cal.json"):
        saved = read_saved(args.apply)
    with located(args.apply):
        learnt = Calibrator.from_dict(saved)
    kept = input_of(saved, learnt, args.apply)
    source = agreed(kept, learnt, args)
    table = _new_cases(args.file)
    _warn_of_own_rows(saved, table, args.apply)
    known = kept.scores_are is not None
    scores = scores_from(table, source, learnt, known=known, narrow=args.narrow)
    assert learnt.classes is not None
    names, calibrator, found = tuple(map(str, learnt.classes)), learnt, None
    if args.prevalence == ESTIMATE:
        found = estimated(learnt, scores, table.source)
        calibrator = learnt.with_priors(found.priors)
    elif args.prevalence:
        calibrator = learnt.with_priors(shares(args.prevalence, names))
    posteriors = calibrator.posteriors(scores)
    columns = {f"calibrated.p_{name}": posteriors[:, k] for k, name in enumerate(names)}
    if "score" in kept.columns and len(names) == 2:
        columns = {f"{kept.model}_calibrated": posteriors[:, 1]}
    taken = [name for name in columns if name in table.names]
    if taken:
        raise DataError(f"{table.source} already has a column '{taken[0]}'.")
    said = [] if found is None else said_of_shares(found, learnt, table.source)
    read = () if "matrix" in source.columns else source.columns.values()
    numbers = {name: table.numbers(name) for name in read if name in table.names}
    if args.output is None:
        for sentence in said:
            print(sentence, file=sys.stderr)
        printing_is_the_output()
        print(csv_of(table, columns, numbers), end="")
        return EXIT_OK
    if Path(args.output).suffix.lower() == PARQUET:
        data = parquet_of(args.file, table, columns, numbers)
    else:
        data = csv_of(table, columns, numbers).encode("utf-8")
    _files.write_whole(Path(args.output), data)
    if args.json:
        facts = {"rows": len(scores), "source": table.source, "output": args.output}
        priors = {"calibrated_for": learnt.priors, "priors": calibrator.priors}
        ends = (None, None) if found is None else (found.low, found.high)
        shown = {**priors, "priors_low": ends[0], "priors_high": ends[1]}
        named = {
            key: None if values is None else dict(zip(names, values.tolist(), strict=True))
            for key, values in shown.items()
        }
        print_json({**facts, "columns": list(columns), **named})
        return EXIT_OK
    for sentence in said:
        print_wrapped(sentence, rest="  ")
    print(f"calibrated {grouped(len(scores))} rows of {table.source}: {args.output}")
    return EXIT_OK


def _new_cases(file: str) -> Table:
    """The rows to calibrate, of one file or several."""
    table = read_table(file, new=True, copied=True)
    if not table.n_rows:
        raise DataError(f"{table.source} has no rows.", hint="I need one row per case")
    return table


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
    file = Path(args.output or "")
    if file.suffix.lower() in OTHERS:
        stem = file.name.split(".")[0]
        raise DataError(
            f"--apply writes CSV or Parquet, which '{file.name}' does not look like.",
            hint=f"-o {stem}.csv or -o {stem}.parquet",
        )
    if file.suffix.lower() == PARQUET:
        load("pyarrow.parquet", extra="parquet")


def _warn_of_own_rows(saved: dict[str, Any], table: Table, path: str) -> None:
    """Say when a calibration is applied to the file that it was learnt on."""
    if table.digest and saved.get("input", {}).get("sha256") == table.digest:
        warn(
            f"{path} was learnt on these very rows: what its probabilities cost here is "
            "optimistic. What calibrating is worth was printed when it was learnt."
        )
