"""The sections of the report page, one function each."""

from __future__ import annotations

from stakes.report.amounts import aligned, amount, grouped, per_case, percent, plain
from stakes.report.findings import Findings, ModelFinding
from stakes.report.markup import Html, element, joined, table

__all__ = [
    "computed_section",
    "confusion_section",
    "models_section",
    "money_section",
    "told_section",
]

#: A table of counts with more classes than this is not read; the costliest cells say more.
LARGEST_TABLE = 12


def told_section(findings: Findings) -> Html:
    """What the user said: costs as sentences, shares, volume, what was assumed."""
    app = findings.application
    assert app.priors is not None
    pairs = zip(app.classes, app.priors.tolist(), strict=True)
    shares = ", ".join(f"{name} {percent(share)}" for name, share in pairs)
    facts = [f"Share of each outcome where it will run: {shares}."]
    if app.volume is not None:
        period = f" a {app.period}" if app.period else ""
        facts.append(f"{grouped(app.volume)} cases{period}.")
    items = [element("li", fact) for fact in (*facts, *findings.notes)]
    return _section(
        "1 · What you told us",
        element("pre", "\n".join(findings.costs_said)),
        element("ul", joined(*items)),
    )


def models_section(findings: Findings) -> Html:
    """The models side by side."""
    app = findings.application
    unit = f" ({app.unit})" if app.unit else ""
    ruled = any(model.rule for model in findings.models)
    sure = any(model.interval for model in findings.models)
    head = ["model", "NEC"]
    head += ["95 % interval"] if sure else []
    head += ["act when"] if ruled else []
    head += [f"cost per case{unit}", _saving_title(findings)]
    head += ["best in"] if findings.comparison is not None else []
    rows = [
        ("best" if model is findings.best else "", _model_row(findings, model, ruled, sure))
        for model in findings.ranked
    ]
    rows.append(("naive", _naive_row(findings, ruled, sure)))
    caption = (
        "NEC: the cost divided by that of the best decision that ignores the model. "
        "0 is perfect, 1 is useless; lower is better."
    )
    if findings.comparison is not None:
        caption += " Best in: the share of drawn data sets in which the model costs least."
    return _section("2 · The models at that cost", table(caption, head, rows))


def _model_row(findings: Findings, model: ModelFinding, ruled: bool, sure: bool) -> list[Html]:
    """The cells of one model."""
    cells = [
        element("th", model.name, scope="row"),
        _cell("undefined" if model.nec is None else f"{model.nec:.3f}"),
    ]
    if sure:
        span = model.interval
        cells.append(_cell("" if span is None else f"{span[0]:.3f} – {span[1]:.3f}"))
    if ruled:
        cells.append(_cell(model.rule or ""))
    cells.append(_cell(per_case(model.cost)))
    cells.append(_cell(_saved(findings, findings.saving(model))))
    best_in = findings.best_in(model)
    return cells if best_in is None else [*cells, _cell(percent(best_in, 0))]


def _naive_row(findings: Findings, ruled: bool, sure: bool) -> list[Html]:
    """The cells of the best constant decision."""
    empty = [_cell("")] * (int(ruled) + int(sure))
    return [
        element("th", f"always decide '{findings.naive_decision}'", scope="row"),
        _cell("1.000" if findings.best.nec is not None else "undefined"),
        *empty,
        _cell(per_case(findings.naive_cost)),
        *[_cell("")] * (1 if findings.comparison is None else 2),
    ]


def money_section(findings: Findings) -> Html:
    """Which errors of the best model cost most."""
    best, app = findings.best, findings.application
    cells = findings.costliest(best)
    if not cells:
        return _section("3 · Where the money goes", element("p", "Nothing costs anything here."))
    unit = f" ({app.unit})" if app.unit else ""
    costs = aligned([cell[2] for cell in cells], 3)
    rows = [
        (
            "",
            [
                element("th", truth, scope="row"),
                element("td", decision, class_="left"),
                _cell(cost),
                _cell(percent(share, 0)),
            ],
        )
        for (truth, decision, _, share), cost in zip(cells, costs, strict=True)
    ]
    head = ["truth", "decision", f"cost per case{unit}", "share"]
    caption = f"The costliest cells of {best.name}; they add to {per_case(best.cost)} per case."
    if len(cells) == 5:
        caption = f"The five costliest cells of {best.name}, of {per_case(best.cost)} per case."
    return _section("3 · Where the money goes", table(caption, head, rows, left=2))


def confusion_section(findings: Findings) -> Html:
    """Counts per 1000 cases, for each model."""
    app = findings.application
    if max(app.costs.shape) > LARGEST_TABLE:
        note = f"Not shown: {app.costs.shape[0]} outcomes by {app.costs.shape[1]} decisions."
        return _section("4 · Out of 1000 cases", element("p", note, class_="soft"))
    tables = [_confusion_table(findings, model) for model in findings.ranked]
    note = "Rows are the truth, columns the decision; darker cells carry more of the cost."
    return _section("4 · Out of 1000 cases", element("p", note, class_="soft"), *tables)


def _confusion_table(findings: Findings, model: ModelFinding) -> Html:
    """One model's counts, shaded by their share of the cost."""
    app = findings.application
    counts = findings.per_thousand(model)
    gross = float(abs(model.cells).sum())
    largest = float(abs(model.cells).max()) / gross if gross else 1.0
    rows = []
    for i, outcome in enumerate(app.classes):
        cells = [element("th", f"truth {outcome}", scope="row")]
        for j in range(len(app.decisions)):
            share = abs(float(model.cells[i, j])) / gross if gross else 0.0
            shade = 0 if share < 0.005 else 1 + min(3, int(4 * share / largest))
            said = f"{percent(share, 0)} of the cost" if shade else ""
            inner = joined(_count(counts[i, j]), element("span", said, class_="cell-cost"))
            cells.append(element("td", inner, class_=f"share-{shade}" if shade else ""))
        rows.append(("", cells))
    head = [model.name, *(f"decide {name}" for name in app.decisions)]
    return table(f"{model.name}, out of 1000 cases where it will run", head, rows)


def computed_section(findings: Findings) -> Html:
    """How to get the same figures again."""
    facts = dict(findings.facts)
    parts = [element("pre", str(facts.pop("command")))] if "command" in facts else []
    names = {"sha256": "SHA-256 of the file", "label": "column of the truth", "form": "read as"}
    pairs = [
        joined(element("dt", names.get(key, key)), element("dd", str(value)))
        for key, value in facts.items()
    ]
    explained = (
        "Cost per case: the share of each outcome times the rate of each decision within it times "
        "its cost, added up. NEC: the same above the cheapest decision of each outcome, divided by "
        "that of the best constant decision (Ferrer 2025, equations 1 to 4)."
    )
    unsure = "No interval was computed: how far chance could move these figures is not shown."
    if any(model.interval for model in findings.models):
        unsure = ""
    return _section(
        "5 · How this was computed", *parts, element("p", f"{explained} {unsure}".rstrip()),
        element("dl", joined(*pairs)),
    )  # fmt: skip


def _section(title: str, *parts: str) -> Html:
    """A section with its heading."""
    return element("section", joined(element("h2", title), *parts))


def _cell(value: str) -> Html:
    """A cell of a table."""
    return element("td", value)


def _count(value: float) -> str:
    """A count out of 1000: whole numbers above ten, else one or two digits."""
    return f"{value:.0f}" if value >= 9.95 else plain(round(float(value), 2), 2)


def _saving_title(findings: Findings) -> str:
    """The heading of the savings."""
    app = findings.application
    unit = f" ({app.unit})" if app.unit else ""
    if app.volume is None:
        return f"saves per case{unit}"
    return f"saves per {app.period}{unit}" if app.period else f"saves{unit}"


def _saved(findings: Findings, saving: float) -> str:
    """A saving: per period when the volume is known."""
    volume = findings.application.volume
    return per_case(saving) if volume is None else amount(saving * volume)
