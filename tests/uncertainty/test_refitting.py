from __future__ import annotations

import numpy as np
import pytest

from stakes import Application
from stakes.calibration import Affine
from stakes.uncertainty import refitted_interval


def cases(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y.astype(int), rng.normal(2.0 * y)


def test_small_calibration_sets_widen_the_interval() -> None:
    app = Application([[0, 1], [5, 0]], priors=[0.7, 0.3])
    y, s = cases(3000, 0)
    widths = []
    for n in (40, 4000):
        found = refitted_interval(
            y,
            s,
            calibrator=Affine(),
            calibration=cases(n, 1),
            application=app,
            replicates=120,
            rng=0,
        )
        assert found.low < found.high
        widths.append(found.high - found.low)
    assert widths[0] > 1.2 * widths[1]


def test_the_calibrator_given_is_left_alone() -> None:
    calibrator = Affine()
    y, s = cases(200, 0)
    found = refitted_interval(
        y,
        s,
        calibrator=calibrator,
        calibration=cases(100, 1),
        application=Application([[0, 1], [5, 0]]),
        normalize=False,
        replicates=20,
        rng=0,
    )
    assert calibrator.classes is None
    assert found.metric == "expected_cost"
    assert found.limits == pytest.approx((found.low, found.high))
