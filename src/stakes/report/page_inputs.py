"""What the user told, and the sliders, fields and boxes that change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.messages.notes import Note
from stakes.messages.quantities import grouped, percent, plain
from stakes.report.markup import Html, element, folded, joined, section, select, table, text

if TYPE_CHECKING:
    from stakes.report.page import Sheet


#: A table with more classes than this is not read.
LARGEST_TABLE = 12
#: Why a page with very many outcomes has nothing to move, and where the rest is.
LARGE = (
    "There are too many outcomes for a page with sliders, so it shows the costliest cells only. "
    "ev.to_json(path), or stakes eval --json, gives all costs and counts."
)


#: Both ends of a slider, and where it starts.
Stops = tuple[int, int, int]
#: Why a page about costs per case may have nothing to move.
_UNMOVED = (
    "This page has no sliders: with costs per case they need two outcomes that both occur, and "
    "two decisions that are each right for one of them on average. To see other costs or shares, "
    "run stakes.evaluate(..., case_costs=...) again with them."
)


def stays(sheet: Sheet) -> str:
    """Said after what is known at the stated costs only, where something moves."""
    return " Does not follow the sliders." if sheet.moves else ""


def told(sheet: Sheet) -> Html:
    """What the user said, with the sliders and fields that change it."""
    app, numbers = sheet.record["application"], sheet.numbers
    unit = f", {app['unit']}" if app["unit"] else ""
    counted = (
        f"Number of cases a {app['period']}" if app["period"] else "Number of cases, for totals"
    )
    fields = [_field("volume", counted, app["volume"])]
    if sheet.moves == "two":
        parts = [_ratio(app, numbers)]
        fields.append(_field("unit", f"Cost of one false alarm{unit}", numbers["unitCost"]))
    elif sheet.moves == "each":
        parts = [_factor(app, numbers)]
        fields.append(_field("scale", "Multiply every cost by", 1))
    elif sheet.moves == "many":
        parts = [_matrix(sheet), _paths(app, numbers["paths"])]
    else:
        why = sheet.record["absent"].get("sliders")
        said = LARGE if sheet.large else _UNMOVED if why is None else Note(why)
        parts, fields = [_matrix(sheet), element("p", said, class_="soft")], []
    parts.append(element("div", joined(*fields), class_="fields"))
    parts.append(_position(sheet))
    off = "The sliders need scripts; without them the page shows the costs it was made for."
    parts.append(Html(f"<noscript>{element('p', off, class_='soft')}</noscript>"))
    pairs = list(zip(app["classes"], app["priors"], strict=True))[:20]
    shares = ", ".join(f"“{name}” {percent(share)}" for name, share in pairs)
    where = element("p", f"Class mix in deployment: {shares}.")
    notes = element("ul", joined(*(element("li", n["text"]) for n in sheet.record["notes"])))
    lines = element("pre", "\n".join(sheet.costs_said))
    return section(
        "What you told us", *parts, folded("Costs, class mix and notes", lines, where, notes)
    )


def _position(sheet: Sheet) -> Html:
    """The way back, a link to where things stand, and the command that asks for it."""
    if not sheet.moves and sheet.capacity is None:
        return Html("")
    words = "A number typed beside a slider moves to its nearest step."
    back = Html('<button type="button" id="reset">Reset</button>')
    link = joined(back, Html('<a id="here" href="#">Link to these settings</a>'))
    again = Html('<pre id="again" hidden></pre>') if sheet.record["inquiry"] is not None else ""
    moved = Html(f'<div id="position" hidden>{element("p", link, class_="links")}{again}</div>')
    snaps = sheet.moves in ("two", "each")
    return joined(element("p", words, class_="soft hint") if snaps else "", moved)


def _input(**attributes: Any) -> Html:
    """A control that the script enables."""
    given = " ".join(
        f'{name.replace("_", "-")}="{text(str(value))}"' for name, value in attributes.items()
    )
    return Html(f'<input {given} autocomplete="off" disabled>')


def _field(name: str, label: str, value: float | None) -> Html:
    """A number that the script listens to."""
    shown = "" if value is None else f"{value:.12g}"
    entry = _input(type="number", id=name, min=0, step="any", value=shown, placeholder=" ")
    return element(
        "div", joined(element("label", label, for_=name), entry, _was(name)), class_="field"
    )


def _fields(*parts: Html) -> Html:
    """Sliders side by side."""
    return element("div", joined(*(element("div", part) for part in parts)), class_="fields")


def slider(
    name: str, stops: Stops, before: str, shown: str, after: str = "", beside: str = ""
) -> Html:
    """A slider under its words and the box of its number; `stops` are both ends and the start."""
    low, high, start = stops
    entry = {"type": "number", "id": f"{name}-box", "step": "any", "class": "box", "value": shown}
    box = joined(_input(**entry, aria_label=f"{before} ({after or 'number'})"), after)
    said = joined(
        element("label", before, for_=name), beside, element("span", box), _was(f"{name}-box")
    )
    slider = _input(type="range", id=name, min=low, max=high, step=1, value=start)
    return joined(element("div", said, class_="field"), slider)


def _was(name: str) -> Html:
    """What stood there before it was changed; the script fills it."""
    return Html(f'<span class="was" id="{name}-was"></span>')


def digits_of(value: float, digits: int) -> str:
    """A number as a box takes it: no exponent, no gaps."""
    return np.format_float_positional(float(f"{value:.{digits}g}"), trim="-")


def _share(app: Any, stops: Stops, before: str = "", row: int = 1, **more: str) -> Html:
    """A slider of the share of one class."""
    before = before or f"Share of “{app['classes'][row]}” in deployment"
    return slider("share", stops, before, digits_of(100 * app["priors"][row], 3), "%", **more)


def _ratio(app: Any, numbers: Any) -> Html:
    """Cost ratio and share."""
    ratio = (app["costs"][1][0] - app["costs"][1][1]) / numbers["unitCost"]
    words, most = f"One missed “{app['classes'][1]}” costs as much as", numbers["ratioStops"]
    return _fields(
        slider("ratio", (-most, most, 0), words, digits_of(ratio, 3), "false alarms"),
        _share(app, (-numbers["lower"], numbers["upper"], 0)),
    )


def _factor(app: Any, numbers: Any) -> Html:
    """A factor on what every miss costs, and the share."""
    above = " above a catch" if any(numbers["correct"]) else ""
    words, factors = f"Multiply every miss cost{above} by", numbers["factors"]
    return _fields(
        slider("factor", (-factors, factors, 0), words, "1"),
        _share(app, (-numbers["shares"], numbers["shares"], 0)),
    )


def _paths(app: Any, paths: list[Any]) -> Html:
    """The sliders along which models decide anew: a price, and the share of one class."""
    parts, rows = [], []
    for path in paths:
        stops, column, row = (0, path["count"] - 1, path["start"]), path["column"], path["row"]
        if column is not None:
            words, price = f"Deciding “{app['decisions'][column]}” costs", app["costs"][0][column]
            unit = app["unit"] or ""
            said = element("p", "", class_="soft", id="abstain-said")
            parts.append(joined(slider("abstain", stops, words, digits_of(price, 9), unit), said))
        else:
            rows.append((row, stops))
    if rows:  # the share of one class, the others in proportion
        names = [app["classes"][row] for row, _ in rows]
        one, beside = f" of “{names[0]}”", ""
        if len(rows) > 1:
            one, beside = " of this class", select("class", names, label="class whose share moves")
        before = f"Share{one}; the others keep their proportions"
        parts.append(_share(app, rows[0][1], before, rows[0][0], beside=beside))
    return _fields(*parts) if parts else Html("")


def _matrix(sheet: Sheet) -> Html:
    """The costs as a table, with the shares; boxes where they may be changed."""
    app = sheet.record["application"]
    if max(len(app["classes"]), len(app["decisions"])) > LARGEST_TABLE:
        size = f"{len(app['classes'])} outcomes by {len(app['decisions'])} decisions"
        return element(
            "p", f"Costs of {size}: not shown here, but part of the JSON.", class_="soft"
        )
    free = sheet.moves == "many"
    rows = []
    for i, outcome in enumerate(app["classes"]):
        cells = [element("th", f"truth {outcome}", scope="row")]
        for j, decision in enumerate(app["decisions"]):
            label = f"cost when the truth is {outcome} and the decision {decision}"
            cells.append(_box(f"cost-{i}-{j}", app["costs"][i][j], label, free=free))
        label = f"share of {outcome} in deployment, in percent"
        cells.append(_box(f"prior-{i}", 100 * app["priors"][i], label, free=free, digits=4))
        rows.append(("", cells))
    unit = f" ({app['unit']})" if app["unit"] else ""
    head = [f"cost{unit}", *(f"decide {name}" for name in app["decisions"]), "share, %"]
    said = "Rows are the truth, columns the decision."
    if sheet.by_case:
        said += " These are averages: each case has its own costs."
    made = table(said, head, rows)
    if not free:
        return made
    return joined(
        made,
        element("p", _editing(sheet.numbers), class_="soft hint", id="sample-note"),
        element("p", "", class_="soft", id="share-note"),
    )


def _box(name: str, value: float, label: str, *, free: bool, digits: int = 12) -> Html:
    """A number in a table that may be changed, or only read."""
    if not free:
        return element("td", plain(value, 4))
    kind = {"type": "number", "step": "any", "class": "cost"}
    return element("td", _input(**kind, id=name, value=f"{value:.{digits}g}", aria_label=label))


def _editing(given: Any) -> str:
    """What happens to the decisions when a number is changed."""
    size = grouped(given["sample"])
    along = " If you move a slider, the models decide again." if given["paths"] else ""
    what = {
        "sample": f"every model decides again on the {size} cases inside this page.",
        "decisions": "the decisions stay as they are, and their costs are computed again.",
        "fixed": f"the decisions stay the same, and only their cost is recomputed.{along}",
    }
    return f"If you edit a cost or a share in the table, {what[given['how']]}"
