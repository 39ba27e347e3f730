"""Cost matrices from labelled tables."""

from __future__ import annotations

import numpy as np
import pytest

from stakes import CostMatrix
from stakes.exceptions import CostError, DataError

CHURN = CostMatrix([[0, 4], [40, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
COLUMNS = {"truth": ["stay", "churn"], "ignore": [0, 40], "call": [4.0, 0.0]}
TURNED = {"decision": ["ignore", "call"], "stay": [0, 4], "churn": [40, 0]}


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="reads pandas tables")


@pytest.fixture
def polars():
    return pytest.importorskip("polars", reason="reads Polars tables")


@pytest.fixture
def pyarrow():
    return pytest.importorskip("pyarrow", reason="reads pyarrow tables")


def test_an_array_has_no_names() -> None:
    with pytest.raises(CostError, match="must be a pandas, Polars or pyarrow table; got ndarray"):
        CostMatrix.from_frame(np.eye(2))


class TestPandas:
    def test_the_index_is_the_truth(self, pandas) -> None:
        table = pandas.DataFrame(COLUMNS).set_index("truth")
        assert CostMatrix.from_frame(table) == CHURN
        assert CostMatrix.from_frame(table.rename_axis(None)) == CHURN

    def test_an_index_called_decision_turns_the_table(self, pandas) -> None:
        assert CostMatrix.from_frame(pandas.DataFrame(TURNED).set_index("decision")) == CHURN

    def test_a_column_may_hold_the_truth(self, pandas) -> None:
        assert CostMatrix.from_frame(pandas.DataFrame(COLUMNS), truth="truth") == CHURN

    def test_a_forgotten_column_of_names_is_found_out(self, pandas) -> None:
        with pytest.raises(CostError, match="must be numbers; column 'truth' is") as caught:
            CostMatrix.from_frame(pandas.DataFrame(COLUMNS))
        assert "CostMatrix.from_frame(frame, truth='truth')" in str(caught.value.hint)

    def test_integer_names(self, pandas) -> None:
        table = pandas.DataFrame([[0, 1], [10, 0]], index=[3, 5], columns=[3, 5])
        costs = CostMatrix.from_frame(table.rename_axis("truth"))
        assert costs.cost(5, 3) == 10
        assert [type(name) for name in costs.classes] == [int, int]

    def test_the_table_is_not_shared(self, pandas) -> None:
        table = pandas.DataFrame(COLUMNS).set_index("truth").astype(float)
        costs = CostMatrix.from_frame(table)
        table.loc["churn", "ignore"] = -1
        assert costs == CHURN

    def test_missing_costs(self, pandas) -> None:
        table = pandas.DataFrame({"a": [1.0, None]}, index=["x", "y"])
        with pytest.raises(CostError, match="finite; row 1, column 0 is nan"):
            CostMatrix.from_frame(table)

    def test_missing_costs_of_a_nullable_column(self, pandas) -> None:
        table = pandas.DataFrame({"a": [1, None]}, index=["x", "y"]).astype("Int64")
        with pytest.raises(CostError, match=r"some are missing|must be finite"):
            CostMatrix.from_frame(table)

    def test_unknown_column(self, pandas) -> None:
        with pytest.raises(CostError, match="no column 'x'; there are 'truth', 'ignore', 'call'"):
            CostMatrix.from_frame(pandas.DataFrame(COLUMNS), truth="x")


class TestPolars:
    def test_the_first_column_is_the_truth(self, polars) -> None:
        assert CostMatrix.from_frame(polars.DataFrame(COLUMNS)) == CHURN

    def test_another_column_by_name(self, polars) -> None:
        table = polars.DataFrame(COLUMNS).select("ignore", "truth", "call")
        assert CostMatrix.from_frame(table, truth="truth") == CHURN

    def test_a_column_called_decision_turns_the_table(self, polars) -> None:
        assert CostMatrix.from_frame(polars.DataFrame(TURNED)) == CHURN

    def test_numbers_spelt_as_text_are_refused(self, polars) -> None:
        table = polars.DataFrame({"truth": ["a", "b"], "a": ["0", "1"], "b": [1, 0]})
        with pytest.raises(CostError, match="must be numbers; column 'a' is String"):
            CostMatrix.from_frame(table)

    def test_a_missing_name(self, polars) -> None:
        table = polars.DataFrame({"truth": ["a", None], "a": [0, 1]})
        with pytest.raises(DataError, match="`truth` has missing values; the first is row 1"):
            CostMatrix.from_frame(table)

    def test_no_columns(self, polars) -> None:
        with pytest.raises(CostError, match="must have columns; it has none"):
            CostMatrix.from_frame(polars.DataFrame())

    def test_a_lazy_frame_is_not_collected_behind_your_back(self, polars) -> None:
        with pytest.raises(CostError, match="got LazyFrame"):
            CostMatrix.from_frame(polars.LazyFrame(COLUMNS))


class TestPyarrow:
    def test_the_first_column_is_the_truth(self, pyarrow) -> None:
        assert CostMatrix.from_frame(pyarrow.table(COLUMNS)) == CHURN


def test_columns_that_polars_reads_as_patterns():
    pl = pytest.importorskip("polars", reason="the library that reads names as patterns")
    table = pl.DataFrame({"^b$": ["a", "b"], "a": [0, 5], "b": [1, 0]})
    made = CostMatrix.from_frame(table, truth="^b$")
    assert made.values.tolist() == [[0, 1], [5, 0]]
    assert list(made.decisions) == ["a", "b"]
