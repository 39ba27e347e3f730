"""Prior-weighted logistic regression: scores to log-likelihood ratios by a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from stakes._kernels.class_scores import binary_log_posteriors
from stakes._kernels.optimise.newton import JUST_POSITIVE, TOLERANCE, scaled_tolerance
from stakes._kernels.optimise.regression_fit import Line, fit_line, fit_logistic
from stakes.calibration.calibrator import Calibrator, same_sign
from stakes.calibration.calibrator_json import Shapes
from stakes.calibration.labelled_scores import Cases, refuse_impossible_truth
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError
from stakes.messages.audience import setting
from stakes.typing import FloatArray, IntArray, Priors


def fit_odds(cases: Cases, smoothing: bool | None) -> tuple[Line, dict[str, Any]]:
    """The best line through the log odds, and what to report of it."""
    kept = _finite_cases(cases)
    line = fit_line(
        kept.odds,
        kept.codes == 1,
        kept.weights,
        counts=cases.counts,
        smoothing=smoothing,
        rising=kept.below or kept.above,
    )
    return line, fit_report(line, kept.share * line.value)


def fit_report(found: Any, cross_entropy: float) -> dict[str, Any]:
    """What to report of a fit."""
    told = ("gradient", "steps", "smoothed")
    return {"cross_entropy": cross_entropy, **{name: getattr(found, name) for name in told}}


def on_line(odds: FloatArray, slope: float, intercept: float) -> FloatArray:
    """Log odds moved by a line; a slope of exactly 0 ignores even infinite ones."""
    return slope * odds + intercept if slope != 0.0 else np.full(len(odds), intercept)


class FiniteCases(NamedTuple):
    """Log odds, classes and prior weights of the finite cases.

    `share` is their share of the total weight; `below` and `above` say whether other cases have
    infinite scores, including cases that are held out.
    """

    odds: FloatArray
    codes: IntArray
    weights: FloatArray
    share: float
    below: bool
    above: bool


def _finite_cases(cases: Cases) -> FiniteCases:
    """The finite cases; infinite ones must be right.

    An infinite score on the right side costs nothing under a positive slope, and infinitely much
    under any other. So it can be left out if slopes are held positive.
    """
    odds, codes, weights = cases.scores.log_odds(), cases.codes, cases.prior_weights()
    above, below = (False, False) if cases.scores.barred is None else cases.scores.barred.tolist()
    refuse_impossible_truth(cases)
    keep = np.isfinite(odds)
    if keep.all():
        return FiniteCases(odds, codes, weights, 1.0, below, above)
    if len(np.unique(codes[keep])) < 2:
        raise DataError(
            f"only {int(keep.sum())} cases have finite scores, not of both classes.",
            hint=f"use {setting('bound', 'data')} to keep the infinite ones",
        )
    share = float(weights[keep].sum() / weights.sum())
    below, above = below or np.isneginf(odds.min()), above or np.isposinf(odds.max())
    return FiniteCases(odds[keep], codes[keep], weights[keep], share, below, above)


class Smoothable(Calibrator):
    """A calibrator that can be fitted to Platt's smoothed targets."""

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
        smoothing: bool | None = None,
    ) -> None:
        super().__init__(priors=priors, classes=classes, bound=bound, smoothing=smoothing)


# docs/design/calibration.md says why target priors weight the fit.
class Logistic(Smoothable):
    r"""Platt's line from any score to a log-likelihood ratio, at a stated prior.

    The standard calibration of verification scores. The prior says where the line should be
    best: at the effective prior of the application. Equivariant: multiplying all scores by a
    constant, or adding one, changes no posterior.

    .. math:: \min_{a,b} \frac{\pi}{N_1}\sum_{y=1} \log(1+e^{-a s-b-\mathrm{logit}\,\pi})
       + \frac{1-\pi}{N_0}\sum_{y=0} \log(1+e^{a s+b+\mathrm{logit}\,\pi})

    Takes scores (n,) on any scale, or log-posteriors (n, 2); `llrs` returns a s + b, `posteriors`
    the posteriors (n, 2) at the prior.

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`. `priors=[0.5, 0.5]` is the usual choice when the application is open.
    smoothing : bool, optional
        Platt's smoothed targets: always (True), never (False), or only when one threshold tells
        the classes apart perfectly, so that the best slope would be infinite (default).

    Notes
    -----
    Newton's method stops when no gradient entry of the mean loss, in standardised scores, exceeds
    1e-8. The slope is negative for scores that order worse than chance, unless infinite ones are
    right (see `Calibrator`).

    References
    ----------
    .. [1] Brümmer, Doddington, *Likelihood-ratio calibration using prior-weighted proper scoring
       rules*, arXiv:1307.7981, 2013.
    .. [2] Cumani, *Bayes decisions and model evaluation*, lecture slides.

    Examples
    --------
    >>> cal = Logistic(priors=[0.5, 0.5]).fit([-3.0, -1.0, 2.0, 1.0, 3.0, -2.0], [0, 0, 0, 1, 1, 1])
    >>> cal.llrs([0.0]).shape
    (1,)
    """

    kind = "logistic"
    _any_scale = True
    _shapes: ClassVar[Shapes] = {"slope": (), "intercept": ()}

    def _fit(self, cases: Cases) -> None:
        cases.two_class_odds("a line needs cases of both classes")
        line, described = fit_odds(cases, self.options["smoothing"])
        self.slope, self.intercept = line.slope, line.intercept
        self.report |= described

    def _direction(self) -> int | None:
        return same_sign(np.array([self.slope]))

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        return binary_log_posteriors(on_line(scores.log_odds(), self.slope, self.intercept))


class Beta(Smoothable):
    r"""Beta calibration: a line in log q and log(1 - q) separately.

    For two classes whose posteriors are distorted differently at the two ends, as those of
    boosted trees or naive Bayes. Contains the identity and the affine map.

    .. math:: \mathrm{logit}\,p = a \log q - b \log(1-q) + c, \qquad a, b \ge 0

    Takes log odds (n,) of the second class, or log-posteriors (n, 2); returns posteriors (n, 2).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    smoothing : bool, optional
        As for `Logistic`.

    Notes
    -----
    A negative coefficient would make the map decrease, so the best ones not below 0 are found.

    References
    ----------
    .. [1] Kull, Silva Filho, Flach, *Beta calibration*, AISTATS 2017.

    Examples
    --------
    >>> cal = Beta().fit([-3.0, -1.0, 2.0, 1.0, 3.0, -2.0], [0, 0, 0, 1, 1, 1])
    >>> bool((cal.coefficients >= 0).all())
    True
    """

    kind = "beta"
    _shapes: ClassVar[Shapes] = {"coefficients": (2,), "intercept": ()}

    def _features(self, odds: FloatArray) -> list[FloatArray]:
        """log q and -log(1 - q)."""
        return [-np.logaddexp(0.0, -odds), np.logaddexp(0.0, odds)]

    def _fit(self, cases: Cases) -> None:
        cases.two_class_odds()
        kept = _finite_cases(cases)
        self.coefficients, self.intercept = fit_increasing(
            self._features(kept.odds),
            kept.codes,
            kept.weights,
            cases.counts,
            self.options["smoothing"],
        )
        infinite = np.array([kept.below, kept.above])
        self.coefficients[infinite] = np.maximum(self.coefficients[infinite], JUST_POSITIVE)

    def _direction(self) -> int | None:
        return same_sign(self.coefficients)

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        odds = scores.log_odds()
        pairs = zip(self._features(odds), self.coefficients, strict=True)
        start = np.full(len(odds), self.intercept)
        return binary_log_posteriors(sum((on_line(x, slope, 0.0) for x, slope in pairs), start))


def fit_increasing(
    features: list[FloatArray],
    codes: Any,
    weights: FloatArray,
    counts: FloatArray,
    smoothing: bool | None,
) -> tuple[FloatArray, float]:
    """Non-negative coefficients and an intercept of least cross-entropy."""
    positive = codes == 1
    used = [i for i, feature in enumerate(features) if np.ptp(feature[weights > 0.0]) > 0.0]
    if smoothing is None and used:
        first = features[used[0]]
        smoothing = bool(first[~positive].max() <= first[positive].min())
    targets: Any = positive
    if smoothing:
        targets = np.where(positive, (counts[1] + 1) / (counts[1] + 2), 1 / (counts[0] + 2))
    share = float(weights[positive].sum()) / float(weights.sum())
    close = scaled_tolerance(TOLERANCE, min(share, 1.0 - share))
    centres = [np.average(features[i], weights=weights) for i in used]
    moved = [features[i] - centre for i, centre in zip(used, centres, strict=True)]
    spreads = [float(np.sqrt(np.average(each**2, weights=weights))) or 1.0 for each in moved]
    found = fit_logistic(
        [each / spread for each, spread in zip(moved, spreads, strict=True)]
        or [np.zeros(len(codes))],
        targets,
        weights,
        tolerance=close,
        least=np.append(np.zeros(max(len(used), 1)), -np.inf),
    ).parameters
    coefficients = np.zeros(len(features))
    coefficients[used] = found[: len(used)] / spreads
    return coefficients, float(found[-1] - coefficients[used] @ centres)
