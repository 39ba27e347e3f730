"""Newton's method on smooth convex objectives, roots of many functions at once, shares of a
mixture.

An objective is a function of the parameters that returns its value, its gradient and its Hessian.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Objective = Callable[[Floats], tuple[float, Floats, Floats]]
Slopes = Callable[[Floats], tuple[float, Floats]]

#: No entry of the gradient of the mean loss, in standardised scores, exceeds this at the end.
TOLERANCE = 1e-8

#: A scale that turns finite scores into practically 0 and leaves infinite ones their sign.
JUST_POSITIVE = 1e-300

#: The search stops after this many steps.
_MOST_STEPS = 100

#: Root of the relative curvature that counts as none.
_SINGULAR = 1e-6

#: Below this gradient, a step is expected to be among the last.
_CLOSE = 1e-2

#: A class with less than this share of the weight needs a proportionally smaller gradient.
_RARE = 0.01


def scaled_tolerance(tolerance: float, least_share: float) -> float:
    """Tolerance, scaled down for classes with a small share of the weight."""
    return tolerance * min(1.0, max(least_share, 1e-12) / _RARE)


class Minimum(NamedTuple):
    """Where the search ended: parameters, value, largest gradient entry, steps, derivatives."""

    parameters: Floats
    value: float
    gradient: float
    steps: int
    slopes: Floats
    hessian: Floats


def _newton_step(gradient: Floats, hessian: Floats, *, singular: float = _SINGULAR) -> Floats:
    """Newton direction; a vanishing curvature is lifted to a tiny positive one.

    In directions without curvature and slope the step is then short, in spite of rounding.
    """
    from scipy.linalg import cho_factor, cho_solve

    size, curves = len(gradient), np.diag(hessian)
    top = float(curves.max(initial=0.0))
    if top <= 0.0:  # no curvature: as far as the caller allows
        return np.asarray(-1e9 * gradient / max(float(np.abs(gradient).max()), 1e-300))
    scale = np.sqrt(np.maximum(curves, 1e-16 * top))
    scaled = hessian / np.outer(scale, scale)
    for lift in (0.0, 1e-9, 1e-6, 1e-3):
        try:
            factor = cho_factor(scaled + lift * np.eye(size), check_finite=False)
        except np.linalg.LinAlgError:
            continue
        if lift == 0.0 and float(np.diag(factor[0]).min()) <= singular:
            continue
        step = np.asarray(cho_solve(factor, -gradient / scale, check_finite=False) / scale)
        if np.all(np.isfinite(step)):
            return step
    return np.asarray(-gradient / max(top, 1.0))


def is_settled(found: Minimum, tolerance: float = TOLERANCE) -> bool:
    """Whether further steps would move the parameters by at most a hundredth.

    If the best parameters lie at infinity, each step is about 1, however small the gradient. If
    the objective is flat, a step may be as long, but it gains nothing.
    """
    step = _newton_step(found.slopes, found.hessian, singular=0.0)
    if abs(float(step @ found.slopes)) <= 1e-7 * tolerance:
        return True
    return bool(np.abs(step).max(initial=0.0) <= 0.01 * (1.0 + np.abs(found.parameters).max()))


def _exact_line_search(
    objective: Objective, start: Floats, direction: Floats, slope: float, precision: float = 0.1
) -> tuple[Floats, tuple[float, Floats, Floats]]:
    """Minimise a convex objective along a line: Newton on the slope, kept inside a bracket."""
    low, high = 0.0, np.inf
    length = 0.5
    point, found = start, objective(start)
    for _ in range(30):
        trial = start + length * direction
        value, gradient, hessian = objective(trial)
        finite = bool(np.isfinite(value)) and bool(np.all(np.isfinite(gradient)))
        here = float(gradient @ direction) if finite else np.inf
        if finite and value <= found[0]:
            point, found = trial, (value, gradient, hessian)
        if abs(here) <= precision * abs(slope):
            break
        low, high = (length, high) if here < 0.0 else (low, length)
        curve = float(direction @ hessian @ direction) if finite else 0.0
        proposal = length - here / curve if curve > 0.0 else np.inf
        if not low < proposal < high:
            proposal = 0.5 * (low + high) if np.isfinite(high) else 4.0 * length
        length = min(proposal, 8.0 * max(length, 0.125))
    return point, found


def _within_reach(direction: Floats, point: Floats) -> Floats:
    """The step, shortened if it would lead much farther from 0 than the point is.

    Where all posteriors are 0 or 1 the curvature vanishes and a step is practically infinite, and
    halving it would not help.
    """
    most = float(np.abs(direction).max(initial=0.0))
    reach = 10.0 + 2.0 * float(np.abs(point).max(initial=0.0))
    return direction if most <= reach else direction * (reach / most)


def _trial(
    objective: Objective,
    slopes: Slopes | None,
    trial: Floats,
    before: tuple[Floats, Floats],
    tolerance: float,
) -> tuple[float, Floats, Floats]:
    """The objective at a trial point, with the Hessian from before where that is enough.

    A step with an old Hessian shrinks the gradient about as much as the step before it did.
    """
    gradient, hessian = before
    largest = float(np.abs(gradient).max())
    if slopes is not None and largest <= _CLOSE:
        value, first = slopes(trial)
        left = float(np.abs(first).max())
        if left <= tolerance or left * left <= tolerance * largest:
            return value, first, hessian
    return objective(trial)


def minimise(
    objective: Objective,
    start: Floats,
    *,
    tolerance: float = TOLERANCE,
    slopes: Slopes | None = None,
    least: Floats | None = None,
) -> Minimum:
    """Minimise a convex objective until no gradient entry exceeds `tolerance`.

    A full Newton step is taken when it achieves at least a hundredth of the decrease that its
    slope promises; otherwise the exact minimum along the step is found. `slopes` gives only the
    value and the gradient: close to the end it is called first, and the previous Hessian is kept
    if it is good enough for the last step. No parameter may be below its `least` (minus infinity
    for no bound): the search first ignores the bounds, and is repeated with them if it ends
    outside.
    """
    if least is not None:
        start = np.maximum(start, least)
        free = minimise(objective, start, tolerance=tolerance, slopes=slopes)
        if (free.parameters >= least).all():
            return free
        return _minimise_within(objective, start, least, tolerance)
    point = np.array(start, dtype=np.float64)
    value, gradient, hessian = objective(point)
    steps = 0
    while np.abs(gradient).max(initial=0.0) > tolerance and steps < _MOST_STEPS:
        direction = _within_reach(_newton_step(gradient, hessian), point)
        slope = float(gradient @ direction)
        if slope >= 0.0:
            direction, slope = -gradient, -float(gradient @ gradient)
        trial = point + direction
        found = _trial(objective, slopes, trial, (gradient, hessian), tolerance)
        rounding = 1e-15 * (1.0 + abs(value))
        if not (np.isfinite(found[0]) and found[0] <= value + 0.01 * slope + rounding):
            trial, found = _exact_line_search(objective, point, direction, slope)
        steps += 1
        if found[0] >= value and np.abs(found[1]).max() >= np.abs(gradient).max():
            break  # no progress left in floating point
        point, (value, gradient, hessian) = trial, found
    largest = float(np.abs(gradient).max(initial=0.0))
    return Minimum(point, value, largest, steps, gradient, hessian)


def _minimise_within(
    objective: Objective, point: Floats, least: Floats, tolerance: float
) -> Minimum:
    """Projected Newton: parameters at their least that would fall below are held there.

    In the slopes and the Hessian returned, held parameters have slope 0 and curvature 1.
    """
    value, gradient, hessian = objective(point)
    steps = 0
    while True:
        left = float(np.abs(point - np.maximum(point - gradient, least)).max(initial=0.0))
        held = (point <= least + min(left, 1e-3)) & (gradient > 0.0)
        if left <= tolerance or steps >= _MOST_STEPS:
            break
        free = np.flatnonzero(~held)
        step = np.where(held, least - point, 0.0)
        step[free] = _newton_step(gradient[free], hessian[np.ix_(free, free)])
        step = _within_reach(step, point)
        for length in 0.5 ** np.arange(40):
            trial = np.maximum(point + length * step, least)
            found = objective(trial)
            promised = 0.01 * float(gradient @ (trial - point))
            if found[0] <= value + promised + 1e-15 * (1.0 + abs(value)):
                break
        else:
            break  # no progress left in floating point
        point, (value, gradient, hessian) = trial, found
        steps += 1
    slopes, bent = np.where(held, 0.0, gradient), hessian.copy()
    bent[held, :] = 0.0
    bent[:, held] = 0.0
    bent[held, held] = 1.0
    return Minimum(point, value, left, steps, slopes, bent)


def bracketed_roots(
    function: Callable[[Floats], Floats], low: Floats, high: Floats, *, tolerance: float = 1e-10
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
    for _ in range(80):
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


#: With more than `_MANY` components the Hessian is slow, so `_TRIED` steps of EM come first.
_MANY = 64
_TRIED = 100
#: The log-likelihood of all rows is within this of its maximum.
_CLOSE_SHARES = 1e-9
#: Densities that differ by no more than this, relatively, differ by rounding.
_ALIKE = 1e-13


def most_likely_shares(
    ratios: Floats,
    start: Floats,
    *,
    tolerance: float,
    max_iterations: int,
    weights: Floats | None = None,
) -> tuple[Floats, int]:
    """Shares s >= 0, adding to 1, that maximise sum(log(ratios @ s)), and the steps taken.

    `ratios` (rows, components) are densities up to a factor per row. The log-likelihood is
    concave. The closer the ratios are to 1, the more steps EM needs; Newton's method needs about a
    dozen. If `max_iterations` steps are not enough, one more than that is returned. Components
    that are alike in every row keep the shares of `start`. `weights` multiply the terms of the
    sum; without them each counts once.
    """
    shares, steps = start.copy(), 0
    each = np.full(len(ratios), 1.0 / len(ratios)) if weights is None else weights / weights.sum()
    if bool((np.ptp(ratios, axis=1) <= _ALIKE * ratios.max(axis=1)).all()):
        return shares / shares.sum(), steps
    if len(start) > _MANY:
        for _ in range(min(_TRIED, max_iterations)):
            pull = _pull(ratios, shares, each)
            if len(ratios) * (float(pull.max()) - 1.0) < _CLOSE_SHARES:
                return shares, steps
            shares, steps = shares * pull, steps + 1
        shares = np.maximum(shares, 1e-12)
    return _newton(ratios, each, shares, steps, tolerance, max_iterations)


def _pull(ratios: Floats, shares: Floats, each: Floats) -> Floats:
    """Slope of the mean log-likelihood: what EM multiplies the shares by."""
    return np.asarray((each / (ratios @ shares)) @ ratios)


def _newton(
    ratios: Floats, each: Floats, start: Floats, steps: int, tolerance: float, limit: int
) -> tuple[Floats, int]:
    """Minimise sum(s) - mean(log(ratios @ s)) over s >= 0; the optimum sums to 1.

    Follows s_k (1 - pull_k) = barrier start_k to barrier 0; `slack` are the factors 1 - pull_k.
    """
    rows, size = ratios.shape
    shares = start / start.sum()
    slack = np.maximum(1.0 - _pull(ratios, shares, each), 0.0) + 0.1
    barrier = 0.1 * float(shares @ slack)
    while steps < limit:
        scaled = ratios / (ratios @ shares)[:, None]
        slope = 1.0 - each @ scaled
        hessian = (scaled * each[:, None]).T @ scaled
        hessian.flat[:: size + 1] += slack / shares + 1e-15 * float(np.trace(hessian))
        aim = barrier * start
        step = np.linalg.solve(hessian, aim / shares - slope)
        length = _length(ratios, each, shares, step, slope, aim)
        change = (aim - slack * (shares + step)) / shares
        falling = change < 0.0
        room = float((-slack[falling] / change[falling]).min()) if falling.any() else 1.0
        shares, slack = shares + length * step, slack + min(1.0, 0.99 * room) * change
        steps += 1
        moved = float(np.abs(length * step).max())
        if length < 1e-9 or (moved < tolerance and rows * barrier < _CLOSE_SHARES):
            return shares / shares.sum(), steps
        barrier = min(barrier, 0.1 * float(shares @ slack))
        barrier = max(barrier, 1e-3 * _CLOSE_SHARES / rows)
    return shares / shares.sum(), limit + 1


def _length(
    ratios: Floats, each: Floats, shares: Floats, step: Floats, slope: Floats, aim: Floats
) -> float:
    """The part of the step that keeps shares positive and lowers the objective."""

    def value(at: Floats) -> float:
        return float(at.sum() - each @ np.log(ratios @ at) - aim @ np.log(at))

    fall = float((aim / shares - slope) @ step)
    length = min(1.0, 0.99 / max(float((-step / shares).max()), 1e-300))
    now = value(shares)
    while length > 1e-9:
        if value(shares + length * step) <= now - 1e-4 * length * fall + 1e-14 * (1.0 + abs(now)):
            break
        length /= 2.0
    return length
