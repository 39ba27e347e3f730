from __future__ import annotations

import numpy as np
import pytest

from stakes import ConfusionMatrix, GroupedCounts, PairedCounts
from stakes.exceptions import DataError, MergeError

Y, D, G = [0, 0, 1, 1, 1], [0, 1, 1, 0, 1], ["p", "p", "q", "r", "r"]


class TestGroupedCounts:
    def test_groups_add_up_to_the_whole(self) -> None:
        gc = GroupedCounts.from_decisions(Y, D, groups=G)
        assert gc.confusion() == ConfusionMatrix.from_decisions(Y, D)
        assert gc.frame().rows() == [
            {"group": "p", "cases": 2},
            {"group": "q", "cases": 1},
            {"group": "r", "cases": 2},
        ]

    def test_merging_joins_groups_of_the_same_name(self) -> None:
        parts = [
            GroupedCounts.from_decisions(Y[s], D[s], groups=G[s], classes=[0, 1])
            for s in (slice(0, 4), slice(4, 5))
        ]
        merged = sum(parts)
        whole = GroupedCounts.from_decisions(Y, D, groups=G)
        assert merged.n_groups == whole.n_groups == (3,)
        assert merged.joint == whole.joint
        assert np.array_equal(merged.counts, whole.counts)

    def test_two_sides(self) -> None:
        gc = GroupedCounts.from_decisions(Y, D, groups=(G, ["a", "b", "a", "a", "b"]))
        assert gc.n_groups == (3, 2)
        assert gc.counts.sum() == 5

    def test_several_systems(self) -> None:
        gc = GroupedCounts.from_decisions(Y, {"m": D, "n": Y}, groups=G)
        assert gc.joint == PairedCounts.from_decisions(Y, {"m": D, "n": Y})
        with pytest.raises(DataError, match="'m', 'n'"):
            gc.confusion()

    def test_one_system_is_counted_as_if_alone(self) -> None:
        gc = GroupedCounts.from_decisions(Y, {"m": D, "n": Y}, groups=G)
        alone = GroupedCounts.from_decisions(Y, {"m": D}, groups=G)
        assert gc.of_one("m").joint == alone.joint
        assert np.array_equal(gc.of_one("m").counts, alone.counts)
        with pytest.raises(DataError, match="no system 'o'; there are 'm', 'n'"):
            gc.of_one("o")

    def test_weights_are_summed(self) -> None:
        gc = GroupedCounts.from_decisions(Y, D, groups=G, sample_weight=[0.5, 1, 2, 3, 4])
        assert gc.counts.sum() == pytest.approx(10.5)

    def test_one_side_and_two_do_not_add(self) -> None:
        two = GroupedCounts.from_decisions(Y, D, groups=(G, G))
        with pytest.raises(MergeError, match="two sides"):
            GroupedCounts.from_decisions(Y, D, groups=G) + two

    def test_three_sides_are_refused(self) -> None:
        with pytest.raises(DataError, match="one side or two"):
            GroupedCounts.from_decisions(Y, D, groups=(G, G, G))
