"""Deciding alike and ranking alike: the one is weaker than the other."""

from __future__ import annotations

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from stakes import CostMatrix
from stakes.exceptions import CostError

small = st.integers(-5, 5).map(float)
matrices = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=small)
)
pairs = st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(
    lambda shape: st.tuples(*[hnp.arrays(np.float64, shape, elements=small)] * 2)
)
# Two classes and three decisions with the cut points 1/4 and 3/4: no is p a, ask is
# b (1 - p) + c p, yes is d (1 - p); a/4 = 3b/4 + c/4 and d/4 = b/4 + 3c/4.
EVEN = CostMatrix([[0, 0.25, 1], [1, 0.25, 0]], decisions=["no", "ask", "yes"])
SKEW = CostMatrix(
    [[0, 0.1, 0.1 + 3 * 0.5], [3 * 0.1 + 0.5, 0.5, 0]], decisions=["no", "ask", "yes"]
)


def check(costs: CostMatrix, other: CostMatrix) -> None:
    """A witness must be decided as it says, by both."""
    found = costs.disagreement(other)
    assert found is not None
    assert found.posterior.sum() == pytest.approx(1)
    assert (found.posterior >= 0).all()
    for matrix, name in ((costs, found.decision), (other, found.other_decision)):
        rows = [matrix.classes.index(label) for label in costs.classes]
        expected = found.posterior @ matrix.values[rows]
        assert expected[matrix.decisions.index(name)] == pytest.approx(expected.min())
    assert found.decision != found.other_decision


class TestRanksLike:
    @given(matrices, st.floats(0.01, 100), st.integers(-50, 50))
    def test_a_factor_and_row_shifts_change_no_ranking(self, values, factor, shift) -> None:
        moved = values * factor + np.arange(len(values))[:, None] * shift
        assert CostMatrix(values).ranks_like(CostMatrix(moved))
        assert CostMatrix(moved).ranks_like(CostMatrix(values))

    def test_large_shifts_lose_digits_not_the_answer(self) -> None:
        assert CostMatrix([[0, 0.1], [0.3, 0]]).ranks_like(
            CostMatrix([[1e9, 1e9 + 0.1], [1e9 + 0.3, 1e9]])
        )

    def test_a_column_shift_matters(self) -> None:
        assert not CostMatrix([[0, 1], [10, 0]]).ranks_like(CostMatrix([[0, 2], [10, 1]]))

    def test_gains_turned_around_rank_the_other_way(self) -> None:
        costs = CostMatrix([[0, 1], [10, 0]])
        assert not costs.ranks_like(CostMatrix(-costs.values))

    def test_a_class_that_cannot_matter(self) -> None:
        assert CostMatrix([[3, 3], [1, 0]]).ranks_like(CostMatrix([[8, 8], [5, 3]]))
        assert not CostMatrix([[3, 3], [1, 0]]).ranks_like(CostMatrix([[8, 9], [5, 3]]))

    def test_nothing_matters(self) -> None:
        flat = CostMatrix([[1, 1], [2, 2]])
        assert flat.ranks_like(CostMatrix([[5, 5], [5, 5]]))
        assert not flat.ranks_like(CostMatrix([[0, 1], [1, 0]]))

    @given(pairs)
    def test_is_what_the_expected_costs_say(self, pair) -> None:
        """Systems are rows of confusion rates: the ranking is that of sum P_i R_ij c_ij."""
        first, second = pair
        rng = np.random.default_rng(0)
        rates = rng.dirichlet(np.ones(first.shape[1]), size=(40, first.shape[0]))
        ours, theirs = ((rates * c).sum(axis=(1, 2)) / len(c) for c in (first, second))
        signs = (
            np.sign((ours[:, None] - ours).round(12)),
            np.sign((theirs[:, None] - theirs).round(12)),
        )
        if CostMatrix(first).ranks_like(CostMatrix(second)):
            np.testing.assert_array_equal(*signs)
        else:
            assert (signs[0] != signs[1]).any()


class TestDecidesLike:
    @given(matrices, st.floats(0.01, 100), st.integers(-50, 50))
    def test_ranking_alike_implies_deciding_alike(self, values, factor, shift) -> None:
        moved = values * factor + np.arange(len(values))[:, None] * shift
        assert CostMatrix(values).decides_like(CostMatrix(moved))

    def test_three_decisions_can_decide_alike_and_rank_differently(self) -> None:
        assert EVEN.decides_like(SKEW)
        assert SKEW.decides_like(EVEN)
        assert not EVEN.ranks_like(SKEW)

    def test_a_useless_decision_may_cost_anything(self) -> None:
        costs = CostMatrix.zero_one(3)
        dear, dearer = costs.with_abstention(0.9), costs.with_abstention(2)
        assert dear.decides_like(dearer)
        assert not dear.ranks_like(dearer)

    def test_three_classes_alike_but_not_ranked_alike(self) -> None:
        """Only the useless column of the two differs, and not by a constant."""
        first = CostMatrix([[0, 1, 5, 6], [1, 0, 5, 7], [4, 4, 0, 3]])
        second = CostMatrix([[0, 2, 10, 9], [2, 0, 10, 9], [8, 8, 0, 9]])
        assert first.decides_like(second)
        assert not first.ranks_like(second)

    @given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.1, 10))
    def test_two_by_two_is_one_ratio(self, fp, fn, other_fp, other_fn) -> None:
        first = CostMatrix.binary(false_positive=fp, false_negative=fn)
        second = CostMatrix.binary(false_positive=other_fp, false_negative=other_fn)
        same = np.isclose(fp * other_fn, other_fp * fn, rtol=1e-12)
        if not same:
            assert first.decides_like(second) == first.ranks_like(second)

    @given(pairs)
    def test_against_scattered_posteriors(self, pair) -> None:
        first, second = pair
        a, b = CostMatrix(first), CostMatrix(second)
        posteriors = np.random.default_rng(5).dirichlet(np.full(len(first), 0.6), size=400)
        choices, clear = [], np.ones(400, dtype=bool)
        for values in (first, second):
            expected = posteriors @ values
            ordered = np.sort(expected, axis=1)
            clear &= ordered[:, 1] - ordered[:, 0] > 1e-9
            choices.append(expected.argmin(axis=1))
        if (choices[0] != choices[1])[clear].any():
            check(a, b)
            check(b, a)
        if a.decides_like(b):
            assert b.decides_like(a)

    def test_a_thin_disagreement_is_found(self) -> None:
        """The one asks for posteriors that scattered tries would hardly meet."""
        costs = CostMatrix.zero_one(3).with_abstention(2 / 3 - 1e-5)
        other = CostMatrix.zero_one(3).with_abstention(2 / 3)
        check(costs, other)
        found = costs.disagreement(other)
        assert found is not None
        assert found.decision == "abstain"
        np.testing.assert_allclose(found.posterior, 1 / 3, atol=1e-4)

    def test_a_thin_disagreement_of_two_classes_is_found(self) -> None:
        check(CostMatrix([[0, 1], [1, 0]]), CostMatrix([[0, 1], [1 + 1e-7, 0]]))

    def test_a_rare_dear_class_does_not_hide_it(self) -> None:
        first = CostMatrix([[0, 1, 1], [1, 0, 1], [1e6, 1e6, 0]])
        second = CostMatrix([[0, 1, 1], [1.001, 0, 1], [1e6, 1e6, 0]])
        check(first, second)

    def test_swapped_columns(self) -> None:
        check(CostMatrix([[0, 1], [10, 0]]), CostMatrix([[1, 0], [0, 10]]))

    def test_names_are_matched_not_positions(self) -> None:
        costs = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["no", "call"])
        turned = CostMatrix([[0, 10], [1, 0]], classes=["churn", "stay"], decisions=["call", "no"])
        assert costs.decides_like(turned)
        assert costs.ranks_like(turned)
        check(costs, CostMatrix(turned.values, classes=costs.classes, decisions=turned.decisions))

    def test_equal_columns_stand_for_the_first(self) -> None:
        """The earlier of two equal columns is taken, so another choice is a disagreement."""
        twins = CostMatrix([[0, 0, 1], [1, 1, 0], [1, 1, 0]], decisions=["a", "b", "c"])
        second = CostMatrix([[1, 0, 1], [2, 1, 0], [2, 1, 0]], decisions=["a", "b", "c"])
        check(twins, second)
        assert twins.decides_like(
            CostMatrix([[0, 1, 1], [1, 2, 0], [1, 2, 0]], decisions=list("abc"))
        )

    def test_only_one_useful_decision_each(self) -> None:
        first = CostMatrix([[0, 1], [0, 1], [0, 1]])
        second = CostMatrix([[1, 0], [1, 0], [2, 1]])
        check(first, second)
        assert first.decides_like(CostMatrix([[0, 2], [0, 1], [0, 5]]))

    def test_sentence(self) -> None:
        found = CostMatrix([[0, 1], [1, 0]]).disagreement(CostMatrix([[0, 1], [3, 0]]))
        assert str(found) == "for the posterior (0.625, 0.375) one takes 0, the other 1."

    def test_the_posterior_is_read_only(self) -> None:
        found = CostMatrix([[0, 1], [1, 0]]).disagreement(CostMatrix([[0, 1], [3, 0]]))
        assert found is not None
        with pytest.raises(ValueError, match="read-only"):
            found.posterior[0] = 1


@pytest.mark.parametrize("method", ["decides_like", "ranks_like", "disagreement"])
class TestErrors:
    def test_other_classes(self, method: str) -> None:
        costs = CostMatrix.zero_one(["a", "b"])
        other = CostMatrix.zero_one(["a", "c"])
        with pytest.raises(
            CostError, match=r"`other` must have the same classes; got 'a', 'c' instead of 'a', 'b'"
        ):
            getattr(costs, method)(other)

    def test_other_decisions(self, method: str) -> None:
        costs = CostMatrix.zero_one(2)
        with pytest.raises(CostError, match="must have the same decisions"):
            getattr(costs, method)(costs.with_abstention(1))
