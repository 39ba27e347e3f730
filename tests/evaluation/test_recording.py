"""What may be said about where an evaluation comes from."""

import json
from datetime import date

import numpy as np
import pytest

from stakes import CostMatrix, evaluate
from stakes.exceptions import DataError


@pytest.fixture(scope="module")
def ev():
    costs = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])
    return evaluate(["no", "yes"] * 20, {"a": [0, 1] * 20}, application=costs, rng=0)


WRITERS = {"json": "to_json", "html": "to_html", "record": "record"}


@pytest.mark.parametrize("writer", WRITERS.values())
@pytest.mark.parametrize("value", [date(2026, 1, 2), {1, 2}, object(), float("nan"), np.arange(2)])
def test_facts_that_json_cannot_hold_are_named(ev, writer, value):
    with pytest.raises(DataError, match=r"'when' is ") as caught:
        getattr(ev, writer)(facts={"source": "churn.csv", "when": value})
    assert caught.value.hint == "say it as text: facts={'when': str(...)}"


@pytest.mark.parametrize("writer", WRITERS.values())
def test_facts_need_names(ev, writer):
    with pytest.raises(DataError, match="`facts` must be a mapping from names; got list"):
        getattr(ev, writer)(facts=["churn.csv"])


def test_facts_are_kept_as_they_are_said(ev):
    facts = {"source": "churn.csv", "seed": np.int64(7), "folds": [1, 2], "share": np.float32(0.5)}
    kept = json.loads(ev.to_json(facts=facts))["facts"]
    assert kept == {"source": "churn.csv", "seed": 7, "folds": [1, 2], "share": 0.5}
    assert "churn.csv" in ev.to_html(facts=facts)
