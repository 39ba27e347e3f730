"""Summaries as plain data, exactly: every float and every large integer comes back as it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError, FormatError, StakesError
from stakes.summaries.confusion import ConfusionMatrix
from stakes.summaries.cost_tally import CostTally
from stakes.summaries.joint_counts import GroupedCounts, PairedCounts
from stakes.summaries.ranked_scores import checked_kind
from stakes.summaries.score_bins import ScoreBins
from stakes.summaries.score_counts import ScoreCounts
from stakes.summaries.storable import DecidedBy

#: The fields of each summary, by how they are written: arrays of numbers, names, or the rest.
_FIELDS: dict[str, tuple[type, dict[str, str]]] = {
    "ConfusionMatrix": (
        ConfusionMatrix,
        {"counts": "array", "classes": "names", "decisions": "names"},
    ),
    "CostTally": (
        CostTally,
        {
            "counts": "array",
            "sums": "array",
            "squares": "array",
            "classes": "names",
            "decisions": "names",
        },
    ),
    "DecidedBy": (
        DecidedBy,
        {"costs": "array", "priors": "array", "from_priors": "array"},
    ),
    "PairedCounts": (
        PairedCounts,
        {
            "cells": "array",
            "counts": "array",
            "systems": "names",
            "classes": "names",
            "decisions": "names",
        },
    ),
    "GroupedCounts": (
        GroupedCounts,
        {"groups": "sides", "keys": "array", "counts": "array", "joint": "summary"},
    ),
    "ScoreBins": (
        ScoreBins,
        {
            "edges": "array",
            "counts": "array",
            "lowest": "array",
            "highest": "array",
            "classes": "names",
            "kind": "kind",
            "from_priors": "array",
        },
    ),
    "ScoreCounts": (
        ScoreCounts,
        {
            "negatives": "array",
            "positives": "array",
            "negative_counts": "array",
            "positive_counts": "array",
            "classes": "names",
            "kind": "kind",
            "from_priors": "array",
        },
    ),
}
#: What a mapping from names to summaries is called in a file.
_COLLECTION = "collection"
_DTYPES = ("int64", "float16", "float32", "float64")
_BEYOND = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def plain_form(summary: Any) -> dict[str, Any]:
    """A summary, or a mapping from names to summaries, as lists, texts and numbers."""
    if isinstance(summary, Mapping):
        if not summary:
            raise DataError("there is no summary to save: the mapping is empty.")
        parts = [[_name(name), plain_form(part)] for name, part in summary.items()]
        return {"type": _COLLECTION, "parts": parts}
    kind = next((name for name, (cls, _) in _FIELDS.items() if type(summary) is cls), None)
    if kind is None:
        raise DataError(
            f"a {type(summary).__name__} cannot be saved as a summary.",
            hint=f"one of {', '.join(k for k in _FIELDS if k != 'DecidedBy')}, or a mapping from "
            "names to them",
        )
    form: dict[str, Any] = {"type": kind}
    for field, how in _FIELDS[kind][1].items():
        form[field] = _WRITE[how](getattr(summary, field))
    return form


def summary_of(form: Any, where: str = "summary") -> Any:
    """The summary of a plain form; `where` is the path inside the file, for messages."""
    kind = form.get("type") if isinstance(form, dict) else None
    if kind == _COLLECTION:
        parts = _item(form, "parts", where)
        if not isinstance(parts, list) or not all(
            isinstance(p, list) and len(p) == 2 for p in parts
        ):
            raise FormatError(f"`{where}.parts` must be a list of names with summaries.")
        return {
            _read_name(name, where): summary_of(part, f"{where}[{name!r}]") for name, part in parts
        }
    if kind not in _FIELDS:
        raise FormatError(
            f"`{where}` is of the unknown kind {kind!r}; known are {', '.join(_FIELDS)}.",
            hint="a newer stakes may read it: pip install --upgrade stakes",
        )
    cls, fields = _FIELDS[kind]
    values = {
        field: _READ[how](_item(form, field, where), f"{where}.{field}")
        for field, how in fields.items()
    }
    try:
        return cls(**values)
    except (StakesError, ValueError, TypeError, IndexError) as error:
        said = error.message if isinstance(error, StakesError) else str(error)
        raise FormatError(f"`{where}` is no {kind}: {said}") from None


def _item(form: dict[str, Any], field: str, where: str) -> Any:
    """A field that must be there."""
    if field not in form:
        raise FormatError(f"`{where}` has no `{field}`.")
    return form[field]


# ------------------------------------------------------------- arrays


def _array(values: NDArray[Any] | None) -> dict[str, Any] | None:
    """An array with its type and shape; what is not finite becomes a word."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
            raise DataError("counts above 2^63 cannot be saved.")
        array = array.astype(np.int64)
    if array.dtype.name not in _DTYPES:
        raise DataError(f"numbers of type {array.dtype} cannot be saved; use float64.")
    flat: list[Any] = array.ravel().tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        flat = [_number(value) for value in flat]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": flat}


def _read_array(form: Any, where: str) -> NDArray[Any] | None:
    """An array again, checked."""
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
    """A name that a file can hold without changing it."""
    if isinstance(name, (bool, int, str)):
        return name
    if isinstance(name, float):
        return {"float": _number(name)} if not math.isfinite(name) else name
    raise DataError(
        f"the name {name!r} cannot be saved; it is a {type(name).__name__}.",
        hint="names in files are texts, whole numbers, booleans or floats: str(name)",
    )


def _read_name(name: Any, where: str) -> Any:
    """A name again."""
    if isinstance(name, dict) and set(name) == {"float"} and name["float"] in _BEYOND:
        return _BEYOND[name["float"]]
    if not isinstance(name, (bool, int, float, str)):
        raise FormatError(f"`{where}` must hold names; got {name!r}.")
    return name


def _read_names(names: Any, where: str) -> tuple[Any, ...]:
    """A list of names."""
    if not isinstance(names, list):
        raise FormatError(f"`{where}` must be a list of names; got {names!r}.")
    return tuple(_read_name(name, where) for name in names)


def _read_sides(sides: Any, where: str) -> tuple[tuple[Any, ...], ...]:
    """The groups of each side."""
    if not isinstance(sides, list):
        raise FormatError(f"`{where}` must be a list of lists of names; got {sides!r}.")
    return tuple(_read_names(side, where) for side in sides)


def _number(value: Any) -> Any:
    """A float that JSON can hold: what is not finite as a word."""
    if value is None or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _read_number(value: Any, where: str) -> float | None:
    """A share, or nothing."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    raise FormatError(f"`{where}` must be a number or null; got {value!r}.")


def _read_kind(value: Any, where: str) -> str:
    """What scores mean."""
    try:
        return checked_kind(value)
    except StakesError as error:
        raise FormatError(f"`{where}`: {error.message}") from None


_WRITE: dict[str, Callable[[Any], Any]] = {
    "array": _array,
    "names": lambda names: [_name(name) for name in names],
    "sides": lambda sides: [[_name(name) for name in side] for side in sides],
    "summary": plain_form,
    "number": lambda value: value,
    "kind": lambda value: value,
}
_READ: dict[str, Callable[[Any, str], Any]] = {
    "array": _read_array,
    "names": _read_names,
    "sides": _read_sides,
    "summary": summary_of,
    "number": _read_number,
    "kind": _read_kind,
}
