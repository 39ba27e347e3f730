"""The kinds of files that are read into memory, with the module that reads each.

Nothing is loaded here, so that the help of a command can list the file endings cheaply.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stakes.exceptions import FormatError

if TYPE_CHECKING:
    from stakes.sources.table import Table


class Format(NamedTuple):
    """A kind of file, which a module of this room reads.

    Its ``read(data, name)`` turns bytes into a `Table`. If the first bytes do not tell the kind,
    its ``fits(data, name)`` tells whether these bytes are of that kind.

    Parameters
    ----------
    module : str
        In `stakes.sources`.
    endings : tuple of str
        Usual endings of file names, for help texts; the bytes decide.
    begins : tuple of bytes
        The possible first bytes of such a file.
    """

    module: str
    endings: tuple[str, ...] = ()
    begins: tuple[bytes, ...] = ()

    def fits(self, data: bytes, name: str) -> bool:
        """Whether the bytes are of this kind."""
        if self.begins:
            return data.startswith(self.begins)
        return bool(self._loaded().fits(data, name))

    def read(self, data: bytes, name: str) -> Table:
        """The bytes as a table."""
        found: Table = self._loaded().read(data, name)
        return found

    def _loaded(self) -> Any:
        """The module, loaded only when a file may need it."""
        return import_module(f"stakes.sources.{self.module}")


HDF5 = Format("hdf5", (".h5",), (b"\x89HDF\r\n\x1a\n",))
#: In the order in which they are tried; the last one takes every text.
FORMATS = (
    Format("array_files", (".npy", ".npz"), (b"\x93NUMPY", b"PK\x03\x04")),
    Format("parquet", (".parquet",), (b"PAR1",)),
    HDF5,
    Format("arff", (".arff",)),
    Format("json_lines", (".jsonl", ".ndjson")),
    Format("trial_lists"),  # lists of trials may have any ending
    Format("delimited", (".csv", ".tsv")),
)
#: Endings of files that run code when they are opened; they are never read.
_UNSAFE = {".pt", ".pth", ".pkl", ".pickle", ".joblib"}


def refuse_unsafe(file: Path) -> None:
    """Raise for a file that could run code."""
    if file.suffix.lower() in _UNSAFE:
        why = f"I do not open {file.suffix} files, because opening one runs the code in it"
        hint = "save the arrays instead:  numpy.savez('scores.npz', p=p, y=y)"
        raise FormatError(f"{file.name}: {why}.", hint=hint)


def format_of(data: bytes, name: str) -> Format:
    """The kind of a file, by its bytes."""
    return next(each for each in FORMATS if each.fits(data, name))


def endings() -> list[str]:
    """What the names of files may end in, plain text first."""
    return [ending for each in (FORMATS[-1], *FORMATS[:-1]) for ending in each.endings]
