import numpy as np
import pytest
from scipy.special import log_softmax

from stakes.calibration import Affine, Dirichlet, Matrix, Vector
from stakes.exceptions import DataError


def mixed_up(n, seed=0):
    """Posteriors of a Dirichlet law per class: the right map is a matrix on their logarithms."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    alphas = np.array([[4.0, 1.0, 2.0], [1.0, 3.0, 1.0], [2.5, 1.0, 4.0]])
    return np.log(rng.gamma(alphas[y]).clip(1e-12)), y, alphas


def value(logs, y):
    return -logs[np.arange(len(y)), y].mean()


class TestDirichlet:
    def test_recovers_the_law(self):
        """log p_k = sum_j (alpha_kj - 1) log q_j + const, for q following Dirichlet(alpha_k)."""
        logs, y, alphas = mixed_up(40_000)
        logs = log_softmax(logs, axis=1)
        cal = Dirichlet(off_diagonal=10.0, diagonal=10.0).fit(logs, y)
        matrix = cal.matrix - cal.matrix.mean(axis=0)  # shared parts cancel in the softmax
        expected = alphas - alphas.mean(axis=0)
        np.testing.assert_allclose(matrix, expected, atol=0.15)

    def test_beats_vector_where_classes_are_confused(self):
        logs, y, _ = mixed_up(4000)
        fit, test = slice(0, 2000), slice(2000, None)
        matrix = value(Dirichlet().fit(logs[fit], y[fit]).log_posteriors(logs[test]), y[test])
        vector = value(Vector().fit(logs[fit], y[fit]).log_posteriors(logs[test]), y[test])
        assert matrix < vector

    def test_few_cases_stay_near_affine(self):
        logs, y, _ = mixed_up(30)
        found = Dirichlet(off_diagonal=1e-3, diagonal=1e-3).fit(logs, y).posteriors(logs)
        np.testing.assert_allclose(found, Affine().fit(logs, y).posteriors(logs), atol=0.02)


class TestMatrix:
    def test_uses_logits_as_they_are(self):
        """A constant added to a row of logits is information here, and only here."""
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 4000)
        level = rng.normal(size=4000) + 2 * y
        logits = np.column_stack([level, level])
        found = Matrix(off_diagonal=10.0).fit(logits, y).posteriors(logits)
        assert value(np.log(found), y) < 0.5
        assert value(Dirichlet().fit(logits, y).log_posteriors(logits), y) > 0.69

    def test_gradient_tolerance_is_met(self):
        logs, y, _ = mixed_up(300)
        assert Matrix().fit(logs, y).report["gradient"] <= 1e-5

    def test_options_must_be_positive(self):
        with pytest.raises(DataError, match="positive"):
            Matrix(off_diagonal=0.0)
