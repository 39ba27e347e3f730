"""TunedRule: how far to trust the posteriors, and how far the costs seen on the data.

A rule multiplies calibrated posteriors by class weights before the Bayes decision. Weights of 1
are the Bayes rule itself; the weights of least cost on the data are, for two classes, the exact
empirical threshold; powers of these weights lie between. Which one to use is learnt too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.calibration import (
    Automatic,
    Calibrator,
    best_class_weights,
    cross_fit,
    stratified_folds,
)
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.results import Frame
from stakes.typing import FloatArray, IntArray

__all__ = ["TunedRule"]


class TunedRule:
    """Choose between the Bayes rule, the empirical optimum and steps between, by cross-fitting.

    Works on scores, any number of classes and decisions; `TunedDecisionClassifier` puts it behind
    an estimator.

    Parameters
    ----------
    application : Application
        Costs and priors.
    calibrator : Calibrator, optional
        Default: `stakes.calibration.Automatic`.
    strengths : sequence of float from 0 to 1
        0 is the Bayes rule, 1 the weights of least cost on the data.
    folds : int
        Outer and inner folds of the nested cross-fitting.
    rng : int
        Seed of the folds.

    Attributes
    ----------
    strength : float
        What was chosen.
    costs : array
        Cross-fitted cost of each strength.
    weights : array
        Class weights in use, one per class.
    """

    def __init__(
        self,
        application: Application,
        *,
        calibrator: Calibrator | None = None,
        strengths: Sequence[float] = (0.0, 0.5, 1.0),
        folds: int = 5,
        rng: int = 0,
    ) -> None:
        if not strengths or not all(0 <= s <= 1 for s in strengths):
            raise DataError(f"`strengths` must lie between 0 and 1; got {strengths!r}.")
        self.application = application
        self.calibrator = Automatic() if calibrator is None else calibrator
        self.strengths = tuple(float(s) for s in strengths)
        self.folds, self.rng = folds, rng

    def fit(self, scores: NDArray[Any], codes: IntArray, sample_weight: Any = None) -> Self:
        """Learn from out-of-fold log scores (n, K) and positions of the true classes."""
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        losses = self._nested(scores, codes, weights)
        shares = self._case_shares(codes, weights)
        self.costs: FloatArray = shares @ losses
        self.strength = self.strengths[self._chosen(losses, shares)]
        self.posterior_map = self.calibrator.unfitted().fit(scores, codes, sample_weight=weights)
        inner = cross_fit(
            self.calibrator, scores, codes, folds=self.folds, rng=self.rng, sample_weight=weights
        )
        self.best = self._best_weights(inner, codes, weights)
        self.weights: FloatArray = self.best**self.strength
        return self

    def decisions(self, scores: NDArray[Any], costs: Any = None) -> NDArray[Any]:
        """Positions of the decisions for new scores."""
        table = self.application.costs if costs is None else costs
        return _weighted_decisions(self.posterior_map.posteriors(scores), self.weights, table)

    def frame(self) -> Frame:
        """One row per strength: its cross-fitted cost, and whether it was chosen."""
        chosen = [s == self.strength for s in self.strengths]
        return Frame({"strength": self.strengths, "cost": self.costs, "chosen": chosen})

    # ------------------------------------------------------------- privates

    def _nested(self, scores: NDArray[Any], codes: IntArray, weights: Any) -> FloatArray:
        """Cost of each case under each strength, by rules that never saw the case."""
        number = stratified_folds(codes, self.folds, rng=self.rng)
        losses = np.empty((len(codes), len(self.strengths)))
        table = self.application.costs.values
        for fold in range(self.folds):
            train, test = np.flatnonzero(number != fold), np.flatnonzero(number == fold)
            part = None if weights is None else weights[train]
            inner = cross_fit(
                self.calibrator,
                scores[train],
                codes[train],
                folds=self.folds,
                rng=self.rng,
                sample_weight=part,
            )
            best = self._best_weights(inner, codes[train], part)
            fitted = self.calibrator.unfitted().fit(scores[train], codes[train], sample_weight=part)
            posteriors = fitted.posteriors(scores[test])
            for j, strength in enumerate(self.strengths):
                taken = _weighted_decisions(posteriors, best**strength, self.application.costs)
                losses[test, j] = table[codes[test], taken]
        return losses

    def _best_weights(self, posteriors: FloatArray, codes: IntArray, weights: Any) -> FloatArray:
        """Class weights of least cost on these cases."""
        found = best_class_weights(
            codes,
            posteriors,
            application=_positional(self.application),
            sample_weight=weights,
        )
        return found.weights

    def _case_shares(self, codes: IntArray, weights: Any) -> FloatArray:
        """What each case counts under the priors of the application."""
        mass = np.ones(len(codes)) if weights is None else weights
        priors = self.application.priors
        if priors is not None:
            totals = np.bincount(codes, weights=mass, minlength=len(priors))
            mass = (
                mass * np.divide(priors, totals, out=np.zeros(len(priors)), where=totals > 0)[codes]
            )
        return np.asarray(mass / mass.sum())

    def _chosen(self, losses: FloatArray, shares: FloatArray) -> int:
        """The least cross-fitted cost; ties go to the weaker strength."""
        order = np.argsort(self.strengths, kind="stable")
        means = shares @ losses
        return int(order[np.argmin(means[order])])


def _weighted_decisions(posteriors: FloatArray, weights: FloatArray, costs: Any) -> NDArray[Any]:
    """Bayes decisions of posteriors times class weights."""
    moved = posteriors * weights
    return bayes_decisions(moved / moved.sum(axis=1, keepdims=True), costs)


def _positional(app: Application) -> Application:
    """The same application with positions for names."""
    return Application(app.costs.values, priors=app.priors)
