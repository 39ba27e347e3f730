"""Matrix and Dirichlet calibration: every class score may speak for every class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from stakes._kernels.class_scores import lay_out
from stakes._kernels.optimise.affine_fit import fit_scaling
from stakes._kernels.optimise.matrix_fit import fit_matrix
from stakes.calibration.calibrator import Calibrator, softmax_log_posteriors
from stakes.calibration.impossible_cases import refuse_impossible_truth, refuse_marks
from stakes.calibration.labelled_scores import Cases
from stakes.calibration.persistence import Shapes
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
    free: where it would be infinite, because the matrix tells all cases apart, smoothed targets
    are used, as in `Affine`.

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
        super().__init__(
            priors=priors,
            classes=classes,
            bound=bound,
            off_diagonal=off_diagonal,
            diagonal=diagonal,
            intercept=intercept,
        )
        given = [s for s in (off_diagonal, diagonal, intercept) if s is not None]
        if not all(s > 0 for s in given):
            raise DataError(
                "`off_diagonal`, `diagonal` and `intercept` must be positive; "
                f"got {off_diagonal!r}, {diagonal!r} and {intercept!r}."
            )
        self.matrix: FloatArray = np.empty((0, 0))
        self.biases: FloatArray = np.empty(0)

    def _inputs(self, scores: Scores) -> FloatArray:
        """What the matrix multiplies."""
        table = finite_table(scores)
        return softmax_log_posteriors(table) if self.normalised else table

    def _fit(self, cases: Cases) -> None:
        cases.need_all_classes("add cases of that class, drop its column, or use Temperature")
        inputs, weights = self._inputs(cases.scores), cases.prior_weights()
        size, laid = inputs.shape[1], lay_out(inputs, cases.sample_weight)
        refuse_impossible_truth(laid, cases)
        apart = ((inputs - inputs.mean(axis=1, keepdims=True)) ** 2).mean(axis=1)
        spread = float(np.sqrt(np.average(apart, weights=weights))) or 1.0
        refuse_marks(laid, spread, cases)
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
        return softmax_log_posteriors(self._inputs(scores) @ self.matrix.T + self.biases)

    def _parameters(self) -> dict[str, Any]:
        return {"matrix": self.matrix, "biases": self.biases}


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


def finite_table(scores: Scores) -> FloatArray:
    """Scores (n, K) in float64, which must be finite."""
    table = np.asarray(scores.columns(), dtype=np.float64)
    fits = np.isfinite(table)
    if not fits.all():
        rows = scores.given_rows(np.flatnonzero(~fits.all(axis=1)))
        raise DataError(
            f"`scores` must be finite; row {rows[0]} is not ({rows.size} of {len(table)} rows "
            "fail).",
            hint='say how far an infinite score is to be trusted: bound="data", or a number',
            rows=rows[:10].tolist(),
        )
    return table
