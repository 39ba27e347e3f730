from __future__ import annotations

from typing import Any

import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.uncertainty import interval


@pytest.mark.parametrize(
    ("counts", "metric", "value"),
    [([[50, 10], [50, 0]], "f1", 0.0), ([[50, 0], [0, 50]], "mcc", 1.0)],
)
def test_a_number_at_its_bound_lies_in_its_own_interval(
    counts: list[list[int]], metric: str, value: float
) -> None:
    found = interval(ConfusionMatrix(counts), metric, draws=200, rng=0)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.value in found
    assert found.low < found.high
    assert found.value in found.at(0.8)


def test_a_chosen_method_says_that_its_replicates_are_alike() -> None:
    found = interval(ConfusionMatrix([[50, 0], [0, 50]]), "mcc", method="bca", draws=50, rng=0)
    assert any("did not occur" in note for note in found.notes)


class TestAgainstDistributions:
    """Of 100 cases 20 are wrong, decisions cost 1 where wrong: cost and accuracy count cases."""

    counts = ConfusionMatrix([[45, 15], [5, 35]])
    often: dict[str, Any] = {"draws": 40_000, "rng": 0}
    ends = (0.05, 0.95)

    @property
    def costs(self) -> dict[str, Any]:
        return {"application": CostMatrix.zero_one(2), "level": 0.9, **self.often}

    def test_percentiles_are_those_of_the_binomial(self) -> None:
        from scipy.stats import binom

        low, high = binom.ppf(self.ends, 100, 0.2) / 100
        found = interval(self.counts, "expected_cost", method="percentile", **self.costs)
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
        found = interval(self.counts, "accuracy", method="percentile", level=0.9, **self.often)
        assert (found.low, found.high) == pytest.approx((1 - high, 1 - low), abs=1e-9)

    def test_the_posterior_has_one_more_case_in_all(self) -> None:
        """A quarter of a case in each of four cells: a beta distribution with halves."""
        from scipy.stats import beta

        low, high = beta.ppf(self.ends, 20.5, 80.5)
        found = interval(self.counts, "expected_cost", method="posterior", **self.costs)
        assert (found.low, found.high) == pytest.approx((low, high), abs=0.001)
        found = interval(self.counts, "accuracy", method="posterior", level=0.9, **self.often)
        assert (found.low, found.high) == pytest.approx((1 - high, 1 - low), abs=0.001)

    def test_so_where_nothing_went_wrong(self) -> None:
        """Errors are where the cases that were not seen count most."""
        from scipy.stats import beta

        right = ConfusionMatrix([[6, 0], [0, 4]])
        bound = beta.ppf(0.95, 0.5, 10.5)  # 0.17, 0.24 for twice the mass, 0.10 for half of it
        found = interval(right, "expected_cost", method="posterior", min_cases=0, **self.costs)
        assert found.high == pytest.approx(bound, abs=0.005)
        found = interval(
            right, "accuracy", method="posterior", level=0.9, min_cases=0, **self.often
        )
        assert found.low == pytest.approx(1 - bound, abs=0.005)
        assert found.high == 1

    def test_a_prior_for_each_class_where_shares_are_given(self) -> None:
        """One more case in each class: with all weight on the first, 15 of 60 and halves."""
        from scipy.stats import beta

        low, high = beta.ppf(self.ends, 15.5, 45.5)
        app = Application([[0, 1], [0, 0]], priors=[0.5, 0.5])
        found = interval(
            self.counts, "expected_cost", application=app, method="posterior", level=0.9,
            **self.often,
        )  # fmt: skip
        assert (found.low, found.high) == pytest.approx((low / 2, high / 2), abs=0.001)
