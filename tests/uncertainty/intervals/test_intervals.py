from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from stakes.exceptions import DataError
from stakes.uncertainty import rate_interval


class TestRateInterval:
    @pytest.mark.parametrize(("hits", "cases"), [(0, 12), (5, 12), (12, 12), (81, 263)])
    @pytest.mark.parametrize(
        ("ours", "theirs"), [("wilson", "wilson"), ("clopper_pearson", "exact")]
    )
    def test_against_scipy(self, hits: int, cases: int, ours: str, theirs: str) -> None:
        expected = binomtest(hits, cases).proportion_ci(method=theirs)
        found = rate_interval(hits, cases, method=ours)
        assert found.limits == pytest.approx((expected.low, expected.high), abs=1e-9)

    def test_jeffreys_is_the_beta_posterior_opened_at_the_ends(self) -> None:
        found = rate_interval(3, 20, method="jeffreys")
        assert found.limits == pytest.approx(tuple(beta.ppf([0.025, 0.975], 3.5, 17.5)))
        assert rate_interval(0, 20, method="jeffreys").low == 0.0
        assert rate_interval(20, 20, method="jeffreys").high == 1.0

    def test_coverage_of_wilson_on_average_over_rates(self) -> None:
        from scipy.stats import binom

        ends = np.array([rate_interval(k, 25).limits for k in range(26)])
        shares = []
        for p in np.linspace(0.05, 0.95, 91):
            inside = (ends[:, 0] <= p) & (p <= ends[:, 1])
            shares.append(binom.pmf(np.arange(26), 25, p)[inside].sum())
        assert 0.945 < np.mean(shares) < 0.965

    def test_impossible_counts_are_refused(self) -> None:
        with pytest.raises(DataError, match="hits"):
            rate_interval(5, 3)
        with pytest.raises(DataError, match="method"):
            rate_interval(1, 3, method="wald")


class TestInterval:
    def test_frame_and_text(self) -> None:
        found = rate_interval(3, 10)
        assert found.frame().rows()[0]["metric"] == "rate"
        assert str(found) == "0.3 (0.1078 to 0.6032)"
        assert 0.3 in found
        assert 0.9 not in found
        assert repr(found) == "<Interval of rate: 0.3 (0.1078 to 0.6032), 0.95 by wilson>"
