from __future__ import annotations

import json

from stakes.report import Findings, ModelFinding, record


def test_round_trips_through_json(findings):
    found = findings([[80, 10], [2, 8]])
    data = json.loads(json.dumps(record(found), allow_nan=False))
    (model,) = data["models"]
    assert model["counts"] == [[80, 10], [2, 8]]
    assert model["nec"] == found.best.nec
    assert data["application"]["priors"] == [0.9, 0.1]


def test_an_interval_is_a_pair(findings):
    found = findings([[80, 10], [2, 8]])
    model = found.models[0]
    sure = ModelFinding(model.name, model.confusion, model.cells, model.cost, model.nec,
                        interval=(0.2, 0.4))  # fmt: skip
    with_interval = Findings("t", 100, found.application, found.data_priors, "yes", 0.9,
                             (sure,), found.class_counts)  # fmt: skip
    assert record(with_interval)["models"][0]["interval"] == [0.2, 0.4]


def test_a_threshold_that_json_cannot_hold_is_none(findings):
    found = findings([[80, 10], [2, 8]])
    model = found.models[0]
    never = ModelFinding(model.name, model.confusion, model.cells, model.cost, model.nec,
                         rule="never", threshold=float("inf"))  # fmt: skip
    made = Findings("t", 100, found.application, found.data_priors, "yes", 0.9, (never,),
                    found.class_counts)  # fmt: skip
    assert record(made)["models"][0]["threshold"] is None
