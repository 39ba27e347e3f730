"""Files to columns: CSV, TSV, gz, npy, npz, Parquet, HDF5, lists, or CSV on standard input."""

from __future__ import annotations

import difflib
import gzip
import hashlib
import io
import shlex
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._optional import load
from stakes.exceptions import DataError, FormatError
from stakes.messages.quantities import grouped
from stakes.sources.arff import is_arff, parse_arff
from stakes.sources.cells import Labels, as_labels, as_numbers
from stakes.sources.delimited import DELIMITERS, parse
from stakes.sources.hdf5 import hdf5_arrays, hdf5_list, is_hdf5
from stakes.sources.speech import List, is_list, lone_half, read_list

#: What flowed through pipes, by where these are.
_PIPES: dict[tuple[int, int], bytes] = {}
#: Endings of files that run code when they are opened.
_UNSAFE = {".pt", ".pth", ".pkl", ".pickle", ".joblib"}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in memory: named columns of one file, cut out when they are asked for.

    Arrays of two dimensions (from .npy and .npz) are kept apart in `matrices`.
    """

    source: str
    n_rows: int
    names: tuple[str, ...]
    form: str
    digest: str
    getters: Sequence[Callable[[], NDArray[Any]]] = ()
    matrices: dict[str, NDArray[Any]] = field(default_factory=dict)
    decimal_comma: bool = False
    is_list: bool = False  # of keys, such as those of trials, and perhaps scores

    @property
    def is_far(self) -> bool:
        """No: the rows are here."""
        return False

    def cells(self, name: str) -> NDArray[Any]:
        """A column as it stands in the file."""
        return self.getters[self.position(name)]()

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as numbers, NaN where empty."""
        return as_numbers(self.cells(name), name, decimal_comma=self.decimal_comma)

    def labels(self, name: str) -> Labels:
        """A column as labels."""
        return as_labels(self.cells(name))

    def position(self, name: str) -> int:
        """Where a column stands, or an error that suggests one."""
        places = [i for i, other in enumerate(self.names) if other == name]
        if len(places) > 1:
            where = " and ".join(str(i + 1) for i in places)
            raise FormatError(
                f"{self.source}: columns {where} are both called '{name}'.",
                hint="give each column a name of its own in the header",
            )
        if not places:
            raise DataError(*self._absent(name))
        return places[0]

    def _absent(self, name: str) -> tuple[str]:
        """What to say about a column that is not there."""
        known = [*self.names, *self.matrices]
        message = f"{self.source} has no column '{name}'"
        folded = {other.lower(): other for other in known}
        near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.5)
        if near:
            message += f"; did you mean '{folded[near[0]]}'?"
        else:
            message += "."
        listed = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
        return (f"{message} It has: {listed}.",)


def read_table(path: str) -> Table:
    """The columns of a file; `-` is standard input."""
    data, name = read_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if data[:2] == b"\x1f\x8b":
        data = unzipped(data, name)
        name_inside = name.removesuffix(".gz")
    else:
        name_inside = name
    kind = _kind(data, name_inside, path)
    if kind == "npz":
        return _from_npz(data, name, digest)
    if kind == "npy":
        return _from_arrays({Path(name_inside).stem: _array(data, name)}, name, digest)
    if kind == "parquet":
        return _from_parquet(data, name, digest)
    if kind == "hdf5":
        return _from_hdf5(data, name, digest)
    if kind in ("arff", "list"):
        return _from_cells(data, name, digest, kind)
    names, n_rows, getters, delimiter = parse(data, name)
    if n_rows == 0:
        raise DataError(f"{name} has a header and no rows.", hint="I need one row per case")
    form = f"text, cells separated by {DELIMITERS[delimiter]}"
    return Table(name, n_rows, tuple(names), form, digest, getters, decimal_comma=delimiter == ";")


def table_of_columns(source: str, columns: Mapping[str, NDArray[Any]], form: str) -> Table:
    """A table from columns that are already there."""
    getters = [_getter(column) for column in columns.values()]
    size = len(next(iter(columns.values())))
    return Table(source, size, tuple(columns), form, "", getters)


def _from_cells(data: bytes, name: str, digest: str, kind: str) -> Table:
    """A table from a format whose cells are read at once."""
    if kind == "arff":
        names, cells = parse_arff(data, name)
        columns: dict[str, NDArray[Any]] = dict(zip(names, cells, strict=True))
        form = "attribute-relation file"
    else:
        return _from_list(read_list(data, name), digest)
    getters = [_getter(column) for column in columns.values()]
    size = len(next(iter(columns.values())))
    return Table(name, size, tuple(columns), form, digest, getters)


def _from_list(found: List, digest: str) -> Table:
    """A list with keys as a table."""
    assert found.keys is not None
    columns: dict[str, NDArray[Any]] = {"truth": found.keys}
    columns.update({f"name{k + 1}": column for k, column in enumerate(found.ids)})
    if found.scores is not None:
        columns["score"] = found.scores
    getters = [_getter(column) for column in columns.values()]
    form, names = f"list: {found.what}", tuple(columns)
    return Table(found.source, len(found.keys), names, form, digest, getters, is_list=True)


def _from_hdf5(data: bytes, name: str, digest: str) -> Table:
    """Trials with scores, or else the arrays of the file by name."""
    found = hdf5_list(data, name)
    if found is None:
        return _from_arrays(hdf5_arrays(data, name), name, digest)
    if found.keys is None or found.scores is None:
        what, other = ("trials", "scores") if found.scores is None else ("scores", "trials")
        raise FormatError(
            f"{name} holds {what} without {other}.",
            hint="stakes eval --trials KEY.h5 --scores SCORES.h5   (one file of scores per model)",
        )
    return _from_list(found, digest)


def read_array(path: str) -> NDArray[Any]:
    """One array from a .npy file."""
    data, name = read_bytes(path)
    return _array(data, name)


def read_bytes(path: str) -> tuple[bytes, str]:
    """The content of a file as it stands, and what to call it."""
    if path == "-":
        return sys.stdin.buffer.read(), "standard input"
    file = Path(path)
    if file.suffix.lower() in _UNSAFE:
        raise FormatError(
            f"{file.name}: I do not open {file.suffix} files, because opening one runs the code "
            "in it.",
            hint="save the arrays instead:  numpy.savez('scores.npz', p=p, y=y)",
        )
    if file.is_file() or not file.exists() or file.is_dir():
        return file.read_bytes(), file.name
    return _from_pipe(file), "the pipe"


def _from_pipe(file: Path) -> bytes:
    """The content of a pipe, as of ``<(zcat data.csv.gz)``, which is kept: it flows only once."""
    found = file.stat()
    key = (found.st_dev, found.st_ino)
    if key not in _PIPES:
        _PIPES[key] = file.read_bytes()
    return _PIPES[key]


def unzipped(data: bytes, name: str) -> bytes:
    """The content of a gz file."""
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{name}: the gz file is damaged ({error}).") from None


def _kind(data: bytes, name: str, path: str) -> str:
    """What the first bytes, or else the name, say the file is."""
    if data[:6] == b"\x93NUMPY":
        return "npy"
    if data[:4] == b"PAR1":
        return "parquet"
    if is_hdf5(data):
        return "hdf5"
    if data[:4] == b"PK\x03\x04" and name.lower().endswith(".npz"):
        return "npz"
    if data[:4] == b"PK\x03\x04" and name.lower().endswith((".xlsx", ".ods")):
        raise FormatError(f"{name} is a spreadsheet.", hint="save the sheet as CSV")
    if data[:4] == b"PK\x03\x04":
        raise FormatError(f"{name} is a zip file.", hint="unpack it, and give what was in it")
    if is_arff(data):
        return "arff"
    if is_list(data):
        return "list"
    half = lone_half(data)
    if half == "trials":
        raise FormatError(
            f"{name} is a list of trials without scores.",
            hint=f"stakes eval --trials {shlex.quote(path)} --scores SCORES.txt   "
            "(one file of scores per model)",
        )
    if half == "scores":
        raise FormatError(
            f"{name} is a list of scores without a word for which trials are targets.",
            hint=f"stakes eval --trials TRIALS.txt --scores {shlex.quote(path)}",
        )
    return "text"


def _array(data: bytes, name: str) -> NDArray[Any]:
    """One array; arrays of Python objects are refused, because loading them runs code."""
    try:
        return np.asarray(np.load(io.BytesIO(data), allow_pickle=False))
    except ValueError as error:
        raise FormatError(
            f"{name}: {error}.",
            hint="save numbers or strings, not Python objects",
        ) from None


def _from_npz(data: bytes, name: str, digest: str) -> Table:
    """The arrays of an npz file."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except ValueError as error:
        raise FormatError(
            f"{name}: {error}.", hint="save numbers or strings, not Python objects"
        ) from None
    return _from_arrays(arrays, name, digest)


def _from_arrays(arrays: dict[str, NDArray[Any]], name: str, digest: str) -> Table:
    """Arrays of one dimension as columns, of two as matrices."""
    columns = {key: array for key, array in arrays.items() if array.ndim == 1}
    matrices = {key: array for key, array in arrays.items() if array.ndim == 2}
    lengths = {key: array.shape[0] for key, array in {**columns, **matrices}.items()}
    if not lengths:
        raise FormatError(f"{name} holds no array of one or two dimensions.")
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{key} {grouped(length)}" for key, length in lengths.items())
        raise DataError(f"{name}: the arrays differ in their number of rows: {said}.")
    n_rows = next(iter(lengths.values()))
    if n_rows == 0:
        raise DataError(f"{name} has no rows.", hint="I need one row per case")
    getters = [_getter(array) for array in columns.values()]
    return Table(name, n_rows, tuple(columns), "NumPy arrays", digest, getters, matrices)


def _from_parquet(data: bytes, name: str, digest: str) -> Table:
    """The columns of a Parquet file."""
    pyarrow = load("pyarrow", extra="parquet")
    parquet = load("pyarrow.parquet", extra="parquet")
    try:
        table = parquet.read_table(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FormatError(
            f"{name}: the Parquet file is damaged ({said.rstrip('.')}).",
            hint="write or copy the file again",
        ) from None
    if table.num_rows == 0:
        raise DataError(f"{name} has columns and no rows.", hint="I need one row per case")
    getters = [_arrow_getter(column) for column in table.columns]
    names = tuple(table.column_names)
    return Table(name, table.num_rows, names, "Parquet", digest, getters)


def _getter(array: NDArray[Any]) -> Callable[[], NDArray[Any]]:
    """A function that returns an array that is already there."""
    return lambda: array


def _arrow_getter(column: Any) -> Callable[[], NDArray[Any]]:
    """A function that turns a column of Arrow into an array."""
    return lambda: np.asarray(column.to_numpy())
