"""Apply a rule to arrays: compare scores with cuts, or expected costs with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import refuse_bad_posteriors
from stakes._columns import as_array, as_floats
from stakes._kernels.bayes_rule import code_type
from stakes._kernels.class_scores import log_softmax
from stakes._names import as_positions, encode, listed
from stakes.application import CaseCosts
from stakes.decisions import bayes_decisions
from stakes.decisions.bayes import cheapest_by_case, decisions_by_stretch, weighed_decisions
from stakes.exceptions import DataError, PosteriorError
from stakes.posteriors import Posteriors
from stakes.posteriors.class_order import is_single_column
from stakes.rules.calibrated_scores import calibrated_logs, in_order, leave_nothing, scores_read
from stakes.rules.few_rows import decided_by_raw_cuts, decided_few, decided_few_posteriors
from stakes.typing import FloatArray

if TYPE_CHECKING:
    from stakes.rules.cut_points import CutPoints


def decided(rule: CutPoints, scores: Any, costs: Any = None) -> NDArray[Any]:
    """See `DecisionRule.decide`."""
    if rule.per_case != (costs is not None):
        wanted = "needs `costs`, those of each case" if rule.per_case else "has costs of its own"
        raise DataError(f"this rule {wanted}.")
    if costs is None and (few := decided_few(rule, scores)) is not None:
        return few
    if rule.scores == "decision":
        kind = code_type(len(rule.decisions))
        return as_positions(encode(scores, rule.decisions, "scores")).astype(kind)
    if rule.has_raw_cuts and rule.scores != "posterior":
        return decided_by_raw_cuts(rule, _single(rule, scores))
    exact = rule.calibrator is None and rule.cut is None and rule.score_type == "float64"
    if rule.has_raw_cuts and not exact:
        posteriors = _as_given(rule, scores)
        refuse_bad_posteriors(posteriors)
        _refuse_impossible(rule, posteriors, 0.0)
        single = posteriors if posteriors.ndim == 1 else posteriors[:, 1]
        return decided_by_raw_cuts(rule, single)
    posteriors = posteriors_of_scores(rule, scores)
    if rule.per_case:
        return _by_case(rule, posteriors, costs)
    return _by_expected_costs(rule, posteriors)


def _single(rule: CutPoints, scores: Any) -> NDArray[Any]:
    """One score about the second class per case: log odds, LLRs or ranks."""
    table = as_array(scores, "scores").ndim == 2 and not is_single_column(scores)
    if table and rule.scores != "rank":
        return Posteriors.from_logits(scores, rule.classes).log_odds
    return _half_again(as_floats(scores, "scores"), scores)


def _half_again(array: NDArray[Any], scores: Any) -> NDArray[Any]:
    """Scores in half precision if they were given so; columns are read as doubles."""
    return array.astype(np.float16) if getattr(scores, "dtype", None) == np.float16 else array


def posteriors_of_scores(rule: CutPoints, scores: Any) -> NDArray[Any]:
    """Posteriors at `from_priors`, or at the rule's priors; columns in the order of the classes.

    Refuses cases that can only belong to classes whose prior in the rule is 0.
    """
    if rule.calibrator is None and rule.scores == "posterior":
        found = _as_given(rule, scores)
        _refuse_impossible(rule, found, 0.0)
        return found
    if rule.calibrator is not None:
        read = scores_read(rule, scores)
        if rule._possible:
            _refuse_impossible(rule, read.columns(), -np.inf)
        logs = calibrated_logs(rule, read)
        return _of_possible(rule, logs) if 0 in rule.factors else np.exp(logs)
    if rule.scores == "log_odds":
        told = Posteriors.from_logits(scores, rule.classes)
    else:
        assert rule.said_at is not None
        told = Posteriors.from_llrs(scores, rule.said_at, rule.classes)
    return _of_possible(rule, told.log_values) if 0 in rule.factors else told.values


def _of_possible(rule: CutPoints, told: FloatArray) -> NDArray[Any]:
    """Posteriors of the classes that can occur, which another class could round to 0."""
    _refuse_impossible(rule, told, -np.inf)
    absent = np.array([factor == 0 for factor in rule.factors])
    logs = np.where(absent, -np.inf, told)
    lost = np.isneginf(logs).all(axis=1)
    logs[lost] = np.where(absent, -np.inf, 0.0)  # of two classes, the other one is certain
    return np.exp(log_softmax(logs))


def _as_given(rule: CutPoints, scores: Any) -> NDArray[Any]:
    """Posteriors in the order of the classes, in their own type."""
    array = _half_again(in_order(rule, scores), scores)
    narrow = np.dtype(rule.score_type)
    if not rule.has_cuts and narrow.itemsize < array.dtype.itemsize:
        return array.astype(narrow)
    return array


def _by_expected_costs(rule: CutPoints, posteriors: NDArray[Any]) -> NDArray[Any]:
    """The Bayes decisions at the rule's priors; scales the costs of a class, not its posteriors."""
    if rule.has_cuts:
        return decisions_by_stretch(posteriors, rule.priced_costs, rule.stretches)
    if (few := decided_few_posteriors(rule, posteriors)) is not None:
        return few
    if rule.stays:
        return bayes_decisions(posteriors, rule.priced_costs.values)
    return weighed_decisions(posteriors, rule.priced_costs, rule.factors)


def _refuse_impossible(rule: CutPoints, table: NDArray[Any], nothing: float) -> None:
    """Raise for cases that can only belong to classes whose prior in the rule is 0."""
    lost = np.flatnonzero(leave_nothing(rule, table, nothing))
    if lost.size:
        row = table[lost[0]] if table.ndim == 2 else np.array([1 - table[lost[0]], table[lost[0]]])
        said = [rule.classes[k] for k in np.flatnonzero(row > nothing)]
        raise PosteriorError(
            f"row {lost[0]} leaves only {listed(said)} possible, which has no share in the new "
            f"priors ({lost.size} of {len(table)} rows).",
            hint="give each class that can occur a share, however small",
            rows=lost[:10].tolist(),
        )


def _by_case(rule: CutPoints, posteriors: NDArray[Any], costs: Any) -> NDArray[Any]:
    """The cheapest decision of each case; scales the costs of a class, not its posteriors."""
    cases = costs if isinstance(costs, CaseCosts) else CaseCosts(costs)
    if cases.classes not in (rule.classes, tuple(range(len(rule.classes)))):
        raise DataError(f"`costs` must have the classes {listed(rule.classes)}, in this order.")
    if rule.prices is not None:
        cases = CaseCosts(cases.values + rule.prices, cases.classes, cases.decisions)
    if not rule.stays:
        ratios = np.array([float(factor / max(rule.factors)) for factor in rule.factors])
        cases = CaseCosts(cases.values * ratios[:, None], cases.classes, cases.decisions)
    refuse_bad_posteriors(posteriors)
    table = np.column_stack([1 - posteriors, posteriors]) if posteriors.ndim == 1 else posteriors
    return cheapest_by_case(table, cases)[0]
