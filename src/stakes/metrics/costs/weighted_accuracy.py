"""Weighted accuracy and its relatives, for one weight or averaged over what is known of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes._checks import as_number
from stakes._columns import as_reals
from stakes._kernels import two_class_metrics as kernels
from stakes._kernels.two_class_metrics import mean_reciprocal
from stakes.application.unknowns import Alternatives, BetaShare, Between, LogUniform, Samples
from stakes.exceptions import CostError
from stakes.metrics.counts.table_cells import (
    BinaryCells,
    binary_cells,
    error_costs,
    of_two_classes,
)
from stakes.metrics.summary_input import of_decisions
from stakes.summaries import ConfusionMatrix
from stakes.typing import Name


def cost_weight(application: Any, *, positive: Name | None = None) -> float:
    """Weight of the positive class that belongs to the costs, C_FN / (C_FN + C_FP).

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 4-5.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> cost_weight(CostMatrix.binary(false_positive=1, false_negative=9))
    0.9
    """
    fp, fn = error_costs(application, positive)
    return fn / (fn + fp)


@of_decisions
def weighted_accuracy(
    matrix: ConfusionMatrix, weight: float, *, positive: Name | None = None
) -> float:
    r"""Accuracy in which a positive counts `weight` and a negative 1 - `weight`.

    Ranks systems on the same data as their total cost does, when `weight` is the
    `cost_weight` of the application; higher is better, between 0 and 1. `nan` when no
    case has a positive weight.

    .. math:: \frac{w\,TP + (1 - w)\,TN}{w\,P + (1 - w)\,N}

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 3.

    Examples
    --------
    >>> round(weighted_accuracy(ConfusionMatrix([[50, 30], [5, 15]]), 0.9), 4)
    0.7115
    """
    weight = as_number(weight, "weight", CostError)
    if not 0 <= weight <= 1:
        raise CostError(f"`weight` must lie between 0 and 1; got {weight!r}.")
    return of_two_classes(kernels.weighted_accuracy, matrix, positive, weight=weight)


@of_decisions
def expected_weighted_accuracy(
    matrix: ConfusionMatrix, *, alpha: float, beta: float, positive: Name | None = None
) -> float:
    r"""Weighted accuracy averaged over an uncertain weight, w ~ Beta(alpha, beta).

    For a cost ratio that is only known roughly; higher is better. The integral is exact (a
    continued fraction of Gauss), also for extreme Betas where quadrature loses most of the
    mass. `nan` when there are no cases.

    .. math:: \int_0^1 WA(w)\, u(w)\, dw

    Parameters
    ----------
    matrix : ConfusionMatrix
        Two classes, two decisions.
    alpha, beta : float
        Parameters of the Beta distribution of the *positive* class's weight; swap them for
        a distribution over c = 1 - w.
    positive : name, optional
        The positive class; the second one if absent.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 7.

    Examples
    --------
    >>> cm = ConfusionMatrix([[50, 30], [5, 15]])
    >>> round(expected_weighted_accuracy(cm, alpha=9, beta=1), 4)
    0.7162
    """
    alpha, beta = require_beta(alpha, beta)
    cells = binary_cells(matrix, positive)
    if cells.positives + cells.negatives == 0:
        return math.nan
    if cells.negatives == 0:
        return cells.tp / cells.positives
    if cells.positives == 0:
        return cells.tn / cells.negatives
    # the mean of w f(w) under Beta(alpha, beta) is alpha / (alpha + beta) times the mean of f under
    # Beta(alpha + 1, beta); with w and 1 - w apart both terms are positive and nothing cancels
    x, share = 1 - cells.positives / cells.negatives, alpha / (alpha + beta)
    hits = share * mean_reciprocal(alpha + 1, beta, x) * cells.tp / cells.negatives
    return hits + (1 - share) * mean_reciprocal(alpha, beta + 1, x) * cells.tn / cells.negatives


def require_beta(alpha: Any, beta: Any) -> tuple[float, float]:
    """The two numbers, if there is such a Beta distribution."""
    alpha, beta = as_number(alpha, "alpha", CostError), as_number(beta, "beta", CostError)
    if not (math.isfinite(alpha) and math.isfinite(beta) and alpha > 0 and beta > 0):
        raise CostError(f"`alpha` and `beta` must be positive; got {alpha!r} and {beta!r}.")
    return alpha, beta


#: Below this the denominator varies so little that 24 nodes integrate to the last digit.
_NEARLY_CONSTANT = 0.5
_NODES = 24


@of_decisions
def mean_weighted_accuracy(
    matrix: ConfusionMatrix, weight: Any, *, positive: Name | None = None
) -> float:
    r"""Weighted accuracy averaged over everything that the weight may be.

    `expected_weighted_accuracy` for any kind of doubt: an elicited range, a few alternatives,
    a Beta distribution, draws. Higher is better. `nan` when there are no cases.

    .. math:: \int WA(w)\, u(w)\, dw

    Parameters
    ----------
    matrix : ConfusionMatrix
        Two classes, two decisions.
    weight : Between, LogUniform, BetaShare, Alternatives or Samples
        The weight of the positive class, C_FN / (C_FN + C_FP), between 0 and 1.
    positive : name, optional
        The positive class; the second one if absent.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    All integrals are exact: a closed form for ranges, Gauss's continued fraction for Betas.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eq 7 and section 3.2.

    Examples
    --------
    >>> cm = ConfusionMatrix([[50, 30], [5, 15]])
    >>> round(mean_weighted_accuracy(cm, Between(0.919, 0.927)), 4)
    0.7187
    >>> round(weighted_accuracy(cm, 0.923), 4)
    0.7187
    """
    if isinstance(weight, BetaShare):
        return expected_weighted_accuracy(
            matrix, alpha=weight.alpha, beta=weight.beta, positive=positive
        )
    if not isinstance(weight, (Alternatives, Between, LogUniform, Samples)):
        raise CostError(
            f"`weight` must be a range, alternatives, a BetaShare or samples; got {weight!r}.",
            hint="Between(0.8, 0.9); for one number use weighted_accuracy",
        )
    if weight.low < 0 or weight.high > 1:
        raise CostError(f"`weight` must lie between 0 and 1; got {weight!r}.")
    if isinstance(weight, Alternatives):
        pairs = zip(weight.values, weight.probabilities or (), strict=True)
        return math.fsum(p * weighted_accuracy(matrix, w, positive=positive) for w, p in pairs)
    cells = binary_cells(matrix, positive)
    if isinstance(weight, Samples):
        return float(np.mean(_at(cells, np.asarray(weight.values))))
    if weight.low == weight.high or cells.positives == 0 or cells.negatives == 0:
        return weighted_accuracy(matrix, (weight.low + weight.high) / 2, positive=positive)
    return _over_range(cells, weight.low, weight.high, logarithmic=weight.low > 0)


def _at(cells: BinaryCells, w: Any) -> Any:
    """Weighted accuracy at each of several weights."""
    return kernels.weighted_accuracy(*np.array(cells), weight=w)


def _over_range(cells: BinaryCells, low: float, high: float, *, logarithmic: bool) -> float:
    """The mean over a range, uniform in the weight or in its logarithm.

    With the denominator c + d w, c = N and d = P - N, the mean of 1 / (c + d w) and of
    w / (c + d w) are logarithms of its values at both ends.
    """
    c, d, width = cells.negatives, cells.positives - cells.negatives, high - low
    start = c + d * low
    x = d * width / start
    if abs(x) < _NEARLY_CONSTANT:
        return _by_nodes(cells, low, high, logarithmic=logarithmic)
    spread = math.log1p(x)  # log of the ratio of the denominators
    if logarithmic:
        factor = math.log(high / low)
        with_w = spread / (d * factor)
        alone = (factor - spread) / (c * factor)
    else:
        alone = spread / (d * width)
        with_w = (1 - c * alone) / d
    return cells.tp * with_w + cells.tn * (alone - with_w)


def _by_nodes(cells: BinaryCells, low: float, high: float, *, logarithmic: bool) -> float:
    """The same by Gauss-Legendre nodes, for a denominator that hardly varies."""
    nodes, shares = np.polynomial.legendre.leggauss(_NODES)
    if not logarithmic:
        return float(shares @ _at(cells, (low + high) / 2 + (high - low) / 2 * nodes) / 2)
    middle, half = math.log(low * high) / 2, math.log(high / low) / 2
    pieces = max(1, math.ceil(half / 2))  # a wide range in short pieces
    edges = np.linspace(middle - half, middle + half, pieces + 1)
    centres, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    values = _at(cells, np.exp(centres[:, None] + widths[:, None] * nodes))
    return float((values @ shares).mean() / 2)


@of_decisions
def beta_averaged_accuracy(
    matrix: Any, *, alpha: float = 2.0, beta: float = 2.0, positive: Name | None = None
) -> float:
    r"""One minus the averaged cost over the averaged worst cost, with c ~ Beta; higher is better.

    `wa2025` calls it H, but it is not Hand's H-measure: no threshold is chosen. As both
    averages are linear in c = C_FP / (C_FP + C_FN), it is exactly the weighted accuracy at
    w = 1 - E[c], so with alpha = beta it is the accuracy.

    .. math:: 1 - \frac{\int u(c)\, TCC(c)\, dc}{\int u(c)\, TCC_{max}(c)\, dc}

    Parameters
    ----------
    matrix, positive
        See :ref:`common-parameters`.
    alpha, beta : float
        Of the Beta distribution u of c; positive. Only their ratio matters.

    Returns
    -------
    float
        Between 0 and 1; `nan` without cases.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2 (H).

    Examples
    --------
    >>> beta_averaged_accuracy([[90, 5], [1, 4]])
    0.94
    """
    alpha, beta = require_beta(alpha, beta)
    return weighted_accuracy(matrix, beta / (alpha + beta), positive=positive)


def matched_beta(shares: Any) -> tuple[float, float]:
    r"""Beta distribution with the mean and variance of per-case cost shares.

    .. math:: \alpha = \frac{\bar c^2 (1 - \bar c)}{s^2} - \bar c, \quad
       \beta = \alpha \frac{1 - \bar c}{\bar c}

    Parameters
    ----------
    shares : column of float
        c = C_FP / (C_FP + C_FN) of each case, between 0 and 1.

    Returns
    -------
    tuple of two floats
        alpha and beta, each kept within [0.001, 1000] as the paper does; equal shares give
        the narrowest Beta with that mean, one of the two being 1000.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, footnote 4.

    Examples
    --------
    >>> alpha, beta = matched_beta([0.2, 0.4])
    >>> round(alpha, 4), round(beta, 4)
    (6.0, 14.0)
    """
    values = as_reals(shares, "shares", CostError)
    if values.size == 0 or not ((values >= 0) & (values <= 1)).all():
        raise CostError("`shares` must be numbers between 0 and 1, at least one.")
    mean, variance = float(values.mean()), float(values.var())
    if not 0 < mean < 1:
        raise CostError(f"`shares` must not all be 0 or all be 1; their mean is {mean:g}.")
    if variance == 0:
        top = 1e3 / max(mean, 1 - mean)
        return max(top * mean, 1e-3), max(top * (1 - mean), 1e-3)
    alpha = mean**2 * (1 - mean) / variance - mean
    beta = alpha * (1 - mean) / mean
    return min(max(alpha, 1e-3), 1e3), min(max(beta, 1e-3), 1e3)


@of_decisions
def matched_beta_accuracy(matrix: Any, shares: Any, *, positive: Name | None = None) -> float:
    """`beta_averaged_accuracy` with the Beta matched to per-case costs; higher is better.

    The "H informed" of `wa2025`. Equal to the weighted accuracy at w = 1 - E[c] of that
    Beta, which is one minus the mean share unless `matched_beta` met its limits.

    Parameters
    ----------
    matrix, positive
        See :ref:`common-parameters`.
    shares : column of float
        c = C_FP / (C_FP + C_FN) of each case.

    Returns
    -------
    float
        Between 0 and 1; `nan` without cases.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, Table 2 (H informed).

    Examples
    --------
    >>> round(matched_beta_accuracy([[50, 30], [5, 15]], [0.05, 0.15]), 4)
    0.7115
    """
    alpha, beta = matched_beta(shares)
    return beta_averaged_accuracy(matrix, alpha=alpha, beta=beta, positive=positive)
