"""What is said about columns whose type cannot hold what they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stakes import Application, CostMatrix, evaluate_frame
from stakes.engines import Request, reduce_frame
from stakes.exceptions import CostError, DataError, LabelError, PosteriorError

pd = pytest.importorskip("pandas", reason="needs pandas")

TEXT = Application(CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"]))
WHOLE = Application(CostMatrix([[0, 1], [10, 0]]))
Y = np.array([0, 1] * 20)
AS_INTEGERS = "frame['y'].astype(int)"


def judged(y: Any, app: Application = TEXT, **options: Any) -> Any:
    frame = pd.DataFrame({"y": y, "p": np.where(Y == 1, 0.9, 0.1), "amount": 5.0})
    return evaluate_frame(frame, label="y", posteriors=["p"], application=app, rng=0, **options)


@pytest.mark.parametrize("app", [TEXT, WHOLE], ids=["text", "whole"])
@pytest.mark.parametrize(
    "y", [pd.Categorical(Y), Y.astype(object), Y.astype(str)], ids=["categories", "object", "text"]
)
def test_integers_in_a_column_of_another_type_are_told_how_to_become_some(y, app):
    with pytest.raises(LabelError) as caught:
        judged(y, app)
    by_sign = "positive='1' or positive='0'"  # text and costs without names: which one is it?
    text = isinstance(y[0], str) and app is WHOLE
    assert (by_sign if text else AS_INTEGERS) in str(caught.value.hint)
    assert "positions 0 to 1" not in caught.value.message  # they would not be read from there


def test_positions_are_named_where_they_would_be_read():
    with pytest.raises(LabelError, match=r"holds 2, not among .* \(or positions 0 to 1\)"):
        judged(np.where(Y == 1, 2, 0))
    assert judged(Y).n_cases == 40


def test_a_column_of_nothing():
    pl = pytest.importorskip("polars", reason="needs Polars")
    frame = pl.DataFrame({"y": [None] * 40, "p": [0.5] * 40})
    with pytest.raises(LabelError, match="does it hold any value at all"):
        evaluate_frame(frame, label="y", posteriors=["p"], application=TEXT)


@pytest.mark.parametrize("amount", [np.nan, np.inf, None, [1.0]])
def test_amounts_that_are_no_numbers_are_not_taken_for_columns(amount):
    why = "truth 'yes', decision 'no' must be a finite number"
    with pytest.raises(CostError, match="lacks 'fn'" if amount is None else why):
        judged(Y, case_costs={"fn": amount, "fp": 1})


def test_formulas_name_the_columns_they_miss():
    with pytest.raises(DataError, match="there is no column 'amounts'"):
        judged(Y, case_costs={"fn": "amounts", "fp": 1})


@pytest.mark.parametrize("values", [[[1], [2], [1]], [{"a": 1}, {"a": 2}, {"a": 1}]])
def test_slices_by_lists_or_records_are_refused(values):
    pl = pytest.importorskip("polars", reason="has columns of lists")
    rows = pl.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.4, 0.9], "g": values})
    request = Request("y", {"m": "p"}, applications=Application([[0, 1], [5, 0]]), by=["g"])
    with pytest.raises(DataError, match="column 'g' of `by` must hold single values; it holds "):
        reduce_frame(rows, request)


@pytest.mark.parametrize(
    ("label", "score", "part", "weight"),
    [("^y$", "^p$", "*", "^w$"), ("*", "^.*$", "^y$", "w"), ("y", "*", "g", "^p.*$")],
)
@pytest.mark.parametrize("lazy", [False, True])
def test_names_that_polars_reads_as_patterns(label, score, part, weight, lazy):
    pl = pytest.importorskip("polars", reason="the library that reads names as patterns")
    n = 60
    y = [k % 2 for k in range(n)]
    good = [0.1 + 0.5 * each + 0.05 * (k % 7) for k, each in enumerate(y)]
    bad = [k * 37 % 100 / 100 for k in range(n)]
    parts = ["a" if k % 3 else "b" for k in range(n)]
    weights = [1.0 + k % 3 for k in range(n)]
    others = {"y": [1 - each for each in y], "p": bad, "g": parts[::-1], "w": [1.0] * n, "pp": bad}
    frame = pl.DataFrame(others | {label: y, score: good, part: parts, weight: weights})
    plain = pl.DataFrame({"y": y, "p": good, "g": parts, "w": weights})
    app = Application([[0, 1], [3, 0]])
    request = Request(label, {"m": score}, applications=app, sample_weight=weight, by=part)
    expected = Request("y", {"m": "p"}, applications=app, sample_weight="w", by="g")
    one = reduce_frame(frame.lazy() if lazy else frame, request)
    other = reduce_frame(plain, expected)
    assert set(one.slices) == set(other.slices) == {("a",), ("b",)}
    assert one.confusion().counts.tolist() == other.confusion().counts.tolist()
    wrong = frame.with_columns(pl.Series(score, [7.0, *good[1:]]))
    with pytest.raises(PosteriorError) as caught:
        reduce_frame(wrong.lazy() if lazy else wrong, request)
    assert f"e.g. {score} = 7.0 (1 of 60 rows)" in caught.value.message


def test_names_that_are_used_while_rows_are_counted():
    pl = pytest.importorskip("polars", reason="any frame")
    frame = pl.DataFrame({"y": [0, 1], "p": [0.2, 0.7], "stakes_rows": ["a", "b"]})
    request = Request("y", {"m": "p"}, applications=Application([[0, 1], [3, 0]]), by="stakes_rows")
    with pytest.raises(DataError, match="'stakes_rows' has a name that is used"):
        reduce_frame(frame, request)
