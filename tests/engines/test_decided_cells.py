"""Cells that are no numbers are refused in frames of pandas, which would make numbers of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from stakes import Application, DecisionRule
from stakes.exceptions import DataError

TWO = [[0, 1], [10, 0]]


@pytest.mark.parametrize(
    ("cells", "kind", "said"),
    [
        ([0.05, True], object, "True"),
        ([None, np.True_], object, r"(np\.)?True"),
        ([0.05, 0.5 + 1j], complex, r"\(0.05\+0j\)"),
        ([0.05, np.complex64(0.5)], object, r".*0\.5\+0j"),
        ([0.05, np.datetime64(1, "ns")], object, ".*1970"),
    ],
)
def test_cells_that_pandas_would_make_numbers_of(cells, kind, said):
    frame = pd.DataFrame({"p": [0.05, 0.5]})
    frame["p"] = np.array(cells, dtype=kind)
    rule = DecisionRule(Application(TWO), columns="p")
    for decide in (rule.decide, lambda f: rule.decide_frame(f, on_error="column")):
        with pytest.raises(DataError, match=f"column 'p' must hold numbers; it holds {said}"):
            decide(frame)
    frame["p"] = np.array([0.05, "0.5"], dtype=object)  # text that is a number is one
    assert rule.decide(frame).tolist() == [0, 1]


def test_truth_values_among_the_columns_of_costs_are_numbers():
    frame = pd.DataFrame({"p": [0.05, 0.5], "owed": [0, 0]})
    frame["owed"] = np.array([True, False], dtype=object)
    rule = DecisionRule(
        Application(TWO),
        per_case=True,
        case_costs=(("0", "1"), ("100 * owed", "0")),
        columns="p",
    )
    assert rule.decide(frame).tolist() == [1, 0]
