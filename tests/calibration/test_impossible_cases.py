"""A true class that finite scores call impossible, such as one masked with -1e9."""

import numpy as np
import pytest

from stakes.calibration import (
    Affine,
    Automatic,
    Beta,
    CommonCurve,
    Dirichlet,
    Isotonic,
    Logistic,
    Matrix,
    Temperature,
    Vector,
    calibration_gain,
    cross_fit,
)
from stakes.exceptions import DataError

MANY = [Temperature, Affine, Vector, Matrix, Dirichlet, CommonCurve]
TWO = [Affine, Temperature, Vector, Logistic, Beta]
WRONG = [30, 70]


def masked(mark, wrong=WRONG, n=400):
    """Four classes; three in ten of the wrong ones are masked, and the true class of some."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, n)
    logits = rng.normal(size=(n, 4)) + 2 * np.eye(4)[y]
    logits[(rng.random((n, 4)) < 0.3) & (np.eye(4)[y] == 0)] = mark
    for row in wrong:
        logits[row] = np.where(np.arange(4) == y[row], mark, logits[row].clip(-3, 3))
    return logits, y


def marked(mark, n=400):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(int)
    odds = rng.normal(size=n) + 3 * y - 1.5
    odds[WRONG] = np.where(y[WRONG] == 1, mark, -mark)
    return odds, y


def held_out(cal, logits, y):
    """Mean cross-entropy of cases that were not fitted."""
    return -np.log(cross_fit(y, logits, calibrator=cal)[np.arange(len(y)), y]).mean()


@pytest.mark.parametrize("mark", [-1e4, -1e9, -1e38])
@pytest.mark.parametrize("kind", MANY)
def test_a_masked_true_class_is_named(kind, mark):
    logits, y = masked(mark)
    with pytest.raises(DataError, match="in row 30 and in 2 of 400 rows") as error:
        kind().fit(logits, y)
    assert error.value.rows == tuple(WRONG)
    said = error.value.hint.rpartition("bound=")[2]
    fitted = kind(bound=float(said)).fit(logits, y)
    found = fitted.log_posteriors(logits)
    assert -found[np.arange(len(y)), y].mean() < 0.7


@pytest.mark.parametrize("kind", TWO)
def test_log_odds_with_marks_on_the_wrong_side(kind):
    odds, y = marked(-1e9)
    with pytest.raises(DataError, match="in row 30 and in 2 of 400 rows") as error:
        kind().fit(odds, y)
    bound = float(error.value.hint.rpartition("bound=")[2])
    assert 3 < bound < 50
    assert np.isfinite(kind(bound=bound).fit(odds, y).log_posteriors(odds)).all()


@pytest.mark.parametrize("kind", [Temperature, Affine, Vector, CommonCurve])
def test_masked_wrong_classes_do_no_harm(kind):
    logits, y = masked(-1e9, wrong=[])
    loss = [held_out(kind(bound=bound), logits, y) for bound in (None, 40.0)]
    assert loss[0] == pytest.approx(loss[1], abs=1e-4)


@pytest.mark.parametrize("kind", [Matrix, Dirichlet])
@pytest.mark.parametrize("mark", [-1e4, -1e30])
def test_a_matrix_wants_scores_of_like_size(kind, mark):
    logits, y = masked(mark, wrong=[])
    with pytest.raises(DataError, match="of similar size; some are 1e") as error:
        kind().fit(logits, y)
    bound = float(error.value.hint.rpartition("bound=")[2])
    assert held_out(kind(bound=bound), logits, y) < held_out(Affine(), logits, y) + 0.05


def test_wide_scores_alone_are_no_marks():
    """Overconfident scores, wrong by hundreds of nats in a case or two, are fitted as ever."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1000)
    odds = 300 * (rng.standard_t(3, size=1000) + 2 * y - 1)
    for kind in TWO:
        assert np.isfinite(kind().fit(odds, y).log_posteriors(odds)).all()


def test_the_automatic_choice_says_what_it_left_out():
    logits, y = masked(-1e9)
    cal = Automatic().fit(logits, y)
    assert cal.chosen.kind == "isotonic"
    assert "Could not be fitted: common-curve, temperature, dirichlet, affine (" in cal.why
    assert "in row 30 and in 2 of 400 rows" in cal.why
    assert "bound=" in cal.why
    assert "Could not be fitted" not in Automatic(bound=9.0).fit(logits, y).why


class TestGain:
    def test_says_how_many_where_and_what_to_type(self):
        logits, y = masked(-1e9)
        found = calibration_gain(y, logits, calibrator=Isotonic())
        assert (found.impossible, found.rows) == ((2, 0), tuple(WRONG))
        assert found.text.endswith(
            " The true class has a posterior of 0 in 2 cases as is (row 30 first)."
        )
        assert found.frame()["impossible_before"].tolist() == [2]

    def test_of_a_calibrator_fitted_elsewhere(self):
        fitted = Affine().fit(*masked(-1e9, wrong=[]))
        logits, y = masked(-1e9)
        found = calibration_gain(y, logits, calibrator=fitted, fitted=True)
        assert found.impossible == (2, 2)
        assert found.text.endswith(
            " The true class has a posterior of 0 in 2 cases as is and 2 calibrated (row 30 "
            'first); say how far such scores are to be trusted: bound="data" or bound=50.'
        )

    def test_nothing_is_said_without_need(self):
        found = calibration_gain(*masked(-1e9, wrong=[])[::-1])
        assert (found.impossible, found.rows) == ((0, 0), ())
        assert "posterior of 0" not in found.text

    def test_cases_of_weight_0_do_not_count(self):
        logits, y = masked(-np.inf)
        weights = np.ones(len(y))
        weights[WRONG] = 0.0
        found = calibration_gain(y, logits, sample_weight=weights, calibrator=Affine())
        assert np.isfinite(found.before)
        assert found.impossible == (0, 0)


def test_a_fold_without_a_class_is_still_named():
    odds, y = marked(0.0)
    with pytest.raises(DataError, match=r"^fold 0: `y_true` has no case of class 1"):
        cross_fit(y, odds, calibrator=Affine(), folds=1 - y)
