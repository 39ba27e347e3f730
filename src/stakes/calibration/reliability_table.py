"""Reliability: how often it happens when the classifier says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import frozen
from stakes._kernels.pav_blocks import pav_blocks
from stakes.calibration.cases import Cases, read_cases
from stakes.exceptions import DataError, LabelError
from stakes.posteriors import Posteriors
from stakes.results import Frame
from stakes.typing import FloatArray, Name, RandomSource

__all__ = ["ReliabilityTable", "event_of", "reliability_table"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReliabilityTable:
    """The data of a reliability diagram: one row per group of like forecasts.

    What `reliability_table` returns.

    Attributes
    ----------
    said, happened : ndarray
        Mean forecast and observed frequency of each group.
    cases : ndarray
        (Weighted) number of cases in it.
    low, high : ndarray
        Where the frequency would lie, at `level`, if the forecasts were calibrated.
    """

    said: FloatArray
    happened: FloatArray
    cases: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    event: str

    @property
    def text(self) -> str:
        """The worst group with enough cases, in words."""
        enough = self.cases >= max(10.0, 0.02 * float(self.cases.sum()))
        if not enough.any():
            return f"Too few cases to say how far the forecasts of {self.event} can be trusted."
        gap = np.abs(self.said - self.happened)
        chance = 3.0 * np.sqrt(self.said * (1.0 - self.said) / self.cases)  # the worst of many
        clear = enough & (gap > np.maximum(chance, 0.01))
        clear &= (self.happened < self.low) | (self.happened > self.high)
        k = int(np.where(clear, gap, -1.0).argmax())
        if not clear.any():
            return f"The forecasts of {self.event} agree with what happened, within chance."
        return (
            f"When it says {100 * self.said[k]:.0f} % for {self.event}, it happens "
            f"{100 * self.happened[k]:.0f} % of the time ({self.cases[k]:.0f} cases)."
        )

    def frame(self) -> Frame:
        """One row per group."""
        names = ("said", "happened", "cases", "low", "high")
        return Frame({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        groups, cases = len(self.said), float(self.cases.sum())
        return f"<ReliabilityTable of {self.event}: {groups} groups, {cases:.0f} cases>"


def reliability_table(
    y_true: Any,
    posteriors: Any,
    *,
    of: Name | None = None,
    groups: str | int = "pav",
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
    level: float = 0.9,
    replicates: int = 200,
    rng: RandomSource = 0,
) -> ReliabilityTable:
    """Compare what was said with what happened.

    The data of a reliability diagram for any number of classes, with a consistency band around
    the diagonal and a sentence. For two classes and a summary of scores see
    `stakes.curves.reliability`.

    Parameters
    ----------
    y_true : array-like of shape (n_cases,)
        True classes.
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities.
    of : name, optional
        The class whose forecasts are looked at. Default: the second of two classes; for more, the
        most probable class of each case ("it says it is right").
    groups : "pav" or int
        Groups by isotonic regression, which needs no choice of bins; or that many of equal mass.
    classes, sample_weight
        Names of the columns; weights.
    level, replicates, rng
        The band: labels are drawn from the forecasts `replicates` times.

    Returns
    -------
    ReliabilityTable
        Groups, band, and a sentence.

    References
    ----------
    .. [1] Dimitriadis, Gneiting, Jordan, *Stable reliability diagrams for probabilistic
       classifiers*, PNAS 2021.

    Examples
    --------
    >>> result = reliability_table([0, 0, 1, 0] * 50, [0.2, 0.2, 0.8, 0.8] * 50)
    >>> result.said.round(3).tolist(), result.happened.tolist()
    ([0.2, 0.8], [0.0, 0.5])
    >>> result.text
    'When it says 80 % for 1, it happens 50 % of the time (100 cases).'
    """
    if not 0 < level < 1:
        raise DataError(f"`level` must lie between 0 and 1; got {level!r}.")
    said, happened, weights, event = event_of(y_true, posteriors, of, classes, sample_weight)
    if not weights.all():
        kept = weights > 0
        said, happened, weights = said[kept], happened[kept], weights[kept]
    member, size = _grouped(said, happened, weights, groups)
    mass = np.bincount(member, weights=weights, minlength=size)
    mean = np.bincount(member, weights=weights * said, minlength=size) / mass
    share = np.bincount(member, weights=weights * happened, minlength=size) / mass
    random = np.random.default_rng(rng)
    drawn = np.empty((replicates, size))
    for row in drawn:
        luck = random.random(len(said)) < said
        row[:] = np.bincount(member, weights=weights * luck, minlength=size) / mass
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    parts = [frozen(np.asarray(part, dtype=np.float64)) for part in (mean, share, mass, low, high)]
    return ReliabilityTable(parts[0], parts[1], parts[2], parts[3], parts[4], level, event)


def _grouped(
    said: FloatArray, happened: NDArray[np.bool_], weights: FloatArray, groups: str | int
) -> tuple[NDArray[np.intp], int]:
    """Group of each case, in the order of the forecasts."""
    if groups == "pav":
        if happened.all() or not happened.any():
            return np.zeros(len(said), dtype=np.intp), 1
        blocks = pav_blocks(said, happened, weights)
        return np.searchsorted(blocks.highest, said), len(blocks.highest)
    if not isinstance(groups, int) or groups < 1:
        raise DataError(f"`groups` must be 'pav' or a positive number; got {groups!r}.")
    edges = np.unique(np.sort(said)[(np.arange(1, groups) * len(said)) // groups])
    member = np.searchsorted(edges, said, side="right")
    used, member = np.unique(member, return_inverse=True)
    return member.reshape(-1), len(used)


def event_of(
    y_true: Any, posteriors: Any, of: Name | None, classes: Any, sample_weight: Any
) -> tuple[FloatArray, NDArray[np.bool_], FloatArray, str]:
    """Forecast, outcome and weight of the event looked at, and its name."""
    read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
    names = read.classes if classes is None and isinstance(posteriors, Posteriors) else classes
    cases: Cases = read_cases(read, y_true, sample_weight=sample_weight, classes=names)
    values = read.values
    if of is None and values.shape[1] > 2:
        top = values.argmax(axis=1)
        said = values[np.arange(len(top)), top]
        return said, top == cases.codes, cases.weights, "its most probable class"
    wanted = cases.classes[1] if of is None else of
    if wanted not in cases.classes:
        raise LabelError(f"`of` must be one of the classes {list(cases.classes)}; got {of!r}.")
    k = cases.classes.index(wanted)
    return values[:, k], cases.codes == k, cases.weights, str(wanted)
