"""The numbers behind a page about costs per case: sums by rule and stop, and no case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stakes.evaluation.case_paths import path_numbers
from stakes.evaluation.case_stops import STEP, SUMS, CaseSources, RuleSums, grid_of_cases, sums_of
from stakes.report.embedding import packed

if TYPE_CHECKING:
    from stakes.evaluation.evaluation import Evaluation

__all__ = ["case_numbers", "costliest_cases"]


def case_numbers(ev: Evaluation) -> dict[str, Any] | None:
    """What the script needs to follow the sliders; None where there are none."""
    sources: CaseSources | None = getattr(ev, "case_sources", None)
    if sources is not None and ev.application.costs.shape != (2, 2):
        return path_numbers(ev, sources)
    grid = None if sources is None else grid_of_cases(sources, ev.application)
    sums = None if sources is None or grid is None else sums_of(sources, grid)
    if sources is None or grid is None or sums is None:
        return None
    totals = np.array([parts[0].sum() for parts in sources.amounts])
    wrong, lost = (parts[1] for parts in sources.amounts)
    return {
        "step": STEP,
        "logOdds": grid.log_odds,
        "factors": grid.factors,
        "shares": grid.shares,
        "totals": totals.tolist(),
        # What a constant decision costs above the cheapest one, within each class.
        "always": [
            [float(-wrong[wrong < 0].sum() / totals[0]), float(wrong[wrong > 0].sum() / totals[0])],
            [float(lost[lost > 0].sum() / totals[1]), float(-lost[lost < 0].sum() / totals[1])],
        ],
        "correct": [float(parts[2].sum()) for parts in sources.amounts],
        "rules": [_rule(one) for one in sums],
        "curve": _curve(ev, sums, grid.factors, grid.shares),
    }


def _rule(sums: RuleSums) -> dict[str, Any]:
    """One rule for JSON: its sums, row by row, and how they are laid out."""
    found: dict[str, Any] = {name: packed(getattr(sums, name).ravel()) for name in SUMS}
    found["along"] = "both" if sums.alarms.ndim == 2 else "one" if sums.alarms.size > 1 else "none"
    found["cuts"] = None if sums.cuts is None else packed(sums.cuts.ravel())
    return found


def _curve(ev: Evaluation, sums: list[RuleSums], factors: int, shares: int) -> Any:
    """The logarithm of the factor, and the NEC of every rule there, at the stated share."""
    sources: CaseSources = ev.case_sources  # type: ignore[attr-defined]
    steps = np.arange(-factors, factors + 1)
    alarm, miss = sources.amounts
    totals = alarm[0].sum(), miss[0].sum()
    share = sources.priors
    factor = np.exp(STEP * steps)
    found = []
    least = [np.minimum(part[1], 0).sum() for part in (alarm, miss)]
    most = [np.maximum(part[1], 0).sum() for part in (alarm, miss)]
    waits = share[1] * factor * most[1] / totals[1] - share[0] * least[0] / totals[0]
    acts = share[0] * most[0] / totals[0] - share[1] * factor * least[1] / totals[1]
    for one in sums:
        at: Any = (slice(None), shares) if one.alarms.ndim == 2 else shares + np.arange(len(steps))
        if one.alarms.size == 1:
            at = np.zeros(len(steps), dtype=np.intp)
        excess = share[0] * (one.alarm_costs[at] - least[0]) / totals[0]
        excess = excess + share[1] * factor * (one.miss_costs[at] - least[1]) / totals[1]
        found.append(excess / np.minimum(waits, acts))
    return STEP * steps, np.stack(found)


def costliest_cases(ev: Evaluation, count: int) -> list[dict[str, Any]]:
    """The cases that cost most under the cheapest rule: row, truth, decision, cost, share."""
    sources: CaseSources | None = getattr(ev, "case_sources", None)
    if sources is None or count < 1:
        return []
    rule = next(one for one in sources.rules if one.name == ev.best)
    rows = np.arange(len(sources.costs))
    paid = sources.costs.values[rows, sources.cases.truth, rule.codes]
    totals = np.bincount(sources.cases.truth, sources.weights, len(sources.priors))
    scale = np.divide(sources.priors, totals, out=np.zeros(len(totals)), where=totals > 0)
    weights = sources.weights * scale[sources.cases.truth]
    parts = weights * paid
    gross = float(np.abs(parts).sum()) or 1.0
    app = ev.application
    return [
        {
            "row": int(k),
            "truth": str(app.classes[sources.cases.truth[k]]),
            "decision": str(app.decisions[rule.codes[k]]),
            "cost": float(paid[k]),
            "share": abs(float(parts[k])) / gross,
        }
        for k in np.argsort(-parts, kind="stable")[:count].tolist()
        if parts[k] > 0
    ]
