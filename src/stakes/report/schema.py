"""The published form of what `to_json` writes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the record of an evaluation.

    Returns
    -------
    dict
        For any validator; the same file lies in the package as
        ``stakes/report/evaluation.schema.json``.

    Examples
    --------
    >>> schema()["$id"]
    'stakes-evaluation-1'
    """
    text = files("stakes.report").joinpath("evaluation.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
