"""Expectations under a Beta distribution that have a closed form."""

from __future__ import annotations

import math

__all__ = ["mean_reciprocal"]


def mean_reciprocal(alpha: float, beta: float, x: float) -> float:
    """E[1 / (1 - x W)] for W ~ Beta(alpha, beta) and x < 1.

    This is Gauss's hypergeometric function 2F1(1, alpha; alpha + beta; x), taken from his
    continued fraction for a quotient of contiguous functions (Cuyt et al., *Handbook of
    Continued Fractions for Special Functions*, 2008, section 15.3), evaluated from the far
    end with the limit of its tails. It converges for every x < 1 at the rate
    ((1 - s) / (1 + s))^k with s = sqrt(1 - x).
    """
    if x < 0:  # 1 - x W = (1 - x) (1 - x' (1 - W)), with x' in (0, 1)
        return mean_reciprocal(beta, alpha, x / (x - 1)) / (1 - x)
    root = math.sqrt(1 - x)
    tail = (1 + root) / 2
    for k in range(min(100 + math.ceil(20 / root), 1_000_000), 0, -1):
        tail = 1 + x * _coefficient(k, alpha, beta, alpha + beta - 1) / tail
    return 1 / tail


def _coefficient(k: int, alpha: float, beta: float, shifted: float) -> float:
    """The k-th partial numerator of the fraction, without x."""
    if k == 1:
        return -alpha / (alpha + beta)
    n = k // 2
    if k % 2:
        return -(alpha + n) * (shifted + n) / ((shifted + 2 * n) * (shifted + 2 * n + 1))
    return -n * (beta - 1 + n) / ((shifted + 2 * n - 1) * (shifted + 2 * n))
