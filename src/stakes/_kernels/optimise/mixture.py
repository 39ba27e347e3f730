"""Shares of the most likely mixture of known densities, by an interior Newton method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Beyond so many components the Hessian is dear, and so many steps of EM are tried before.
_MANY = 64
_TRIED = 100
#: The log-likelihood of all rows is at most so far from its greatest value.
_CLOSE = 1e-9
#: Densities that differ by no more than this, relatively, differ by rounding.
_ALIKE = 1e-13


def most_likely_shares(
    ratios: Floats, start: Floats, *, tolerance: float, max_iterations: int
) -> tuple[Floats, int]:
    """Shares s >= 0, adding to 1, that make sum(log(ratios @ s)) greatest; and the steps taken.

    `ratios` (rows, components) are densities up to a factor per row. The log-likelihood is
    concave; where components can hardly be told apart EM needs as many steps as the ratios are
    near to 1, Newton's method a dozen. More than `max_iterations` steps are taken for failure, and
    counted as one more. Components that are alike in every row keep the shares of `start`.
    """
    shares, steps = start.copy(), 0
    if bool((np.ptp(ratios, axis=1) <= _ALIKE * ratios.max(axis=1)).all()):
        return shares / shares.sum(), steps
    if len(start) > _MANY:
        for _ in range(min(_TRIED, max_iterations)):
            pull = _pull(ratios, shares)
            if len(ratios) * (float(pull.max()) - 1.0) < _CLOSE:
                return shares, steps
            shares, steps = shares * pull, steps + 1
        shares = np.maximum(shares, 1e-12)
    return _newton(ratios, shares, steps, tolerance, max_iterations)


def _pull(ratios: Floats, shares: Floats) -> Floats:
    """Slope of the mean log-likelihood: what EM multiplies the shares by."""
    return np.asarray((1.0 / (ratios @ shares)) @ ratios / len(ratios))


def _newton(
    ratios: Floats, start: Floats, steps: int, tolerance: float, limit: int
) -> tuple[Floats, int]:
    """Least of sum(s) - mean(log(ratios @ s)), s >= 0, which adds to 1 by itself.

    Follows s_k (1 - pull_k) = barrier start_k to barrier 0; `slack` are the factors 1 - pull_k.
    """
    rows, size = ratios.shape
    shares = start / start.sum()
    slack = np.maximum(1.0 - _pull(ratios, shares), 0.0) + 0.1
    barrier = 0.1 * float(shares @ slack)
    while steps < limit:
        scaled = ratios / (ratios @ shares)[:, None]
        slope = 1.0 - scaled.sum(axis=0) / rows
        hessian = scaled.T @ scaled / rows
        hessian.flat[:: size + 1] += slack / shares + 1e-15 * float(np.trace(hessian))
        aim = barrier * start
        step = np.linalg.solve(hessian, aim / shares - slope)
        length = _length(ratios, shares, step, slope, aim)
        change = (aim - slack * (shares + step)) / shares
        falling = change < 0.0
        room = float((-slack[falling] / change[falling]).min()) if falling.any() else 1.0
        shares, slack = shares + length * step, slack + min(1.0, 0.99 * room) * change
        steps += 1
        moved = float(np.abs(length * step).max())
        if length < 1e-9 or (moved < tolerance and rows * barrier < _CLOSE):
            return shares / shares.sum(), steps
        barrier = min(barrier, 0.1 * float(shares @ slack))
        barrier = max(barrier, 1e-3 * _CLOSE / rows)
    return shares / shares.sum(), limit + 1


def _length(ratios: Floats, shares: Floats, step: Floats, slope: Floats, aim: Floats) -> float:
    """Part of the step that stays inside and lowers what is minimised."""

    def value(at: Floats) -> float:
        return float(at.sum() - np.log(ratios @ at).mean() - aim @ np.log(at))

    fall = float((aim / shares - slope) @ step)
    length = min(1.0, 0.99 / max(float((-step / shares).max()), 1e-300))
    now = value(shares)
    while length > 1e-9:
        if value(shares + length * step) <= now - 1e-4 * length * fall + 1e-14 * (1.0 + abs(now)):
            break
        length /= 2.0
    return length
