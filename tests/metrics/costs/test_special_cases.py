"""Famous numbers as special cases of the expected cost."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stakes import Application, ConfusionMatrix, CostMatrix, expected_cost
from stakes.exceptions import DataError, PriorError
from stakes.metrics import (
    accuracy,
    alpha_cost,
    balanced_accuracy,
    balanced_error_rate,
    binary_cells,
    detection_cost,
    error_rate,
    savings,
)

SQUARE = hnp.arrays(np.int64, (4, 4), elements=st.integers(0, 40)).filter(
    lambda table: (table.sum(axis=1) > 0).all()
)


@given(SQUARE)
def test_error_rates_by_hand(table):
    matrix = ConfusionMatrix(table, classes=list("abcd"))
    assert error_rate(matrix) == pytest.approx(1 - np.trace(table) / table.sum())
    recalls = np.diag(table) / table.sum(axis=1)
    assert balanced_error_rate(matrix) == pytest.approx(1 - recalls.mean())
    assert accuracy(matrix) == pytest.approx(1 - error_rate(matrix))
    assert balanced_accuracy(matrix) == pytest.approx(recalls.mean())


@given(SQUARE)
def test_balanced_error_rate_is_the_cost_of_inverse_priors(table):
    matrix = ConfusionMatrix(table)
    app = Application(CostMatrix.inverse_prior(matrix.priors))
    assert balanced_error_rate(matrix) == pytest.approx(expected_cost(matrix, application=app))


def test_against_sklearn():
    sklearn_metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    rng = np.random.default_rng(0)
    y, d, w = rng.integers(0, 3, 300), rng.integers(0, 3, 300), rng.random(300)
    matrix = ConfusionMatrix.from_decisions(y, d, sample_weight=w)
    assert accuracy(matrix) == pytest.approx(sklearn_metrics.accuracy_score(y, d, sample_weight=w))
    assert balanced_accuracy(matrix) == pytest.approx(
        sklearn_metrics.balanced_accuracy_score(y, d, sample_weight=w)
    )


def test_zero_denominators_are_nan():
    assert math.isnan(accuracy(ConfusionMatrix([[0, 0], [0, 0]])))
    assert math.isnan(balanced_accuracy(ConfusionMatrix([[0, 0], [1, 1]])))


def test_abstentions_have_no_accuracy():
    matrix = ConfusionMatrix([[1, 0, 1], [0, 1, 1]], decisions=["a", "b", "ask"])
    with pytest.raises(DataError, match="decisions that are the classes"):
        accuracy(matrix)


class TestDetectionCost:
    MATRIX = ConfusionMatrix([[90, 10], [6, 24]], classes=["non", "target"])

    def test_normalised_by_the_better_constant(self):
        by_hand = (0.01 * 10 * 0.2 + 0.99 * 1 * 0.1) / min(0.01 * 10, 0.99 * 1)
        ours = detection_cost(self.MATRIX, priors=0.01, miss=10, normalized=True)
        assert ours == pytest.approx(by_hand)

    def test_other_positive_class(self):
        ours = detection_cost(self.MATRIX, priors=0.3, positive="non")
        assert ours == pytest.approx(0.3 * 0.1 + 0.7 * 0.2)

    @pytest.mark.parametrize("prior", [-0.1, 1.2, math.nan])
    def test_prior_outside(self, prior):
        with pytest.raises(PriorError, match="`priors` must lie between 0 and 1"):
            detection_cost(self.MATRIX, priors=prior)

    @pytest.mark.parametrize("alpha", [0.0, -1.0, math.inf, math.nan])
    def test_alpha_must_be_positive(self, alpha):
        with pytest.raises(PriorError, match="`alpha` must be a positive number"):
            alpha_cost(self.MATRIX, alpha)


def test_savings_of_a_perfect_and_of_a_constant_system():
    app = Application(CostMatrix([[0, 1], [10, 0]]), priors=[0.9, 0.1])
    assert savings(ConfusionMatrix([[9, 0], [0, 1]]), app) == pytest.approx(1.0)
    assert savings(ConfusionMatrix([[0, 9], [0, 1]]), app) == pytest.approx(0.0)


class TestBinaryCells:
    def test_positive_first(self):
        cells = binary_cells(ConfusionMatrix([[1, 2], [3, 4]], classes=["p", "n"]), positive="p")
        assert (cells.tn, cells.fp, cells.fn, cells.tp) == (4, 3, 2, 1)

    def test_three_classes(self):
        with pytest.raises(DataError, match="two classes and two decisions; got 3 x 3"):
            binary_cells(ConfusionMatrix(np.eye(3)))

    def test_unknown_positive(self):
        with pytest.raises(DataError, match="`positive` must be one of 0, 1; got 'yes'"):
            binary_cells(ConfusionMatrix(np.eye(2)), positive="yes")
