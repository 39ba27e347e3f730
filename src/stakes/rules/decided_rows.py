"""For each row, a rule's decision, its expected cost, and the next best decision."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import float_of, sum_tolerance
from stakes._columns import as_array
from stakes._kernels.bayes_rule import first_least
from stakes.application import CaseCosts
from stakes.exceptions import DataError
from stakes.rules.applied_rule import decided, posteriors_of_scores
from stakes.rules.calibrated_scores import (
    LARGEST_SCORE,
    calibrated_logs,
    leave_nothing,
    scores_read,
)
from stakes.rules.row_expressions import LARGEST_COST
from stakes.typing import FloatArray, Name

if TYPE_CHECKING:
    from stakes.rules.decision_rule import DecisionRule

#: The columns added to a table, and the one that explains rows without a decision.
ADDED = ("decision", "expected_cost", "next_best", "margin")
REASON = "not_decided"
#: Why a row cannot be decided, in the order in which this is checked.
NO_SCORE, NO_PROBABILITY, NO_SUM, NO_POSTERIOR, NO_SHARE, NO_COST = (
    "no score", "not a probability", "probabilities do not add to 1",
    "infinite scores that determine no posterior", "only classes with a prior of 0", "no cost",
)  # fmt: skip
REASONS = (NO_SCORE, NO_PROBABILITY, NO_SUM, NO_POSTERIOR, NO_SHARE, NO_COST)


@dataclass(frozen=True, slots=True, eq=False)
class DecidedRows:
    """Decisions by position, expected costs, the next best decision and how much more it costs.

    Expected costs are without the prices of decisions; margins and the next best decision include
    them. Costs and margins are nan if unknown: for cuts that were chosen on data. Without a second
    decision, `next_codes` are -1.
    """

    codes: NDArray[Any]
    expected_cost: FloatArray
    next_codes: NDArray[Any]
    margin: FloatArray


def decided_rows(rule: DecisionRule, scores: Any, costs: Any = None) -> DecidedRows:
    """The decisions of `DecisionRule.decide`, and what they are expected to cost."""
    codes = decided(rule, scores, costs)
    if rule.cut is not None:
        unknown = np.full(len(codes), np.nan)
        return DecidedRows(codes, unknown, 1 - codes, unknown)
    return compared_rows(rule, codes, costs_of_decisions(rule, scores, costs))


def compared_rows(rule: DecisionRule, codes: NDArray[Any], expected: FloatArray) -> DecidedRows:
    """Decisions with the next best ones; expected costs are (decisions, n), without prices."""
    each = np.arange(len(codes))
    paid = expected[codes, each]
    if len(expected) == 1:
        return DecidedRows(codes, paid, np.full(len(codes), -1), np.full(len(codes), np.nan))
    others = with_prices(rule, expected).copy()
    least = others[codes, each]
    others[codes, each] = np.inf
    after = first_least(others, np.zeros_like(others), 0.0)
    return DecidedRows(codes, paid, after, np.maximum(others[after, each] - least, 0.0))


def with_prices(rule: DecisionRule, expected: FloatArray) -> FloatArray:
    """Expected costs, (decisions, n), plus the price of each decision."""
    return expected if rule.prices is None else expected + rule.prices[:, None]


def costs_of_decisions(rule: DecisionRule, scores: Any, costs: Any = None) -> FloatArray:
    """The expected cost of every decision at the rule's priors, without prices: (decisions, n)."""
    found = posteriors_of_scores(rule, scores).astype(np.float64)
    posteriors = np.column_stack([1 - found, found]) if found.ndim == 1 else found
    if not rule.stays:
        posteriors = posteriors * [float(factor) for factor in rule.factors]
        lost = posteriors.sum(axis=1) == 0  # of two classes, the other one is certain
        posteriors[lost] = [factor > 0 for factor in rule.factors]
        posteriors = posteriors / posteriors.sum(axis=1, keepdims=True)
    if not rule.per_case:
        return np.asarray(rule.application.costs.values.T @ posteriors.T)
    cases = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    return np.asarray(np.einsum("nk,nkm->mn", posteriors, cases.values))


def named_decisions(rule: DecisionRule) -> list[Any]:
    """The names of the decisions, as text if a column could not hold their types."""
    names = list(rule.decisions)
    alike = len({type(name) for name in names}) == 1 and type(names[0]) in (str, int, float, bool)
    return names if alike else [str(name) for name in names]


def faults(rule: DecisionRule, scores: FloatArray, costs: FloatArray | None) -> NDArray[np.intp]:
    """For each row, the position in `REASONS` of why it cannot be decided; -1 if it can.

    `scores` is (n,) or (n, K), `costs` (n, K, M), with nan for unknown values.
    """
    table = scores[:, None] if scores.ndim == 1 else scores
    found = np.full(len(scores), -1)
    if costs is not None:
        known = (np.abs(costs) <= LARGEST_COST).all(axis=(1, 2))
        found[~known] = REASONS.index(NO_COST)
    nothing = 0.0 if rule.scores == "posterior" else -np.inf
    every = table[:, 0] if table.shape[1] == 1 else table
    found[leave_nothing(rule, every, nothing)] = REASONS.index(NO_SHARE)
    if rule.scores == "posterior":
        slack = 0.0
        if table.shape[1] > 1:
            slack = sum_tolerance(np.dtype(rule.score_type))
            found[np.abs(table.sum(axis=1) - 1) > slack] = REASONS.index(NO_SUM)
        found[((table < 0) | (table > 1 + slack)).any(axis=1)] = REASONS.index(NO_PROBABILITY)
    elif table.shape[1] > 1:
        several = (table == np.inf).sum(axis=1) > 1
        found[several | (table == -np.inf).all(axis=1)] = REASONS.index(NO_POSTERIOR)
    found[np.isnan(table).any(axis=1)] = REASONS.index(NO_SCORE)
    if rule._possible and rule.calibrator is not None:  # some maps make posteriors of exactly 0
        fine = np.flatnonzero(found < 0)
        logs = calibrated_logs(rule, scores_read(rule, as_decidable(rule, scores[fine])))
        found[fine[leave_nothing(rule, logs, -np.inf)]] = REASONS.index(NO_SHARE)
    return found


def as_decidable(rule: DecisionRule, scores: FloatArray) -> NDArray[Any]:
    """Scores without faults in the type of the rule, and no larger than calibrators take."""
    found = scores.astype(rule.score_type)
    if rule.calibrator is None or rule.scores == "posterior":
        return found
    most = min(LARGEST_SCORE, float(np.finfo(found.dtype).max))
    return np.where(np.isinf(found), found, np.clip(found, -most, most))


def outside(rule: DecisionRule, scores: FloatArray) -> NDArray[np.bool_]:
    """Which rows have a score beyond the range on which the rule was learnt."""
    table = scores[:, None] if scores.ndim == 1 else scores
    if rule.score_range is None:
        return np.zeros(len(scores), dtype=np.bool_)
    low, high = rule.score_range
    if table.shape[1] == 2:  # the range is that of the second class
        table = table[:, 1:]
    return np.asarray(((table < low) | (table > high)).any(axis=1))


def decided_one(rule: DecisionRule, score: Any) -> Name:
    """See `DecisionRule.decide_one`."""
    several = isinstance(score, (list, tuple, np.ndarray))
    lone = several and as_array(score, "score").shape == (1,)
    if rule.scores != "decision" and (score is None or isinstance(score, str) or lone):
        wanted = "a number, or one for each class" if len(rule.classes) > 2 else "a number"
        hint = "several cases at once:  rule.decide(scores)" if lone else None
        raise DataError(f"`score` must be {wanted}; got {score!r}.", hint=hint)
    if not isinstance(score, (float, int)) or not rule._decides_plain_numbers or not rule.has_cuts:
        row = np.asarray(score)[None] if isinstance(score, (np.ndarray, np.generic)) else [score]
        return rule.decisions[int(decided(rule, row)[0])]
    at, taken = rule._raw_cuts_known
    number = float_of(score)
    if not (0.0 <= number <= 1.0 if rule.scores == "posterior" else number == number):
        wanted = "a probability" if rule.scores == "posterior" else "a number"
        raise DataError(f"`score` must be {wanted}; got {score!r}.")
    return rule.decisions[taken[bisect_left(at, number)]]
