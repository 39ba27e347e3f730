"""A record as Markdown, as a small table for notebooks, and its published schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from stakes.evaluation.model_evaluation import AT_RANDOM
from stakes.evaluation.model_table import model_schema, shown_columns
from stakes.messages.audience import marked
from stakes.messages.quantities import grouped, normalized
from stakes.report.markup import Html, element, joined

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&])")


def as_markdown(record: Mapping[str, Any]) -> str:
    """The verdict, the table of the models and what was assumed.

    Parameters
    ----------
    record : mapping
        What `Evaluation.record` returns.

    Returns
    -------
    str
        GitHub-flavoured Markdown; names are escaped.
    """
    columns = shown_columns(record)
    head = [_text(each.title) for each in columns]
    lines = [f"**{_text(record['verdict']['sentence'])}**", ""]
    lines += [f"- {_text(remark['text'])}" for remark in record["verdict"]["remarks"]]
    lines += ["", _line(head), _line(["---", *["--:"] * (len(head) - 1)])]
    rows = zip(*(each.cells for each in columns), strict=True)
    lines += [_line([_text(cell) for cell in row]) for row in rows]
    held = record["naive"]
    naive = AT_RANDOM if "shares" in held else f"always decide '{held['decision']}'"
    lines += [_line([_text(naive), "1.000", *[""] * (len(head) - 2)]), ""]
    lines += _doubt(record.get("doubt"))
    cases = f"{grouped(record['cases'])} cases."
    said = (
        "NEC: cost above that of perfect decisions, divided by the same for the best decision that "
        "ignores the model; lower is better."
    )
    lines += [f"{cases} {said}", ""]
    lines += [f"- {_text(note['text'])}" for note in record["notes"]]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def doubt_table(doubt: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The heads and the rows of models over the range of what is unknown, names first."""
    ends = [f"NEC at {place['words']}" for place in doubt["places"]]
    keys = ("middle_nec", "mean_nec", "worst_regret")
    rows = [
        [model["name"], *map(normalized, (*model["nec"], *(model[key] for key in keys)))]
        for model in doubt["models"]
    ]
    return ["model", *ends, "middle", "mean", "worst regret"], rows


def _doubt(doubt: Mapping[str, Any] | None) -> list[str]:
    """The models over the range of what is unknown."""
    if doubt is None:
        return []
    head, rows = doubt_table(doubt)
    lines = [f"Unknown: {_text(doubt['words'])}. Safest: {_text(doubt['safest'])}.", ""]
    lines += [_line([_text(cell) for cell in head]), _line(["---", *["--:"] * (len(head) - 1)])]
    return [*lines, *(_line([_text(name), *cells]) for name, *cells in rows), ""]


def _line(cells: list[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _text(value: str) -> str:
    """Text in which nothing is markup and no line breaks."""
    return _SPECIAL.sub(r"\\\1", marked(value))


def static_table(record: Mapping[str, Any]) -> Html:
    """The verdict and the models, without style or script of its own."""
    columns = shown_columns(record)
    top = element("tr", joined(*(element("th", each.title, scope="col") for each in columns)))
    rows = zip(*(each.cells for each in columns), strict=True)
    body = [element("tr", joined(*(element("td", cell) for cell in row))) for row in rows]
    made = element("table", joined(element("thead", top), element("tbody", joined(*body))))
    return joined(element("p", element("strong", record["verdict"]["sentence"])), made)


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the record of an evaluation.

    Returns
    -------
    dict
        For any validator. The fields of a model are the columns of the table.

    Examples
    --------
    >>> schema()["$id"]
    'stakes-evaluation-2'
    """
    text = files("stakes.report").joinpath("evaluation.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    found["$defs"]["model"] = model_schema()
    return found
