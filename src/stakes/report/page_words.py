"""The sentences of the page: the verdict, what could change it, how it was computed."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from stakes.evaluation.model_table import as_csv, flat_columns
from stakes.evaluation.verdict import difference_words, quoted_name
from stakes.messages.quantities import digits_apart, percent, plain
from stakes.report.charts import Chart, cursor, line_swatch, swatch
from stakes.report.markup import (
    Html,
    data_url,
    element,
    folded,
    joined,
    row,
    section,
    table,
    text,
    unbroken,
)
from stakes.report.page_inputs import LARGE, stays

if TYPE_CHECKING:
    from stakes.report.page import Sheet


def verdict(sheet: Sheet) -> Html:
    """What to do, announced again whenever it changes; then what to mind."""
    said = sheet.record["verdict"]
    first, stop, rest = said["sentence"].partition(". ")
    words = joined(element("strong", first + stop.strip()), rest) if stop else text(first)
    parts = [element("p", words, class_="verdict", id="verdict", role="status", aria_live="polite")]
    for remark in said["remarks"]:
        warning = "warning " if remark["severity"] == "warning" else ""
        parts.append(element("p", remark["text"], class_=f"{warning}remark stated"))
    if said["remarks"] and sheet.moves:
        hidden = "Remarks are hidden: they hold only for the stated costs. Reset shows them again."
        parts.append(Html(f'<p class="soft unstated" hidden>{hidden}</p>'))
    return joined(*parts)


def drawings(sheet: Sheet) -> list[Html]:
    """The charts, two by two; or why there are none."""
    if sheet.missing:
        return [section("Charts", element("p", sheet.missing, class_="soft"))]
    if not sheet.charts:
        return []
    made: dict[tuple[str, str], list[Html]] = {}
    for chart in sheet.charts:
        title, caption, lines = _captioned(sheet, chart)
        kind = chart.key.partition("-")[0]
        drawn = cursor(chart, len(sheet.order), line=kind in _MARKED)
        reading = element("p", Html("&nbsp;"), class_="reading", id=f"{chart.key}-reading")
        drawn = element("div", Html(drawn), class_="chart")
        inner = joined(_key(sheet, chart, lines), drawn, reading, element("figcaption", caption))
        figure = element("figure", inner, id=f"figure-{chart.key}")
        made.setdefault((title, kind), []).append(figure)
    return _paired(made)


def _key(sheet: Sheet, chart: Chart, lines: dict[str, str]) -> Html:
    """What every line of a chart is: the models, and the looks that lines share."""
    names = sheet.order
    if sheet.by_case and chart.key == "reliability":  # of models, not of their rules
        names = tuple(name.partition(",")[0] for name in names)
    named = [(swatch(k), names[k]) for k in chart.models]
    named += [(line_swatch(look), words) for look, words in lines.items()]
    items = [element("li", joined(*each)) for each in named]
    if rest := len(chart.left_out):
        items.append(element("li", f"{rest} costlier model{'s' if rest > 1 else ''} not drawn"))
    return element("ul", joined(*items), class_="key")


#: Drawings whose abscissa is what a slider moves.
_MARKED = ("bayes", "decision", "factor", "abstain", "share")
#: What the grey line at NEC 1 is.
_CONSTANT = {"grey": "always the same decision"}
#: What the diagonal is, where predictions are drawn against what was observed.
_CALIBRATED = {"grey": "perfectly calibrated"}


def _captioned(sheet: Sheet, chart: Chart) -> tuple[str, str, dict[str, str]]:
    """The heading and the caption of one drawing, and what its looks mean beside the models."""
    kind, _, row = chart.key.partition("-")
    app = sheet.record["application"]
    name = f"“{app['classes'][int(row)]}”" if row else ""
    dashed = any(model["optimistic_nec"] is not None for model in sheet.record["models"])
    sure = sheet.moves == "two" and sheet.numbers["sure"]
    line = "The vertical line marks the value of the slider."
    level = percent(sheet.record["level"], 1)
    fixed = "Does not depend on the costs."
    best = {"dashed": "best threshold on these data"} if dashed else {}
    return {
        "bayes": ("If the costs were different", "Lower is better. Costlier misses and more "
                  f"“{app['classes'][-1]}” both move the vertical line to the right."
                  f"{f' Bands: {level} intervals.' if sure else ''}", {**best, **_CONSTANT}),
        "reliability": ("Can the probabilities be trusted?", chart.caption, _CALIBRATED),
        "decision": ("Is a model worth using at all?", "Net benefit in true positives per case at "
                     "the stated share; higher is better. Only the cost slider moves the "
                     "vertical line.",
                     {"grey": "always act (falling), never act (0)"}),
        "det": ("Misses vs false alarms", "Large symbols: the models at the current settings.",
                {"pale": "fewer than 30 errors"}),
        "tippett": ("How strong is the evidence?", "Share of cases whose likelihood ratio is "
                    f"larger. Grey: no evidence either way. {fixed}",
                    {"solid": f"“{app['classes'][-1]}”", "dashed": f"“{app['classes'][0]}”"}),
        "entropy": ("What stays unknown?", "Empirical cross-entropy at any prior odds; there is no "
                    f"line where a model was certain and wrong. {fixed}",
                    {"dashed": "re-calibrated on these data", "grey": "without evidence"}),
        "factor": ("If misses cost more or less", f"NEC at the stated share. {line}", _CONSTANT),
        "abstain": ("If abstaining cost more or less", "Models decide again by their probabilities "
                    f"at each cost. {line}", _CONSTANT),
        "coverage": ("What abstaining buys", "Cost per case, against the share of cases that are "
                     "decided. From left to right the cost of abstaining rises from 0. "
                     "Large symbols: the models at the current settings.",
                     {"solid": "decided cases only", "dashed": "including the cost of abstaining"}),
        "share": ("If the shares were different", f"NEC against the share of {name}, the others "
                  f"in proportion; models decide again by their probabilities. {line}", _CONSTANT),
        "trust": ("Can the probabilities be trusted?", f"Predicted probability of {name} against "
                  f"how often it occurs. {chart.caption}", _CALIBRATED),
    }[kind]  # fmt: skip


def _paired(made: dict[tuple[str, str], list[Html]]) -> list[Html]:
    """Sections two by two; drawings of one kind share a section, of which one is shown."""
    sections = []
    for (title, kind), (first, *others) in made.items():
        hidden = [Html(each.replace("<figure ", "<figure hidden ", 1)) for each in others]
        sections.append(section(title, first, *hidden, class_=f"wide-{kind}"))
    pairs = [sections[k : k + 2] for k in range(0, len(sections), 2)]
    return [
        element("div", joined(*pair), class_="pair" if len(pair) > 1 else "pair alone")
        for pair in pairs
    ]


def changes(sheet: Sheet) -> Html:
    """What would change the choice: costs, shares, calibration, more cases."""
    record = sheet.record
    items = [*_holds(record), *_undecided(record), *_recalibrated(record)]
    if not items:
        return Html("")
    where = element("p", f"At the stated costs.{stays(sheet)}", class_="soft")
    return section("What could change this", where, element("ul", joined(*items)))


#: More sentences of one kind than this are not read.
_MOST_SENTENCES = 5


def close_to_best(record: Any) -> list[Any]:
    """Differences between the best model and those that cannot be told from it, nearest first."""
    best = record["best"]
    close = [
        found
        for found in record["differences"]
        if not found["decided"] and best in (found["first"], found["second"])
    ]
    return sorted(close, key=lambda one: abs(one["value"]))


def _undecided(record: Any) -> list[Html]:
    """Models that cannot be told from the best, the nearest first."""
    items = []
    close = close_to_best(record)
    for found in close[:_MOST_SENTENCES]:
        first, second = quoted_name(found["first"]), quoted_name(found["second"])
        more = (found["cases_needed"] or math.nan) - record["cases"]
        low, high = (math.nan if found[end] is None else found[end] for end in ("low", "high"))
        how = difference_words(found["value"], low, high, more)
        items.append(element("li", f"The data cannot tell {first} from {second} ({how})."))
    if len(close) > _MOST_SENTENCES:
        more = len(close) - _MOST_SENTENCES
        items.append(element("li", f"The same holds for {more} more models."))
    return items


def _recalibrated(record: Any) -> list[Html]:
    """What calibration would save, most first."""
    gains = [
        (model["nec"] - model["recalibrated_nec"], model["name"])
        for model in record["models"]
        if model["recalibrated_nec"] is not None and model["nec"] is not None
    ]
    worth = sorted((one for one in gains if one[0] > 0.005), key=lambda one: -one[0])
    return [
        element("li", f"Re-calibrating {name} would lower its NEC by {gain:.3f}.")
        for gain, name in worth[:_MOST_SENTENCES]
    ]


def _holds(record: Any) -> list[Html]:
    """Which model costs least at every cost ratio."""
    stretches, app = record["ranges"], record["application"]
    if not stretches:
        return []
    (tn, fp), (fn, tp) = app["costs"]
    if fp <= tn or fn <= tp:
        return []
    others = {"none": "no model pays off", "tie": "no clear winner"}
    ratio = (fn - tp) / (fp - tn)  # the one in use reads like no border
    rows, digits = [], digits_apart([ratio, *(each["low"] for each in stretches)])
    for each in stretches:
        low, high = plain(each["low"], digits), each["high"]
        stretch = f"{low} or more" if high is None else f"{low} to {plain(high, digits)}"
        winner = others.get(each["winner"], each["winner"])
        rows.append(row(stretch, winner, left=1))
    head = [f"false alarms per missed “{app['classes'][1]}”", "cheapest model, uncalibrated"]
    every = table("At the stated share, measured on these same cases.", head, rows, left=2)
    return [element("li", folded("Which model is cheapest at which cost", every), class_="plain")]


def _file_name(chart: Chart, classes: Any) -> str:
    """What a drawing is called when it is kept, with the class that it is about."""
    kind, _, row = chart.key.partition("-")
    return f"{kind}-{classes[int(row)]}.svg" if row else f"{kind}.svg"


def computed(sheet: Sheet) -> Html:
    """How to get the same figures again, and the figures to download."""
    record = sheet.record
    facts = dict(record["facts"])
    parts = [element("pre", unbroken(str(facts.pop("command"))))] if "command" in facts else []
    if sheet.large:
        parts.append(element("p", LARGE, class_="soft"))
    elif record["inquiry"] is not None:
        again = "To run this evaluation again: stakes eval --inquiry FILE, where FILE is this page."
        parts.append(element("p", again, class_="soft"))
    names = {"sha256": "SHA-256 of the file", "label": "column of the truth", "form": "read as"}
    pairs = [
        joined(
            element("dt", str(names.get(key, key))),
            element("dd", unbroken(str(value)) if key == "calibrate" else str(value)),
        )
        for key, value in facts.items()
    ]
    explained = (
        "Expected cost: the share of each outcome times the rate of each decision within it times "
        "its cost, added up. NEC: the expected cost above that of perfect decisions, divided by "
        "the same for the best decision that ignores the model (Ferrer 2025, equations 1 to 4). "
        "Models are evaluated with their probabilities as they are, unless a figure says “if "
        "calibrated”."
    )
    explained += f" {sheet.sureness}" if sheet.sureness else ""
    whole = "" if sheet.large else json.dumps(record, allow_nan=False, separators=(",", ":"))
    links = [
        element("a", label, href=data_url(content, kind), download=name)
        for label, name, content, kind in (
            ("JSON", "evaluation.json", whole, "application/json"),
            ("CSV", "models.csv", as_csv(flat_columns(record["models"])), "text/csv"),
        )
        if content
    ]
    links += [
        Html(f'<button type="button" class="svg" data-chart="{chart.key}" hidden>'
             f"{text(_file_name(chart, record['application']['classes']))}</button>")
        for chart in sheet.charts
    ]  # fmt: skip
    took = joined("Download: ", *links)
    return section(
        "How this was computed", *parts, element("p", explained),
        element("dl", joined(*pairs)) if pairs else "", element("p", took, class_="links"),
    )  # fmt: skip
