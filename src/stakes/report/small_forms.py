"""A record as Markdown, and as a small static table for notebooks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from stakes.messages.quantities import amount, between, grouped, normalized, per_case, percent
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
    app = record["application"]
    sure = any(model["interval"] for model in record["models"])
    title = "saves per case"
    if app["volume"] is not None:
        title = f"saves per {app['period']}" if app["period"] else "saves"
    unit = f" ({app['unit']})" if app["unit"] else ""
    head = ["model", "NEC", "interval", "re-calibrated", "act when", f"{title}{unit}", "best in"]
    rows = [_row(model, app) for model in record["models"]]
    kept = [k for k in range(len(head)) if k < 2 or any(row[k] for row in rows)]
    lines = [f"**{_text(record['verdict']['sentence'])}**", ""]
    lines += [f"- {_text(remark)}" for remark in record["verdict"]["remarks"]]
    lines += ["", _line([_text(head[k]) for k in kept])]
    lines += [_line(["---" if k == 0 else "--:" for k in kept])]
    lines += [_line([row[k] for k in kept]) for row in rows]
    naive = f"always decide '{record['naive']['decision']}'"
    lines += [_line([_text(naive), "1.000", *[""] * (len(kept) - 2)]), ""]
    lines += _doubt(record.get("doubt"))
    cases = f"{grouped(record['cases'])} cases."
    said = "NEC: cost divided by that of the best decision that ignores the model; lower is better."
    interval = f" Intervals: {percent(record['level'], 0)}." if sure and record["level"] else ""
    lines += [f"{cases} {said}{interval}", ""]
    lines += [f"- {_text(note)}" for note in record["notes"]]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _row(model: Mapping[str, Any], app: Mapping[str, Any]) -> list[str]:
    """The cells of one model, empty where there is nothing to say."""
    interval = model["interval"]
    if interval is not None and None not in interval:
        interval = f"{interval[0]:.3f} to {interval[1]:.3f}"
    after, rule, chance = (model[k] for k in ("recalibrated_nec", "rule", "probability_best"))
    saved = model["total_saving"]
    return [
        _text(model["name"]),
        normalized(model["nec"]),
        interval if isinstance(interval, str) else "",
        "" if after is None else f"{after:.3f}",
        "" if rule is None else _text(rule),
        per_case(model["saving"]) if saved is None else amount(saved),
        "" if chance is None else percent(chance, 0),
    ]


def _doubt(doubt: Mapping[str, Any] | None) -> list[str]:
    """The models over the range of what is unknown."""
    if doubt is None:
        return []
    ends = [f"NEC at {place['words']}" for place in doubt["places"]]
    head = ["model", *ends, "middle", "mean", "worst regret"]
    keys = ("middle_nec", "mean_nec", "worst_regret")
    rows = [
        [_text(m["name"]), *(normalized(x) for x in (*m["nec"], *(m[key] for key in keys)))]
        for m in doubt["models"]
    ]
    lines = [f"Unknown: {_text(doubt['words'])}. Safest: {_text(doubt['safest'])}.", ""]
    lines += [_line([_text(cell) for cell in head]), _line(["---", *["--:"] * (len(head) - 1)])]
    return [*lines, *(_line(row) for row in rows), ""]


def _line(cells: list[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _text(value: str) -> str:
    """Text in which nothing is markup and no line breaks."""
    shown = "".join(c if c.isprintable() else " " for c in value)
    return _SPECIAL.sub(r"\\\1", shown)


def static_table(record: Mapping[str, Any]) -> Html:
    """The verdict and the models, without style or script of its own."""
    head = ["model", "NEC", "interval", "re-calibrated", "act when", "saves", "best in"]
    rows = [_cells(model) for model in record["models"]]
    kept = [k for k in range(len(head)) if k < 2 or any(row[k] for row in rows)]
    top = element("tr", joined(*(element("th", head[k], scope="col") for k in kept)))
    body = [element("tr", joined(*(element("td", row[k]) for k in kept))) for row in rows]
    made = element("table", joined(element("thead", top), element("tbody", joined(*body))))
    return joined(element("p", element("strong", record["verdict"]["sentence"])), made)


def _cells(model: Mapping[str, Any]) -> list[str]:
    """The cells of one model."""
    interval, after, cut, chance = (
        model[k] for k in ("interval", "recalibrated_nec", "threshold", "probability_best")
    )
    total = model["total_saving"]
    return [
        model["name"],
        normalized(model["nec"]),
        between(interval),
        "" if after is None else f"{after:.3f}",
        "" if cut is None else f"p > {cut:.3g}",
        per_case(model["saving"]) if total is None else amount(total),
        "" if chance is None else percent(chance, 0),
    ]
