import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import beta

from stakes.calibration import calibration_gain
from stakes.calibration.labelled_scores import case_losses, loss_name
from stakes.exceptions import DataError
from stakes.metrics import BetaWeight

LOGS = np.log([[0.7, 0.3], [0.7, 0.3], [0.05, 0.95]])


class TestBetaWeight:
    def test_uniform_is_a_quarter_of_the_brier_score_over_both_columns(self):
        """Missed at cost 1 - c from p to 1: half the squared error of one of two columns."""
        codes = np.array([0, 1, 1])
        brier = case_losses(LOGS, codes, "brier")
        np.testing.assert_allclose(4 * case_losses(LOGS, codes, BetaWeight()), brier)

    def test_against_an_integral_over_thresholds(self):
        """A case of the second class is missed, at cost 1 - c, where its posterior is below c."""
        found = case_losses(LOGS, np.array([1, 0, 1]), BetaWeight(2.0, 3.0))
        density = beta(2.0, 3.0).pdf
        missed = quad(lambda c: (1 - c) * density(c), 0.3, 1)[0]
        raised = quad(lambda c: c * density(c), 0, 0.3)[0]
        late = quad(lambda c: (1 - c) * density(c), 0.95, 1)[0]
        np.testing.assert_allclose(found, [missed, raised, late], atol=1e-12)

    def test_in_the_gain_of_calibration(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 500)
        scores = 4 * (rng.normal(size=500) + 2 * y - 1)
        found = calibration_gain(y, scores, by=BetaWeight())
        assert found.measure == "average cost"
        assert found.before == pytest.approx(np.mean((y - expit(scores)) ** 2) / 2)
        brier = calibration_gain(y, scores, by="brier")
        assert found.after == pytest.approx(brier.after / 4)
        np.testing.assert_allclose(found.interval, np.array(brier.interval) / 4)

    def test_more_classes_are_refused(self):
        logs = np.log(np.full((9, 3), 1 / 3))
        with pytest.raises(DataError, match="two classes; there are 3") as caught:
            calibration_gain(np.arange(9) % 3, logs, by=BetaWeight())
        assert "by='cross_entropy'" in str(caught.value)

    def test_one_that_is_no_density_is_refused(self):
        with pytest.raises(DataError, match="alpha, beta > 0"):
            loss_name(BetaWeight(-1.0))


@pytest.mark.parametrize("by", ["spherical", ["brier"], None, 3])
def test_what_is_no_loss_is_refused(by):
    with pytest.raises(DataError, match="`by` must be an Application, a proper score"):
        loss_name(by)
