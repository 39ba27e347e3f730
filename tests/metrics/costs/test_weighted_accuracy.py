"""Weighted accuracy, its exact expectation, and the scores that rank alike."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stakes import ConfusionMatrix, CostMatrix
from stakes.exceptions import CostError
from stakes.metrics import (
    accuracy,
    c_score,
    cost_weight,
    expected_weighted_accuracy,
    msu,
    total_classification_cost,
    weighted_accuracy,
)

CELLS = st.lists(st.integers(0, 200), min_size=4, max_size=4).filter(any)
MATRIX = ConfusionMatrix([[50, 30], [5, 15]])


@given(CELLS, st.floats(0.01, 100), st.floats(0.01, 100))
def test_msu_is_the_weighted_accuracy_of_the_costs(cells, fp, fn):
    matrix = ConfusionMatrix(np.reshape(cells, (2, 2)))
    costs = CostMatrix.binary(false_positive=fp, false_negative=fn)
    assert msu(matrix, costs) == pytest.approx(weighted_accuracy(matrix, cost_weight(costs)))


@given(CELLS, st.floats(-5, 5), st.floats(-5, 5))
def test_costs_of_right_decisions_only_shift(cells, tp, tn):
    matrix = ConfusionMatrix(np.reshape(cells, (2, 2)))
    plain = CostMatrix.binary(false_positive=2, false_negative=7)
    shifted = CostMatrix.binary(
        false_positive=2 + tn, false_negative=7 + tp, true_positive=tp, true_negative=tn
    )
    assert msu(matrix, shifted) == pytest.approx(msu(matrix, plain), abs=1e-12)


@given(CELLS, st.floats(0.1, 50))
def test_c_score_closed_form(cells, ratio):
    """Table 2: (1 / precision - r_c - 1) recall + r_c."""
    tn, fp, fn, tp = cells
    assume(tp > 0)
    matrix = ConfusionMatrix([[tn, fp], [fn, tp]])
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    closed = (1 / precision - ratio - 1) * recall + ratio
    costs = CostMatrix.binary(false_positive=1, false_negative=ratio)
    assert c_score(matrix, costs) == pytest.approx(closed, abs=1e-9)


def test_half_weight_is_accuracy():
    assert weighted_accuracy(MATRIX, 0.5) == pytest.approx(accuracy(MATRIX))


def test_zero_denominators():
    assert math.isnan(weighted_accuracy(ConfusionMatrix([[5, 5], [0, 0]]), 1.0))
    assert math.isnan(c_score(ConfusionMatrix([[5, 5], [0, 0]]), CostMatrix.zero_one(2)))
    assert math.isnan(
        expected_weighted_accuracy(ConfusionMatrix([[0, 0], [0, 0]]), alpha=1, beta=1)
    )


class TestExpectedWeightedAccuracy:
    @pytest.mark.parametrize(
        ("alpha", "beta"),
        [(2, 2), (1, 1), (11.2, 0.104), (0.104, 11.2), (0.001, 1000), (1000, 0.001)],
    )
    @pytest.mark.parametrize(
        "table", [[[50, 30], [5, 15]], [[1, 1], [600, 398]], [[10, 989], [1, 0]], [[9, 1], [2, 8]]]
    )
    def test_against_mpmath(self, alpha, beta, table):
        mpmath = pytest.importorskip("mpmath", reason="needs mpmath")
        (tn, fp), (fn, tp) = table
        positives, negatives = fn + tp, tn + fp
        with mpmath.workdps(40):
            a, b, x = mpmath.mpf(alpha), mpmath.mpf(beta), 1 - mpmath.mpf(positives) / negatives
            share = a / (a + b)
            hits = share * mpmath.hyp2f1(1, a + 1, a + b + 1, x) * tp / negatives
            rest = (1 - share) * mpmath.hyp2f1(1, a, a + b + 1, x) * tn / negatives
            exact = float(hits + rest)
        ours = expected_weighted_accuracy(ConfusionMatrix(table), alpha=alpha, beta=beta)
        assert ours == pytest.approx(exact, rel=1e-12)

    @pytest.mark.parametrize(("alpha", "beta"), [(2, 2), (3, 1.5), (9, 1), (30, 4)])
    def test_against_quadrature(self, alpha, beta):
        from scipy.integrate import quad
        from scipy.stats import beta as beta_law

        value, _ = quad(
            lambda w: weighted_accuracy(MATRIX, w) * beta_law.pdf(w, alpha, beta),
            0,
            1,
            epsabs=1e-12,
        )
        assert expected_weighted_accuracy(MATRIX, alpha=alpha, beta=beta) == pytest.approx(
            value, abs=1e-9
        )

    def test_balanced_data_need_only_the_mean(self):
        matrix = ConfusionMatrix([[8, 2], [4, 6]])
        assert expected_weighted_accuracy(matrix, alpha=3, beta=1) == pytest.approx(
            weighted_accuracy(matrix, 0.75)
        )

    def test_one_class_only(self):
        assert (
            expected_weighted_accuracy(ConfusionMatrix([[0, 0], [1, 3]]), alpha=2, beta=2) == 0.75
        )
        assert (
            expected_weighted_accuracy(ConfusionMatrix([[1, 3], [0, 0]]), alpha=2, beta=2) == 0.25
        )

    @pytest.mark.parametrize("bad", [0, -1, math.inf, math.nan])
    def test_parameters_must_be_positive(self, bad):
        with pytest.raises(CostError, match="`alpha` and `beta` must be positive"):
            expected_weighted_accuracy(MATRIX, alpha=bad, beta=1)


def test_total_cost_is_the_sum_over_cells():
    costs = CostMatrix([[-1, 2, 1], [9, 0, 1]], decisions=["a", "b", "ask"])
    matrix = ConfusionMatrix([[5, 1, 2], [1, 3, 0]], decisions=["a", "b", "ask"])
    assert total_classification_cost(matrix, costs) == -5 + 2 + 2 + 9


def test_errors_that_pay_are_refused():
    with pytest.raises(CostError, match="errors must cost at least as much"):
        cost_weight(CostMatrix([[1, 0], [0, 1]]))
