"""Generative calibration: a density of the score for each class, and their ratio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._kernels.class_scores import binary_log_posteriors, median
from stakes._names import one_of
from stakes.calibration.calibrator import Calibrator, run_of
from stakes.calibration.calibrator_json import Shapes
from stakes.calibration.calibrators.logistic import on_line
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError
from stakes.messages.audience import calibrators, either, named
from stakes.typing import FloatArray, Priors

#: Scores and weights of each class.
_Groups = list[tuple[FloatArray, FloatArray]]
_DEGREES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 50.0, 200.0)
#: No score counts for more than this share of a class in its median deviation.
_SHARE = 0.05
#: The spread of a t density is at least this part of the median deviation.
_LEAST = 0.5
#: Scores are the same when they are closer than this, relatively.
_SAME = 1e-9


class Gaussian(Calibrator):
    r"""Log-likelihood ratio of two normal (or t) densities of the score.

    In closed form and stable with very few cases; right when the scores of each class are about
    normal, as those of verification systems are. With equal variances v the map is the line

    .. math:: \ell = \frac{\mu_1-\mu_0}{v}\left(s - \frac{\mu_1+\mu_0}{2}\right)

    Takes scores or log odds (n,), or log-posteriors (n, 2); `llrs` returns the ratio, `posteriors`
    the posteriors (n, 2).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    variances : "equal" or "unequal"
        Equal variances give a line; unequal ones a parabola, which does not increase everywhere.
    tails : "normal" or "t"
        Student's t tolerates outliers; its degrees of freedom are chosen by likelihood.

    Notes
    -----
    The common variance is the average of the class variances weighted by the priors, and so is
    the likelihood by which the degrees of freedom are chosen.
    At least two different scores are needed in one of the classes, and in each of them for
    unequal variances. Infinite scores are refused: a density has no opinion about them.

    The likelihood of a t density has no maximum where many scores of a class are equal, because
    they were clipped or rounded: it grows without end as the density narrows on them. So its spread
    is at least half the median deviation of the class from its median, in which no score counts for
    more than 5% of the class, however many cases have it. Without ties that never matters (the
    spread of normal scores is 1.5 median deviations, that of Cauchy scores 1). A class with more
    than 95% of its cases at one score is refused. Where much is tied or clipped, `Isotonic` or
    `Histogram` says more than a density can.

    References
    ----------
    .. [1] van Leeuwen, Brümmer, *The distribution of calibrated likelihood-ratios in speaker
       recognition*, arXiv:1304.1199, 2013.
    .. [2] Cumani, *Bayes decisions and model evaluation*, lecture slides.

    Examples
    --------
    >>> cal = Gaussian(priors=[0.5, 0.5]).fit([-2.0, 0.0, 0.0, 2.0], [0, 0, 1, 1])
    >>> cal.llrs([0.0, 1.0]).tolist()  # means -1 and 1, variance 1
    [0.0, 2.0]
    """

    kind = "gaussian"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {
        "means": (2,),
        "spreads": (2,),
        "degrees": (),
        "log_prior_odds": (),
    }

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
        variances: str = "equal",
        tails: str = "normal",
    ) -> None:
        super().__init__(
            priors=priors, classes=classes, bound=bound, variances=variances, tails=tails
        )
        one_of(variances, "variances", ("equal", "unequal"))
        one_of(tails, "tails", ("normal", "t"))

    def _fit(self, cases: Cases) -> None:
        odds = cases.two_class_odds("a density for each class needs cases of both")
        cases.scores.need_finite()
        groups = [(odds[cases.codes == k], cases.weights[cases.codes == k]) for k in (0, 1)]
        if self.options["tails"] == "normal":
            means, variances = _moments(groups)
            variances, self.degrees = self._tied(variances, cases.priors), 0.0
        else:
            means, variances, self.degrees = self._fit_t(groups, cases.priors)
        if not (variances > 0).all():
            raise DataError(
                f"{named('scores')} of a class are all the same, so it has no density.",
                hint=f"use {calibrators('isotonic', 'logistic')}",
            )
        self.means, self.spreads = means, np.sqrt(variances)
        self.log_prior_odds = float(np.log(cases.priors[1] / cases.priors[0]))

    def _tied(self, variances: FloatArray, priors: FloatArray) -> FloatArray:
        """One variance for both classes, if they are to be equal."""
        if self.options["variances"] == "unequal":
            return variances
        return np.full(2, float(priors @ variances))

    def _fit_t(self, groups: _Groups, priors: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Location and scale by expectation-maximisation, degrees of freedom by likelihood."""
        floor = self._tied(np.array([_LEAST * _deviation(*group) for group in groups]) ** 2, priors)
        if not (floor > 0).all():
            raise DataError(
                f"{named('scores')} of a class are all or nearly all the same, so it has no t "
                "density.",
                hint=f"use {calibrators('isotonic', 'histogram')}"
                + either(', or tails="normal"', ""),
            )

        def likelihood(fit: tuple[FloatArray, FloatArray, float]) -> float:
            total: float = sum(
                prior * float(np.average(_log_density(s, m, np.sqrt(v), fit[2]), weights=w))
                for prior, (s, w), m, v in zip(priors.tolist(), groups, *fit[:2], strict=True)
            )
            return total

        fits = [(*self._at_degrees(k, groups, priors, floor), k) for k in _DEGREES]
        return max(fits, key=likelihood)

    def _at_degrees(
        self, degrees: float, groups: _Groups, priors: FloatArray, floor: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Means and squared spreads, at least `floor`, for one number of degrees of freedom."""
        means, variances = _moments(groups)
        variances = np.maximum(self._tied(variances, priors), floor)
        for _ in range(200):
            pull = [
                (degrees + 1) / (degrees + (s - m) ** 2 / v)
                for (s, _), m, v in zip(groups, means, variances, strict=True)
            ]
            before, old = means, variances
            means, variances = _moments(groups, pull)
            variances = np.maximum(self._tied(variances, priors), floor)
            still = (np.abs(means - before) <= 1e-8 * np.sqrt(variances)).all()
            if still and np.allclose(old, variances, rtol=1e-10, atol=0.0):
                break
        return means, variances

    def _is_line(self) -> bool:
        """Whether the map is a line: normal densities with the same variance."""
        return self.degrees == 0.0 and bool(self.spreads[0] == self.spreads[1])

    def _direction(self) -> int | None:
        return run_of(self.means) if self._is_line() else None

    @property
    def _needs_finite(self) -> bool:
        return self._bound is None

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        odds = scores.log_odds()
        scores.need_finite()
        return binary_log_posteriors(self._log_ratio(odds) + self.log_prior_odds)

    def _log_ratio(self, odds: FloatArray) -> FloatArray:
        """Log ratio of the densities; squares would cancel the means of scores far away."""
        (first, second), spreads = self.means, self.spreads
        if self._is_line():
            slope = float((second - first) / spreads[0])
            return on_line((odds - (first / 2 + second / 2)) / spreads[0], slope, 0.0)
        return _log_density(odds, second, spreads[1], self.degrees) - _log_density(
            odds, first, spreads[0], self.degrees
        )


def _moments(
    groups: _Groups, pull: Sequence[FloatArray | float] = (1.0, 1.0)
) -> tuple[FloatArray, FloatArray]:
    """Weighted means and mean squared deviations; `pull` down-weights far cases."""
    means, variances = np.empty(2), np.empty(2)
    for k, ((scores, weights), force) in enumerate(zip(groups, pull, strict=True)):
        means[k] = np.average(scores, weights=weights * force)
        variances[k] = float((weights * force) @ (scores - means[k]) ** 2) / weights.sum()
    return means, variances


def _deviation(scores: FloatArray, weights: FloatArray) -> float:
    """Median deviation from the median, in which no score counts for more than a small share."""
    order = np.argsort(scores)
    ordered = scores[order]
    apart = np.diff(ordered) > _SAME * np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1]))
    starts = np.concatenate([[0], np.flatnonzero(apart) + 1])
    totals = np.add.reduceat(weights[order], starts)
    capped = np.minimum(totals, _SHARE * totals.sum())
    places = ordered[starts]
    return median(np.abs(places - median(places, capped)), capped)


def _log_density(scores: FloatArray, mean: float, spread: float, degrees: float) -> FloatArray:
    """Log density up to a constant shared by both classes: normal (degrees 0) or t."""
    far = ((scores - mean) / spread) ** 2
    if degrees == 0.0:
        return np.asarray(-0.5 * far - np.log(spread))
    from scipy.special import gammaln

    constant = gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * np.log(degrees)
    return np.asarray(constant - (degrees + 1) / 2 * np.log1p(far / degrees) - np.log(spread))
