import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit

from stakes._kernels.optimise.monotone_curve import (
    _modest,
    _penalised,
    _prior_cases,
    _spline_basis,
    mean_log_odds,
)
from stakes.calibration import Affine, Isotonic, Smooth, load
from stakes.exceptions import DataError


def made_up(n=500, seed=0):
    rng = np.random.default_rng(seed)
    scores = 2 * rng.normal(size=n)
    return scores, (rng.random(n) < expit(scores)).astype(int)


class TestSmooth:
    @pytest.mark.parametrize("unit", [1e-300, 0.01, 1e4, 1e99])
    def test_any_unit_gives_the_same(self, unit):
        scores, y = made_up()
        a = Smooth().fit(scores, y).posteriors(scores)
        b = Smooth().fit(unit * (scores + 3), y).posteriors(unit * (scores + 3))
        np.testing.assert_allclose(a, b, atol=1e-6)

    def test_any_increasing_transform_hardly_matters(self):
        """The ranks stay, and distorted scores are less likely than ranks."""
        scores, y = made_up(4000)
        a = Smooth().fit(scores, y).posteriors(scores)
        b = Smooth().fit(np.sinh(3 * scores), y).posteriors(np.sinh(3 * scores))
        assert np.abs(a - b).mean() < 0.005

    @pytest.mark.parametrize("power", [1, 3])
    def test_infinite_scores_lie_beyond_the_others(self, power):
        scores, y = made_up()
        scores = scores**power
        scores[scores < np.quantile(scores, 0.1)] = -np.inf
        scores[scores > np.quantile(scores, 0.9)] = np.inf
        found = Smooth().fit(scores, y).posteriors([-np.inf, -0.1, 0.1, np.inf])[:, 1]
        assert (np.diff(found) > 0).all()
        shares = [y[scores == -np.inf].mean(), y[scores == np.inf].mean()]
        np.testing.assert_allclose(found[[0, -1]], shares, atol=0.05)

    def test_many_cases_of_one_class_leave_little_for_the_other(self):
        """No case in 1 950: the rule of succession gives 1 / 1 952 on flat ground."""
        scores = np.concatenate([np.linspace(-14, 6, 1950), np.linspace(8, 18, 50)])
        y = np.repeat([0, 1], [1950, 50])
        found = Smooth().fit(scores, y).posteriors([-10.0, 15.0])[:, 1]
        assert found[0] < 2 / 1952
        assert found[1] > 1 - 3 / 52

    @given(st.integers(0, 2**32 - 1), st.integers(2, 40))
    def test_never_decreases_and_never_is_sure(self, seed, n):
        rng = np.random.default_rng(seed)
        scores, y = rng.normal(size=n).round(1), rng.integers(0, 2, n)
        y[:2] = [0, 1]
        found = Smooth().fit(scores, y).posteriors(np.linspace(-4, 4, 99))[:, 1]
        assert (np.diff(found) >= -1e-12).all()
        assert found.min() > 0
        assert found.max() < 1

    def test_exchanging_the_classes_mirrors_it(self):
        scores, y = made_up(60)
        a = Smooth().fit(scores, y).posteriors(scores)
        b = Smooth().fit(-scores, 1 - y).posteriors(-scores)
        np.testing.assert_allclose(a, b[:, ::-1], atol=1e-6)

    def test_many_cases_give_the_truth(self):
        scores, y = made_up(40_000)
        found = Smooth().fit(scores, y).posteriors(scores)[:, 1]
        assert np.abs(found - expit(scores)).mean() < 0.005

    def test_follows_a_bend_that_no_line_can(self):
        rng = np.random.default_rng(0)
        scores = rng.uniform(-3, 3, 4000)
        truth = np.where(scores > 0, 0.9, 0.1 + 0.05 * scores / 3)
        y = (rng.random(4000) < truth).astype(int)
        found = Smooth().fit(scores, y).posteriors([-2.0, 2.0])[:, 1]
        np.testing.assert_allclose(found, [0.1 - 0.1 / 3, 0.9], atol=0.03)

    def test_nearer_to_the_truth_than_isotonic_with_few_cases(self):
        gaps = {Smooth: 0.0, Isotonic: 0.0}
        for seed in range(20):
            scores, y = made_up(200, seed)
            for kind in gaps:
                found = kind().fit(scores, y).log_posteriors(scores)
                exact = np.column_stack([expit(-scores), expit(scores)])
                gaps[kind] += float((exact * (np.log(exact) - found)).sum(axis=1).mean())
        assert gaps[Smooth] < 0.7 * gaps[Isotonic]

    def test_few_cases_keep_it_modest(self):
        """Three against three, separated: the more cases agree, the surer."""
        few = Smooth().fit(np.arange(6.0), [0, 0, 0, 1, 1, 1]).posteriors([5.0])[0, 1]
        more = Smooth().fit(np.arange(60.0), np.repeat([0, 1], 30)).posteriors([59.0])[0, 1]
        assert 0.5 < few < more < 1

    def test_separated_cases_leave_the_chance_of_an_exception(self):
        """Less than the 1 / 502 of the rule of succession, but not nothing."""
        scores = np.random.default_rng(0).normal(size=500)
        low, high = Smooth().fit(scores, (scores > 0).astype(int)).posteriors([-3.0, 3.0])[:, 1]
        assert 1e-5 < low < 1 / 502
        assert 1e-5 < 1 - high < 1 / 502

    def test_nearer_to_the_truth_than_a_line_on_separated_cases(self):
        """Two normal distributions four standard deviations apart, where a line is right."""
        gaps = {Smooth: 0.0, Affine: 0.0}
        for seed in range(10):
            rng = np.random.default_rng(seed)
            y = np.repeat([0, 1], 25)
            scores, tests = (rng.normal(size=n) + 4.0 * (t - 0.5) for n, t in ((50, y), (50, y)))
            exact = np.column_stack([expit(-4.0 * tests), expit(4.0 * tests)])
            for kind in gaps:
                found = kind().fit(scores, y).log_posteriors(tests)
                gaps[kind] += float((exact * (np.log(exact) - found)).sum(axis=1).mean())
        assert gaps[Smooth] < gaps[Affine]

    def test_equal_scores_say_the_share(self):
        found = Smooth().fit(np.zeros(400), np.repeat([0, 1], [300, 100])).posteriors([0.0])
        np.testing.assert_allclose(found, [[0.75, 0.25]], atol=0.01)


class TestEmphasis:
    def test_is_a_weight_of_the_classes_that_the_posteriors_do_not_show(self):
        scores, y = made_up()
        found = Smooth(emphasis=[1, 4]).fit(scores, y).posteriors(scores)
        weighed = Smooth().fit(scores, y, sample_weight=np.where(y == 1, 1.0, 0.25))
        moved = weighed.posteriors(scores) / [1, 4]
        np.testing.assert_allclose(found, moved / moved.sum(axis=1, keepdims=True))

    @pytest.mark.parametrize("emphasis", [[1, 1], [7.5, 7.5]])
    def test_equal_is_none(self, emphasis):
        scores, y = made_up()
        a, b = (Smooth(emphasis=e).fit(scores, y).posteriors(scores) for e in (emphasis, None))
        np.testing.assert_allclose(a, b)

    def test_many_cases_give_the_truth_all_the_same(self):
        scores, y = made_up(40_000)
        found = Smooth(emphasis=[10, 1]).fit(scores, y).posteriors(scores)[:, 1]
        assert np.abs(found - expit(scores)).mean() < 0.005

    def test_target_priors_move_the_log_odds_as_ever(self):
        scores, y = made_up()
        plain = Smooth(emphasis=[1, 9]).fit(scores, y)
        moved = Smooth(emphasis=[1, 9], priors=[0.98, 0.02]).fit(scores, y)
        shares = np.bincount(y) / len(y)
        more = logit(0.02) - np.log(shares[1] / shares[0])
        np.testing.assert_allclose(
            logit(moved.posteriors(scores)[:, 1]), logit(plain.posteriors(scores)[:, 1]) + more
        )

    def test_is_kept_in_the_file(self, tmp_path):
        scores, y = made_up()
        cal = Smooth(emphasis=(1, 9)).fit(scores, y)
        cal.save(tmp_path / "cal.json")
        again = load(tmp_path / "cal.json")
        assert again.options["emphasis"] == [1.0, 9.0]
        np.testing.assert_array_equal(again.posteriors(scores), cal.posteriors(scores))

    @pytest.mark.parametrize(
        "emphasis",
        [[1], [1, 2, 3], [0, 1], [1, -1], [1, np.inf], [1, np.nan], 3, "ab", ["1", "2"], [None, 1],
         [[1, 2], [3]], {1: 2, 3: 4}, [1e-9, 1]],
    )  # fmt: skip
    def test_other_than_two_positive_numbers_is_refused(self, emphasis):
        with pytest.raises(DataError, match="emphasis"):
            Smooth(emphasis=emphasis)

    def test_that_leaves_less_than_a_case_of_a_class_is_refused(self):
        """Next to nothing of a class moves posteriors towards it, whatever its share."""
        scores, y = made_up(500)
        few = int((y == 0).sum())
        Smooth(emphasis=[1, few - 1]).fit(scores, y)
        with pytest.raises(DataError, match=f"the {few} of class 0 would count for 0.5") as caught:
            Smooth(emphasis=[1, 2 * few]).fit(scores, y)
        assert "roots" in caught.value.hint

    @given(st.integers(0, 2**32 - 1), st.floats(0.05, 20))
    @settings(max_examples=10)
    def test_whole_weights_are_repeated_rows_and_classes_may_be_exchanged(self, seed, ratio):
        rng = np.random.default_rng(seed)
        scores, y = made_up(60)
        weights = rng.integers(0, 4, 60)
        rows = np.repeat(np.arange(60), weights)
        cal = Smooth(emphasis=[1, ratio]).fit(scores, y, sample_weight=weights)
        repeated = Smooth(emphasis=[1, ratio]).fit(scores[rows], y[rows])
        np.testing.assert_allclose(
            cal.posteriors(scores), repeated.posteriors(scores), rtol=0, atol=1e-8
        )
        mirrored = Smooth(emphasis=[ratio, 1]).fit(-scores, 1 - y, sample_weight=weights)
        np.testing.assert_allclose(
            cal.posteriors(scores), mirrored.posteriors(-scores)[:, ::-1], rtol=0, atol=1e-8
        )


class TestModest:
    def test_adds_one_case_of_each_class(self):
        """2 of 10 cases have a variance of log odds of 1 / (10 * 0.2 * 0.8)."""
        found = _modest(logit(np.array([0.2])), np.array([1 / (10 * 0.2 * 0.8)]), np.full(1, 50.0))
        assert expit(found)[0] == pytest.approx((2 + 1) / (10 + 2))

    def test_knows_nothing_without_cases(self):
        found = _modest(np.array([-30.0, 3.0]), np.full(2, 1e40), np.full(2, 25.0))
        np.testing.assert_allclose(found, 0, atol=1e-12)

    def test_is_no_surer_than_all_cases_make_it(self):
        totals = np.array([0.0, 500.0, 0.0])  # at one place: no spread
        found = _modest(np.array([-800.0, 0.0, 800.0]), np.zeros(3), totals)
        np.testing.assert_allclose(expit(found), [1 / 502, 0.5, 501 / 502])

    def test_wide_log_odds_need_fewer_cases(self):
        places = np.linspace(-40.0, 40.0, 9)
        c = _prior_cases(places, np.ones(9))
        found = _modest(places, np.zeros(9), np.full(9, 10.0))
        assert c < 0.1
        np.testing.assert_allclose(expit(found[0]), c / (90 + 2 * c))


@pytest.mark.parametrize("c", [1.0, 0.5, 0.1, 0.01])
def test_prior_cases_are_those_of_the_distribution_drawn_from(c):
    """Quantiles of Beta(c, c), by way of two gamma variables, whose logarithms do not underflow."""
    rng = np.random.default_rng(0)

    def logs(count):  # log of Gamma(c) = log of Gamma(1 + c) + log(uniform) / c
        return np.log(rng.gamma(1 + c, size=count)) + np.log(rng.random(count)) / c

    found = _prior_cases(logs(400_000) - logs(400_000), np.ones(400_000))
    assert found == pytest.approx(c, rel=0.01)


def test_mean_log_odds_is_the_mean_of_probabilities():
    curves = np.array([[-2.0, 0.0, 50.0], [1.0, 3.0, 800.0]])
    found = mean_log_odds(curves, np.log([0.25, 0.75]))
    mean = 0.25 * expit(curves[0, :2]) + 0.75 * expit(curves[1, :2])
    np.testing.assert_allclose(found[:2], logit(mean))
    assert found[2] == pytest.approx(50 - np.log(0.25))


class TestPenalised:
    def test_against_scipy(self):
        basis = _spline_basis(50)
        rng = np.random.default_rng(0)
        totals = rng.integers(1, 9, 50).astype(float)
        positives = rng.binomial(totals.astype(int), 0.3).astype(float)
        bends = np.diff(np.eye(basis.shape[1]), 2, axis=0)
        penalty = 3.0 * bends.T @ bends

        def objective(beta):
            eta = basis @ beta
            fit = totals @ np.logaddexp(0, eta) - positives @ eta
            return fit + 0.5 * beta @ penalty @ beta

        found = _penalised(basis, positives, totals, penalty, np.full(basis.shape[1], logit(0.3)))
        witness = minimize(objective, np.zeros(basis.shape[1]), method="BFGS", tol=1e-8)
        assert found.log_likelihood == pytest.approx(-witness.fun, abs=1e-6)


def test_basis_adds_to_one():
    np.testing.assert_allclose(_spline_basis(401).sum(axis=1), 1)
