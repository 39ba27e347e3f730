"""A record as a small static table, for notebooks that strip scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stakes.report.amounts import amount, between, normalized, per_case, percent
from stakes.report.markup import Html, element, joined

__all__ = ["static_table"]


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
