"""Single values of a TOML table: names, numbers, ranges, shares, each refused with its place."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from stakes._names import as_names, listed
from stakes.application.naming import name_text
from stakes.application.toml_writer import alike, toml_key
from stakes.application.unknowns import Between
from stakes.exceptions import FormatError
from stakes.typing import Name

__all__ = [
    "as_number",
    "as_number_or_range",
    "names_by_text",
    "read_names",
    "read_settings",
    "unexpected",
]


def read_settings(table: Mapping[str, Any], classes: Sequence[Name]) -> dict[str, Any]:
    """Unit, volume, period and priors as arguments of Application."""
    found: dict[str, Any] = {}
    for key in ("unit", "period"):
        if key in table:
            if not isinstance(table[key], str):
                raise unexpected("text in quotes", table[key], key)
            found[key] = table[key]
    if "volume" in table:
        found["volume"] = as_number(table["volume"], "volume")
    if "priors" in table:
        found["priors"] = _priors(table["priors"], classes)
    return found


def read_names(table: Mapping[str, Any], key: str) -> tuple[Name, ...]:
    """A list of names."""
    value = table[key]
    if not isinstance(value, list) or not value:
        raise unexpected("a list of names", value, key)
    for i, name in enumerate(value):
        if not isinstance(name, (str, int, float)):
            raise unexpected("a name", name, f"{key}[{i}]")
    return as_names(value, key, FormatError)


def names_by_text(names: Sequence[Name], what: str) -> dict[str, Name]:
    """Names by the key that stands for them."""
    if alike(names):
        raise FormatError(
            f"two of `{what}` look alike as keys: {listed(names)}.",
            hint='give the costs as a matrix, cost = [[...], ...], with rows = "truth"',
        )
    return {name_text(name): name for name in names}


def as_number(value: Any, at: str) -> float:
    """A finite number, as it was written: integers stay integers."""
    if _is_range(value):
        raise FormatError(
            f"{value} is a range; one application has a single cost - at `{at}`.",
            hint="write one number; or keep the range and read it with "
            "stakes.application.read_uncertain_costs",
        )
    if not _is_number(value):
        raise unexpected("a number", value, at)
    if not abs(value) <= sys.float_info.max:  # so for NaN and for huge integers too
        raise FormatError(f"expected a finite number, got {value} - at `{at}`.")
    number: float = value
    return number


def as_number_or_range(value: Any, at: str) -> float | Between:
    """A number, or what lies between two of them."""
    if not _is_range(value):
        return as_number(value, at)
    low, high = (as_number(end, f"{at}[{i}]") for i, end in enumerate(value))
    if low > high:
        raise FormatError(f"a range has its lower end first; got {value} - at `{at}`.")
    return Between(low, high)


def unexpected(wanted: str, value: Any, at: str) -> FormatError:
    """What was expected, what was there, and where."""
    if isinstance(value, (dict, list)):
        got = "a table" if isinstance(value, dict) else f"a list of {len(value)}"
    else:
        got = f"the text {value!r}" if isinstance(value, str) else str(value).lower()
    return FormatError(f"expected {wanted}, got {got} - at `{at}`.")


def _priors(value: Any, classes: Sequence[Name]) -> list[float] | dict[Name, float]:
    """Shares in the order of the outcomes, or by name."""
    if isinstance(value, Mapping):
        names = names_by_text(classes, "outcomes")
        return {names.get(k, k): as_number(v, f"priors.{toml_key(k)}") for k, v in value.items()}
    if isinstance(value, list):
        return [as_number(share, f"priors[{i}]") for i, share in enumerate(value)]
    raise unexpected("a list of shares or a table by name", value, "priors")


def _is_range(value: Any) -> bool:
    """Whether a value is a pair of numbers."""
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    """Whether a TOML value is an integer or a float."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
