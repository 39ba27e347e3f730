"""Costs in files: read and written as TOML or CSV, by the name of the file."""

from __future__ import annotations

import os
from pathlib import Path

from stakes._files import write_whole
from stakes.application.application import Application
from stakes.application.cost_csv import costs_from_csv, costs_to_csv
from stakes.application.cost_matrix import CostMatrix
from stakes.application.toml_reader import costs_from_toml, uncertain_costs_from_toml
from stakes.application.toml_text import costs_to_toml
from stakes.application.uncertain import UncertainApplication
from stakes.exceptions import FormatError

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
    suffix = _suffix(Path(path))
    text = _text(path)
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
    if _suffix(Path(path)) != ".toml":
        raise FormatError(f"{path}: ranges of costs are read from a .toml file.")
    return uncertain_costs_from_toml(_text(path), source=str(path))


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
    suffix = _suffix(Path(path))
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
    write_whole(Path(path), content)


def _text(path: str | os.PathLike[str]) -> str:
    """The file as text; a byte order mark is left out."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: not UTF-8 text; byte {error.start} is {error.object[error.start]:#04x}.",
            hint="save the file again with the encoding UTF-8",
        ) from error


def _suffix(path: Path) -> str:
    """The form, by the end of the name."""
    suffix = path.suffix.lower()
    if suffix != ".toml" and suffix not in _DELIMITERS:
        raise FormatError(
            f"{path}: the form of the costs is told by the end of the name; got {suffix!r}.",
            hint="name it .toml, .csv or .tsv",
        )
    return suffix
