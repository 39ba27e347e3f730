"""Scores drawn with ties, weights and infinities, and every threshold tried one by one."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from hypothesis import strategies as st

levels = st.sampled_from([-np.inf, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, np.inf])
finite = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0])
case = st.tuples(st.integers(0, 1), levels, st.sampled_from([0.5, 1.0, 2.0, 3.0]))
finite_case = st.tuples(st.integers(0, 1), finite, st.sampled_from([0.5, 1.0, 2.0, 3.0]))


def _both(rows):
    return len({label for label, _, _ in rows}) == 2


def _columns(rows):
    y, s, w = zip(*rows, strict=True)
    return np.array(y), np.array(s), np.array(w)


samples = st.lists(case, min_size=2, max_size=14).filter(_both).map(_columns)
finite_samples = st.lists(finite_case, min_size=2, max_size=14).filter(_both).map(_columns)


def cuts(scores):
    """Which cases are acted on, for every way to part the distinct scores in two."""
    distinct = np.unique(scores)
    return [np.isin(scores, distinct[k:]) for k in range(distinct.size + 1)]


def rates(y, acted, weights):
    """False positive and false negative rate."""
    negative, positive = y == 0, y == 1
    return (
        weights[negative & acted].sum() / weights[negative].sum(),
        weights[positive & ~acted].sum() / weights[positive].sum(),
    )


def all_rates(y, scores, weights):
    """Rates for every cut, from acting on all to acting on none."""
    return np.array([rates(y, acted, weights) for acted in cuts(scores)])


def least_cost(y, scores, weights, costs, priors):
    """The least cost over all monotone ways to decide, in any order of the decisions."""
    distinct = np.unique(scores)
    n_decisions = costs.shape[1]
    shares = [
        np.array([weights[(y == k) & (scores == v)].sum() for v in distinct])
        / weights[y == k].sum()
        for k in (0, 1)
    ]
    best = np.inf
    order = np.argsort(costs[1] - costs[0], kind="stable")[::-1]  # costly for class 2 first
    for bounds in combinations(range(distinct.size + n_decisions - 1), n_decisions - 1):
        places = [b - i for i, b in enumerate(bounds)]
        edges = [0, *places, distinct.size]
        total = 0.0
        for j, (start, stop) in enumerate(pairwise(edges)):
            for k in (0, 1):
                total += priors[k] * shares[k][start:stop].sum() * costs[k, order[j]]
        best = min(best, total)
    return best
