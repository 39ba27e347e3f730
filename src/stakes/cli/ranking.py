"""Decisions from scores whose order alone means something: a threshold found by cross-fitting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.cli.cases import Cases

__all__ = ["area_under_curve", "cross_fitted"]

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


def area_under_curve(scores: NDArray[np.float64], truth: NDArray[Any]) -> float:
    """Chance that a positive case scores above a negative one; ties count half."""
    negatives, positives = np.sort(scores[truth == 0]), scores[truth == 1]
    if not negatives.size or not positives.size:
        return float("nan")
    below = np.searchsorted(negatives, positives, side="left")
    upto = np.searchsorted(negatives, positives, side="right")
    return float((below + upto).mean() / 2 / negatives.size)


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
