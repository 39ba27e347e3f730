"""Reading saved calibrators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stakes.calibration.calibrator import Calibrator
from stakes.calibration.savable import SEAL

__all__ = ["load", "read_saved"]


def load(path: str | Path) -> Calibrator:
    """Read a calibrator that `save` wrote; no code is executed.

    A file that was changed or cut off after it was written is refused: its checksum does not hold.

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
    """What a file of a calibrator holds, as plain values, if its checksum holds."""
    content = SEAL.opened(SEAL.parsed(Path(path).read_bytes(), str(path)), str(path))
    return {"format": SEAL.format, **content}
