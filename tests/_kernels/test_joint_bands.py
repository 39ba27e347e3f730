from __future__ import annotations

import numpy as np
import pytest

from stakes._kernels.joint_bands import joint_band, pointwise_band


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
