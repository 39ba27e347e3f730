"""Dominated decisions: by one decision, by several, and not by a hair."""

from __future__ import annotations

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from stakes import CostMatrix, bayes_decisions
from stakes.application import dominated_decisions

PETS = CostMatrix(
    [[0, 1, 20, 2], [1, 0, 20, 2], [100, 100, 0, 2]],
    classes=["cat", "dog", "fox"],
    decisions=["cat", "dog", "fox", "ask a person"],
)
small = st.integers(0, 6).map(float)
matrices = st.tuples(st.integers(2, 4), st.integers(1, 5)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=small)
)


def names(costs: CostMatrix) -> list[object]:
    return [found.decision for found in costs.dominated_decisions()]


class TestByOne:
    def test_every_decision_of_the_pets_is_of_use(self) -> None:
        assert PETS.dominated_decisions() == ()

    def test_asking_for_two_is_never_worse(self) -> None:
        costs = CostMatrix(
            [[2, 2], [100, 2]], classes=["cat", "dog"], decisions=["cat", "ask a person"]
        )
        (found,) = costs.dominated_decisions()
        assert (found.decision, found.by, found.shares) == ("cat", ("ask a person",), (1.0,))
        assert str(found) == (
            "with these costs 'ask a person' (2) is never worse than 'cat' (2..100), "
            "so no model can change the decision."
        )

    def test_others_may_remain(self) -> None:
        costs = CostMatrix([[0, 1, 5], [1, 0, 0.5]], decisions=["a", "b", "c"])
        (found,) = costs.dominated_decisions()
        assert str(found) == (
            "with these costs 'b' (0..1) is never worse than 'c' (0.5..5), "
            "so 'c' is never worth taking."
        )

    def test_of_equal_columns_the_first_is_kept(self) -> None:
        costs = CostMatrix([[0, 1, 0], [1, 0, 1]], decisions=["a", "b", "c"])
        (found,) = costs.dominated_decisions()
        assert (found.decision, found.by) == ("c", ("a",))

    def test_all_equal_leaves_the_first(self) -> None:
        assert names(CostMatrix(np.ones((2, 3)))) == [1, 2]

    def test_the_one_named_is_itself_of_use(self) -> None:
        costs = CostMatrix([[2, 1, 0, 9], [2, 1, 0, -9]], decisions=["a", "b", "c", "d"])
        assert {found.decision: found.by for found in costs.dominated_decisions()} == {
            "a": ("c",),
            "b": ("c",),
        }

    def test_a_single_decision_has_no_rival(self) -> None:
        assert CostMatrix([[1], [2]]).dominated_decisions() == ()


class TestBySeveral:
    def test_asking_for_more_than_half_is_never_the_cheapest(self) -> None:
        """Under 0-1 costs one class always has a posterior of at least 1/2."""
        costs = CostMatrix.zero_one(["no", "yes"]).with_abstention(0.6, name="ask")
        (found,) = costs.dominated_decisions()
        assert found.by == ("no", "yes")
        assert str(found) == (
            "with these costs 'ask' (0.6) is never the cheapest: one of 'no', 'yes' costs no "
            "more whatever the posterior, so 'ask' is never worth taking."
        )

    @pytest.mark.parametrize("n", [2, 3, 5, 10])
    def test_abstention_is_of_use_up_to_one_minus_one_over_k(self, n: int) -> None:
        """All posteriors are below 1 - alpha somewhere if and only if 1 - alpha > 1/K."""
        edge = 1 - 1 / n
        assert names(CostMatrix.zero_one(n).with_abstention(edge - 1e-6)) == []
        assert names(CostMatrix.zero_one(n).with_abstention(edge + 1e-6)) == ["abstain"]

    def test_at_the_edge_it_only_ties(self) -> None:
        assert names(CostMatrix.zero_one(2).with_abstention(0.5)) == ["abstain"]

    def test_the_mixture_is_never_worse(self) -> None:
        costs = CostMatrix.zero_one(4).with_abstention([0.9, 0.8, 0.8, 0.9])
        (found,) = costs.dominated_decisions()
        columns = [costs.decisions.index(name) for name in found.by]
        mixed = costs.values[:, columns] @ np.array(found.shares)
        assert (mixed <= costs.values[:, -1] + 1e-9).all()
        assert sum(found.shares) == pytest.approx(1)

    def test_rows_of_very_different_size(self) -> None:
        """A hair of the small row is not lost beside the large one."""
        costs = CostMatrix([[0, 1e-3, 5e-4], [1e9, 0, 4e8]])
        assert names(costs) == []
        assert names(CostMatrix([[0, 1e-3, 5e-4], [1e9, 0, 6e8]])) == [2]


class TestLaws:
    @given(matrices)
    def test_a_decision_taken_with_a_margin_is_not_dominated(self, values) -> None:
        costs = CostMatrix(values)
        dominated = names(costs)
        posteriors = np.random.default_rng(0).dirichlet(np.full(values.shape[0], 0.7), size=500)
        expected = posteriors @ values
        ordered = np.sort(expected, axis=1)
        gap = ordered[:, 1] - ordered[:, 0] if values.shape[1] > 1 else np.ones(500)
        taken = set(bayes_decisions(posteriors, costs)[gap > 1e-6].tolist())
        assert not taken & set(dominated)

    @given(matrices)
    def test_leaving_the_dominated_out_costs_nothing(self, values) -> None:
        costs = CostMatrix(values)
        kept = [j for j in costs.decisions if j not in names(costs)]
        assert kept
        posteriors = np.random.default_rng(1).dirichlet(np.full(values.shape[0], 0.7), size=200)
        expected = posteriors @ values
        np.testing.assert_allclose(
            expected[:, kept].min(axis=1), expected.min(axis=1), rtol=0, atol=1e-8
        )

    @given(matrices, st.integers(1, 5), st.integers(-5, 5))
    def test_shifts_and_factors_do_not_matter(self, values, factor, shift) -> None:
        moved = values * factor
        moved[0] += shift
        assert names(CostMatrix(values)) == names(CostMatrix(moved))

    @given(matrices)
    def test_function_and_method_agree_and_name_the_undominated(self, values) -> None:
        costs = CostMatrix(values)
        found = dominated_decisions(costs)
        assert found == costs.dominated_decisions()
        dominated = {each.decision for each in found}
        assert not dominated & {name for each in found for name in each.by}

    def test_two_classes_against_the_exact_intervals(self) -> None:
        from stakes import decision_intervals

        rng = np.random.default_rng(3)
        for _ in range(60):
            costs = CostMatrix(rng.integers(0, 9, size=(2, 6)).astype(float))
            rule = decision_intervals(costs)
            ends = [0, *rule.cuts, 1]
            taken = {d for d, a, b in zip(rule.decisions, ends, ends[1:], strict=False) if a < b}
            assert set(costs.decisions) - taken == set(names(costs))
