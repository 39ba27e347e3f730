"""The average of candidates, with the weights that make the cross-fitted cases most likely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stakes.application import Application
from stakes.calibration.blending import Average, mixed
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.cases import Cases
from stakes.calibration.choosing import class_stakes, likelihood_weights
from stakes.calibration.per_case import Aim
from stakes.calibration.smooth import Smooth
from stakes.typing import FloatArray

__all__ = ["with_average"]

#: A member of the average with less weight is left out.
LEAST = 0.01


def with_average(
    kept: list[Calibrator], logs: list[FloatArray], names: list[str], cases: Cases, by: Aim
) -> tuple[list[Calibrator], list[FloatArray], list[str], int]:
    """The candidates and their average, in front or after `Smooth`.

    Where one has all the weight, that one takes the place. Last, how many are to choose from. For
    a cost, `Smooth` is itself averaged with the curve that was sought by what is at stake.
    """
    emphasis = class_stakes(by) if isinstance(by, Application) else None
    if emphasis is not None and _both_curves(kept):
        pair = likelihood_weights(logs[:2], cases, emphasis=emphasis)
        curve = mixed(logs[:2], pair, emphasis.tolist())
        kept, logs = [_weighted(kept[:2], pair, emphasis), *kept[2:]], [curve, *logs[2:]]
        names = [f"smooth ({100 * pair[1]:.0f} % by stakes)", *names[2:]]
        return _with_average(kept, logs, names, cases, emphasis, at=1)
    return _with_average(kept, logs, names, cases, emphasis, at=int(isinstance(kept[0], Smooth)))


def _both_curves(kept: list[Calibrator]) -> bool:
    """Whether the first two are the plain curve and the one by what is at stake."""
    return len(kept) > 1 and all(isinstance(each, Smooth) for each in kept[:2])


def _with_average(
    kept: list[Calibrator],
    logs: list[FloatArray],
    names: list[str],
    cases: Cases,
    emphasis: FloatArray | None,
    *,
    at: int,
) -> tuple[list[Calibrator], list[FloatArray], list[str], int]:
    """The candidates and their average, at a place."""
    shares = _that_count(likelihood_weights(logs, cases, emphasis=emphasis))
    among = np.flatnonzero(shares)
    if len(among) == 1:
        front = list(dict.fromkeys([*range(at), int(among[0])]))
        order = list(dict.fromkeys([*front, *range(len(kept))]))
        kept, logs = [kept[i] for i in order], [logs[i] for i in order]
        return kept, logs, [names[i] for i in order], len(front)
    average = _weighted(kept, shares, emphasis)
    table = mixed(
        [logs[i] for i in among], shares[among], None if emphasis is None else emphasis.tolist()
    )
    label = _shares_label(names, shares)
    return (
        [*kept[:at], average, *kept[at:]],
        [*logs[:at], table, *logs[at:]],
        [*names[:at], label, *names[at:]],
        1 + at,
    )


def _that_count(shares: FloatArray) -> FloatArray:
    """The shares without those that are too small, which are 0."""
    kept = np.where(shares >= LEAST, shares, 0.0)
    return np.asarray(kept / kept.sum())


def _shares_label(names: list[str], shares: FloatArray) -> str:
    """The average with its members and their weights in percent."""
    parts = [f"{name} {100 * s:.0f} %" for name, s in zip(names, shares, strict=True) if s > 0.0]
    return "average (" + ", ".join(parts) + ")"


def _weighted(
    members: Sequence[Calibrator], shares: FloatArray, emphasis: FloatArray | None
) -> Average:
    """The average of the members that count."""
    pairs = [(m, float(s)) for m, s in zip(members, shares, strict=True) if s > 0.0]
    return Average(
        [m.unfitted() for m, _ in pairs],
        weights=[s for _, s in pairs],
        emphasis=None if emphasis is None else emphasis.tolist(),
    )
