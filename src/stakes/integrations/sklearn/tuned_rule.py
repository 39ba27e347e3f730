"""TunedRule: how far to trust the posteriors, and how far the costs seen on the data.

A rule multiplies calibrated posteriors by class weights before the Bayes decision. Weights of 1
are the Bayes rule itself; the weights of least cost on the data are, for two classes, the exact
empirical threshold; powers of these weights lie between. Which one to use is learnt too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from stakes.application import Application
from stakes.calibration import Automatic, Calibrator, best_class_weights, stratified_folds
from stakes.calibration.cases import group_numbers
from stakes.decisions import bayes_decisions
from stakes.exceptions import DataError
from stakes.integrations.sklearn.alignment import shifted
from stakes.integrations.sklearn.fitting import unfitted
from stakes.integrations.sklearn.folds import learnt
from stakes.integrations.sklearn.group_folds import fold_count, groups_per_class, read_groups
from stakes.results import Frame
from stakes.typing import FloatArray, IntArray

__all__ = ["TunedRule"]

#: Standard errors by which a rule must be cheaper than the Bayes rule to replace it.
CLEARLY = 3.0


class TunedRule:
    """Choose between the Bayes rule, the empirical optimum and steps between, by cross-fitting.

    Works on scores, for any number of classes and decisions; `TunedDecisionClassifier` puts it
    behind an estimator.

    Parameters
    ----------
    application : Application
        Costs and priors; if it has priors, calibrated posteriors are moved there first.
    calibrator : Calibrator or "auto", optional
        Default, and "auto": what `stakes.calibration.Automatic` chooses, once, on all cases.
    strengths : sequence of float from 0 to 1
        0 is the Bayes rule, 1 the class weights of least cost on the data.
    folds : int
        Folds of the cross-fitting.
    rng : int
        Seed of the folds.

    Attributes
    ----------
    strength : float
        What was chosen: the weakest, unless another is cheaper by three standard errors; then the
        weakest within one standard error of the least cross-fitted cost.
    costs, standard_errors : array
        Cross-fitted cost of each strength, and of its difference from the least one.
    weights : array
        Class weights in use, one per class.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = rng.integers(0, 2, 400)
    >>> odds = 3 * (rng.normal(size=400) + 2 * codes - 1)
    >>> rule = TunedRule(Application([[0, 1], [5, 0]])).fit(np.c_[-odds / 2, odds / 2], codes)
    >>> rule.strength
    0.0
    """

    def __init__(
        self,
        application: Application,
        *,
        calibrator: Calibrator | Literal["auto"] | None = None,
        strengths: Sequence[float] = (0.0, 0.5, 1.0),
        folds: int = 5,
        rng: int = 0,
    ) -> None:
        if not len(strengths) or not all(0 <= s <= 1 for s in strengths):
            raise DataError(f"`strengths` must lie between 0 and 1; got {strengths!r}.")
        self.application = Application(application.costs.values, priors=application.priors)
        self.calibrator = calibrator
        self.strengths = tuple(sorted(float(s) for s in strengths))
        self.folds, self.rng = folds, rng

    def fit(
        self,
        scores: NDArray[Any],
        codes: IntArray,
        sample_weight: Any = None,
        *,
        groups: Any = None,
    ) -> Self:
        """Learn from out-of-fold log scores and positions of the true classes.

        Scores are (n, K), or (R, n, K) if each case was scored R times. Cases of one of the
        `groups`, if given, stay in one fold, and standard errors are those between groups.
        """
        given = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        table = scores if scores.ndim == 3 else scores[None]
        together = read_groups(groups, len(codes))
        self.kind = self._calibrator(table, codes, given, together)
        # First of all cases, which tells their rows if they cannot be learnt from.
        self.posterior_map, self.best = self._learnt(table, codes, given, together)
        losses = self._cross_fitted(table, codes, given, together)
        chosen = self._choose(losses, self._case_shares(codes, given), codes, together)
        self.strength = self.strengths[chosen]
        self.weights: FloatArray = self.best**self.strength
        return self

    def decisions(self, scores: NDArray[Any], costs: Any = None) -> NDArray[Any]:
        """Positions of the decisions for new scores."""
        return self.decisions_by(self.posteriors(scores), costs)

    def decisions_by(self, posteriors: NDArray[Any], costs: Any = None) -> NDArray[Any]:
        """Positions of the decisions for posteriors as `posteriors` gives them."""
        table = self.application.costs if costs is None else costs
        return weighted_decisions(posteriors, self.weights, table)

    def posteriors(self, scores: NDArray[Any]) -> FloatArray:
        """Calibrated posteriors for new scores, under the priors of the application if any."""
        return self.placed(self.posterior_map.posteriors(scores))

    def placed(self, calibrated: NDArray[Any]) -> FloatArray:
        """Posteriors of the calibrator, moved to the priors of the application if it has any."""
        return self._moved(self.posterior_map, calibrated)

    def frame(self) -> Frame:
        """One row per strength: cross-fitted cost, standard error, whether it was chosen."""
        return Frame(
            {
                "strength": self.strengths,
                "cost": self.costs,
                "standard_error": self.standard_errors,
                "chosen": [s == self.strength for s in self.strengths],
            }
        )

    # ------------------------------------------------------------- privates

    def _calibrator(
        self, scores: NDArray[Any], codes: IntArray, weights: Any, groups: Any
    ) -> Calibrator:
        """The kind of calibrator: given, or chosen once."""
        if self.calibrator is not None and self.calibrator != "auto":
            return unfitted(self.calibrator)
        chooser = Automatic(bound="data", folds=fold_count(codes, groups, weights))
        learnt(chooser, scores, codes, weights, groups)
        found = chooser.chosen.unfitted()
        found.options |= {"bound": "data", "priors": None}
        return found

    def _learnt(
        self, scores: NDArray[Any], codes: IntArray, weights: Any, groups: Any
    ) -> tuple[Calibrator, FloatArray]:
        """A fitted calibrator, and the class weights of least cost on its posteriors."""
        fitted = learnt(self.kind.unfitted(), scores, codes, weights, groups)
        times = len(scores)
        found = best_class_weights(
            np.tile(codes, times),
            self._moved(fitted, fitted.posteriors(_flat(scores))),
            application=self.application,
            sample_weight=None if weights is None else np.tile(weights, times),
            starts=0,
        )
        return fitted, found.weights

    def _moved(self, fitted: Calibrator, posteriors: NDArray[Any]) -> FloatArray:
        """Posteriors of a calibrator, moved to the priors of the application if it has any."""
        app = self.application
        if app.priors is None:
            return np.asarray(posteriors)
        return shifted(posteriors, app.priors, np.asarray(fitted.priors), app.classes)

    def _cross_fitted(
        self, scores: NDArray[Any], codes: IntArray, weights: Any, groups: Any
    ) -> FloatArray:
        """Cost of each case under each strength, by rules that never saw the case."""
        number = stratified_folds(codes, self.folds, groups=groups, rng=self.rng)
        losses = np.zeros((len(codes), len(self.strengths)))
        costs = self.application.costs
        for fold in np.unique(number):
            train, test = np.flatnonzero(number != fold), np.flatnonzero(number == fold)
            parts = (None if column is None else column[train] for column in (weights, groups))
            fitted, best = self._learnt(scores[:, train], codes[train], *parts)
            posteriors = self._moved(fitted, fitted.posteriors(_flat(scores[:, test])))
            for j, strength in enumerate(self.strengths):
                taken = weighted_decisions(posteriors, best**strength, costs)
                for column in taken.reshape(len(scores), -1):
                    losses[test, j] += costs.values[codes[test], column] / len(scores)
        return losses

    def _case_shares(self, codes: IntArray, weights: Any) -> FloatArray:
        """What each case counts under the priors of the application."""
        mass = np.ones(len(codes)) if weights is None else weights
        priors = self.application.priors
        if priors is not None:
            totals = np.bincount(codes, weights=mass, minlength=len(priors))
            factors = np.divide(priors, totals, out=np.zeros(len(priors)), where=totals > 0)
            mass = mass * factors[codes]
        return np.asarray(mass / mass.sum())

    def _choose(self, losses: FloatArray, shares: FloatArray, codes: IntArray, groups: Any) -> int:
        """The weakest, unless another is clearly cheaper; then the weakest close to the least."""
        self.costs: FloatArray = shares @ losses
        least = int(np.argmin(self.costs))
        gaps = losses - losses[:, [least]]
        spread = shares[:, None] * (gaps - shares @ gaps)
        if groups is not None:
            member = group_numbers(groups)
            spread = np.column_stack([np.bincount(member, column) for column in spread.T])
        variance = (spread**2).sum(axis=0) + self._unseen(shares, codes, groups)
        self.standard_errors: FloatArray = np.sqrt(variance)
        behind = self.costs - self.costs[least]
        if behind[0] <= CLEARLY * self.standard_errors[0]:
            return 0
        return int(np.flatnonzero(behind <= self.standard_errors)[0])

    def _unseen(self, shares: FloatArray, codes: IntArray, groups: Any) -> float:
        """Variance of one more case of each class that pays the most a change of rule can cost.

        Rare dear errors that happen not to occur would otherwise make a rule look surely cheap. Of
        cases in groups a whole group of the class pays.
        """
        values = self.application.costs.values
        unit = np.arange(len(codes)) if groups is None else groups
        counts, mass = np.zeros(len(values)), np.bincount(codes, shares, minlength=len(values))
        seen = groups_per_class(codes, unit)
        counts[: len(seen)] = seen
        share = np.divide(mass, counts, out=np.zeros(len(values)), where=counts > 0)
        return float(((share * np.ptp(values, axis=1)) ** 2).sum())


def _flat(scores: FloatArray) -> FloatArray:
    """Scores (R, n, K) as R n cases."""
    return scores.reshape(-1, scores.shape[-1])


def weighted_decisions(posteriors: FloatArray, weights: FloatArray, costs: Any) -> NDArray[Any]:
    """Bayes decisions of posteriors times class weights."""
    moved = posteriors * weights
    return bayes_decisions(moved / moved.sum(axis=1, keepdims=True), costs)
