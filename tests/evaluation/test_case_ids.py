"""Cases named by ids, in lists of the costliest ones."""

import json

import numpy as np
import pytest

from stakes import CaseCosts, ConfusionMatrix, evaluate
from stakes.exceptions import DataError

NAMES = {"classes": ("good", "bad"), "decisions": ("lend", "refuse")}
COSTS = CaseCosts.binary(false_negative=[1.0, 2, 30, 4], false_positive=5.0, **NAMES)
IDS = ["L-1", "L-2", "L-3", "L-4"]


def judged(**more):
    models = {"d": [0, 1, 0, 0]}
    return evaluate([0, 0, 1, 1], models, application=COSTS, min_cases=1, rng=0, **more)


def test_by_hand():
    found = judged().costliest_cases(2)
    assert found.columns == ("row", "truth", "decision", "cost", "share")
    assert found.rows()[0] == {
        "row": 2,
        "truth": "bad",
        "decision": "lend",
        "cost": 30.0,
        "share": pytest.approx(30 / (30 + 5 + 4)),
    }
    assert found["row"].tolist() == [2, 1]


@pytest.mark.parametrize("ids", [IDS, np.array(IDS), np.array(IDS, dtype=object)])
def test_ids_name_the_cases(ids):
    ev = judged(ids=ids)
    assert ev.costliest_cases(2)["id"].tolist() == ["L-3", "L-2"]
    page = ev.to_html(costliest_cases=2)
    assert "lists 2 cases by their id" in page
    assert "L-3" in page
    assert "L-2" in page
    assert "L-1" not in page
    held = json.loads(ev.to_json(costliest_cases=1))["costliest_cases"]
    assert [case["id"] for case in held] == ["L-3"]
    assert "costliest_cases" not in json.loads(ev.to_json())


def test_repeated_rows_keep_row_and_id():
    times, twice = [1, 2, 1, 1], [0, 1, 1, 2, 3]
    ev = judged(ids=IDS, counts=times)
    costs = CaseCosts(COSTS.values[twice], **NAMES)
    said = evaluate([0, 0, 0, 1, 1], {"d": [0, 1, 1, 0, 0]}, application=costs, min_cases=1, rng=0)
    assert ev.costliest_cases(3)["id"].tolist() == ["L-3", "L-2", "L-2"]
    assert ev.costliest_cases(3)["row"].tolist() == [2, 1, 1]
    assert ev.costliest_cases(3)["share"].tolist() == said.costliest_cases(3)["share"].tolist()


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (IDS[:3], "`ids`"),
        (["a", "b", None, "d"], "`ids` has missing values"),
        ([["a", "b"]] * 4, "`ids`"),
        ("L-1", "`ids`"),
    ],
)
def test_odd_ids_are_refused(ids, said):
    with pytest.raises(DataError, match=said):
        judged(ids=ids)


def test_ids_in_another_order_are_refused():
    pandas = pytest.importorskip("pandas", reason="row labels: pip install pandas")
    ids, labels = pandas.Series(IDS, index=[3, 2, 1, 0]), pandas.Series([0, 0, 1, 1])
    with pytest.raises(DataError, match="another order"):
        evaluate(labels, {"d": [0, 1, 0, 0]}, application=COSTS, min_cases=1, ids=ids)


def test_counts_have_no_ids():
    table = ConfusionMatrix([[5, 1], [2, 9]])
    with pytest.raises(DataError, match="`ids` cannot be used with confusion matrices"):
        evaluate(None, {"a": table}, costs={"fn": 2, "fp": 1}, ids=IDS)


def test_cases_that_cost_alike_are_not_listed():
    ev = evaluate([0, 1] * 20, {"d": [0, 1] * 19 + [1, 0]}, costs={"fn": 2, "fp": 1})
    for ask in (ev.costliest_cases, lambda: ev.to_html(costliest_cases=2)):
        with pytest.raises(DataError, match="the same in every case"):
            ask()
    with pytest.raises(DataError, match="`costliest_cases` must be a whole number"):
        judged().costliest_cases(-1)
