"""Applying a saved calibration to the rows of a file."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.calibration import Calibrator
from stakes.cli.calibration_elsewhere import as_facts, moved, said_of_shares
from stakes.cli.calibration_learnt import log_scores
from stakes.cli.calibration_record import as_json
from stakes.cli.files import write_whole
from stakes.cli.models import Model
from stakes.cli.output import print_wrapped
from stakes.cli.problems import EXIT_OK
from stakes.cli.reading import Table, read_table
from stakes.exceptions import DataError, FormatError, PosteriorError
from stakes.report.amounts import grouped

__all__ = ["apply_calibration"]

#: Endings of files that are not commas and lines.
NOT_CSV = {".parquet", ".gz", ".npy", ".npz", ".h5", ".arff", ".tsv", ".xlsx", ".json"}


def apply_calibration(args: Any) -> int:
    """Read, calibrate, write the table with new columns."""
    if args.file is None:
        raise DataError(
            "there is no file to calibrate.",
            hint="stakes calibrate --apply cal.json new.csv -o out.csv",
        )
    _refuse_idle_options(args)
    saved = _read(args.apply)
    learnt = Calibrator.from_dict(saved)
    table = read_table(args.file)
    source = _source(saved, args.apply)
    scores = _scores(table, source, learnt, args)
    calibrator, found = moved(learnt, scores, args.prevalence, table.source)
    columns = _new_columns(source, calibrator, calibrator.posteriors(scores))
    text = _written(table, columns)
    said = [] if found is None else said_of_shares(found, learnt, table.source)
    if args.output is None:
        for sentence in said:
            print(sentence, file=sys.stderr)
        print(text, end="")
        return EXIT_OK
    write_whole(Path(args.output), text)
    if args.json:
        facts = {"rows": len(scores), "source": table.source, "output": args.output}
        shown = {"columns": list(columns), **as_facts(found, learnt, calibrator)}
        print(as_json({**facts, **shown}))
        return EXIT_OK
    for sentence in said:
        print_wrapped(sentence, rest="  ")
    print(f"calibrated {grouped(len(scores))} rows of {table.source}: {args.output}")
    return EXIT_OK


def _refuse_idle_options(args: Any) -> None:
    """Raise for what was settled when the calibration was learnt, and for other kinds of file."""
    named = ("cost", "gain", "costs", "miss", "false_alarm", "group", "weight", "proba")
    idle = [name for name in named if getattr(args, name)]
    idle += ["kind"] if args.kind != "automatic" else []
    idle += ["bound"] if args.bound != "data" else []
    if idle:
        raise DataError(
            f"--{idle[0].replace('_', '-')} does nothing with --apply.",
            hint="it belongs to where the calibration is learnt",
        )
    if args.json and not args.output:
        raise DataError(
            "--json with --apply says what was written, and there is no file to write.",
            hint="-o out.csv",
        )
    if args.output and Path(args.output).suffix.lower() in NOT_CSV:
        raise DataError(
            f"--apply writes CSV, which '{Path(args.output).name}' does not look like.",
            hint=f"-o {Path(args.output).name.split('.')[0]}.csv",
        )


def _source(saved: dict[str, Any], path: str) -> dict[str, Any]:
    """Where the calibration says its scores come from."""
    source = saved.get("input", {})
    if isinstance(source, dict):
        columns = source.get("columns", {})
        if isinstance(columns, dict) and all(isinstance(name, str) for name in columns.values()):
            return source
    raise FormatError(f"{path} is damaged: it does not say where its scores come from.")


def _read(path: str) -> dict[str, Any]:
    """The saved calibration as plain values."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise FormatError(f"{path} is not JSON: {error}.") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path} is not a saved calibration.") from None
    if not isinstance(saved, dict):
        raise FormatError(f"{path} is not a saved calibration.")
    return saved


def _scores(
    table: Table, source: dict[str, Any], calibrator: Calibrator, args: Any
) -> NDArray[np.float64]:
    """The scores as the calibrator takes them, from the columns it was learnt on."""
    columns = dict(source.get("columns", {}))
    if args.scores:
        columns = {"score": args.scores}
    if "matrix" in columns:
        name = columns["matrix"] if columns["matrix"] in table.matrices else None
        name = name or next(iter(table.matrices), None)
        if name is None:
            raise DataError(f"{table.source} has no array of scores.")
        values = table.matrices[name].astype(np.float64)
    elif "score" in columns:
        values = table.numbers(columns["score"])
    else:
        assert calibrator.classes is not None
        absent = [str(c) for c in calibrator.classes if str(c) not in columns]
        if absent:
            raise FormatError(f"the calibration does not say where the scores of {absent} are.")
        values = np.column_stack([table.numbers(columns[str(c)]) for c in calibrator.classes])
    if np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values.reshape(len(values), -1)).any(axis=1))[0]) + 1
        raise DataError(f"{table.source}: row {grouped(row)} has no score.")
    kind = source.get("scores_are", "prob")
    if kind == "prob" and (values.min() < 0 or values.max() > 1):
        raise PosteriorError(
            f"the calibration was learnt on probabilities, but {table.source} has values from "
            f"{values.min():.3g} to {values.max():.3g}."
        )
    if source.get("flip"):
        values = 1 - values if kind == "prob" else -values
    model = Model("", np.zeros(len(values), dtype=bool), scores=values)
    return log_scores(model, np.array(source.get("priors", [0.5, 0.5])), kind)


def _new_columns(
    source: dict[str, Any], calibrator: Calibrator, posteriors: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Names for the calibrated probabilities."""
    assert calibrator.classes is not None
    model = source.get("model", "score")
    if "score" in source.get("columns", {}) and posteriors.shape[1] == 2:
        return {f"{model}_calibrated": posteriors[:, 1]}
    return {f"calibrated.p_{name}": posteriors[:, k] for k, name in enumerate(calibrator.classes)}


def _written(table: Table, columns: dict[str, NDArray[np.float64]]) -> str:
    """The table with the new columns after the old ones, as CSV."""
    old = [table.cells(name) for name in table.names]
    taken = [name for name in columns if name in table.names]
    if taken:
        raise DataError(f"{table.source} already has a column '{taken[0]}'.")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*table.names, *columns])
    new = [[f"{value:.9g}" for value in column] for column in columns.values()]
    for i in range(len(new[0])):
        writer.writerow([*(_cell(column[i]) for column in old), *(column[i] for column in new)])
    return stream.getvalue()


def _cell(value: Any) -> str:
    """A cell as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return str(value)
