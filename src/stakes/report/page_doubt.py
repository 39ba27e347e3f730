"""The table of the page over all that unknown costs and shares may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stakes.report.amounts import normalized
from stakes.report.markup import Html, element, joined, section, table

if TYPE_CHECKING:
    from stakes.report.page import Sheet

__all__ = ["doubt"]


def doubt(sheet: Sheet) -> Html:
    """The models at the ends of the range, in its middle, on average, and their worst regret."""
    found = sheet.record["doubt"]
    if found is None:
        return Html("")
    places = found["places"]
    head = ["model", *(f"NEC at {place['words']}" for place in places), "middle", "mean",
            "worst regret"]  # fmt: skip
    rows = []
    for model in found["models"]:
        name = model["name"]
        cells = [element("th", name, scope="row")]
        cells += [
            element("td", element("b", shown) if place["winner"] == name else shown)
            for place, shown in zip(places, map(normalized, model["nec"]), strict=True)
        ]
        cells += [
            element("td", normalized(model[key]))
            for key in ("middle_nec", "mean_nec", "worst_regret")
        ]
        rows.append(("", cells))
    caption = (
        f"Unknown: {found['words']}. Bold: the cheapest model at that end. Worst regret: how much "
        "NEC the model costs, at most, above the cheapest one. Stays as it is when sliders move."
    )
    safest = f"If that stays unknown, {found['safest']} is the safest choice: its regret is least."
    words = joined(element("p", safest), table(caption, head, rows, name="doubt"))
    return section("Over all that is possible", words)
