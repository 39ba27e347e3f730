"""Cuts on scores as they come decide like cuts on calibrated posteriors, at every number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stakes import Application, DecisionRule
from stakes._kernels.float_search import last_number
from stakes.calibration import (
    Affine,
    Automatic,
    Average,
    Beta,
    CommonCurve,
    Constant,
    Dirichlet,
    Gaussian,
    Histogram,
    Isotonic,
    Logistic,
    Matrix,
    Rank,
    Smooth,
    StructuredMatrix,
    Temperature,
    Vector,
    VennAbers,
)
from stakes.exceptions import CostError, PosteriorError
from stakes.posteriors import Posteriors

APP = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
ASK = Application([[0, 1, 0.2], [10, 0, 0.3]], priors=[0.9, 0.1])
KINDS = (Affine, Temperature, Vector, Logistic, Beta, Rank, Isotonic, VennAbers, Smooth, Average)
#: Every calibrator for two classes; some keep the order of scores, some do not.
FAMILY = {
    **{kind.__name__: kind for kind in (*KINDS, Constant, Gaussian, Histogram, Matrix, Dirichlet)},
    **{kind.__name__: kind for kind in (CommonCurve, StructuredMatrix)},
    "Isotonic, plain": lambda: Isotonic(misleading=0),
    "Gaussian, unequal": lambda: Gaussian(variances="unequal"),
    "Gaussian, t": lambda: Gaussian(tails="t"),
    "Average of two": lambda: Average([Affine(), Gaussian()]),
    "Automatic of two": lambda: Automatic([Gaussian(), Beta()], bound=None),
    "moved": Gaussian,
}
#: Every number of float16 from 0 to 1: all scores there are.
HALVES = np.arange(0, 0x3C01, dtype=np.uint16).view(np.float16)


def cases(seed: int = 0, n: int = 300, turned: bool = False):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    odds = rng.normal(1.5 * (2 * y - 1) * (-1 if turned else 1), 2.0)
    return y, 1 / (1 + np.exp(-odds))


def fitted(kind, **how):
    y, p = cases(**how)
    return kind(bound="data").fit(Posteriors(p), y)


@settings(max_examples=40)
@given(low=st.floats(-1e9, 1e9), high=st.floats(-1e9, 1e9), at=st.floats(-2e9, 2e9))
def test_the_last_number_is_found_among_all(low, high, at):
    low, high = min(low, high), max(low, high)
    found = last_number(lambda x: x <= at, low, high, "float64")
    assert found == (None if at < low else min(at, high))


def test_the_last_of_all_halves():
    numbers = np.concatenate([-HALVES[:0:-1], HALVES]).astype(float)
    for at in numbers[:: len(numbers) // 50]:
        assert last_number(lambda x, at=at: x < at, -1.0, 1.0, "float16") == (
            None if at == -1 else numbers[np.searchsorted(numbers, at) - 1]
        )


@pytest.mark.parametrize("application", [APP, ASK])
@pytest.mark.parametrize("kind", KINDS)
def test_every_half_is_decided_like_its_calibrated_posterior(kind, application):
    calibrator = fitted(kind)
    rule = DecisionRule(application, calibrator=calibrator, score_type="float16")
    inner = HALVES[1:-1]  # certain ones are decided like the next
    posterior = calibrator.posteriors(Posteriors(inner.astype(float)))[:, 1]
    at, taken = rule.cuts("float64")
    wanted = np.array(taken)[np.searchsorted(at, posterior, side="left")]
    assert (np.diff(posterior) >= 0).all()
    assert (rule.positions(inner) == wanted).all()
    assert rule.positions(HALVES[[0, -1]]).tolist() == wanted[[0, -1]].tolist()
    assert len(set(wanted.tolist())) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_neighbours_of_a_cut_are_decided_like_their_posteriors(kind):
    calibrator = fitted(kind)
    rule = DecisionRule(APP, calibrator=calibrator)
    (cut,), taken = rule.raw_cuts()
    (t,), _ = rule.cuts()
    below, above = calibrator.posteriors(Posteriors([cut, np.nextafter(cut, 1)]))[:, 1]
    assert taken == [0, 1]
    assert below <= t < above
    assert rule.positions([cut, np.nextafter(cut, 1)]).tolist() == [0, 1]
    table = np.array([[1 - cut, cut]])
    assert rule.positions(table).tolist() == [int(table[0, 1] > cut)]


def test_a_falling_calibrator_turns_the_decisions_round():
    y, p = cases(turned=True)
    rule = DecisionRule(APP, calibrator=Affine(bound="data").fit(Posteriors(p), y))
    (cut,), taken = rule.raw_cuts()
    assert taken == [1, 0]
    posteriors = rule.calibrator.posteriors(Posteriors(p))[:, 1]
    assert (rule.positions(p) == (posteriors > rule.threshold)).all()
    assert rule.positions([0.0, cut, np.nextafter(cut, 1), 1.0]).tolist() == [1, 1, 0, 0]


def test_log_odds_and_ranks_have_raw_cuts_too():
    y, p = cases()
    odds = np.log(p / (1 - p))
    for kind, scores in (("log_odds", odds), ("rank", 7 * odds - 3), ("llr", odds)):
        calibrator = Logistic().fit(scores, y)
        rule = DecisionRule(APP, scores=kind, calibrator=calibrator)
        (cut,), _ = rule.raw_cuts()
        odds_at_t = np.log(rule.threshold / (1 - rule.threshold))
        assert cut == pytest.approx((odds_at_t - calibrator.intercept) / calibrator.slope)
        wanted = calibrator.posteriors(scores)[:, 1] > rule.threshold
        assert (rule.positions(scores) == wanted).all()
    on_posteriors = Affine(bound="data").fit(Posteriors(p), y)
    told = DecisionRule(APP, scores="log_odds", calibrator=on_posteriors)
    assert (told.positions(odds) == DecisionRule(APP, calibrator=on_posteriors).positions(p)).all()


def test_a_step_belongs_to_the_decision_that_ties_go_to():
    y = np.repeat([0, 1, 0, 1, 0, 1], [9, 1, 5, 5, 1, 9])
    p = np.repeat([0.1, 0.4, 0.8], 10)
    calibrator = Isotonic(misleading=0).fit(Posteriors(p), y)  # 0.1, 0.5 and 0.9
    first = DecisionRule(Application([[0, 1], [1, 0]]), calibrator=calibrator)
    last = DecisionRule(Application([[1, 0], [0, 1]]), calibrator=calibrator)
    assert first.positions([0.4]).tolist() == [0]  # p = 1/2 costs the same: the earlier decision
    assert last.positions([0.4]).tolist() == [0]
    (cut,), taken = first.raw_cuts()
    assert cut == pytest.approx(0.4, abs=1e-15)
    assert (cut >= 0.4, taken) == (True, [0, 1])
    (cut,), taken = last.raw_cuts()
    assert cut == pytest.approx(0.4, abs=1e-15)
    assert (cut < 0.4, taken) == (True, [1, 0])


def test_decisions_that_no_score_leads_to_are_left_out():
    y, p = cases()
    flat = Isotonic(misleading=1).fit(Posteriors(p), y)
    never = DecisionRule(Application([[0, 1], [1e-6, 0]]), calibrator=flat)
    assert never.raw_cuts() == ([], [0])
    assert never.positions(p).max() == 0
    always = DecisionRule(Application([[0, 1e-6], [1, 0]]), calibrator=flat)
    assert always.raw_cuts() == ([], [1])


def test_no_cut_where_higher_scores_may_mean_less():
    y, p = cases()
    bumpy = Gaussian(variances="unequal").fit(Posteriors(p), y)
    rule = DecisionRule(APP, calibrator=bumpy)
    assert not rule.has_raw_cuts
    with pytest.raises(CostError, match="no cuts on the raw scores"):
        rule.raw_cuts()
    assert (rule.positions(p) == (bumpy.posteriors(Posteriors(p))[:, 1] > rule.threshold)).all()
    stairs = Histogram(bins=2).fit(Posteriors(p), y)
    assert DecisionRule(APP, calibrator=stairs).has_raw_cuts


def test_bad_posteriors_are_refused_before_they_are_compared():
    rule = DecisionRule(APP, calibrator=fitted(Affine))
    for bad in ([0.2, np.nan], [0.2, 1.5], [[0.5, 0.6]]):
        with pytest.raises(PosteriorError):
            rule.positions(bad)


@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_a_cut_at_the_largest_number_is_widened_without_a_warning(kind):
    # the second decision is cheaper for the first class, and ties for a certain second class
    tied = DecisionRule(Application([[0.4, 0.3], [0, 0]]), scores="log_odds", score_type=kind)
    most = float(np.finfo(kind).max)
    assert tied.raw_cuts() == ([most], [1, 0])
    assert tied.raw_cuts("float64") == tied.raw_cuts()
    assert tied.positions(np.array([0.0, most, np.inf])).tolist() == [1, 1, 0]


def told_scores(calibrator, scores: str, odds):
    """Log odds as the scores of a rule, and as those of its calibrator."""
    if scores == "posterior":
        p = (1 / (1 + np.exp(-odds.astype(np.float64)))).astype(odds.dtype)
        p = p[(p > 0) & (p < 1)]
        return p, Posteriors(p.astype(np.float64))
    if scores == "llr":
        return odds, Posteriors.from_llrs(odds.astype(np.float64), calibrator.priors)
    return odds, Posteriors.from_logits(odds.astype(np.float64))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", FAMILY)
def test_every_calibrator_is_decided_by_its_expected_costs(name, turned):
    y, p = cases(turned=turned)
    calibrator = FAMILY[name]().fit(Posteriors(p), y)
    if name == "moved":
        calibrator = calibrator.with_priors([0.6, 0.4])
    rng = np.random.default_rng(1)
    for kind in ("float64", "float32"):
        odds = np.concatenate([rng.normal(0, 4, 300), [-60, -17, 17, 60]]).astype(kind)
        for scores in ("posterior", "log_odds", "llr"):
            given, told = told_scores(calibrator, scores, odds)
            for application in (APP, ASK):
                rule = DecisionRule(
                    application, scores=scores, calibrator=calibrator, score_type=kind
                )
                costs = rule.priced_costs.values * [[float(f)] for f in rule.factors]
                expected = calibrator.posteriors(told) @ costs
                found = expected[np.arange(len(given)), rule.positions(given)]
                assert (found <= expected.min(axis=1) * (1 + 1e-9)).all(), (kind, scores)


@pytest.mark.parametrize("scores", ["log_odds", "llr", "rank"])
def test_the_cut_of_a_gaussian_is_where_its_densities_say(scores):
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 4 == 0
    odds = rng.normal(np.where(y, 3.0, -3.0), 2.5)
    calibrator = Gaussian().fit(odds, y.astype(int))
    rule = DecisionRule(Application([[0, 1], [10, 0]]), scores=scores, calibrator=calibrator)
    (cut,), taken = rule.raw_cuts()
    low, high = odds[~y], odds[y]
    v = 0.75 * low.var() + 0.25 * high.var()
    middle = (low.mean() + high.mean()) / 2
    wanted = middle + v / (high.mean() - low.mean()) * (np.log(1 / 10) - np.log(0.25 / 0.75))
    assert (cut, taken) == (pytest.approx(wanted, rel=1e-9), [0, 1])
    assert rule.positions(np.array([-1e100, 1e100])).tolist() == [0, 1]
    assert rule.positions(odds).mean() == pytest.approx((odds > wanted).mean())


class Cancelling(Gaussian):
    """A Gaussian whose densities are squares of the scores, so that they cancel far away."""

    kind = ""

    def _log_ratio(self, odds):
        pairs = zip(self.means, self.spreads, strict=True)
        near, far = (((odds - m) / s) ** 2 / 2 for m, s in pairs)
        return near - far


@pytest.mark.parametrize("application", [APP, ASK])
def test_a_calibrator_that_does_not_keep_to_its_direction_has_no_cuts(application):
    y, p = cases()
    odds = np.log(p / (1 - p))
    calibrator = Cancelling().fit(odds, y)
    rule = DecisionRule(application, scores="log_odds", calibrator=calibrator)
    assert calibrator._direction() == 1
    assert not rule.has_raw_cuts
    with pytest.raises(CostError, match="no cuts on the raw scores"):
        rule.raw_cuts()
    sound = DecisionRule(application, scores="log_odds", calibrator=Gaussian().fit(odds, y))
    assert (rule.positions(odds) == sound.positions(odds)).all()
    assert len(set(rule.positions(odds).tolist())) == len(application.decisions)
