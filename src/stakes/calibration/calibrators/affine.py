"""Temperature, affine and vector scaling: few parameters, convex, to the exact optimum."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from stakes._kernels.class_scores import (
    ClassScores,
    binary_log_posteriors,
    class_sums,
    lay_out,
    log_softmax,
    smoothed_sums,
)
from stakes._kernels.optimise.affine_fit import fit_scaling
from stakes._kernels.optimise.newton import JUST_POSITIVE
from stakes.calibration.calibrator import Calibrator, same_sign
from stakes.calibration.calibrator_json import Shapes
from stakes.calibration.calibrators.logistic import Smoothable, fit_odds, fit_report, on_line
from stakes.calibration.labelled_scores import (
    Cases,
    refuse_impossible_truth,
    refuse_reversed_scores,
)
from stakes.calibration.score_input import Scores
from stakes.messages.audience import calibrators, either
from stakes.typing import FloatArray


class _Scaling(Smoothable):
    """Posteriors softmax(scale_k * score_k + bias_k + offset_k)."""

    form: ClassVar[str] = ""

    @property
    def scale(self) -> float:
        """The common scale; below 1 the scores were over-confident."""
        self._need_fit()
        return float(self.scales[0])

    def _fit(self, cases: Cases) -> None:
        if self.form != "temperature" and self.options["smoothing"] is not True:
            cases.need_all_classes(
                "add cases of that class, drop its column, use "
                + either("Temperature, or smoothing=True", calibrators("temperature"))
            )
        each = self.form == "vector"
        columns, weights = cases.scores.columns(), cases.sample_weight
        laid = lay_out(columns, weights, normalised=each, centred=each)
        laid = laid._replace(held=cases.scores.barred)
        refuse_impossible_truth(cases)
        if self.form != "temperature" and not laid.vary():
            self._fit_shares(laid, cases)
            return
        offsets = np.zeros(len(laid.values))
        if self.form == "temperature":
            offsets = cases.prior_offsets()
        found = fit_scaling(
            self.form,
            laid,
            cases.codes,
            cases.prior_weights(),
            counts=cases.counts,
            offsets=offsets,
            smoothing=self.options["smoothing"],
        )
        self.scales, self.biases = found.scales, found.biases + offsets
        if laid.centres is not None:
            self.biases = self.biases - found.scales * laid.centres
            self.biases -= self.biases.mean()
        self.report |= fit_report(found, found.value)

    def _fit_shares(self, laid: ClassScores, cases: Cases) -> None:
        """Fit scores that are the same in all cases: scale 0, so that the class shares remain."""
        weights, smoothed = cases.prior_weights(), self.options["smoothing"] is True
        given = (laid, cases.codes, weights)
        labels = class_sums(*given)[1]
        sums = smoothed_sums(*given, cases.counts)[1] if smoothed else labels
        logs = np.log(sums / sums.sum())
        self.scales, self.biases = np.zeros(len(logs)), logs - logs.mean()
        if laid.held is not None and laid.held.any():
            self.scales[laid.held if self.form == "vector" else slice(None)] = JUST_POSITIVE
        self.report |= {
            "cross_entropy": -float(labels @ logs) / float(labels.sum()),
            "gradient": 0.0,
            "steps": 0,
            "smoothed": smoothed,
        }

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        columns = np.asarray(scores.columns(), dtype=np.float64)
        if self.form == "vector":
            columns = log_softmax(columns)
        if (self.scales < 0.0).any():
            turned = np.isneginf(columns) & (self.scales < 0.0)
            refuse_reversed_scores(np.asarray(turned.any(axis=1)), scores)
        with np.errstate(invalid="ignore"):
            logits = columns * self.scales
        if np.isnan(logits).any():  # a scale of exactly 0 ignores even infinite scores
            logits[np.isnan(logits)] = 0.0
        return log_softmax(logits + self.biases)

    @property
    def _needs_finite(self) -> bool:
        return self._bound is None and bool((self.scales < 0.0).any())

    def _direction(self) -> int | None:
        return same_sign(self.scales)

    _shapes: ClassVar[Shapes] = {"scales": ("classes",), "biases": ("classes",)}


class Temperature(_Scaling):
    r"""One scale: softmax(a log q), which never changes the most probable class.

    Use it for few cases of many classes, or where the order of classes must not change. Fitted to
    least cross-entropy, weighted to the target priors.

    .. math:: p_k \propto \frac{P_k}{\hat P_k} q_k^{a}

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    smoothing : bool, optional
        Fit to Platt's smoothed targets: always (True), never (False), or only when the labels
        can be told apart perfectly, so that the best scale would be infinite (default).

    Notes
    -----
    P are the target priors and P-hat those of the data; their ratio is 1 unless `priors` is
    given. The scale is negative for scores that order worse than chance, and reverses them; where
    infinite scores are right it stays positive (see `Calibrator`).
    Classes without cases are allowed without target priors. If each case has the same score for
    all classes, no scale is better than another, and it is 1. The convex objective is minimised by
    Newton's method, until the gradient of the mean cross-entropy is at most 1e-8.

    References
    ----------
    .. [1] Guo, Pleiss, Sun, Weinberger, *On Calibration of Modern Neural Networks*, ICML 2017.

    Examples
    --------
    >>> cal = Temperature().fit([[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 2.0]], [0, 0, 1, 1])
    >>> cal.posteriors([[2.0, 0.0]]).round(3)
    array([[0.75, 0.25]])
    """

    kind = "temperature"
    form = "temperature"


class Affine(_Scaling):
    r"""One scale and a bias for each class: softmax(a log q + b).

    The default calibrator: it corrects over- and under-confidence and wrong class priors at once
    with K + 1 parameters, of which K are free. Fitted to least cross-entropy, weighted to the
    target priors.

    .. math:: p_k \propto e^{b_k} q_k^{a}

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    smoothing : bool, optional
        Fit to Platt's smoothed targets: always (True), never (False), or only when the labels
        can be told apart perfectly, so that the best scale would be infinite (default). With
        True, classes without cases are allowed.

    Notes
    -----
    The biases sum to 0; adding a constant to all of them changes nothing. Fitted by damped Newton
    steps with an exact line search until no gradient entry of the mean cross-entropy exceeds 1e-8.
    If all cases have the same scores, the scale is 0 and the posteriors are the class shares.

    References
    ----------
    .. [1] Ferrer, *No Need for Ad-hoc Substitutes: The Expected Cost is a Principled
       All-purpose Classification Metric*, TMLR 2025, **eq. 35**.

    Examples
    --------
    >>> log_odds = [-3.0, -1.0, 1.0, 3.0, -2.0, 2.0]
    >>> cal = Affine().fit(log_odds, [0, 0, 0, 1, 1, 1])
    >>> bool(cal.posteriors(log_odds)[:, 1].mean().round(6) == 0.5)
    True
    >>> Affine(priors=[0.9, 0.1]).fit(log_odds, [0, 0, 0, 1, 1, 1]).posteriors([0.0]).shape
    (1, 2)
    """

    kind = "affine"
    form = "affine"

    def _fit(self, cases: Cases) -> None:
        missing = bool((cases.counts == 0).any())
        if cases.scores.size != 2 or missing:
            super()._fit(cases)
            return
        line, described = fit_odds(cases, self.options["smoothing"])
        self.scales = np.full(2, line.slope)
        self.biases = np.array([-line.intercept, line.intercept]) / 2.0
        self.report |= described

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        if scores.size != 2:
            return super()._log_posteriors(scores)
        odds = scores.log_odds()
        slope, intercept = self.scales[0], self.biases[1] - self.biases[0]
        if slope < 0.0:
            refuse_reversed_scores(np.isinf(odds), scores)
        return binary_log_posteriors(on_line(odds, slope, intercept))


class Vector(_Scaling):
    r"""A scale and a bias for each class: softmax(a_k log q_k + b_k).

    Between `Affine` and `Matrix`; worth trying with many cases per class. Fitted to least
    cross-entropy, weighted to the target priors.

    .. math:: p_k \propto e^{b_k} q_k^{a_k}

    Takes log-posteriors or logits (n, K), which are normalised first, or log odds (n,);
    returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    smoothing : bool, optional
        As for `Affine`.

    Notes
    -----
    The biases sum to 0. If all cases have the same scores, the scales are 0 and the posteriors are
    the class shares. If only one class has a log-posterior that never changes, it keeps the scale
    of `Affine`, fitted to smoothed targets.

    Examples
    --------
    >>> import numpy as np
    >>> logs = np.log([[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4]])
    >>> Vector(smoothing=True).fit(logs, [0, 1, 1, 2]).posteriors(logs).shape
    (4, 3)
    """

    kind = "vector"
    form = "vector"


# docs/design/calibration-choice.md says why this one, and why one for all.
def default_calibrator() -> Calibrator:
    """The calibrator to fit if none is named and no automatic choice is asked for."""
    return Affine(bound="data")
