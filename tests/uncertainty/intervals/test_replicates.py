from __future__ import annotations

import numpy as np
import pytest

from stakes.exceptions import DataError
from stakes.uncertainty.intervals.interval import BLOCK, Replicates


def uniform(size: int, generator: np.random.Generator) -> np.ndarray:
    return generator.random(size)


class TestReplicates:
    @pytest.mark.parametrize("size", [0, -1, 2.5, True, "many"])
    def test_sizes_that_are_none_are_refused(self, size: object) -> None:
        with pytest.raises(DataError, match="must be a whole number, at least 1"):
            Replicates.drawn(uniform, size, 0)  # type: ignore[arg-type]
        with pytest.raises(DataError, match="must be a whole number, at least 1"):
            Replicates.drawn(uniform, 10, 0).more(size)  # type: ignore[arg-type]

    @pytest.mark.parametrize("rng", ["a", -1, 1.5])
    def test_seeds_that_are_none_are_refused(self, rng: object) -> None:
        with pytest.raises(DataError, match="`rng` must be None, a whole number"):
            Replicates.drawn(uniform, 10, rng)  # type: ignore[arg-type]

    @pytest.mark.parametrize("steps", [(10, 20), (BLOCK, BLOCK + 1), (BLOCK - 1, 3 * BLOCK + 7)])
    def test_growing_continues_the_same_sequence(self, steps: tuple[int, int]) -> None:
        small, large = steps
        grown = Replicates.drawn(uniform, small, 0).grown(large)
        assert np.array_equal(grown.values, Replicates.drawn(uniform, large, 0).values)

    def test_blocks_are_independent(self) -> None:
        values = Replicates.drawn(uniform, 4 * BLOCK, 0).values.reshape(4, BLOCK)
        correlations = np.corrcoef(values) - np.eye(4)
        assert np.abs(correlations).max() < 5 / np.sqrt(BLOCK)
        assert np.unique(values).size == 4 * BLOCK

    def test_generator_objects_move_on(self) -> None:
        rng = np.random.default_rng(0)
        first, second = (Replicates.drawn(uniform, 5, rng).values for _ in range(2))
        assert not np.array_equal(first, second)

    def test_no_replicates_are_refused(self) -> None:
        with pytest.raises(DataError, match="draws"):
            Replicates.drawn(uniform, 0, 0)
