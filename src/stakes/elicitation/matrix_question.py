"""A question between the outcomes of two systems, for costs of several classes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stakes.application.sentences import shown
from stakes.exceptions import DataError
from stakes.summaries import ConfusionMatrix
from stakes.typing import FloatArray, Name

#: Only this many systems are compared in pairs; those that are best most often.
_MOST_SYSTEMS = 30


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatrixQuestion:
    """Two outcomes, in whole cases by truth and decision; see `MatrixElicitation`.

    Parameters
    ----------
    systems : pair of str
        The systems they come from.
    outcomes : pair of arrays of int
        Cases by truth and decision.
    classes, decisions : tuple of names
        Rows and columns.
    share : float
        Share of the matrices still possible that prefer the first.
    """

    systems: tuple[str, str]
    outcomes: tuple[np.ndarray, np.ndarray]
    classes: tuple[Name, ...]
    decisions: tuple[Name, ...]
    share: float

    def text(self) -> str:
        """The question in words: the cells in which the outcomes differ."""
        first, second = self.outcomes
        lines = [f"Out of {int(first.sum())} cases, which outcome would you rather have?"]
        for letter, mine in zip("AB", (first, second), strict=True):
            lines.append(f"   {letter}")
            for i, j in np.argwhere((first != second) & (mine > 0)):
                if self.classes[i] != self.decisions[j]:
                    lines.append(
                        f"     {mine[i, j]:>5} '{shown(self.classes[i])}' decided as "
                        f"'{shown(self.decisions[j])}'"
                    )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"MatrixQuestion({self.systems[0]!r} or {self.systems[1]!r})"


def asked_about(
    systems: Mapping[str, ConfusionMatrix], samples: FloatArray, *, tolerance: float, cases: int
) -> MatrixQuestion | None:
    """The question whose answer leaves the least regret in the worse case; None if small."""
    names = list(systems)
    tables = [systems[name] for name in names]
    if not tables or any(t.counts.shape != samples.shape[1:] for t in tables):
        raise DataError("`systems` must be confusion matrices of the shape of the costs.")
    shares = np.stack([t.counts / t.total for t in tables])
    costs = samples.reshape(len(samples), -1) @ shares.reshape(len(tables), -1).T
    naive = np.einsum("i,sij->sj", tables[0].priors, samples).min(axis=1)
    regrets = (costs - costs.min(axis=1, keepdims=True)) / naive[:, None]
    if float(regrets.max(axis=0).min()) <= tolerance:
        return None
    often = np.bincount(costs.argmin(axis=1), minlength=len(names))
    near = np.argsort(-often, kind="stable")[:_MOST_SYSTEMS]
    rounded = [_in_cases(share, cases) for share in shares]
    best: tuple[float, float] | None = None
    found: MatrixQuestion | None = None
    for s, t in itertools.combinations([int(k) for k in near], 2):
        gap = (samples * (rounded[s] - rounded[t])).sum(axis=(1, 2))
        first = gap < 0
        if first.all() or not first.any():
            continue
        left = [float(regrets[side].max(axis=0).min()) for side in (first, ~first)]
        score = (max(left), abs(float(first.mean()) - 0.5))
        if best is None or score < best:
            best = score
            found = MatrixQuestion(
                (names[s], names[t]),
                (rounded[s], rounded[t]),
                tables[0].classes,
                tables[0].decisions,
                float(first.mean()),
            )
    return found


def _in_cases(shares: FloatArray, cases: int) -> np.ndarray:
    """Shares as whole cases, so many in all, and of each class as many whatever is decided."""
    totals = _rounded(shares.sum(axis=1), cases)
    return np.stack([_rounded(row, total) for row, total in zip(shares, totals, strict=True)])


def _rounded(shares: FloatArray, total: int) -> np.ndarray:
    """Shares of a total in whole numbers that add up to it: the largest rests are rounded up."""
    if not shares.sum() > 0:
        return np.zeros(shares.shape, dtype=np.int64)
    exact = total * shares / shares.sum()
    whole: np.ndarray = np.floor(exact).astype(np.int64)
    short = int(total) - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:short]] += 1
    return whole
