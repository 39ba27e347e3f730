"""Likelihood ratios of equal shares, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes._kernels.score_test_limits import chance_of, equal_shares

TABLE = st.lists(st.integers(1, 80), min_size=6, max_size=6)


@given(TABLE)
def test_equal_shares_against_scipy(counts):
    from scipy.stats import chi2_contingency

    table = np.array(counts, float).reshape(2, 3)
    wanted = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    statistic, freedom = equal_shares(table[:1][None], table[1:][None])
    assert statistic[0] == pytest.approx(wanted.statistic, abs=1e-9)
    assert freedom[0] == wanted.dof
    assert chance_of(statistic, freedom)[0] == pytest.approx(wanted.pvalue, abs=1e-12)


def test_strata_add_up_and_empty_ones_tell_nothing():
    first = np.array([[[8.0, 2], [0, 0], [5, 5]]])
    second = np.array([[[5.0, 5], [3, 3], [0, 0]]])
    statistic, freedom = equal_shares(first, second)
    alone, _ = equal_shares(first[:, :1], second[:, :1])
    assert statistic[0] == pytest.approx(alone[0])
    assert freedom[0] == 1


def test_cells_that_never_occur_do_not_count():
    _, freedom = equal_shares(np.array([[[8.0, 2, 0]]]), np.array([[[5.0, 5, 0]]]))
    assert freedom[0] == 1


def test_no_degrees_of_freedom_is_no_evidence():
    assert chance_of(np.array([0.0]), np.array([0.0]))[0] == 1
