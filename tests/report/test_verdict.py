from __future__ import annotations

from stakes import CostMatrix
from stakes.report import Findings, judge, verdict


def test_deploy(findings):
    assert verdict(findings([[80, 10], [2, 8]], unit="EUR", volume=250_000, period="year")) == (
        "Deploy m0. It avoids 67 % of the cost of always deciding 'yes': 150 000 EUR a year."
    )


def test_deploy_at_a_threshold(findings):
    found = findings([[80, 10], [2, 8]])
    model = judge(found.models[0].confusion, found.application, name="gbm",
                  rule="p > 0.091", threshold=1 / 11)  # fmt: skip
    with_rule = Findings("t", 100, found.application, found.data_priors, "yes", 0.9, (model,),
                         found.class_counts)  # fmt: skip
    assert verdict(with_rule).startswith("Deploy gbm at p > 0.091. It avoids 67 %")


def test_equal_costs(findings):
    said = verdict(findings([[80, 10], [2, 8]], [[80, 10], [2, 8]]))
    assert said.startswith("m0 or m1: they cost the same on these cases. Either avoids 67 %")


def test_none(findings):
    assert verdict(findings([[0, 90], [5, 5]])) == (
        "None: keep always deciding 'yes'. No model here costs less "
        "(the nearest, m0, costs 156 % of it)."
    )  # 0.9 + 0.5 over 0.9


def test_nothing_to_decide(findings):
    assert verdict(findings([[80, 10], [2, 8]], priors=(1.0, 0.0))) == (
        "Nothing to decide: always deciding 'no' is already perfect under these costs and shares."
    )


def test_gains_speak_of_avoidable_cost(findings):
    costs = CostMatrix([[-15, 35], [335, -165]], classes=["no", "yes"])
    assert "of the avoidable cost of" in verdict(findings([[80, 10], [2, 8]], costs=costs))


def test_volume_without_a_period(findings):
    assert verdict(findings([[80, 10], [2, 8]], volume=1000)).endswith(": 600 on 1 000 cases.")
