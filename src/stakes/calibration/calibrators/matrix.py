"""Calibration of many classes: a full matrix, Dirichlet, one curve for all with small
corrections of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._checks import as_number
from stakes._kernels.class_scores import lay_out, log_softmax
from stakes._kernels.optimise.affine_fit import fit_scaling
from stakes._kernels.optimise.monotone_curve import KNOTS, bent, fit_curve
from stakes._kernels.optimise.regression_fit import fit_matrix
from stakes.calibration.calibrator import Calibrator
from stakes.calibration.calibrator_json import Shapes
from stakes.calibration.labelled_scores import Cases, refuse_impossible_truth, refuse_marks
from stakes.calibration.score_input import Scores
from stakes.exceptions import DataError
from stakes.typing import FloatArray, Priors


class Matrix(Calibrator):
    r"""A full matrix on the scores: softmax(W x + b), off-diagonal entries held near 0.

    For many cases of few classes that are confused in a pattern. `Dirichlet` is the same on
    log-posteriors and is the better choice unless the logits themselves carry information.
    Fitted to least cross-entropy, weighted to the target priors, plus the penalties.

    .. math:: \mathrm{CE} + \frac{1}{2N}\left[\sum_{i\neq j}\frac{w_{ij}^2}{\sigma^2}
       + \sum_i\frac{(w_{ii}-\bar w)^2}{\tau^2} + \sum_i\frac{b_i^2}{\omega^2}\right]

    Takes logits (n, K), used as they are, or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    off_diagonal : float, optional
        Prior standard deviation sigma of an off-diagonal entry, in units of one over the spread
        of the scores. Smaller is closer to `Vector`. Default: one over the square root of K.
    diagonal : float
        Prior standard deviation tau of a diagonal entry about their mean. Smaller is closer to
        `Affine`.
    intercept : float
        Prior standard deviation of a bias, about the log of target over data priors.

    Notes
    -----
    Starts at the affine optimum; Newton with conjugate gradients until no entry of the gradient
    of the mean objective exceeds 1e-5. Infinite scores need a `bound`, and so do marks like -1e9,
    beside which the others vanish. A class without cases is refused. The mean of the diagonal is
    free: where it would be infinite, because the matrix separates all cases, smoothed targets are
    used, as in `Affine`.

    References
    ----------
    .. [1] Kull, Perello-Nieto, Kängsepp, Silva Filho, Song, Flach, *Beyond temperature scaling*,
       NeurIPS 2019 (off-diagonal and intercept regularisation).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 3, 300)
    >>> logits = rng.normal(size=(300, 3)) + 2 * np.eye(3)[y]
    >>> Matrix().fit(logits, y).matrix.shape
    (3, 3)
    """

    kind = "matrix"
    _shapes: ClassVar[Shapes] = {"matrix": ("classes", "classes"), "biases": ("classes",)}
    normalised = False
    _level_counts = True

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
        off_diagonal: float | None = None,
        diagonal: float = 1.0,
        intercept: float = 1.0,
    ) -> None:
        spreads = {"off_diagonal": off_diagonal, "diagonal": diagonal, "intercept": intercept}
        super().__init__(priors=priors, classes=classes, bound=bound, **spreads)
        _refuse_negative(spreads)

    @property
    def _needs_finite(self) -> bool:
        return self._bound is None

    def _inputs(self, scores: Scores) -> FloatArray:
        """What the matrix multiplies."""
        table = _finite_table(scores)
        return log_softmax(table) if self.normalised else table

    def _fit(self, cases: Cases) -> None:
        cases.need_all_classes("add cases of that class, drop its column, or use Temperature")
        inputs, weights = self._inputs(cases.scores), cases.prior_weights()
        size, laid = inputs.shape[1], lay_out(inputs, cases.sample_weight)
        refuse_impossible_truth(cases)
        apart = ((inputs - inputs.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)
        spread = float(np.sqrt(np.average(apart, weights=weights))) or 1.0
        refuse_marks(cases, spread)
        rough = fit_scaling(
            "affine",
            laid,
            cases.codes,
            weights,
            counts=cases.counts,
            offsets=np.zeros(size),
            tolerance=1e-5,
        )
        centre = np.average(inputs, axis=0, weights=weights)
        found = fit_matrix(
            (inputs - centre) / spread,
            cases.codes,
            weights,
            (rough.scales * spread, rough.biases + rough.scales * centre),
            counts=cases.counts,
            spreads=(
                self.options["off_diagonal"] or 1.0 / float(np.sqrt(size)),
                self.options["diagonal"],
                self.options["intercept"],
            ),
            middle=cases.prior_offsets(),
        )
        self.matrix = found.matrix / spread
        self.biases = found.biases - self.matrix @ centre
        self.biases = self.biases - self.biases.mean()
        self.report |= {"objective": found.value, "gradient": found.gradient, "steps": found.steps}

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        return log_softmax(self._inputs(scores) @ self.matrix.T + self.biases)


class Dirichlet(Matrix):
    r"""Dirichlet calibration: a regularised matrix on the log-posteriors.

    The natural extension of `Beta` to many classes: exact when the posteriors of each class
    follow a Dirichlet law. For many cases of few classes. See `Matrix` for the objective.

    .. math:: p \propto e^{W \log q + b}

    Takes log-posteriors or logits (n, K), which are normalised first, or log odds (n,); returns
    posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound, off_diagonal, diagonal, intercept
        See `Matrix`.

    References
    ----------
    .. [1] Kull, Perello-Nieto, Kängsepp, Silva Filho, Song, Flach, *Beyond temperature scaling*,
       NeurIPS 2019.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 3, 300)
    >>> logits = rng.normal(size=(300, 3)) + 2 * np.eye(3)[y]
    >>> cal = Dirichlet().fit(logits, y)
    >>> np.allclose(cal.posteriors(logits), cal.posteriors(logits + 5.0))
    True
    """

    kind = "dirichlet"
    normalised = True
    _level_counts = False


def _refuse_negative(spreads: Mapping[str, float | None]) -> None:
    """Raise unless prior standard deviations are positive, where they are given."""
    for name, spread in spreads.items():
        if spread is not None and not as_number(spread, name) > 0:
            raise DataError(f"`{name}` must be positive; got {spread!r}.")


def _finite_table(scores: Scores) -> FloatArray:
    """Scores (n, K) in float64, which must be finite."""
    scores.need_finite()
    return np.asarray(scores.columns(), dtype=np.float64)


#: Prior standard deviations of a slope of the curve: about 1, and about its neighbour.
_SLOPES = (1.0, 0.3)
#: Log-posteriors below this count as this, such as those of masked classes.
_LEAST = -30.0


class CommonCurve(Calibrator):
    r"""One increasing curve for all classes: softmax(f(a log q)), as `Temperature` but bent.

    For many classes when large posteriors are off in another way than small ones, as with most
    neural networks. Nine parameters whatever the number of classes, so a few hundred cases do;
    the order of the classes of a case never changes, unless the scores order worse than
    chance. Fitted to least cross-entropy, weighted to the target priors.

    .. math:: p_k \propto \frac{P_k}{\hat P_k} e^{f(x_k)}, \qquad
              x = \log\mathrm{softmax}(a \log q)

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.

    Notes
    -----
    a is that of `Temperature`. f is linear between posteriors of 0.0001, 0.001, 0.01, 0.03, 0.1,
    0.3 and 0.7; its eight slopes are at least 0.01 and have normal priors about 1 (standard
    deviation 1) and about each other (0.3). Projected Newton until the gradient of the mean
    objective is at most 1e-8. Classes without cases are allowed. Infinite scores need a `bound`.

    References
    ----------
    .. [1] Rahimi, Shaban, Cheng, Hartley, Boots, *Intra order-preserving functions for calibration
       of multi-class neural networks*, NeurIPS 2020 (the same idea with a neural network as f).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 5, 300)
    >>> logits = rng.normal(size=(300, 5)) + 2 * np.eye(5)[y]
    >>> cal = CommonCurve().fit(logits, y)
    >>> cal.slopes.shape, bool((cal.slopes > 0).all())
    ((8,), True)
    """

    kind = "common-curve"
    _shapes: ClassVar[Shapes] = {"scale": (), "slopes": (len(KNOTS) + 1,), "offsets": ("classes",)}

    def _fit(self, cases: Cases) -> None:
        inputs, weights = _finite_table(cases.scores), cases.prior_weights()
        self.offsets, laid = cases.prior_offsets(), lay_out(inputs, cases.sample_weight)
        refuse_impossible_truth(cases)
        first = fit_scaling(
            "temperature", laid, cases.codes, weights, counts=cases.counts, offsets=self.offsets
        )
        self.scale = float(first.scales[0])
        found = fit_curve(
            log_softmax(self.scale * inputs),
            cases.codes,
            weights,
            offsets=self.offsets,
            spreads=_SLOPES,
        )
        self.slopes = found.parameters
        self.report |= {"objective": found.value, "gradient": found.gradient, "steps": found.steps}

    @property
    def _needs_finite(self) -> bool:
        return self._bound is None

    def _curved(self, scores: Scores) -> FloatArray:
        """Log-posteriors after the curve, under the priors of the data."""
        inputs = log_softmax(self.scale * _finite_table(scores))
        return log_softmax(bent(inputs, self.slopes))

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        return log_softmax(self._curved(scores) + self.offsets)


class StructuredMatrix(CommonCurve):
    r"""A curve for all classes, then a matrix held near the identity: softmax(W f + b).

    For many classes: what all of them share is learnt freely, a scale and a bias of each class
    cautiously, what one class says about another most cautiously. So it needs far fewer cases
    than `Dirichlet`, and with few it is `CommonCurve`. Fitted to least cross-entropy, weighted to
    the target priors, plus the penalties of `Matrix`.

    .. math:: p \propto e^{W f + b}, \qquad f = \log p^{\mathrm{curve}}

    Takes log-posteriors or logits (n, K) or log odds (n,); returns posteriors (n, K).

    Parameters
    ----------
    priors, classes, bound
        See `Calibrator`.
    off_diagonal : float
        Prior standard deviation of an off-diagonal entry, about 0.
    diagonal : float
        Prior standard deviation of a diagonal entry about their mean.
    intercept : float
        Prior standard deviation of a bias, about the log of target over data priors.

    Notes
    -----
    The log-posteriors are on their natural scale after the curve, so the spreads mean the same
    for any classifier; those below -30, as of masked classes, count as -30. Newton with conjugate
    gradients until no entry of the gradient of the mean objective exceeds 1e-5. Infinite scores
    need a `bound`. A class without cases is refused. If the classes can be separated perfectly,
    see the notes of `Matrix`.

    References
    ----------
    .. [1] Berta, Holzmüller, Jordan, Bach, *Structured matrix scaling for multi-class
       calibration*, AISTATS 2026, arXiv:2511.03685 (corrections of a temperature, with penalties
       that grow from biases to off-diagonal entries).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 5, 300)
    >>> logits = rng.normal(size=(300, 5)) + 2 * np.eye(5)[y]
    >>> StructuredMatrix().fit(logits, y).matrix.shape
    (5, 5)
    """

    kind = "structured-matrix"
    _shapes: ClassVar[Shapes] = {
        **CommonCurve._shapes,
        "matrix": ("classes", "classes"),
        "biases": ("classes",),
    }

    def __init__(
        self,
        *,
        priors: Priors | None = None,
        classes: Sequence[Any] | None = None,
        bound: float | str | None = None,
        off_diagonal: float = 0.03,
        diagonal: float = 0.1,
        intercept: float = 0.2,
    ) -> None:
        spreads = {"off_diagonal": off_diagonal, "diagonal": diagonal, "intercept": intercept}
        super().__init__(priors=priors, classes=classes, bound=bound, **spreads)
        _refuse_negative(spreads)

    def _fit(self, cases: Cases) -> None:
        cases.need_all_classes("add cases of that class, drop its column, or use CommonCurve")
        super()._fit(cases)
        found = fit_matrix(
            np.maximum(self._curved(cases.scores), _LEAST),
            cases.codes,
            cases.prior_weights(),
            (np.ones(cases.scores.size), self.offsets),
            counts=cases.counts,
            spreads=tuple(self.options[k] for k in ("off_diagonal", "diagonal", "intercept")),
            middle=self.offsets,
        )
        self.matrix, self.biases = found.matrix, found.biases
        self.report |= {"objective": found.value, "gradient": found.gradient, "steps": found.steps}

    def _log_posteriors(self, scores: Scores) -> FloatArray:
        inputs = np.maximum(self._curved(scores), _LEAST)
        return log_softmax(inputs @ self.matrix.T + self.biases)
