"""`stakes decide`: new cases by the rule of an evaluation, whatever their number."""

from __future__ import annotations

import argparse
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stakes.cli.options import PRINTABLE, RULE_WRITER, add_options
from stakes.cli.problems import EXIT_OK, printing_is_the_output, warn, written_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stakes.rules import DecisionRule
    from stakes.sources.patterns import Files
    from stakes.sources.table import Table

FIRST_CALL = (
    "stakes eval may.csv --label churned --positive yes --scores gbm_p --cost fn=40 fp=4 "
    "--rule rule.json\nstakes decide june.csv --rule rule.json -o decided.csv"
)
EXAMPLES = """examples:
  stakes decide new.csv --rule rule.json -o decided.csv
  stakes decide 'lake/day=*/*.parquet' --rule rule.json -o decided.parquet
  stakes decide new.csv --rule rule.json --capacity review=200 -o decided.csv
  cat new.jsonl | stakes decide - --rule rule.json > decided.jsonl

The rule comes from  stakes eval ... --rule rule.json. Each row gets the decision, its expected
cost, the next best decision, and the margin: how much more the next best is expected to cost. The
price that a limit gives a decision is part of the margin, and not of the expected cost. Files given
by a pattern, a folder or an address, and large ones, are streamed through DuckDB. If anything
fails, no output file is written.
"""
_OPTIONS = {
    "--rule FILE": "the rule: what  stakes eval ... --rule FILE  wrote",
    "-o --output FILE": "write .csv, .parquet or .jsonl; without it, print CSV, or JSON lines if "
    "the input is JSON lines",
    "--columns A,B": "the columns of the scores, if their names differ from those in the rule: "
    "one, or one for each outcome in the order of the rule",
    "--capacity review=200": "how often a decision may be taken in this file: 200, 5%%, 50..200, "
    "or 200/day if the file holds one day; it is taken where it saves most. Without this, the "
    "rule's own limits hold only on average",
    "--on-error {stop,column}": "stop at rows that cannot be decided (default), or leave their "
    "decision empty and say why in a column 'not_decided'",
    "--engine {duckdb,memory}": "stream the file through duckdb, or read it into memory (default: "
    "see below)",
    "--memory 800MB": "how much memory duckdb may use",
    "--json": "print what was done, as JSON; needs -o",
    "--quiet": "print nothing",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from stakes.sources.formats import endings

    parser.epilog = EXAMPLES
    parser.usage = "stakes decide FILE --rule FILE [options]"
    known = endings()
    forms = f"{', '.join(known[:-1])} or {known[-1]} (also .gz), one row per case"
    parser.add_argument("file", help=f"{forms}; a pattern, a folder, or - for standard input")
    add_options(parser, _OPTIONS, memory="800MB", on_error={"default": "stop"}, output=PRINTABLE)


def run(args: argparse.Namespace) -> int:
    """Read the rule, decide, write, and say what was done."""
    from stakes.cli.show.outputs import refuse_ending, refuse_overwriting
    from stakes.cli.show.terminal import print_json
    from stakes.exceptions import DataError
    from stakes.messages.quantities import grouped
    from stakes.resources.model_capacity import limit_record
    from stakes.rules import load_rule
    from stakes.sources.patterns import several_words
    from stakes.sources.source import is_far

    if args.json and not args.output:
        raise DataError(
            "--json says what was done, so the rows need a file of their own.",
            hint="-o decided.csv",
        )
    if args.rule is None:
        raise DataError(
            "by which rule?", hint=f"--rule rule.json, where\n{RULE_WRITER}  writes one"
        )
    read = several_words(args.file) or [args.file]
    refuse_overwriting({"-o": args.output}, [*read, args.rule])
    refuse_ending("-o", args.output, (".csv", ".parquet", ".jsonl"))
    with written_by(RULE_WRITER):
        rule = load_rule(args.rule)
    done, batch = (_streamed if is_far(args.file, args.engine) else _read)(rule, args)
    if batch is not None:
        done["capacity"] = [limit_record(each) for each in batch.limits]
    if done["outside"]:
        low, high = rule.score_range or (0.0, 1.0)
        warn(
            f"{grouped(done['outside'])} of {grouped(done['rows'])} scores lie outside the range "
            f"that the rule was learnt on, {low:.3g} to {high:.3g}."
        )
    left = sum(done["undecided"].values())
    if left:
        parts = ", ".join(f"{why} in {grouped(n)}" for why, n in done["undecided"].items())
        rows = "1 row is" if done["rows"] == 1 else f"{grouped(done['rows'])} rows are"
        warn(f"{grouped(left)} of {rows} not decided: {parts}.")
    if args.json and args.output:
        print_json({**done, "rule": str(rule), "model": rule.model, "output": args.output})
    elif args.output and not args.quiet:
        _say(done, rule, args.output, batch)
    return EXIT_OK


def _say(done: dict[str, Any], rule: DecisionRule, output: str, batch: Any) -> None:
    """Print what was done, and what each limit costs."""
    from stakes.cli.show.terminal import print_wrapped
    from stakes.messages.audience import shown
    from stakes.messages.quantities import grouped
    from stakes.resources.model_capacity import limit_in_words
    from stakes.rules.rule_words import model_in_words

    model = model_in_words(rule)
    whose = "" if model is None else f" by the rule of {shown(model)}"
    how = str(rule) if batch is None else "within limits"
    rows = "1 row" if done["rows"] == 1 else f"{grouped(done['rows'])} rows"
    print(f"decided {rows}{whose} ({how}): {output}")
    cases = done["rows"] - sum(done["undecided"].values())
    for each in () if batch is None else batch.limits:
        said = limit_in_words(each, cases, rule.application.unit, model)
        print_wrapped(said, first="- ", rest="  ")


def _names(
    rule: DecisionRule, args: argparse.Namespace, known: Sequence[str] | None
) -> tuple[str, ...]:
    """The columns of the scores; `known` are those of the table, if they can be listed."""
    from stakes.cli.columns_typed import columns_typed
    from stakes.rules.rule_sql import score_columns

    return score_columns(rule, columns_typed(args.columns, rule, known) or None)


def _refuse_unnamed(table: Table) -> None:
    """Raise for arrays of two dimensions: their columns have no names."""
    from stakes.exceptions import DataError

    for name, array in table.matrices.items():
        raise DataError(
            f"{table.source} holds an array of {array.shape[1]} columns without names, '{name}'.",
            hint="save a table with named columns, such as CSV; or in Python:  rule.decide(array)",
        )


def _read(rule: DecisionRule, args: argparse.Namespace) -> tuple[dict[str, Any], Any]:
    """Rows read into memory, decided by NumPy and written at once."""
    import numpy as np

    from stakes import _files
    from stakes.engines.batch_capacity import limited_batch
    from stakes.engines.decided_frame import arrays_decided, arrays_read, in_narrow_type
    from stakes.engines.undecided_rows import (
        counted_faults,
        refuse_names,
        refuse_taken,
        refuse_undecided,
    )
    from stakes.rules.decided_rows import REASON
    from stakes.rules.rule_sql import read_columns
    from stakes.sources.json_lines import names_of
    from stakes.sources.table_file import read_table
    from stakes.sources.table_output import csv_of, json_lines_of, parquet_of

    table = read_table(args.file, new=True, copied=True)
    _refuse_unnamed(table)
    names = _names(rule, args, table.names)
    marked = args.on_error == "column"
    refuse_names(rule, table.names, names, marked=marked)
    refuse_taken(names_of(table.lines), marked=marked)
    rule = in_narrow_type(rule, [table.cells(name).dtype for name in names])
    never = names if rule.scores != "decision" else ()  # columns without truth values
    read = {name: _numbers(table, name, marked, never) for name in read_columns(rule, names)}
    scores, costs = arrays_read(rule, read, names)
    batch = None if args.capacity is None else limited_batch(rule, scores, costs, args.capacity)
    priced, codes = (rule, None) if batch is None else (batch.rule, batch.codes)
    columns, found, outside = arrays_decided(priced, scores, costs, codes)
    undecided = counted_faults(found)
    if not marked:
        bad = np.flatnonzero(found >= 0)
        refuse_undecided(undecided, table.n_rows, int(bad[0]) + 1 if bad.size else None)
        columns.pop(REASON)
    ending = Path(args.output or "").suffix.lower()
    done = {"rows": table.n_rows, "outside": outside, "undecided": undecided}
    if ending == ".parquet":
        _files.write_whole(Path(args.output), parquet_of(args.file, table, columns, read))
        return done, batch
    lines = ending == ".jsonl" or (not args.output and table.form == "JSON lines")
    text = (json_lines_of if lines else csv_of)(table, columns, read)
    if args.output:
        _files.write_whole(Path(args.output), text.encode("utf-8"))
    else:
        printing_is_the_output()
        print(text, end="")
    return done, batch


def _numbers(table: Any, name: str, marked: bool, never: Sequence[str]) -> Any:
    """A column as numbers; where rows may be marked, nothing for text that is none.

    Columns that `never` hold truth values have no number for one.
    """
    import numpy as np

    from stakes.exceptions import DataError, StakesError
    from stakes.messages.quantities import grouped

    cells = table.cells(name)
    odd = cells.dtype.kind in "bO" and name in never
    truths = [row for row, cell in enumerate(cells.tolist()) if odd and isinstance(cell, bool)]
    try:
        if truths:
            where = f"row {grouped(truths[0] + 1)} holds a truth value"
            many = f"({grouped(len(truths))} of {grouped(table.n_rows)} rows)"
            said = f"column '{name}' must hold numbers; {where} {many}."
            raise DataError(said, rows=truths[:10], code="text-for-numbers")
        return table.numbers(name)
    except StakesError as error:
        if not marked:
            text = error.code == "text-for-numbers"
            hint = "--on-error column  decides the other rows" if text else error.hint
            raise DataError(error.message, hint=hint, rows=error.rows) from None
    found = np.full(table.n_rows, np.nan)
    for k in sorted({*range(table.n_rows)} - {*truths}):
        with suppress(StakesError):
            found[k] = table.as_numbers(cells[k : k + 1], name)[0]
    return found


def _streamed(rule: DecisionRule, args: argparse.Namespace) -> tuple[dict[str, Any], Any]:
    """Rows that DuckDB reads, decides and writes, or hands to NumPy batch by batch."""
    from stakes._files import is_device, refuse_unwritable, whole_file
    from stakes.cli.show.progress import attended
    from stakes.engines.decided_stream import write_decided
    from stakes.exceptions import DataError
    from stakes.sources.file_columns import columns_alike
    from stakes.sources.patterns import found_files
    from stakes.sources.source import is_unnamed, opened

    if not args.output:
        or_memory = "" if is_unnamed(args.file) else ", or --engine memory"
        raise DataError(
            "what is streamed needs a file to be written.", hint=f"-o decided.parquet{or_memory}"
        )
    output = Path(args.output)
    refuse_unwritable(output)
    if is_device(output):
        raise DataError(f"'{output}' is no file that can be streamed into.")
    on_error = "column" if args.on_error == "column" else "raise"
    ending = output.suffix.lower() or ".csv"
    files = found_files(args.file, new=True)
    there = columns_alike(files, alone=not is_unnamed(args.file))
    names = _names(rule, args, there)
    types = _types(rule, files, there, names, marked=on_error == "column")
    with (
        _helped(files),
        opened(files, "duckdb", args.memory, types) as source,
        whole_file(output) as temporary,
    ):
        found = attended(
            lambda: write_decided(
                rule,
                source.frame,
                temporary,
                ending,
                on_error=on_error,
                columns=names,
                capacity=args.capacity,
            ),
            "deciding",
            progress=source.progress,
            begin=source.begin,
            stop=source.stop,
            quiet=args.quiet,
        )
    done = {"rows": found.rows, "outside": found.outside, "undecided": found.undecided}
    return done, found.batch


@contextmanager
def _helped(files: Files) -> Iterator[None]:
    """Say what to type if text stands among numbers, or numbers that are written otherwise."""
    from stakes.exceptions import DataError, StakesError
    from stakes.sources.far.opened_files import odd_cell, written_otherwise
    from stakes.sources.source import is_unnamed

    alone, near = not is_unnamed(files.said), "://" not in files.said
    try:
        yield
    except StakesError as error:
        if error.code not in ("text-for-numbers", "number-written-otherwise"):
            raise
        cause = error.__cause__
        found = odd_cell(cause) if isinstance(cause, Exception) else None
        said = written_otherwise(files, found[1]) if found else ""
        if said or error.code == "number-written-otherwise":
            hint = "name the files one by one, with  --engine memory" if near else error.hint
            hint = "--engine memory  reads each column by itself" if alone else hint
        elif alone:
            hint = "--engine memory --on-error column  decides the other rows"
        else:
            raise
        raise DataError(f"{error.message.removesuffix('.')}{said}.", hint=hint) from None


def _types(
    rule: DecisionRule,
    files: Files,
    there: Sequence[str] | None,
    names: Sequence[str],
    *,
    marked: bool,
) -> dict[str, str]:
    """How columns of CSV files are read: numbers for the rule, and text, which stays as it is."""
    from stakes.engines.undecided_rows import refuse_names
    from stakes.rules.rule_sql import read_columns
    from stakes.sources.file_columns import refuse_ambiguous
    from stakes.sources.source import is_unnamed

    types = dict.fromkeys(read_columns(rule, names), "number")
    if there is None:
        return types
    refuse_ambiguous(files, there, alone=not is_unnamed(files.said))
    keys = files.folder_keys if files.hive else set()
    refuse_names(rule, [*there, *keys], names, marked=marked, folded=True)
    return dict.fromkeys(there, "text") | types
