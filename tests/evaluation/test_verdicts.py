"""The words of the verdict, from tables of counts."""

from __future__ import annotations

import pytest

from stakes import Application, ConfusionMatrix, CostMatrix, evaluate

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["no", "yes"])


def judged(*tables, priors=(0.9, 0.1), costs=COSTS, min_cases=1, **more):
    app = Application(costs, priors=priors, **more)
    counts = {f"m{k}": ConfusionMatrix(t, ["no", "yes"]) for k, t in enumerate(tables)}
    return evaluate(None, counts, application=app, min_cases=min_cases, rng=0)


def test_deploy():
    ev = judged([[8000, 1000], [200, 800]], unit="EUR", volume=250_000, period="year")
    # costs 0.1 + 0.2 = 0.3 per case, always deciding 'yes' 0.9
    assert ev.verdict.startswith("Deploy m0. It saves 150 000 EUR a year (")
    assert ev.verdict.endswith("), 67 % of the cost of always deciding 'yes'.")
    assert ev.verdict_kind == "deploy"


def test_equal_costs():
    ev = judged([[8000, 1000], [200, 800]], [[8000, 1000], [200, 800]])
    assert ev.verdict.startswith("Either will do; use m0. It saves 0.6 per case (")
    assert "), 67 % of the cost of always" in ev.verdict
    assert ev.verdict.endswith(" Both cost the same on these cases.")
    assert ev.verdict_kind == "cannot tell apart"


def test_none():
    ev = judged([[0, 90], [5, 5]])
    assert ev.verdict == (
        "Use no model: keep always deciding 'yes'. No model here costs less "
        "(the nearest, m0, has an NEC of 1.556)."
    )  # 0.9 + 0.5 over 0.9
    assert ev.verdict_kind == "none"


def test_nothing_to_decide():
    ev = judged([[80, 10], [2, 8]], priors=(1.0, 0.0))
    assert ev.verdict == (
        "Nothing to decide: always deciding 'no' is already perfect under these costs and shares."
    )
    assert ev.verdict_kind == "none"


def test_too_few_cases():
    ev = judged([[80, 10], [2, 7]], min_cases=10)
    assert ev.verdict == "Cannot say: only 9 cases of 'yes'."
    assert ev.verdict_kind == "cannot say"
    assert ev["m0"].interval is None
    assert ev.remarks == ()


def test_few_cases_are_remarked():
    ev = judged([[800, 100], [2, 48]])
    assert "Only 50 cases of 'yes': the figures are rough." in ev.remarks


def test_may_be_useless():
    ev = judged(
        [[95, 5], [13, 2]], priors=None, costs=CostMatrix([[0, 0.3], [1, 0]], ["no", "yes"])
    )
    assert ev.verdict.startswith(
        "Cannot say: m0 may be no better than always deciding 'no' (NEC 0.967, 95 % interval "
    )  # (5 x 0.3 + 13) / 15
    assert ev.verdict_kind == "cannot say"


def test_gains_speak_of_avoidable_cost():
    costs = CostMatrix([[-15, 35], [335, -165]], classes=["no", "yes"])
    assert "of the avoidable cost of" in judged([[8000, 1000], [200, 800]], costs=costs).verdict


def test_volume_without_a_period():
    assert " saves 600 on 1 000 cases (" in judged([[8000, 1000], [200, 800]], volume=1000).verdict


def test_robust_to_the_cost_of_a_miss():
    # rates: 1/9 alarms and 0.2 misses. At 90 to 10, better than 'no' once 0.1 r 0.8 > 0.9 / 9,
    # r > 1.25; better than 'yes' as long as 0.1 r 0.2 < 0.9 x 8/9, r < 40
    ev = judged([[8000, 1000], [200, 800]])
    said = "m0 pays off whenever one missed 'yes' costs 1.2-40 false alarms (you said 10)."
    assert ev.remarks == (said,)
    assert [(each.code, each.severity) for each in ev.remarks] == [("robust", "info")]


@pytest.mark.parametrize(
    ("miss", "code"), [(1.8, "sensitive"), (2, "robust"), (26, "robust"), (28, "sensitive")]
)
def test_a_warning_where_an_end_is_within_a_factor_of_one_and_a_half(miss, code):
    # the ends are 1.25 and 40, as above: 1.25 x 1.5 = 1.875, and 40 / 1.5 = 26.7
    costs = CostMatrix([[0, 1], [miss, 0]], ["no", "yes"])
    (said,) = judged([[80000, 10000], [2000, 8000]], costs=costs).remarks
    assert said.code == code
    if code == "sensitive":
        assert said.severity == "warning"
        assert said == (
            "m0 pays off only while one missed 'yes' costs 1.2-40 false alarms; "
            f"your {miss:g} is close to the {'lower' if miss < 2 else 'upper'} end."
        )


def test_all_models_that_cannot_be_told_from_the_best_are_named():
    tables = [[[800 - k, 100 + k], [20, 80]] for k in range(3)]
    said = judged(*tables).verdict
    assert said.startswith("m0, m1 or m2 will do; use m0. It saves ")
    assert " The data cannot tell it from m1 (NEC difference 0.001, -0." in said
    assert said.endswith(" more cases would be needed), nor from m2.")


def test_of_many_such_models_the_first_is_named():
    tables = [[[800 - k, 100 + k], [20, 80]] for k in range(6)]
    said = judged(*tables).verdict
    assert said.startswith("m0 or any of 5 others will do; use m0.")
    assert said.endswith(", nor from m2, m3, m4 or m5.")


def test_a_range_is_narrow_where_both_ends_are_close():
    # between two models, 0.9 x 0.05 / (0.1 x 0.05) = 9, and 0.9 x 0.1 / (0.1 x 0.069) = 13
    tables = [[9500, 500], [200, 800]], [[9000, 1000], [150, 850]], [[8000, 2000], [81, 919]]
    (said,) = [each for each in judged(*tables).remarks if each.code == "sensitive"]
    assert said.startswith("m1 is cheapest only while one missed 'yes' costs 9-13 false alarms (")
    assert said.endswith(" (you said 10 %): a narrow range.")
