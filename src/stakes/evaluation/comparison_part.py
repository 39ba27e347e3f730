"""Models on the same cases: how sure each cost is, which differences are real, where the choice
changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes._names import as_positions
from stakes.application import Application
from stakes.curves import switch_points
from stakes.evaluation.builder import Figures
from stakes.evaluation.judgement import Judged, Variant
from stakes.evaluation.model_evaluation import Stretch
from stakes.evaluation.model_rows import Cases
from stakes.summaries import ConfusionMatrix, GroupedCounts, PairedCounts, ScoreCounts
from stakes.uncertainty import (
    Comparison,
    Difference,
    best_ranges,
    compare,
    interval,
    weighted_interval,
)
from stakes.uncertainty.intervals.case_rows import CaseRows


def joint_rows(codes: Mapping[str, Any], cases: Cases, app: Application) -> Any:
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


def compared(joint: Any, given: Application, options: dict[str, Any]) -> Comparison:
    """Systems by NEC; draws in which the naive decision is perfect count as undecided."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return compare(joint, given, normalized=True, **options)


def told_apart(
    codes: dict[str, Any], cases: Cases, given: Application, options: dict[str, Any]
) -> bool:
    """Whether the first of several systems is cheaper than each of the others beyond chance."""
    found = compared(joint_rows(codes, cases, given), given, options)
    first, *others = codes
    return not found.too_few and all(
        found.difference(first, other).decided and found.difference(first, other).value < 0
        for other in others
    )


def after_calibration(
    judged: Sequence[Judged], cases: Cases, given: Application, options: dict[str, Any]
) -> Difference | None:
    """The best model after calibration against the best one as it is, on the same cases."""
    fitted = [one for one in judged if one.recalibrated is not None]
    if not fitted:
        return None
    best = min(judged, key=lambda one: one.as_is.cost)
    after = min(fitted, key=lambda one: one.recalibrated.cost if one.recalibrated else math.inf)
    return _against(after, best, cases, given, options)


def worth_of_calibration(
    judged: Sequence[Judged], cases: Cases, given: Application, options: dict[str, Any]
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
    if math.isnan(best.as_is.nec) or np.array_equal(codes["re-calibrated"], codes["as is"]):
        return None
    found = compared(joint_rows(codes, cases, given), given, options)
    return None if found.too_few else found.difference("re-calibrated", "as is")


def limits(summary: Any, given: Application, options: dict[str, Any]) -> tuple[float, float] | None:
    """The interval of one NEC; None when cases are too few."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = interval(summary, "normalized_expected_cost", application=given, **options)
    return None if found.too_few else (found.low, found.high)


def row_limits(
    variant: Variant, cases: Cases, given: Application, options: dict[str, Any]
) -> tuple[float, float] | None:
    """The same where rows weigh or belong together, or else from the counts."""
    if cases.groups is not None:
        return limits(joint_rows({"model": variant.codes}, cases, given), given, options)
    if cases.weights is None:
        return limits(variant.confusion, given, options)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = weighted_interval(
            cases.truth,
            decisions=as_positions(variant.codes),
            sample_weight=cases.weights,
            metric="normalized_expected_cost",
            application=given,
            **options,
        )
    return None if found.too_few else (found.low, found.high)


#: A lead below this much NEC is a tie.
NEAR_TIE = 0.01


def ranges(
    app: Application,
    tables: Mapping[str, ConfusionMatrix],
    scored: Mapping[str, ScoreCounts],
    *,
    fixed: bool,
) -> tuple[Stretch, ...]:
    """Who wins over all cost ratios, as they are; two classes and decisions.

    Decisions stay what they are (`fixed`): they cannot follow the costs.
    """
    assert app.priors is not None
    totals = [table.class_totals for table in tables.values()]
    if app.costs.shape != (2, 2) or not 0 < app.priors[1] < 1 or not np.all(totals):
        return ()
    if fixed:
        return _ranges_of_counts(tables, app)
    if len(scored) != len(tables):
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


def _ranges_of_counts(
    tables: Mapping[str, ConfusionMatrix], app: Application
) -> tuple[Stretch, ...]:
    """Who wins over all cost ratios when each model keeps its decisions."""
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


def unpaired(models: Sequence[Figures], cases: float, level: float) -> Iterator[Difference]:
    """Every pair as if on cases of its own, limits from those of each (Zou and Donner 2008).

    Tables do not tell which cases they share; on the same cases, systems mostly err together,
    and the difference is surer than this.
    """
    for one, other in combinations(sorted(models, key=lambda model: model.cost), 2):
        if one.interval is None or other.interval is None:
            continue
        value = one.nec - other.nec
        below = math.hypot(one.nec - one.interval[0], other.interval[1] - other.nec)
        above = math.hypot(one.interval[1] - one.nec, other.nec - other.interval[0])
        half = (below + above) / 2
        z = NormalDist().inv_cdf((1 + level) / 2)
        p_value = 2 * NormalDist().cdf(-abs(value) * z / half) if half else float(value == 0)
        needed = math.inf if value == 0 else cases * (half / value) ** 2
        yield Difference(
            one.name,
            other.name,
            value,
            value - below,
            value + above,
            p_value,
            p_value,
            False,
            level,
            None,
            needed,
        )
