"""Weighing and comparing calibrators by what they say of cases they never saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stakes.application import Application
from stakes.calibration.cases import Cases
from stakes.calibration.per_case import case_losses, loss_name
from stakes.typing import FloatArray

__all__ = ["Verdict", "cautious_cost", "chosen_place", "likelihood_weights", "mixed"]

_ROUNDS = 500


def likelihood_weights(
    logs: Sequence[FloatArray], cases: Cases, *, pseudo: float = 1.0
) -> FloatArray:
    """Shares of a mixture under which the cross-fitted cases are most likely (EM).

    Every candidate is given `pseudo` cases beforehand, so that none is left out by chance.
    """
    index = np.arange(len(cases.codes))
    own = np.array([table[index, cases.codes] for table in logs])
    top = own.max(axis=0)
    seen = np.isfinite(top)
    ratios, mass = np.exp(own[:, seen] - top[seen]), cases.prior_weights()[seen]
    shares = np.full(len(own), 1.0 / len(own))
    for _ in range(_ROUNDS):
        parts = shares[:, None] * ratios
        found = parts @ (mass / parts.sum(axis=0)) + pseudo
        found /= found.sum()
        moved = float(np.abs(found - shares).max())
        shares = found
        if moved < 1e-5:
            break
    return shares


def mixed(logs: Sequence[FloatArray], shares: FloatArray) -> FloatArray:
    """Log-posteriors of the weighted mean posterior."""
    out = logs[0] + np.log(shares[0])
    for table, share in zip(logs[1:], shares[1:], strict=True):
        out = np.logaddexp(out, table + np.log(share))
    return np.asarray(out)


def cautious_cost(losses: FloatArray, cases: Cases, application: Application) -> float:
    """Mean cost if each class had one case more, decided at random: errors not yet seen count."""
    size = len(cases.counts)
    sums = np.bincount(cases.codes, weights=cases.weights * losses, minlength=size)
    unseen = application.costs.values.mean(axis=1)
    return float(cases.priors @ ((sums + unseen) / (cases.counts + 1.0)))


class Verdict(NamedTuple):
    """Position of the choice, and the record of the comparison."""

    place: int
    table: dict[str, list[Any]]
    why: str


def chosen_place(
    names: list[str], losses: list[FloatArray], cases: Cases, by: str | Application
) -> Verdict:
    """The first candidate within one standard error of the best; two for a cost."""
    weights = cases.prior_weights() / cases.prior_weights().sum()
    raw = cases.scores.columns().astype(np.float64)
    raw = raw - np.logaddexp.reduce(raw, axis=1, keepdims=True)
    as_is = float(weights @ case_losses(raw, cases.codes, by))
    means = np.array([float(weights @ loss) for loss in losses])
    best = int(np.argmin(means))
    gaps, errors = _above(losses, losses[best], weights)
    allowed = (2 if isinstance(by, Application) else 1) * errors
    place = int(np.flatnonzero((gaps <= allowed) | (np.arange(len(names)) == best))[0])
    table = {
        "candidate": ["as is", *names],
        "loss": [as_is, *means.tolist()],
        "above_best": [as_is - means[best], *gaps.tolist()],
        "standard_error": [float("nan"), *errors.tolist()],
        "chosen": [False, *(i == place for i in range(len(names)))],
    }
    measure = loss_name(by)
    why = f"{names[place]} has the least cross-fitted {measure} ({means[place]:.4g})."
    if place != best:
        much = "two standard errors" if isinstance(by, Application) else "one standard error"
        why = (
            f"{names[place]}: its cross-fitted {measure} ({means[place]:.4g}) is within {much} "
            f"({allowed[place]:.2g}) of the least ({means[best]:.4g}, {names[best]})."
        )
    return Verdict(place, table, why + f" As is: {as_is:.4g}.")


def _above(
    losses: list[FloatArray], least: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean of each candidate above the best, with its standard error."""
    gaps, errors = np.zeros(len(losses)), np.zeros(len(losses))
    for i, loss in enumerate(losses):
        with np.errstate(invalid="ignore"):
            gap = loss - least
        gaps[i] = float(weights @ gap)
        spread = np.nan_to_num(gap - gaps[i], nan=0.0)
        errors[i] = float(np.sqrt(weights**2 @ spread**2)) if np.isfinite(gaps[i]) else 0.0
    return gaps, errors
