from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import bootstrap, norm
from scipy.stats import t as student

from stakes._kernels.interval_ends import (
    acceleration,
    bca,
    logit_limits,
    normal_quantile,
    percentile,
    skewed_limits,
    skewed_p_value,
    student_limits,
    studentized,
    wilson,
)


def test_bca_and_percentile_against_scipy_bootstrap() -> None:
    rng = np.random.default_rng(0)
    sample = rng.exponential(size=60)
    for method in ("percentile", "BCa"):
        found = bootstrap(
            (sample,),
            np.mean,
            n_resamples=4000,
            method=method,
            random_state=np.random.default_rng(1),
        )
        drawn = found.bootstrap_distribution
        if method == "percentile":
            ours = percentile(drawn, 0.95)
        else:
            influence = sample - sample.mean()
            ours = bca(drawn, sample.mean(), acceleration(influence, np.ones(60)), 0.95)
        expected = found.confidence_interval
        assert ours == pytest.approx((expected.low, expected.high), rel=2e-3)


def test_bca_without_spread_is_the_value() -> None:
    assert bca(np.full(10, 0.3), 0.3, 0.0, 0.9) == pytest.approx((0.3, 0.3))


def test_student_limits_against_the_textbook() -> None:
    low, high = student_limits(2.0, 0.5, 0.95, freedom=7)
    assert (low, high) == pytest.approx(
        (2 - student.ppf(0.975, 7) / 2, 2 + student.ppf(0.975, 7) / 2)
    )
    assert normal_quantile(0.95) == pytest.approx(norm.ppf(0.975))


def test_studentized_of_normal_replicates_is_the_normal_interval() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.normal(1.0, 0.2, 200_000)
    low, high = studentized(1.0, 0.2, drawn, np.full(200_000, 0.2), 0.95)
    assert (low, high) == pytest.approx((1 - 1.96 * 0.2, 1 + 1.96 * 0.2), abs=0.01)


def test_logit_limits_stay_inside() -> None:
    low, high = logit_limits(0.99, 0.02, 0.95)
    assert 0 < low < 0.99 < high < 1


def test_wilson_against_the_published_example_of_newcombe_1998() -> None:
    # Newcombe 1998, Table I: 81 of 263, score method: 0.2553 to 0.3662
    low, high = wilson(81 / 263, 263, normal_quantile(0.95))
    assert (float(low), float(high)) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def hall(ratio: float, skewness: float) -> float:
    """Hall's cubic of the studentised mean, which is nearly normal."""
    return ratio + skewness * ratio**2 / 3 + skewness**2 * ratio**3 / 27 + skewness / 6


@pytest.mark.parametrize("skewness", [-0.6, -0.05, 0.0, 0.05, 0.3, 0.9])
@pytest.mark.parametrize("freedom", [14.0, np.inf])
def test_skewed_limits_are_the_outer_of_students_and_halls(skewness: float, freedom: float) -> None:
    value, error, level = 2.0, 0.5, 0.9
    reach = float(student.ppf(0.95, freedom)) if np.isfinite(freedom) else float(norm.ppf(0.95))
    ratios = [brentq(lambda r, q=q: hall(r, skewness) - q, -50, 50) for q in (reach, -reach)]
    low, high = skewed_limits(value, error, skewness, level, freedom)
    assert low == pytest.approx(value - max(ratios[0], reach) * error)
    assert high == pytest.approx(value - min(ratios[1], -reach) * error)


def test_skewed_limits_end_where_a_brute_force_bootstrap_t_does() -> None:
    rng = np.random.default_rng(0)
    sample = rng.lognormal(size=400)
    mean, spread = sample.mean(), sample.std(ddof=1)
    drawn = sample[rng.integers(0, 400, (20_000, 400))]
    ratios = (drawn.mean(axis=1) - mean) / (drawn.std(axis=1, ddof=1) / 20)
    far = mean - np.quantile(ratios, 0.025) * spread / 20
    skewness = float(((sample - mean) ** 3).mean() / sample.std() ** 3) / 20
    low, high = skewed_limits(mean, spread / 20, skewness, 0.95)
    plain = student_limits(mean, spread / 20, 0.95)
    assert high - plain[1] == pytest.approx(far - plain[1], rel=0.15)
    assert high > plain[1] + 0.2 * spread / 20
    assert low == plain[0]  # a skewed sample does not raise the lower end


@pytest.mark.parametrize("skewness", [-0.5, 0.0, 0.5])
@pytest.mark.parametrize("value", [-1.0, 0.7])
def test_the_p_value_is_the_level_at_which_an_end_is_zero(skewness: float, value: float) -> None:
    p_value = skewed_p_value(value, 0.4, skewness, 20.0)
    assert 0 < p_value < 1
    ends = skewed_limits(value, 0.4, skewness, 1 - p_value, 20.0)
    assert min(abs(end) for end in ends) == pytest.approx(0, abs=1e-9)


def test_without_any_spread_the_p_value_is_certain() -> None:
    assert skewed_p_value(0.0, 0.0, 0.0) == 1
    assert skewed_p_value(0.1, 0.0, 0.0) == 0
