from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import ConfusionMatrix, PairedCounts
from stakes.exceptions import DataError, LabelError, MergeError

Y = ["cat", "cat", "dog", "dog", "dog"]
A = ["cat", "dog", "dog", "dog", "cat"]
B = ["cat", "cat", "dog", "cat", "cat"]


class TestPairedCounts:
    def test_marginals_are_the_confusion_matrices(self) -> None:
        pc = PairedCounts.from_decisions(Y, {"a": A, "b": B})
        assert pc.confusion("a") == ConfusionMatrix.from_decisions(Y, A)
        assert pc.confusion("b") == ConfusionMatrix.from_decisions(Y, B)
        assert pc.class_totals.tolist() == [2, 3]
        assert pc.priors.tolist() == [0.4, 0.6]

    @given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 40), st.integers(0, 40))
    def test_merging_batches_is_one_batch(self, seed: int, systems: int, n: int, cut: int) -> None:
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, n)
        decisions = {f"s{k}": rng.integers(0, 3, n) for k in range(systems)}
        cut = min(cut, n)
        parts = [
            PairedCounts.from_decisions(
                y[part], {k: d[part] for k, d in decisions.items()}, classes=range(3)
            )
            for part in (slice(0, cut), slice(cut, n))
        ]
        assert parts[0] + parts[1] == PairedCounts.from_decisions(y, decisions, classes=range(3))

    def test_integer_weights_are_repeated_rows(self) -> None:
        weights = [1, 2, 3, 1, 2]
        repeat = lambda column: np.repeat(np.array(column), weights)  # noqa: E731
        weighted = PairedCounts.from_decisions(Y, {"a": A, "b": B}, sample_weight=weights)
        assert weighted == PairedCounts.from_decisions(repeat(Y), {"a": repeat(A), "b": repeat(B)})

    def test_subset_keeps_the_order_asked_for(self) -> None:
        pc = PairedCounts.from_decisions(Y, {"a": A, "b": B, "c": A})
        assert pc.subset(["b", "a"]) == PairedCounts.from_decisions(Y, {"b": B, "a": A})

    def test_stretches_between_thresholds(self) -> None:
        pc = PairedCounts.from_scores([0, 1, 1], {"a": [0.0, 0.5, 2.0]}, thresholds=[0.0, 1.0])
        # 0.0 is not above the threshold 0.0, so it lies in the lowest stretch
        assert pc.confusion("a").counts.tolist() == [[1, 0, 0], [0, 1, 1]]

    def test_more_decisions_than_classes(self) -> None:
        pc = PairedCounts.from_decisions(
            ["x", "y"], {"a": ["ask", "y"]}, classes=["x", "y"], decision_names=["x", "y", "ask"]
        )
        assert pc.confusion("a").counts.tolist() == [[0, 0, 1], [0, 1, 0]]

    def test_lengths_that_differ_are_refused(self) -> None:
        with pytest.raises(DataError, match="5 rows"):
            PairedCounts.from_decisions(Y, {"a": A[:3]})

    def test_unknown_decision_is_refused(self) -> None:
        with pytest.raises(LabelError, match="fox"):
            PairedCounts.from_decisions(["cat"], {"a": ["fox"]}, classes=["cat", "dog"])

    def test_unknown_system_lists_the_known(self) -> None:
        with pytest.raises(DataError, match="'a'"):
            PairedCounts.from_decisions(Y, {"a": A}).confusion("z")

    def test_different_systems_do_not_add(self) -> None:
        with pytest.raises(MergeError, match="systems"):
            PairedCounts.from_decisions(Y, {"a": A}) + PairedCounts.from_decisions(Y, {"b": A})

    def test_frame_names_what_it_counts(self) -> None:
        rows = PairedCounts.from_decisions(["cat"], {"a": ["cat"]}).frame().rows()
        assert rows == [{"truth": "cat", "a": "cat", "count": 1}]

    def test_callers_arrays_are_not_kept(self) -> None:
        counts = np.array([1, 2])
        pc = PairedCounts([[0, 0], [1, 1]], counts, ("a",), (0, 1), (0, 1))
        counts[0] = 9
        assert pc.counts.tolist() == [1, 2]
        with pytest.raises(ValueError, match="read-only"):
            pc.counts[0] = 3
