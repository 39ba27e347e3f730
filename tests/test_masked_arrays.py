"""Masked values are missing: refused wherever an array enters, with where and how many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stakes
from stakes import application, audit, calibration, curves, decisions, metrics, uncertainty
from stakes import elicitation as asked
from stakes.engines import Stream
from stakes.exceptions import DataError

Y = np.array([0, 1] * 20)
D = np.array([0, 1, 1, 1] * 10)
P = np.array([0.1, 0.8, 0.3, 0.6] * 10)
S = np.log(P / (1 - P))
TABLE = np.column_stack([1 - P, P])
W = np.linspace(1, 2, 40)
G = np.arange(40) // 2
C = np.array([[0.0, 1.0], [5.0, 0.0]])
APP = stakes.Application(C)
SHARES = np.array([0.7, 0.3])
COUNTS = np.array([[8, 2], [1, 9]])
MATRIX = stakes.ConfusionMatrix(COUNTS)
SCORES = stakes.ScoreCounts.from_scores(Y, S, kind="log_odds")
EACH = np.broadcast_to(C, (40, 2, 2)).copy()
AMOUNTS = np.linspace(10, 20, 40)
FITTED = calibration.Affine().fit(S, Y)
PAIR = stakes.PairedCounts.from_decisions(Y, {"a": D, "b": 1 - D})
UNSURE = application.UncertainApplication([[0, 1], [application.Between(2, 10), 0]])


def many(**arrays: Any) -> stakes.CaseCosts:
    return stakes.CaseCosts.binary(**{"false_positive": 1.0, "false_negative": AMOUNTS} | arrays)


def counted(y: Any = Y, d: Any = D, **options: Any) -> Any:
    return stakes.ConfusionMatrix.from_decisions(y, d, **options)


def judged(y: Any = Y, p: Any = P, **options: Any) -> Any:
    return stakes.evaluate(y, {"m": p}, **{"application": APP, "rng": 0} | options)


def fit(s: Any = S, y: Any = Y, priors: Any = None, **options: Any) -> Any:
    return calibration.Affine(priors=priors).fit(s, y, **options)


def gained(y: Any = Y, s: Any = S, **options: Any) -> Any:
    return calibration.calibration_gain(y, s, **{"folds": 2, "rng": 0} | options)


#: Every way in which an array enters: what it is called, the array, and the call.
ENTRIES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "CostMatrix values": (C, stakes.CostMatrix),
    "CostMatrix.from_utilities values": (C, stakes.CostMatrix.from_utilities),
    "CostMatrix.inverse_prior priors": (SHARES, stakes.CostMatrix.inverse_prior),
    "CostMatrix.with_abstention cost": (SHARES, stakes.CostMatrix(C).with_abstention),
    "CostMatrix.expected weights": (
        SHARES,
        lambda w: stakes.CostMatrix.expected([stakes.CostMatrix(C)] * 2, weights=w),
    ),
    "Application costs": (C, stakes.Application),
    "Application priors": (SHARES, lambda p: stakes.Application(C, priors=p)),
    "Application.with_priors priors": (SHARES, APP.with_priors),
    "CaseCosts values": (EACH, stakes.CaseCosts),
    "CaseCosts.binary false_negative": (AMOUNTS, lambda a: many(false_negative=a)),
    "CaseCosts.binary false_positive": (AMOUNTS, lambda a: many(false_positive=a)),
    "CaseCosts.binary true_positive": (AMOUNTS, lambda a: many(true_positive=a)),
    "CaseCosts.binary true_negative": (AMOUNTS, lambda a: many(true_negative=a)),
    "CaseCosts.average weights": (W, lambda w: many().average(w)),
    "case_costs column": (
        AMOUNTS,
        lambda a: application.case_costs({"amount": a}, {"fn": "amount", "fp": 1}),
    ),
    "case_costs amount": (
        AMOUNTS,
        lambda a: application.case_costs({"x": AMOUNTS}, {"fn": a, "fp": 1}),
    ),
    "UncertainApplication.from_samples costs": (
        np.stack([C, 2 * C]),
        application.UncertainApplication.from_samples,
    ),
    "sample_weights y_true": (Y, lambda y: application.sample_weights(y, APP)),
    "Posteriors values, one column": (P, stakes.Posteriors),
    "Posteriors values": (TABLE, stakes.Posteriors),
    "Posteriors.from_logits logits, one column": (S, stakes.Posteriors.from_logits),
    "Posteriors.from_logits logits": (np.log(TABLE), stakes.Posteriors.from_logits),
    "Posteriors.from_log_posteriors": (np.log(TABLE), stakes.Posteriors.from_log_posteriors),
    "Posteriors.from_llrs llrs": (S, lambda s: stakes.Posteriors.from_llrs(s, SHARES)),
    "Posteriors.from_llrs priors": (SHARES, lambda p: stakes.Posteriors.from_llrs(S, p)),
    "shift_priors posteriors": (
        P,
        lambda p: stakes.posteriors.shift_priors(p, [0.5, 0.5], from_priors=SHARES),
    ),
    "shift_priors old": (
        SHARES,
        lambda p: stakes.posteriors.shift_priors(P, [0.5, 0.5], from_priors=p),
    ),
    "estimate_priors posteriors": (
        TABLE,
        lambda p: stakes.posteriors.estimate_priors(p, priors=SHARES),
    ),
    "estimate_priors_from_decisions decisions": (
        np.array([30.0, 10.0]),
        lambda d: stakes.posteriors.estimate_priors_from_decisions(MATRIX, d),
    ),
    "bayes_decisions posteriors": (TABLE, lambda p: stakes.bayes_decisions(p, C)),
    "bayes_decisions one column": (P, lambda p: stakes.bayes_decisions(p, C)),
    "bayes_decisions costs": (C, lambda c: stakes.bayes_decisions(P, c)),
    "bayes_decisions costs per case": (EACH, lambda c: stakes.bayes_decisions(P, c)),
    "minimax_regret_decisions posteriors": (
        P,
        lambda p: decisions.minimax_regret_decisions(p, UNSURE),
    ),
    "case_rules posteriors": (P, lambda p: decisions.case_rules(p, many())),
    "case_rules sample_weight": (
        W,
        lambda w: decisions.case_rules(P, many(), sample_weight=w),
    ),
    "expected_case_costs costs": (EACH, lambda c: decisions.expected_case_costs(P, c)),
    "ConfusionMatrix counts": (COUNTS, stakes.ConfusionMatrix),
    "ConfusionMatrix.from_decisions y_true": (Y, counted),
    "ConfusionMatrix.from_decisions decisions": (D, lambda d: counted(d=d)),
    "ConfusionMatrix.from_decisions sample_weight": (W, lambda w: counted(sample_weight=w)),
    "ConfusionMatrix.from_decisions names": (
        np.array(["no", "yes"] * 20),
        lambda y: counted(y, y),
    ),
    "PairedCounts.from_decisions decisions": (
        D,
        lambda d: stakes.PairedCounts.from_decisions(Y, {"a": d, "b": D}),
    ),
    "PairedCounts.from_scores thresholds": (
        np.array([-1.0, 0.0]),
        lambda t: stakes.PairedCounts.from_scores(Y, {"a": S}, thresholds=t),
    ),
    "GroupedCounts groups": (
        G,
        lambda g: stakes.summaries.GroupedCounts.from_decisions(Y, {"a": D}, groups=g),
    ),
    "GroupedCounts sample_weight": (
        W,
        lambda w: stakes.summaries.GroupedCounts.from_decisions(
            Y, {"a": D}, groups=G, sample_weight=w
        ),
    ),
    "CostTally decisions": (D, lambda d: stakes.CostTally.from_decisions(Y, d, costs=many())),
    "ScoreCounts negatives": (np.unique(P), lambda s: stakes.ScoreCounts(s, s)),
    "ScoreCounts negative_counts": (
        np.array([1.0, 2.0]),
        lambda n: stakes.ScoreCounts(SHARES[::-1], SHARES[::-1], n, np.ones(2)),
    ),
    "PairedCounts counts": (
        np.array([3, 4]),
        lambda n: stakes.PairedCounts([[0, 0], [1, 1]], n, ("a",), (0, 1), (0, 1)),
    ),
    "CostTally sums": (C, lambda c: stakes.CostTally(COUNTS, c, C)),
    "ScoreCounts.from_scores scores": (
        S,
        lambda s: stakes.ScoreCounts.from_scores(Y, s, kind="llr"),
    ),
    "ScoreCounts.from_scores y_true": (
        Y,
        lambda y: stakes.ScoreCounts.from_scores(y, S, kind="llr"),
    ),
    "ScoreCounts.from_scores sample_weight": (
        W,
        lambda w: stakes.ScoreCounts.from_scores(Y, S, kind="llr", sample_weight=w),
    ),
    "ScoreCounts.binned edges": (np.array([-1.0, 0.0]), SCORES.binned),
    "ScoreBins.from_scores edges": (
        np.array([-1.0, 0.0]),
        lambda e: stakes.ScoreBins.from_scores(Y, S, edges=e, kind="llr"),
    ),
    "one_vs_rest posteriors": (TABLE, lambda p: stakes.summaries.one_vs_rest(Y, p)),
    "pairwise sample_weight": (
        W,
        lambda w: stakes.summaries.pairwise(Y, TABLE, sample_weight=w),
    ),
    "expected_cost y_true": (Y, lambda y: stakes.expected_cost(y, D, application=APP)),
    "expected_cost decisions": (D, lambda d: stakes.expected_cost(Y, d, application=APP)),
    "expected_cost sample_weight": (
        W,
        lambda w: stakes.expected_cost(Y, D, application=APP, sample_weight=w),
    ),
    "expected_cost counts": (COUNTS, metrics.accuracy),
    "case_cost costs": (EACH, lambda c: metrics.case_cost(Y, D, costs=stakes.CaseCosts(c))),
    "matched_beta shares": (np.array([0.1, 0.2, 0.3]), metrics.matched_beta),
    "metric counts": (COUNTS, metrics.catalogue["accuracy"].values),
    "curves.bayes_error log_odds": (
        np.array([-1.0, 1.0]),
        lambda x: curves.bayes_error(SCORES, log_odds=x),
    ),
    "curves.decision thresholds": (
        np.array([0.1, 0.2]),
        lambda t: curves.decision(SCORES, thresholds=t),
    ),
    "curves.tippett log10_lr": (np.array([-1.0, 1.0]), lambda x: curves.tippett(SCORES, x)),
    "curves.application_path positions": (
        np.array([1.0, 2.0]),
        lambda x: curves.application_path(Y, TABLE, applications=[APP, APP], positions=x),
    ),
    "Calibrator.fit scores": (S, fit),
    "Calibrator.fit table": (np.log(TABLE), fit),
    "Calibrator.fit y_true": (Y, lambda y: fit(y=y)),
    "Calibrator.fit sample_weight": (W, lambda w: fit(sample_weight=w)),
    "Calibrator.fit groups": (G, lambda g: fit(groups=g)),
    "Calibrator priors": (SHARES, lambda p: fit(priors=p)),
    "Calibrator.posteriors scores": (S, FITTED.posteriors),
    "cross_fit folds": (
        np.arange(40) // 10,
        lambda f: calibration.cross_fit(Y, S, calibrator=calibration.Affine(), folds=f),
    ),
    "calibration_gain scores": (S, lambda s: gained(s=s)),
    "calibration_gain groups": (G, lambda g: gained(groups=g)),
    "reliability_table posteriors": (P, lambda p: calibration.reliability_table(Y, p)),
    "decision_calibration costs": (
        C,
        lambda c: calibration.decision_calibration(Y, P, costs=c),
    ),
    "audit matrix": (COUNTS, lambda t: audit.implied_costs("f1", t)),
    "audit.choice_regret values": (
        P,
        lambda v: audit.choice_regret(v, P),
    ),
    "audit.misranking_by_error errors": (np.array([0.1, 0.2]), audit.misranking_by_error),
    "audit.rank_correlation first": (P, lambda v: audit.rank_correlation(v, S)),
    "audit.rank_correlation second": (S, lambda v: audit.rank_correlation(P, v)),
    "elicitation.ratio_from_amounts": (
        np.array([30.0, 50.0]),
        lambda a: asked.ratio_from_amounts(false_negative=a, false_positive=1.0),
    ),
    "uncertainty.compare sample_weight": (
        W,
        lambda w: uncertainty.weighted_score_interval(Y, S, sample_weight=w, metric="auc"),
    ),
    "uncertainty.band at": (
        np.array([0.1, 0.2]),
        lambda x: uncertainty.band(SCORES, "roc", at=x, rng=0),
    ),
    "uncertainty.power_curve cases": (
        np.array([100.0, 200.0]),
        lambda n: uncertainty.power_curve(PAIR, APP, cases=n),
    ),
    "evaluate y_true": (Y, judged),
    "evaluate one column": (P, lambda p: judged(p=p)),
    "evaluate posteriors": (TABLE, lambda p: judged(p=p)),
    "evaluate decisions": (D, lambda d: judged(p=d)),
    "evaluate sample_weight": (W, lambda w: judged(sample_weight=w)),
    "evaluate groups": (G, lambda g: judged(groups=g)),
    "evaluate by": (G % 2, lambda g: judged(by=g)),
    "evaluate folds": (np.arange(40) // 10, lambda f: judged(folds=f)),
    "evaluate from_priors": (SHARES, lambda p: judged(from_priors=p)),
    "Stream.update y_true": (Y, lambda y: Stream(APP).update(y, {"m": P})),
    "Stream.update models": (P, lambda p: Stream(APP).update(Y, {"m": p})),
    "Stream.update sample_weight": (
        W,
        lambda w: Stream(APP).update(Y, {"m": P}, sample_weight=w),
    ),
}


def masked(array: Any, *places: int) -> Any:
    """A masked array that hides some of its values."""
    hidden = np.zeros(np.shape(array), dtype=bool)
    for place in places:
        hidden.flat[place] = True
    return np.ma.MaskedArray(array, mask=hidden)


@pytest.mark.parametrize("name", ENTRIES)
def test_masked_values_are_refused(name: str) -> None:
    array, call = ENTRIES[name]
    last = np.size(array) - 1
    with pytest.raises(DataError, match="has masked values, which are missing") as found:
        call(masked(array, last - 1, last))
    assert f"(2 of {last + 1} values)" in found.value.message
    first = tuple(int(k) for k in np.unravel_index(last - 1, np.shape(array)))
    where = f"row {first[0]} " if len(first) == 1 else f"at {first} "
    assert f"the first is {where}" in found.value.message


@pytest.mark.parametrize("name", ENTRIES)
def test_a_mask_that_hides_nothing_is_accepted(name: str) -> None:
    array, call = ENTRIES[name]
    call(masked(array))
    call(np.ma.MaskedArray(array))


def test_a_mask_that_hides_nothing_changes_nothing() -> None:
    plain, hidden = judged(), judged(masked(Y), masked(P), sample_weight=masked(np.ones(40)))
    assert hidden["m"].cost == plain["m"].cost
    assert type(stakes.bayes_decisions(masked(P), C)) is np.ndarray


def test_estimators() -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="fits estimators")
    from stakes.integrations.sklearn import BayesDecisionClassifier

    cases = S[:, None]
    model = BayesDecisionClassifier(linear.LogisticRegression(), APP).fit(cases, Y)
    for call in (
        lambda: model.predict(masked(cases, 3)),
        lambda: model.fit(masked(cases, 3), Y),
        lambda: model.fit(cases, masked(Y, 3)),
        lambda: model.fit(cases, Y, sample_weight=masked(W, 3)),
        lambda: judged(p=model.estimator_, X=masked(cases, 3)),
    ):
        with pytest.raises(DataError, match="has masked values, which are missing"):
            call()
