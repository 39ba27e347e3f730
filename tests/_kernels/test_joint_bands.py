from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from stakes._kernels.interval_ends import band_ends, joint_share, shares_above


def both(draws: np.ndarray) -> np.ndarray:
    """Curves that are their own low and high side."""
    return np.stack([draws, draws], axis=1)


def joint_band(draws: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    return band_ends(both(draws), joint_share(both(draws), level))


def pointwise_band(draws: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    return band_ends(both(draws), (1 - level) / 2)


def test_joint_band_holds_the_asked_share_of_whole_curves() -> None:
    rng = np.random.default_rng(0)
    draws = np.cumsum(rng.normal(size=(4000, 12)), axis=1)
    for level in (0.5, 0.9):
        low, high = joint_band(draws, level)
        inside = ((low <= draws) & (draws <= high)).all(axis=1).mean()
        assert inside == pytest.approx(level, abs=0.03)
        narrow_low, narrow_high = pointwise_band(draws, level)
        assert (low <= narrow_low).all()
        assert (high >= narrow_high).all()


def test_one_point_is_the_pointwise_interval() -> None:
    draws = np.random.default_rng(0).normal(size=(5000, 1))
    assert np.concatenate(joint_band(draws, 0.9)) == pytest.approx(
        np.concatenate(pointwise_band(draws, 0.9)), abs=0.05
    )


def test_flat_stretches_do_not_widen_the_band() -> None:
    draws = np.random.default_rng(0).normal(size=(2000, 3))
    flat = np.column_stack([draws, np.zeros((2000, 2))])
    low, high = joint_band(draws, 0.9)
    wide_low, wide_high = joint_band(flat, 0.9)
    assert wide_low == pytest.approx(np.append(low, [0.0, 0.0]))
    assert wide_high == pytest.approx(np.append(high, [0.0, 0.0]))


def test_shares_above_have_the_exact_limits_of_a_share() -> None:
    above, total = np.array([0, 3, 3, 20]), 20
    least, most = shares_above(above, total, 40_000, np.random.default_rng(0))
    for k, count in enumerate(above):
        low = beta.ppf(0.025, count, total - count + 1) if count else 0.0
        high = beta.ppf(0.975, count + 1, total - count) if count < total else 1.0
        assert np.quantile(least[:, k], 0.025) == pytest.approx(low, abs=0.004)
        assert np.quantile(most[:, k], 0.975) == pytest.approx(high, abs=0.004)
    assert (least[:, 1] == least[:, 2]).all()  # no case between the two thresholds
    assert (least <= most).all()


def test_a_band_of_one_distribution_holds_it_everywhere() -> None:
    grid, inside = np.linspace(0.05, 0.95, 19), []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        above = (rng.random(60)[:, None] > grid).sum(axis=0)
        draws = np.stack(shares_above(above, 60, 500, rng), axis=1)
        low, high = band_ends(draws, joint_share(draws, 0.9))
        inside.append(((low <= 1 - grid) & (1 - grid <= high)).all())
    assert np.mean(inside) > 0.88  # 2 standard errors below would be 0.858
