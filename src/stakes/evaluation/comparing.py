"""Models on the same cases: how sure each cost is, and which differences are real."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes._names import as_positions
from stakes.application import Application
from stakes.evaluation.judging import Cases, Judged, Variant
from stakes.summaries import GroupedCounts, PairedCounts
from stakes.uncertainty import Comparison, Difference, compare, interval, weighted_interval
from stakes.uncertainty.case_rows import CaseRows

__all__ = ["after_calibration", "compared", "nec_interval", "told_apart", "worth_of_calibration"]

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
