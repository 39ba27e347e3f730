"""Weighted accuracy averaged over a weight of which a range or a distribution is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from stakes.application.unknown_shares import BetaShare
from stakes.application.unknowns import Alternatives, Between, LogUniform, Samples
from stakes.exceptions import CostError
from stakes.metrics.binary_cells import BinaryCells, binary_cells
from stakes.metrics.weighted_accuracy import expected_weighted_accuracy, weighted_accuracy
from stakes.summaries import ConfusionMatrix
from stakes.typing import Name

__all__ = ["mean_weighted_accuracy"]

#: Below this the denominator varies so little that 24 nodes integrate to the last digit.
NEARLY_CONSTANT = 0.5
NODES = 24


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
    whole = w * cells.positives + (1 - w) * cells.negatives
    with np.errstate(invalid="ignore", divide="ignore"):
        return (w * cells.tp + (1 - w) * cells.tn) / whole


def _over_range(cells: BinaryCells, low: float, high: float, *, logarithmic: bool) -> float:
    """The mean over a range, uniform in the weight or in its logarithm.

    With the denominator c + d w, c = N and d = P - N, the mean of 1 / (c + d w) and of
    w / (c + d w) are logarithms of its values at both ends.
    """
    c, d, width = cells.negatives, cells.positives - cells.negatives, high - low
    start = c + d * low
    x = d * width / start
    if abs(x) < NEARLY_CONSTANT:
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
    nodes, shares = np.polynomial.legendre.leggauss(NODES)
    if not logarithmic:
        return float(shares @ _at(cells, (low + high) / 2 + (high - low) / 2 * nodes) / 2)
    middle, half = math.log(low * high) / 2, math.log(high / low) / 2
    pieces = max(1, math.ceil(half / 2))  # a wide range in short pieces
    edges = np.linspace(middle - half, middle + half, pieces + 1)
    centres, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    values = _at(cells, np.exp(centres[:, None] + widths[:, None] * nodes))
    return float((values @ shares).mean() / 2)
