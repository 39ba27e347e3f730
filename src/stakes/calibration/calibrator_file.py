"""Calibrators read from files, and unfitted ones as JSON types."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stakes._columns import in_brief
from stakes._files import as_path
from stakes.application import Application, CostMatrix
from stakes.calibration.calibrator import Calibrator, as_calibrator
from stakes.calibration.calibrator_json import SEAL, every_kind, jsonable
from stakes.calibration.labelled_scores import Aim
from stakes.exceptions import DataError, FormatError
from stakes.metrics import BetaWeight


def load(path: str | Path) -> Calibrator:
    """Read a calibrator that `save` wrote; no code is executed.

    A file that was changed or cut off after it was written is refused: its checksum does not match.

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
    """The content of a calibrator's file as plain values, after checking its checksum."""
    content = SEAL.opened(SEAL.parsed(as_path(path).read_bytes(), str(path)), str(path))
    return {"format": SEAL.format, **content}


def described(cal: Calibrator) -> dict[str, Any]:
    """Kind and options, without priors and classes, which are set when it is fitted."""
    return {
        "kind": cal.kind,
        "options": {
            name: _plain(value)
            for name, value in cal.options.items()
            if name not in ("priors", "classes")
        },
    }


def _plain(value: Any) -> Any:
    """An option as JSON types."""
    if isinstance(value, Calibrator):
        return described(value)
    if isinstance(value, (Application, BetaWeight)):
        return jsonable(plain_aim(value))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return jsonable(value)


def plain_aim(by: Aim) -> str | dict[str, Any]:
    """What calibrators are compared by, as plain values."""
    if isinstance(by, str):
        return by
    if isinstance(by, BetaWeight):
        return {"beta_weight": by._asdict()}
    costs = by.costs
    table = {"values": costs.values, "classes": costs.classes, "decisions": costs.decisions}
    return {"costs": table, "priors": by.priors}


def aim_again(by: Any) -> Aim:
    """The aim that `plain_aim` described; anything else is unchanged."""
    if not isinstance(by, Mapping):
        return by  # type: ignore[no-any-return]
    if "beta_weight" in by:
        return BetaWeight(**by["beta_weight"])
    if not {"costs", "priors"} <= set(by):
        raise DataError(f"`by` must be an Application or a proper score; got {in_brief(by)}.")
    return Application(CostMatrix(**by["costs"]), by["priors"])


def made(given: Any) -> Calibrator:
    """A calibrator: itself, a fitted one from `to_dict`, or a fresh one from `described`."""
    if not isinstance(given, Mapping):
        return as_calibrator(given)
    if "format" in given:
        return Calibrator.from_dict(given)
    kind, known = given.get("kind"), every_kind()
    if not isinstance(kind, str) or kind not in known:
        raise FormatError(f"unknown calibrator {kind!r}; known: {', '.join(known)}.")
    return known[kind](**given["options"])
