"""The section of a limit: a slider, what each model costs there, and what one more is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.messages.quantities import grouped, money, plain
from stakes.report.charts import swatch
from stakes.report.markup import Html, element, joined, section, table
from stakes.report.page_inputs import digits_of, slider

if TYPE_CHECKING:
    from stakes.report.page import Sheet


def capacity(sheet: Sheet) -> Html:
    """How often a decision may be taken, at the stated costs and shares."""
    held, record = sheet.capacity, sheet.record
    if held is None:
        return Html("")
    app, start = record["application"], held["start"]
    stops = _unpacked(held["stops"])
    words = f"“{held['decision']}” may be decided at most"
    moved = slider(
        "capacity", (0, len(stops) - 1, start), words, digits_of(stops[start], 9), held["per"]
    )
    others = f" Other limits stay: {'; '.join(held['others'])}." if held["others"] else ""
    caption = (
        "Models decide again at each capacity, and take the decision where it is expected to save "
        "most. Costs and savings are those of these cases; what one more is worth holds if the "
        f"probabilities are right. At the stated costs and shares.{others}"
    )
    unit = f", {app['unit']}" if app["unit"] else ""
    saves = f"saves a {app['period']}" if app["period"] else "saves"
    saves = saves if app["volume"] else "saves per case"
    head = ["model", "used in", f"cost per case{unit}", f"{saves}{unit}", f"one more saves{unit}"]
    rows = [_row(sheet, place, k) for place, k in enumerate(held["models"])]
    return section(
        "If the capacity were different",
        element("div", element("div", moved), class_="fields"),
        element("p", "", id="capacity-said", role="status", aria_live="polite"),
        table(caption, head, rows, below=True),
    )


def _row(sheet: Sheet, place: int, k: int) -> tuple[str, list[Html]]:
    """One model at the stated capacity; the script refills its cells."""
    held, app, name = sheet.capacity, sheet.record["application"], sheet.order[k]
    assert held is not None
    start = held["start"]
    used, cost, price = (_unpacked(held[what][place])[start] for what in ("used", "cost", "price"))
    saved = (_unpacked(held["naive"])[start] - cost) * (app["volume"] or 1)
    shown = {
        "used": f"{grouped(round(float(used), 2))} cases",
        "cost": plain(cost, 4),
        "saves": money(saved, None),
        "price": money(price, None),
    }
    cells = [element("td", text, id=f"capacity-{what}-{k}") for what, text in shown.items()]
    head = joined(swatch(k), element("span", name, class_="name"))
    return "", [element("th", head, scope="row"), *cells]


def _unpacked(packed: Any) -> Any:
    """The array behind `markup.packed`."""
    import base64

    return np.frombuffer(base64.b64decode(packed["d"]), dtype=f"<{packed['t']}").astype(float)
