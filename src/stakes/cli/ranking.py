"""The order of scores: thresholds found by cross-fitting, and columns that are turned round."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.cli.cases import Cases
from stakes.cli.columns import flipped
from stakes.cli.models import Model

__all__ = ["Turned", "area_under_curve", "cross_fitted", "turned_round"]

FOLDS = 5
SEED = 0


def cross_fitted(
    scores: NDArray[np.float64], cases: Cases, app: Application
) -> tuple[NDArray[np.intp], float]:
    """Decide each fifth of the cases by the best threshold of the others.

    Also returns the best threshold on all cases. Cases are dealt to the folds within each
    class, in an order that depends on their number alone.
    """
    assert app.priors is not None
    weights = np.ones(len(cases)) if cases.weights is None else cases.weights
    scale = np.divide(app.priors, cases.priors, out=np.zeros(2), where=cases.priors > 0)
    stakes = app.costs.values[:, 0] - app.costs.values[:, 1]  # what acting saves, by true class
    saved = weights * scale[cases.truth] * stakes[cases.truth]
    fold = _folds(cases.truth)
    decisions = np.zeros(len(cases), dtype=np.intp)
    for k in range(FOLDS):
        threshold = _best_threshold(scores[fold != k], saved[fold != k])
        decisions[fold == k] = scores[fold == k] > threshold
    return decisions, _best_threshold(scores, saved)


def area_under_curve(
    scores: NDArray[np.float64], truth: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> float:
    """Chance that a positive case scores above a negative one; ties count half."""
    weights = np.ones(len(truth)) if weights is None else weights
    order = np.argsort(scores[truth == 0], kind="stable")
    negatives, positives = scores[truth == 0][order], scores[truth == 1]
    below = np.concatenate([[0.0], np.cumsum(weights[truth == 0][order])])
    if not below[-1] or not weights[truth == 1].any():
        return float("nan")
    left = below[np.searchsorted(negatives, positives, side="left")]
    right = below[np.searchsorted(negatives, positives, side="right")]
    return float(np.average(left + right, weights=weights[truth == 1]) / 2 / below[-1])


class Turned(NamedTuple):
    """A column of scores that seems to mean the other outcome: what is seen, asked, and to type."""

    seen: str
    asked: str
    option: str

    @property
    def text(self) -> str:
        """A warning."""
        return f"{self.seen}. {self.asked}  {self.option}"


def turned_round(models: Sequence[Model], cases: Cases, args: Any) -> list[Turned]:
    """The columns of scores that, beyond chance, are higher where the outcome is rarer."""
    if not args.scores or len(cases.classes) != 2:
        return []
    found = []
    every = np.ones(len(cases)) if cases.weights is None else cases.weights
    negative, positive = cases.classes
    already = flipped([model.name for model in models], args)
    for model in models:
        if model.scores is None:
            continue
        counts = ~model.missing & (every > 0)
        truth, weights = cases.truth[counts], every[counts]
        area = area_under_curve(model.scores[counts], truth, weights)
        n_other, n_positive = (_as_many(weights[truth == k]) for k in range(2))
        if not n_other or not n_positive:
            continue
        chance = np.sqrt((n_other + n_positive + 1) / (12 * n_other * n_positive))
        if area >= 0.5 - 3 * chance:
            continue
        name, seen = model.name, f"*fewer* '{positive}' (AUC {area:.2f})"
        if name in already:
            asked = f"Is the column the probability of '{positive}' as it is?"
            seen = f"turned by --flip, higher {name} goes with {seen}"
            found.append(Turned(seen, asked, f"leave out --flip {shlex.quote(name)}"))
        else:
            asked = f"Is the column the probability of '{negative}'?"
            found.append(
                Turned(f"higher {name} goes with {seen}", asked, f"--flip {shlex.quote(name)}")
            )
    return found


def _as_many(weights: NDArray[np.float64]) -> float:
    """How many cases of equal weight vary as much: Kish's effective sample size."""
    if not weights.size:
        return 0.0
    shares = weights / weights.max()
    return float(shares.sum() ** 2 / (shares @ shares))


def _folds(truth: NDArray[np.intp]) -> NDArray[np.intp]:
    """A fold for each case, as even as possible within each class."""
    rng = np.random.default_rng(SEED)
    fold = np.empty(truth.shape[0], dtype=np.intp)
    for outcome in range(2):
        rows = rng.permutation(np.flatnonzero(truth == outcome))
        fold[rows] = np.arange(rows.size) % FOLDS
    return fold


def _best_threshold(scores: NDArray[np.float64], saved: NDArray[np.float64]) -> float:
    """The cut between distinct scores above which acting saves most; ties: act on fewer."""
    if not scores.size:
        return float("inf")
    order = np.argsort(-scores, kind="stable")
    ranked, gains = scores[order], np.cumsum(saved[order])
    last = np.flatnonzero(np.append(np.diff(ranked) != 0, True))  # last case of each tie
    totals = np.concatenate([[0.0], gains[last]])
    best = int(np.argmax(totals))
    if best == 0:
        return float(ranked[0])  # act on nobody
    if best == last.size:
        return float(np.nextafter(ranked[-1], -np.inf))  # act on everybody
    upper, lower = ranked[last[best - 1]], ranked[last[best - 1] + 1]
    middle = float((upper + lower) / 2)
    return middle if lower <= middle < upper else float(lower)
