"""Summaries as plain data: every float and every large integer is restored exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import keep
from stakes.exceptions import DataError, FormatError, StakesError
from stakes.summaries.asked_for import AskedFor
from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.cost_tally import CostTally
from stakes.summaries.joint_counts import GroupedCounts, PairedCounts
from stakes.summaries.score_bins import ScoreBins
from stakes.summaries.score_counts import ScoreCounts
from stakes.summaries.sliced_counts import CountTable, SlicedCounts
from stakes.summaries.storable import DecidedBy

_SUMMARIES = (
    ConfusionMatrix, CostTally, PairedCounts, GroupedCounts, ScoreBins, ScoreCounts, SlicedCounts
)  # fmt: skip
_KINDS: dict[str, Any] = {
    cls.__name__: cls for cls in (*_SUMMARIES, CountTable, DecidedBy, AskedFor)
}
#: The kind of a mapping from names to summaries in a file.
_COLLECTION = "collection"
#: The mark of a table whose classes are in alphabetical order for want of another.
_SORTED = "by_alphabet"
_DTYPES = ("int64", "float16", "float32", "float64")
_BEYOND = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def plain_form(summary: Any) -> dict[str, Any]:
    """A summary, or a mapping from names to summaries, as lists, texts and numbers."""
    if isinstance(summary, Mapping):
        if not summary:
            raise DataError("there is no summary to save: the mapping is empty.")
        parts = [[_name(name), plain_form(part)] for name, part in summary.items()]
        return {"type": _COLLECTION, "parts": parts}
    kind = type(summary).__name__
    if type(summary) is not _KINDS.get(kind):
        raise DataError(
            f"a {kind} cannot be saved as a summary.",
            hint=f"one of {', '.join(cls.__name__ for cls in _SUMMARIES)}, or a mapping from "
            "names to them",
        )
    form: dict[str, Any] = {"type": kind}
    for field in fields(summary):
        write, _ = _FORMS.get(field.name, _ARRAY)
        form[field.name] = write(getattr(summary, field.name))
    if getattr(summary, _SORTED, False):
        form[_SORTED] = True
    return form


def summary_of(form: Any, where: str = "summary") -> Any:
    """The summary of a plain form; `where` is the path inside the file, for messages."""
    kind = form.get("type") if isinstance(form, dict) else None
    if kind == _COLLECTION:
        parts = _item(form, "parts", where)
        pairs = isinstance(parts, list) and all(type(p) is list and len(p) == 2 for p in parts)
        if not pairs:
            raise FormatError(f"`{where}.parts` must be a list of names with summaries.")
        return {
            _read_name(name, where): summary_of(part, f"{where}[{name!r}]") for name, part in parts
        }
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FormatError(
            f"`{where}` is of the unknown kind {kind!r}; known are {', '.join(_KINDS)}.",
            hint="a newer stakes may read it: pip install --upgrade stakes",
        )
    values = {}
    for field in fields(_KINDS[kind]):
        _, read = _FORMS.get(field.name, _ARRAY)
        values[field.name] = read(_item(form, field.name, where), f"{where}.{field.name}")
    try:
        made = _KINDS[kind](**values)
    except (StakesError, ValueError, TypeError, IndexError) as error:
        said = error.message if isinstance(error, StakesError) else str(error)
        raise FormatError(f"`{where}` is no {kind}: {said}") from None
    if form.get(_SORTED) is True and kind == ConfusionMatrix.__name__:
        keep(made, **{_SORTED: True})
    return made


def _item(form: dict[str, Any], field: str, where: str) -> Any:
    """A field of the form; raise if it is missing."""
    if field not in form:
        raise FormatError(f"`{where}` has no `{field}`.")
    return form[field]


# ------------------------------------------------------------- arrays


def _array(values: NDArray[Any] | None) -> dict[str, Any] | None:
    """An array with its type and shape; values that are not finite become words."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        array = array.astype(np.int64)
    if array.dtype.name not in _DTYPES:
        raise DataError(f"numbers of type {array.dtype} cannot be saved; use float64.")
    flat: list[Any] = array.ravel().tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        flat = [beyond_json(value) for value in flat]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": flat}


def _read_array(form: Any, where: str) -> NDArray[Any] | None:
    """Read an array back, checked."""
    if form is None:
        return None
    if not isinstance(form, dict) or not {"dtype", "shape", "values"} <= set(form):
        raise FormatError(f"`{where}` must hold `dtype`, `shape` and `values`.")
    dtype, shape, values = form["dtype"], form["shape"], form["values"]
    if dtype not in _DTYPES:
        raise FormatError(f"`{where}.dtype` must be one of {', '.join(_DTYPES)}; got {dtype!r}.")
    whole = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    if not whole or not isinstance(values, list) or math.prod(shape) != len(values):
        raise FormatError(f"`{where}.values` must fill the shape {shape}.")
    wanted = (int,) if dtype == "int64" else (int, float, str)
    for k, value in enumerate(values):
        if type(value) not in wanted or (type(value) is str and value not in _BEYOND):
            raise FormatError(f"`{where}.values[{k}]` must be a number of type {dtype}; "
                              f"got {value!r}.")  # fmt: skip
    if dtype != "int64":
        values = [_BEYOND[v] if type(v) is str else v for v in values]
    try:
        return np.array(values, dtype=dtype).reshape(shape)
    except OverflowError:
        raise FormatError(f"`{where}.values` holds a number too large for {dtype}.") from None


# ------------------------------------------------------------- names and single values


def _name(name: Any) -> Any:
    """A name in a form that a file holds exactly; raise if there is none."""
    if isinstance(name, (bool, int, str)):
        return name
    if isinstance(name, float):
        return {"float": beyond_json(name)} if not math.isfinite(name) else name
    raise DataError(
        f"the name {name!r} cannot be saved; it is a {type(name).__name__}.",
        hint="names in files are texts, whole numbers, booleans or floats: str(name)",
    )


def _read_name(name: Any, where: str) -> Any:
    """Read a name back."""
    if isinstance(name, dict) and set(name) == {"float"} and name["float"] in _BEYOND:
        return _BEYOND[name["float"]]
    if not isinstance(name, (bool, int, float, str)):
        raise FormatError(f"`{where}` must hold names; got {name!r}.")
    return name


def _read_names(
    names: Any, where: str, read: Callable[[Any, str], Any] = _read_name
) -> tuple[Any, ...]:
    """Read a list of names, or of lists of names."""
    if not isinstance(names, list):
        raise FormatError(f"`{where}` must be a list of names; got {names!r}.")
    return tuple(read(name, where) for name in names)


def beyond_json(value: float) -> Any:
    """A float that JSON can hold; one that is not finite becomes a word."""
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _read_parts(forms: Any, where: str) -> tuple[Any, ...]:
    """Read the summaries that are parts of one."""
    if not isinstance(forms, list):
        raise FormatError(f"`{where}` must be a list of summaries; got {forms!r}.")
    return tuple(summary_of(form, f"{where}[{k}]") for k, form in enumerate(forms))


_Form = tuple[Callable[[Any], Any], Callable[[Any, str], Any]]
_ARRAY: _Form = _array, _read_array
_NAMES: _Form = (lambda names: [_name(name) for name in names]), _read_names
#: How to write and read the fields that are not arrays.
_FORMS: dict[str, _Form] = {
    "classes": _NAMES,
    "decisions": _NAMES,
    "systems": _NAMES,
    "groups": (
        lambda sides: [[_name(name) for name in side] for side in sides],
        lambda sides, where: _read_names(sides, where, _read_names),
    ),
    "joint": (plain_form, summary_of),
    "kind": (str, lambda kind, _: kind),  # checked by the summary
    "asked": (str, lambda text, _: text),
    "told": (str, lambda text, _: text),
    "names": _NAMES,
    "slices": _NAMES,
    "parts": (lambda parts: [plain_form(part) for part in parts], _read_parts),
}
