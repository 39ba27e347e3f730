"""Three ways to decide when each case has its own costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import CaseCosts, bayes_decisions
from stakes.application import case_costs
from stakes.decisions import case_rules, expected_case_costs
from stakes.exceptions import CostError, DataError, PosteriorError

CASES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.05, 0.2, 0.2, 0.5, 0.9, 1.0]), st.floats(0, 50),
              st.floats(0, 50)),
    min_size=1, max_size=12,
)  # fmt: skip


def made(rows):
    p, fn, fp = (np.array(column) for column in zip(*rows, strict=True))
    return p, CaseCosts.binary(false_positive=fp, false_negative=fn)


@given(CASES)
def test_per_case_is_never_beaten_and_the_order_is_certain(rows):
    p, costs = made(rows)
    each, one, average = case_rules(p, costs).expected
    assert each <= one + 1e-9
    assert one <= average + 1e-9


@given(CASES)
def test_the_single_threshold_is_the_best_of_all(rows):
    p, costs = made(rows)
    rules = case_rules(p, costs)
    risks = expected_case_costs(p, costs)
    tried = [
        np.where(p > cut, risks[:, 1], risks[:, 0]).mean() for cut in [-1.0, *np.unique(p), 2.0]
    ]
    assert rules.expected[1] == pytest.approx(min(tried))
    taken = np.where(p > rules.threshold, 1, 0)
    assert np.array_equal(taken, rules.one_threshold)
    assert risks[np.arange(p.size), taken].mean() == pytest.approx(min(tried))


@given(CASES, st.data())
def test_weights_are_repeated_rows(rows, data):
    p, costs = made(rows)
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=p.size, max_size=p.size)))
    if times.sum() == 0:
        return
    weighted = case_rules(p, costs, sample_weight=times)
    repeated = case_rules(np.repeat(p, times), CaseCosts(np.repeat(costs.values, times, axis=0)))
    assert weighted.expected == pytest.approx(repeated.expected)


def test_constant_costs_make_all_three_rules_one():
    """0.75 and 0.05 of the same amount: act from p = 0.05 / 0.80 whatever the amount."""
    rng = np.random.default_rng(0)
    p, amount = rng.random(500), np.full(500, 320.0)
    rules = case_rules(p, case_costs({"amount": amount}, {"fn": "0.75*amount",
                                                          "fp": "0.05*amount"}))  # fmt: skip
    assert np.array_equal(rules.per_case, p > 0.05 / 0.80)
    assert np.array_equal(rules.per_case, rules.one_threshold)
    assert np.array_equal(rules.per_case, rules.average)
    assert rules.average_costs.values.tolist() == [[0, 16], [240, 0]]


def test_thresholds_vary_when_a_fixed_fee_enters():
    costs = case_costs({"amount": [100.0, 10_000.0]}, {"fn": "0.75*amount", "fp": "20"})
    assert case_rules([0.1, 0.1], costs).per_case.tolist() == [0, 1]  # 7.5 < 18 and 750 > 18


def test_more_decisions_have_no_single_threshold():
    values = np.tile([[0.0, 1.0, 0.3], [5.0, 0.0, 0.3]], (4, 1, 1))
    rules = case_rules([0.01, 0.1, 0.2, 0.9], CaseCosts(values, [0, 1], [0, 1, "ask"]))
    assert rules.one_threshold is None
    assert np.isnan(rules.threshold)
    assert rules.per_case.tolist() == bayes_decisions([0.01, 0.1, 0.2, 0.9], values[0]).tolist()
    assert [name for name, _ in rules.items()] == ["per case", "average costs"]
    assert rules.frame().shape == (2, 3)


def test_frame_and_repr():
    rules = case_rules([0.2, 0.9], CaseCosts.binary(false_positive=[1.0, 1.0], false_negative=2.0))
    assert rules.frame()["rule"].tolist() == ["per case", "one threshold", "average costs"]
    assert repr(rules).startswith("CaseRules(expected per case")


def test_refusals():
    costs = CaseCosts.binary(false_positive=[1.0, 1.0], false_negative=2.0)
    with pytest.raises(DataError, match="3 rows but"):
        case_rules([0.1, 0.2, 0.3], costs)
    with pytest.raises(PosteriorError):
        case_rules([0.1, 1.2], costs)
    with pytest.raises(CostError):
        case_rules([0.1], [[0, 1], [1, 0]])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_level_at_which_both_decisions_cost_the_same_is_not_acted_on(kind):
    # three cases with costs of their own, for which 0.7 * 3 * (1 + 2 + 4) = 0.3 * 7 * (1 + 2 + 4)
    sizes = np.array([1.0, 2.0, 4.0, 1.0])
    costs = CaseCosts.binary(false_positive=3 * sizes, false_negative=7 * sizes)
    rules = case_rules(np.array([0.3, 0.3, 0.3, 0.8], dtype=kind), costs)
    for _, decisions in rules.items():
        assert decisions.tolist() == [0, 0, 0, 1]
    assert rules.threshold == pytest.approx(0.55)
