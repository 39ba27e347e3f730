"""The simulated data of appendix B: Gaussian features with known, hence calibrated, posteriors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes import ScoreCounts

__all__ = ["Simulated", "population_f1", "simulated"]


@dataclass(frozen=True, slots=True)
class Simulated:
    """Labels, and the posteriors that the generating densities and priors imply."""

    y: NDArray[np.intp]
    posteriors: NDArray[np.float64]
    priors: NDArray[np.float64]
    log_posteriors: NDArray[np.float64]

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """Log odds of the second of two classes."""
        odds: NDArray[np.float64] = self.log_posteriors[:, 1] - self.log_posteriors[:, 0]
        return odds

    @property
    def scores(self) -> ScoreCounts:
        """The same as a summary."""
        return ScoreCounts.from_scores(self.y, self.log_odds, kind="log_odds")


def simulated(cases: int, classes: int, variance: float) -> Simulated:
    """One feature with class means 0, 1, 2, ...; the first class has prior .8, the others share .2.

    The draws are those of NumPy's legacy generator with seed 0, class after class, as in the
    authors' code; each class has the whole part of its share of `cases`.
    """
    from scipy.special import log_softmax
    from scipy.stats import multivariate_normal

    priors = np.array([0.8] + [0.2 / (classes - 1)] * (classes - 1))
    counts = (priors * cases).astype(int)
    random: Any = np.random.RandomState(0)
    features = np.concatenate(
        [
            multivariate_normal(mean, variance).rvs(count, random_state=random)
            for mean, count in enumerate(counts)
        ]
    )
    distances = (features[:, None] - np.arange(classes)) ** 2 / (2 * variance)
    logs = log_softmax(np.log(priors) - distances, axis=1)
    return Simulated(np.repeat(np.arange(classes), counts), np.exp(logs), priors, logs)


def population_f1(variance: float) -> float:
    """The largest F1 of any threshold for the two-class data, without any sample.

    At its best threshold on the posterior, F1 is twice that threshold.
    """
    from scipy.optimize import minimize_scalar
    from scipy.stats import norm

    spread = variance**0.5

    def loss(cut: float) -> float:
        hits = 0.2 * norm.sf(cut, 1, spread)
        alarms = 0.8 * norm.sf(cut, 0, spread)
        return float(1 - 2 * hits / (0.2 + hits + alarms))

    best = minimize_scalar(loss, bounds=(0.0, 1.5), method="bounded", options={"xatol": 1e-12})
    return 1 - float(best.fun)
