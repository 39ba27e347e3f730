import numpy as np
import pytest

from stakes.calibration import reliability_table
from stakes.exceptions import DataError, LabelError


def made_up(n=4000, seed=0, bend=1.0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < p**bend).astype(int), p


class TestReliabilityTable:
    def test_groups_by_hand(self):
        y = [0, 1, 0, 1, 1, 1]
        p = [0.1, 0.1, 0.4, 0.4, 0.9, 0.9]
        found = reliability_table(y, p)
        np.testing.assert_allclose(found.said, [(0.1 + 0.4) / 2, 0.9])  # equal frequencies pool
        np.testing.assert_allclose(found.happened, [0.5, 1.0])
        np.testing.assert_allclose(found.cases, [4, 2])

    def test_groups_of_equal_mass(self):
        found = reliability_table(*made_up(), groups=10)
        np.testing.assert_allclose(found.cases, 400)
        assert found.frame().shape == (10, 5)

    def test_calibrated_forecasts_lie_in_the_band(self):
        found = reliability_table(*made_up(), groups=10, level=0.99)
        assert ((found.low <= found.happened) & (found.happened <= found.high)).mean() >= 0.9
        assert "within chance" in found.text

    def test_sentence_names_the_worst_group(self):
        y = np.repeat([0, 1, 0, 1], [80, 20, 5, 95])
        p = np.repeat([0.6, 0.95], 100)
        expected = "When it says 60 % for 1, it happens 20 % of the time (100 cases)."
        assert reliability_table(y, p).text == expected

    def test_top_class_of_many(self):
        p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
        found = reliability_table([0, 1, 0], p, groups=1)
        assert found.said[0] == pytest.approx((0.7 + 0.8 + 0.4) / 3)
        assert found.happened[0] == pytest.approx(2 / 3)

    def test_one_class_of_many(self):
        p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
        found = reliability_table(["a", "b"], p, of="b", classes=["a", "b", "c"], groups=1)
        assert found.said[0] == pytest.approx(0.5)

    def test_weights_are_repetitions(self):
        y, p = made_up(50)
        weights = 1.0 + np.arange(50) % 2
        a = reliability_table(y, p, sample_weight=weights, groups="pav")
        repeats = weights.astype(int)
        b = reliability_table(np.repeat(y, repeats), np.repeat(p, repeats), groups="pav")
        np.testing.assert_allclose(a.happened, b.happened)
        np.testing.assert_allclose(a.said, b.said)

    def test_few_cases_say_so(self):
        assert "Too few" in reliability_table([0, 1], [0.2, 0.7]).text

    def test_unknown_class_raises(self):
        with pytest.raises(LabelError, match="`of`"):
            reliability_table([0, 1], [0.2, 0.7], of="x")

    @pytest.mark.parametrize("options", [{"groups": "bins"}, {"groups": 0}, {"level": 2}])
    def test_bad_options_raise(self, options):
        with pytest.raises(DataError):
            reliability_table([0, 1], [0.2, 0.7], **options)


def test_cases_of_weight_0_make_no_group():
    y, said = [0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.2, 0.8, 0.9, 0.9]
    found = reliability_table(y, said, sample_weight=[0, 0, 0, 1, 1, 1], groups=3)
    assert found.cases.sum() == 3
    assert np.isfinite(found.said).all()
