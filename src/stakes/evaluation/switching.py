"""Where the choice changes: winners over the range of cost ratios."""

from __future__ import annotations

import math

import numpy as np

from stakes.application import Application, CostMatrix, UncertainApplication
from stakes.curves import switch_points
from stakes.evaluation.evaluation import Stretch
from stakes.evaluation.judging import Cases, Judged

__all__ = ["ranges", "switches"]


def ranges(judged: list[Judged], cases: Cases, app: Application) -> tuple[Stretch, ...]:
    """Who wins over all cost ratios, as they are; two classes and decisions, posteriors."""
    assert app.priors is not None
    if app.costs.shape != (2, 2) or not 0 < app.priors[1] < 1:
        return ()
    scored = {one.model.name: one.scores for one in judged if one.scores is not None}
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


def switches(
    judged: list[Judged], cases: Cases, app: Application, uncertain: UncertainApplication | None
) -> tuple[Stretch, ...]:
    """The stretches that the range of uncertain costs reaches into."""
    if uncertain is None or app.costs.shape != (2, 2):
        return ()
    ratios = [_ratio(CostMatrix(costs)) for costs in uncertain.corners().costs]
    low, high = min(ratios), max(ratios)
    inside = [s for s in ranges(judged, cases, app) if s.low < high and s.high > low]
    return tuple(s for s in inside if s.winner != "tie")


def _ratio(costs: CostMatrix) -> float:
    """How many wrong second decisions one wrong first decision costs as much as."""
    return math.exp(-Application(costs).log_odds_threshold)
