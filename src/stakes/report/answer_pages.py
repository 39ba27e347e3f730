"""Pages of a watch and of an audit, in the style of the report and without a script."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from stakes._checks import of_kind
from stakes.application import Application
from stakes.application.cost_sentences import describe_application
from stakes.audit.audit_words import proof_of
from stakes.audit.indifference import level_sets
from stakes.audit.metric_audit import Audit
from stakes.audit.ranking_metric import ScoreAudit
from stakes.evaluation.evaluation_record import plain_facts
from stakes.messages.quantities import aligned, grouped, percent, signed
from stakes.metrics.metric_catalogue import spoken
from stakes.monitoring import PeriodEstimates, Watch
from stakes.monitoring.change_advice import parts_of
from stakes.monitoring.period_estimates import BRIEFLY, combined_advice, needless_alarms
from stakes.plots.style import axes_of_size
from stakes.report.charts import inline
from stakes.report.live.page_charts import why_no_charts
from stakes.report.markup import Html, element, joined, row, section, table, text
from stakes.report.page import framed, made_by, stamped

_CLOSED = "This page holds counts only: no rows, no identifiers. It loads nothing from anywhere."


def watch_page(
    found: Watch,
    *,
    title: str = "",
    facts: Any = None,
    estimates: PeriodEstimates | None = None,
) -> str:
    """The page of a watch: what to do, the costs over the periods, and every period."""
    question = of_kind(title, "title", str) or "Do the decisions still cost the same?"
    first = found.first_alarm
    said = found.advice if first is None else f"Alarm at {found.alarms[0]!s}. {first.advice}"
    if estimates is not None:
        of_kind(estimates, "estimates", PeriodEstimates)
    said = combined_advice(found, said, estimates)
    sections = [
        section("The cost of each period", _drawn("cost", "Cost per case over the periods",
                lambda: _periods_drawn(found, estimates)), _periods(found)),
        Html("") if estimates is None else _estimated(estimates),
        _moved(found),
        _told(found.application),
        section("How this was computed", element("p", "Every period is compared with "
                f"{found.reference!s}. {needless_alarms(found, estimates)}")),
    ]  # fmt: skip
    cases = grouped(sum(found.frame()["cases"].tolist()))
    later = len(found.periods) - 1
    words = f"{later} period{'s' * (later != 1)} compared with {found.reference!s}"
    origin = [f"{cases} cases", words]
    return _page(question, said, origin, sections, facts)


def audit_page(
    found: Audit | ScoreAudit, *, title: str = "", facts: Any = None, more: Sequence[str] = ()
) -> str:
    """The page of an audit: the answer, the reasons, the picture, the proof and the costs."""
    question = of_kind(title, "title", str) or f"What does {spoken(found.metric)} reward?"
    first, *reasons = found.sentences
    for each in of_kind(more, "more", Sequence):
        of_kind(each, "more", str)
    listed = element("ul", joined(*(element("li", each) for each in (*reasons, *more))))
    sections = [section("Why", listed)] if (*reasons, *more) else []
    if isinstance(found, Audit):
        sections += [_levels(found), _proof(found)]
    if found.candidates is not None:
        chosen = found.candidates
        rows = [row(name, *cells) for name, *cells in
                zip(chosen.names, aligned(chosen.costs.tolist()), aligned(chosen.values.tolist()),
                    strict=True)]  # fmt: skip
        head = ["model", "cost per case", spoken(found.metric)]
        sections.append(section("Your models", table("Cost and metric of each model", head, rows)))
    sections.append(_told(found.application))
    return _page(question, first, [found.metric], [each for each in sections if each], facts)


def _page(
    question: str, said: str, origin: Sequence[str], sections: Sequence[Html], facts: Any
) -> str:
    """A page with its answer first."""
    known = stamped(plain_facts(facts))
    parts = [*([str(known["source"])] if known.get("source") else []), *origin, *made_by(known)]
    style = files("stakes.report").joinpath("page.css").read_text(encoding="utf-8")
    answer, stop, rest = said.partition(". ")
    words = joined(element("strong", answer + stop.strip()), rest) if stop else text(answer)
    body = joined(
        element("header", joined(
            element("h1", question),
            element("p", Html(" · ".join(text(part) for part in parts)), class_="from"),
            element("p", words, class_="verdict", id="verdict"),
        )),
        *sections,
        element("footer", element("p", _CLOSED, class_="soft")),
    )  # fmt: skip
    return framed(question, body, style=style, allowed="script-src 'none'")


def _drawn(key: str, label: str, drawn: Callable[[], Any]) -> Html:
    """A drawing; or why there is none."""
    if missing := why_no_charts():
        return element("p", missing, class_="soft")
    svg = Html(inline(drawn(), key, label, text=12.4).svg)
    return element("figure", element("div", svg, class_="chart alone"))


def _periods_drawn(found: Watch, estimates: PeriodEstimates | None) -> Any:
    """The axes of the costs over the periods."""
    from stakes.plots import cost_over_periods

    return cost_over_periods(found, estimates=estimates, ax=axes_of_size(5.4, 3.4))


def _periods(found: Watch) -> Html:
    """One row per period."""
    frame = found.frame()
    costs, changes = aligned(frame["cost"].tolist()), signed(frame["change"].tolist())
    both, n = aligned([*frame["low"].tolist(), *frame["high"].tolist()], 3), len(found.periods)
    ends = zip(both[:n], both[n:], strict=True)
    rows = []
    for k, (name, limits) in enumerate(zip(found.periods, ends, strict=True)):
        few = math.isnan(frame["low"][k])
        rows.append(row(str(name), grouped(float(frame["cases"][k])), costs[k],
                        "too few" if few else " – ".join(limits), changes[k],
                        "ALARM" if frame["alarm"][k] else ""))  # fmt: skip
    unit = f" ({found.application.unit})" if found.application.unit else ""
    head = ["period", "cases", f"cost per case{unit}", f"{percent(found.level)} interval",
            f"change{unit}", "alarm"]  # fmt: skip
    return table(f"Every period against {found.reference!s}", head, rows)


def _estimated(found: PeriodEstimates) -> Html:
    """One row per period that was estimated; with its cost where labels have arrived."""
    frame = found.frame()
    values, lows, highs, costs = (
        aligned(frame[name].tolist()) for name in ("estimate", "low", "high", "cost")
    )
    rows = []
    for k, name in enumerate(found.periods):
        none = math.isnan(frame["estimate"][k])
        rows.append(row(str(name), "none" if none else f"~{values[k]}",
                        "" if none else f"{lows[k]} – {highs[k]}", BRIEFLY[frame["change"][k]],
                        "not yet" if math.isnan(frame["cost"][k]) else costs[k],
                        "ALARM" if frame["alarm"][k] else ""))  # fmt: skip
    interval = f"{percent(found.level)} interval"
    head = ["period", "estimate", interval, "assuming", "by labels", "alarm"]
    shown = table("Estimated cost per case, without labels", head, rows)
    return section("Before labels arrive", shown, element("p", found.text))


def _moved(found: Watch) -> Html:
    """What moved at the first alarm."""
    change = found.first_alarm
    if change is None:
        return Html("")
    rows = [row(part, moved) for part, moved in parts_of(change).items()]
    caption = f"Change at {found.alarms[0]!s}, with its interval"
    unit = f" ({found.application.unit})" if found.application.unit else ""
    return section("What moved", table(caption, ["part", f"change{unit}"], rows))


def _levels(found: Audit) -> Html:
    """Level sets of the metric against lines of equal cost, for two classes."""
    app = found.application
    if not found.compliance.slopes.shape[0]:
        return Html("")
    from stakes.plots import level_sets as draw

    share = 0.5 if app is None or app.priors is None else float(app.priors[1])
    if found.opposite is not None:
        share = float(found.opposite.preferred.priors[1])
    metric = found.metric.replace("(", ":").rstrip(")")
    try:
        grid = level_sets(metric, priors=share, application=app)
    except (KeyError, ValueError):  # a function of one's own
        return Html("")
    label = f"Lines on which {spoken(found.metric)} is the same"
    chart = _drawn("levels", label, lambda: draw(grid, pair=found.opposite,
                                                 ax=axes_of_size(5.4, 4.6)))  # fmt: skip
    return section(f"What {spoken(found.metric)} treats as equally good", chart)


def _proof(found: Audit) -> Html:
    """Tables that no fixed costs rank as the metric does."""
    proof = proof_of(found.compliance)
    if proof is None:
        return Html("")
    head, *rows = proof.table
    shown = table(proof.claim, ["model", *head[1:]], [row(*each) for each in rows])
    return section("Proof", shown, element("p", proof.reason))


def _told(app: Application | None) -> Html:
    """The costs as sentences."""
    if app is None:
        return Html("")
    lines = describe_application(app).splitlines()
    return section("What you told us", element("pre", "\n".join(lines), tabindex="0"))
