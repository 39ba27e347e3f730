from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp, poisson

from stakes._kernels.fast_loops import poisson_loop
from stakes._kernels.run_bootstrap import _poisson_counts, _rate_of


@pytest.mark.parametrize("cases", [0, 1, 9, 60, 127])
def test_table_holds_the_poisson_law(cases: int) -> None:
    rate = _rate_of(0.9)
    shares, aliases = rate.shares[cases], rate.aliases[cases]
    law = shares / 256
    np.add.at(law, aliases, (1 - shares) / 256)
    np.testing.assert_allclose(law, poisson.pmf(np.arange(256), 0.9 * cases), atol=1e-13)


@pytest.mark.parametrize("cases", [0, 3, 127, 128, 700, 40_000])
def test_counts_have_the_law_of_numpy(cases: int) -> None:
    rng = np.random.default_rng(cases)
    ours = np.empty(20_000, dtype=np.int64)
    _poisson_counts(np.full(20_000, cases), 0.95, rng, ours, fast=False)
    assert ks_2samp(ours, rng.poisson(0.95 * cases, 20_000)).pvalue > 0.001
    assert ours.mean() == pytest.approx(0.95 * cases, abs=4.5 * np.sqrt(cases / 20_000))
    assert ours.var() == pytest.approx(0.95 * cases, rel=0.06)


def test_the_loop_repeats_the_arrays() -> None:
    cells = np.random.default_rng(0).integers(0, 600, 3000)
    expected, out = np.empty((2, 3000), dtype=np.int64)
    _poisson_counts(cells, 0.97, np.random.default_rng(1), expected, fast=False)
    rng, rate = np.random.default_rng(1), _rate_of(0.97)
    poisson_loop(cells, rate.shares, rate.aliases, rng.random(3000), out)
    small = cells < 128
    assert 0 < np.count_nonzero(small) < 3000
    np.testing.assert_array_equal(out[small], expected[small])
