"""CostMatrix: its constructors, its laws and every way to get it wrong."""

from __future__ import annotations

import dataclasses

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from stakes import Application, CostMatrix, bayes_decisions
from stakes.exceptions import CostError, DataError, PriorError

CHURN = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])

finite = st.floats(-1e6, 1e6, allow_nan=False)
matrices = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=finite)
)


class TestConstructor:
    def test_rows_are_true_classes(self) -> None:
        assert CHURN.cost("churn", "ignore") == 10
        assert CHURN.cost("stay", "call") == 1
        assert CHURN.shape == (2, 2)

    def test_names_default_to_positions(self) -> None:
        costs = CostMatrix([[0, 1, 2], [1, 0, 2]])
        assert costs.classes == (0, 1)
        assert costs.decisions == (0, 1, 2)

    def test_a_square_matrix_decides_for_its_classes(self) -> None:
        assert CostMatrix([[0, 1], [1, 0]], classes=["a", "b"]).decisions == ("a", "b")

    def test_numpy_names_become_plain_values(self) -> None:
        costs = CostMatrix([[0, 1], [1, 0]], classes=np.array(["a", "b"]))
        assert [type(name) for name in costs.classes] == [str, str]
        assert [type(name) for name in CostMatrix(np.eye(2), np.arange(2)).classes] == [int, int]

    @given(matrices)
    def test_values_are_a_read_only_copy_and_the_caller_keeps_an_unchanged_array(self, values):
        before = values.copy()
        costs = CostMatrix(values)
        np.testing.assert_array_equal(costs.values, before)
        values += 1
        np.testing.assert_array_equal(costs.values, before)
        with pytest.raises(ValueError, match="read-only"):
            costs.values[0, 0] = 3

    def test_a_read_only_array_is_read(self) -> None:
        values = np.eye(2)
        values.flags.writeable = False
        assert CostMatrix(values).values.tolist() == [[1, 0], [0, 1]]

    @pytest.mark.parametrize("kind", ["int8", "uint8", "int64", "float32", "bool"])
    def test_any_numeric_type_becomes_float64(self, kind: str) -> None:
        values = CostMatrix(np.array([[0, 1], [1, 0]], dtype=kind)).values
        assert values.dtype == np.float64
        assert values.tolist() == [[0, 1], [1, 0]]

    def test_it_cannot_be_changed(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            CHURN.values = np.eye(2)

    def test_one_cell_is_a_matrix(self) -> None:
        assert CostMatrix([[3]]).shape == (1, 1)

    def test_repr_is_one_line(self) -> None:
        assert repr(CHURN) == (
            "CostMatrix(2 classes x 2 decisions: 'stay', 'churn' x 'ignore', 'call'; "
            "[[0, 1], [10, 0]])"
        )
        large = repr(CostMatrix.zero_one(20))
        assert "and 16 more" in large
        assert large.endswith("[1, 1, 1, 1, 1, 0, ...], ...])")


class TestErrors:
    @pytest.mark.parametrize("classes", [2.5, "abc", {"a", "b"}, None])
    def test_zero_one_needs_a_number_or_names_in_order(self, classes: object) -> None:
        with pytest.raises(CostError, match="`classes` must be a sequence of names"):
            CostMatrix.zero_one(classes)  # type: ignore[arg-type]

    @pytest.mark.parametrize("cost", [[1, 2, 3], [[1], [2]], "free", None])
    def test_abstention_costs_one_number_or_one_for_each_class(self, cost: object) -> None:
        with pytest.raises(CostError, match="one for each of the 2 classes 0, 1; got"):
            CostMatrix.zero_one(2).with_abstention(cost)  # type: ignore[arg-type]

    def test_weights_are_of_matrices_not_of_classes(self) -> None:
        with pytest.raises(PriorError, match="each of the 2 matrices 0, 1"):
            CostMatrix.expected([CostMatrix.zero_one(2)] * 2, weights=[1.0])

    @pytest.mark.parametrize(
        ("values", "names", "error", "message"),
        [
            ([0, 1], {}, DataError, r"`values` must be a two-dimensional .* shape \(2,\)"),
            (3, {}, DataError, r"shape \(\)"),
            ([["a", "b"]], {}, DataError, "`values` must be a two-dimensional array of numbers"),
            ([[None, 1]], {}, CostError, "`values` must be finite; row 0, column 0 is nan"),
            (np.array([["a", 1]], dtype=object), {}, DataError, "`values` must hold numbers"),
            (np.zeros((0, 2)), {}, CostError, r"`values` must not be empty; got shape \(0, 2\)"),
            ([[0, np.nan], [1, 0]], {}, CostError, "finite; row 0, column 1 is nan"),
            ([[0, 1], [np.inf, 0]], {}, CostError, "finite; row 1, column 0 is inf"),
            ([[0, 1]], {"classes": "ab"}, CostError, "got the single string 'ab'"),
            (
                [[0, 1], [1, 0]],
                {"classes": ["a", "a"]},
                CostError,
                "`classes` must differ from each other; 'a' occurs twice",
            ),
            (
                [[0, 1], [1, 0]],
                {"classes": [1, True]},
                CostError,
                "`classes` must differ from each other; True occurs twice",
            ),
            (
                [[0, 1], [1, 0]],
                {"decisions": [None, "b"]},
                CostError,
                "`decisions` must be strings or numbers; got None",
            ),
            (
                [[0, 1], [1, 0]],
                {"classes": [float("nan"), 1]},
                CostError,
                "`classes` must be strings or numbers; got nan",
            ),
            (
                [[0, 1], [1, 0]],
                {"classes": ["a", "b", "c"]},
                CostError,
                "`classes` must name the 2 rows of the table; got 3 names 'a', 'b', 'c'",
            ),
            (
                [[0, 1], [1, 0]],
                {"decisions": ["a"]},
                CostError,
                "`decisions` must name the 2 columns of the table; got 1 names 'a'",
            ),
            (
                [[0, 1, 2], [1, 0, 2]],
                {"classes": ["a", "b"]},
                CostError,
                "`decisions` must be named when there are 3 columns for 2 classes",
            ),
        ],
    )
    def test_message_says_what_and_where(self, values, names, error, message) -> None:
        with pytest.raises(error, match=message):
            CostMatrix(values, **names)

    def test_a_forbidden_decision_is_left_out_not_infinite(self) -> None:
        with pytest.raises(CostError) as caught:
            CostMatrix([[0, np.inf]])
        assert caught.value.hint == "for a decision that is not allowed, leave its column out"

    def test_unknown_truth_or_decision_lists_the_known_ones(self) -> None:
        with pytest.raises(CostError, match="no class 'cat'; there are 'stay', 'churn'"):
            CHURN.cost("cat", "call")
        with pytest.raises(CostError, match="no decision 'cat'; there are 'ignore', 'call'"):
            CHURN.cost("stay", "cat")


class TestZeroOne:
    def test_every_error_costs_one(self) -> None:
        assert CostMatrix.zero_one(3).values.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]

    def test_takes_a_number_or_names(self) -> None:
        assert CostMatrix.zero_one(2).classes == (0, 1)
        assert CostMatrix.zero_one(np.int64(2)).classes == (0, 1)
        assert CostMatrix.zero_one(["x", "y"]).decisions == ("x", "y")

    def test_zero_classes_are_refused(self) -> None:
        with pytest.raises(CostError, match="must not be empty"):
            CostMatrix.zero_one(0)


class TestBinary:
    def test_the_second_class_is_positive(self) -> None:
        costs = CostMatrix.binary(
            false_positive=1, false_negative=10, true_positive=-3, true_negative=2
        )
        assert costs.values.tolist() == [[2, 1], [10, -3]]

    def test_names(self) -> None:
        costs = CostMatrix.binary(
            false_positive=1, false_negative=10, classes=["stay", "churn"], decisions=["no", "call"]
        )
        assert costs.cost("churn", "no") == 10
        assert costs.cost("stay", "call") == 1


class TestInversePrior:
    @given(st.lists(st.integers(1, 1000), min_size=2, max_size=6))
    def test_each_class_then_weighs_the_same(self, counts) -> None:
        """Always wrong costs sum_i P_i / (K P_i) = 1 (`ferrer2025` eq 6)."""
        priors = np.array(counts) / sum(counts)
        costs = CostMatrix.inverse_prior(priors)
        n = len(counts)
        np.testing.assert_allclose(priors @ costs.values, 1 - np.full(n, 1 / n))
        assert (np.diag(costs.values) == 0).all()

    def test_hand_arithmetic(self) -> None:
        costs = CostMatrix.inverse_prior([0.8, 0.2])
        assert costs.values.tolist() == [[0, 1 / (2 * 0.8)], [1 / (2 * 0.2), 0]]

    def test_a_mapping_names_the_classes(self) -> None:
        costs = CostMatrix.inverse_prior({"stay": 0.8, "churn": 0.2})
        assert costs.classes == ("stay", "churn")
        assert costs.cost("churn", "stay") == 1 / (2 * 0.2)

    def test_the_order_of_the_names_given_wins(self) -> None:
        costs = CostMatrix.inverse_prior({"stay": 0.8, "churn": 0.2}, classes=["churn", "stay"])
        assert costs.cost("churn", "stay") == 1 / (2 * 0.2)

    def test_a_zero_prior_cannot_be_inverted(self) -> None:
        with pytest.raises(CostError, match="positive to be inverted; 'b' has 0"):
            CostMatrix.inverse_prior([1.0, 0.0], classes=["a", "b"])

    def test_shares_must_add_to_one(self) -> None:
        with pytest.raises(PriorError, match=r"must add to 1; they add to 0\.5"):
            CostMatrix.inverse_prior([0.2, 0.3])


class TestFromUtilities:
    @given(matrices)
    def test_is_the_opposite_sign_and_its_own_inverse(self, values) -> None:
        costs = CostMatrix.from_utilities(values)
        np.testing.assert_array_equal(costs.values, -values)
        assert CostMatrix.from_utilities(costs.values) == CostMatrix(values)

    def test_names(self) -> None:
        costs = CostMatrix.from_utilities([[15, -35], [-335, 165]], classes=["a", "b"])
        assert costs.cost("b", "a") == 335


class TestExpected:
    @given(matrices, st.floats(0, 1))
    def test_is_linear(self, values, share) -> None:
        first, second = CostMatrix(values), CostMatrix(values[::-1] * 2 + 1)
        mixed = CostMatrix.expected([first, second], weights=[share, 1 - share])
        np.testing.assert_allclose(
            mixed.values, share * first.values + (1 - share) * second.values, atol=1e-6
        )

    def test_weights_default_to_equal_ones(self) -> None:
        mixed = CostMatrix.expected([CostMatrix([[0, 1]]), CostMatrix([[0, 5]])])
        assert mixed.values.tolist() == [[0, (1 + 5) / 2]]

    def test_names_are_kept(self) -> None:
        assert CostMatrix.expected([CHURN, CHURN.scaled(3)]).decisions == ("ignore", "call")

    def test_nothing_to_average(self) -> None:
        with pytest.raises(CostError, match="at least one cost matrix"):
            CostMatrix.expected([])

    def test_different_names_do_not_mix(self) -> None:
        with pytest.raises(CostError, match="must share all names"):
            CostMatrix.expected([CHURN, CostMatrix.zero_one(2)])

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([0.5, 0.6], r"`weights` must add to 1; they add to 1\.1"),
            ([1.5, -0.5], "`weights` must be finite and not negative"),
            ([1.0], "`weights` must give one share for each of the 2"),
        ],
    )
    def test_weights_are_shares(self, weights, message) -> None:
        with pytest.raises(PriorError, match=message):
            CostMatrix.expected([CHURN, CHURN], weights=weights)


class TestChanges:
    def test_abstention_adds_a_last_column(self) -> None:
        costs = CHURN.with_abstention(0.5)
        assert costs.decisions == ("ignore", "call", "abstain")
        assert costs.values.tolist() == [[0, 1, 0.5], [10, 0, 0.5]]

    def test_abstention_may_cost_differently_by_class(self) -> None:
        costs = CHURN.with_abstention([0.5, 2], name="ask a person")
        assert costs.cost("churn", "ask a person") == 2

    def test_abstention_name_must_be_new(self) -> None:
        with pytest.raises(CostError, match="'call' occurs twice"):
            CHURN.with_abstention(1, name="call")

    @given(matrices)
    def test_standardized_has_zero_minima_and_is_idempotent(self, values) -> None:
        standard = CostMatrix(values).standardized()
        assert (standard.values.min(axis=1) == 0).all()
        assert standard.standardized() == standard

    @given(matrices, st.floats(1e-3, 1e3))
    def test_scaled_multiplies_every_cell(self, values, factor) -> None:
        np.testing.assert_array_equal(CostMatrix(values).scaled(factor).values, values * factor)

    @pytest.mark.parametrize("factor", [0, -1, np.nan, np.inf])
    def test_factor_must_be_positive(self, factor) -> None:
        with pytest.raises(CostError, match="`factor` must be a positive number; got"):
            CHURN.scaled(factor)

    @given(
        hnp.arrays(np.float64, (3, 3), elements=st.integers(-20, 20).map(float)),
        st.integers(1, 8),
        st.lists(st.integers(-20, 20), min_size=3, max_size=3),
        st.tuples(st.integers(0, 8), st.integers(0, 8)),
    )
    def test_scaling_and_row_shifts_change_no_decision(self, values, factor, shifts, cuts):
        """`ferrer2025` section 2; with eighths as posteriors all sums are exact."""
        posteriors = np.diff([[0, *sorted(cuts), 8]]) / 8
        changed = values * factor + np.array(shifts, dtype=float)[:, None]
        assert bayes_decisions(posteriors, CostMatrix(values)) == bayes_decisions(
            posteriors, CostMatrix(changed)
        )


class TestEquality:
    def test_same_numbers_and_names(self) -> None:
        twin = CostMatrix(
            [[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"]
        )
        assert twin == CHURN
        assert hash(twin) == hash(CHURN)

    def test_other_numbers_or_names_differ(self) -> None:
        assert CostMatrix([[0, 1], [10, 0]]) != CHURN
        assert CHURN.scaled(2) != CHURN
        assert (CHURN == "churn") is False

    def test_minus_zero_equals_zero_and_hashes_like_it(self) -> None:
        assert CostMatrix([[0.0, 1.0]]) == CostMatrix([[-0.0, 1.0]])
        assert hash(CostMatrix([[0.0, 1.0]])) == hash(CostMatrix([[-0.0, 1.0]]))


class TestFrame:
    def test_one_row_per_cell(self) -> None:
        frame = CHURN.frame()
        assert frame.columns == ("truth", "decision", "cost")
        assert frame.rows()[2] == {"truth": "churn", "decision": "ignore", "cost": 10}

    def test_long_form_agrees_with_cost(self) -> None:
        costs = CostMatrix([[0, 1, 2], [3, 4, 5]], classes=["a", "b"], decisions=["x", "y", "z"])
        for row in costs.frame().rows():
            assert costs.cost(row["truth"], row["decision"]) == row["cost"]


def test_the_application_shares_the_matrix() -> None:
    assert Application(CHURN).costs is CHURN


class TestFrames:
    """A frame has names of its own; they are read by `from_frame`, never dropped."""

    def test_named_frames_are_refused(self):
        pd = pytest.importorskip("pandas", reason="a frame with names")
        table = pd.DataFrame({"ignore": [0, 40], "call": [4, 0]}, index=["stay", "churn"])
        with pytest.raises(CostError, match="whose names would be lost") as caught:
            CostMatrix(table)
        assert "from_frame" in caught.value.hint
        assert CostMatrix.from_frame(table).classes == ("stay", "churn")

    def test_names_given_beside_a_frame_count(self):
        pd = pytest.importorskip("pandas", reason="a frame with names")
        table = pd.DataFrame({"ignore": [0, 40], "call": [4, 0]})
        costs = CostMatrix(table, classes=["a", "b"], decisions=["c", "d"])
        assert costs.cost("b", "c") == 40

    def test_a_frame_without_names_is_an_array(self):
        pd = pytest.importorskip("pandas", reason="a frame without names")
        assert CostMatrix(pd.DataFrame([[0, 1], [10, 0]])).values.tolist() == [[0, 1], [10, 0]]

    def test_polars_has_names_always(self):
        pl = pytest.importorskip("polars", reason="a frame with names")
        with pytest.raises(CostError, match="whose names would be lost"):
            CostMatrix(pl.DataFrame({"a": [0, 1], "b": [1, 0]}))
