"""The drawings of the page: those of `ev.plot`, without legends, under names of our own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes import curves
from stakes._optional import load
from stakes.curves.bayes_error import BayesErrorCurve
from stakes.evaluation.evaluation_plots import renamed
from stakes.exceptions import MissingExtraError, UndefinedError
from stakes.plots.style import GREY, axes_of_size, pen
from stakes.report.charts import Chart, inline

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation


#: What an axis of normalised costs says.
NEC_AXIS = "NEC (1 = best constant decision)"


@dataclass(frozen=True, slots=True, eq=False)
class _Band:
    """An interval along a curve."""

    x: Any
    low: Any
    high: Any


def why_no_charts() -> str:
    """What drawings lack; empty when they can be made."""
    try:
        load("matplotlib", extra="plots")
    except MissingExtraError as missing:
        return f"The drawings need matplotlib: {missing.hint}"
    return ""


def charts_of(ev: Evaluation, stops: Any) -> tuple[list[Chart], dict[str, Any]]:
    """The drawings, and the curves of the reliability drawing by model.

    `stops` are the abscissae of the sliders' stops, and the NECs and their limits there.
    """
    try:
        scores = ev.plot.scores()
    except UndefinedError:
        scores = {}
    if not all(one.class_totals.all() for one in scores.values()):
        return [], {}
    keys = {model.name: f"m{k}" for k, model in enumerate(ev.models)}
    names = {key: name for name, key in keys.items()}
    first = _bayes_error(ev, renamed(scores, keys), names, stops)
    if not scores:
        return [first], {}
    reliability = renamed(ev.plot.reliability_curves(), keys)
    ordered = {key: reliability[key] for key in sorted(reliability, key=lambda key: int(key[1:]))}
    drawn = [
        first,
        reliability_chart(ordered, next(iter(reliability)), names=names),
        _decision(ev, renamed(scores, keys), names),
        _det(renamed(ev.plot.det_curves(), keys), names),
    ]
    return drawn, {"reliability": reliability}


def finished(
    ax: Any, key: str, label: str, *, names: Any = None, x: str = "", y: str = ""
) -> Chart:
    """The drawing of some axes without legend, with words for the page along its axes."""
    if x:
        ax.set_xlabel(x)
    if y:
        ax.set_ylabel(y)
    return inline(_without_legend(ax, names or {}), key, label)


def _without_legend(ax: Any, names: dict[str, str]) -> Any:
    """Without legend; our own names in annotations replaced by those of the models."""
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    for text in ax.texts:
        key, colon, rest = text.get_text().partition(": ")
        if colon and key in names:
            text.set_text(f"{short_name(names[key])}: {rest}")
        text.set_parse_math(False)
    return ax


def short_name(name: str) -> str:
    """A name that fits into a drawing."""
    shown = "".join(c for c in name if c.isprintable())
    return shown if len(shown) <= 18 else f"{shown[:17]}…"


def _bayes_error(ev: Evaluation, scores: Any, names: Any, stops: Any) -> Chart:
    """Normalised cost against the application, with the intervals at the stops."""
    from stakes import plots

    x, nec, low, high = stops
    grid = _log_odds(ev)
    found = {}
    for k, key in enumerate(names):
        if key in scores:
            found[key] = curves.bayes_error(scores[key], grid)
        else:  # decisions: no threshold to choose
            inside = (x >= grid[0]) & (x <= grid[-1])
            none = np.full(inside.sum(), np.nan)
            found[key] = BayesErrorCurve(
                x[inside], nec[k][inside], none, np.ones(inside.sum()), none, none, True
            )
    widths = None if low is None else {
        f"m{k}": _Band(x[::2], low[k][::2], high[k][::2])
        for k in range(len(low)) if _coloured(k, len(low))
    }  # fmt: skip
    size = axes_of_size(6.4, 4.1)
    ax = plots.bayes_error(found, priors=_share(ev), span=ev.plot.span(), bands=widths, ax=size)
    for text in list(ax.texts):  # grey models would fill the picture with words
        key = text.get_text().partition(": ")[0]
        if key in names and not _coloured(int(key[1:]), len(names)):
            text.remove()
    ax.set_xlim(grid[0], grid[-1])
    label = "Normalised cost of every model against the cost ratio and the share"
    return finished(ax, "bayes", label, names=names, x="effective prior log odds", y=NEC_AXIS)


def _share(ev: Evaluation) -> float:
    """The share of the second class where it will run."""
    return float(ev.application.resolved_priors(ev.data_priors)[1])


def _coloured(position: int, count: int) -> bool:
    """Whether a model has a colour of its own."""
    return pen(position, count).color != GREY


def _log_odds(ev: Evaluation) -> Any:
    """Abscissae around the application, 6 to either side at least of zero."""
    shares = ev.application.resolved_priors(ev.data_priors)
    here = -ev.application.log_odds_threshold + math.log(shares[1] / shares[0])
    low, high = min(-6.0, math.floor(here) - 2.0), max(6.0, math.ceil(here) + 2.0)
    return np.linspace(low, high, round((high - low) * 20) + 1)


def reliability_chart(
    ordered: Any,
    band: str,
    key: str = "reliability",
    label: str = "Observed shares against what models say",
    names: Any = None,
) -> Chart:
    """What posteriors say against what happens."""
    from stakes import plots

    ax = plots.reliability(ordered, band=band, note=False, ax=axes_of_size(4.4, 4.1))
    axes = {"x": "predicted probability", "y": "observed share (isotonic)"}
    return finished(ax, key, label, names=names, **axes)


def _decision(ev: Evaluation, scores: Any, names: Any) -> Chart:
    """Net benefit against the threshold probability."""
    from stakes import plots

    top = 0.5 if ev.application.posterior_threshold < 0.4 else 0.99
    thresholds, share = np.linspace(0.005, top, 100), _share(ev)
    found = {k: curves.decision(s, thresholds, priors=share) for k, s in scores.items()}
    ax = plots.decision(found, ax=axes_of_size(6.4, 3.9))
    label = "Net benefit of every model, of acting on everyone and on nobody"
    axes = {"x": "threshold probability, and the odds it stands for", "y": "net benefit"}
    return finished(ax, "decision", label, names=names, **axes)


def _det(found: Any, names: Any) -> Chart:
    """Misses against false alarms on probit axes."""
    from stakes import plots

    ax = plots.det(found, ax=axes_of_size(4.4, 4.1))
    label = "Miss rate against false alarm rate of every model"
    return finished(ax, "det", label, names=names, x="false alarm rate, %", y="miss rate, %")


def evidence_charts(ev: Evaluation) -> list[Chart]:
    """Tippett plots and empirical cross-entropy of every model with posteriors of two classes."""
    names = {f"m{k}": model.name for k, model in enumerate(ev.models)}
    above = ev.plot.tippett(ax=axes_of_size(6.4, 4.1))
    entropy = ev.plot.empirical_cross_entropy(ax=axes_of_size(4.4, 4.1))
    label = "Cross-entropy against the prior odds"
    return [
        finished(above, "tippett", "How often evidence is stronger than that", names=names),
        finished(entropy, "entropy", label, names=names, y="cross-entropy in bits"),
    ]
