"""The published form of what `to_json` writes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from stakes.evaluation.model_table import model_schema


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the record of an evaluation.

    Returns
    -------
    dict
        For any validator. What is said of a model follows from the columns of the table.

    Examples
    --------
    >>> schema()["$id"]
    'stakes-evaluation-2'
    """
    text = files("stakes.report").joinpath("evaluation.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    found["$defs"]["model"] = model_schema()
    return found
