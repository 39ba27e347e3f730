"""An evaluation shown: the page, JSON, Markdown, and what a notebook displays."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.application.sentences import describe_costs
from stakes.evaluation.live import live_numbers
from stakes.evaluation.matrix_numbers import matrix_numbers
from stakes.evaluation.page_charts import charts_of
from stakes.evaluation.recording import record_of
from stakes.report.amounts import percent
from stakes.report.embedding import packed
from stakes.report.markdown import as_markdown
from stakes.report.page import Sheet, page, stamped

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["as_json", "as_page", "display", "markdown", "write"]

#: Points of a reliability curve that the page can read out.
POINTS = 60


def as_page(
    ev: Evaluation,
    *,
    facts: Mapping[str, Any] | None = None,
    title: str = "",
    embed_posteriors: bool = False,
) -> str:
    """The whole page."""
    record = record_of(ev, stamped(facts))
    numbers = live_numbers(ev)
    bands = None
    if numbers is not None:
        bands = numbers.pop("bands")
    table = None if numbers is not None else matrix_numbers(ev, embed=embed_posteriors)
    charts: list[Any] = []
    reliability: dict[str, Any] = {}
    missing = ""
    if len(ev.application.classes) == 2 and ev.application.costs.shape == (2, 2):
        charts, reliability, missing = charts_of(ev, bands)
    return page(
        Sheet(
            record=record,
            order=tuple(model.name for model in ev.models),
            numbers=numbers,
            table=table,
            charts=tuple(charts),
            missing=missing,
            costs_said=tuple(
                describe_costs(ev.application.costs, unit=ev.application.unit).splitlines()
            ),
            title=title,
            reliability_said=_trusted(ev, reliability),
            points=_points(reliability),
        )
    )


def _points(reliability: Mapping[str, Any]) -> dict[str, Any]:
    """Some points of each curve, by position of the model."""
    found = {}
    for key, curve in reliability.items():
        kept = np.unique(np.linspace(0, len(curve.forecast) - 1, POINTS).astype(int))
        found[key[1:]] = {
            "says": packed(curve.forecast[kept]),
            "happens": packed(curve.observed[kept]),
        }
    return found


def _trusted(ev: Evaluation, reliability: Mapping[str, Any]) -> str:
    """The caption: what the band is, and where the best model says most amiss."""
    if not reliability:
        return ""
    curve = next(iter(reliability.values()))
    band = f"Band: where a calibrated {ev.best} would lie {percent(curve.level, 0)} of the time. "
    edges = np.searchsorted(np.cumsum(curve.weight), np.linspace(0, curve.weight.sum(), 21)[1:-1])
    parts = [p for p in np.split(np.arange(len(curve.weight)), np.unique(edges)) if p.size]
    means = [
        (np.average(curve.forecast[p], weights=curve.weight[p]),
         np.average(curve.observed[p], weights=curve.weight[p]))
        for p in parts if curve.weight[p].sum() > 0
    ]  # fmt: skip
    says, happens = max(means, key=lambda pair: abs(pair[0] - pair[1]))
    return (
        f"{band}Where {ev.best} says {percent(says)}, it happens {percent(happens)} of the time: "
        "the largest gap in any twentieth of the cases."
    )


def write(text: str, path: Any) -> None:
    """Write a file as UTF-8 with the same line ends everywhere."""
    Path(path).write_text(text, encoding="utf-8", newline="\n")


def as_json(ev: Evaluation, facts: Mapping[str, Any] | None = None) -> str:
    """The record as JSON, following `stakes/report/evaluation.schema.json`."""
    return json.dumps(record_of(ev, facts), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def display(ev: Evaluation) -> str:
    """For a notebook: a static table first, then the page in a frame that can do no harm."""
    from stakes.report.notebook import static_table

    framed = html.escape(as_page(ev), quote=True)
    frame = (
        '<iframe sandbox="allow-scripts allow-downloads" title="Report of the evaluation" '
        f'style="width:100%;height:46rem;border:1px solid #ccc" srcdoc="{framed}"></iframe>'
    )
    return (
        f"{static_table(record_of(ev))}\n<details open><summary>Report</summary>{frame}</details>"
    )


def markdown(ev: Evaluation) -> str:
    """The record as Markdown."""
    return as_markdown(record_of(ev))
