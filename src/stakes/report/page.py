"""The page of an evaluation: one file with sliders that loads nothing and holds no rows."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import Any

from stakes.evaluation import model_table
from stakes.messages.quantities import grouped, percent
from stakes.report.charts import Chart
from stakes.report.markup import Html, as_json, element, joined, text, unbroken
from stakes.report.page_capacity import capacity
from stakes.report.page_inputs import told
from stakes.report.page_tables import cases, doubt, models, payers, slices
from stakes.report.page_words import changes, close_to_best, computed, drawings, verdict

#: What a page may be about, as far as its sliders are concerned.
_MOVES = ("two", "many", "each")
#: Columns that follow the sliders; the others go blank when a slider moves.
_MOVING = ("name", "nec", "saving", "total_saving")


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything the page shows.

    `record` is the evaluation as plain data; `numbers` what the script needs to follow the
    sliders, by what moves: "two" classes, "many" (any matrix), "each" (costs per case), or nothing.
    `charts` are the drawings, and `missing` why there are none. `points` are those of the
    reliability curves, by drawing and model; `sureness` says how intervals were found, `use` what
    each decision is good for. `cut_ranges` are those of the best thresholds, by model. Where tables
    by class and decision are `large`, they are left out. `capacity` is what a limit's slider reads.
    """

    record: Mapping[str, Any]
    order: tuple[str, ...]
    moves: str
    numbers: Mapping[str, Any]
    charts: tuple[Chart, ...]
    missing: str
    costs_said: tuple[str, ...]
    title: str
    points: Mapping[str, Any]
    by_case: bool
    sureness: str
    use: Sequence[Mapping[str, Any]]
    large: bool
    cut_ranges: Mapping[str, tuple[float, float]]
    capacity: Mapping[str, Any] | None = None


# Why a page is one closed file: docs/design/page.md.
def page(sheet: Sheet) -> str:
    """The sheet as one self-contained HTML page, to be written as UTF-8.

    Its own content-security policy allows this very script and style sheet and nothing else:
    no request, no other script. Names from the data are escaped. Without scripts it shows the
    same figures at the costs it was made for.
    """
    folder = files("stakes.report")
    style = folder.joinpath("page.css").read_text(encoding="utf-8")
    # The files of the script, one after the other, are one function: only together are they whole.
    parts = sorted(folder.joinpath("script").iterdir(), key=lambda part: part.name)
    script = "".join(part.read_text(encoding="utf-8") for part in parts if part.is_file())
    question, place = _question(sheet), itertools.count(1)
    heading = joined(
        element("h1", sheet.title or question),
        element("p", _from(sheet), class_="from"),
        verdict(sheet),
    )
    sections = joined(told(sheet), models(sheet), capacity(sheet), doubt(sheet), *drawings(sheet),
                      payers(sheet), cases(sheet), changes(sheet), slices(sheet),
                      computed(sheet))  # fmt: skip
    body = joined(
        element("header", heading),
        Html(re.sub("<h2>", lambda _: f"<h2>{next(place)} · ", sections)),
        element("footer", element("p", _footer(sheet), class_="soft")),
    )
    data = Html(f'<script type="application/json" id="numbers">{as_json(_data(sheet))}</script>')
    asked = sheet.record["inquiry"]
    if asked is not None and not sheet.large:  # so that it can be asked again
        kept = Html(f'<script type="application/json" id="inquiry">{as_json(asked)}</script>')
        data = joined(data, kept)
    title = f"{question} {sheet.record['facts'].get('source', '')}".strip()
    return framed(title, body, style=style, allowed=f"script-src {_in_policy(script)}",
                  after=f"{data}\n<script>{script}</script>\n")  # fmt: skip


def made_by(facts: Mapping[str, Any]) -> list[str]:
    """The day and the version that made a page, as far as they are known."""
    day = [Html(f"made {unbroken(str(facts['made']))}")] if "made" in facts else []
    return [*day, *([f"stakes {facts['stakes']}"] if "stakes" in facts else [])]


def stamped(facts: Mapping[str, Any] | None) -> dict[str, Any]:
    """The facts with the day and the version that made the page."""
    from stakes import __version__

    return {"made": date.today().isoformat(), "stakes": __version__, **(facts or {})}


def _data(sheet: Sheet) -> dict[str, Any]:
    """What the script reads."""
    record = sheet.record
    app = record["application"]
    named = {model["name"]: model for model in record["models"]}
    if sheet.large:
        app = {**app, "costs": [[min(row)] for row in app["costs"]]}
        named = {
            name: {**model, "counts": None, "cost_by_cell": None} for name, model in named.items()
        }
    return {
        "app": {**app, "naive": record["naive"]["decision"]},
        "cases": record["cases"],
        "level": record["level"],
        "names": list(sheet.order),
        "stated": [named[name] for name in sheet.order],
        "kept": [
            each.name for each in model_table.COLUMNS if each.title and each.name not in _MOVING
        ],
        **{what: sheet.numbers if sheet.moves == what else None for what in _MOVES},
        "points": sheet.points,
        "kind": record["verdict"]["kind"],
        "best": record["best"],
        "naive": record["naive"]["avoidable_cost"],
        "rival": _rival(sheet),
        "tooFew": record["too_few"],
        "challenge": record["challenge"],
        "scales": {chart.key: chart.scale for chart in sheet.charts},
        **({} if sheet.capacity is None else {"capacity": sheet.capacity}),
    }


def _rival(sheet: Sheet) -> dict[str, Any] | None:
    """The models that cannot be told from the best, and how far the nearest is from it."""
    close = close_to_best(sheet.record)
    if not close:
        return None
    best, near = sheet.record["best"], close[0]
    others = [one["second"] if one["first"] == best else one["first"] for one in close]
    ends = [near["low"], near["high"]]
    if near["value"] < 0:
        ends = [None if end is None else -end for end in reversed(ends)]
    return {
        "rivals": [sheet.order.index(other) for other in others],
        "value": abs(near["value"]),
        "ends": ends,
        "needed": near["cases_needed"],
    }


def _question(sheet: Sheet) -> str:
    """What the page answers."""
    models = sheet.record["models"]
    if any(model["threshold"] is not None for model in models):
        return "Which model should we deploy, and at which threshold?"
    return "Which model should we deploy?" if len(models) > 1 else "What does it cost?"


#: What follows the name of a model in that of a rule.
_RULES = (", per case", ", one threshold", ", average costs")


def _from(sheet: Sheet) -> Html:
    """Where the figures come from, in one line."""
    record = sheet.record
    facts, app, count = record["facts"], record["application"], len(record["models"])
    parts = [str(facts["source"])] if "source" in facts else []
    parts.append(f"{grouped(record['cases'])} cases")
    if len(app["classes"]) == 2:
        share, name = app["data_priors"][1], app["classes"][1]
        name = name if name[:1].isalpha() else f"“{name}”"  # not to be taken for a number
        parts.append(f"{grouped(round(share * record['cases']))} {name} ({percent(share)})")
    names = [model["name"] for model in record["models"]]
    models = len({_without_rule(name) if sheet.by_case else name for name in names})
    parts.append(f"{models} model{'s' if models != 1 else ''}")
    parts += [f"{count} rules"] if models < count else []
    parts += made_by(facts)
    return Html(" · ".join(text(part) for part in parts))


def _without_rule(name: str) -> str:
    """The model behind one of the rules that use it with costs per case."""
    return name.rpartition(", ")[0] if name.endswith(_RULES) else name


def _footer(sheet: Sheet) -> str:
    """What the page does and does not hold."""
    held = "This page holds counts and curves only: no rows, no identifiers."
    if sheet.numbers.get("sample"):
        size = grouped(sheet.numbers["sample"])
        held = (
            f"On request, this page holds the posteriors and the true classes of {size} cases, in "
            "random order and without identifiers, so that its matrix can be edited."
        )
    if listed := sheet.record.get("costliest_cases"):
        by = "row" if listed[0]["id"] is None else "id"
        held = f"On request, this page lists {len(listed)} cases by their {by}; for the "
        held += "rest it holds counts and curves only."
    return f"{held} It loads nothing from anywhere; its script is part of the file."


def _in_policy(source: str) -> str:
    """What a content-security policy calls a script or style sheet that stands in the page."""
    digest = hashlib.sha256(source.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def framed(title: str, body: Html, *, style: str, allowed: str, after: str = "") -> str:
    """A page of its own; beside its style sheet it loads only what is `allowed`."""
    policy = (
        f"default-src 'none'; style-src {_in_policy(style)}; {allowed}; base-uri 'none'; "
        "form-action 'none'"
    )
    head = joined(
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        element("title", title),
        Html(f"<style>{style}</style>"),
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n'
        f"<body>\n{element('main', body)}\n{after}</body>\n</html>\n"
    )
