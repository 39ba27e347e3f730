"""Frame: the light table behind every `.frame()`."""

import numpy as np
import pytest

from stakes.exceptions import DataError
from stakes.results import Frame

TABLE = Frame({"model": ["a", "b"], "cost": np.array([0.125, 12.0]), "note": [None, "x"]})


def test_columns_shape_and_rows():
    assert TABLE.columns == ("model", "cost", "note")
    assert TABLE.shape == (2, 3)
    assert TABLE.rows()[1] == {"model": "b", "cost": 12.0, "note": "x"}
    assert list(TABLE) == ["model", "cost", "note"]


def test_text_is_aligned():
    assert str(TABLE) == "model  cost   note\na      0.125  None\nb      12     x"


def test_unknown_column_lists_the_known():
    with pytest.raises(KeyError, match="no column 'kost'; there are model, cost, note"):
        _ = TABLE["kost"]


def test_unequal_lengths():
    with pytest.raises(DataError, match=r"equal lengths; got \{'a': 1, 'b': 2\}"):
        Frame({"a": [1], "b": [1, 2]})


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_to_a_data_frame(library):
    pytest.importorskip(library, reason=f"needs {library}")
    frame = getattr(TABLE, f"to_{library}")()
    assert list(frame.columns) == ["model", "cost", "note"]
    assert list(frame["cost"]) == [0.125, 12.0]


def test_empty():
    assert Frame({}).shape == (0, 0)
    assert str(Frame({"a": []})) == "a"


def test_a_cell_stays_in_its_line():
    assert str(Frame({"model": ["a\nb\x1b"], "n": [1]})) == "model  n\na␤b␛   1"
