"""An evaluation shown: the page, JSON, Markdown, and what a notebook displays."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._checks import as_switch, of_kind
from stakes._files import as_path, write_whole
from stakes.application import Application
from stakes.evaluation.evaluation_record import plain_facts, record_of
from stakes.evaluation.model_table import MOST_SHOWN
from stakes.exceptions import StakesError
from stakes.messages.notes import Note
from stakes.report.charts import Chart
from stakes.report.live.capacity_stops import capacity_numbers
from stakes.report.live.page_charts import (
    charts_by_case,
    charts_of,
    charts_of_paths,
    evidence_charts,
    why_no_charts,
)
from stakes.report.live.two_classes import live_numbers
from stakes.report.markup import packed
from stakes.report.page import Sheet, page, stamped

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: More decisions than this are not listed one by one.
_MANY_DECISIONS = 12
#: Costs, and counts and costs by cell of every model: more numbers than this are left to JSON.
_MOST_NUMBERS = 50_000
#: Draws of the cases for the range of a threshold.
_DRAWS = 200
#: Points of a reliability curve that the page can read out.
_POINTS = 60


def as_page(
    ev: Evaluation,
    *,
    facts: Mapping[str, Any] | None = None,
    title: str = "",
    embed_posteriors: bool = False,
    costliest_cases: int = 0,
    forensic: bool = False,
) -> str:
    """The whole page."""
    of_kind(title, "title", str)
    embed_posteriors = as_switch(embed_posteriors, "embed_posteriors")
    forensic = as_switch(forensic, "forensic")
    whole, ev = ev, _on_page(ev)
    moves, numbers = "two", None if ev.capacity is not None else live_numbers(ev)
    large = ev.application.costs.values.size * (1 + 2 * len(ev)) > _MOST_NUMBERS
    if ev.capacity is not None or large:
        moves, numbers = "each" if ev.by_case else "many", {"drawn": []}
    elif ev.naive is not None:
        from stakes.report.live import case_stops

        moves, numbers = "each", case_stops.case_numbers(ev)
    elif numbers is None:
        from stakes.report.live.any_matrix import matrix_numbers

        moves, numbers = "many", matrix_numbers(ev, embed=embed_posteriors)
    charts: list[Chart] = []
    reliability: dict[str, Any] = {}
    draw, key = {"two": (charts_of, "bands"), "many": (charts_of_paths, "drawn"),
                 "each": (charts_by_case, "curve")}[moves]  # fmt: skip
    drawn = (numbers or {}).pop(key, None)  # what only drawings read
    if not (missing := why_no_charts()):
        charts, reliability = draw(ev, drawn)
        if forensic:
            more, lines = evidence_charts(ev)
            charts, reliability = charts + more, {**reliability, **lines}
    stamps = stamped({**ev.facts, **plain_facts(facts)})
    record = record_of(ev, stamps, costliest_cases)
    if whole is not ev:
        record["verdict"] = record_of(whole)["verdict"]
    return page(
        Sheet(
            record=record,
            order=tuple(ev),
            moves="" if numbers is None or large or ev.capacity is not None else moves,
            numbers=numbers or {},
            charts=tuple(charts),
            missing=missing,
            costs_said=ev.costs_said,
            title=title,
            points={
                key: found if isinstance(found, list) else _points(found)
                for key, found in reliability.items()
            },
            by_case=ev.by_case,
            sureness=_sureness(ev, numbers or {}),
            use=_use(ev),
            large=large,
            cut_ranges=_cut_ranges(ev),
            capacity=None if ev.capacity is None or large else capacity_numbers(ev),
        )
    )


# What a page leaves out, and why: docs/design/page.md.
def _on_page(ev: Evaluation) -> Evaluation:
    """The same with the cheapest models only, where there are more than a page shows."""
    if len(ev) <= MOST_SHOWN:
        return ev
    ranked = sorted(ev.models, key=lambda model: model.cost)[:MOST_SHOWN]
    names = {model.name for model in (*ranked, ev.best_recalibrated) if model is not None}
    names |= set() if ev.challenge is None else {ev.challenge.baseline}
    models = tuple(model for model in ev.models if model.name in names)
    note = Note("cheapest-shown", shown=len(models), models=len(ev))
    told: dict[str, Any] = {"models": models, "notes": (*ev.notes, note)}
    told["unpaired"] = tuple(each for each in ev.unpaired if {each.first, each.second} <= names)
    told["slices"] = {name: _on_page(part) for name, part in ev.slices.items()}
    if ev.sources is not None:
        judged = tuple(one for one in ev.sources.judged if one.model.name in names)
        told["sources"] = replace(ev.sources, judged=judged)
    if ev.case_sources is not None:
        rules = tuple(rule for rule in ev.case_sources.rules if rule.name in names)
        told["case_sources"] = replace(ev.case_sources, rules=rules)
    return replace(ev, **told)


def _sureness(ev: Evaluation, numbers: Mapping[str, Any]) -> str:
    """How the intervals were found, at the stated costs and away from them."""
    if all(model.interval is None for model in ev.models):
        return ""
    if ev.naive is not None:
        said = "Intervals allow for skewed costs per case."
    elif ev.sources is None or ev.sources.plain:
        said = "Intervals come from the score test."
    else:
        said = "Intervals come from resampling whole groups, or weighted cases."
    if not numbers.get("sure"):
        return f"{said} No intervals were computed for other costs or shares."
    return f"{said} {numbers['sureness']}"


def _cut_ranges(ev: Evaluation) -> dict[str, tuple[float, float]]:
    """How far the best threshold of each model would move on other draws, where that is known."""
    from stakes.evaluation.evaluation_plots import scores_of_models
    from stakes.uncertainty import threshold_range

    scores = scores_of_models(ev) if ev.application.costs.shape == (2, 2) else {}
    app, found = Application(ev.application.costs.values, ev.application.priors), {}
    for model in ev.models:
        if model.optimistic_threshold is not None and model.name in scores:
            with suppress(StakesError):  # weighted cases
                found[model.name] = threshold_range(scores[model.name], app, draws=_DRAWS)
    return found


def _use(ev: Evaluation) -> list[dict[str, Any]]:
    """What the best model's decisions are good for, unless there are just two or very many."""
    app = ev.application
    few = app.costs.shape == (2, 2) or ev[ev.best].cells is None
    if ev.naive is not None or few or len(app.decisions) > _MANY_DECISIONS:
        return []
    return ev.use(ev.best).rows()


def _points(reliability: Mapping[str, Any]) -> dict[str, Any]:
    """Some points of each curve, by position of the model."""
    found = {}
    for key, curve in reliability.items():
        kept = np.unique(np.linspace(0, len(curve.forecast) - 1, _POINTS).astype(int))
        found[key[1:]] = {
            "says": packed(curve.forecast[kept]),
            "happens": packed(curve.observed[kept]),
        }
    return found


def written(text: str, path: Any) -> str | Path:
    """The text; or, where there is a path, that, with a file of UTF-8 written there, whole."""
    if path is None:
        return text
    file = as_path(path)
    write_whole(file, text.encode("utf-8"))
    return file


def as_json(ev: Evaluation, facts: Mapping[str, Any] | None = None, costliest: int = 0) -> str:
    """The record as JSON, following `stakes.report.schema()`."""
    record = record_of(ev, facts, costliest)
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def display(ev: Evaluation) -> str:
    """For a notebook: a static table first, then the page in a frame that can do no harm."""
    from stakes.report.markdown_forms import static_table

    framed = html.escape(as_page(ev), quote=True)
    frame = (
        '<iframe sandbox="allow-scripts allow-downloads" title="Report of the evaluation" '
        f'style="width:100%;height:46rem;border:1px solid #ccc" srcdoc="{framed}"></iframe>'
    )
    return (
        f"{static_table(record_of(ev))}\n<details open><summary>Report</summary>{frame}</details>"
    )
