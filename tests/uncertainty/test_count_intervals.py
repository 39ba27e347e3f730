from __future__ import annotations

import pytest

from stakes import ConfusionMatrix
from stakes.uncertainty import interval


@pytest.mark.parametrize(
    ("counts", "metric", "value"),
    [([[50, 10], [50, 0]], "f1", 0.0), ([[50, 0], [0, 50]], "mcc", 1.0)],
)
def test_a_number_at_its_bound_lies_in_its_own_interval(
    counts: list[list[int]], metric: str, value: float
) -> None:
    found = interval(ConfusionMatrix(counts), metric, replicates=200, rng=0)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.value in found
    assert found.low < found.high
    assert found.value in found.at(0.8)


def test_a_chosen_method_says_that_its_replicates_are_alike() -> None:
    found = interval(ConfusionMatrix([[50, 0], [0, 50]]), "mcc", method="bca", replicates=50, rng=0)
    assert any("did not occur" in note for note in found.notes)
