from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from scipy.stats import binomtest

from stakes._kernels.permutation import paired_p_value


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


def listed_p_value(wins: list[int], losses: list[int], sizes: list[Fraction]) -> float:
    """Every outcome, one by one, in rational arithmetic."""
    pairs = [w + lost for w, lost in zip(wins, losses, strict=True)]
    found = abs(sum(s * (2 * w - n) for s, w, n in zip(sizes, wins, pairs, strict=True)))
    total = Fraction(0)
    for heads in product(*(range(n + 1) for n in pairs)):
        if abs(sum(s * (2 * k - n) for s, k, n in zip(sizes, heads, pairs, strict=True))) >= found:
            total += Fraction(prod(map(comb, pairs, heads)), 2 ** sum(pairs))
    return float(total)


@pytest.mark.parametrize("seed", range(40))
def test_sizes_far_apart_in_rational_arithmetic(seed: int) -> None:
    """Sizes as written, some equal, some multiples of each other, up to 1e18 apart."""
    rng = np.random.default_rng(seed)
    digits, powers, signs = [1, 1, 2, 3, 0.1, 0.3], [0, 0, 10, 12, 15, 18], [-1, 1]
    sizes = [
        Fraction(str(rng.choice(digits))) * 10 ** int(rng.choice(powers)) * int(rng.choice(signs))
        for _ in range(4)
    ]
    wins, losses = rng.integers(0, 3, 4).tolist(), rng.integers(0, 3, 4).tolist()
    found, exact = paired_p_value(wins, losses, sizes, draws=10, rng=rng)
    assert exact
    assert found == pytest.approx(listed_p_value(wins, losses, sizes), rel=1e-12)


def test_sampled_sizes_far_apart() -> None:
    """Half of 600 dear pairs won: only the cheap ones can tell, 400 against 200 of them."""
    sizes = [Fraction(10**18), Fraction(1), Fraction(3)]
    wins, losses = [300, 400, 0], [300, 200, 5]
    found, exact = paired_p_value(wins, losses, sizes, draws=20_000, rng=np.random.default_rng(0))
    assert not exact
    even = comb(600, 300) / 2**600  # the dear pairs cancel, and the cheap ones are never so far
    assert found == pytest.approx(1 - even, abs=5 * np.sqrt(even * (1 - even) / 20_000))


def test_rounded_sizes_keep_their_ties() -> None:
    """Three pairs of .1 weigh as much as one of .1 + .1 + .1, though floats differ."""
    assert p_value([3, 0], [0, 1], [0.1, 0.1 + 0.1 + 0.1]) == 1.0
    assert p_value([3, 0], [0, 1], [1.1, 3.3000000000000003]) == 1.0
