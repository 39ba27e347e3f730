"""What the user told, and the sliders, fields and boxes that change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stakes.messages.quantities import grouped, percent, plain
from stakes.report.markup import Html, element, joined, section, table, text

if TYPE_CHECKING:
    from stakes.report.page import Sheet


#: A table with more classes than this is not read.
LARGEST_TABLE = 12


#: Why a page about costs per case may have nothing to move.
_UNMOVED = (
    "Nothing can be moved here: with costs per case that needs outcomes that occur, decisions that "
    "are each right for some of them on average, and few enough of both. To see other costs or "
    "shares, run stakes.evaluate(..., case_costs=...) again with them."
)


def told(sheet: Sheet) -> Html:
    """What the user said, with the sliders and fields that change it."""
    app = sheet.record["application"]
    parts = []
    if sheet.numbers is not None:
        parts.append(_sliders(sheet))
    elif sheet.each is not None and "paths" not in sheet.each:
        parts.append(_factor(sheet))
    elif sheet.each is not None:
        parts += [_matrix(sheet), _case_paths(sheet)]
    else:
        parts.append(_matrix(sheet))
        parts.append(_paths(sheet))
        if sheet.by_case:
            parts.append(element("p", _UNMOVED, class_="soft"))
    moves = any(given is not None for given in (sheet.numbers, sheet.table, sheet.each))
    fields = [_field("volume", _volume_label(app), app["volume"])] if moves else []
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


def _factor(sheet: Sheet) -> Html:
    """A factor on what every miss costs, and the share."""
    numbers, app = sheet.each, sheet.record["application"]
    assert numbers is not None
    name = app["classes"][1]
    free = not any(numbers["correct"])
    above = "" if free else " above a catch"
    first = joined(
        element("label", joined(
            f"A missed “{name}” costs ",
            element("output", "1", id="factor-shown", for_="factor"),
            f" times what was stated{above}, in every case"), for_="factor"),
        _range("factor", -numbers["factors"], numbers["factors"]),
    )  # fmt: skip
    second = joined(
        element("label", joined(
            f"Share of “{name}” where it will run: ",
            element("output", percent(app["priors"][1], 2), id="share-shown", for_="share")),
            for_="share"),
        _range("share", -numbers["shares"], numbers["shares"]),
    )  # fmt: skip
    return element("div", joined(element("div", first), element("div", second)), class_="fields")


def _case_paths(sheet: Sheet) -> Html:
    """A factor on errors about one class, and its share; with costs per case."""
    app = sheet.record["application"]
    assert sheet.each is not None
    paths = sheet.each["paths"]
    factor, share = (next(path for path in paths if path["kind"] == k) for k in ("factor", "share"))
    rows = list(dict.fromkeys(path["row"] for path in paths))
    named = element("span", f"“{app['classes'][rows[0]]}”", class_="moved-class")
    free = not any(any(map(any, own["least"])) for own in sheet.each["own"])
    above = "" if free else " above the cheapest decision"
    first = joined(
        element("label", joined("Errors about", named, "cost",
            element("output", "1", id="factor-shown", for_="factor"),
            f"times what was stated{above}, in every case"), for_="factor"),
        _range("factor", 0, factor["count"] - 1, factor["start"]),
    )  # fmt: skip
    second = joined(
        element("label", joined("Share of", named, "with the others in proportion:",
            element("output", percent(app["priors"][rows[0]], 2), id="share-shown", for_="share")),
            for_="share"),
        _range("share", 0, share["count"] - 1, share["start"]),
    )  # fmt: skip
    sliders = element("div", joined(element("div", first), element("div", second)), class_="fields")
    if len(rows) == 1:
        return sliders
    chosen = _classes("class that the sliders move", [app["classes"][k] for k in rows])
    inner = joined(element("label", "The sliders move", for_="class"), chosen)
    return joined(element("div", inner, class_="field"), sliders)


def _classes(label: str, names: list[Any]) -> Html:
    """A choice of one class."""
    options = [
        Html(f'<option value="{k}">{text(str(name))}</option>') for k, name in enumerate(names)
    ]
    return Html(
        f'<select id="class" aria-label="{text(label)}" autocomplete="off" disabled>'
        f"{joined(*options)}</select>"
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
    if given["how"] == "sample":
        size = grouped(given["sample"])
        return f"Edit a cost or a share: every model decides anew on the {size} cases inside this page."  # noqa: E501
    if given["how"] == "decisions":
        return "Edit a cost or a share: the decisions stay as they are and are priced anew."
    said = (
        "Edit a cost or a share: the decisions stay those made for the stated costs and shares, "
        "and are priced anew."
    )
    return (
        f"{said} Along a slider models decide anew by their probabilities."
        if given["paths"]
        else said
    )


def _paths(sheet: Sheet) -> Html:
    """The sliders along which models decide anew: a price, and the share of one class."""
    paths = sheet.table["paths"] if sheet.table is not None else []
    price = [path for path in paths if path["column"] is not None]
    shares = [path for path in paths if path["row"] is not None]
    parts = [_abstain(sheet, path) for path in price]
    parts += [_share(sheet, shares)] if shares else []
    return element("div", joined(*parts), class_="fields") if parts else Html("")


def _abstain(sheet: Sheet, given: Any) -> Html:
    """The price of handing a case over."""
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


def _share(sheet: Sheet, paths: list[Any]) -> Html:
    """The share of one class, the others in proportion."""
    app = sheet.record["application"]
    first = paths[0]
    name = app["classes"][first["row"]]
    shown = element("output", percent(app["priors"][first["row"]], 2), id="share-shown",
                    for_="share")  # fmt: skip
    if len(paths) == 1:
        label = element("label", joined(f"Share of “{name}”, the others in proportion: ", shown),
                        for_="share")  # fmt: skip
    else:
        chosen = _classes("class whose share moves", [app["classes"][p["row"]] for p in paths])
        label = element("div", joined(
            element("label", joined("Share, the others in proportion: ", shown), for_="share"),
            chosen), class_="field")  # fmt: skip
    return element("div", joined(label, _range("share", 0, first["count"] - 1, first["start"])))
