"""Costs that differ from case to case: three rules per model, priced by their own amounts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate
from stakes.application import CaseCosts
from stakes.exceptions import CostError, DataError

Y = [0, 0, 1, 1]
P = [0.1, 0.3, 0.3, 0.1]
AMOUNT = np.array([100.0, 10.0, 100.0, 10.0])
COSTS = CaseCosts.binary(false_negative=AMOUNT, false_positive=5.0)


def drawn(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    log_odds = rng.normal(4 * y - 2, 2) + np.log(0.25)
    amount = rng.lognormal(4, 1, n)
    costs = CaseCosts.binary(false_negative=amount, false_positive=0.05 * amount + 10)
    return y, 1 / (1 + np.exp(-log_odds)), costs


def test_by_hand():
    ev = evaluate(Y, {"p": P}, application=COSTS, min_cases=1, rng=0)
    # case by case: act when p * amount > (1 - p) * 5, i.e. cases 1 (10 > 4.5) and 3
    # (30 > 3.5), not 2 (3 < 3.5) nor 4 (1 < 4.5): one false alarm, one miss of 10
    assert ev["p, per case"].cost == pytest.approx((5 + 10) / 4)
    # average costs: average amount 55, threshold 5 / 60 = 0.083: everybody is acted on
    assert ev["p, average costs"].cost == pytest.approx((5 + 5) / 4)
    assert ev["p, average costs"].threshold == pytest.approx(5 / 60)
    assert ev.naive_decision == 1
    assert ev["p, average costs"].nec == pytest.approx(1.0)


def test_equal_amounts_are_ordinary_costs():
    y, p, _ = drawn()
    costs = CostMatrix.binary(false_negative=10, false_positive=1)
    one = evaluate(y, {"p": p}, application=costs, recalibrate=False, rng=0)["p"]
    same = CaseCosts(np.repeat(costs.values[None], len(y), axis=0))
    ev = evaluate(y, {"p": p}, application=same, rng=0)
    for rule in ("p, per case", "p, average costs"):
        assert ev[rule].nec == pytest.approx(one.nec)
        assert ev[rule].interval == pytest.approx(one.interval, abs=0.03)


def test_equal_amounts_price_alike():
    y, p, costs = drawn()
    same = CaseCosts.binary(false_negative=np.full(len(y), 60.0), false_positive=20.0)
    found = [[n.code for n in evaluate(y, {"p": p}, application=c, rng=0).notes]
             for c in (same, costs)]  # fmt: skip
    assert ["priced-at-average" in codes for codes in found] == [False, True]


def test_deciding_case_by_case_pays():
    y, p, costs = drawn()
    ev = evaluate(y, {"p": p}, application=costs, rng=0)
    assert ev.best == "p, per case"
    gap = ev.difference("p, per case", "p, average costs")
    assert gap.value == pytest.approx(ev["p, per case"].nec - ev["p, average costs"].nec)
    assert gap.value < 0
    assert sum(model.probability_best for model in ev.models) == pytest.approx(1)


def test_parts_add_to_the_cost():
    y, p, costs = drawn()
    for model in evaluate(y, {"p": p}, application=costs, rng=0).models:
        assert model.cells.sum() == pytest.approx(model.cost)
        assert model.interval[0] < model.nec < model.interval[1]


def test_weights_equal_repeated_rows():
    y, p, costs = drawn(400)
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    weighed = evaluate(y, {"p": p}, application=costs, sample_weight=weights, rng=0)
    rows = np.repeat(np.arange(len(y)), weights)
    again = evaluate(y[rows], {"p": p[rows]}, application=CaseCosts(costs.values[rows]), rng=0)
    for one, two in zip(weighed.models, again.models, strict=True):
        assert (one.nec, one.cost) == pytest.approx((two.nec, two.cost))


def test_groups_and_priors_move_the_interval():
    y, p, costs = drawn(600)
    base = Application(CostMatrix.zero_one(2), priors=[0.9, 0.1], unit="EUR")
    alone = evaluate(y, {"p": p}, application=base, case_costs=costs, rng=0)
    grouped = evaluate(
        y, {"p": p}, application=base, case_costs=costs, groups=np.arange(600) // 3, rng=0
    )
    assert alone.application.unit == "EUR"
    assert alone["p, per case"].nec == pytest.approx(grouped["p, per case"].nec)
    assert alone["p, per case"].interval != grouped["p, per case"].interval


def test_decisions_have_one_rule():
    ev = evaluate(Y, {"d": [0, 1, 1, 0]}, application=COSTS, min_cases=1, rng=0)
    assert list(ev) == ["d"]
    assert ev["d"].cost == pytest.approx((5 + 10) / 4)


def test_problems():
    with pytest.raises(DataError, match="`y_true` has 3 rows but `case_costs` has 4"):
        evaluate(Y[:3], {"p": P[:3]}, application=COSTS)
    free = CaseCosts.binary(false_negative=AMOUNT, false_positive=0.0)
    with pytest.raises(CostError, match="is already perfect here"):
        evaluate(Y, {"p": P}, application=free)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_ties_in_decimals_stay_ties_in_every_type(kind):
    p = np.array([0.1] * 50 + [0.5] * 50, dtype=kind)
    y = np.array([0] * 25 + [1] * 25 + [0] * 10 + [1] * 40)
    matrix = CostMatrix([[0, 1], [9, 0]])
    costs = CaseCosts(np.repeat(matrix.values[None], 100, axis=0))
    ev = evaluate(y, {"m": p}, application=matrix, case_costs=costs, recalibrate=False, rng=0)
    # at 0.1 both decisions are expected to cost 0.9, so nobody is acted on there
    assert [model.cost for model in ev.models] == pytest.approx([(25 * 9 + 10) / 100] * 3)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("prior", "odds"), [("1/2", "7/13"), ("4/5", "28/13"), ("1/10", "7/117")])
def test_ties_stay_ties_at_other_shares(kind, prior, odds):
    p = np.array([0.1] * 50 + [0.5] * 50, dtype=kind)
    y = np.array([0] * 25 + [1] * 25 + [0] * 10 + [1] * 40)
    # 35 and 65 cases of the classes: odds change by prior/(1 - prior) * 35/65, so costs that much
    # apart, times the odds of 0.1, tie at 0.1
    share, change = Fraction(prior), Fraction(odds)
    assert share / (1 - share) * Fraction(35, 65) == change
    matrix = [[0, change.numerator], [9 * change.denominator, 0]]
    costs = CaseCosts(np.repeat(np.array([matrix], dtype=float), 100, axis=0))
    app = Application(matrix, priors=[float(1 - share), float(share)])
    ev = evaluate(y, {"m": p}, application=app, case_costs=costs, recalibrate=False, rng=0)
    missed = share * Fraction(25, 65) * matrix[1][0] + (1 - share) * Fraction(10, 35) * matrix[0][1]
    assert [model.cost for model in ev.models] == pytest.approx([float(missed)] * 3)


def test_other_decisions_than_the_application_has_are_refused():
    costs = CaseCosts(np.ones((4, 2, 3)), ["no", "yes"], ["no", "yes", "ask"])
    with pytest.raises(CostError, match="has 3 decisions for 2 classes; the application has 2"):
        evaluate([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.8], application=CostMatrix.zero_one(["no", "yes"]),
                 case_costs=costs)  # fmt: skip


def acts(model, p):
    """How many cases the printed rule acts on."""
    return int((p > float(model.act_when.partition("> ")[2])).sum())


@pytest.mark.parametrize("seed", range(3))
def test_what_is_printed_of_a_cut_decides_every_case_alike(seed):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.2, 0.4, 3000).round(5)
    y = (rng.random(3000) < p).astype(int)
    costs = CaseCosts.binary(false_negative=rng.integers(1, 300, 3000), false_positive=50.0)
    said = {"p": p, "near": (p + 1e-5).round(5)}
    ev = evaluate(y, said, application=costs, by=np.arange(3000) % 2, rng=0)
    for name in ("p", "near"):
        for kind in ("one threshold", "average costs"):
            found = ev[f"{name}, {kind}"]
            assert acts(found, said[name]) == found.confusion.counts[:, 1].sum()
            assert {part[found.name].act_when for part in ev.slices.values()} == {found.act_when}
    assert ev["p, average costs"].act_when == ev["near, average costs"].act_when  # one cut


def test_what_is_printed_of_a_cut_within_limits_decides_alike():
    rng = np.random.default_rng(5)
    p = np.arange(1, 3001) / 3001
    y = (rng.random(3000) < p).astype(int)
    app = Application(CostMatrix.binary(false_negative=10, false_positive=1))
    found = evaluate(y, {"p": p}, application=app, capacity={1: 1234}, rng=0)["p"]
    assert acts(found, p) == int((p > found.threshold).sum()) == 1234
