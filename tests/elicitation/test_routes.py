"""Ways to say what a miss is worth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, ScoreCounts
from stakes.elicitation import (
    ratio_between,
    ratio_from_amounts,
    ratio_from_metric,
    ratio_from_number_willing,
    ratio_from_sensitivity,
    ratio_from_threshold,
)
from stakes.exceptions import CostError, DataError, UndefinedError
from stakes.metrics import at_min_cost, catalogue, f_beta, min_cost


@given(st.floats(0.001, 0.999))
def test_the_threshold_of_the_implied_costs_is_the_one_given(threshold):
    ratio = ratio_from_threshold(threshold).low
    costs = CostMatrix.binary(false_positive=1, false_negative=ratio)
    assert Application(costs).posterior_threshold == pytest.approx(threshold)


def test_number_willing_to_treat_is_a_threshold():
    assert ratio_from_number_willing(20).low == pytest.approx(ratio_from_threshold(1 / 20).low)


def test_ranges_keep_their_order():
    assert ratio_from_threshold(0.1, 0.2).low == pytest.approx(4)
    assert ratio_from_threshold(0.1, 0.2).high == pytest.approx(9)
    assert ratio_from_number_willing(5, 9).high == 8


def test_amounts_take_the_least_and_the_most():
    """(fn - tp) / (fp - tn), each at its ends."""
    said = ratio_from_amounts(
        false_negative=(100, 200), false_positive=(5, 10), true_positive=(10, 20), true_negative=-5
    )
    assert (said.low, said.high) == ((100 - 20) / (10 + 5), (200 - 10) / (5 + 5))


@given(st.lists(st.integers(1, 200), min_size=4, max_size=4), st.sampled_from([0.5, 1.0, 2.0]))
def test_f_beta_trades_at_its_closed_form(cells, beta):
    """dF/dFN : dF/dFP = ((1 + b^2) - F) / F, from F = (1 + b^2) TP / (b^2 P + TP + FP)."""
    tn, fp, fn, tp = cells
    table = ConfusionMatrix([[tn, fp], [fn, tp]])
    found = ratio_from_metric(lambda cm: f_beta(cm, beta=beta), table)
    f = f_beta(table, beta=beta)
    assert found.low == pytest.approx(((1 + beta**2) - f) / f, rel=1e-5)


@pytest.mark.parametrize(("metric", "published"), [("f1", 1.82), ("mcc", 1.35)])
def test_implied_costs_of_ferrer2025_figure_1(metric, published):
    """One feature, class means 0 and 1, variance .20, P = (.8, .2).

    The figure reads its ratios off the best threshold of one sample, where the curve is flat;
    the slopes of the metric give the ratio at the optimum of the exact Gaussian rates.
    """
    from scipy.stats import norm

    sd, cuts = math.sqrt(0.20), np.linspace(0, 1.5, 3001)
    misses, alarms = norm.cdf((cuts - 1) / sd), norm.sf(cuts / sd)
    tables = [[[0.8 * (1 - a), 0.8 * a], [0.2 * m, 0.2 * (1 - m)]]
              for m, a in zip(misses, alarms, strict=True)]  # fmt: skip
    measure = catalogue[metric]
    best = cuts[int(np.argmax([measure(ConfusionMatrix(t)) for t in tables]))]
    posterior_log_odds = (2 * best - 1) / (2 * 0.20) + math.log(0.2 / 0.8)
    theory = math.exp(-posterior_log_odds)
    assert theory == pytest.approx(published, abs=0.2)
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [80_000, 20_000])
    counts = ScoreCounts.from_scores(y, y + rng.normal(size=y.size) * sd, kind="rank")
    assert ratio_from_metric(metric, counts).low == pytest.approx(theory, abs=0.05)


def test_metrics_that_are_minimised_are_cut_where_they_are_lowest():
    """An error rate trades one for one; the balanced one trades N negatives for P positives."""
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.2).astype(int)
    counts = ScoreCounts.from_scores(y, 2 * y + rng.normal(size=400), kind="rank")
    found = ratio_from_metric("error_rate", counts)
    lowest = min_cost(counts, CostMatrix.zero_one(2))
    assert found.low == pytest.approx(1)
    assert found.said == f"you tune error_rate, which is {lowest:.4g} here"
    balanced = ratio_from_metric("balanced_error_rate", counts)
    assert balanced.low == pytest.approx((y == 0).sum() / (y == 1).sum())


def test_accuracy_trades_one_for_one():
    assert ratio_from_metric("accuracy", ConfusionMatrix([[80, 10], [10, 10]])).low == 1


@given(st.integers(0, 2**31), st.floats(0.05, 1))
def test_ratios_of_a_required_sensitivity_reach_it(seed, sensitivity):
    """`ferrer2025` 3.5, checked by minimising the cost at a ratio inside the range."""
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, 60))
    counts = ScoreCounts.from_scores(y, rng.normal(size=62) + y, kind="rank")
    said = ratio_from_sensitivity(counts, sensitivity)
    inside = said.low * 1.01 if said.high == math.inf else math.sqrt(said.low * said.high)
    if inside > said.low and inside < said.high:
        costs = CostMatrix.binary(false_positive=1, false_negative=inside)
        assert 1 - at_min_cost(counts, Application(costs)).false_negative_rate >= sensitivity - 1e-9


@pytest.mark.parametrize(
    "make",
    [
        lambda: ratio_between(0),
        lambda: ratio_between(3, 2),
        lambda: ratio_from_threshold(0),
        lambda: ratio_from_threshold(0.3, 1.0),
        lambda: ratio_from_number_willing(1),
        lambda: ratio_from_amounts(false_negative=1, false_positive=5, true_positive=2),
        lambda: ratio_from_amounts(false_negative=(5, 1), false_positive=5),
    ],
)
def test_impossible_statements(make):
    with pytest.raises(CostError):
        make()


def test_metrics_that_trade_nothing_here():
    table = ConfusionMatrix([[80, 10], [10, 10]])
    with pytest.raises(UndefinedError, match="does not trade"):
        ratio_from_metric("recall", table)
    with pytest.raises(DataError):
        ratio_from_metric("f1", ConfusionMatrix(np.eye(3)))
    counts = ScoreCounts.from_scores([0, 1], [0.0, 1.0], kind="rank")
    assert ratio_from_metric("f1", counts).low == pytest.approx(1)  # at the edge: (2 - 1) / 1
    with pytest.raises(DataError):
        ratio_from_sensitivity(counts, 1.2)
