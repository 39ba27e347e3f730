"""Source: where the rows are, in memory or in files that an engine counts."""

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
from stakes._columns import cells_of, columns_by_text
from stakes._files import as_path
from stakes._optional import load
from stakes.exceptions import DataError, MissingExtraError
from stakes.messages.quantities import grouped
from stakes.sources.count_files import SavedCounts, kept_in
from stakes.sources.patterns import Files, form_of, found_files, several_words
from stakes.sources.table import Table, table_of_columns
from stakes.sources.table_file import read_table

if TYPE_CHECKING:
    from stakes.sources.far.opened_files import Opened

#: From here on an engine takes about half the time and memory.
_MANY_ROWS, _MANY_BYTES = 500_000, 50_000_000
_ENGINES = ("duckdb", "polars", "spark")
#: The engine name that reads rows into memory.
MEMORY = "memory"


# In memory, or where they are: docs/design/files.md.
def is_far(file: Any, engine: str | None = None, *, rows_needed: bool = False) -> bool:
    """Whether an engine should count the rows in place instead of reading them into memory.

    With `rows_needed`, only if they cannot be read as one file.
    """
    _refuse_unknown(engine)
    if file is None or (isinstance(file, str) and file == "-"):
        return False
    of_kind(file, "file", str)
    if engine == MEMORY:
        _refuse_unnamed(file)
        return False
    if engine or is_unnamed(file):
        return True
    return not rows_needed and bool(size_words(file)) and has_duckdb()


def has_duckdb() -> bool:
    """Whether DuckDB is installed, which counts large files by default."""
    return importlib.util.find_spec("duckdb") is not None


def size_words(file: str) -> str:
    """The size of files that an engine counts faster than memory, in words; else empty."""
    words = several_words(file) or [file]
    forms = {form_of(word) for word in words}
    if forms == {"parquet"}:
        rows = sum(map(_rows_in, words))
        return f"{grouped(rows)} rows" if rows >= _MANY_ROWS else ""
    size = sum(path.stat().st_size for path in map(as_path, words) if path.is_file())
    return f"{size / 1e6:,.0f} MB" if forms == {"csv"} and size >= _MANY_BYTES else ""


def _rows_in(file: str) -> int:
    """The number of rows in a Parquet file's footer; 0 for other or damaged files."""
    try:
        pyarrow = load("pyarrow", extra="parquet")
        parquet = load("pyarrow.parquet", extra="parquet")
        return int(parquet.read_metadata(as_path(file)).num_rows)
    except MissingExtraError:
        return 0
    except (pyarrow.ArrowException, OSError, ValueError):  # reported when the file is read
        return 0


def is_unnamed(file: str) -> bool:
    """Whether this is a pattern, folder or address, or a form that only engines read."""
    if words := several_words(file):
        return any(map(is_unnamed, words))
    path = as_path(file)
    pattern = glob.has_magic(file) and not path.exists()
    return "://" in file or path.is_dir() or form_of(file) == "arrow" or pattern


def _refuse_unknown(engine: Any) -> None:
    """Raise for an unknown engine."""
    if engine is not None and of_kind(engine, "engine", str) not in (*_ENGINES, MEMORY):
        known = f"{', '.join(_ENGINES)} or {MEMORY}"
        raise DataError(f"the engine must be {known}; got {engine!r}.")


def _refuse_unnamed(file: str) -> None:
    """Raise for input that cannot be read into memory."""
    if is_unnamed(file):
        raise DataError(
            f"'{file}' is not read into memory: an engine reads patterns, folders, addresses and "
            "Arrow files.",
            hint="name the files one by one, or leave --engine memory out",
        )


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
    """Rows that stay in files of one form, and the engine that counts them."""

    files: Files
    engine: str = "duckdb"
    memory: str = "2GB"

    @property
    def source(self) -> str:
        """What a sentence calls the files."""
        return self.files.title

    @property
    def is_far(self) -> bool:
        """True: the rows stay in the files."""
        return True

    @property
    def form(self) -> str:
        """The form of the files."""
        return self.files.form

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, without reading any."""
        with self.opened() as found:
            return tuple(nw.from_native(found.frame).collect_schema().names())

    @contextmanager
    def opened(self, types: Mapping[str, str] | None = None) -> Iterator[Opened]:
        """The files as a lazy frame of their engine."""
        with opened(self.files, self.engine, self.memory, types) as found:
            yield found


#: Rows with named columns, or counts of rows.
Source = Table | FarFiles | SavedCounts


def read(said: str, *, engine: str | None = None, memory: str = "2GB") -> Source:
    r"""The rows of a file, or of the files that a pattern, a folder or an address matches.

    A named file is read into memory. An engine counts patterns, folders and addresses in place,
    and also large files: from half a million rows of Parquet or 50 MB of text.

    Parameters
    ----------
    said : str
        A file of any kind that ``stakes eval --help`` names, Arrow, or a list of trials with
        scores; ``"lake/year=*/*.parquet"``, a folder, ``"s3://bucket/*.parquet"``, or ``"-"`` for
        CSV on standard input. Or saved summaries, such as a folder with one for each day.
    engine : {"duckdb", "polars", "spark", "memory"}, optional
        The engine that counts the rows in place; ``"memory"`` reads them into memory.
    memory : str
        How much memory DuckDB may use.

    Returns
    -------
    Table, FarFiles or SavedCounts
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
    kept, rest = kept_in(of_kind(said, "said", str))
    if kept:
        return SavedCounts(tuple(kept), rest)
    if is_far(said, engine):
        return FarFiles(found_files(said), engine or "duckdb", memory)
    return read_table(said)


def from_frame(frame: Any, name: str = "the frame") -> Table:
    """The rows of a data frame in memory (pandas, Polars, pyarrow), as if read from a file.

    Parameters
    ----------
    frame : data frame
        An eager frame; pass a lazy one to `stakes.evaluate_frame`.
    name : str
        What to call it.

    Returns
    -------
    Table
        The same columns.
    """
    try:
        columns = columns_by_text(frame, "frame")
    except TypeError:
        lazy = "stakes.evaluate_frame(frame, ...), which counts them where they are"
        hint = f"a data frame, such as pandas.DataFrame(rows); lazy ones go to {lazy}"
        message = f"rows in memory are needed; got {type(frame).__name__}."
        raise DataError(message, hint=hint) from None
    if not any(map(len, columns.values())):
        raise DataError(f"{name} has no rows.", hint="I need one row per case")
    cells = {text: cells_of(column) for text, column in columns.items()}
    return table_of_columns(name, cells, "data frame")
