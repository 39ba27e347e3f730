"""What a case loses under a proper score, as a function of its posterior log odds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from stakes.exceptions import DataError
from stakes.summaries.ranked_scores import RankedScores, require_both
from stakes.typing import FloatArray

__all__ = ["BetaWeight", "Losses", "losses_of", "mean_loss", "shares_of"]

#: Losses of the first and of the second class as functions of the posterior log odds.
Losses = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


class BetaWeight(NamedTuple):
    """How much each application counts: a Beta density over posterior thresholds.

    A threshold c belongs to the costs c for a false positive and 1 - c for a false
    negative, so c is small when misses are costly.

    Parameters
    ----------
    alpha, beta : float
        Parameters of the Beta density; (1, 1) is uniform.
    low, high : float
        Only thresholds in this range count: the density is cut off and rescaled.

    Examples
    --------
    >>> BetaWeight.from_cost_ratios(2, 20)
    BetaWeight(alpha=1.0, beta=1.0, low=0.047619047619047616, high=0.3333333333333333)
    """

    alpha: float = 1.0
    beta: float = 1.0
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def from_cost_ratios(
        cls, least: float, most: float, *, alpha: float = 1.0, beta: float = 1.0
    ) -> BetaWeight:
        """Thresholds for which a miss costs as much as `least` to `most` false alarms."""
        if not 0 < least < most:
            raise DataError(f"ratios must satisfy 0 < least < most; got {least!r}, {most!r}.")
        return cls(alpha, beta, 1 / (1 + most), 1 / (1 + least))._checked()

    def _checked(self) -> BetaWeight:
        """The weight itself, if there are such thresholds."""
        alpha, beta, low, high = self
        if not (0 < alpha < np.inf and 0 < beta < np.inf and 0 <= low < high <= 1):
            raise DataError(
                "a Beta weight needs finite alpha, beta > 0 and 0 <= low < high <= 1; "
                f"got {alpha!r}, {beta!r}, {low!r} and {high!r}."
            )
        return self

    def losses(self, log_odds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Average cost of a case of the first and of the second class."""
        from scipy.special import betainc, expit

        alpha, beta, low, high = self._checked()
        at = np.clip(expit(log_odds), low, high)
        mass = betainc(alpha, beta, high) - betainc(alpha, beta, low)
        raised = betainc(alpha + 1, beta, at) - betainc(alpha + 1, beta, low)
        missed = betainc(alpha, beta + 1, high) - betainc(alpha, beta + 1, at)
        total = (alpha + beta) * mass
        return np.asarray(alpha * raised / total), np.asarray(beta * missed / total)


def mean_loss(losses: Losses, log_odds: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Losses weighted by the mass of each class; no mass, no loss, even if infinite."""
    of_first, of_second = losses(log_odds)
    with np.errstate(invalid="ignore"):
        parts = np.where(first > 0, first * of_first, 0) + np.where(
            second > 0, second * of_second, 0
        )
    return float(parts.sum())


def losses_of(rule: Any) -> Losses:
    """Losses of both classes as functions of the posterior log odds."""
    if isinstance(rule, BetaWeight):
        return rule.losses
    if rule == "log":
        return lambda z: (np.logaddexp(0, z), np.logaddexp(0, -z))
    if rule == "brier":
        return lambda z: (_squared(z), _squared(-z))
    raise DataError(f"`rule` must be 'log', 'brier' or a BetaWeight; got {rule!r}.")


def _squared(log_odds: FloatArray) -> FloatArray:
    """The squared posterior."""
    from scipy.special import expit

    return np.asarray(expit(log_odds) ** 2)


def shares_of(scores: RankedScores, prior: float | None, what: str) -> FloatArray:
    """The priors of both classes: given, or those of the data."""
    require_both(scores, what)
    if prior is None:
        return scores.priors
    if not 0 < prior < 1:
        raise DataError(f"`prior` must lie between 0 and 1; got {prior!r}.")
    return np.array([1 - prior, prior])
