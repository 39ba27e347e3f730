"""Check that the parts of a rule fit each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._checks import frozen, of_kind
from stakes._columns import as_reals, in_brief
from stakes._names import listed
from stakes.application import CostExpression
from stakes.exceptions import CostError, DataError, PriorError
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.rules.decision_rule import DecisionRule


def priors_of_calibrator(rule: DecisionRule) -> FloatArray:
    """The priors that a calibrator gives its posteriors for."""
    from stakes.calibration.calibrator import as_calibrator

    fitted = as_calibrator(rule.calibrator)
    if fitted.classes is None or fitted.priors is None:
        raise DataError("`calibrator` has not been fitted.", hint="calibrator.fit(scores, y_true)")
    knows, has = len(fitted.classes), len(rule.classes)
    if knows != has:
        raise DataError(f"`calibrator` knows {knows} classes; the application has {has}.")
    said = rule.from_priors
    if said is not None and not np.array_equal(said, fitted.priors):
        raise PriorError(
            f"`from_priors` are {np.asarray(said).tolist()}, and the calibrator gives posteriors "
            f"for {fitted.priors.tolist()}.",
            hint="leave out `from_priors`",
        )
    return fitted.priors


def refuse_what_contradicts(rule: DecisionRule) -> None:
    """Raise for parts of a wrong type, and for parts that contradict each other."""
    of_kind(rule.per_case, "per_case", bool)
    texts = {"model": [rule.model], "digest": [rule.digest], "cut_texts": rule.cut_texts or ()}
    for what, each in texts.items():
        for text in each:
            if text is not None:
                of_kind(text, what, str)
    if rule.scores == "rank" and rule.cut is None and rule.calibrator is None:
        raise DataError("a rule on ranks needs `cut` or a calibrator.")
    if rule.cut is not None:
        if rule.application.costs.shape != (2, 2):
            raise CostError("`cut` needs two classes and two decisions.")
        if np.isnan(rule.cut):
            raise DataError("`cut` must be a number; got nan.")
        if rule.per_case or rule.scores == "decision" or rule.calibrator is not None:
            raise DataError("`cut` is on scores as they are, and the same for all cases.")
    if rule.per_case and rule.scores == "decision":
        raise DataError("decisions are not decided again, per case or otherwise.")
    if rule.calibrator is not None and rule.scores == "decision":
        raise DataError("decisions cannot be calibrated.")
    if rule.scores == "llr" and rule.priors is None and rule.cut is None and not rule.calibrator:
        raise PriorError("log-likelihood ratios need the priors where the rule will run.")
    if rule.score_range is not None and not rule.score_range[0] <= rule.score_range[1]:
        raise DataError(f"`score_range` must be in order; got {rule.score_range}.")
    before, after = rule.said_at, rule.priors
    if before is None or after is None:
        return
    for name, here, there in zip(rule.classes, before, after, strict=True):
        if here == 0 and there > 0:
            raise PriorError(
                f"class {name!r} has no case in the data that the scores were made for, but a "
                f"prior of {there:g}; posteriors cannot be moved there.",
                hint="bring cases of it, or give it a prior of 0",
            )


def columns_of_rule(rule: DecisionRule) -> tuple[str, ...] | None:
    """The names of the columns that hold the scores: one, or one for each class."""
    given: Any = rule.columns
    if given is None:
        return None
    each = (given,) if isinstance(given, str) else of_kind(given, "columns", Sequence)
    names = tuple(of_kind(name, "columns", str) for name in each)
    if len(names) not in (1, len(rule.classes)) or len(set(names)) < len(names):
        raise DataError(
            f"`columns` must be one name, or one for each of the {len(rule.classes)} classes; got "
            f"{list(names)}."
        )
    if len(names) == 1 and len(rule.classes) > 2 and rule.scores != "decision":
        raise DataError(f"{len(rule.classes)} classes need a column for each; got {list(names)}.")
    return names


def prices_of_rule(rule: DecisionRule) -> FloatArray | None:
    """The price of each decision, in their order; None if all are free."""
    given: Any = rule.prices
    if given is None:
        return None
    if isinstance(given, Mapping):
        strange = [name for name in given if name not in rule.decisions]
        if strange:
            raise CostError(
                f"`prices` are for {strange[0]!r}, which is not a decision here.",
                hint=f"the decisions are {listed(rule.decisions)}",
            )
        given = [given.get(name, 0.0) for name in rule.decisions]
    prices = as_reals(given, "prices", CostError)
    if prices.shape != (len(rule.decisions),) or not np.isfinite(prices).all():
        raise CostError(
            f"`prices` must be {len(rule.decisions)} finite numbers, one for each decision; got "
            f"{in_brief(rule.prices)}."
        )
    if rule.cut is not None or rule.scores == "decision":
        raise CostError("`prices` are added to expected costs, which this rule does not compare.")
    return frozen(prices) if prices.any() else None


def formulas_of_rule(rule: DecisionRule) -> tuple[tuple[str, ...], ...] | None:
    """Costs per case as formulas, one for each class and decision."""
    if rule.case_costs is None:
        return None
    if not of_kind(rule.per_case, "per_case", bool):
        raise DataError("`case_costs` are for a rule per case.", hint="per_case=True")
    table = tuple(tuple(map(str, row)) for row in rule.case_costs)
    if [len(row) for row in table] != [len(rule.decisions)] * len(rule.classes):
        raise DataError("`case_costs` must have a row for each class, a column for each decision.")
    for row in table:
        for text in row:
            CostExpression(text)  # refuses a formula that cannot be parsed
    return table


def converted(
    values: float | FloatArray, scores: str, wanted: str, priors: FloatArray | None
) -> FloatArray:
    """Scores of the second class, or a cut that was chosen on them, as another kind of scores."""
    if "llr" in (scores, wanted) and priors is None:
        raise PriorError("log-likelihood ratios need the priors for which posteriors were made.")
    with np.errstate(divide="ignore", over="ignore"):
        base = 0.0 if priors is None else float(np.log(priors[1]) - np.log(priors[0]))
        if scores == "posterior":
            odds = np.log(values) - np.log1p(np.negative(values))
        else:
            odds = np.asarray(values) + (base if scores == "llr" else 0.0)
        if wanted == "llr":
            return np.asarray(odds - base)
        return np.asarray(odds if wanted == "log_odds" else 1 / (1 + np.exp(-odds)))
