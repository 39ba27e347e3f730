"""Deciding without probabilities for the costs: the least regret in the worst case."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._checks import refuse_bad_posteriors
from stakes._kernels.array_sizes import blocks
from stakes._kernels.bayes_rule import code_type
from stakes.application import UncertainApplication
from stakes.exceptions import CostError
from stakes.posteriors.class_order import asked_order
from stakes.posteriors.posteriors import posterior_array
from stakes.typing import FloatArray


def minimax_regret_decisions(
    posteriors: Any,
    application: UncertainApplication,
    *,
    classes: Any = None,
    positive: Any = None,
    with_regret: bool = False,
) -> NDArray[Any] | tuple[NDArray[Any], FloatArray]:
    r"""For each case the decision whose expected cost can be least far from the best.

    For costs of which only ranges are known, when no distribution over them is wanted. With
    a distribution, `stakes.bayes_decisions` on `application.expected` is cheaper on average.

    .. math:: \arg\min_j \max_C \Big[\sum_i q_i C_{ij} - \min_k \sum_i q_i C_{ik}\Big]

    Parameters
    ----------
    posteriors : array-like of shape (n_cases, n_classes), or (n_cases,) for two classes
        As in `stakes.bayes_decisions`; they must already hold for the place of use.
    application : UncertainApplication
        Its costs at their ends; its priors do not enter.
    classes, positive : optional
        The order of the columns, as in `stakes.bayes_decisions`.
    with_regret : bool
        Return the worst regret of each case too.

    Returns
    -------
    array of shape (n_cases,), or two of them
        Positions of the decisions (ties: the earlier), and regrets in the unit of the costs.

    Notes
    -----
    The regret is convex in the costs, so its worst case over a box or a set of draws is at a
    corner: the result is exact, in time proportional to the number of corners.

    References
    ----------
    .. [1] L. J. Savage, "The theory of statistical decision", JASA 46, 1951.

    Examples
    --------
    >>> from stakes.application import Between
    >>> app = UncertainApplication([[0, 1], [Between(2, 10), 0]])
    >>> minimax_regret_decisions([0.05, 0.2, 0.5], app, with_regret=True)
    (array([0, 1, 1], dtype=int8), array([0. , 0.4, 0. ]))
    """
    if not isinstance(application, UncertainApplication):
        raise CostError(
            f"`application` must be an UncertainApplication; got {type(application).__name__}.",
            hint="with known costs there is nothing to hedge: stakes.bayes_decisions",
        )
    array = posterior_array(posteriors, application.classes, asked_order(classes, positive))
    refuse_bad_posteriors(array)
    array = array.astype(np.float64, copy=False)
    if array.ndim == 1:
        array = np.column_stack([1 - array, array])
    corners = np.unique(application.corners().costs, axis=0)
    codes = np.empty(array.shape[0], dtype=code_type(corners.shape[2]))
    regrets = np.empty(array.shape[0])
    size = max(1, (1 << 20) // (corners.shape[0] * corners.shape[2]))
    for rows in blocks(array.shape[0], size):
        risks = np.einsum("nk,ckm->ncm", array[rows], corners)
        worst = (risks - risks.min(axis=2, keepdims=True)).max(axis=1)
        codes[rows] = worst.argmin(axis=1)
        regrets[rows] = worst.min(axis=1)
    return (codes, regrets) if with_regret else codes
