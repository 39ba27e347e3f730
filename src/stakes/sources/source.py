"""Source: where the rows of the cases lie, in memory or in files that an engine counts."""

from __future__ import annotations

import glob
import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw

from stakes._checks import of_kind
from stakes._files import as_path
from stakes.exceptions import DataError
from stakes.sources.patterns import Files, form_of, found_files, several_words
from stakes.sources.table import Table, table_of_columns
from stakes.sources.table_file import read_table

if TYPE_CHECKING:
    from stakes.sources.far.opened_files import Opened

#: A single file of at least so many bytes is counted where it lies, not read into memory.
_LARGE = 1_000_000_000


# In memory, or where they are: docs/design/files.md.
def is_far(file: Any, engine: str | None = None, *, rows_needed: bool = False) -> bool:
    """Whether rows are to be counted where they lie instead of read into memory.

    Where rows are needed, only what cannot be read as one file is.
    """
    if file is None or (isinstance(file, str) and file == "-"):
        return False
    of_kind(file, "file", str)
    if engine is not None:
        of_kind(engine, "engine", str)
    if engine or "://" in file:
        return True
    if words := several_words(file):  # read together, unless one of them or all are far
        large = sum(_size(word) for word in words) >= _LARGE
        return large or any(is_far(word) for word in words)
    path = as_path(file)
    if path.is_dir() or form_of(file) == "arrow" or (glob.has_magic(file) and not path.exists()):
        return True
    if rows_needed:
        return False
    large = form_of(file) is not None and _size(file) >= _LARGE
    return large and importlib.util.find_spec("duckdb") is not None


def _size(file: str) -> int:
    """Bytes of a file; 0 where it is none."""
    path = as_path(file)
    return path.stat().st_size if path.is_file() else 0


@contextmanager
def opened(
    files: Files, engine: str, memory: str, types: Mapping[str, str] | None = None
) -> Iterator[Opened]:
    """The files as a frame; `types` says which columns of CSV files are "text" or "number"."""
    module = importlib.import_module(f"stakes.sources.far.{engine}_files")  # when it is needed
    with getattr(module, f"with_{engine}")(files, memory, dict(types or {})) as found:
        yield found


@dataclass(frozen=True, slots=True)
class FarFiles:
    """Rows that stay where they are: files of one form, and the engine that counts them."""

    files: Files
    engine: str = "duckdb"
    memory: str = "2GB"

    @property
    def source(self) -> str:
        """How the files are called in a sentence."""
        return self.files.title

    @property
    def is_far(self) -> bool:
        """Yes: the rows stay where they are."""
        return True

    @property
    def form(self) -> str:
        """What the files are."""
        return self.files.form

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, of which none is read."""
        with self.opened() as found:
            return tuple(nw.from_native(found.frame).collect_schema().names())

    @contextmanager
    def opened(self, types: Mapping[str, str] | None = None) -> Iterator[Opened]:
        """The files as a lazy frame of their engine."""
        with opened(self.files, self.engine, self.memory, types) as found:
            yield found


#: Anything that has rows with named columns.
Source = Table | FarFiles


def read(said: str, *, engine: str | None = None, memory: str = "2GB") -> Source:
    r"""The rows of a file, or of the files that a pattern, a folder or an address stands for.

    One file is read into memory; what is more, or larger than a gigabyte, stays where it is and
    is counted by an engine.

    Parameters
    ----------
    said : str
        A file of any kind that ``stakes eval --help`` names, Arrow, or a list of trials with
        scores; ``"lake/year=*/*.parquet"``, a folder, ``"s3://bucket/*.parquet"``, or ``"-"`` for
        CSV on standard input.
    engine : {"duckdb", "polars", "spark"}, optional
        Who counts; naming one leaves the rows where they are.
    memory : str
        How much of it DuckDB may take.

    Returns
    -------
    Table or FarFiles
        For `stakes.evaluate_frame`, or for an `Inquiry` as its `source`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "day.csv")
    ...     _ = file.write_text("truth,p\nyes,0.8\nno,0.1\n")
    ...     rows = read(str(file))
    >>> rows.names, rows.n_rows
    (('truth', 'p'), 2)
    """
    if is_far(said, engine):
        return FarFiles(found_files(said), engine or "duckdb", memory)
    return read_table(said)


def from_frame(frame: Any, name: str = "the frame") -> Table:
    """The rows of a data frame in memory (pandas, Polars, pyarrow), as those of a file are.

    Parameters
    ----------
    frame : data frame
        Eager; one that is lazy goes to `stakes.evaluate_frame` as it is.
    name : str
        What to call it.

    Returns
    -------
    Table
        The same columns.
    """
    try:
        rows = nw.from_native(frame, eager_only=True)
    except TypeError:
        lazy = "stakes.evaluate_frame(frame, ...), which counts them where they are"
        hint = f"a data frame, such as pandas.DataFrame(rows); lazy ones go to {lazy}"
        message = f"rows in memory are needed; got {type(frame).__name__}."
        raise DataError(message, hint=hint) from None
    if not len(rows):
        raise DataError(f"{name} has no rows.", hint="I need one row per case")
    columns = {str(column): rows[column].to_numpy() for column in rows.columns}
    return table_of_columns(name, columns, "data frame")
