"""Numbers and text inside a page: compact, exact, and unable to end the element they stand in."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

__all__ = ["as_json", "data_url", "packed"]


def packed(values: Any, *, short: bool = False) -> dict[str, str]:
    """An array as base64: whole numbers in 1, 2 or 4 bytes, others as 8-byte floats.

    `short` floats have 4 bytes, seven digits: for figures that are not computed with.

    Examples
    --------
    >>> packed([1, 2, 3])
    {'t': 'u1', 'd': 'AQID'}
    >>> packed([0.5])["t"]
    'f8'
    """
    array = np.asarray(values)
    kind = "<f4" if short else "<f8"
    if array.size and np.isfinite(array).all() and (array == np.floor(array)).all():
        for candidate, limit in (("u1", 2**8), ("<u2", 2**16), ("<u4", 2**32)):
            if array.min() >= 0 and array.max() < limit:
                kind = candidate
                break
    data = np.ascontiguousarray(array, dtype=kind).tobytes()
    return {"t": kind.strip("<"), "d": base64.b64encode(data).decode("ascii")}


def as_json(value: Any) -> str:
    r"""JSON that may stand inside a script element: no character of it means anything in HTML.

    Examples
    --------
    >>> as_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data_url(text: str, kind: str) -> str:
    """A file inside a link."""
    return f"data:{kind};base64,{base64.b64encode(text.encode('utf-8')).decode('ascii')}"
