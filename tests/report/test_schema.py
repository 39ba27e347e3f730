"""What `to_json` writes follows the published schema."""

import json

import numpy as np
import pytest

from stakes import Application, CaseCosts, ConfusionMatrix, CostMatrix, evaluate
from stakes.report import schema

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


def scores(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    return y, 1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.4)))


def evaluations():
    y, p = scores()
    yield evaluate(y, {"a": p, "b": 1 - p}, application=Application(COSTS, volume=10), rng=0)
    yield evaluate(y, {"a": p > 0.3}, application=COSTS, by=y % 2 == 1, rng=0, min_cases=0)
    yield evaluate(y[:20], {"a": p[:20]}, application=COSTS, rng=0)
    yield evaluate(None, {"a": ConfusionMatrix([[9, 1], [2, 8]], ["no", "yes"])}, application=COSTS)


def listed():
    y, p = scores()
    costs = CaseCosts.binary(false_positive=1.0, false_negative=1.0 + np.arange(len(y)))
    for ids in (None, [f"C-{k}" for k in range(len(y))]):
        yield evaluate(y, {"a": p}, costs=costs, ids=ids, rng=0)


def test_records_are_valid():
    jsonschema = pytest.importorskip(
        "jsonschema", reason="needs a validator: pip install jsonschema"
    )
    checker = jsonschema.Draft202012Validator(schema())
    checker.check_schema(schema())
    for ev in evaluations():
        checker.validate(json.loads(ev.to_json()))
    for ev in listed():
        checker.validate(json.loads(ev.to_json(costliest_cases=3)))


def test_every_field_is_described_and_none_is_missing():
    y, p = scores()
    record = evaluate(y, {"a": p}, application=COSTS, rng=0).record({"source": "t.csv"})
    assert {*record, "costliest_cases"} == set(schema()["properties"])
    assert set(record["models"][0]) == set(schema()["$defs"]["model"]["properties"])
    assert record["form"] == schema()["$id"]
    assert record["facts"] == {"source": "t.csv"}


def test_numbers_are_not_rounded():
    y, p = scores()
    ev = evaluate(y, {"a": p}, application=COSTS, rng=0)
    assert json.loads(ev.to_json())["models"][0]["nec"] == ev["a"].nec
