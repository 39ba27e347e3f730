"""Reading saved calibrators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stakes.calibration.calibrator import Calibrator
from stakes.exceptions import FormatError

__all__ = ["load", "read_saved"]


def load(path: str | Path) -> Calibrator:
    """Read a calibrator that `save` wrote; no code is executed.

    Parameters
    ----------
    path : str or Path
        A JSON file.

    Returns
    -------
    Calibrator
        Fitted, ready for `posteriors`.

    Examples
    --------
    >>> import tempfile
    >>> from stakes.calibration import Temperature
    >>> fitted = Temperature().fit([[2.0, 0.0], [0.0, 2.0], [1.0, 0.0]], [0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fitted.save(Path(folder) / "calibrator.json")
    ...     again = load(Path(folder) / "calibrator.json")
    >>> again.posteriors([[3.0, 0.0]]) == fitted.posteriors([[3.0, 0.0]])
    array([[ True,  True]])
    """
    return Calibrator.from_dict(read_saved(path))


def read_saved(path: str | Path) -> dict[str, Any]:
    """What a file of a calibrator holds, as plain values."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise FormatError(f"{path} is not JSON: {error}.") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path} is not a saved calibrator.") from None
    if not isinstance(saved, dict):
        raise FormatError(f"{path} is not a saved calibrator.")
    return saved
