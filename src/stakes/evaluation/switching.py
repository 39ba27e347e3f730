"""Where the choice changes: winners over the range of cost ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from stakes.application import Application
from stakes.curves import switch_points
from stakes.evaluation.judging import Cases, Judged
from stakes.evaluation.parts import Stretch
from stakes.summaries import ConfusionMatrix
from stakes.uncertainty import best_ranges

__all__ = ["NEAR_TIE", "ranges", "ranges_of_counts", "within"]

#: A lead below this much NEC is a tie.
NEAR_TIE = 0.01


def ranges(judged: list[Judged], cases: Cases, app: Application) -> tuple[Stretch, ...]:
    """Who wins over all cost ratios, as they are; two classes and decisions.

    Decisions stay what they are: they cannot follow the costs.
    """
    assert app.priors is not None
    if app.costs.shape != (2, 2) or not 0 < app.priors[1] < 1:
        return ()
    scored = {one.model.name: one.scores for one in judged if one.scores is not None}
    if not scored:
        return ranges_of_counts({o.model.name: o.as_is.confusion for o in judged}, app)
    if len(scored) != len(judged) or (np.bincount(cases.truth, minlength=2) == 0).any():
        return ()
    frame = switch_points(scored, actual=True).by_cost_ratio(float(app.priors[1]))
    stretches = [
        Stretch(str(w), float(a), float(b))
        for a, b, w in zip(frame["from_ratio"], frame["to_ratio"], frame["winner"], strict=True)
    ]
    if stretches:
        first, last = stretches[0], stretches[-1]
        stretches[0] = Stretch(first.winner, 0.0, first.high)
        last = stretches[-1]
        stretches[-1] = Stretch(last.winner, last.low, math.inf)
    return tuple(stretches)


def ranges_of_counts(
    tables: Mapping[str, ConfusionMatrix], app: Application
) -> tuple[Stretch, ...]:
    """Who wins over all cost ratios when each model keeps its decisions."""
    assert app.priors is not None
    totals = [table.class_totals for table in tables.values()]
    if app.costs.shape != (2, 2) or not 0 < app.priors[1] < 1 or not np.all(totals):
        return ()
    names = {f"m{k}": name for k, name in enumerate(tables)}  # no clash with "always ..."
    keyed = {key: tables[name] for key, name in names.items()}
    found = best_ranges(keyed, app, level=None)
    stretches: list[Stretch] = []
    ends = (0.0, *found.at.tolist(), math.inf)
    for key, low, high, lead in zip(found.best, ends[:-1], ends[1:], found.leads, strict=True):
        winner = names.get(str(key), "none")
        if winner != "none" and lead < NEAR_TIE:
            winner = "tie"
        if stretches and stretches[-1].winner == winner:
            low = stretches.pop().low
        stretches.append(Stretch(winner, low, high))
    return tuple(stretches)


def within(stretches: tuple[Stretch, ...], reach: tuple[float, float]) -> tuple[Stretch, ...]:
    """The stretches that a range of cost ratios reaches into, near-ties left out."""
    low, high = reach
    inside = [s for s in stretches if s.low < high and s.high > low and s.winner != "tie"]
    merged: list[Stretch] = []
    for each in inside:
        if merged and merged[-1].winner == each.winner:
            each = Stretch(each.winner, merged.pop().low, each.high)
        merged.append(each)
    return tuple(merged)
