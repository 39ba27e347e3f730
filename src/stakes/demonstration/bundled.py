"""Where the bundled files are."""

from __future__ import annotations

from pathlib import Path

from stakes.exceptions import DataError

__all__ = ["example_path"]

FOLDER = Path(__file__).parent / "data"


def example_path(name: str) -> Path:
    """The path of a bundled example file.

    Parameters
    ----------
    name : str
        ``churn.csv``, ``pets.csv``, ``pets-costs.toml`` or ``loans.csv``.

    Returns
    -------
    pathlib.Path
        A file that exists.

    Examples
    --------
    >>> example_path("churn.csv").name
    'churn.csv'
    """
    path = FOLDER / name
    if Path(name).name != name or not path.is_file():
        known = ", ".join(sorted(each.name for each in FOLDER.iterdir()))
        raise DataError(f"there is no example {name!r}.", hint=f"there are {known}")
    return path
