"""The drawings of the page: those of `stakes.plots`, without legends, under names of our own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import curves
from stakes._optional import load
from stakes.curves.bayes_error import BayesErrorCurve
from stakes.evaluation.evaluation_plots import det_curve, tippett_curve
from stakes.evaluation.model_rows import Model
from stakes.exceptions import MissingExtraError, UndefinedError
from stakes.messages.quantities import grouped, percent
from stakes.plots.style import axes_of_size, pen
from stakes.report.charts import Chart, finished
from stakes.report.live.any_matrix import MatrixPath
from stakes.report.live.reliability_charts import reliability_chart, scores_of
from stakes.report.markup import packed
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

#: What an axis of normalised costs says.
_NEC_AXIS = "NEC (1 = best constant decision)"
#: Widths and heights of drawings in inches; charts.py calls those above 5 wide.
_WIDE, _SQUARE = (5.6, 3.7), (4.4, 4.1)
#: What the main drawing of reliability shows.
_RELIABILITY = "Observed shares against what models say"
#: Most models with lines of their own; where there are more, those of the cheapest are drawn.
MOST_LINES = 8
#: Points of a line that the page can read out.
_READ_POINTS = 60
#: Shares, and factors, that may be written at an axis.
_SHARES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999)
_FACTORS = (0.1, 0.2, 0.5, 1, 2, 5, 10)


def why_no_charts() -> str:
    """What drawings lack; empty when they can be made."""
    try:
        load("matplotlib", extra="plots")
    except MissingExtraError as missing:
        return f"The drawings need matplotlib: {missing.hint}"
    return ""


def charts_of(ev: Evaluation, stops: Any) -> tuple[list[Chart], dict[str, Any]]:
    """The drawings of two classes, and the curves of the reliability drawing by model.

    `stops` are the abscissae of the sliders' stops, and the NECs and their limits there.
    """
    names = {f"m{k}": model.name for k, model in enumerate(ev.models)}
    try:
        known = ev.plot.scores()
    except UndefinedError:
        known = {}
    if not all(one.class_totals.all() for one in known.values()):
        return [], {}
    cheapest = sorted(range(len(ev.models)), key=lambda k: (ev.models[k].cost, k))
    left = tuple(sorted(cheapest[MOST_LINES:]))
    scores = {key: known.get(name) for key, name in names.items()}
    first = replace(_bayes_error(ev, scores, stops, left), left_out=left)
    if not known:
        return [first], {}
    scores |= dict.fromkeys(f"m{k}" for k in left)
    best = next(key for key, name in names.items() if name == ev.best)
    found = {key: one for key, one in scores.items() if one is not None}
    trusted, reliability = reliability_chart(
        found, best, key="reliability", label=_RELIABILITY, name=ev.best,
        event=str(ev.application.classes[1]),
    )  # fmt: skip
    more = [replace(each, left_out=left) for each in (trusted, _decision(ev, scores), _det(scores))]
    return [first, *more], {"reliability": reliability}


def _short(name: Any) -> str:
    """A name that fits into a drawing."""
    shown = "".join(c for c in str(name) if c.isprintable())
    return shown if len(shown) <= 18 else f"{shown[:17]}…"


def _bayes_error(ev: Evaluation, scores: Any, stops: Any, left: tuple[int, ...]) -> Chart:
    """Normalised cost against the application, with the intervals at the stops.

    Models that are `left` out have no line.
    """
    from stakes import plots

    x, nec, low, high = stops
    share = _share(ev)
    offset = math.log(share / (1 - share))
    here = offset - ev.application.log_odds_threshold
    ends = min(-6.0, math.floor(here) - 2.0), max(6.0, math.ceil(here) + 2.0)
    inside = (x >= ends[0]) & (x <= ends[1])
    none, one = np.full(inside.sum(), np.nan), np.ones(inside.sum())
    grid = np.linspace(*ends, round((ends[1] - ends[0]) * 20) + 1)
    found = {
        key: None
        if k in left
        else curves.bayes_error(counted, grid)
        if counted is not None  # decisions have no threshold to choose
        else BayesErrorCurve(x[inside], nec[k][inside], none, one, none, none, True)
        for k, (key, counted) in enumerate(scores.items())
    }
    bands = None if low is None else {
        f"m{k}": SimpleNamespace(x=x[::2], low=low[k][::2], high=high[k][::2])
        for k in range(len(scores)) if not pen(k).thin and k not in left
    }  # fmt: skip
    ax = plots.bayes_error(found, span=ev.plot.span(), bands=bands or None, ax=axes_of_size(*_WIDE))
    dashed = {f"minimum-m{k}" for k in range(len(scores)) if pen(k).thin}  # too many lines
    for each in (*ax.texts, *(line for line in ax.get_lines() if line.get_gid() in dashed)):
        each.remove()  # a text is "m0: off scale"
    ax.set_xlim(*ends)
    ratios = [10.0**e for e in range(-9, 10) if ends[0] <= e * math.log(10) + offset <= ends[1]]
    labels = [grouped(r) if r >= 1 else f"1/{grouped(1 / r)}" for r in ratios]
    ax.set_xticks([math.log(r) + offset for r in ratios], labels)
    label = "Normalised cost of every model against the cost ratio and the share"
    words = f"false alarms that one missed “{_short(ev.application.classes[1])}” costs"
    return finished(ax, "bayes", label, _drawn(found), x=words, y=_NEC_AXIS)


def _share(ev: Evaluation) -> float:
    """The share of the second class where it will run."""
    return float(ev.application.resolved_priors(ev.data_priors)[1])


def _decision(ev: Evaluation, scores: Any) -> Chart:
    """Net benefit against the threshold probability."""
    from stakes import plots

    top = 0.5 if ev.application.posterior_threshold < 0.4 else 0.99
    thresholds, share = np.linspace(0.005, top, 100), _share(ev)
    found = {
        k: None if s is None else curves.decision(s, thresholds, priors=share)
        for k, s in scores.items()
    }
    ax = plots.decision(found, ax=axes_of_size(*_WIDE))
    ticks = [t for t in (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9) if t <= top]
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    label = "Net benefit of every model, of always acting and of never acting"
    words = {"x": "act when the probability is above", "y": "net benefit"}
    return finished(ax, "decision", label, _drawn(found), **words)


def _drawn(found: Mapping[str, Any]) -> list[str]:
    """Those of which there is a curve."""
    return [name for name, curve in found.items() if curve is not None]


def _det(scores: Any) -> Chart:
    """Misses against false alarms on probit axes."""
    from stakes import plots

    found = {key: None if one is None else det_curve(one) for key, one in scores.items()}
    ax = plots.det(found, ax=axes_of_size(*_SQUARE))
    label = "Miss rate against false alarm rate of every model"
    return finished(ax, "det", label, _drawn(found), x="false alarm rate, %", y="miss rate, %")


def evidence_charts(ev: Evaluation) -> tuple[list[Chart], dict[str, Any]]:
    """Tippett plots and empirical cross-entropy of every model with posteriors of two classes,
    and their lines by drawing.
    """
    from stakes import plots

    known = ev.plot.scores()
    scores = {f"m{k}": known.get(model.name) for k, model in enumerate(ev.models)}
    drawn, lines = [], {}
    for key, draw, curve, size, label, y in (
        ("tippett", plots.tippett, tippett_curve, _WIDE,
         "How often evidence is stronger than that", "share with a larger one"),
        ("entropy", plots.empirical_cross_entropy, curves.empirical_cross_entropy, _SQUARE,
         "Cross-entropy against the prior odds", "cross-entropy in bits"),
    ):  # fmt: skip
        found = {name: None if one is None else curve(one) for name, one in scores.items()}
        ax = draw(found, ax=axes_of_size(*size))
        x = "log10 of the likelihood ratio" if key == "tippett" else "log10 of the prior odds"
        lines[key] = _lines(ax, found)
        drawn.append(finished(ax, key, label, _drawn(found), x=x, y=y))
    return drawn, lines


def _lines(ax: Any, found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Some points of every line of a model, to be read out: (position, second line or not)."""
    points = []
    position = {name: int(name[1:]) for name in found}
    for line in ax.get_lines():
        name = str(line.get_label()).partition(",")[0]
        if name in position:
            xy = np.asarray(line.get_xydata(), dtype=float)
            xy = xy[np.isfinite(xy).all(axis=1)]
            kept = np.unique(np.linspace(0, len(xy) - 1, min(len(xy), _READ_POINTS)).astype(int))
            points.append({
                "model": position[name], "second": line.get_linestyle() == "--",
                "x": packed(xy[kept, 0], short=True), "y": packed(xy[kept, 1], short=True),
            })  # fmt: skip
    return points


def charts_of_paths(ev: Evaluation, paths: list[MatrixPath]) -> tuple[list[Chart], Any]:
    """The drawings along the sliders, and reliability; its curves by drawing and model."""
    if not np.isfinite([model.nec for model in ev.models]).all():
        return [], {}
    drawn: list[Chart] = []
    lines: dict[str, Any] = {}
    for path in paths:
        if path.column is not None:
            covered, lines["coverage"] = _coverage(ev, path, path.column)
            drawn += [_abstain(ev, path), covered]
    drawn += [_by_share(ev, path) for path in paths if path.row is not None]
    found: dict[str, Any] = {}
    if ev.sources is not None:
        each = {
            k: (one.model, ev.sources.cases_of(one))
            for k, one in enumerate(ev.sources.judged)
            if one.model.kind == "posteriors"
        }
        best = f"m{[one.model.name for one in ev.sources.judged].index(ev.best)}"
        for row in (path.row for path in paths if path.row is not None):
            chart, found[f"trust-{row}"] = reliability_chart(
                scores_of(each, row, ev.sources.said_at), best, key=f"trust-{row}",
                label=f"Observed shares of “{ev.application.classes[row]}” against what models say",
                name=ev.best, event=str(ev.application.classes[row]),
            )  # fmt: skip
            drawn.append(chart)
    return drawn, found | lines


def _rates(counts: Any) -> FloatArray:
    """Rates within each class, 0 for a class without cases."""
    table = np.asarray(counts, dtype=np.float64)
    totals = table.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(table, totals, out=np.zeros_like(table), where=totals > 0))


def _nec_along(ev: Evaluation, path: MatrixPath) -> FloatArray:
    """The NEC of every model at every stop, (n_models, n_stops)."""
    found = np.empty((len(ev.models), len(path.values)))
    for stop in range(len(path.values)):
        costs, priors = path.applied(ev, stop)
        standard = costs - costs.min(axis=1, keepdims=True)
        naive = float((priors @ standard).min())
        for k, (model, counts) in enumerate(zip(ev.models, path.counts, strict=True)):
            rates = _rates(model.confusion.counts if counts is None else counts[stop])
            paid = (priors[:, None] * rates * standard).sum()
            found[k, stop] = paid / naive if naive else np.nan
    return found


def _along(x: Any, necs: Iterable[FloatArray], label: str) -> Any:
    """Normalised costs along a path."""
    from stakes import plots

    found = {f"m{k}": SimpleNamespace(position=x, normalized_cost=c) for k, c in enumerate(necs)}
    ax = plots.application_path(found, label=label, ax=axes_of_size(*_WIDE))
    ax.set_ylabel(_NEC_AXIS)
    ax.set_xlim(float(np.min(x)), float(np.max(x)))
    return ax


def _abstain(ev: Evaluation, path: MatrixPath) -> Chart:
    """NEC against the price of abstaining."""
    unit = ev.application.unit
    label = "cost of abstaining" + (f", {_short(unit)}" if unit else "")
    ax = _along(path.values, _nec_along(ev, path), label)
    said = "Normalised cost of every model against the cost of abstaining"
    return finished(ax, "abstain", said, _all(ev))


def _all(ev: Evaluation) -> list[str]:
    """All models by their names in drawings."""
    return [f"m{k}" for k in range(len(ev.models))]


def _coverage(ev: Evaluation, path: MatrixPath, column: int) -> tuple[Chart, list[dict[str, Any]]]:
    """Cost of the decided cases against their share, and its lines."""
    from stakes import plots

    found: dict[str, Any] = dict.fromkeys(_all(ev))
    priors = ev.application.resolved_priors(ev.data_priors)
    for k, counts in enumerate(path.counts):
        if counts is None:
            continue
        cells = priors[:, None] * _rates(counts)
        paid = np.delete((cells * ev.application.costs.values).sum(axis=1), column, axis=1)
        left, decided = cells[:, :, column].sum(axis=1), paid.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(left < 1, decided / (1 - left), np.nan)
        found[f"m{k}"] = SimpleNamespace(
            coverage=1 - left, cost=decided + path.values * left, cost_when_decided=each
        )
    ax = plots.abstention(found, ax=axes_of_size(4.4, 3.9))
    known = _drawn(found)
    low = min(0.0, *(float(np.nanmin(found[name].cost_when_decided)) for name in known))
    ax.set_ylim(bottom=1.05 * low)
    said = "Cost of the cases that are decided against their share"
    lines = _lines(ax, found)
    y = "cost per case" + (f", {_short(ev.application.unit)}" if ev.application.unit else "")
    return finished(ax, "coverage", said, known, y=y), lines


def _by_share(ev: Evaluation, path: MatrixPath) -> Chart:
    """NEC against the share of one class, on a scale of log odds."""
    odds = np.log(path.values / (1 - path.values))
    name = ev.application.classes[path.row or 0]
    ax = _along(odds, _nec_along(ev, path), f"share of “{_short(name)}” in deployment")
    ticks = [t for t in _SHARES if odds[0] <= np.log(t / (1 - t)) <= odds[-1]]
    ax.set_xticks([np.log(t / (1 - t)) for t in ticks], [percent(t) for t in ticks])
    said = f"Normalised cost of every model against the share of “{name}”"
    return finished(ax, f"share-{path.row}", said, _all(ev))


def charts_by_case(ev: Evaluation, curve: Any) -> tuple[list[Chart], Any]:
    """NEC against the factor on misses, and the reliability of the models behind the rules."""
    scores, best = _of_rules(ev)
    drawn = [] if curve is None else [_by_factor(ev, *curve)]
    if not scores:
        return drawn, {}
    trusted, found = reliability_chart(
        scores, best, key="reliability", label=_RELIABILITY, name=ev.best.partition(",")[0],
        event=str(ev.application.classes[1]),
    )  # fmt: skip
    return [*drawn, trusted], {"reliability": found}


def _by_factor(ev: Evaluation, x: FloatArray, necs: FloatArray) -> Chart:
    """NEC against a factor on the cost of misses, on a logarithmic scale."""
    ax = _along(x, necs, "every miss cost is multiplied by")
    ax.set_xticks([float(np.log(f)) for f in _FACTORS], [f"{f:g}" for f in _FACTORS])
    label = "Normalised cost of every rule against a factor on the cost of a miss"
    return finished(ax, "factor", label, _all(ev))


def _of_rules(ev: Evaluation) -> tuple[dict[str, ScoreCounts], str]:
    """What every model says, in the place of its first rule, and the place of the best."""
    sources = ev.case_sources
    if sources is None or len(sources.said_at) != 2 or not 0 < sources.said_at[1] < 1:
        return {}, ""
    if np.bincount(sources.cases.truth, minlength=2).min() == 0:
        return {}, ""
    first: dict[str, tuple[int, Model]] = {}
    for k, rule in enumerate(sources.rules):
        first.setdefault(rule.model.name, (k, rule.model))
    best = next(one.model.name for one in sources.rules if one.name == ev.best)
    each = {k: (model, sources.cases) for k, model in first.values()}
    return scores_of(each, 1, sources.said_at), f"m{first[best][0]}"
