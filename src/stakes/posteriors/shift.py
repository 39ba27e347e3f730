"""Moving posteriors to the class priors of another place."""

from __future__ import annotations

from typing import Any

from stakes.posteriors.posteriors import Posteriors
from stakes.typing import FloatArray, Priors


def shift_priors(posteriors: Any, priors: Priors, *, old: Priors) -> FloatArray:
    r"""Posteriors under other class priors.

    Exact when only the shares of the classes differ between the two places and the cases within
    a class look alike ("label shift"). Use it when the prevalence in use is known; to learn it
    from unlabelled cases see `estimate_priors`.

    .. math:: p'_k \propto \frac{P'_k}{P_k}\, p_k

    Parameters
    ----------
    posteriors : Posteriors or array-like of shape (n_cases, n_classes) or (n_cases,)
        Probabilities under the old priors.
    priors : sequence or mapping of float
        Class priors of the new place.
    old : sequence or mapping of float
        Class priors for which the posteriors were made; positive.

    Returns
    -------
    ndarray of shape (n_cases, n_classes)
        Probabilities under the new priors.

    References
    ----------
    .. [1] Saerens, Latinne, Decaestecker, *Adjusting the outputs of a classifier to new a priori
       probabilities: a simple procedure*, Neural Computation 14 (2002), **eq. 2.4**.

    Examples
    --------
    >>> shift_priors([0.5], [0.9, 0.1], old=[0.5, 0.5]).round(3).tolist()
    [[0.9, 0.1]]
    """
    read = posteriors if isinstance(posteriors, Posteriors) else Posteriors(posteriors)
    return read.with_priors(priors, old=old).values
