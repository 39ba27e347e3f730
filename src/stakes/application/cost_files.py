"""Read and write files of costs, and their CSV form: a table with names on both sides."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stakes._checks import of_kind
from stakes._columns import in_brief
from stakes._files import as_path, write_whole
from stakes._names import as_names
from stakes.application.application import Application, as_application
from stakes.application.cost_matrix import CostMatrix
from stakes.application.cost_sentences import name_text
from stakes.application.toml_reader import costs_from_toml, uncertain_costs_from_toml
from stakes.application.toml_text import (
    complete,
    costs_to_toml,
    located,
    number_text,
    read_names,
    read_settings,
    settings,
    toml_value,
)
from stakes.application.uncertain import UncertainApplication
from stakes.exceptions import FormatError
from stakes.messages.audience import either
from stakes.typing import Name

_NOTE = re.compile(r"#\s*(unit|volume|period|priors|outcomes|decisions)\s*=")
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def costs_from_csv(text: str, *, source: str = "costs", delimiter: str = ",") -> Application:
    """Read an application from CSV text with names on both sides.

    Parameters
    ----------
    text : str
        The top-left cell is ``truth`` (each row is a true class) or ``decision`` (each row
        is a decision); the other headers are the names of the other side. An empty cell
        means 0 only where truth and decision have the same name.
    source : str
        What error messages call the text, usually the path.
    delimiter : str
        What separates the cells.

    Returns
    -------
    Application
        A header that is a plain integer is an integer name, everything else is text.

    Notes
    -----
    Lines before the header that start with ``#`` are notes. Those of the form
    ``# unit = "EUR"`` (also `volume`, `period`, `priors`, and `outcomes`, `decisions` for
    names that are not what they look like) are read as TOML, the others are left alone.

    Examples
    --------
    >>> app = costs_from_csv('''truth,ignore,call
    ... stay,0,4
    ... churn,40,0
    ... ''')
    >>> app.costs.cost("churn", "ignore")
    40.0
    """
    of_kind(text, "text", str)
    _one_sign(delimiter)
    with located(source):
        stream = io.StringIO(text.removeprefix("\ufeff"), newline="")
        notes, skipped = _notes(stream, delimiter)
        rows = _rows(stream, delimiter, skipped)
        side = _oriented(rows)
        heads = [cells[0] for _, cells in rows[1:]]
        columns = rows[0][1][1:]
        texts = (heads, columns) if side == "truth" else (columns, heads)
        classes = _names(texts[0], notes, "outcomes")
        decisions = _names(texts[1], notes, "decisions")
        cells = {
            (i, j) if side == "truth" else (j, i): _number(cell, line, columns[j])
            for i, (line, row) in enumerate(rows[1:])
            for j, cell in enumerate(row[1:])
            if cell
        }
        values = complete(cells, classes, decisions)
        costs = CostMatrix(values, classes=classes, decisions=decisions)
        return Application(costs, **read_settings(notes, classes))


def costs_to_csv(application: Application | CostMatrix, *, delimiter: str = ",") -> str:
    """Write an application as CSV text that `costs_from_csv` reads back without loss.

    Parameters
    ----------
    application : Application or CostMatrix
        What to write.
    delimiter : str
        What separates the cells.

    Returns
    -------
    str
        Rows are true classes. Unit, volume, period and priors are notes above the table.

    Examples
    --------
    >>> costs = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"],
    ...                    decisions=["ignore", "call"])
    >>> print(costs_to_csv(Application(costs, unit="EUR")))
    # unit = "EUR"
    truth,ignore,call
    stay,0,4
    churn,40,0
    <BLANKLINE>
    """
    _one_sign(delimiter)
    app = as_application(application)
    costs = app.costs
    notes = settings(app)
    for key, names in (("outcomes", costs.classes), ("decisions", costs.decisions)):
        read = [_name(_seen(name)) for name in names]
        if list(map(repr, read)) != list(map(repr, names)) or "" in names:
            notes[key] = names
    lines = [f"# {key} = {toml_value(value)}" for key, value in notes.items()]
    table = [["truth", *map(name_text, costs.decisions)]]
    rows = zip(costs.classes, costs.values.tolist(), strict=True)
    table += [[name_text(truth), *map(number_text, row)] for truth, row in rows]
    lines += [delimiter.join(_quoted(cell, delimiter) for cell in row) for row in table]
    return "\n".join(lines) + "\n"


# ----------------------------------------------------------------- privates


def _one_sign(delimiter: Any) -> None:
    """Raise unless the delimiter is one character that is no quote, space or line end."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n ':
        raise FormatError(f"`delimiter` must be one character; got {in_brief(delimiter)}.")


def _quoted(cell: str, delimiter: str) -> str:
    """A cell, in quotes where it must be."""
    plain = cell == cell.strip() and not set(cell) & {delimiter, '"', "\n", "\r"} and cell
    return cell if plain and cell[0] != "#" else '"' + cell.replace('"', '""') + '"'


def _seen(name: Name) -> str:
    """A name as the reader will see it: without space around it."""
    return name_text(name).strip()


def _name(text: str) -> Name:
    """A header as a name: plain integers are integers."""
    return int(text) if _INTEGER.fullmatch(text) else text


def _notes(stream: io.StringIO, delimiter: str) -> tuple[dict[str, Any], int]:
    """The notes above the table, and how many lines they take; the stream is left after them."""
    notes: dict[str, Any] = {}
    count = 0
    while True:
        start = stream.tell()
        line = stream.readline()
        if line.startswith('"#'):  # a spreadsheet has quoted it
            line = delimiter.join(next(csv.reader([line], delimiter=delimiter)))
        if not line or (line.strip() and not line.startswith("#")):
            stream.seek(start)
            return notes, count
        count += 1
        note = line.strip().rstrip(delimiter)
        if _NOTE.match(note):
            try:
                found = tomllib.loads(note.lstrip("# \t"))
            except (ValueError, RecursionError) as error:
                raise FormatError(
                    f"line {count}: {note!r} is not `name = value` as in TOML: {error}."
                ) from error
            repeated = [key for key in found if key in notes]
            if repeated:
                raise FormatError(f"line {count}: `{repeated[0]}` is given twice.")
            notes |= found


def _rows(stream: io.StringIO, delimiter: str, skipped: int) -> list[tuple[int, list[str]]]:
    """The rows that hold anything, with their line numbers; all as long as the header."""
    reader = csv.reader(stream, delimiter=delimiter, skipinitialspace=True, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((skipped + reader.line_num, cells))
    except csv.Error as error:
        raise FormatError(f"line {skipped + reader.line_num}: {error}.") from error
    if len(rows) < 2:
        raise FormatError(
            "a header line and at least one row of costs expected; got "
            f"{len(rows)} line{'' if len(rows) == 1 else 's'}.",
            hint="truth,ignore,call as the first line, then stay,0,4 and so on",
        )
    header, width = rows[0][1], len(rows[0][1])
    for other, spoken in ((",", "commas"), (";", "semicolons"), ("\t", "tabs")):
        if width == 1 and other != delimiter and other in header[0]:
            raise FormatError(
                f"the cells are separated by {spoken}, not by {delimiter!r}.",
                hint="save the table with commas as .csv, or with tabs as .tsv",
            )
    for line, cells in rows:
        if len(cells) != width:
            raise FormatError(f"line {line} has {len(cells)} cells, the header has {width}.")
    return rows


def _oriented(rows: list[tuple[int, list[str]]]) -> str:
    """What the rows are: 'truth' or 'decision', as the top-left cell says."""
    (_, header), *body = rows
    corner = header[0].lower()
    if corner in ("truth", "decision") and len(header) > 1:
        return corner
    found, also = "there are only numbers", ", and the names"
    if not all(_NUMBER.fullmatch(cell) for _, row in rows for cell in row):
        heads, columns = _headed([row[0] for _, row in body]), _headed(header[1:])
        found, also = f"rows are headed {heads} and columns {columns}", ""
    raise FormatError(
        f"{found} - I need to know which side is the truth{also}.",
        hint="Put 'truth' in the top-left cell if rows are the truth, 'decision' if rows are the "
        "decision.",
    )


def _headed(names: Sequence[str]) -> str:
    """Names joined by commas, the first ones if there are many."""
    return ",".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _names(texts: Sequence[str], notes: dict[str, Any], key: str) -> tuple[Name, ...]:
    """The names of one side: as its headers look, or as a note spells them out."""
    if key not in notes:
        if "" in texts:
            raise FormatError(f"every one of the {key} must have a name; got {list(texts)}.")
        return as_names([_name(text) for text in texts], key, FormatError)
    names = read_names(notes, key)
    if [_seen(name) for name in names] != list(texts):
        raise FormatError(
            f"the note `{key}` lists {_headed([_seen(n) for n in names])}, the table has "
            f"{_headed(texts)}."
        )
    return names


def _number(cell: str, line: int, column: str) -> float:
    """A finite number, written plainly."""
    at = f"line {line}, column {column!r}"
    if not _NUMBER.fullmatch(cell):
        raise FormatError(
            f"{at}: {cell!r} is not a number.",
            hint="write it plainly, with a point for decimals: 1234.5" if "," in cell else None,
        )
    if abs(float(cell)) > sys.float_info.max:
        raise FormatError(f"{at}: {cell!r} is too large.")
    return float(cell)


_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_costs(path: str | os.PathLike[str]) -> Application:
    r"""Read what is at stake from a TOML, CSV or TSV file.

    Nothing is guessed: a cost that is left out is an error unless truth and decision have
    the same name, and a table must say which side is the truth.

    Parameters
    ----------
    path : str or path
        Ends in ``.toml`` (see `costs_from_toml`), ``.csv`` or ``.tsv`` (see
        `costs_from_csv`). UTF-8, with or without a byte order mark, any line ends.

    Returns
    -------
    Application
        The costs, and the priors, unit, volume and period if the file has them.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "costs.toml")
    ...     _ = path.write_text("fn = 40\nfp = 4")
    ...     read_costs(path).costs.values
    array([[ 0.,  4.],
           [40.,  0.]])
    """
    suffix = _suffix(as_path(path))
    text = file_text(path)
    if suffix == ".toml":
        return costs_from_toml(text, source=str(path))
    return costs_from_csv(text, source=str(path), delimiter=_DELIMITERS[suffix])


def read_uncertain_costs(path: str | os.PathLike[str]) -> UncertainApplication:
    r"""Read what is at stake from a TOML file in which costs may be ranges.

    Parameters
    ----------
    path : str or path
        Ends in ``.toml``; see `uncertain_costs_from_toml`.

    Returns
    -------
    UncertainApplication
        Each range ``[low, high]`` is a `Between`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "costs.toml")
    ...     _ = path.write_text("fn = [5, 20]\nfp = 1")
    ...     len(read_uncertain_costs(path).corners())
    2
    """
    if _suffix(as_path(path)) != ".toml":
        raise FormatError(f"{path}: ranges of costs are read from a .toml file.")
    return uncertain_costs_from_toml(file_text(path), source=str(path))


def write_costs(
    application: Application | UncertainApplication | CostMatrix, path: str | os.PathLike[str]
) -> None:
    """Write what is at stake to a file that `read_costs` reads back without loss.

    The file is either written whole or left as it was: the text goes to a temporary file in
    the same folder, which then takes the place of the old one.

    Parameters
    ----------
    application : Application, UncertainApplication or CostMatrix
        What to write; ranges of costs go to TOML, for `read_uncertain_costs`.
    path : str or path
        Ends in ``.toml``, ``.csv`` or ``.tsv``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> costs = CostMatrix.zero_one(["no", "yes"]).with_abstention(0.2, name="ask a person")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_costs(costs, pathlib.Path(folder, "costs.csv"))
    ...     read_costs(pathlib.Path(folder, "costs.csv")).costs == costs
    True
    """
    suffix = _suffix(as_path(path))
    if suffix == ".toml":
        text = costs_to_toml(application)
    elif isinstance(application, UncertainApplication):
        raise FormatError(f"{path}: costs that are ranges are written to a .toml file.")
    else:
        text = costs_to_csv(application, delimiter=_DELIMITERS[suffix])
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(
            f"{path}: the character {error.object[error.start]!r} of a name cannot be written "
            "as UTF-8."
        ) from error
    write_whole(as_path(path), content)


def file_text(path: str | os.PathLike[str]) -> str:
    """The file as text; a byte order mark is left out."""
    try:
        return as_path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: not UTF-8 text; byte {error.start} is {error.object[error.start]:#04x}.",
            hint="save the file again with the encoding UTF-8",
        ) from error


def _suffix(path: Path) -> str:
    """The ending of a file name; raise if it is none that costs are kept in."""
    suffix = path.suffix.lower()
    if suffix != ".toml" and suffix not in _DELIMITERS:
        if "=" in path.name:
            typed = path.name.replace(",", " ")
            raise FormatError(
                f"{path.name} states costs and names no file.",
                hint=either('costs={"fn": 10, "fp": 1}', f"--cost {typed}"),
            )
        raise FormatError(
            f"{path}: the ending of the name must tell the form of the costs; got {suffix!r}.",
            hint="name it .toml, .csv or .tsv; a .toml may hold two lines:  fn = 10  and  fp = 1",
        )
    return suffix
