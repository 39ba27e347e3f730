from __future__ import annotations

import io

import numpy as np
import pytest

from stakes.exceptions import DataError
from stakes.uncertainty.intervals.interval import BLOCK, Replicates, _Bar


def uniform(size: int, generator: np.random.Generator) -> np.ndarray:
    return generator.random(size)


class TestReplicates:
    @pytest.mark.parametrize("size", [0, -1, 2.5, True, "many"])
    def test_sizes_that_are_none_are_refused(self, size: object) -> None:
        with pytest.raises(DataError, match="positive whole number"):
            Replicates.drawn(uniform, size, 0)  # type: ignore[arg-type]
        with pytest.raises(DataError, match="positive whole number"):
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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class TestBar:
    def test_shown_on_a_terminal_once_patience_is_over_and_then_cleared(self) -> None:
        stream = Terminal()
        bar = _Bar(100, stream, patience=0.0)
        bar.show(50)
        assert "50 of 100 replicates" in stream.getvalue()
        bar.close()
        assert stream.getvalue().endswith("\r")

    @pytest.mark.parametrize(("stream", "patience"), [(io.StringIO(), 0.0), (Terminal(), 1e9)])
    def test_silent_in_files_and_when_quick(self, stream: io.StringIO, patience: float) -> None:
        bar = _Bar(100, stream, patience=patience)
        bar.show(50)
        bar.close()
        assert stream.getvalue() == ""
