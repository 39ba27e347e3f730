from __future__ import annotations

import numpy as np
import pytest

from stakes import ScoreCounts
from stakes._kernels.interval_ends import _crossing_cases, equal_error_limits
from stakes._kernels.run_bootstrap import error_rates, rates_crossing


def test_number_of_cases_against_simulated_variance() -> None:
    rng = np.random.default_rng(0)
    values, cases = [], []
    for _ in range(400):
        y = np.arange(1000) < 200
        sc = ScoreCounts.from_scores(y, rng.normal(2.0 * y), kind="rank")
        rates = error_rates(sc.runs.negatives, sc.runs.positives)
        values.append(rates_crossing(rates))
        cases.append(_crossing_cases(rates, 800, 200))
    # equal densities at the crossing: w = 1/2, so 1 / (1/4 (1/200 + 1/800)) = 640 cases
    assert np.median(cases) == pytest.approx(640, rel=0.1)
    share = float(np.mean(values))
    assert np.var(values) == pytest.approx(share * (1 - share) / 640, rel=0.25)


def test_separated_classes_leave_room_above() -> None:
    rates = error_rates(np.array([30, 0]), np.array([0, 10]))
    low, high = equal_error_limits(rates, 30, 10, 1.96)
    assert low == 0.0
    assert 0.05 < high < 0.3
