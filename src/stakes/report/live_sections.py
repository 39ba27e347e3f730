"""The sections of the live page, one function each; the script refills what has an id."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from stakes.report.amounts import amount, grouped, normalized, per_case, percent, plain
from stakes.report.embedding import data_url
from stakes.report.markup import Html, element, joined, table, text
from stakes.report.symbols import cursor, swatch

if TYPE_CHECKING:
    from stakes.report.live_page import Sheet

__all__ = ["changes", "computed", "drawings", "models", "payers", "slices", "told", "verdict"]

#: A table of counts with more classes than this is not read.
LARGEST_TABLE = 12


def verdict(sheet: Sheet) -> Html:
    """What to do, announced again whenever it changes; then what to mind."""
    said = sheet.record["verdict"]
    first, stop, rest = said["sentence"].partition(". ")
    words = joined(element("strong", first + stop.strip()), rest) if stop else text(first)
    parts = [element("p", words, class_="verdict", id="verdict", role="status", aria_live="polite")]
    parts += [element("p", remark, class_="warning stated") for remark in said["remarks"]]
    return joined(*parts)


def told(sheet: Sheet) -> Html:
    """What the user said, with the sliders and fields that change it."""
    app = sheet.record["application"]
    parts = []
    if sheet.numbers is not None:
        parts.append(_sliders(sheet))
    elif sheet.table is not None:
        parts.append(_matrix(sheet))
        parts.append(_abstain(sheet))
    else:
        parts.append(_matrix(sheet))
    fields = [_field("volume", _volume_label(app), app["volume"])]
    if sheet.numbers is not None:
        unit = f", {app['unit']}" if app["unit"] else ""
        fields.append(_field("unit", f"Cost of one false alarm{unit}", sheet.numbers["unitCost"]))
    parts.append(element("div", joined(*fields), class_="fields"))
    off = "The sliders need scripts; without them the page shows the costs it was made for."
    parts.append(Html(f"<noscript>{element('p', off, class_='soft')}</noscript>"))
    lines = element("pre", "\n".join(sheet.costs_said)) if sheet.costs_said else Html("")
    notes = element("ul", joined(*(element("li", n) for n in sheet.record["notes"])))
    inner = joined(element("summary", "As it was stated"), lines, _shares(app), notes)
    parts.append(element("details", inner))
    return _section("What you told us", *parts)


def _shares(app: Any) -> Html:
    """The share of each outcome where it will run."""
    pairs = zip(app["classes"], app["priors"], strict=True)
    shares = ", ".join(f"{name} {percent(share)}" for name, share in list(pairs)[:20])
    return element("p", f"Share of each outcome where it will run: {shares}.")


def _sliders(sheet: Sheet) -> Html:
    """Cost ratio and share."""
    numbers, app = sheet.numbers, sheet.record["application"]
    assert numbers is not None
    name = app["classes"][1]
    ratio = (app["costs"][1][0] - app["costs"][1][1]) / numbers["unitCost"]
    first = joined(
        element("label", joined(
            f"One missed “{name}” costs as much as ",
            element("output", plain(ratio, 3), id="ratio-shown", for_="ratio"),
            " false alarms"), for_="ratio", id="ratio-label"),
        _range("ratio", -numbers["ratioStops"], numbers["ratioStops"]),
    )  # fmt: skip
    second = joined(
        element("label", joined(
            f"Share of “{name}” where it will run: ",
            element("output", percent(app["priors"][1], 2), id="share-shown", for_="share")),
            for_="share", id="share-label"),
        _range("share", -numbers["lower"], numbers["upper"]),
    )  # fmt: skip
    return element("div", joined(element("div", first), element("div", second)), class_="fields")


def _range(name: str, low: int, high: int, value: int = 0) -> Html:
    """A slider that the script enables."""
    return Html(
        f'<input type="range" id="{name}" min="{low}" max="{high}" step="1" value="{value}" '
        'autocomplete="off" disabled>'
    )


def _field(name: str, label: str, value: float | None) -> Html:
    """A number that the script listens to."""
    shown = "" if value is None else f"{value:.12g}"
    entry = Html(
        f'<input type="number" id="{name}" min="0" step="any" value="{shown}" autocomplete="off" '
        "disabled>"
    )
    return element("div", joined(element("label", label, for_=name), entry), class_="field")


def _volume_label(app: Any) -> str:
    """What the volume counts."""
    return f"Cases a {app['period']}" if app["period"] else "Cases"


def _matrix(sheet: Sheet) -> Html:
    """The costs as a table; boxes where they may be changed."""
    app = sheet.record["application"]
    if max(len(app["classes"]), len(app["decisions"])) > LARGEST_TABLE:
        return Html("")
    free = sheet.table is not None and bool(sheet.table.get("editable"))
    rows = []
    for i, outcome in enumerate(app["classes"]):
        cells = [element("th", f"truth {outcome}", scope="row")]
        for j, decision in enumerate(app["decisions"]):
            shown = f"{app['costs'][i][j]:.12g}"
            label = text(f"cost when the truth is {outcome} and the decision {decision}")
            box = f'<input type="number" step="any" class="cost" id="cost-{i}-{j}" value="{shown}" aria-label="{label}" autocomplete="off" disabled>'  # noqa: E501
            cells.append(element("td", Html(box) if free else shown))
        rows.append(("", cells))
    unit = f" ({app['unit']})" if app["unit"] else ""
    head = [f"cost{unit}", *(f"decide {name}" for name in app["decisions"])]
    made = table("Rows are the truth, columns the decision.", head, rows)
    if not free:
        return made
    size = sheet.table["sample"] if sheet.table is not None else 0
    note = "Edit a cost: every model decides anew"
    note += f" on the {grouped(size)} cases inside this page." if size else "."
    return joined(made, element("p", note, class_="soft", id="sample-note"))


def _abstain(sheet: Sheet) -> Html:
    """The price of handing a case over."""
    given = sheet.table.get("abstain") if sheet.table is not None else None
    if given is None:
        return Html("")
    app = sheet.record["application"]
    unit = f" {app['unit']}" if app["unit"] else ""
    price = app["costs"][0][given["column"]]
    inner = joined(
        element("label", joined(f"Deciding “{app['decisions'][given['column']]}” costs ",
                                element("output", plain(price, 3), id="abstain-shown",
                                        for_="abstain"), unit), for_="abstain"),
        _range("abstain", 0, given["count"] - 1, given["start"]),
        element("p", "", class_="soft", id="abstain-said"),
    )  # fmt: skip
    return element("div", inner)


def models(sheet: Sheet) -> Html:
    """The models side by side, cheapest first."""
    record = sheet.record
    app, found = record["application"], record["models"]
    unit = f" ({app['unit']})" if app["unit"] else ""
    saves = "saves per case" if app["volume"] is None else "saves"
    if app["volume"] is not None and app["period"]:
        saves = f"saves per {app['period']}"
    kept = _kept(found)
    level = record["level"]
    titles = {
        "interval": f"{percent(level, 0)} interval" if level else "interval",
        "after": "re-calibrated",
        "cut": "act when p >",
        "saving": f"{saves}{unit}",
        "chance": "best in",
    }
    head = ["model", "NEC", *(titles[name] for name in kept)]
    rows = [
        ("best" if model["name"] == record["best"] else "", _row(sheet, model, kept))
        for model in found
    ]
    naive = element("th", f"always decide “{record['naive']['decision']}”", scope="row", id="naive")
    rows.append(("naive", [naive, element("td", "1.000"), *[element("td", "")] * len(kept)]))
    caption = (
        "NEC: expected cost divided by that of the best decision that ignores the model; "
        "0 is perfect, 1 is useless, lower is better."
    )
    if "after" in kept:
        caption += " Re-calibrated: after cross-fitted calibration, which its figures pay for."
    if "chance" in kept:
        caption += " Best in: how often the model would cost least if the cases were drawn again."
    return _section(
        "The models at that cost", table(caption, head, rows, name="models"), _optimistic(sheet)
    )


def _kept(found: list[Any]) -> list[str]:
    """The columns that have something to say."""
    has = {
        "interval": any(m["interval"] for m in found),
        "after": any(m["recalibrated_nec"] is not None for m in found),
        "cut": any(m["threshold"] is not None for m in found),
        "saving": True,
        "chance": any(m["probability_best"] is not None for m in found),
    }
    return [name for name, some in has.items() if some]


def _row(sheet: Sheet, model: Any, kept: list[str]) -> list[Html]:
    """The cells of one model; the script finds them by model and column."""
    k = sheet.order.index(model["name"])
    volume = sheet.record["application"]["volume"]
    interval = model["interval"]
    shown = {
        "interval": "" if not interval or None in interval
        else f"{interval[0]:.3f} – {interval[1]:.3f}",
        "after": "" if model["recalibrated_nec"] is None else f"{model['recalibrated_nec']:.3f}",
        "cut": "" if model["threshold"] is None else f"{model['threshold']:.3f}",
        "saving": per_case(model["saving"]) if volume is None else amount(model["total_saving"]),
        "chance": "" if model["probability_best"] is None
        else percent(model["probability_best"], 0),
    }  # fmt: skip
    head = joined(swatch(k, len(sheet.order)), element("span", model["name"], class_="name"))
    cells = [
        element("th", head, scope="row"),
        _cell(k, "nec", normalized(model["nec"]), model["nec"]),
    ]
    return cells + [_cell(k, name, shown[name], None) for name in kept]


def _cell(k: int, name: str, shown: str, value: float | None) -> Html:
    """A cell that can be refilled."""
    attributes = {"data_value": repr(value)} if value is not None else {}
    return element("td", shown, id=f"{name}-{k}", **attributes)


def _optimistic(sheet: Sheet) -> Html:
    """The best thresholds on these very data, folded away and called by their name."""
    found = [m for m in sheet.record["models"] if m["optimistic_nec"] is not None]
    if not found:
        return Html("")
    rows = []
    for model in found:
        k, cut = sheet.order.index(model["name"]), model["optimistic_threshold"]
        rows.append(("", [
            element("th", model["name"], scope="row"),
            _cell(k, "hull", f"{model['optimistic_nec']:.3f}", model["optimistic_nec"]),
            _cell(k, "hullcut", "never" if cut is None else f"{cut:.3f}", cut),
        ]))  # fmt: skip
    caption = (
        "Optimistic: the threshold was chosen on the very cases it is judged on. "
        "Expect worse on new cases."
    )
    made = table(caption, ["model", "best NEC on these data", "at p >"], rows)
    return element("details", joined(element("summary", "Best on these data (optimistic)"), made))


def drawings(sheet: Sheet) -> list[Html]:
    """The charts, two by two; or why there are none."""
    if sheet.missing:
        return [_section("Charts", element("p", sheet.missing, class_="soft"))]
    if not sheet.charts:
        return []
    said = {
        "bayes": ("If the costs were different", "Solid with symbols: as they are, with intervals. "
                  "Dashed: best threshold on these data. The line is where the sliders stand."),
        "reliability": ("Can the probabilities be trusted?", sheet.reliability_said),
        "decision": ("Is it worth it at all?", "Net benefit in true positives per case, at the "
                     "stated share; dashed: act on everyone, line at 0: act on nobody."),
        "det": ("Errors traded", "Symbols: where the models stand now. Grey: fewer than 30 "
                "errors."),
    }  # fmt: skip
    made = []
    for chart in sheet.charts:
        title, caption = said[chart.key]
        drawn = cursor(chart, len(sheet.order), line=chart.key in ("bayes", "decision"))
        reading = element("p", Html("&nbsp;"), class_="reading", id=f"{chart.key}-reading")
        figure = joined(
            element("div", Html(drawn), class_="chart"),
            reading,
            element("figcaption", caption),
        )
        made.append(_section(title, element("figure", figure), class_=f"wide-{chart.key}"))
    pairs = [made[k : k + 2] for k in range(0, len(made), 2)]
    return [element("div", joined(*pair), class_="pair") for pair in pairs]


def payers(sheet: Sheet) -> Html:
    """Cases out of 1000 by truth and decision, shaded by their share of the cost."""
    record = sheet.record
    app = record["application"]
    if max(len(app["classes"]), len(app["decisions"])) > LARGEST_TABLE:
        size = f"{len(app['classes'])} outcomes by {len(app['decisions'])} decisions"
        return _section("Who pays", element("p", f"Not shown: {size}.", class_="soft"))
    best = next(m for m in record["models"] if m["name"] == record["best"])
    options = [
        Html(f'<option value="{k}"{" selected" if name == record["best"] else ""}>'
             f"{text(name)}</option>")
        for k, name in enumerate(sheet.order)
    ]  # fmt: skip
    choice = joined(
        element("label", "Model", for_="payer"),
        Html(f'<select id="payer" autocomplete="off" disabled>{joined(*options)}</select>'),
    )
    totals = [sum(row) for row in best["counts"]]
    paid = best["cost_by_cell"] or [
        [p * n / (t or 1) * c for n, c in zip(counts, costs, strict=True)]
        for p, counts, t, costs in zip(
            app["priors"], best["counts"], totals, app["costs"], strict=True
        )
    ]
    gross = sum(abs(part) for row in paid for part in row) or 1.0
    rows = []
    for i, outcome in enumerate(app["classes"]):
        cells = [element("th", f"truth {outcome}", scope="row")]
        for j in range(len(app["decisions"])):
            cases = 1000 * app["priors"][i] * best["counts"][i][j] / (totals[i] or 1)
            share = abs(paid[i][j]) / gross
            inner = joined(
                element("span", count(cases), class_="count"),
                element("span", f"{percent(share, 0)} of the cost" if share >= 0.005 else "",
                        class_="cell-cost"),
            )  # fmt: skip
            shade = 0 if share < 0.005 else 1 + min(3, int(4 * share))
            cells.append(element("td", inner, id=f"cell-{i}-{j}", class_=f"share-{shade}"))
        rows.append(("", cells))
    head = ["out of 1000 cases", *(f"decide {name}" for name in app["decisions"])]
    caption = "Cases out of 1000 where it will run; darker cells carry more of the cost."
    return _section("Who pays", element("p", choice, class_="field"), table(caption, head, rows))


def count(value: float) -> str:
    """A count out of 1000: whole numbers above ten, else up to two digits."""
    return f"{value:.0f}" if value >= 9.95 else plain(round(float(value), 2), 2)


def changes(sheet: Sheet) -> Html:
    """What would change the choice: costs, shares, calibration, more cases."""
    items = _changes(sheet.record)
    return _section("What could change this", element("ul", joined(*items))) if items else Html("")


def _changes(record: Any) -> list[Html]:
    """The sentences, from the stated place."""
    items = _holds(record)
    for found in record["differences"]:
        if not found["decided"] and record["best"] in (found["first"], found["second"]):
            half = (found["high"] - found["low"]) / 2
            text_ = (f"{found['first']} and {found['second']} cannot be told apart: difference "
                     f"{abs(found['value']):.3f} ± {half:.3f}")  # fmt: skip
            if found["cases_needed"] is not None and found["cases_needed"] > record["cases"]:
                text_ += f"; about {grouped(_rounded(found['cases_needed']))} cases would do"
            items.append(element("li", f"{text_}."))
    for model in record["models"]:
        after = model["recalibrated_nec"]
        if after is not None and model["nec"] is not None and model["nec"] - after > 0.005:
            gain = model["nec"] - after
            items.append(
                element("li", f"Re-calibrating {model['name']} would lower its NEC by {gain:.3f}.")
            )
    return items


def _holds(record: Any) -> list[Html]:
    """From where to where the best model stays best: by cost ratio, and by share."""
    app, stretches = record["application"], record["ranges"]
    if not stretches:
        return []
    (tn, fp), (fn, tp) = app["costs"]
    ratio, name = (fn - tp) / (fp - tn), app["classes"][1]
    here = [s for s in stretches if s["low"] <= ratio <= (s["high"] or math.inf)]
    if not here:
        return []
    low, high = here[0]["low"], here[0]["high"]
    winner = {"none": "A constant decision does as well", "tie": "No model is clearly cheapest"}
    said = winner.get(here[0]["winner"], f"{here[0]['winner']} costs least")
    reach = _reach(low, high, lambda value: plain(value, 3))
    odds = app["priors"][1] / app["priors"][0] / ratio
    shares = _reach(low * odds, None if high is None else high * odds,
                    lambda value: percent(value / (1 + value)))  # fmt: skip
    items = [
        element("li", f"{said}{reach} false alarms per missed “{name}”, at the stated share."),
        element("li", f"{said}{shares} “{name}”, at the stated costs."),
    ]
    rows = [
        ("", [element("th", f"{plain(s['low'], 3)} to "
                            f"{'any number' if s['high'] is None else plain(s['high'], 3)}",
                      scope="row"),
              element("td", {"none": "no model is worth having", "tie": "no clear winner"}.get(
                  s["winner"], s["winner"]), class_="left")])
        for s in stretches
    ]  # fmt: skip
    head = [f"false alarms per missed “{name}”", "costs least, as it is"]
    every = table("At the stated share; exact for these cases, chance included.", head, rows)
    inner = joined(element("summary", "Who costs least at every cost"), every)
    return [*items, element("li", element("details", inner), class_="plain")]


def _reach(low: float, high: float | None, shown: Any) -> str:
    """A range in words."""
    if high is None:
        return f" from {shown(low)}" if low else " at any number of"
    return f" from {shown(low)} to {shown(high)}" if low else f" up to {shown(high)}"


def _rounded(number: float) -> float:
    """Two digits, upwards."""
    unit = 10 ** max(0, math.floor(math.log10(max(number, 1))) - 1)
    return float(math.ceil(number / unit) * unit)


def slices(sheet: Sheet) -> Html:
    """The same evaluation for parts of the cases."""
    parts = sheet.record["slices"]
    if not parts:
        return Html("")
    rows = []
    for name, part in parts.items():
        best = part["models"][0]
        rows.append(("", [
            element("th", name, scope="row"),
            element("td", grouped(part["cases"])),
            element("td", part["best"], class_="left"),
            element("td", normalized(best["nec"])),
            element("td", part["verdict"]["kind"], class_="left"),
        ]))  # fmt: skip
    head = ["part", "cases", "cheapest", "its NEC", "verdict"]
    return _section("Parts of the cases", table("At the stated costs.", head, rows))


def computed(sheet: Sheet) -> Html:
    """How to get the same figures again, and the figures to take away."""
    record = sheet.record
    facts = dict(record["facts"])
    parts = [element("pre", str(facts.pop("command")))] if "command" in facts else []
    names = {"sha256": "SHA-256 of the file", "label": "column of the truth", "form": "read as"}
    pairs = [
        joined(element("dt", str(names.get(key, key))), element("dd", str(value)))
        for key, value in facts.items()
    ]
    explained = (
        "Expected cost: the share of each outcome times the rate of each decision within it times "
        "its cost, added up. NEC: the same above the cheapest decision of each outcome, divided "
        "by that of the best constant decision (Ferrer 2025, equations 1 to 4). As it is: a "
        "model's probabilities are taken at their word. Intervals are by the score test."
    )
    if sheet.numbers is not None:
        explained += (
            " Away from the stated costs, models are told apart by the score test, and how often "
            "a model is best takes differences of costs as normal."
        )
    links = [
        _link("JSON", "evaluation.json", json.dumps(record, allow_nan=False), "application/json"),
        _link("CSV", "models.csv", _csv(record), "text/csv"),
    ]
    links += [
        Html(f'<button type="button" class="svg" data-chart="{chart.key}" hidden>'
             f"{chart.key}.svg</button>")
        for chart in sheet.charts
    ]  # fmt: skip
    took = joined("Take away: ", *links)
    return _section(
        "How this was computed", *parts, element("p", explained),
        element("dl", joined(*pairs)) if pairs else "", element("p", took, class_="links"),
    )  # fmt: skip


def _link(label: str, name: str, content: str, kind: str) -> Html:
    """A file to download that is part of the page."""
    return element("a", label, href=data_url(content, kind), download=name)


def _csv(record: Any) -> str:
    """The table of the models at the stated costs."""
    import csv
    import io

    names = ["name", "nec", "low", "high", "recalibrated_nec", "threshold", "cost", "saving",
             "total_saving", "probability_best", "optimistic_nec"]  # fmt: skip
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    for model in record["models"]:
        low, high = model["interval"] or (None, None)
        row = {**model, "low": low, "high": high}
        writer.writerow(["" if row[name] is None else row[name] for name in names])
    return buffer.getvalue()


def _section(title: str, *parts: str, class_: str = "") -> Html:
    """A section with its heading."""
    return element("section", joined(element("h2", title), *parts), class_=class_)
