from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from stakes._kernels.cell_draws import (
    draw_cells,
    draw_crossed,
    draw_groups,
    posterior_cells,
    replicated_costs,
    replicated_moments,
)

COUNTS = np.array([60, 7, 4, 29])
CLASSES = np.array([0, 0, 1, 1])
COSTS = np.array([[0.0], [1.0], [10.0], [0.0]])


def row_resampled(size: int, priors: np.ndarray | None) -> np.ndarray:
    """The same by drawing rows: what the cells stand for."""
    rng = np.random.default_rng(1)
    rows = np.repeat(np.arange(4), COUNTS)
    found = np.empty(size)
    for b in range(size):
        if priors is None:
            chosen = rng.choice(rows, rows.size)
            found[b] = COSTS[chosen, 0].mean()
        else:
            inside = [rows[CLASSES[rows] == k] for k in (0, 1)]
            parts = [rng.choice(part, part.size) for part in inside]
            found[b] = sum(p * COSTS[part, 0].mean() for p, part in zip(priors, parts, strict=True))
    return found


@pytest.mark.parametrize("priors", [None, np.array([0.9, 0.1])])
def test_cells_have_the_law_of_rows(priors: np.ndarray | None) -> None:
    strata = None if priors is None else CLASSES
    drawn = draw_cells(COUNTS, strata, 20_000, np.random.default_rng(0))
    ours = replicated_costs(drawn, CLASSES, COSTS, priors)[:, 0]
    theirs = row_resampled(4000, priors)
    # costs are lattice values, equal but for rounding: 1e-9 would tell ties apart
    assert ks_2samp(ours.round(9), theirs.round(9)).pvalue > 0.01
    assert ours.std() == pytest.approx(theirs.std(), rel=0.05)


def test_strata_keep_their_totals() -> None:
    drawn = draw_cells(COUNTS, CLASSES, 100, np.random.default_rng(0))
    assert (drawn[:, :2].sum(axis=1) == 67).all()
    assert (drawn[:, 2:].sum(axis=1) == 33).all()


def test_posterior_has_the_moments_of_a_dirichlet() -> None:
    drawn = posterior_cells(COUNTS, None, 200_000, np.random.default_rng(0), prior=0.5) / 100
    alpha = COUNTS + 0.5
    mean = alpha / alpha.sum()
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=1e-3)
    assert drawn.var(axis=0) == pytest.approx(mean * (1 - mean) / (alpha.sum() + 1), rel=0.03)


def test_posterior_without_prior_leaves_empty_cells_empty() -> None:
    drawn = posterior_cells(np.array([5, 0, 3]), None, 50, np.random.default_rng(0), prior=0.0)
    assert (drawn[:, 1] == 0).all()
    assert drawn.sum(axis=1) == pytest.approx(np.full(50, 8.0))


def test_groups_of_one_case_are_the_plain_bootstrap() -> None:
    rows = np.repeat(np.arange(4), COUNTS)
    groups = np.eye(4)[rows]
    ours = draw_groups(groups, 5000, np.random.default_rng(0)) @ COSTS[:, 0] / 100
    plain = draw_cells(COUNTS, None, 5000, np.random.default_rng(2)) @ COSTS[:, 0] / 100
    assert ks_2samp(ours.round(9), plain.round(9)).pvalue > 0.01


def test_crossed_weights_are_products() -> None:
    keys = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    drawn = draw_crossed(keys, np.eye(4), 500, np.random.default_rng(0))
    assert drawn[:, 0] * drawn[:, 3] == pytest.approx(drawn[:, 1] * drawn[:, 2])
    assert set(np.unique(drawn)) <= {0.0, 1.0, 2.0, 4.0}


def test_absent_class_makes_a_replicate_undefined() -> None:
    drawn = np.array([[3, 0, 0, 0]])
    assert np.isnan(replicated_costs(drawn, CLASSES, COSTS, np.array([0.5, 0.5]))).all()


def test_moments_against_the_textbook_variance() -> None:
    value, variance = replicated_moments(COUNTS[None], CLASSES, COSTS[:, 0] / 2, 2)
    r0, r1 = 7 / 67, 4 / 33
    assert value[0] == pytest.approx(r0 / 2 + 10 * r1 / 2)
    assert variance[0] == pytest.approx(0.25 * r0 * (1 - r0) / 67 + 25 * r1 * (1 - r1) / 33)
