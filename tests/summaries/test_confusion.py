"""ConfusionMatrix: counting, names, merging, rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes import Application, ConfusionMatrix, CostMatrix, PairedCounts, ScoreCounts
from stakes.exceptions import DataError, LabelError, MergeError
from stakes.metrics import accuracy, auc, catalogue

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=60)


def _counted(pairs, **keywords):
    truth, chosen = zip(*pairs, strict=True)
    return ConfusionMatrix.from_decisions(
        truth, chosen, classes=range(4), decision_names=range(5), **keywords
    )


class TestFromDecisions:
    @given(LABELS)
    def test_against_a_loop(self, pairs):
        table = np.zeros((4, 5), dtype=int)
        for i, j in pairs:
            table[i, j] += 1
        np.testing.assert_array_equal(_counted(pairs).counts, table)

    @given(LABELS, st.integers(0, 60))
    def test_merging_parts_equals_one_batch(self, pairs, cut):
        first, second = pairs[:cut], pairs[cut:]
        parts = [_counted(part) for part in (first, second) if part]
        assert sum(parts) == _counted(pairs)

    @given(LABELS, st.data())
    def test_integer_weights_equal_repeated_rows(self, pairs, data):
        weights = data.draw(st.lists(st.integers(0, 4), min_size=len(pairs), max_size=len(pairs)))
        if not any(weights):
            weights[0] = 1
        repeated = [pair for pair, w in zip(pairs, weights, strict=True) for _ in range(w)]
        np.testing.assert_array_equal(
            _counted(pairs, sample_weight=weights).counts, _counted(repeated).counts
        )

    @given(LABELS, st.permutations(range(4)))
    def test_relabelling_permutes_the_rows(self, pairs, order):
        renamed = [(order[i], j) for i, j in pairs]
        np.testing.assert_array_equal(_counted(renamed).counts[order], _counted(pairs).counts)

    @pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.int64, np.uint32, bool])
    @pytest.mark.parametrize("size", [1, 5, 32768, 32769, 70_000])
    def test_integer_types_and_block_edges(self, kind, size):
        rng = np.random.default_rng(size)
        truth, chosen = (rng.integers(0, 2, size).astype(kind) for _ in range(2))
        expected = [[np.sum((truth == i) & (chosen == j)) for j in (0, 1)] for i in (0, 1)]
        matrix = ConfusionMatrix.from_decisions(
            truth, chosen, classes=["a", "b"], decision_names=["x", "y"]
        )
        np.testing.assert_array_equal(matrix.counts, expected)

    def test_bytes_of_different_signs(self):
        truth = np.array([0, 1, 1], dtype=np.int8)
        chosen = np.array([1, 1, 0], dtype=np.uint8)
        matrix = ConfusionMatrix.from_decisions(truth, chosen, classes=[0, 1])
        np.testing.assert_array_equal(matrix.counts, [[0, 1], [1, 1]])

    def test_strings_infer_the_sorted_union(self):
        matrix = ConfusionMatrix.from_decisions(["b", "b"], ["c", "b"])
        assert matrix.classes == matrix.decisions == ("b", "c")
        np.testing.assert_array_equal(matrix.counts, [[1, 1], [0, 0]])

    def test_unseen_names_are_kept_in_the_given_order(self):
        matrix = ConfusionMatrix.from_decisions(
            ["a"], ["b"], classes=["z", "a"], decision_names=["b", "y"]
        )
        np.testing.assert_array_equal(matrix.counts, [[0, 0], [1, 0]])

    def test_extra_decisions_follow_the_classes(self):
        matrix = ConfusionMatrix.from_decisions(
            ["cat", "dog"], ["ask", "cat"], classes=["dog", "cat"]
        )
        assert matrix.decisions == ("dog", "cat", "ask")

    def test_integers_are_positions_among_named_classes(self):
        matrix = ConfusionMatrix.from_decisions([0, 1, 1], [1, 1, 0], classes=["no", "yes"])
        np.testing.assert_array_equal(matrix.counts, [[0, 1], [1, 1]])

    @pytest.mark.parametrize(
        "names", [["True", "False"], ["true", "false"], ["TRUE", "FALSE"], ["1", "0"]], ids=str
    )
    def test_booleans_are_the_names_written_like_them(self, names):
        truth, chosen = [True, True, True, False], [True, True, False, False]
        turned = ConfusionMatrix.from_decisions(truth, chosen, classes=names)
        assert turned.counts.tolist() == [[2, 1], [0, 1]]
        ordered = ConfusionMatrix.from_decisions(truth, chosen, classes=names[::-1])
        assert ordered.counts.tolist() == [[1, 0], [1, 2]]

    def test_booleans_are_positions_among_other_names(self):
        matrix = ConfusionMatrix.from_decisions([True] * 2, [True, False], classes=["no", "yes"])
        assert matrix.counts.tolist() == [[0, 0], [1, 1]]

    def test_a_boolean_that_is_not_named_beside_the_other_is_refused(self):
        with pytest.raises(LabelError, match="holds False, not among the names"):
            ConfusionMatrix.from_decisions([True, False], [True, True], classes=["True", "other"])

    def test_integer_names_are_names_not_positions(self):
        matrix = ConfusionMatrix.from_decisions([10, 20], [20, 20], classes=[20, 10])
        np.testing.assert_array_equal(matrix.counts, [[1, 0], [1, 0]])

    def test_whole_floats_match_integer_names(self):
        matrix = ConfusionMatrix.from_decisions([0.0, 1.0], [1.0, 1.0], classes=[0, 1])
        np.testing.assert_array_equal(matrix.counts, [[0, 1], [0, 1]])

    def test_booleans(self):
        matrix = ConfusionMatrix.from_decisions([True, False], [True, True])
        assert matrix.classes == (False, True)
        np.testing.assert_array_equal(matrix.counts, [[0, 1], [0, 1]])

    def test_read_only_and_untouched(self):
        truth, weights = np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0])
        truth.flags.writeable = weights.flags.writeable = False
        matrix = ConfusionMatrix.from_decisions(truth, truth, sample_weight=weights)
        np.testing.assert_array_equal(matrix.counts, [[1, 0], [0, 5]])
        with pytest.raises(ValueError, match="read-only"):
            matrix.counts[0, 0] = 7

    def test_caller_keeps_its_table(self):
        table = np.array([[1, 2], [3, 4]])
        matrix = ConfusionMatrix(table)
        table[0, 0] = 99
        assert matrix.counts[0, 0] == 1


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
class TestColumns:
    def _column(self, library, values):
        module = pytest.importorskip(library, reason=f"needs {library}")
        return module.array(values) if library == "pyarrow" else module.Series(values)

    def test_strings(self, library):
        matrix = ConfusionMatrix.from_decisions(
            self._column(library, ["a", "b", "b"]), self._column(library, ["a", "a", "b"])
        )
        np.testing.assert_array_equal(matrix.counts, [[1, 0], [1, 1]])

    def test_missing_value_is_refused(self, library):
        with pytest.raises(DataError, match=r"`y_true` has missing values; the first is row 1"):
            ConfusionMatrix.from_decisions(
                self._column(library, ["a", None]), self._column(library, ["a", "a"])
            )

    def test_integers(self, library):
        matrix = ConfusionMatrix.from_decisions(
            self._column(library, [0, 1, 1]), self._column(library, [0, 0, 1])
        )
        np.testing.assert_array_equal(matrix.counts, [[1, 0], [1, 1]])


def test_pandas_categorical_and_odd_index():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    truth = pandas.Series(pandas.Categorical(["b", "a", "b"], categories=["b", "a", "c"]))
    chosen = pandas.Series(["b", "b", "a"], index=[7, 3, 5])
    matrix = ConfusionMatrix.from_decisions(truth, chosen, classes=["a", "b", "c"])
    np.testing.assert_array_equal(matrix.counts, [[0, 1, 0], [1, 1, 0], [0, 0, 0]])


class TestErrors:
    def test_lengths_differ(self):
        with pytest.raises(DataError, match="`y_true` has 3 rows but `decisions` has 2"):
            ConfusionMatrix.from_decisions([0, 1, 1], [0, 1])

    def test_unknown_label_lists_both(self):
        with pytest.raises(LabelError) as caught:
            ConfusionMatrix.from_decisions(["a", "x", "x"], ["a", "a", "a"], classes=["a", "b"])
        assert caught.value.message == (
            "`y_true` holds 'x', not among the names 'a', 'b' (or their positions 0 to 1); "
            "first at row 1 (2 of 3 rows)."
        )
        assert caught.value.rows == (1, 2)

    @pytest.mark.parametrize("kind", [np.uint8, np.int64])
    def test_position_out_of_range(self, kind):
        with pytest.raises(LabelError, match=r"`decisions` holds 2, .* first at row 1"):
            ConfusionMatrix.from_decisions(
                np.array([0, 1], kind), np.array([1, 2], kind), classes=["a", "b"]
            )

    def test_negative_position(self):
        with pytest.raises(LabelError, match="`y_true` holds -1"):
            ConfusionMatrix.from_decisions([0, -1], [0, 1], classes=["a", "b"])

    def test_fractional_labels_among_integers(self):
        with pytest.raises(LabelError, match=r"holds 0\.5"):
            ConfusionMatrix.from_decisions([0.5, 1.0], [0, 1], classes=[0, 1])

    def test_nan_label(self):
        with pytest.raises(DataError, match=r"`y_true` has missing values; the first is row 1"):
            ConfusionMatrix.from_decisions([0.0, np.nan], [0, 1])

    @pytest.mark.parametrize("bad", [-1.0, np.inf])
    def test_bad_weight(self, bad):
        with pytest.raises(DataError, match="`sample_weight` must be finite and not negative"):
            ConfusionMatrix.from_decisions([0, 1], [0, 1], sample_weight=[1.0, bad])

    def test_missing_weight(self):
        with pytest.raises(DataError, match="`sample_weight` has missing values"):
            ConfusionMatrix.from_decisions([0, 1], [0, 1], sample_weight=[1.0, np.nan])

    def test_weights_that_are_all_zero(self):
        with pytest.raises(DataError, match="zero for every case"):
            ConfusionMatrix.from_decisions([0, 1], [0, 1], sample_weight=[0, 0])

    @pytest.mark.parametrize("thing", [None, 5, "abc", {"a": 1}, {1}])
    def test_not_a_column(self, thing):
        with pytest.raises(DataError, match="`y_true` must be a column with one entry per case"):
            ConfusionMatrix.from_decisions(thing, [1])

    def test_rows_of_unequal_size(self):
        with pytest.raises(DataError, match="rows of unequal size"):
            ConfusionMatrix.from_decisions([[1], [1, 2]], [1, 0])

    def test_nothing_at_all(self):
        with pytest.raises(DataError, match="there are no cases and no names"):
            ConfusionMatrix.from_decisions([], [])

    def test_negative_count(self):
        with pytest.raises(DataError, match="row 0, column 1 is -2"):
            ConfusionMatrix([[1, -2], [0, 1]])

    def test_merging_other_names(self):
        with pytest.raises(MergeError, match="same classes and decisions"):
            ConfusionMatrix([[1]], classes=["a"]) + ConfusionMatrix([[1]], classes=["b"])

    def test_two_dimensional_labels(self):
        with pytest.raises(DataError, match="`y_true` must be one-dimensional"):
            ConfusionMatrix.from_decisions(np.zeros((2, 2)), [0, 1])

    def test_mixed_kinds_ask_for_an_order(self):
        with pytest.raises(LabelError, match="cannot be ordered"):
            ConfusionMatrix.from_decisions([1, "a"], [1, "a"])

    def test_single_string_is_not_a_list_of_names(self):
        with pytest.raises(DataError, match="the single string 'ab'"):
            ConfusionMatrix([[1, 0], [0, 1]], classes="ab")


class TestReadings:
    MATRIX = ConfusionMatrix(
        [[8, 2, 0], [1, 6, 3]], classes=["no", "yes"], decisions=["n", "y", "ask"]
    )

    def test_rates_and_priors(self):
        np.testing.assert_allclose(self.MATRIX.rates, [[0.8, 0.2, 0.0], [0.1, 0.6, 0.3]])
        np.testing.assert_allclose(self.MATRIX.priors, [0.5, 0.5])

    def test_rates_of_an_absent_class_are_nan(self):
        assert np.isnan(ConfusionMatrix([[0, 0], [1, 1]]).rates[0]).all()

    def test_priors_without_cases_are_nan(self):
        assert np.isnan(ConfusionMatrix([[0, 0], [0, 0]]).priors).all()

    def test_with_priors_keeps_rates_and_total(self):
        moved = self.MATRIX.with_priors({"yes": 0.1, "no": 0.9})
        np.testing.assert_allclose(moved.rates, self.MATRIX.rates)
        np.testing.assert_allclose(moved.priors, [0.9, 0.1])
        assert moved.total == pytest.approx(20)

    def test_with_priors_of_an_absent_class(self):
        with pytest.raises(DataError, match="no case of 0 in the data"):
            ConfusionMatrix([[0, 0], [1, 1]]).with_priors([0.5, 0.5])

    def test_text_form(self):
        assert str(self.MATRIX) == (
            "truth \\ decision  n  y  ask  total\n"
            "no                8  2    0     10\n"
            "yes               1  6    3     10"
        )

    def test_frame(self):
        frame = self.MATRIX.frame()
        assert frame.columns == ("truth", "decision", "count", "rate")
        assert frame.rows()[5] == {"truth": "yes", "decision": "ask", "count": 3, "rate": 0.3}

    def test_counts_stay_integers_and_weights_floats(self):
        assert self.MATRIX.counts.dtype == np.int64
        assert ConfusionMatrix([[0.5, 1], [1, 1]]).counts.dtype == np.float64


def test_against_sklearn():
    sklearn_metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    rng = np.random.default_rng(0)
    truth, chosen = rng.choice(["x", "y", "z"], (2, 500))
    weights = rng.random(500)
    expected = sklearn_metrics.confusion_matrix(truth, chosen, sample_weight=weights)
    ours = ConfusionMatrix.from_decisions(truth, chosen, sample_weight=weights)
    np.testing.assert_allclose(ours.counts, expected, rtol=1e-12)


class TestHugeCounts:
    """Sums of cells beyond 64-bit integers, and products beyond floats."""

    @pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
    @pytest.mark.parametrize("unit", [2**53, 2**58, 2**61, 2**62])
    def test_totals(self, unit, kind):
        if kind is np.int64 and unit == 2**62:
            unit = 2**62 - 1
        cm = ConfusionMatrix(np.array([[unit, unit], [unit, unit]], dtype=kind))
        assert cm.total == 4.0 * unit
        assert cm.class_totals.tolist() == cm.decision_totals.tolist() == [2.0 * unit] * 2
        assert cm.priors.tolist() == [0.5, 0.5]
        assert accuracy(cm) == 0.5

    def test_up_to_what_floats_hold_counts_are_integers(self):
        assert ConfusionMatrix([[2**53 - 4, 1], [1, 1]]).counts.dtype == np.int64
        assert ConfusionMatrix([[2**53, 1], [1, 1]]).counts.dtype == np.float64

    def test_sums_that_are_not_finite_are_refused(self):
        with pytest.raises(DataError, match="add to a finite number"):
            ConfusionMatrix([[1.7e308, 1.7e308], [0, 1]])

    @pytest.mark.parametrize("size", [2, 3])
    @pytest.mark.parametrize("unit", [2**57, 2.0**800, 2.0**-800])
    def test_every_metric_is_that_of_the_table_in_another_unit(self, unit, size):
        plain = np.array([[50, 20, 3], [10, 40, 9], [2, 2, 8]])[:size, :size]
        app = Application(CostMatrix.zero_one(size))
        for metric in catalogue.tables():
            if (metric.classes == "two" and size > 2) or metric.name == "total_classification_cost":
                continue
            known = {"application": app, "priors": 0.2, "beta": 2.0, "threshold": 0.3,
                     "weight": 0.7, "alpha": 2.0, "shares": [0.2, 0.3]}  # fmt: skip
            ready = metric.fixed(**{name: known[name] for name in metric.needs})
            names = range(size)
            expected = ready(ConfusionMatrix(plain, names))
            assert ready(ConfusionMatrix(plain * unit, names)) == pytest.approx(expected), metric

    def test_adding(self):
        cm = ConfusionMatrix([[2**52, 0], [0, 1]])
        for _ in range(12):
            cm = cm + cm
        assert cm.counts.tolist() == [[2.0**64, 0], [0, 2.0**12]]

    def test_scores(self):
        sc = ScoreCounts(np.array([0.0, 2.0]), np.array([1.0]), np.array([2**62, 2**62]),
                         np.array([2**62]), kind="rank")  # fmt: skip
        assert sc.class_totals.tolist() == [2.0**63, 2.0**62]
        assert auc(sc) == 0.5
        assert auc(sc + sc) == 0.5

    def test_joint_counts(self):
        pc = PairedCounts([[0, 0, 0], [1, 1, 0]], [2**62, 2**62], ("a", "b"), (0, 1), (0, 1))
        assert pc.total == 2.0**63
        assert accuracy((pc + pc).confusion("b")) == 0.5
