"""Costs that differ from case to case: one rule per case, one threshold, or average costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import same_length
from stakes._columns import as_weights
from stakes._guesses import AnswersGuesses
from stakes._kernels.bayes_rule import moved_shares, rounding_of_sums
from stakes.application import CaseCosts, CostMatrix
from stakes.decisions.bayes import bayes_decisions, class_posteriors, moved_decisions
from stakes.exceptions import CostError
from stakes.posteriors.class_order import ClassOrder, asked_order
from stakes.results import Frame
from stakes.typing import FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CaseRules(AnswersGuesses):
    """Three ways to decide when costs differ from case to case; see `case_rules`.

    Parameters
    ----------
    per_case : array of shape (n_cases,)
        Decisions, each by its own costs.
    one_threshold : array of shape (n_cases,), optional
        Decisions by the best single threshold; `None` unless there are two classes and two
        decisions.
    average : array of shape (n_cases,)
        Decisions by the average costs.
    threshold : float
        Where `one_threshold` starts to act; `nan` if it does not exist.
    average_costs : CostMatrix
        The costs behind `average`.
    expected : tuple of float
        What each of the three costs per case, if the posteriors are right.
    """

    per_case: NDArray[Any]
    one_threshold: NDArray[Any] | None
    average: NDArray[Any]
    threshold: float
    average_costs: CostMatrix
    expected: tuple[float, float, float]

    def items(self) -> list[tuple[str, NDArray[Any]]]:
        """The rules by name, the best first."""
        named = (("per case", self.per_case), ("one threshold", self.one_threshold),
                 ("average costs", self.average))  # fmt: skip
        return [(name, rule) for name, rule in named if rule is not None]

    def frame(self) -> Frame:
        """One row per rule: rule, expected_cost, acts_on (share not given the first decision)."""
        costs = [cost for cost in self.expected if not np.isnan(cost)]
        names, rules = zip(*self.items(), strict=True)
        return Frame(
            {
                "rule": list(names),
                "expected_cost": costs,
                "acts_on": [float(np.mean(rule != 0)) for rule in rules],
            }
        )

    def __repr__(self) -> str:
        each, one, mean = (f"{cost:.4g}" for cost in self.expected)
        return f"CaseRules(expected per case {each}, one threshold {one}, average costs {mean})"


def case_rules(
    posteriors: Any,
    costs: Any,
    *,
    classes: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
) -> CaseRules:
    """Decide each case by its own costs, and by two rules that are the same for all cases.

    To see what deciding case by case is worth. If the posteriors are right, the order of
    the expected costs is certain: per case <= one threshold <= average costs.

    Parameters
    ----------
    posteriors : array-like of shape (n_cases, n_classes), or (n_cases,) for two classes
        As in `stakes.bayes_decisions`.
    costs : CaseCosts or array-like of shape (n_cases, n_classes, n_decisions)
        What each decision costs in each case.
    classes, positive : optional
        The order of the columns, as in `stakes.bayes_decisions`.
    sample_weight : column, optional
        Weight of each case, not negative.

    Returns
    -------
    CaseRules
        The decisions of the three rules, and what each is expected to cost.

    Notes
    -----
    The single threshold is the best one for these posteriors and costs: it is found exactly,
    over all cuts between distinct posteriors. The average-cost rule is the Bayes rule for the
    average of all matrices, the approximation behind every confusion matrix. Both average a
    cost over all cases. Where positives have other amounts than negatives, the single
    threshold takes that into account, and the average does not.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, section 3.6.

    Examples
    --------
    >>> from stakes.application import case_costs
    >>> costs = case_costs({"amount": [100.0, 100.0, 5000.0]},
    ...                    {"fn": "0.75*amount", "fp": "0.05*amount + 20"})
    >>> rules = case_rules([0.1, 0.3, 0.1], costs)
    >>> rules.per_case
    array([0, 1, 1], dtype=int8)
    >>> rules
    CaseRules(expected per case 89.33, one threshold 94.33, average costs 94.33)
    """
    cases = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    weights = as_weights(sample_weight, len(cases))
    array = _as_array(posteriors, cases, asked_order(classes, positive))
    even = np.full(array.shape[1], 1 / array.shape[1])
    return moved_case_rules(array, cases, even, even, weights)


def moved_case_rules(
    array: NDArray[Any], cases: CaseCosts, priors: Any, said_at: Any, weights: FloatArray | None
) -> CaseRules:
    """The rules at other shares than those that checked posteriors (n, K) were made for.

    The costs of each class are multiplied instead of its posteriors; the threshold is one on the
    posteriors as they come.
    """
    moved, risks = cases, _expected(array, cases)
    if not np.array_equal(priors, said_at):
        factors = moved_shares(priors, said_at)
        ratios = np.array([float(factor / max(factors)) for factor in factors])
        moved = CaseCosts(cases.values * ratios[:, None], cases.classes, cases.decisions)
        risks = _expected(array, moved) / (array @ ratios)[:, None]
    shares = np.full(len(cases), 1 / len(cases)) if weights is None else weights / weights.sum()
    average_costs = cases.average(weights)
    each = np.asarray(bayes_decisions(array, moved, classes=cases.classes))
    average = moved_decisions(array, average_costs, priors, said_at)
    one, threshold = None, np.nan
    if risks.shape[1] == 2 and array.shape[1] == 2:
        threshold = _best_threshold(array[:, 1], risks, shares)
        one = (array[:, 1] > threshold).astype(each.dtype)
    rows = np.arange(len(cases))
    taken = [
        np.nan if rule is None else float(shares @ risks[rows, rule])
        for rule in (each, one, average)
    ]
    expected = (taken[0], taken[1], taken[2])
    return CaseRules(each, one, average, float(threshold), average_costs, expected)


def expected_case_costs(
    posteriors: Any, costs: Any, *, classes: Any = None, positive: Any = None
) -> FloatArray:
    """What each decision is expected to cost in each case, if the posteriors are right.

    Parameters
    ----------
    posteriors : array-like of shape (n_cases, n_classes), or (n_cases,) for two classes
        As in `stakes.bayes_decisions`.
    costs : CaseCosts or array-like of shape (n_cases, n_classes, n_decisions)
        What each decision costs in each case.
    classes, positive : optional
        The order of the columns, as in `stakes.bayes_decisions`.

    Returns
    -------
    array of shape (n_cases, n_decisions)
        In the unit of the costs.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025: the sum in eq 7.

    Examples
    --------
    >>> expected_case_costs([0.25], [[[0, 8], [40, 0]]])
    array([[10.,  6.]])
    """
    cases = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    return _expected(_as_array(posteriors, cases, asked_order(classes, positive)), cases)


def _expected(array: NDArray[Any], cases: CaseCosts) -> FloatArray:
    """What each decision is expected to cost, from checked posteriors."""
    return np.asarray(np.einsum("nk,nkm->nm", array, cases.values))


def _as_array(posteriors: Any, cases: CaseCosts, order: ClassOrder) -> NDArray[Any]:
    """Checked posteriors with one column per class, in their own type, which sets ties."""
    array = class_posteriors(posteriors, cases.classes, order)
    same_length("posteriors", array.shape[0], "costs", len(cases))
    return array


def _best_threshold(p: NDArray[Any], risks: FloatArray, shares: FloatArray) -> float:
    """The cut on p with the least expected cost, acting above it; the higher cut if tied.

    Cases of equal p are never split. Where waiting and acting cost them the same, up to the
    rounding of both sums, moving the cut past them changes nothing.
    """
    if not np.isfinite(risks).all():
        raise CostError("expected costs must be finite; the costs are too large.")
    order = np.argsort(p, kind="stable")
    waiting, acting = (shares * risks[:, 0])[order], (shares * risks[:, 1])[order]
    levels, starts, counts = np.unique(p[order], return_index=True, return_counts=True)
    saved = np.add.reduceat(acting - waiting, starts)
    sizes = np.add.reduceat(np.abs(acting) + np.abs(waiting), starts)
    saved[np.abs(saved) <= rounding_of_sums(int(counts.max()) + 2, p.dtype.name) * sizes] = 0.0
    totals = np.concatenate(([0.0], -np.cumsum(saved)))
    best = len(totals) - 1 - int(np.argmin(totals[::-1]))
    if best == 0:
        return -np.inf
    if best == len(levels):
        return np.inf
    levels = levels.astype(np.float64)
    middle = levels[best - 1] / 2 + levels[best] / 2
    cut = middle if levels[best - 1] <= middle < levels[best] else levels[best - 1]
    return float(cut)
