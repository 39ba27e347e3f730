from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest

from stakes._kernels.sign_flips import paired_p_value


def p_value(wins: list[int], losses: list[int], sizes: list[float], draws: int = 100) -> float:
    rng = np.random.default_rng(0)
    return paired_p_value(np.array(wins), np.array(losses), np.array(sizes), draws=draws, rng=rng)[
        0
    ]


@pytest.mark.parametrize(("wins", "losses"), [(3, 9), (0, 5), (6, 6), (40, 61)])
def test_equal_sizes_are_mcnemar_exact(wins: int, losses: int) -> None:
    assert p_value([wins], [losses], [1.0]) == pytest.approx(binomtest(wins, wins + losses).pvalue)


def test_against_listing_every_swap() -> None:
    differences = np.array([1.0, 1.0, 1.0, 10.0, 10.0, -10.0, -1.0])
    observed = abs(differences.sum())
    swaps = [abs((differences * signs).sum()) for signs in product((1, -1), repeat=7)]
    expected = np.mean(np.array(swaps) >= observed - 1e-12)
    assert p_value([3, 2], [1, 1], [1.0, 10.0]) == pytest.approx(expected)


def test_no_disagreement_is_no_evidence() -> None:
    assert p_value([0], [0], [1.0]) == 1.0
    assert p_value([5], [1], [0.0]) == 1.0


def test_many_outcomes_are_sampled_and_agree_with_the_normal_limit() -> None:
    wins, losses, sizes = [2100, 900, 300], [2000, 950, 310], [1.0, 2.0, 5.0]
    rng = np.random.default_rng(0)
    found, exact = paired_p_value(
        np.array(wins), np.array(losses), np.array(sizes), draws=20_000, rng=rng
    )
    assert not exact
    gap = 100 * 1.0 - 50 * 2.0 - 10 * 5.0
    error = np.sqrt(4100 * 1.0 + 1850 * 4.0 + 610 * 25.0)
    from scipy.special import ndtr

    assert found == pytest.approx(2 * ndtr(-abs(gap) / error), abs=0.02)
