from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap, norm
from scipy.stats import t as student

from stakes._kernels.interval_limits import (
    acceleration,
    bca,
    logit_limits,
    normal_quantile,
    percentile,
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
