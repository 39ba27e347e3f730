"""Weighing and comparing calibrators by what they say of cases they never saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stakes._kernels.array_sizes import ordinary_scale
from stakes._kernels.class_scores import weighted_sums
from stakes.application import Application
from stakes.application.dominance import useful_decisions
from stakes.calibration.calibrators.average import emphasised
from stakes.calibration.labelled_scores import Aim, Cases, case_losses, group_numbers, loss_name
from stakes.typing import FloatArray, IntArray

_ROUNDS = 100
#: Newton ends when the log-likelihood can rise by half of this at most.
_CLOSE = 1e-9
_LEAST_STAKE = 1e-3


def likelihood_weights(
    logs: Sequence[FloatArray],
    cases: Cases,
    *,
    pseudo: float = 1.0,
    emphasis: FloatArray | None = None,
) -> FloatArray:
    """Shares of a mixture under which the cross-fitted cases are most likely.

    Every candidate is given `pseudo` cases beforehand, so that none is left out by chance. With
    `emphasis`, cases count as much as their class, and posteriors are moved to the priors that
    this amounts to.
    """
    index = np.arange(len(cases.codes))
    own = np.array([emphasised(table, emphasis)[index, cases.codes] for table in logs])
    top = own.max(axis=0)
    seen = np.isfinite(top)
    mass = cases.prior_weights()
    if emphasis is not None:
        dear = mass * emphasis[cases.codes]
        mass = dear * (mass.sum() / dear.sum())
    return _likeliest_shares(np.exp(own[:, seen] - top[seen]), mass[seen], pseudo)


def _likeliest_shares(ratios: FloatArray, mass: FloatArray, pseudo: float) -> FloatArray:
    """Shares s of the most likely mixture of `ratios` (candidates, cases), by Newton's method.

    The least of (sum(mass) + J pseudo) sum(s) - mass log(s ratios) - pseudo sum(log s) adds to 1
    by itself. Few cases of many may tell the candidates apart; EM would creep there.
    """
    count = len(ratios)
    pull = float(mass.sum()) + pseudo * count
    hold = max(pseudo, 1e-9)  # candidates that are all alike

    def value(shares: FloatArray) -> float:
        inner = float(mass @ np.log(shares @ ratios)) + pseudo * float(np.log(shares).sum())
        return pull * float(shares.sum()) - inner

    shares = np.full(count, 1.0 / count)
    for _ in range(_ROUNDS):
        parts = ratios / (shares @ ratios)
        slope = pull - parts @ mass - pseudo / shares
        step = -np.linalg.solve((parts * mass) @ parts.T + np.diag(hold / shares**2), slope)
        gain = -float(slope @ step)
        length = min(1.0, 0.99 / max(float((-step / shares).max()), 1e-300))
        if gain < _CLOSE:  # the last step is too short to be measured, and the most exact
            shares = shares + length * step
            break
        now = value(shares)
        while length > 1e-12 and value(shares + length * step) > now - 1e-4 * length * gain:
            length /= 2.0
        shares = shares + length * step
    return np.asarray(shares / shares.sum())


def class_stakes(application: Application) -> FloatArray:
    """What is at stake in a case of each class: its dearest decision above its cheapest.

    With two classes, posteriors multiplied by it are equal where the decision changes. No class
    has less than a thousandth of the most, and decisions that are never the best do not count.
    """
    ranges = _ranges(application)
    if not ranges.any():
        return np.ones(len(ranges))
    return np.asarray(np.maximum(ranges / ranges.max(), _LEAST_STAKE))


class Verdict(NamedTuple):
    """Position of the choice, and the record of the comparison."""

    place: int
    table: dict[str, list[Any]]
    why: str


def chosen_place(
    names: list[str],
    losses: list[FloatArray],
    cases: Cases,
    by: Aim,
    *,
    leeway: int,
    among: int | None = None,
) -> Verdict:
    """The first candidate within so many standard errors of the best.

    With `among`, one of the first so many, and if none is as good as that, the best of them. With
    groups the standard errors are from the variation between groups.
    """
    weights = cases.prior_weights() / cases.prior_weights().sum()
    raw = cases.scores.columns().astype(np.float64) + cases.prior_offsets()
    raw = raw - np.logaddexp.reduce(raw, axis=1, keepdims=True)
    as_is = float(weights @ case_losses(raw, cases.codes, by))
    means = np.array([float(weights @ loss) for loss in losses])
    best = int(np.argmin(means))
    unit = np.arange(len(weights)) if cases.groups is None else group_numbers(cases.groups)
    gaps, errors = _doubts(losses, best, cases, by, weights, unit)
    allowed = leeway * errors
    near = np.flatnonzero(((gaps <= allowed) | (np.arange(len(names)) == best))[:among])
    place = int(near[0]) if near.size else int(np.argmin(means[:among]))
    table = {
        "candidate": ["as is", *names],
        "loss": [as_is, *means.tolist()],
        "above_best": [as_is - means[best], *gaps.tolist()],
        "standard_error": [float("nan"), *errors.tolist()],
        "chosen": [False, *(i == place for i in range(len(names)))],
    }
    measure = loss_name(by)
    why = f"{names[place]} has the least cross-fitted {measure} ({means[place]:.4g})."
    if not near.size:
        why = (
            f"{names[place]}: cross-fitted {measure} {means[place]:.4g}. {names[best]} has less "
            f"({means[best]:.4g}), but is not taken alone unless named."
        )
    elif place != best:
        much = "one standard error" if leeway == 1 else "two standard errors"
        why = (
            f"{names[place]}: its cross-fitted {measure} ({means[place]:.4g}) is within {much} "
            f"({allowed[place]:.2g}) of the least ({means[best]:.4g}, {names[best]})."
        )
    return Verdict(place, table, why + f" As is: {as_is:.4g}.")


def _doubts(
    losses: list[FloatArray],
    best: int,
    cases: Cases,
    by: Aim,
    weights: FloatArray,
    unit: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Mean of each candidate above the best and its standard error, in whatever unit costs are."""
    if not isinstance(by, Application):
        return _above(losses, losses[best], weights, unit)
    scale = ordinary_scale(by.costs.values)
    gaps, errors = _above([each / scale for each in losses], losses[best] / scale, weights, unit)
    errors = np.hypot(errors, _unseen(cases, by, unit))
    errors[best] = 0.0
    return gaps * scale, errors * scale


def _above(
    losses: list[FloatArray], least: FloatArray, weights: FloatArray, unit: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Mean of each candidate above the best, with its standard error between units."""
    gaps, errors = np.zeros(len(losses)), np.zeros(len(losses))
    for i, loss in enumerate(losses):
        with np.errstate(invalid="ignore"):
            gap = loss - least
        gaps[i] = float(weights @ gap)
        if np.isfinite(gaps[i]):
            parts = weighted_sums(unit, weights * np.nan_to_num(gap - gaps[i], nan=0.0))
            errors[i] = float(np.sqrt(parts @ parts))
    return gaps, errors


def _unseen(cases: Cases, application: Application, unit: IntArray) -> float:
    """Standard error from one unit more of each class that pays the most a choice can cost.

    Where cases come in groups, units are as many of equal weight as vary like them (Kish). Divided
    by the `ordinary_scale` of the costs.
    """
    ranges = _ranges(application)
    number, size = cases.counts, len(cases.counts)
    if cases.groups is not None:
        pairs, place = np.unique(unit * size + cases.codes, return_inverse=True)
        held = np.bincount(place.reshape(-1), weights=cases.weights)
        squares = np.bincount(pairs % size, weights=held**2, minlength=size)
        number = np.divide(number**2, squares, out=np.zeros(size), where=squares > 0.0)
    return float(np.linalg.norm(cases.priors * ranges / (number + 1.0)))


def _ranges(application: Application) -> FloatArray:
    """Difference that a decision makes to each class, among those best for some posterior.

    Among all where a single one is always the best. Divided by the `ordinary_scale` of the costs.
    """
    values = application.costs.values
    values = values / ordinary_scale(values)
    useful = useful_decisions(values)
    values = values[:, useful] if useful.sum() > 1 else values
    return np.asarray(values.max(axis=1) - values.min(axis=1))
