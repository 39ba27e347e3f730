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


@dataclass(frozen=True, slots=True, eq=False)
class _Band:
    """An interval along a curve."""

    x: Any
    low: Any
    high: Any


def charts_of(ev: Evaluation, stops: Any) -> tuple[list[Chart], dict[str, Any], str]:
    """The drawings, the points of the reliability curves, and why there are none, if so.

    `stops` are the abscissae of the sliders' stops, and the NECs and their limits there.
    """
    try:
        load("matplotlib", extra="plots")
    except MissingExtraError as missing:
        return [], {}, f"The drawings need matplotlib: {missing.hint}"
    try:
        scores = ev.plot.scores()
    except UndefinedError:
        scores = {}
    if stops is None or not all(one.class_totals.all() for one in scores.values()):
        return [], {}, ""
    keys = {model.name: f"m{k}" for k, model in enumerate(ev.models)}
    names = {key: name for name, key in keys.items()}
    first = _bayes_error(ev, renamed(scores, keys), names, stops)
    if not scores:
        return [first], {}, ""
    reliability = renamed(ev.plot.reliability_curves(), keys)
    drawn = [
        first,
        _reliability(reliability, names),
        _decision(ev, renamed(scores, keys), names),
        _det(renamed(ev.plot.det_curves(), keys), names),
    ]
    return drawn, reliability, ""


def without_legend(ax: Any, names: dict[str, str]) -> Any:
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
    share = ev.application.priors
    assert share is not None
    ax = plots.bayes_error(
        found,
        prevalence=float(share[1]),
        span=ev.plot.span(),
        bands=widths,
        ax=axes_of_size(6.4, 4.1),
    )
    for text in list(ax.texts):  # grey models would fill the picture with words
        key = text.get_text().partition(": ")[0]
        if key in names and not _coloured(int(key[1:]), len(names)):
            text.remove()
    ax.set_xlim(grid[0], grid[-1])
    ax.set_xlabel("effective prior log odds")
    ax.set_ylabel("NEC (1 = best constant decision)")
    label = "Normalised cost of every model against the cost ratio and the share"
    return inline(without_legend(ax, names), "bayes", label)


def _coloured(position: int, count: int) -> bool:
    """Whether a model has a colour of its own."""
    return pen(position, count).color != GREY


def _log_odds(ev: Evaluation) -> Any:
    """Abscissae around the application, 6 to either side at least of zero."""
    share = ev.application.priors
    assert share is not None
    here = -ev.application.log_odds_threshold + math.log(share[1] / share[0])
    low, high = min(-6.0, math.floor(here) - 2.0), max(6.0, math.ceil(here) + 2.0)
    return np.linspace(low, high, round((high - low) * 20) + 1)


def _reliability(found: Any, names: Any) -> Chart:
    """What posteriors say against what happens."""
    from stakes import plots

    ordered = {key: found[key] for key in sorted(found, key=lambda key: int(key[1:]))}
    first = next(iter(found))
    ax = plots.reliability(ordered, band=first, note=False, ax=axes_of_size(4.4, 4.1))
    ax.set_xlabel("predicted probability")
    ax.set_ylabel("observed share (isotonic)")
    return inline(
        without_legend(ax, names), "reliability", "Observed shares against what models say"
    )


def _decision(ev: Evaluation, scores: Any, names: Any) -> Chart:
    """Net benefit against the threshold probability."""
    from stakes import plots

    share = ev.application.priors
    assert share is not None
    here = ev.application.posterior_threshold
    top = 0.5 if here < 0.4 else 0.99
    thresholds = np.linspace(0.005, top, 100)
    found = {k: curves.decision(s, thresholds, prior=float(share[1])) for k, s in scores.items()}
    ax = plots.decision(found, ax=axes_of_size(6.4, 3.9))
    ax.set_xlabel("threshold probability, and the odds it stands for")
    ax.set_ylabel("net benefit")
    label = "Net benefit of every model, of acting on everyone and on nobody"
    return inline(without_legend(ax, names), "decision", label)


def _det(found: Any, names: Any) -> Chart:
    """Misses against false alarms on probit axes."""
    from stakes import plots

    ax = plots.det(found, ax=axes_of_size(4.4, 4.1))
    ax.set_xlabel("false alarm rate, %")
    ax.set_ylabel("miss rate, %")
    return inline(
        without_legend(ax, names), "det", "Miss rate against false alarm rate of every model"
    )


def evidence_charts(ev: Evaluation) -> list[Chart]:
    """Tippett plots and empirical cross-entropy of every model with posteriors of two classes."""
    names = {f"m{k}": model.name for k, model in enumerate(ev.models)}
    above = ev.plot.tippett(ax=axes_of_size(6.4, 4.1))
    entropy = ev.plot.empirical_cross_entropy(ax=axes_of_size(4.4, 4.1))
    entropy.set_ylabel("cross-entropy in bits")
    return [
        inline(without_legend(above, names), "tippett", "How often evidence is stronger than that"),
        inline(without_legend(entropy, names), "entropy", "Cross-entropy against the prior odds"),
    ]
