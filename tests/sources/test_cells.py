from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stakes.exceptions import DataError
from stakes.sources.cells import as_labels, as_numbers


class TestNumbers:
    @given(st.lists(st.floats(allow_nan=False), min_size=1))
    def test_round_trip_is_exact(self, values):
        cells = np.array([repr(value).encode() for value in values])
        assert as_numbers(cells, "p").tolist() == values

    @pytest.mark.parametrize("empty", ["", "NA", "nan", "NaN", "null", "None", "?", " "])
    def test_empty_cells_are_nan(self, empty):
        for kind in ("S", "U"):
            got = as_numbers(np.array(["0.5", empty], dtype=kind), "p")
            assert got[0] == 0.5
            assert np.isnan(got[1])

    def test_objects_with_gaps(self):
        got = as_numbers(np.array([0.5, None], dtype=object), "p")
        assert got[0] == 0.5
        assert np.isnan(got[1])

    def test_decimal_commas_only_where_they_can_be_meant(self):
        cells = np.array([b"0,5", b"1"])
        assert as_numbers(cells, "p", decimal_comma=True).tolist() == [0.5, 1.0]
        with pytest.raises(DataError, match="must hold numbers"):
            as_numbers(cells, "p")

    @pytest.mark.parametrize("kind", ["S", "U", object])
    @pytest.mark.parametrize(
        ("cells", "row", "hint"),
        [
            (["2,5", "1.000"], 2, "write 1.000 as 1000 or as 1, whichever it means"),
            (["2,5", "1.000,5"], 2, "write 1.000,5 as 1000,5"),
            (["2,5", "1.000.000"], 2, "write 1.000.000 as 1000000"),
            (["2,5", "0.5"], 2, "write 0.5 as 0,5"),
        ],
    )
    def test_a_point_beside_decimal_commas_is_asked_about(self, kind, cells, row, hint):
        with pytest.raises(DataError, match=f"row {row} holds '{cells[row - 1]}'") as caught:
            as_numbers(np.array(cells, dtype=kind), "amount", decimal_comma=True)
        assert caught.value.hint == hint

    def test_points_where_other_columns_have_decimal_commas(self):
        given = {"decimal_comma": True, "decimal_point": False}
        with pytest.raises(DataError, match=r"row 2 holds '1\.000'"):
            as_numbers(np.array([b"250", b"1.000"]), "amount", **given)
        points = np.array([b"0.250", b"1.000"])  # 0.250 can be nothing but a quarter
        assert as_numbers(points, "p", **given).tolist() == [0.25, 1.0]

    def test_text_is_refused_with_its_row(self):
        with pytest.raises(DataError) as caught:
            as_numbers(np.array([b"0.5", b"", b"abc", b"x"]), "p")
        assert caught.value.message == (
            "column 'p' must hold numbers; row 3 holds 'abc' (2 of 4 rows)."
        )
        assert caught.value.rows == (2, 3)

    def test_integers_of_arrays(self):
        assert as_numbers(np.array([0, 1], dtype=np.int8), "p").tolist() == [0.0, 1.0]


class TestLabels:
    @pytest.mark.parametrize("kind", ["S", "U", object])
    def test_names_are_sorted_and_coded(self, kind):
        labels = as_labels(np.array(["no", "yes", "no"], dtype=kind))
        assert labels.names == ("no", "yes")
        assert labels.codes.tolist() == [0, 1, 0]
        assert labels.counts.tolist() == [2, 1]

    def test_long_labels_are_not_confused(self):
        labels = as_labels(np.array([b"abcdefgh1", b"abcdefgh2"]))
        assert labels.names == ("abcdefgh1", "abcdefgh2")

    def test_spaces_are_left_out_and_reported(self):
        labels = as_labels(np.array([b" yes", b"yes", b"no"]))
        assert labels.names == ("yes", "no")
        assert labels.counts.tolist() == [2, 1]
        assert labels.trimmed == " yes"
        assert as_labels(np.array([b"yes", b"no"])).trimmed is None

    def test_empty_cells_are_minus_one(self):
        labels = as_labels(np.array([b"yes", b"", b"NA", b"no"]))
        assert labels.codes.tolist() == [1, -1, -1, 0]

    @pytest.mark.parametrize(
        "cells",
        [
            np.array([1, 0]),
            np.array([1.0, 0.0]),
            np.array([b"1.0", b"0.0"]),
            np.array([b"1", b"0"]),
            np.array([1, 0], dtype=object),
        ],
        ids=["integers", "floats", "float text", "integer text", "objects"],
    )
    def test_whole_numbers_are_spelt_alike(self, cells):
        labels = as_labels(cells)
        assert labels.names == ("0", "1")
        assert labels.codes.tolist() == [1, 0]

    def test_numbers_that_are_not_whole_keep_their_spelling(self):
        assert as_labels(np.array([b"1.0", b"0.5"])).names == ("0.5", "1.0")

    def test_booleans(self):
        assert as_labels(np.array([True, False])).names == ("False", "True")

    def test_numbers_sort_as_numbers(self):
        assert as_labels(np.array([10, 9, 2])).names == ("2", "9", "10")


@pytest.mark.parametrize("cells", [["0_1", "0.5"], [b"0.5", b"1_000"], ["", "1_0"]])
def test_an_underscore_is_no_part_of_a_number(cells):
    with pytest.raises(DataError, match=r"must hold numbers; row \d holds '\d_\d+' \(1 of 2"):
        as_numbers(np.array(cells), "p")


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("1.000,5", "1000.5"),
        ("1.000.000,50", "1000000.5"),
        ("1,000.5", "1000.5"),
        ("1 000,5", "1000.5"),
        ("0,125", "0.125"),
        ("12,5 %", "0.125"),
    ],
)
def test_numbers_that_are_written_otherwise(cell, meant):
    with pytest.raises(DataError) as caught:
        as_numbers(np.array([cell]), "p")
    assert caught.value.hint == f"write {cell} as {meant}"


@pytest.mark.parametrize("cell", ["1,5,6", "1.5e3,2", "1.00,5"])
def test_what_is_no_number_in_any_country(cell):
    with pytest.raises(DataError) as caught:
        as_numbers(np.array([cell]), "p")
    assert "write" not in caught.value.hint
