"""The tables of the page: the models, where the cost comes from, slices, unknown costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stakes.evaluation.case_account import case_name
from stakes.evaluation.model_evaluation import AT_RANDOM
from stakes.evaluation.model_table import shown_columns
from stakes.evaluation.verdict import BRIEF
from stakes.messages.quantities import (
    aligned,
    between,
    cut_text,
    grouped,
    normalized,
    per_case,
    percent,
    plain,
)
from stakes.report.charts import swatch
from stakes.report.markdown_forms import doubt_table
from stakes.report.markup import Html, element, folded, joined, row, section, select, table
from stakes.report.page_inputs import LARGEST_TABLE, stays
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.report.page import Sheet


#: The section of costs by truth and decision.
_PAYERS = "Where the cost comes from"
#: Shares of the cost from which a cell is shaded, and darker; also in 3-tables.js.
_SHADES = (0.005, 0.1, 0.25, 0.5)
#: Cells that are listed where there are too many for a table.
_MOST_CELLS = 10


def models(sheet: Sheet) -> Html:
    """The models side by side, cheapest first."""
    record = sheet.record
    columns = shown_columns(record)
    rows = []
    for at, model in enumerate(record["models"]):
        k = sheet.order.index(model["name"])
        head = joined(swatch(k), element("span", model["name"], class_="name"))
        cells = [element("th", head, scope="row")]
        for each in columns[1:]:
            name = each.column.name
            cells.append(_cell(k, name, each.cells[at], model[name] if name == "nec" else None))
        rows.append(("best" if model["name"] == record["best"] else "", cells))
    held = record["naive"]
    always = AT_RANDOM if "shares" in held else f"always decide “{held['decision']}”"
    naive = element("th", always, scope="row", id="naive")
    rows.append(
        ("naive", [naive, element("td", "1.000"), *[element("td", "")] * (len(columns) - 2)])
    )
    caption = " ".join(
        f"{each.title[0].upper()}{each.title[1:]}: {each.column.meaning}."
        for each in columns
        if each.column.explained
    )
    made = table(caption, [each.title for each in columns], rows, name="models", below=True)
    return section("The models at that cost", made, _optimistic(sheet))


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
            _cell(k, "hullcut", "never" if cut is None else cut_text(cut), cut),
            element("td", _range_text(sheet.cut_ranges.get(model["name"]))),
        ]))  # fmt: skip
    caption = (
        "Optimistic: the threshold was chosen on the very cases it is judged on. "
        "Expect worse on new cases. The last column, at the stated costs, is the range in "
        "which the threshold falls for 95 % of resamples of these cases."
    )
    titles = ["model", "best NEC on these data", "at p >", "range of that threshold"]
    made = table(caption, titles, rows)
    return folded("Best on these data (optimistic)", made)


def _range_text(ends: tuple[float, float] | None) -> str:
    """Both ends of a range of probabilities; nothing where it is not known."""
    if ends is None:
        return ""
    low, high = (cut_text(min(max(end, 0.0), 1.0)) for end in ends)
    return f"{low} to {high}"


def payers(sheet: Sheet) -> Html:
    """Cases out of 1000 by truth and decision, shaded by their share of the cost."""
    record, app = sheet.record, sheet.record["application"]
    best = next(model for model in record["models"] if model["name"] == record["best"])
    paid, counts = np.array(best["cost_by_cell"]), np.array(best["counts"], dtype=float)
    shares = np.abs(paid) / (np.abs(paid).sum() or 1.0)
    totals = counts.sum(axis=1, keepdims=True)
    cases = 1000 * np.array(app["priors"])[:, None] * counts / np.where(totals > 0, totals, 1)
    if max(shares.shape) > LARGEST_TABLE:
        return section(_PAYERS, _cells(sheet, paid, shares, cases), _use(sheet))
    choice = joined(
        element("label", "Model", for_="payer"), select("payer", sheet.order, chosen=record["best"])
    )
    rows = []
    for i, outcome in enumerate(app["classes"]):
        cells = [element("th", f"truth {outcome}", scope="row")]
        for j, share in enumerate(shares[i]):
            said = f"{percent(share, 0)} of the cost" if share >= 0.005 else ""
            inner = joined(
                element("span", _count(cases[i, j]), class_="count"),
                element("span", said, class_="cell-cost"),
            )
            shade = sum(share >= least for least in _SHADES)
            cells.append(element("td", inner, id=f"cell-{i}-{j}", class_=f"share-{shade}"))
        rows.append(("", cells))
    head = ["out of 1 000 cases", *(f"decide {name}" for name in app["decisions"])]
    caption = "Out of 1 000 cases in deployment; darker cells carry more of the cost."
    return section(
        _PAYERS, element("p", choice, class_="field"), table(caption, head, rows), _use(sheet)
    )


def _cells(sheet: Sheet, paid: FloatArray, shares: FloatArray, cases: FloatArray) -> Html:
    """The cells of the cheapest model that cost most, where a whole table would not be read."""
    record, app, rows = sheet.record, sheet.record["application"], []
    for k in np.argsort(-shares, axis=None, kind="stable")[:_MOST_CELLS].tolist():
        i, j = divmod(k, shares.shape[1])
        if paid[i, j]:
            name = f"truth {app['classes'][i]}, decide {app['decisions'][j]}"
            share = percent(shares[i, j], 0)
            rows.append(row(name, _count(cases[i, j]), per_case(paid[i, j]), share))
    if not rows:
        return element("p", f"{record['best']} costs nothing at the stated costs.")
    outcomes, decisions = shares.shape
    caption = (
        f"The costliest of {outcomes} outcomes by {decisions} decisions for {record['best']}, "
        f"at the stated costs.{stays(sheet)}"
    )
    return table(caption, ["", "out of 1 000 cases", "cost per case", "share of the cost"], rows)


def _use(sheet: Sheet) -> Html:
    """How often the best model takes each decision, and what having it saves."""
    if not sheet.use:
        return Html("")
    costs, saves = (aligned([one[name] for one in sheet.use]) for name in ("cost", "saves"))
    rows = [
        row(one["decision"], percent(one["share"]), cost, "" if np.isnan(one["saves"]) else saved)
        for one, cost, saved in zip(sheet.use, costs, saves, strict=True)
    ]
    unit = sheet.record["application"]["unit"]
    tail = f", {unit}" if unit else ""
    caption = (
        f"How often {sheet.record['best']} takes each decision at the stated costs, and how much "
        f"more each case would cost if that decision were not available.{stays(sheet)}"
    )
    head = ["decision", "share of cases", f"adds to cost per case{tail}",
            f"cost rises without it{tail}"]  # fmt: skip
    return table(caption, head, rows)


def cases(sheet: Sheet) -> Html:
    """The costliest cases; only on request."""
    listed = sheet.record.get("costliest_cases")
    if not listed:
        return Html("")
    named, count_from = ("row", "; rows count from 1") if listed[0]["id"] is None else ("id", "")
    rows = [
        row(case_name(one), one["truth"], one["decision"], cost, percent(one["share"]), left=2)
        for one, cost in zip(listed, aligned([one["cost"] for one in listed]), strict=True)
    ]
    caption = f"Under {sheet.record['best']}, at the stated costs{count_from}.{stays(sheet)}"
    unit = sheet.record["application"]["unit"]
    cost = f"cost ({unit})" if unit else "cost"
    head = [named, "truth", "decision", cost, "share of the cost"]
    return section("The costliest cases", table(caption, head, rows, left=3))


def _count(value: float) -> str:
    """A count out of 1000: whole numbers above ten, else up to two digits."""
    return f"{value:.0f}" if value >= 9.95 else plain(round(float(value), 2), 2)


def slices(sheet: Sheet) -> Html:
    """The same evaluation for slices of the cases."""
    parts = sheet.record["slices"]
    if not parts:
        return Html("")
    rows = []
    for name, part in parts.items():
        best, kind = part["models"][0], part["verdict"]["kind"]
        kind = BRIEF.get(kind, kind)
        shown = normalized(best["nec"]), between(best["interval"])
        rows.append(row(name, part["best"], kind, grouped(part["cases"]), *shown, left=2))
    interval = f"{percent(sheet.record['level'])} interval"
    head = ["slice", "cheapest", "verdict", "cases", "NEC", interval]
    return section(
        "Slices of the cases", table(f"At the stated costs.{stays(sheet)}", head, rows, left=3)
    )


def doubt(sheet: Sheet) -> Html:
    """The models at the ends of the range, in its middle, on average, and their worst regret."""
    found = sheet.record["doubt"]
    if found is None:
        return Html("")
    head, lines = doubt_table(found)
    winners = [place["winner"] for place in found["places"]]
    rows = []
    for name, *cells in lines:
        for k, winner in enumerate(winners):
            cells[k] = element("b", cells[k]) if winner == name else cells[k]
        rows.append(row(name, *cells))
    caption = (
        f"Unknown: {found['words']}. Bold: the cheapest model at that end. Worst regret: how much "
        f"NEC the model costs, at most, above the cheapest one.{stays(sheet)}"
    )
    safest = f"{found['safest']} is the safest choice: its worst regret is the smallest."
    words = joined(element("p", safest), table(caption, head, rows, name="doubt"))
    return section("Over the whole range", words)
