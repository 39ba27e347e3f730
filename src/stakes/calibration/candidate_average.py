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
from stakes.typing import FloatArray, IntArray

__all__ = ["with_average"]

#: A member of the average with less weight is left out.
LEAST = 0.01


def with_average(
    kept: list[Calibrator],
    logs: list[FloatArray],
    names: list[str],
    cases: Cases,
    by: Aim,
    *,
    first: int,
) -> tuple[list[Calibrator], list[FloatArray], list[str], int]:
    """The candidates and their average, in front or after the average of the `first` so many.

    Where one has all the weight, that one takes the place. Last, how many are to choose from.
    """
    emphasis = class_stakes(by) if isinstance(by, Application) else None
    if first > 1:
        shares = _that_count(likelihood_weights(logs[:first], cases, emphasis=emphasis))
        among = np.flatnonzero(shares)
        lead, name = _weighted(kept[:first], shares, emphasis), _lead_label(kept[:first], shares)
        table = _mean(logs, among, shares, emphasis)
        if len(among) == 1:
            lead = kept[among[0]]
        kept, logs = [lead, *kept[first:]], [table, *logs[first:]]
        names = [name, *names[first:]]
    return _with_average(kept, logs, names, cases, emphasis, at=min(first, 1))


def _mean(
    logs: Sequence[FloatArray],
    among: IntArray,
    shares: FloatArray,
    emphasis: FloatArray | None,
) -> FloatArray:
    """Log-posteriors of the average of some."""
    parts = None if emphasis is None else emphasis.tolist()
    return mixed([logs[i] for i in among], shares[among], parts)


def _lead_label(members: Sequence[Calibrator], shares: FloatArray) -> str:
    """The curve that goes first, and in brackets what else has a part in it."""
    pairs = [(_word(m), 100 * s) for m, s in zip(members, shares, strict=True) if s > 0.0]
    if len(pairs) == 1 and pairs[0][0] != "by stakes":
        return pairs[0][0]
    others = [f"{share:.0f} % {word}" for word, share in pairs if word != members[0].kind]
    return f"{members[0].kind} ({', '.join(others)})"


def _word(member: Calibrator) -> str:
    """A member in a few words."""
    return "by stakes" if member.options.get("emphasis") else member.kind


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
    table = _mean(logs, among, shares, emphasis)
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
