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
        found = reliability_table(*made_up(), bins=10)
        np.testing.assert_allclose(found.cases, 400)
        assert found.frame().shape == (10, 7)
        assert (found.lowest[1:] > found.highest[:-1]).all()

    def test_calibrated_forecasts_lie_in_the_band(self):
        found = reliability_table(*made_up(), bins=10, level=0.99)
        assert ((found.low <= found.happened) & (found.happened <= found.high)).mean() >= 0.9
        assert "within chance" in found.text

    def test_sentence_names_the_worst_group(self):
        y = np.repeat([0, 1, 0, 1], [80, 20, 5, 95])
        p = np.repeat([0.6, 0.95], 100)
        expected = "Where it predicts 60 % for '1', 20 % are '1' (100 cases)."
        assert reliability_table(y, p).text == expected

    def test_top_class_of_many(self):
        p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
        found = reliability_table([0, 1, 0], p, bins=1)
        assert found.said[0] == pytest.approx((0.7 + 0.8 + 0.4) / 3)
        assert found.happened[0] == pytest.approx(2 / 3)

    def test_one_class_of_many(self):
        p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
        found = reliability_table(["a", "b"], p, of="b", classes=["a", "b", "c"], bins=1)
        assert found.said[0] == pytest.approx(0.5)

    def test_weights_are_repetitions(self):
        y, p = made_up(50)
        weights = 1.0 + np.arange(50) % 2
        a = reliability_table(y, p, sample_weight=weights, bins="pav")
        repeats = weights.astype(int)
        b = reliability_table(np.repeat(y, repeats), np.repeat(p, repeats), bins="pav")
        np.testing.assert_allclose(a.happened, b.happened)
        np.testing.assert_allclose(a.said, b.said)

    def test_few_cases_say_so(self):
        assert "Too few" in reliability_table([0, 1], [0.2, 0.7]).text

    def test_unknown_class_raises(self):
        with pytest.raises(LabelError, match="`of`"):
            reliability_table([0, 1], [0.2, 0.7], of="x")

    @pytest.mark.parametrize(
        "options",
        [{"bins": "bins"}, {"bins": 0}, {"bins": 2.5}, {"level": 2}, {"draws": 0}],
    )
    def test_bad_options_raise(self, options):
        with pytest.raises(DataError):
            reliability_table([0, 1], [0.2, 0.7], **options)


def test_cases_of_weight_0_make_no_group():
    y, said = [0, 1, 0, 1, 1, 1], [0.1, 0.1, 0.2, 0.8, 0.9, 0.9]
    found = reliability_table(y, said, sample_weight=[0, 0, 0, 1, 1, 1], bins=3)
    assert found.cases.sum() == 3
    assert np.isfinite(found.said).all()


class TestJudgement:
    """What the sentence says, against how the labels were made."""

    def test_two_forecasts_pooled_are_not_agreement(self):
        rng = np.random.default_rng(0)
        y, said = rng.integers(0, 2, 1000), rng.choice([0.02, 0.98], 1000)
        found = reliability_table(y, said)
        assert len(found.said) == 1  # the pool, whose mean is right
        assert (found.lowest[0], found.highest[0]) == pytest.approx((0.02, 0.98))
        low = said == 0.02
        worst = max((y[low].mean() - 0.02, 0.02, low), (0.98 - y[~low].mean(), 0.98, ~low))
        assert found.worst.said == pytest.approx(worst[1])
        assert found.worst.happened == pytest.approx(y[worst[2]].mean())
        assert found.worst.cases == worst[2].sum()
        assert found.text.startswith(f"Where it predicts {100 * worst[1]:.0f} % for '1', ")

    @pytest.mark.parametrize("bins", ["pav", 1, 2, 20])
    def test_overconfident_noise_is_found(self, bins):
        """Forecasts all over the range, but what happens does not depend on them."""
        rng = np.random.default_rng(1)
        y, said = rng.integers(0, 2, 500), rng.beta(0.3, 0.3, 500)
        assert "Where it predicts" in reliability_table(y, said, bins=bins).text

    def test_a_few_overconfident_cases_among_many_are_found(self):
        rng = np.random.default_rng(2)
        said = np.append(0.4 * rng.random(3880), np.full(120, 0.97))
        y = (rng.random(4000) < np.where(said > 0.9, 0.6, said)).astype(int)
        assert "Where it predicts 97 %" in reliability_table(y, said).text

    @pytest.mark.parametrize(
        "draw",
        [
            lambda rng: rng.random(500),
            lambda rng: rng.choice([0.02, 0.3, 0.98], 300),
            lambda rng: rng.beta(0.3, 30, 1000),
        ],
    )
    def test_calibrated_forecasts_are_seldom_blamed(self, draw):
        blamed = 0
        for seed in range(100):
            rng = np.random.default_rng(seed)
            said = draw(rng)
            y = (rng.random(len(said)) < said).astype(int)
            blamed += "Where" in reliability_table(y, said, draws=1).text
        assert blamed <= 4  # 1 expected at most; 5 has a chance of 0.3 %

    def test_chance_is_binomial(self):
        """One look (one forecast), so the least number that is blamed is by the binomial tail."""
        from scipy.stats import binom

        n, p = 200, 0.3
        least = next(k for k in range(60, n) if binom.sf(k - 1, n, p) < 0.005)
        for happened, blamed in ((least - 1, False), (least, True)):
            y = (np.arange(n) < happened).astype(int)
            assert ("Where" in reliability_table(y, np.full(n, p)).text) == blamed

    def test_rare_events_are_told_with_decimals(self):
        y = (np.arange(100_000) < 100).astype(int)
        text = reliability_table(y, np.full(100_000, 0.005)).text
        assert text == "Where it predicts 0.50 % for '1', 0.10 % are '1' (100000 cases)."


@pytest.mark.parametrize("bins", [3, 10, np.int64(7)])
def test_whole_weights_make_the_groups_of_repeated_rows(bins):
    y, p = made_up(60)
    times = np.random.default_rng(1).integers(0, 5, 60)
    a = reliability_table(y, p, sample_weight=times, bins=bins)
    b = reliability_table(np.repeat(y, times), np.repeat(p, times), bins=bins)
    for name in ("said", "happened", "cases", "lowest", "highest"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name))
