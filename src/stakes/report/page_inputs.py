"""What the user told, and the sliders, fields and boxes that change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stakes.messages.quantities import grouped, percent, plain
from stakes.report.markup import Html, element, folded, joined, section, select, table, text

if TYPE_CHECKING:
    from stakes.report.page import Sheet


#: A table with more classes than this is not read.
LARGEST_TABLE = 12


#: Why a page about costs per case may have nothing to move.
_UNMOVED = (
    "Nothing can be moved here: with costs per case that needs two outcomes that both occur, and "
    "two decisions that are each right for one of them on average. To see other costs or shares, "
    "run stakes.evaluate(..., case_costs=...) again with them."
)


def told(sheet: Sheet) -> Html:
    """What the user said, with the sliders and fields that change it."""
    app = sheet.record["application"]
    parts = []
    if sheet.numbers is not None:
        parts.append(_sliders(sheet))
    elif sheet.each is not None:
        parts.append(_factor(sheet))
    else:
        parts.append(_matrix(sheet))
        parts.append(_paths(sheet))
        if sheet.by_case:
            parts.append(element("p", _UNMOVED, class_="soft"))
    moves = any(given is not None for given in (sheet.numbers, sheet.table, sheet.each))
    counted = f"Cases a {app['period']}" if app["period"] else "Cases"
    fields = [_field("volume", counted, app["volume"])] if moves else []
    unit = f", {app['unit']}" if app["unit"] else ""
    if sheet.numbers is not None:
        fields.append(_field("unit", f"Cost of one false alarm{unit}", sheet.numbers["unitCost"]))
    if sheet.each is not None:
        fields.append(_field("scale", "Every cost, times", 1))
    parts.append(element("div", joined(*fields), class_="fields"))
    off = "The sliders need scripts; without them the page shows the costs it was made for."
    parts.append(Html(f"<noscript>{element('p', off, class_='soft')}</noscript>"))
    lines = element("pre", "\n".join(sheet.costs_said)) if sheet.costs_said else Html("")
    notes = element("ul", joined(*(element("li", n["text"]) for n in sheet.record["notes"])))
    parts.append(folded("As it was stated", lines, _shares(app), notes))
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
    words = f"One missed “{name}” costs as much as "
    most = numbers["ratioStops"]
    return _fields(
        _slider("ratio", -most, most, 0, _label("ratio", words, plain(ratio, 3), " false alarms")),
        _slider("share", -numbers["lower"], numbers["upper"], 0, _share_label(app)),
    )


def _fields(*parts: Html) -> Html:
    """Sliders side by side."""
    return element("div", joined(*(element("div", part) for part in parts)), class_="fields")


def _label(name: str, before: str, shown: str, after: str = "") -> Html:
    """The words of a slider, around where it stands."""
    output = element("output", shown, id=f"{name}-shown", for_=name)
    return element("label", joined(before, output, after), for_=name)


def _share_label(app: Any, before: str = "", row: int = 1) -> Html:
    """The words of a slider of the share of one class."""
    before = before or f"Share of “{app['classes'][row]}” where it will run: "
    return _label("share", before, percent(app["priors"][row], 2))


def _slider(name: str, low: int, high: int, start: int, label: Html) -> Html:
    """A slider under its words, which the script enables."""
    entry = Html(
        f'<input type="range" id="{name}" min="{low}" max="{high}" step="1" value="{start}" '
        'autocomplete="off" disabled>'
    )
    return joined(label, entry)


def _path_slider(name: str, path: Any, label: Html) -> Html:
    """A slider along a path, from its first stop to its last."""
    return _slider(name, 0, path["count"] - 1, path["start"], label)


def _field(name: str, label: str, value: float | None) -> Html:
    """A number that the script listens to."""
    shown = "" if value is None else f"{value:.12g}"
    entry = Html(
        f'<input type="number" id="{name}" min="0" step="any" value="{shown}" autocomplete="off" '
        "disabled>"
    )
    return element("div", joined(element("label", label, for_=name), entry), class_="field")


def _factor(sheet: Sheet) -> Html:
    """A factor on what every miss costs, and the share."""
    numbers, app = sheet.each, sheet.record["application"]
    assert numbers is not None
    above = " above a catch" if any(numbers["correct"]) else ""
    words = f"A missed “{app['classes'][1]}” costs "
    label = _label("factor", words, "1", f" times what was stated{above}, in every case")
    return _fields(
        _slider("factor", -numbers["factors"], numbers["factors"], 0, label),
        _slider("share", -numbers["shares"], numbers["shares"], 0, _share_label(app)),
    )


def _matrix(sheet: Sheet) -> Html:
    """The costs as a table, with the shares; boxes where they may be changed."""
    app = sheet.record["application"]
    if max(len(app["classes"]), len(app["decisions"])) > LARGEST_TABLE:
        size = f"{len(app['classes'])} outcomes by {len(app['decisions'])} decisions"
        return element(
            "p", f"Costs of {size}: not shown here, but part of the JSON.", class_="soft"
        )
    free = sheet.table is not None
    rows = []
    for i, outcome in enumerate(app["classes"]):
        cells = [element("th", f"truth {outcome}", scope="row")]
        for j, decision in enumerate(app["decisions"]):
            label = f"cost when the truth is {outcome} and the decision {decision}"
            cells.append(_box(f"cost-{i}-{j}", app["costs"][i][j], label, free=free))
        label = f"share of {outcome} where it will run, in percent"
        cells.append(_box(f"prior-{i}", 100 * app["priors"][i], label, free=free, digits=4))
        rows.append(("", cells))
    unit = f" ({app['unit']})" if app["unit"] else ""
    head = [f"cost{unit}", *(f"decide {name}" for name in app["decisions"]), "share, %"]
    said = "Rows are the truth, columns the decision."
    if sheet.by_case:
        said += " Averages over the cases, each of which has its own costs."
    made = table(said, head, rows)
    if sheet.table is None:
        return made
    return joined(
        made,
        element("p", _editing(sheet.table), class_="soft", id="sample-note"),
        element("p", "", class_="soft", id="share-note"),
    )


def _box(name: str, value: float, label: str, *, free: bool, digits: int = 12) -> Html:
    """A number in a table that may be changed, or only read."""
    if not free:
        return element("td", plain(value, 4))
    shown = f"{value:.{digits}g}"
    box = f'<input type="number" step="any" class="cost" id="{name}" value="{shown}" aria-label="{text(label)}" autocomplete="off" disabled>'  # noqa: E501
    return element("td", Html(box))


def _editing(given: Any) -> str:
    """What happens to the decisions when a number is changed."""
    size = grouped(given["sample"])
    along = " Along a slider models decide anew by their probabilities." if given["paths"] else ""
    what = {
        "sample": f"every model decides anew on the {size} cases inside this page.",
        "decisions": "the decisions stay as they are and are priced anew.",
        "fixed": "the decisions stay those made for the stated costs and shares, and are priced "
        f"anew.{along}",
    }
    return f"Edit a cost or a share: {what[given['how']]}"


def _paths(sheet: Sheet) -> Html:
    """The sliders along which models decide anew: a price, and the share of one class."""
    paths = sheet.table["paths"] if sheet.table is not None else []
    app = sheet.record["application"]
    parts = [_abstain(app, path) for path in paths if path["column"] is not None]
    shares = [path for path in paths if path["row"] is not None]
    parts += [_share(app, shares)] if shares else []
    return _fields(*parts) if parts else Html("")


def _abstain(app: Any, path: Any) -> Html:
    """The price of handing a case over."""
    unit = f" {app['unit']}" if app["unit"] else ""
    column = path["column"]
    words, price = f"Deciding “{app['decisions'][column]}” costs ", app["costs"][0][column]
    label = _label("abstain", words, plain(price, 3), unit)
    said = element("p", "", class_="soft", id="abstain-said")
    return joined(_path_slider("abstain", path, label), said)


def _share(app: Any, paths: list[Any]) -> Html:
    """The share of one class, the others in proportion."""
    first = paths[0]
    names = [app["classes"][path["row"]] for path in paths]
    one = f" of “{names[0]}”" if len(paths) == 1 else ""
    label = _share_label(app, f"Share{one}, the others in proportion: ", first["row"])
    if not one:
        chosen = select("class", names, label="class whose share moves")
        label = element("div", joined(label, chosen), class_="field")
    return _path_slider("share", first, label)
