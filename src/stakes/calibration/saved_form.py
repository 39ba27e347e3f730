"""What a saved calibrator must hold: every part, every parameter, each in its shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from stakes.exceptions import FormatError
from stakes.typing import FloatArray

__all__ = [
    "Shape",
    "Shapes",
    "check_bound",
    "jsonable",
    "need_all",
    "need_exactly",
    "numbers_again",
    "parameter",
    "plain_value",
]

#: Lengths of an array; a word is a length found in the file, "n-1" one less than "n".
Shape = tuple[int | str, ...]
#: Names and shapes of parameters; None for those that a calibrator reads by itself.
Shapes = Mapping[str, Shape | None]


class _Range(NamedTuple):
    """Where the numbers of a parameter lie."""

    least: float = -np.finfo(np.float64).max
    most: float = np.finfo(np.float64).max
    rising: bool = False


_TINY = np.finfo(np.float64).tiny
#: By the name that a parameter has in every calibrator; all others are finite.
_RANGES = {
    "places": _Range(-np.inf, np.inf, rising=True),
    "edges": _Range(-np.inf, np.inf, rising=True),
    "maps": _Range(-np.inf, np.inf, rising=True),
    "ranks": _Range(0.0, 1.0, rising=True),
    "lower": _Range(0.0, 1.0),
    "upper": _Range(0.0, 1.0),
    "shares": _Range(0.0, 1.0),
    "log_shares": _Range(-np.inf, 0.0),
    "spreads": _Range(_TINY),
    "degrees": _Range(0.0),
    "positives": _Range(0.0),
    "totals": _Range(0.0),
}


def need_all(saved: Any, names: Iterable[str], what: str) -> None:
    """Raise unless a part of a saved form is a mapping that holds all names."""
    if not isinstance(saved, Mapping):
        raise FormatError(f"the {what} must be named values; got a {type(saved).__name__}.")
    missing = [name for name in names if name not in saved]
    if missing:
        raise FormatError(
            f"there is no {_quoted(missing)} in the {what}.", hint="fit and save it again"
        )


def need_exactly(saved: Any, names: Iterable[str], what: str) -> None:
    """Raise unless a part of a saved form holds all names and no others."""
    known = list(names)
    need_all(saved, known, what)
    strange = [str(name) for name in saved if name not in known]
    if strange:
        knows = f"known: {_quoted(known)}" if known else "it has none"
        raise FormatError(f"{_quoted(strange)} in the {what} is not known; {knows}.")


def _quoted(names: Iterable[str]) -> str:
    """Names for a sentence."""
    return ", ".join(repr(name) for name in names)


def parameter(name: str, value: Any, shape: Shape, sizes: dict[str, int]) -> float | FloatArray:
    """One parameter as a number or an array of its shape; `sizes` is filled in on the way."""
    if not shape:
        if isinstance(value, (bool, list, Mapping)) or value is None or np.isnan(float(value)):
            raise FormatError(f"the saved parameter {name!r} must be a number; got {value!r}.")
        return float(_in_range(name, np.array(float(value))))
    array = np.array(value if isinstance(value, list) else None, dtype=np.float64)
    if array.ndim != len(shape) or not all(map(_fits, array.shape, shape, [sizes] * len(shape))):
        wanted = ", ".join(str(_known(length, sizes)) for length in shape)
        got = "no array" if not isinstance(value, list) else f"({', '.join(map(str, array.shape))})"
        raise FormatError(f"the saved parameter {name!r} must have shape ({wanted}); got {got}.")
    if np.isnan(array).any():
        raise FormatError(f"the saved parameter {name!r} must hold numbers; some are missing.")
    return _in_range(name, array)


def _in_range(name: str, values: FloatArray) -> FloatArray:
    """The numbers of a parameter, where they can lie."""
    least, most, rising = _RANGES.get(name, _Range())
    outside = (values < least) | (values > most)
    if outside.any():
        raise FormatError(
            f"the saved parameter {name!r} must lie between {least:g} and {most:g}; got "
            f"{values[outside].flat[0]:g}.",
            hint="fit and save it again",
        )
    if rising and (values[1:] < values[:-1]).any():
        raise FormatError(
            f"the saved parameter {name!r} must not fall.", hint="fit and save it again"
        )
    return values


def _fits(length: int, wanted: int | str, sizes: dict[str, int]) -> bool:
    """Whether a length is the wanted one, or the first of its name and enough."""
    if isinstance(wanted, int):
        return length == wanted
    name, _, less = wanted.partition("-")
    whole = length + int(less or 0)
    return whole == sizes.setdefault(name, whole) and whole > 0


def _known(wanted: int | str, sizes: Mapping[str, int]) -> int | str:
    """A wanted length as a number, if the file has told it."""
    if isinstance(wanted, int):
        return wanted
    name, _, less = wanted.partition("-")
    return sizes[name] - int(less or 0) if sizes.get(name) else wanted


def check_bound(option: Any, bound: Any) -> None:
    """Raise unless there is a positive bound where one was asked for, and nowhere else."""
    plain = isinstance(bound, (int, float)) and not isinstance(bound, bool)
    if (option is None and bound is None) or (option is not None and plain and bound > 0):
        return
    raise FormatError(
        f"the saved bound must be a positive number exactly where there is the option `bound`; got "
        f"{bound!r} where that is {option!r}.",
        hint="fit and save it again",
    )


def plain_value(value: Any) -> Any:
    """A value that JSON knows, as it is; anything else cannot be saved."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise FormatError(
        f"{value!r} is a {type(value).__name__}, which a JSON file cannot hold.",
        hint="fit with labels and options that are text or numbers, such as y_true.astype(str)",
    )


def numbers_again(value: Any) -> Any:
    """A saved report with its infinities and undefined numbers, which JSON holds as text."""
    if isinstance(value, Mapping):
        return {key: numbers_again(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers_again(item) for item in value]
    return float(value) if value in ("nan", "inf", "-inf") else value


def jsonable(value: Any) -> Any:
    """JSON types; an infinity becomes the text 'inf' or '-inf', which NumPy reads back."""
    if hasattr(value, "to_dict"):  # a calibrator inside another
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    return plain_value(value)
