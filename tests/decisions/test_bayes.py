"""bayes_decisions: the argmin of expected costs, ties to the earlier column."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stakes import Application, CaseCosts, CostMatrix, Posteriors, bayes_decisions, expected_cost
from stakes.exceptions import PosteriorError

SIZES = st.tuples(st.integers(1, 5), st.integers(1, 5))
#: Costs on a coarse grid, so that ties happen.
GRID = st.integers(-6, 12).map(lambda k: k / 4)


@st.composite
def problems(draw, n_classes=None):
    """Costs on a grid, and posteriors that are multiples of 1/16."""
    k, m = draw(SIZES)
    k = n_classes or k
    costs = draw(hnp.arrays(float, (k, m), elements=GRID))
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        cuts = sorted(draw(st.lists(st.integers(0, 16), min_size=k - 1, max_size=k - 1)))
        rows.append(np.diff([0, *cuts, 16]) / 16)
    return costs, np.array(rows)


def exact_argmin(posteriors, costs):
    """In rational arithmetic, the first minimum."""
    decisions = []
    for row in posteriors:
        expected = [
            sum(Fraction(p) * Fraction(c) for p, c in zip(row.tolist(), column, strict=True))
            for column in costs.T.tolist()
        ]
        decisions.append(expected.index(min(expected)))
    return decisions


class TestExactness:
    @given(problems())
    def test_against_rational_arithmetic(self, problem):
        costs, posteriors = problem
        ours, paid = bayes_decisions(posteriors, costs, with_cost=True)
        assert ours.tolist() == exact_argmin(posteriors, costs)
        np.testing.assert_allclose(paid, (posteriors @ costs).min(axis=1), atol=1e-12)

    @given(problems(n_classes=2))
    def test_two_classes_by_one_column(self, problem):
        costs, posteriors = problem
        np.testing.assert_array_equal(
            bayes_decisions(posteriors[:, 1], costs), bayes_decisions(posteriors, costs)
        )

    @given(
        hnp.arrays(float, (2, 4), elements=st.floats(-100, 100, width=16)),
        st.sampled_from([np.float32, np.float64]),
        st.data(),
    )
    def test_cut_points_are_exact_for_any_float(self, costs, kind, data):
        width = 32 if kind == np.float32 else 64
        p = data.draw(hnp.arrays(kind, 5, elements=st.floats(0, 1, width=width)))
        rows = [[1 - Fraction(float(v)), Fraction(float(v))] for v in p]
        expected = []
        for row in rows:
            heights = [
                sum(a * Fraction(b) for a, b in zip(row, col, strict=True))
                for col in costs.T.tolist()
            ]
            expected.append(heights.index(min(heights)))
        assert bayes_decisions(p, costs).tolist() == expected

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    def test_at_the_threshold_itself_it_waits(self, kind):
        t = kind(0.25)  # costs 1 : 3
        p = np.array([np.nextafter(t, kind(0)), t, np.nextafter(t, kind(1))], dtype=kind)
        assert bayes_decisions(p, [[0, 1], [3, 0]]).tolist() == [0, 0, 1]

    def test_reversed_columns_act_at_the_threshold(self):
        assert bayes_decisions([0.25], [[1, 0], [0, 3]]).tolist() == [0]

    def test_three_decisions_meeting_in_one_point(self):
        # at p = 1/2 all three cost 1/2; the constant one comes first
        costs = [[0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]
        assert bayes_decisions([0.25, 0.5, 0.75], costs).tolist() == [1, 0, 2]

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    def test_decimal_ties_are_not_broken_by_rounding(self, kind):
        # posteriors in thousandths for which 'b' costs p_a + 20 p_c = 1, as asking does
        costs = np.array([[0, 1, 20, 1], [1, 0, 20, 1], [20, 20, 0, 1.0]])
        thousandths = [(a, c) for a in range(1, 1000) for c in range(1, 50) if a + 20 * c == 1000]
        rows = np.array([[a, 1000 - a - c, c] for a, c in thousandths if a + c < 1000]) / 1000
        assert len(rows) > 40
        decided = bayes_decisions(rows.astype(kind), costs)
        best = (rows @ costs).round(9).argmin(axis=1)
        np.testing.assert_array_equal(decided, best)
        assert 1 in best  # 'b' ties with asking, and comes before it

    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    @pytest.mark.parametrize("factor", [1.0, 0.3])
    def test_decimal_ties_of_single_products_are_kept(self, kind, factor):
        # 7 * 0.01 = 1 * 0.07: equal, though not in floats
        costs = factor * np.array([[0, 0.7, 0.7], [0.7, 0.6, 0.7], [0.1, 0.1, 0]])
        rows = np.array([[a, b, 100 - a - b] for a in range(40) for b in range(40)]) / 100
        best = (rows @ costs).round(9).argmin(axis=1)
        np.testing.assert_array_equal(bayes_decisions(rows.astype(kind), costs), best)

    @pytest.mark.parametrize("seed", range(10))
    def test_rounding_of_float32_sums_never_decides(self, seed):
        # rows a few roundings away from a tie; decisions are those of float64 sums (design/ties.md)
        rng = np.random.default_rng(seed)
        costs = rng.integers(0, 21, (6, 4)) / 10
        rows = (rng.multinomial(20, np.full(6, 1 / 6), 4000) / 20).astype(np.float32)
        moved = np.finfo(np.float32).eps * rng.integers(-60, 61, len(rows)).astype(np.float32)
        open_ = (rows[:, :2] > 0.01).all(axis=1)
        rows[open_, 0] += moved[open_]
        rows[open_, 1] -= moved[open_]
        expected = rows.astype(np.float64) @ costs
        slack = (2.0**-24 + 14 * 2.0**-53) * expected  # rounding of a posterior, and of the sum
        best = (expected + slack).min(axis=1, keepdims=True)
        first = (expected - slack <= best).argmax(axis=1)
        np.testing.assert_array_equal(bayes_decisions(rows, costs), first)

    def test_decimal_ties_of_costs_per_case_are_kept(self):
        rng = np.random.default_rng(0)
        rows = rng.multinomial(20, [0.3, 0.3, 0.4], 3000) / 20
        costs = rng.integers(0, 21, (3000, 3, 4)) / 10
        decided, paid = bayes_decisions(rows, costs, with_cost=True)
        expected = np.einsum("nk,nkm->nm", rows, costs)
        np.testing.assert_array_equal(decided, expected.round(9).argmin(axis=1))
        np.testing.assert_allclose(paid, expected.min(axis=1), atol=1e-12)


class TestLaws:
    @given(problems(), st.data())
    def test_shifting_a_row_changes_no_decision(self, problem, data):
        costs, posteriors = problem
        shift = data.draw(hnp.arrays(float, (costs.shape[0], 1), elements=GRID))
        np.testing.assert_array_equal(
            bayes_decisions(posteriors, costs + shift), bayes_decisions(posteriors, costs)
        )

    @given(problems(), st.sampled_from([0.25, 2.0, 1024.0]))
    def test_scaling_changes_no_decision(self, problem, factor):
        costs, posteriors = problem
        np.testing.assert_array_equal(
            bayes_decisions(posteriors, costs * factor), bayes_decisions(posteriors, costs)
        )

    @given(problems())
    def test_zero_one_costs_are_the_argmax(self, problem):
        _, posteriors = problem
        np.testing.assert_array_equal(
            bayes_decisions(posteriors, CostMatrix.zero_one(posteriors.shape[1])),
            posteriors.argmax(axis=1),
        )

    def test_argmax_keeps_ties_that_sums_would_break(self):
        posteriors = np.array([[0.3, 0.1, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.1, 0.3]])
        assert bayes_decisions(posteriors, CostMatrix.zero_one(5)).tolist() == [0, 2]

    @given(problems())
    def test_never_beaten_on_calibrated_posteriors(self, problem):
        costs, posteriors = problem
        n, k = posteriors.shape
        truth = np.tile(np.arange(k), n)  # each case once per class, weighted by its posterior
        weight = posteriors.ravel()
        ours = np.repeat(bayes_decisions(posteriors, costs), k)
        app = Application(CostMatrix(costs))
        best = expected_cost(truth, ours, application=app, sample_weight=weight)
        for other in range(costs.shape[1]):
            alone = np.repeat(np.full(n, other), k)
            assert (
                best <= expected_cost(truth, alone, application=app, sample_weight=weight) + 1e-12
            )

    @given(problems(), st.randoms(use_true_random=False))
    def test_relabelling_classes_changes_no_decision(self, problem, random):
        costs, posteriors = problem
        order = list(range(costs.shape[0]))
        random.shuffle(order)
        np.testing.assert_array_equal(
            bayes_decisions(posteriors[:, order], costs[order]), bayes_decisions(posteriors, costs)
        )


class TestForms:
    @pytest.mark.parametrize("rows", [0, 1, 26214, 26215, 60_000])
    @pytest.mark.parametrize("kind", [np.float32, np.float64])
    def test_blocks(self, rows, kind):
        rng = np.random.default_rng(rows)
        posteriors = rng.dirichlet(np.ones(10), rows).astype(kind)
        costs = rng.random((10, 11))
        ours = bayes_decisions(posteriors, costs)
        assert ours.shape == (rows,)
        assert ours.dtype == np.int8
        expected = posteriors.astype(np.float64) @ costs
        lowest = np.sort(expected, axis=1)
        clear = lowest[:, 1] - lowest[:, 0] > 1e-4  # nearer ones may be ties in float32
        assert clear.mean() > 0.99 if rows else True
        np.testing.assert_array_equal(ours[clear], expected.argmin(axis=1)[clear])

    def test_more_than_128_decisions_need_a_wider_type(self):
        costs = np.ones((3, 200))
        costs[:, 150] = 0
        ours = bayes_decisions(np.full((4, 3), 1 / 3), costs)
        assert ours.dtype == np.int16
        assert ours.tolist() == [150] * 4

    def test_many_cuts_for_two_classes(self):
        # tangents of a parabola: each of 60 decisions wins on its own stretch
        at = (np.arange(60) + 0.5) / 60
        costs = np.array([at**2, (1 - at) ** 2])
        p = np.random.default_rng(1).random(500)
        expected = (np.column_stack([1 - p, p]) @ costs).argmin(axis=1)
        np.testing.assert_array_equal(bayes_decisions(p, costs), expected)

    def test_posteriors_object_and_application(self):
        app = Application(CostMatrix([[0, 1], [10, 0]]))
        assert bayes_decisions(Posteriors.from_logits([-2.0, -3.0]), app).tolist() == [1, 0]

    def test_fortran_order_and_read_only(self):
        posteriors = np.asfortranarray(np.random.default_rng(0).dirichlet(np.ones(4), 50))
        posteriors.flags.writeable = False
        before = posteriors.copy()
        costs = np.arange(12.0).reshape(4, 3) % 5
        np.testing.assert_array_equal(
            bayes_decisions(posteriors, costs), (posteriors @ costs).argmin(axis=1)
        )
        np.testing.assert_array_equal(posteriors, before)

    @pytest.mark.parametrize(
        "costs", [[[0, 1], [9, 0]], [[0, 1, 2], [3, 0, 1], [5, 1, 0]]], ids=["two", "three"]
    )
    def test_rows_of_float16_add_to_one_within_its_rounding(self, costs):
        rng = np.random.default_rng(0)
        rows = rng.dirichlet(np.ones(len(costs)), 1000).astype(np.float16)
        assert np.abs(rows.sum(axis=1, dtype=np.float64) - 1).max() > 1e-5
        risks = rows.astype(np.float64) @ np.array(costs, dtype=np.float64)
        assert np.diff(np.sort(risks, axis=1)[:, :2]).min() > 1e-12  # no ties
        expected = risks.argmin(axis=1)
        per_case = np.broadcast_to(costs, (1000, len(costs), len(costs)))
        found, paid = bayes_decisions(rows, costs, with_cost=True)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_allclose(paid, risks.min(axis=1), atol=0.01)
        np.testing.assert_array_equal(bayes_decisions(rows, per_case), expected)
        np.testing.assert_array_equal(bayes_decisions(Posteriors(rows), costs), expected)

    def test_float16_that_is_off_by_more_is_refused(self):
        half = np.array([[0.45, 0.55]], np.float16)
        assert bayes_decisions(half, [[0, 1], [1, 0]]).tolist() == [1]
        with pytest.raises(PosteriorError, match=r"must sum to 1; row 0 sums to 1\.01"):
            bayes_decisions(np.array([[0.45, 0.56]], np.float16), [[0, 1], [9, 0]])

    def test_a_data_frame_of_posteriors(self):
        pandas = pytest.importorskip("pandas", reason="needs pandas")
        frame = pandas.DataFrame({"p_a": [0.9, 0.2], "p_b": [0.1, 0.8]})
        costs = CostMatrix.zero_one(2)
        assert bayes_decisions(frame, costs, classes=[0, 1]).tolist() == [0, 1]
        assert bayes_decisions(frame, costs, classes=[1, 0]).tolist() == [1, 0]

    def test_a_data_frame_with_other_names_is_not_read_by_position(self):
        pandas = pytest.importorskip("pandas", reason="needs pandas")
        frame = pandas.DataFrame({"yes": [0.9, 0.2], "no": [0.1, 0.8]})
        with pytest.raises(PosteriorError, match="cannot tell which column is which"):
            bayes_decisions(frame, CostMatrix.zero_one(2))

    def test_unreasonable_costs_take_the_argmin_not_a_threshold(self):
        # right decisions cost 1, wrong ones nothing: decide against the evidence
        assert bayes_decisions([0.2, 0.8], [[1, 0], [0, 1]]).tolist() == [1, 0]


class TestErrors:
    def test_rows_that_do_not_sum_to_one(self):
        posteriors = np.full((1000, 3), 1 / 3)
        posteriors[[17, 30, 31]] = [0.5, 0.2, 0.13]
        with pytest.raises(PosteriorError) as caught:
            bayes_decisions(posteriors, CostMatrix.zero_one(3))
        assert caught.value.message == (
            "`posteriors` rows must sum to 1; row 17 sums to 0.83 (3 of 1000 rows fail)."
        )
        assert caught.value.rows == (17, 30, 31)

    def test_logits_are_named(self):
        with pytest.raises(
            PosteriorError, match=r"row 0 has values from -2 to 3 .*\n.*from_logits"
        ):
            bayes_decisions([[-2.0, 3.0, 0.0]], CostMatrix.zero_one(3))

    @pytest.mark.parametrize("p", [[0.5, np.nan], [0.5, 1.5], [-0.1, 0.2]])
    def test_one_column_outside(self, p):
        with pytest.raises(PosteriorError, match="must lie between 0 and 1"):
            bayes_decisions(p, [[0, 1], [1, 0]])

    def test_nan_in_a_row(self):
        with pytest.raises(PosteriorError):
            bayes_decisions([[0.5, 0.5], [np.nan, 0.5]], [[0, 1], [1, 0]])
        with pytest.raises(PosteriorError):
            bayes_decisions([[0.5, 0.25, 0.25], [np.nan, 0.5, 0.5]], CostMatrix.zero_one(3))

    def test_wrong_number_of_classes(self):
        with pytest.raises(PosteriorError, match=r"shape \(n, 3\).*got shape \(1, 2\)"):
            bayes_decisions([[0.5, 0.5]], CostMatrix.zero_one(3))

    def test_one_column_for_three_classes(self):
        with pytest.raises(PosteriorError, match="one column for each of the 3 classes"):
            bayes_decisions([0.5, 0.5], CostMatrix.zero_one(3))

    def test_posteriors_of_other_classes(self):
        posteriors = Posteriors([[0.5, 0.5]], classes=["b", "c"])
        with pytest.raises(PosteriorError, match="has the classes"):
            bayes_decisions(posteriors, CostMatrix.zero_one(["a", "b"]))

    def test_strings(self):
        with pytest.raises(PosteriorError, match="must hold numbers"):
            bayes_decisions([["a", "b"]], CostMatrix.zero_one(2))


class TestPerCase:
    @given(problems())
    def test_constant_costs_per_case_decide_as_one_matrix(self, problem):
        costs, posteriors = problem
        stacked = np.repeat(costs[None], posteriors.shape[0], axis=0)
        ours, paid = bayes_decisions(posteriors, stacked, with_cost=True)
        reference, expected = bayes_decisions(posteriors, costs, with_cost=True)
        np.testing.assert_array_equal(ours, reference)
        np.testing.assert_allclose(paid, expected, atol=1e-12)

    def test_binary_rule_by_hand(self):
        # act when p fn > (1 - p) fp
        costs = CaseCosts.binary(false_positive=[10.0, 10.0], false_negative=[5.0, 500.0])
        assert bayes_decisions([0.1, 0.1], costs).tolist() == [0, 1]

    def test_lengths(self):
        costs = CaseCosts.binary(false_positive=[1.0, 1.0], false_negative=1.0)
        with pytest.raises(ValueError, match="`posteriors` has 1 rows but `costs` has 2"):
            bayes_decisions([0.1], costs)

    def test_float32_posteriors(self):
        posteriors = np.random.default_rng(0).dirichlet(np.ones(50), 20).astype(np.float32)
        costs = np.random.default_rng(1).random((20, 50, 3))
        expected = np.einsum("nk,nkm->nm", posteriors.astype(float), costs).argmin(axis=1)
        np.testing.assert_array_equal(bayes_decisions(posteriors, costs), expected)
