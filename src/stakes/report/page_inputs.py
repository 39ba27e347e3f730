"""What the user told, and the sliders, fields and boxes that change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stakes.report.amounts import grouped, percent, plain
from stakes.report.markup import Html, element, joined, section, table, text

if TYPE_CHECKING:
    from stakes.report.page import Sheet

__all__ = ["told"]

#: A table with more classes than this is not read.
LARGEST_TABLE = 12


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
    return section("What you told us", *parts)


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
