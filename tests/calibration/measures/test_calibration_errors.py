import numpy as np
import pytest

from stakes.calibration import binned_calibration_error, smooth_calibration_error
from stakes.exceptions import DataError


class TestBinned:
    y = np.array([0, 1, 1, 0, 1])
    p = np.array([0.05, 0.15, 0.55, 0.58, 0.9])

    def test_equal_width_by_hand(self):
        """Bins of 0.2: {.05, .15}, {.55, .58}, {.9}."""
        gaps = [abs(1 - 0.2), abs(1 - 1.13), abs(1 - 0.9)]  # summed y - p in each bin
        found = binned_calibration_error(self.y, self.p, bins=5, spacing="width")
        assert found == pytest.approx(sum(gaps) / 5)

    def test_largest_gap(self):
        found = binned_calibration_error(self.y, self.p, bins=5, spacing="width", power=np.inf)
        assert found == pytest.approx(0.8 / 2)

    def test_one_bin_is_the_bias(self):
        found = binned_calibration_error(self.y, self.p, bins=1)
        assert found == pytest.approx(abs(self.y.mean() - self.p.mean()))

    def test_top_class_of_many(self):
        p = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1]])
        found = binned_calibration_error([0, 0], p, bins=1)
        assert found == pytest.approx(abs(1 / 2 - (0.6 + 0.7) / 2))

    def test_unknown_spacing_raises(self):
        with pytest.raises(DataError, match="spacing"):
            binned_calibration_error(self.y, self.p, spacing="log")


class TestSmooth:
    def test_constant_bias_solves_its_equation(self):
        """One forecast: the smoothed residual keeps its total, so the error is the bias."""
        found = smooth_calibration_error([0] * 70 + [1] * 30, [0.5] * 100)
        assert found == pytest.approx(0.2, abs=2e-3)

    def test_calibrated_is_near_zero(self):
        rng = np.random.default_rng(0)
        p = rng.random(100_000)
        y = (rng.random(100_000) < p).astype(int)
        assert smooth_calibration_error(y, p) < 0.01

    def test_moves_little_when_forecasts_do(self):
        rng = np.random.default_rng(0)
        p = rng.random(500)
        y = (rng.random(500) < 0.5).astype(int)
        moved = np.clip(p + 0.01 * rng.uniform(-1, 1, 500), 0, 1)
        gap = smooth_calibration_error(y, p) - smooth_calibration_error(y, moved)
        assert abs(gap) < 0.02


@pytest.mark.parametrize("wrong", [{"bins": 0}, {"bins": 2.5}, {"power": 0}, {"power": -1}])
def test_settings_that_cannot_be_meant(wrong):
    with pytest.raises(DataError, match=next(iter(wrong))):
        binned_calibration_error([0, 1], [0.2, 0.8], **wrong)


@pytest.mark.parametrize("bins", [3, 15])
def test_whole_weights_are_repetitions_and_0_is_no_case(bins):
    rng = np.random.default_rng(0)
    p = rng.random(80)
    y = (rng.random(80) < p**2).astype(int)
    times = rng.integers(0, 4, 80)
    found = binned_calibration_error(y, p, sample_weight=times, bins=bins)
    again = binned_calibration_error(np.repeat(y, times), np.repeat(p, times), bins=bins)
    assert found == pytest.approx(again)
