"""The chance of being best and the verdict follow one law."""

import numpy as np
import pytest
from scipy import stats

from stakes import Application, CaseCosts, ConfusionMatrix, PairedCounts, evaluate
from stakes._kernels.interval_ends import skewed_limits, skewed_p_value, skewed_quantiles
from stakes.uncertainty import compare, compare_across

DRAWS = 4000


def carried_by_few(large, n=2000):
    """Two systems: the second misses `large` costly cases, the first raises 40 false alarms."""
    y = np.arange(n) % 10 == 0
    first, second = y.copy(), y.copy()
    second[np.flatnonzero(y)[:large]] = False
    first[np.flatnonzero(~y)[:40]] = True
    miss = np.where(y, 100.0, 10.0)
    miss[np.flatnonzero(y)[:large]] = 5000.0
    costs = CaseCosts.binary(false_negative=miss, false_positive=20.0)
    return y.astype(int), {"a": first.astype(int), "b": second.astype(int)}, costs


@pytest.mark.parametrize("large", [1, 2, 3, 5, 8, 20])
def test_two_systems_by_the_p_value_of_their_difference(large):
    y, models, costs = carried_by_few(large)
    ev = evaluate(y, models, costs=costs, rng=0)
    found = ev.difference("a", "b")
    less = min(ev["a"].probability_best, ev["b"].probability_best)
    expected = found.p_value / 2
    assert abs(less - expected) < 4 * np.sqrt(expected * (1 - expected) / DRAWS) + 1 / DRAWS


def test_no_certainty_where_the_data_cannot_tell():
    y, models, costs = carried_by_few(2)
    ev = evaluate(y, models, costs=costs, rng=0)
    assert ev.verdict_kind == "cannot tell apart"
    assert max(ev[name].probability_best for name in ev) < 0.98


def test_light_tails_agree_with_a_bootstrap():
    rng = np.random.default_rng(3)
    n = 1500
    y = rng.random(n) < 0.3
    models = {
        name: np.where(rng.random(n) < right, y, ~y).astype(int)
        for name, right in (("a", 0.86), ("b", 0.85), ("c", 0.84))
    }
    miss, alarm = rng.uniform(2, 4, n), rng.uniform(1, 2, n)
    costs = CaseCosts.binary(false_negative=miss, false_positive=alarm)
    ev = evaluate(y.astype(int), models, costs=costs, rng=0)
    paid = np.array([np.where(y, (1 - d) * miss, d * alarm) for d in models.values()])
    best = np.argmin(rng.multinomial(n, np.full(n, 1 / n), size=DRAWS) @ paid.T, axis=1)
    for k, name in enumerate(models):
        assert ev[name].probability_best == pytest.approx(np.mean(best == k), abs=0.03)


def test_same_decisions_share_the_chance():
    y, models, costs = carried_by_few(5)
    ev = evaluate(y, {**models, "again": models["a"], "twice": models["b"]}, costs=costs, rng=0)
    assert ev["again"].probability_best == ev["a"].probability_best
    assert ev["twice"].probability_best == ev["b"].probability_best
    assert sum(ev[name].probability_best for name in ev) == pytest.approx(1)


@pytest.mark.parametrize("skewness", [-0.9, -0.2, 0.0, 0.3, 1.2])
@pytest.mark.parametrize("freedom", [np.inf, 7.0])
def test_quantiles_are_the_ends_of_intervals(skewness, freedom):
    shares = np.array([0.001, 0.025, 0.2, 0.8, 0.975, 0.999])
    found = skewed_quantiles(-0.3, 0.2, skewness, shares, freedom)
    for low, high in ((0, 5), (1, 4), (2, 3)):
        level = shares[high] - shares[low]
        ends = skewed_limits(-0.3, 0.2, skewness, level, freedom)
        assert [found[low], found[high]] == pytest.approx(ends)
    assert (np.diff(found) > 0).all()


def test_quantiles_invert_the_p_value():
    half = skewed_p_value(-0.3, 0.2, 0.4) / 2
    assert skewed_quantiles(-0.3, 0.2, 0.4, np.array([1 - half]))[0] == pytest.approx(0, abs=1e-9)
    plain = stats.norm.ppf([0.1, 0.9], loc=-0.3, scale=0.2)
    assert skewed_quantiles(-0.3, 0.2, 0.0, np.array([0.1, 0.9])) == pytest.approx(plain)


class TestFixedCosts:
    """With one cost matrix, the chance exceeds 97.5 % only where two systems are told apart."""

    APP = Application([[0, 1], [20, 0]])

    def sample(self, rng, n=400, share=0.1, extra=0.0):
        """Two systems that err as often, up to the misses that the second has more."""
        y = (rng.random(n) < share).astype(int)
        wrong = rng.random((2, n)) < np.where(y, 0.2, 0.1)
        wrong[1] |= (rng.random(n) < extra) & (y == 1)
        return y, {name: np.where(bad, 1 - y, y) for name, bad in zip("ab", wrong, strict=True)}

    @pytest.mark.parametrize("groups", [False, True])
    @pytest.mark.parametrize("extra", [0.0, 0.1, 0.2, 0.3])
    def test_chance_and_verdict_agree(self, extra, groups):
        rng = np.random.default_rng(int(100 * extra) + groups)
        told = []
        for _ in range(12):
            y, models = self.sample(rng, extra=extra)
            more = {"groups": np.arange(y.size) // 4} if groups else {}
            ev = evaluate(y, models, application=self.APP, rng=0, **more)
            chance = max(ev[name].probability_best for name in ev)
            told.append(ev.difference("a", "b").decided)
            assert (chance >= 0.975) if told[-1] else (chance <= 0.975)
        assert extra < 0.3 or any(told)

    def test_few_costly_errors_are_no_certainty(self):
        y = (np.arange(1000) % 10 == 0).astype(int)
        models = {"a": y.copy(), "b": y.copy()}
        models["b"][np.flatnonzero(y)[:2]] = 0  # a decides everything right, b misses two
        ev = evaluate(y, models, application=self.APP, rng=0)
        assert not ev.difference("a", "b").decided
        assert ev["a"].probability_best < 0.975

    def test_equal_systems_are_rarely_told_apart(self):
        rng, sure, sets = np.random.default_rng(8), 0, 300
        for _ in range(sets):
            y, models = self.sample(rng)
            found = compare(PairedCounts.from_decisions(y, models), self.APP, draws=500, rng=0)
            sure += found.probability_best.max() > 0.975
        assert sure < sets * 0.05 + 3 * np.sqrt(sets * 0.05 * 0.95)

    @pytest.mark.parametrize("method", ["posterior", "score"])
    def test_three_systems_share_all_chances(self, method):
        rng = np.random.default_rng(4)
        y, models = self.sample(rng, extra=0.05)
        models["c"], models["again"] = self.sample(rng)[1]["a"], models["b"]
        counts = PairedCounts.from_decisions(y, models)
        found = compare(counts, self.APP, method=method, rng=0)
        chances = dict(zip(found.systems, found.probability_best, strict=True))
        assert sum(chances.values()) == pytest.approx(1)
        assert chances["again"] == chances["b"]

    def test_two_tables_by_the_p_value_of_the_score_test(self):
        app = Application([[0, 1], [10, 0]], priors=[0.9, 0.1])
        tables = {
            "a": ConfusionMatrix([[450, 50], [20, 180]]),
            "b": ConfusionMatrix([[890, 110], [18, 82]]),
        }
        found = compare_across(tables, app, rng=0)
        expected = found.difference("a", "b").p_value / 2
        assert 0.01 < expected < 0.4
        assert found.probability_best.min() == pytest.approx(expected, abs=1 / DRAWS)
