"""Models on the same cases: how sure each cost is, which differences are real, where the choice
changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from stakes._names import as_positions
from stakes.application import Application
from stakes.curves import switch_points
from stakes.evaluation.judgement import Cases, Judged, Variant
from stakes.evaluation.model_evaluation import Stretch
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts
from stakes.uncertainty import (
    Comparison,
    Difference,
    best_ranges,
    compare,
    interval,
    weighted_interval,
)
from stakes.uncertainty.intervals.case_rows import CaseRows

#: More models than this are not compared pair by pair.
MOST_COMPARED = 20


def _counts(codes: dict[str, Any], cases: Cases, app: Application) -> Any:
    """Joint counts of several systems, by group where there are groups; rows where they weigh."""
    names: dict[str, Any] = {"classes": app.classes, "decision_names": app.decisions}
    codes = {name: as_positions(chosen) for name, chosen in codes.items()}
    if cases.weights is not None:
        return CaseRows.from_decisions(
            cases.truth, codes, sample_weight=cases.weights, groups=cases.groups, application=app
        )
    if cases.groups is None:
        return PairedCounts.from_decisions(cases.truth, codes, **names)
    return GroupedCounts.from_decisions(cases.truth, codes, groups=cases.groups, **names)


def compared(
    judged: list[Judged], cases: Cases, given: Application, options: dict[str, Any]
) -> Comparison | None:
    """Every pair of models as they are, by NEC."""
    if not 2 <= len(judged) <= MOST_COMPARED or _undefined(judged):
        return None
    codes = {one.model.name: one.as_is.codes for one in judged}
    return _compared(codes, cases, given, options)


def _compared(
    codes: dict[str, Any], cases: Cases, given: Application, options: dict[str, Any]
) -> Comparison:
    """Systems by NEC; draws in which the naive decision is perfect count as undecided."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return compare(_counts(codes, cases, given), given, normalize=True, **options)


def told_apart(
    codes: dict[str, Any], cases: Cases, given: Application, options: dict[str, Any]
) -> bool:
    """Whether the first of several systems is cheaper than each of the others beyond chance."""
    found = _compared(codes, cases, given, options)
    first, *others = codes
    return not found.too_few and all(
        found.difference(first, other).decided and found.difference(first, other).value < 0
        for other in others
    )


def after_calibration(
    judged: list[Judged], cases: Cases, given: Application, options: dict[str, Any]
) -> Difference | None:
    """The best model after calibration against the best one as it is, on the same cases."""
    fitted = [one for one in judged if one.recalibrated is not None]
    if not fitted:
        return None
    best = min(judged, key=lambda one: one.as_is.cost)
    after = min(fitted, key=lambda one: one.recalibrated.cost if one.recalibrated else math.inf)
    return _against(after, best, cases, given, options)


def worth_of_calibration(
    judged: list[Judged], cases: Cases, given: Application, options: dict[str, Any]
) -> Difference | None:
    """The best model as it is, re-calibrated against itself, on the same cases."""
    best = min(judged, key=lambda one: one.as_is.cost)
    return None if best.recalibrated is None else _against(best, best, cases, given, options)


def _against(
    after: Judged, best: Judged, cases: Cases, given: Application, options: dict[str, Any]
) -> Difference | None:
    """One model after calibration against one as it is; None where they never differ."""
    assert after.recalibrated is not None
    codes: dict[str, Any] = {"re-calibrated": after.recalibrated.codes, "as is": best.as_is.codes}
    if _undefined([best]) or np.array_equal(codes["re-calibrated"], codes["as is"]):
        return None
    found = _compared(codes, cases, given, options)
    return None if found.too_few else found.difference("re-calibrated", "as is")


def _undefined(judged: list[Judged]) -> bool:
    """Whether the NEC does not exist."""
    return math.isnan(judged[0].as_is.nec)


def nec_interval(
    variant: Variant, cases: Cases, given: Application, options: dict[str, Any]
) -> tuple[float, float] | None:
    """The interval of one NEC; None when cases are too few."""
    if math.isnan(variant.nec):
        return None
    metric: dict[str, Any] = {"metric": "normalized_expected_cost", "application": given}
    with np.errstate(divide="ignore", invalid="ignore"):
        if cases.groups is not None:
            found = interval(_counts({"model": variant.codes}, cases, given), **metric, **options)
        elif cases.weights is not None:
            rows: dict[str, Any] = {
                "decisions": as_positions(variant.codes),
                "sample_weight": cases.weights,
            }
            found = weighted_interval(cases.truth, **rows, **metric, **options)
        else:
            found = interval(variant.confusion, **metric, **options)
    return None if found.too_few else (found.low, found.high)


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
