import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, log_softmax

from stakes import Application, CostMatrix, ScoreCounts
from stakes.calibration import Isotonic, decompose
from stakes.exceptions import DataError
from stakes.metrics import BetaWeight, score_decomposition


def made_up(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return 3 * (rng.normal(size=n) + np.where(y == 1, 1.0, -1.0)), y


class TestDecompose:
    def test_brier_by_hand(self):
        """PAV of labels 0 1 0 1 is 0 1/2 1/2 1: scores 2 * (0, 1/4, 1/4, 0); prior 1/2: 2 * 1/4."""
        scores = np.array([-2.0, -1.0, 1.0, 2.0])
        found = decompose([0, 1, 0, 1], scores, by="brier")
        calibrated, prior = 2 * (1 / 4 + 1 / 4) / 4, 2 * 1 / 4
        total = 2 * np.mean((expit(scores) - [0, 1, 0, 1]) ** 2)
        assert found.total == pytest.approx(total)
        assert found.miscalibration == pytest.approx(total - calibrated)
        assert found.discrimination == pytest.approx(prior - calibrated)
        assert found.uncertainty == pytest.approx(prior)

    @given(
        st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=3, max_size=30),
        st.sampled_from(["cross_entropy", "brier"]),
    )
    def test_pav_parts_are_never_negative(self, rows, by):
        scores = np.array([float(s) for s, _ in rows])
        y = np.array([int(label) for _, label in rows])
        if len(set(y.tolist())) < 2:
            return
        found = decompose(y, scores, by=by)
        assert found.miscalibration >= -1e-12
        assert found.discrimination >= -1e-12
        parts = found.miscalibration - found.discrimination + found.uncertainty
        assert parts == pytest.approx(found.total)

    def test_cost_of_an_application(self):
        scores, y = made_up()
        app = Application(CostMatrix([[0, 1], [4, 0]]))
        found = decompose(y, scores, by=app)
        assert found.uncertainty == pytest.approx(min((y == 0).mean(), 4 * (y == 1).mean()))
        assert found.miscalibration >= 0

    def test_affine_with_many_classes(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 500)
        logs = log_softmax(3 * (rng.normal(size=(500, 3)) + np.eye(3)[y]), axis=1)
        found = decompose(y, logs, calibrator="affine")
        share = np.bincount(y) / 500
        assert found.uncertainty == pytest.approx(-(share @ np.log(share)))
        assert found.miscalibration > 0.1

    def test_cross_fitting_is_less_flattering(self):
        scores, y = made_up(100)
        inside = decompose(y, scores, calibrator=Isotonic())
        outside = decompose(y, scores, calibrator=Isotonic(), folds=5)
        assert outside.discrimination < inside.discrimination

    def test_unknown_calibrator_raises(self):
        with pytest.raises(DataError, match="calibrator"):
            decompose([0, 1], [0.0, 1.0], calibrator="magic")

    def test_frame_lists_the_parts(self):
        assert decompose(*made_up()[::-1]).frame()["part"].tolist()[0] == "total"


class TestLabel:
    def test_fitted_on_the_same_cases_is_optimistic(self):
        found = decompose(*made_up()[::-1])
        assert found.optimistic
        assert found.fitting == "optimistic: fitted on the same cases"
        assert "isotonic, optimistic: fitted on the same cases" in found.text
        assert "optimistic" in repr(found)
        assert set(found.frame()["fitting"].tolist()) == {found.fitting}

    def test_cross_fitted_is_not(self):
        found = decompose(*made_up()[::-1], folds=5)
        assert not found.optimistic
        assert found.fitting == "cross-fitted"
        assert "optimistic" not in found.text

    def test_text_gives_the_parts_by_hand(self):
        """As in `test_brier_by_hand`, with log odds that say 1/2 of all: nothing to calibrate."""
        found = decompose([0, 1, 0, 1], [0.0, 0.0, 0.0, 0.0], by="brier")
        assert "Of a Brier score of 0.5 calibrating" in found.text
        assert "takes 0; the scores then save 0 of the 0.5 of the priors alone." in found.text


class TestBetaWeight:
    @pytest.mark.parametrize("weight", [BetaWeight(), BetaWeight(2, 5), BetaWeight(1, 1, 0.1, 0.3)])
    def test_against_the_decomposition_of_score_counts(self, weight):
        scores, y = made_up()
        found = decompose(y, scores, by=weight)
        other = score_decomposition(ScoreCounts.from_scores(y, scores, kind="log_odds"), weight)
        assert found.measure == "average cost"
        for part in ("total", "miscalibration", "discrimination", "uncertainty"):
            assert getattr(found, part) == pytest.approx(getattr(other, part), abs=1e-12)


@pytest.mark.parametrize("calibrator", ["magic", ["pav"], Isotonic])
def test_what_is_no_calibrator_is_refused(calibrator):
    with pytest.raises(DataError, match="must be 'pav', 'affine' or a Calibrator"):
        decompose([0, 1], [0.0, 1.0], calibrator=calibrator)


def test_a_case_without_weight_has_no_infinite_part():
    y, scores = [0, 0, 1, 1, 1], [-1.0, 0.5, -0.5, 2.0, -np.inf]
    found = decompose(y, scores, sample_weight=[1, 1, 1, 1, 0])
    expected = decompose(y[:4], scores[:4])
    assert found.total == pytest.approx(expected.total)
    assert found.miscalibration == pytest.approx(expected.miscalibration)
