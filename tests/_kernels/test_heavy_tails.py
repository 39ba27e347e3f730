from __future__ import annotations

import numpy as np
import pytest

from stakes._kernels.interval_ends import _spread_of_logs, too_unequal


def flagged(amounts: np.ndarray) -> bool:
    """Whether amounts are too unequal."""
    moments = (np.array(float((amounts**power).sum())) for power in (0, 1, 2))
    return bool(too_unequal(*moments))


def test_spread_is_that_of_a_lognormal_with_these_moments() -> None:
    for sigma in (0.0, 0.5, 1.0, 2.0):
        count, mean = 100.0, np.exp(sigma**2 / 2)
        found = _spread_of_logs(
            np.array(count), np.array(count * mean), np.array(count * np.exp(2 * sigma**2))
        )
        assert float(found) == pytest.approx(sigma, abs=1e-7)


@pytest.mark.parametrize("n", [100, 500])
def test_heavy_samples_are_flagged_and_light_ones_are_not(n: int) -> None:
    laws = {
        "heavy": lambda rng: rng.lognormal(0, 2, n),
        "exponential": lambda rng: rng.exponential(size=n),
        "uniform": lambda rng: rng.random(n),
        "lognormal": lambda rng: rng.lognormal(0, 0.5, n),
    }
    shares = {
        name: np.mean([flagged(law(np.random.default_rng(seed))) for seed in range(200)])
        for name, law in laws.items()
    }
    assert shares["heavy"] > 0.95
    assert max(shares[name] for name in laws if name != "heavy") < 0.05


def test_samples_that_did_not_see_a_large_case_are_flagged_too() -> None:
    samples = [np.random.default_rng(seed).lognormal(0, 2, 500) for seed in range(300)]
    unlucky = sorted(samples, key=lambda x: float(x.mean()))[:30]
    assert np.mean([flagged(sample) for sample in unlucky]) > 0.8


def test_few_amounts_and_none_tell_nothing() -> None:
    assert not flagged(np.random.default_rng(0).lognormal(0, 3, 19))
    assert not flagged(np.zeros(0))
    assert not flagged(np.zeros(50))
