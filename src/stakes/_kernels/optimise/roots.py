"""Roots of many monotone functions at once, each inside its own bracket."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def bracketed_roots(
    function: Callable[[Floats], Floats],
    low: Floats,
    high: Floats,
    *,
    tolerance: float = 1e-10,
    iterations: int = 80,
) -> Floats:
    """Where `function` changes sign between `low` and `high`, to an absolute tolerance.

    Chandrupatla's method: inverse quadratic interpolation where it is safe, else bisection.
    Where both ends have the same sign the end nearer to zero is returned.

    References
    ----------
    .. [1] T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero
       of a nonlinear function without using derivatives", Adv. Eng. Software 28, 1997.
    """
    a, b = high.astype(np.float64), low.astype(np.float64)
    fa, fb = function(a), function(b)
    same = np.sign(fa) == np.sign(fb)
    nearer = np.where(np.abs(fa) < np.abs(fb), a, b)
    c, fc = a.copy(), fa.copy()
    t = np.full_like(a, 0.5)
    for _ in range(iterations):
        x = a + t * (b - a)
        fx = function(x)
        moved = np.sign(fx) == np.sign(fa)
        c, fc = np.where(moved, a, b), np.where(moved, fa, fb)
        b, fb = np.where(moved, b, a), np.where(moved, fb, fa)
        a, fa = x, fx
        best = np.where(np.abs(fa) < np.abs(fb), a, b)
        width = np.abs(b - a)
        done = same | (width <= 2 * tolerance) | (fa == 0)
        if done.all():
            break
        t = _next_step(a, b, c, fa, fb, fc, tolerance / np.maximum(width, 1e-300))
    return np.where(same, nearer, np.where(fa == 0, a, best))


def _next_step(
    a: Floats, b: Floats, c: Floats, fa: Floats, fb: Floats, fc: Floats, least: Floats
) -> Floats:
    """The fraction of the bracket to go: interpolated where that is safe, else one half."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        xi = (a - b) / (c - b)
        phi = (fa - fb) / (fc - fb)
        safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    t = np.where(safe & np.isfinite(t), t, 0.5)
    least = np.minimum(least, 0.5)
    return np.asarray(np.clip(t, least, 1 - least))
