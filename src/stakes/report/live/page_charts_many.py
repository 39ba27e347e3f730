"""The drawings of pages about more classes, more decisions, or costs per case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import curves
from stakes.evaluation.evaluation_plots import coarser
from stakes.evaluation.model_rows import Cases, Model
from stakes.messages.quantities import percent
from stakes.plots.style import axes_of_size
from stakes.report.charts import Chart
from stakes.report.live.any_matrix import MatrixPath
from stakes.report.live.page_charts import NEC_AXIS, finished, reliability_chart, short_name
from stakes.summaries import ScoreCounts
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: Above this many points a reliability curve is drawn by some of them.
_DRAWN_POINTS = 300


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """What `plots.application_path` reads."""

    position: Any
    normalized_cost: Any


@dataclass(frozen=True, slots=True, eq=False)
class _Covered:
    """What `plots.abstention` reads."""

    coverage: Any
    cost: Any
    cost_when_decided: Any


def charts_of_paths(ev: Evaluation, paths: list[MatrixPath]) -> tuple[list[Chart], Any]:
    """The drawings along the sliders, and reliability; its curves by drawing and model."""
    if not np.isfinite([model.nec for model in ev.models]).all():
        return [], {}
    drawn: list[Chart] = []
    for path in paths:
        if path.column is not None:
            drawn += [_abstain(ev, path), _coverage(ev, path)]
    rows = {path.row: path for path in paths if path.row is not None}
    drawn += [_by_share(path.values, _nec_along(ev, path), row) for row, path in rows.items()]
    found = {f"trust-{row}": _of_class(ev, row) for row in rows}
    drawn += [_trust(curve, key, "reliability of one class") for key, curve in found.items()]
    return drawn, found


def _nec_along(ev: Evaluation, path: MatrixPath) -> list[FloatArray]:
    """The NEC of every model at every stop."""
    found = []
    for k, model in enumerate(ev.models):
        counts = path.counts[k]
        own = np.asarray(model.confusion.counts, dtype=np.float64)
        necs = np.empty(len(path.values))
        for stop in range(len(path.values)):
            costs, priors = path.applied(ev, stop)
            standard = costs - costs.min(axis=1, keepdims=True)
            table = own if counts is None else counts[stop]
            totals = table.sum(axis=1, keepdims=True)
            rates = np.divide(table, totals, out=np.zeros_like(table), where=totals > 0)
            naive = float((priors @ standard).min())
            necs[stop] = (priors[:, None] * rates * standard).sum() / naive if naive else np.nan
        found.append(necs)
    return found


def _along(x: Any, necs: Iterable[FloatArray], label: str) -> Any:
    """Normalised costs along a path."""
    from stakes import plots

    with np.errstate(invalid="ignore"):
        found = {f"m{k}": _Path(x, nec) for k, nec in enumerate(necs)}
    ax = plots.application_path(found, label=label, ax=axes_of_size(6.0, 3.9))
    ax.set_ylabel(NEC_AXIS)
    ax.set_xlim(float(np.min(x)), float(np.max(x)))
    return ax


def _abstain(ev: Evaluation, path: MatrixPath) -> Chart:
    """NEC against the price of abstaining."""
    unit = ev.application.unit
    label = "price of abstaining" + (f", {short_name(unit)}" if unit else "")
    ax = _along(path.values, _nec_along(ev, path), label)
    ax.xaxis.label.set_parse_math(False)
    return finished(ax, "abstain", "Normalised cost of every model against the price of abstaining")


def _coverage(ev: Evaluation, path: MatrixPath) -> Chart:
    """Cost of the decided cases against their share."""
    from stakes import plots

    found, priors = {}, ev.application.resolved_priors(ev.data_priors)
    column = path.column
    assert column is not None
    for k, counts in enumerate(path.counts):
        if counts is None:
            continue
        totals = counts.sum(axis=2, keepdims=True)
        cells = priors[:, None] * np.divide(
            counts, totals, out=np.zeros_like(counts), where=totals > 0
        )
        paid = np.delete((cells * ev.application.costs.values).sum(axis=1), column, axis=1)
        left = cells[:, :, column].sum(axis=1)
        decided = paid.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(left < 1, decided / (1 - left), np.nan)
        found[f"m{k}"] = _Covered(1 - left, decided + path.values * left, each)
    ax = plots.abstention(found, ax=axes_of_size(4.4, 3.9))
    low = min(0.0, *(float(np.nanmin(one.cost_when_decided)) for one in found.values()))
    ax.set_ylim(bottom=1.05 * low)
    return finished(ax, "coverage", "Cost of the cases that are decided against their share")


def _by_share(shares: FloatArray, necs: Iterable[FloatArray], row: int) -> Chart:
    """NEC against the share of one class, on a scale of log odds."""
    odds = np.log(shares / (1 - shares))
    ax = _along(odds, necs, "share where it will run")
    ticks = [t for t in _TICKS if odds[0] <= np.log(t / (1 - t)) <= odds[-1]]
    ax.set_xticks([np.log(t / (1 - t)) for t in ticks], [percent(t) for t in ticks])
    return finished(ax, f"share-{row}", "Normalised cost of every model against one share")


#: Shares that may be written at an axis.
_TICKS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999)


def _of_class(ev: Evaluation, row: int) -> dict[str, Any]:
    """Reliability of what every model says of one class against all others."""
    assert ev.sources is not None
    cases, models = ev.sources.cases, [one.model for one in ev.sources.judged]
    return _curves(dict(enumerate(models)), cases, row, float(cases.priors[row]), ev.best)


def _curves(
    models: Mapping[int, Model], cases: Cases, row: int, prior: float, best: str
) -> dict[str, Any]:
    """Reliability of the models at some places that have posteriors; a band for the best."""
    found, truth = {}, (cases.truth == row).astype(np.intp)
    for k, model in models.items():
        if model.posteriors is not None:
            scores = ScoreCounts.from_scores(
                truth, model.posteriors[:, row], kind="posterior", from_priors=prior,
                sample_weight=cases.weights,
            )  # fmt: skip
            draws = 100 if model.name == best else 0
            found[f"m{k}"] = curves.reliability(coarser(scores), draws=draws, rng=0)
    return found


def _trust(found: dict[str, Any], *words: str) -> Chart:
    """Reliability curves; models without posteriors keep their place, so that colours agree."""
    last = max(int(name[1:]) for name in found)
    some = next(iter(found.values()))
    hole = replace(some, forecast=np.array([np.nan]), observed=np.array([np.nan]))
    ordered = {f"m{k}": _thin(found.get(f"m{k}", hole)) for k in range(last + 1)}
    best = next((n for n, c in found.items() if np.isfinite(c.band_low).any()), next(iter(found)))
    return reliability_chart(ordered, best, *words)


def _thin(curve: Any) -> Any:
    """A curve by the ends of its steps, and no more points than a drawing can tell apart."""
    size = len(curve.forecast)
    if size <= _DRAWN_POINTS:
        return curve
    turns = np.flatnonzero(np.diff(curve.observed) != 0)
    some = np.linspace(0, size - 1, _DRAWN_POINTS).astype(int)
    kept = np.unique(np.concatenate([turns, turns + 1, some]))
    parts = ("forecast", "observed", "weight", "band_low", "band_high")
    return replace(curve, **{name: np.asarray(getattr(curve, name))[kept] for name in parts})


def charts_by_case(ev: Evaluation, curve: Any) -> tuple[list[Chart], Any]:
    """NEC against the factor on misses, and the reliability of the models behind the rules."""
    found = _of_rules(ev)
    drawn = [] if curve is None else [_by_factor(*curve)]
    return drawn + ([_trust(found)] if found else []), {"reliability": found} if found else {}


def _by_factor(x: FloatArray, necs: FloatArray) -> Chart:
    """NEC against a factor on the cost of misses, on a logarithmic scale."""
    ax = _along(x, necs, "a miss costs so many times what was stated")
    ax.set_xticks([float(np.log(f)) for f in _FACTORS], [f"{f:g}" for f in _FACTORS])
    label = "Normalised cost of every rule against a factor on the cost of a miss"
    return finished(ax, "factor", label)


#: Factors that are written at an axis.
_FACTORS = (0.1, 0.2, 0.5, 1, 2, 5, 10)


def _of_rules(ev: Evaluation) -> dict[str, Any]:
    """Reliability of every model, in the place of its first rule."""
    sources = ev.case_sources
    if sources is None or len(sources.said_at) != 2 or not 0 < sources.said_at[1] < 1:
        return {}
    if np.bincount(sources.cases.truth, minlength=2).min() == 0:
        return {}
    models = [rule.model for rule in sources.rules]
    names = [model.name for model in models]
    first = {names.index(name): models[names.index(name)] for name in dict.fromkeys(names)}
    best = next(one.model.name for one in sources.rules if one.name == ev.best)
    return _curves(first, sources.cases, 1, float(sources.said_at[1]), best)
