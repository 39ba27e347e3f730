from __future__ import annotations

import numpy as np
import pytest

from stakes import Application, ConfusionMatrix, CostMatrix
from stakes.report import Findings, ModelFinding, judge, record, verdict

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


def findings(*tables, priors=(0.9, 0.1), costs=COSTS, **more):
    app = Application(costs, priors=priors, **more)
    models = [
        judge(ConfusionMatrix(t, app.classes, app.decisions), app, name=f"m{k}")
        for k, t in enumerate(tables)
    ]
    naive = int(np.argmin(app.naive_costs))
    totals = np.sum(tables[0], axis=1)
    return Findings(
        "t.csv", float(totals.sum()), app, totals / totals.sum(), app.decisions[naive],
        app.naive_cost, tuple(models), totals, positive="yes",
    )  # fmt: skip


class TestJudge:
    def test_parts_add_to_the_cost(self):
        (model,) = findings([[80, 10], [2, 8]]).models
        assert model.cells.tolist() == [[0, pytest.approx(0.1)], [pytest.approx(0.2), 0]]
        assert model.cost == pytest.approx(0.1 + 0.2)
        assert model.nec == pytest.approx(0.3 / min(0.9, 1.0))

    def test_priors_of_the_application_weigh_the_classes(self):
        (model,) = findings([[80, 10], [2, 8]], priors=(0.5, 0.5)).models
        assert model.cost == pytest.approx(0.5 * 10 / 90 + 0.5 * 2 / 10 * 10)

    def test_undefined_when_a_constant_decision_is_perfect(self):
        (model,) = findings([[80, 10], [2, 8]], priors=(1.0, 0.0)).models
        assert model.nec is None


class TestFindings:
    def test_best_and_ranked(self):
        found = findings([[80, 10], [5, 5]], [[80, 10], [2, 8]])
        assert found.best.name == "m1"
        assert [model.name for model in found.ranked] == ["m1", "m0"]
        assert found.saving(found.best) == pytest.approx(0.9 - 0.3)

    def test_counts_out_of_a_thousand_where_it_will_run(self):
        found = findings([[80, 10], [2, 8]], priors=(0.5, 0.5))
        expected = [[500 * 80 / 90, 500 * 10 / 90], [500 * 0.2, 500 * 0.8]]
        assert np.allclose(found.per_thousand(found.best), expected)

    def test_costliest_cells_first(self):
        found = findings([[80, 10], [2, 8]])
        assert found.costliest(found.best) == [
            ("yes", "no", pytest.approx(0.2), pytest.approx(2 / 3)),
            ("no", "yes", pytest.approx(0.1), pytest.approx(1 / 3)),
        ]

    def test_frame(self):
        frame = findings([[80, 10], [2, 8]], volume=1000, period="year").frame()
        assert frame.columns == ("model", "nec", "cost", "saving", "total_saving", "act_when")
        assert frame["total_saving"][0] == pytest.approx(600)

    def test_savings_that_are_rounding_are_none(self):
        found = findings([[0, 90], [0, 10]])  # always yes, the naive decision
        assert found.saving(found.best) == 0.0


class TestVerdict:
    def test_deploy(self):
        assert verdict(findings([[80, 10], [2, 8]], unit="EUR", volume=250_000, period="year")) == (
            "Deploy m0. It avoids 67 % of the cost of always deciding 'yes': 150 000 EUR a year."
        )

    def test_deploy_at_a_threshold(self):
        found = findings([[80, 10], [2, 8]])
        model = judge(found.models[0].confusion, found.application, name="gbm",
                      rule="p > 0.091", threshold=1 / 11)  # fmt: skip
        with_rule = Findings("t", 100, found.application, found.data_priors, "yes", 0.9, (model,),
                             found.class_counts)  # fmt: skip
        assert verdict(with_rule).startswith("Deploy gbm at p > 0.091. It avoids 67 %")

    def test_equal_costs(self):
        said = verdict(findings([[80, 10], [2, 8]], [[80, 10], [2, 8]]))
        assert said.startswith("m0 or m1: they cost the same on these cases. Either avoids 67 %")

    def test_none(self):
        assert verdict(findings([[0, 90], [5, 5]])) == (
            "None: keep always deciding 'yes'. No model here costs less "
            "(the nearest, m0, costs 156 % of it)."
        )  # 0.9 + 0.5 over 0.9

    def test_nothing_to_decide(self):
        assert verdict(findings([[80, 10], [2, 8]], priors=(1.0, 0.0))) == (
            "Nothing to decide: always deciding 'no' is already perfect under these costs and "
            "shares."
        )

    def test_gains_speak_of_avoidable_cost(self):
        costs = CostMatrix([[-15, 35], [335, -165]], classes=["no", "yes"])
        assert "of the avoidable cost of" in verdict(findings([[80, 10], [2, 8]], costs=costs))

    def test_volume_without_a_period(self):
        assert verdict(findings([[80, 10], [2, 8]], volume=1000)).endswith(": 600 on 1 000 cases.")


class TestRecord:
    def test_round_trips_through_json(self):
        import json

        found = findings([[80, 10], [2, 8]])
        data = json.loads(json.dumps(record(found), allow_nan=False))
        (model,) = data["models"]
        assert model["counts"] == [[80, 10], [2, 8]]
        assert model["nec"] == found.best.nec
        assert data["application"]["priors"] == [0.9, 0.1]

    def test_an_interval_is_a_pair(self):
        found = findings([[80, 10], [2, 8]])
        model = found.models[0]
        sure = ModelFinding(model.name, model.confusion, model.cells, model.cost, model.nec,
                            interval=(0.2, 0.4))  # fmt: skip
        with_interval = Findings("t", 100, found.application, found.data_priors, "yes", 0.9,
                                 (sure,), found.class_counts)  # fmt: skip
        assert record(with_interval)["models"][0]["interval"] == [0.2, 0.4]
